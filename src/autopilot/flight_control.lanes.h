// flight_control.lanes.h - a step of flight control as a component, for doubles, packs and duals:
// inputs, flight.lanes.h, outputs, log.
#include "autopilot/flight_ports.h"

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

// The first speed that is NaN, else TAC__FLIGHT_SPEED_COUNT: taking the least of several speeds
// would hide a NaN.
static int find_nan(const tac_step *s)
{
    int i = 0;
    for (; i < TAC__FLIGHT_SPEED_COUNT; i++) {
        real value = *step_in(s, TAC__FLIGHT_SPEEDS + i);
        if (!c_all(value <= value))
            break;
    }
    return i;
}

// Whether flight control can work.
static tac_status check(tac_step *s)
{
    const int nan = find_nan(s);
    if (nan < TAC__FLIGHT_SPEED_COUNT)
        return FAIL(s, TAC_E_NUMERIC, "input %s is NaN", tac__flight_speeds[nan].param.name);
    return s->period_us ? TAC_OK : FAIL(s, TAC_E_COMPONENT, "needs a rate group with a period");
}

static void read_inputs(const tac_step *s, const tac__flight_control *c, const tac__flight *f,
                        tac__flight_in *in)
{
    flight_read(s, c, f, in);
    in->arm = (const bool *)flight_where_connected(s, TAC__FLIGHT_ARM);
    in->mode = (const int32_t *)flight_where_connected(s, TAC__FLIGHT_MODE);
}

// --- outputs ------------------------------------------------------------------------------------

static void write_words(tac_step *s, int index, const void *from)
{
    memcpy(s->out[index], from, TAC__FLIGHT_LANES * sizeof(int32_t));
}

static void write_outputs(tac_step *s, const void *self, const tac__control_out *out)
{
    const tac__flight_state state = state_of(s);
    flight_write(s, control_of(self), state.n->loops.position, out);
    write_words(s, TAC__FLIGHT_OUT_PHASE, &state.w->phase);
    write_words(s, TAC__FLIGHT_OUT_CURRENT, &state.w->item);
    write_words(s, TAC__FLIGHT_OUT_REACHED, &state.w->reached);
    for (int lane = 0; lane < TAC__FLIGHT_LANES; lane++) {
        TAC_OUT(s, bool, TAC__FLIGHT_OUT_ARMED)[lane] = TAC__LANE(state.w->armed, lane) != 0;
        TAC_OUT(s, bool, TAC__FLIGHT_OUT_LANDED)[lane] = TAC__LANE(state.w->landed, lane) != 0;
        TAC_OUT(s, int32_t, TAC__FLIGHT_OUT_TOTAL)
        [lane] = (int32_t)control_in(s, self, lane)->mission.count;
    }
}

#ifdef TAC_KIND_F64
void tac__flight_control_write(tac_step *s, const void *self, const tac__control_out *out)
{
    write_outputs(s, self, out);
}
#endif

// --- log ----------------------------------------------------------------------------------------

// Steps of derivatives repeat those of numbers, which have logged.
#if defined(TAC_KIND_F64) || defined(TAC_LANES)
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

#else
static void log_lanes(tac_step *s, const void *self, const uint32_t *lost, const int32_t *reached,
                      const int32_t *phase)
{
    (void)s;
    (void)self;
    (void)lost;
    (void)reached;
    (void)phase;
}
#endif

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

// --- decisions ----------------------------------------------------------------------------------

#ifdef TAC_KIND_F64
_Static_assert(sizeof(tac__flight_words) == TAC__DECIDED_WORD_COUNT * sizeof(int32_t),
               "one decision a word");

static void put_decisions(const tac__flight_numbers *n, const tac__flight_words *w, int rotors,
                          double *decided)
{
    const int32_t *words = (const int32_t *)w;
    for (int i = 0; i < TAC__DECIDED_WORD_COUNT; i++)
        decided[TAC__DECIDED_STARTED + i] = words[i];
    memcpy(decided + TAC__DECIDED_HOME, n->home, sizeof n->home);
    memcpy(decided + TAC__DECIDED_TARGET, n->target, sizeof n->target);
    decided[TAC__DECIDED_RUN_OUT] = n->run_out;
    decided[TAC__DECIDED_GROUND] = n->ground;
    decided[TAC__DECIDED_YAW] = n->yaw;
    decided[TAC__DECIDED_LIFT] = n->lift;
    decided[TAC__DECIDED_HELD] = n->held_s;
    decided[TAC__DECIDED_STILL] = n->still_s;
    decided[TAC__DECIDED_SINKING] = n->sinking;
    memcpy(decided + TAC__DECIDED_WORKS, n->works, (size_t)rotors * sizeof *n->works);
    memcpy(decided + TAC__DECIDED_WORKS + rotors, n->amiss_s, (size_t)rotors * sizeof *n->amiss_s);
}

tac_status tac__flight_control_decide(const tac_step *s, const void *self, double *decided)
{
    const tac__flight_control *c = control_of(self);
    const tac__flight *f = STEP_P(s, tac__flight);
    const tac__mission *mission = &c->mission;
    tac__flight_numbers numbers = *state_of(s).n;
    tac__flight_words words = *state_of(s).w;
    const tac__flight_words before = words;
    const tac__flight_state state = {&numbers, &words};
    tac__flight_in in;
    tac__control_out out;
    uint32_t lost;
    if (find_nan(s) < TAC__FLIGHT_SPEED_COUNT || !s->period_us)
        return TAC_E_COMPONENT;
    read_inputs(s, c, f, &in);
    tac__flight_step_f64(&c->shape, f, &mission, tac_time_seconds(s->period_us), &in, state, &out,
                         &lost);
    // A take-off is the only way from the ground.
    decided[TAC__DECIDED_RESTARTS] = !before.started || (before.landed && !words.landed);
    decided[TAC__DECIDED_DESCENDS] = tac__flight_descends(&words);
    put_decisions(&numbers, &words, c->shape.rotors, decided);
    return TAC_OK;
}
#endif
