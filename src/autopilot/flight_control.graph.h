// flight_control.graph.h - a step of flight control in a graph: what is decided is an input
// (tac__flight_control_decide), the control laws and the loops' states are computed. Compiled for
// symbols; tests compile it for numbers and compare it with flight_control.lanes.h.
#include "autopilot/flight_law.h"
#include "autopilot/flight_ports.h"

// The numbers as they are after the step, as far as they are decided. The others are computed.
static void take_numbers(const tac_step *s, int rotors, tac__flight_numbers *n)
{
    for (int k = 0; k < 3; k++) {
        n->home[k] = step_decided(s, TAC__DECIDED_HOME + k);
        n->target[k] = step_decided(s, TAC__DECIDED_TARGET + k);
    }
    n->run_out = step_decided(s, TAC__DECIDED_RUN_OUT);
    n->ground = step_decided(s, TAC__DECIDED_GROUND);
    n->yaw = step_decided(s, TAC__DECIDED_YAW);
    n->lift = step_decided(s, TAC__DECIDED_LIFT);
    n->held_s = step_decided(s, TAC__DECIDED_HELD);
    n->still_s = step_decided(s, TAC__DECIDED_STILL);
    n->sinking = step_decided(s, TAC__DECIDED_SINKING);
    for (int i = 0; i < rotors; i++) {
        n->works[i] = step_decided(s, TAC__DECIDED_WORKS + i);
        n->amiss_s[i] = step_decided(s, TAC__DECIDED_WORKS + rotors + i);
    }
}

static flight_choice take_choice(const tac_step *s)
{
    flight_choice choice;
    choice.armed = step_decision(s, TAC__DECIDED_ARMED);
    choice.flies = c_and(choice.armed, c_not(step_decision(s, TAC__DECIDED_LANDED)));
    choice.descends = step_decision(s, TAC__DECIDED_DESCENDS);
    choice.yaw_held = step_decision(s, TAC__DECIDED_YAW_HELD);
    return choice;
}

static void write_words(tac_step *s, const tac__flight_control *c)
{
    for (int i = 0; i < TAC__DECIDED_WORD_COUNT; i++)
        step_put_i32(s->state[TAC__FLIGHT_STATE_WORDS], i,
                     step_decided(s, TAC__DECIDED_STARTED + i));
    step_put_flag(s->out[TAC__FLIGHT_OUT_ARMED], 0, step_decision(s, TAC__DECIDED_ARMED));
    step_put_flag(s->out[TAC__FLIGHT_OUT_LANDED], 0, step_decision(s, TAC__DECIDED_LANDED));
    step_put_i32(s->out[TAC__FLIGHT_OUT_PHASE], 0, step_decided(s, TAC__DECIDED_PHASE));
    step_put_i32(s->out[TAC__FLIGHT_OUT_CURRENT], 0, step_decided(s, TAC__DECIDED_ITEM));
    step_put_i32(s->out[TAC__FLIGHT_OUT_REACHED], 0, step_decided(s, TAC__DECIDED_REACHED));
    step_put_i32(s->out[TAC__FLIGHT_OUT_TOTAL], 0, R((double)c->mission.count));
}

TAC_ENTRY tac_status TAC_KINDED(tac__flight_control_given)(tac_step *s, const void *self)
{
    const tac__flight_control *c = control_of(self);
    const tac__flight *f = STEP_P(s, tac__flight);
    tac__flight_numbers *n = (tac__flight_numbers *)s->state[TAC__FLIGHT_STATE_NUMBERS];
    const double dt_s = tac_time_seconds(s->period_us);
    const flight_choice choice = take_choice(s);
    tac__flight_in in;
    tac__control_out out;
    flight_read(s, c, f, &in);
    flight_reset(&in, step_decision(s, TAC__DECIDED_RESTARTS), n);
    take_numbers(s, c->shape.rotors, n);
    flight_fly(&c->shape, f, dt_s, &in, &choice, n, &out);
    flight_rest(&c->shape, f, &in, &choice, n, &out);
    flight_expect(&c->shape, dt_s, &out, n);
    flight_write(s, c, n->loops.position, &out);
    write_words(s, c);
    return s->period_us ? TAC_OK : TAC_E_COMPONENT;
}
