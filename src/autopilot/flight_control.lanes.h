// flight_control.lanes.h - a step of flight control as a component, for doubles and for packs:
// inputs, flight.lanes.h, outputs, log.
#include "autopilot/flight_control.h"

#include <string.h>

static const tac__flight_control *control_of(const void *self)
{
    return *(const tac__flight_self *)self;
}

// What is the component's own, where lanes differ.
static const tac__flight_control *control_in(const tac_step *s, const void *self, int lane)
{
#ifdef TAC_LANES
    (void)self;
    return control_of(s->lane[lane].self);
#else
    (void)s;
    (void)lane;
    return control_of(self);
#endif
}

static tac__flight_state state_of(const tac_step *s)
{
    const tac__flight_state state = {
        (tac__flight_numbers *)s->state[TAC__FLIGHT_STATE_NUMBERS],
        (tac__flight_words *)s->state[TAC__FLIGHT_STATE_WORDS],
    };
    return state;
}

// A pack says nothing: its components step one by one then, and one of them fails.
#ifdef TAC_LANES
#define FAIL(s, status, ...) ((void)(s), (status))
#else
#define FAIL(s, status, ...) tac_fail_as(s, status, __VA_ARGS__)
#endif

// --- inputs -------------------------------------------------------------------------------------

static const real *input(const tac_step *s, int index)
{
    return (const real *)s->in[index];
}

static const void *where_connected(const tac_step *s, int index)
{
    return tac_connected(s, index) ? s->in[index] : NULL;
}

// Whether flight control can work: taking the least of several speeds would hide a NaN.
static tac_status check(tac_step *s)
{
    for (int i = 0; i < TAC__FLIGHT_SPEED_COUNT; i++) {
        real value = *input(s, TAC__FLIGHT_SPEEDS + i);
        if (!c_all(value <= value))
            return FAIL(s, TAC_E_NUMERIC, "input %s is NaN", tac__flight_speeds[i].param.name);
    }
    return s->period_us ? TAC_OK : FAIL(s, TAC_E_COMPONENT, "needs a rate group with a period");
}

// Limited to its range, whatever writes the input.
static real speed(const tac_step *s, int which)
{
    return r_clamp(*input(s, TAC__FLIGHT_SPEEDS + which), R(0.01),
                   R(tac__flight_speeds[which].most));
}

static void read_inputs(const tac_step *s, const tac__flight_control *c, const tac__flight *f,
                        tac__flight_in *in)
{
    in->position = input(s, TAC__FLIGHT_POSITION);
    in->velocity = input(s, TAC__FLIGHT_VELOCITY);
    in->attitude = input(s, TAC__FLIGHT_ATTITUDE);
    in->rate = input(s, TAC__FLIGHT_RATE);
    in->rotor_speed = (const real *)where_connected(s, TAC__FLIGHT_ROTOR_SPEED);
    in->arm = (const bool *)where_connected(s, TAC__FLIGHT_ARM);
    in->mode = (const int32_t *)where_connected(s, TAC__FLIGHT_MODE);
    in->cruise_speed = speed(s, TAC__FLIGHT_CRUISE);
    in->climb_speed = speed(s, TAC__FLIGHT_CLIMB);
    in->descend_speed = speed(s, TAC__FLIGHT_DESCEND);
    in->land_speed = speed(s, TAC__FLIGHT_LAND);

    real nominal = P(f->control.voltage_v);
    const real *bus = (const real *)where_connected(s, TAC__FLIGHT_BUS_VOLTAGE);
    for (int i = 0; i < c->shape.rotors; i++) {
        real v = bus ? bus[c->bus[i]] : nominal; // a bus without power gives no reading
        in->voltage[i] = r_select(v <= 0.1 * nominal, nominal, v);
    }
}

// --- outputs ------------------------------------------------------------------------------------

static void write_reals(tac_step *s, int index, const real *from, int count)
{
    memcpy(s->out[index], from, (size_t)count * sizeof *from);
}

static void write_words(tac_step *s, int index, const void *from)
{
    memcpy(s->out[index], from, TAC__FLIGHT_LANES * sizeof(int32_t));
}

