// phase_rig.h - what tests of phases share: components that write down what is done to them.
#ifndef TAC_TESTS_ENGINE_PHASE_RIG_H
#define TAC_TESTS_ENGINE_PHASE_RIG_H

#include "engine/test_rig.h"

// --- the trace: "a.step@2000 a.exit(0>1)@2000 ..." ----------------------------------------------

static char trace[1 << 16];
static size_t trace_length;

static inline void trace_add(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    trace_length +=
        (size_t)vsnprintf(trace + trace_length, sizeof trace - trace_length, format, args);
    va_end(args);
    assert_true(trace_length < sizeof trace);
}

static inline void trace_clear(void)
{
    trace[trace_length = 0] = '\0';
}

// --- an actor: discrete, of any stage -----------------------------------------------------------

// Outputs: y, the number of its steps; r, a draw; q, a quaternion; heard, what messages said; seen,
// its input u. It counts on in the discrete states n (f64) and hooks (i64).
typedef struct actor {
    const char *name;
    int watch; // -1: none
    bool traced, fails, nan;
    tac_time wake_us, again_us;
} actor;

static inline tac_status actor_declare(tac_declare *d, void *self)
{
    actor *a = self;
    a->name = tac_declare_name(d);
    a->traced = tac_param_bool(d, TAC_PARAM(.name = "traced", .fallback = "true"));
    a->fails = tac_param_bool(d, TAC_PARAM(.name = "fails", .fallback = "false"));
    a->nan = tac_param_bool(d, TAC_PARAM(.name = "nan", .fallback = "false"));
    a->wake_us = tac_param_time(d, TAC_PARAM(.name = "wake", .fallback = "0 s"));
    a->again_us = tac_param_time(d, TAC_PARAM(.name = "again", .fallback = "0 s"));
    const char *watch = tac_param_text(d, TAC_PARAM(.name = "watch", .fallback = ""));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "r", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "q", .type = TAC_TYPE_QUAT));
    tac_declare_output(d, TAC_PORT(.name = "heard", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "seen", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "n", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "hooks", .type = TAC_TYPE_I64));
    tac_declare_stream(d, "noise");
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 64, .max_bytes = 8, .triggers = true));
    a->watch = *watch ? tac_declare_watch(d, watch, "watch") : -1;
    return TAC_OK;
}

static inline tac_status actor_init(tac_step *s, const void *self)
{
    const actor *a = self;
    return a->wake_us ? tac_wake_at(s, a->wake_us) : TAC_OK;
}

static inline tac_status actor_step(tac_step *s, const void *self)
{
    const actor *a = self;
    static const char *const due[] = {"?", "", "m", "m", "t", "t", "mt", "mt"};
    if (a->traced)
        trace_add("%s.step%s", a->name, due[s->due & 7]);
    if (a->traced && a->watch >= 0)
        trace_add("[%g]", *TAC_IN(s, double, a->watch));
    if (a->traced)
        trace_add("@%llu ", (unsigned long long)s->t_us);
    if (a->fails)
        return tac_fail(s, "fails as it was told");
    *TAC_OUT(s, double, 0) = *TAC_STATE(s, double, 0) += 1;
    *TAC_OUT(s, double, 1) = tac_draw_normal(s, 0);
    rig_quat(s->t_us + 77, TAC_OUT(s, double, 2));
    *TAC_OUT(s, double, 4) = *TAC_IN(s, double, 0);
    for (tac_message m; tac_receive(s, 0, &m);) {
        double value;
        memcpy(&value, m.bytes, sizeof value);
        *TAC_OUT(s, double, 3) = 10 * *TAC_OUT(s, double, 3) + value;
    }
    if (a->nan)
        *TAC_OUT(s, double, 0) = (double)__builtin_nanf("");
    return a->again_us && s->due & TAC_DUE_TIMER ? tac_wake_at(s, s->t_us + a->again_us) : TAC_OK;
}

static inline tac_status actor_hook(tac_step *s, const actor *a, const char *what)
{
    assert_null(s->out);
    ++*TAC_STATE(s, int64_t, 1);
    if (a->traced)
        trace_add("%s.%s@%llu ", a->name, what, (unsigned long long)s->t_us);
    return TAC_OK;
}

static inline tac_status actor_pre(tac_step *s, const void *self)
{
    return actor_hook(s, self, "pre");
}

static inline tac_status actor_post(tac_step *s, const void *self)
{
    return actor_hook(s, self, "post");
}

static inline tac_status actor_exit(tac_step *s, const void *self, int32_t from, int32_t to)
{
    char what[32];
    snprintf(what, sizeof what, "exit(%d>%d)", (int)from, (int)to);
    return actor_hook(s, self, what);
}

static inline tac_status actor_enter(tac_step *s, const void *self, int32_t from, int32_t to)
{
    char what[32];
    snprintf(what, sizeof what, "enter(%d>%d)", (int)from, (int)to);
    return actor_hook(s, self, what);
}

static const tac_component_type actor_type = {.size = sizeof(tac_component_type),
                                              .name = "actor",
                                              .version = "1",
                                              .flags = TAC_COMPONENT_TIMER,
                                              .stage = TAC_STAGE_CONTROL,
                                              .self_size = sizeof(actor),
                                              .declare = actor_declare,
                                              .init = actor_init,
                                              .kernels[TAC_NUMBERS].step = actor_step,
                                              .phase_exit = actor_exit,
                                              .phase_enter = actor_enter};

