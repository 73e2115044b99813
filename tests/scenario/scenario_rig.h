// scenario_rig.h - what tests of scenarios share: components to act upon, a log that is kept, and
// files that differ in their events only.
#ifndef TAC_TESTS_SCENARIO_SCENARIO_RIG_H
#define TAC_TESTS_SCENARIO_SCENARIO_RIG_H

#include "engine/test_rig.h"

#include <math.h>

// --- a rig with a log -----------------------------------------------------------------------

typedef struct entry {
    tac_time t_us;
    char component[64], text[128];
} entry;

static entry logged[256];
static size_t logged_count;

static inline void keep_log(void *context, const tac_log_entry *e)
{
    (void)context;
    if (strstr(e->text, "this has no effect")) // faults of this rig lead nowhere
        return;
    if (logged_count == 256)
        fail_msg("too many entries in the log");
    entry *l = &logged[logged_count++];
    l->t_us = e->t_us;
    snprintf(l->component, sizeof l->component, "%s", e->component);
    snprintf(l->text, sizeof l->text, "%s", e->text);
}

// A component with a parameter that can be set, and the value that it sees.
static inline tac_status tunable_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_param_input(d, TAC_PARAM(.name = "cruise_speed", .unit = "m/s", .fallback = "5 m/s"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m/s"));
    return TAC_OK;
}

static inline tac_status tunable_step(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = *TAC_IN(s, double, 0);
    return TAC_OK;
}

static const tac_component_type tunable_type = {.size = sizeof(tac_component_type),
                                                .name = "tunable",
                                                .version = "1",
                                                .stage = TAC_STAGE_CONTROL,
                                                .declare = tunable_declare,
                                                .kernels[TAC_NUMBERS].step = tunable_step};

// A ramp y = t / 1 s in a later stage, NaN from `nan` on; and a condition.
static inline tac_status ramp_declare(tac_declare *d, void *self)
{
    *(tac_time *)self = tac_param_time(d, TAC_PARAM(.name = "nan", .fallback = "1 h"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_output(d, TAC_PORT(.name = "high", .type = TAC_TYPE_BOOL));
    return TAC_OK;
}

static inline tac_status ramp_step(tac_step *s, const void *self)
{
    const double y = s->t_us >= *(const tac_time *)self ? (double)NAN : tac_time_seconds(s->t_us);
    *TAC_OUT(s, double, 0) = y;
    *TAC_OUT(s, bool, 1) = (s->t_us / 100000) % 2;
    return TAC_OK;
}

static const tac_component_type ramp_type = {.size = sizeof(tac_component_type),
                                             .name = "ramp",
                                             .version = "1",
                                             .stage = TAC_STAGE_ESTIMATE,
                                             .self_size = sizeof(tac_time),
                                             .declare = ramp_declare,
                                             .kernels[TAC_NUMBERS].step = ramp_step};

// Part of the plant: x'' = -w^2 x, from x = 1; and an output that nothing else needs.
static inline tac_status swing_declare(tac_declare *d, void *self)
{
    *(double *)self = tac_param_f64(d, TAC_PARAM(.name = "w", .fallback = "10"));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"));
    tac_declare_output(d, TAC_PORT(.name = "low", .type = TAC_TYPE_BOOL));
    return TAC_OK;
}

static inline tac_status swing_init(tac_step *s, const void *self)
{
    (void)self;
    tac_jump(s)[0] = 1;
    return TAC_OK;
}

static inline tac_status swing_derive(const tac_eval *e, const void *self)
{
    const double w = *(const double *)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -w * w * e->x[0];
    return TAC_OK;
}

static inline tac_status swing_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, bool, 0) = e->x[0] < 0;
    return TAC_OK;
}

static const tac_component_type swing_type = {.size = sizeof(tac_component_type),
                                              .name = "swing",
                                              .version = "1",
                                              .self_size = sizeof(double),
                                              .declare = swing_declare,
                                              .init = swing_init,
                                              .kernels[TAC_NUMBERS].output = swing_output,
                                              .kernels[TAC_NUMBERS].derive = swing_derive};

// Line 10 of the file is the first event.
static const char head[] =
    "duration: 2 s\n"
    "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
    "components:\n"
    "  body: {type: ramp}\n"
    "  control: {type: tunable}\n"
    "  scenario:\n"
    "    type: scenario\n"
    "    params: {motors: 4, batteries: 2, "
    "signals: [{name: flag}, {name: far, unit: km, initial: 500 m}]}\n"
    "scenario:\n";

static inline const char *file(const char *events)
{
    static char text[8192];
    snprintf(text, sizeof text, "%s%s", head, events);
    return text;
}

static inline void tune_log(tac_engine_def *def)
{
    def->log = keep_log;
}

// More types of a test follow in rig_types.
enum { OWN_TYPES = 3 };

static inline void use_types(void)
{
    logged_count = 0;
    rig_tune = tune_log;
    rig_types[0] = &tunable_type;
    rig_types[1] = &ramp_type;
    rig_types[2] = &swing_type;
}

static inline tac_status try_open(rig *r, const char *text)
{
    use_types();
    return rig_try(r, text);
}

static inline void open_events(rig *r, const char *events)
{
    if (try_open(r, file(events)) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

static inline void run_all(rig *r, const char *events)
{
    open_events(r, events);
    rig_run(r, TAC_TIME_NEVER);
}

static inline void log_is(size_t i, tac_time t_us, const char *text)
{
    if (i >= logged_count)
        fail_msg("only %zu entries in the log; expected '%s'", logged_count, text);
    if (logged[i].t_us != t_us || strcmp(logged[i].text, text))
        fail_msg("entry %zu: '%s' at %llu us, expected '%s' at %llu us", i, logged[i].text,
                 (unsigned long long)logged[i].t_us, text, (unsigned long long)t_us);
}

static inline bool is_armed(rig *r)
{
    return *(const bool *)rig_read(r, "scenario.arm");
}

static inline int32_t enum_of(rig *r, const char *signal)
{
    return *(const int32_t *)rig_read(r, signal);
}

static inline double element(rig *r, const char *signal, int i)
{
    return ((const double *)rig_read(r, signal))[i];
}

static inline const char *swings(const char *events)
{
    static char text[8192];
    snprintf(text, sizeof text,
             "duration: 2 s\n"
             "plant: {integrator: {kind: dop853, rtol: 1e-10}}\n"
             "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
             "components:\n"
             "  body: {type: ramp}\n"
             "  swing: {type: swing}\n"
             "  other: {type: swing, params: {w: 7}}\n"
             "  scenario: {type: scenario, params: {motors: 1}}\n"
             "scenario:\n%s",
             events);
    return text;
}

static inline void open_swings(rig *r, const char *events)
{
    if (try_open(r, swings(events)) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

static inline void refused_file(const char *text, tac_status status, unsigned line, unsigned column,
                                const char *part)
{
    use_types();
    rig_refused_at(text, status, line, column, part);
}

// The second of two events is refused.
static inline void refused(const char *event, tac_status status, uint32_t column, const char *part)
{
    char events[1024];
    snprintf(events, sizeof events, "- {at: 1 s, do: arm}\n- %s\n", event);
    refused_file(file(events), status, 11, column, part);
}

#endif