static void write_outputs(tac_step *s, const void *self, const tac__control_out *out)
{
    const tac__flight_state state = state_of(s);
    write_reals(s, TAC__FLIGHT_OUT_MOTOR, out->duty, control_of(self)->shape.rotors);
    write_words(s, TAC__FLIGHT_OUT_PHASE, &state.w->phase);
    write_words(s, TAC__FLIGHT_OUT_CURRENT, &state.w->item);
    write_words(s, TAC__FLIGHT_OUT_REACHED, &state.w->reached);
    for (int lane = 0; lane < TAC__FLIGHT_LANES; lane++) {
        TAC_OUT(s, bool, TAC__FLIGHT_OUT_ARMED)[lane] = TAC__LANE(state.w->armed, lane) != 0;
        TAC_OUT(s, bool, TAC__FLIGHT_OUT_LANDED)[lane] = TAC__LANE(state.w->landed, lane) != 0;
        TAC_OUT(s, int32_t, TAC__FLIGHT_OUT_TOTAL)
        [lane] = (int32_t)control_in(s, self, lane)->mission.count;
    }
    write_reals(s, TAC__FLIGHT_OUT_POSITION, state.n->loops.position, 3);
    write_reals(s, TAC__FLIGHT_OUT_VELOCITY, out->velocity, 3);
    write_reals(s, TAC__FLIGHT_OUT_ATTITUDE, out->attitude, 4);
    write_reals(s, TAC__FLIGHT_OUT_RATE, out->rate, 3);
    write_reals(s, TAC__FLIGHT_OUT_THRUST, &out->thrust, 1);
    write_reals(s, TAC__FLIGHT_OUT_TORQUE, out->torque, 3);
}

#ifdef TAC_KIND_F64
void tac__flight_control_write(tac_step *s, const void *self, const tac__control_out *out)
{
    write_outputs(s, self, out);
}
#endif

// --- log ----------------------------------------------------------------------------------------

static void log_changes(tac_step *s, const tac__flight_control *c, int lane, uint32_t lost,
                        int32_t reached, int32_t phase)
{
    const tac__flight_words *w = state_of(s).w;
    for (int i = 0; i < c->shape.rotors; i++) {
        if (lost >> i & 1)
            tac_log_write(s, TAC_LOG_WARN, "motor %d is out%s", i + 1,
                          !TAC__LANE(w->can_hover, lane)
                              ? "; the others cannot hold the vehicle: coming down"
                          : !TAC__LANE(w->yaw_held, lane) ? "; yaw is let go"
                                                          : "; the others take over");
    }
    if (reached != TAC__LANE(w->reached, lane) && TAC__LANE(w->reached, lane) > 0)
        tac_log_write(s, TAC_LOG_INFO, "item %d of %zu passed", TAC__LANE(w->item, lane),
                      c->mission.count);
    if (phase != TAC__LANE(w->phase, lane))
        tac_log_write(s, TAC_LOG_INFO, "%s", tac__flight_phase_labels[TAC__LANE(w->phase, lane)]);
}

static void log_lanes(tac_step *s, const void *self, const uint32_t *lost, const int32_t *reached,
                      const int32_t *phase)
{
    const tac__flight_words *w = state_of(s).w;
    for (int lane = 0; lane < TAC__FLIGHT_LANES; lane++) {
        if (!lost[lane] && reached[lane] == TAC__LANE(w->reached, lane) &&
            phase[lane] == TAC__LANE(w->phase, lane))
            continue;
#ifdef TAC_LANES
        tac_step one = tac_step_of_lane(s, (uint32_t)lane);
#else
        tac_step one = *s;
#endif
        log_changes(&one, control_in(s, self, lane), lane, lost[lane], reached[lane], phase[lane]);
    }
}

// --- a step -------------------------------------------------------------------------------------

TAC_ENTRY tac_status TAC_KINDED(tac__flight_control_step)(tac_step *s, const void *self)
{
    const tac__flight_control *c = control_of(self);
    const tac__flight *f = (const tac__flight *)s->p;
    const tac__flight_state state = state_of(s);
    const tac__mission *missions[TAC__FLIGHT_LANES];
    int32_t reached[TAC__FLIGHT_LANES], phase[TAC__FLIGHT_LANES];
    uint32_t lost[TAC__FLIGHT_LANES];
    tac__flight_in in;
    tac__control_out out;
    TAC_TRY(check(s));
    read_inputs(s, c, f, &in);
    for (int lane = 0; lane < TAC__FLIGHT_LANES; lane++)
        missions[lane] = &control_in(s, self, lane)->mission;
    memcpy(reached, &state.w->reached, sizeof reached);
    memcpy(phase, &state.w->phase, sizeof phase);
    TAC_KINDED(tac__flight_step)
    (&c->shape, f, missions, tac_time_seconds(s->period_us), &in, state, &out, lost);
    write_outputs(s, self, &out);
    log_lanes(s, self, lost, reached, phase);
    return TAC_OK;
}