// The same with hooks at every boundary of its entity.
static const tac_component_type hooked_type = {.size = sizeof(tac_component_type),
                                               .name = "hooked",
                                               .version = "1",
                                               .flags = TAC_COMPONENT_TIMER,
                                               .stage = TAC_STAGE_CONTROL,
                                               .self_size = sizeof(actor),
                                               .declare = actor_declare,
                                               .init = actor_init,
                                               .kernels[TAC_NUMBERS].step = actor_step,
                                               .pre_step = actor_pre,
                                               .post_step = actor_post,
                                               .phase_exit = actor_exit,
                                               .phase_enter = actor_enter};

// --- a tank: continuous -------------------------------------------------------------------------

// x' = rate + u - leak x; p' = (x, 1, 0). Outputs level = x and twice = 2 u. An event: x > 2, which
// adds 1 to the rate.
typedef struct tank {
    double initial, rate, leak;
    bool nan, fails;
} tank;

static inline tac_status tank_declare(tac_declare *d, void *self)
{
    tank *a = self;
    a->initial = tac_param_f64(d, TAC_PARAM(.name = "initial", .fallback = "0"));
    a->rate = tac_param_f64(d, TAC_PARAM(.name = "rate", .fallback = "0"));
    a->leak = tac_param_f64(d, TAC_PARAM(.name = "leak", .fallback = "0"));
    a->nan = tac_param_bool(d, TAC_PARAM(.name = "nan", .fallback = "false"));
    a->fails = tac_param_bool(d, TAC_PARAM(.name = "fails", .fallback = "false"));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL));
    tac_declare_output(d, TAC_PORT(.name = "level", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    tac_declare_output(d, TAC_PORT(.name = "twice", .type = TAC_TYPE_F64, .flags = TAC_PORT_EVAL));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_continuous(d, TAC_PORT(.name = "p", .type = TAC_TYPE_VEC3));
    tac_declare_event(d, "high", "");
    return TAC_OK;
}

static inline tac_status tank_init(tac_step *s, const void *self)
{
    tac_jump(s)[0] = ((const tank *)self)->initial;
    return TAC_OK;
}

static inline tac_status tank_derive(const tac_eval *e, const void *self)
{
    const tank *a = self;
    const double nan = a->nan ? (double)__builtin_nanf("") : 0;
    e->dx[0] = a->rate + *TAC_IN(e, double, 0) - a->leak * e->x[0] + e->mode[0] + nan;
    e->dx[1] = e->x[0];
    e->dx[2] = 1;
    e->dx[3] = 0;
    return a->fails ? TAC_E_NUMERIC : TAC_OK;
}

static inline tac_status tank_output(const tac_eval *e, const void *self)
{
    const tank *a = self;
    *TAC_OUT(e, double, 0) = a->nan ? (double)__builtin_nanf("") : e->x[0];
    *TAC_OUT(e, double, 1) = 2 * *TAC_IN(e, double, 0);
    return a->fails ? TAC_E_NUMERIC : TAC_OK;
}

static inline tac_status tank_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    g[0] = e->x[0] - 2;
    return TAC_OK;
}

static const tac_component_type tank_type = {.size = sizeof(tac_component_type),
                                             .name = "tank",
                                             .version = "1",
                                             .self_size = sizeof(tank),
                                             .declare = tank_declare,
                                             .init = tank_init,
                                             .kernels[TAC_NUMBERS].derive = tank_derive,
                                             .kernels[TAC_NUMBERS].output = tank_output,
                                             .kernels[TAC_NUMBERS].detect = tank_detect};

static inline int phase_set_up(void **state)
{
    (void)state;
    rig_types[0] = &actor_type;
    rig_types[1] = &hooked_type;
    rig_types[2] = &tank_type;
    return 0;
}

// --- runs ---------------------------------------------------------------------------------------

static const char *const strategies[] = {"skip", "gate", "split"};

static inline void open_with(rig *r, const char *text, const char *strategy)
{
    char set[40];
    snprintf(set, sizeof set, "phases.strategy=%s", strategy);
    const char *const sets[] = {set};
    trace_clear();
    if (rig_try_sets(r, text, sets, 1) != TAC_OK) {
        rig_show(r);
        fail_msg("cannot be built");
    }
}

static inline uint64_t hash_with(const char *text, const char *strategy)
{
    rig r;
    open_with(&r, text, strategy);
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t hash = tac_engine_hash(r.engine, NULL, NULL);
    rig_close(&r);
    return hash;
}

// Runs it in all strategies, which must agree; the trace is that of `skip`.
static inline uint64_t hash_of(const char *text)
{
    const uint64_t gate = hash_with(text, "gate"), split = hash_with(text, "split");
    const uint64_t skip = hash_with(text, "skip");
    assert_int_equal(gate, skip);
    assert_int_equal(split, skip);
    return skip;
}

static inline const char *phase_of(rig *r, const char *signal)
{
    const tac_signal_info info =
        tac_engine_signal_info(r->engine, tac_engine_find_signal(r->engine, signal));
    return info.type.labels[*(const int32_t *)rig_read(r, signal)];
}

#endif
