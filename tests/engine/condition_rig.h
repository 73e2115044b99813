// condition_rig.h - what tests of located conditions share: a plant, who waits for it, what happens
// besides, and runs of it all.
#ifndef TAC_TESTS_ENGINE_CONDITION_RIG_H
#define TAC_TESTS_ENGINE_CONDITION_RIG_H

#include "engine/test_rig.h"

#include <math.h>

// --- a plant ------------------------------------------------------------------------------------

// z' = v, v' = a + push - stiffness z: a body that falls, or one that swings. `high` is an output
// that nothing else of the plant needs; `nan` makes it a NaN below zero.
typedef struct body {
    double z, v, a, stiffness;
    bool bad, events;
} body;

static tac_status body_declare(tac_declare *d, void *self)
{
    body *b = self;
    b->z = tac_param_f64(d, TAC_PARAM(.name = "z", .fallback = "0"));
    b->v = tac_param_f64(d, TAC_PARAM(.name = "v", .fallback = "0"));
    b->a = tac_param_f64(d, TAC_PARAM(.name = "a", .fallback = "0"));
    b->stiffness = tac_param_f64(d, TAC_PARAM(.name = "stiffness", .fallback = "0"));
    b->bad = tac_param_bool(d, TAC_PARAM(.name = "bad", .fallback = "false"));
    b->events = tac_param_bool(d, TAC_PARAM(.name = "bounces", .fallback = "false"));
    tac_declare_input(d,
                      TAC_PORT(.name = "push", .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL));
    tac_declare_continuous(d, TAC_PORT(.name = "z", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"));
    tac_declare_output(d, TAC_PORT(.name = "high", .type = TAC_TYPE_F64, .unit = "cm"));
    if (b->events)
        tac_declare_event(d, "down", "");
    return TAC_OK;
}

static tac_status body_init(tac_step *s, const void *self)
{
    const body *b = self;
    double *x = tac_jump(s);
    x[0] = b->z;
    x[1] = b->v;
    return TAC_OK;
}

static tac_status body_derive(const tac_eval *e, const void *self)
{
    const body *b = self;
    e->dx[0] = e->x[1];
    e->dx[1] = b->a + *TAC_IN(e, double, 0) - b->stiffness * e->x[0];
    if (b->events)
        e->dx[1] += e->mode[0] * (-1e4 * e->x[0] - 20 * e->x[1]);
    return TAC_OK;
}

static tac_status body_output(const tac_eval *e, const void *self)
{
    const body *b = self;
    if (b->bad && e->x[0] < 0)
        return TAC_E_COMPONENT;
    *TAC_OUT(e, double, 0) = 100 * e->x[0];
    return TAC_OK;
}

static tac_status body_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    g[0] = -e->x[0];
    return TAC_OK;
}

static const tac_component_type body_type = {.size = sizeof(tac_component_type),
                                             .name = "body",
                                             .version = "1",
                                             .self_size = sizeof(body),
                                             .declare = body_declare,
                                             .init = body_init,
                                             .kernels[TAC_NUMBERS].output = body_output,
                                             .kernels[TAC_NUMBERS].derive = body_derive,
                                             .kernels[TAC_NUMBERS].detect = body_detect};

// An output of time alone, by no state: y = t.
static tac_status watch_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status watch_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->t_s;
    return TAC_OK;
}

static const tac_component_type watch_type = {.size = sizeof(tac_component_type),
                                              .name = "stopwatch",
                                              .version = "1",
                                              .declare = watch_declare,
                                              .kernels[TAC_NUMBERS].output = watch_output};

// --- who waits ----------------------------------------------------------------------------------

enum { WAITS = 4, WOKEN = 4096 };

// Each item: `signal` above or below `level`, while `gate`, where there is one, is not zero.
typedef struct sentry {
    const char *name;
    size_t count;
    int signal[WAITS], gate[WAITS];
    double level[WAITS];
    bool below[WAITS], once, pushes;
} sentry;

typedef struct woken {
    const char *who;
    tac_time t_us;
    uint32_t due;
    unsigned turned; // bits of conditions
    double seen;     // of the first signal
} woken;

static woken wakes[WOKEN];
static size_t wake_count;

static tac_status sentry_declare(tac_declare *d, void *self)
{
    sentry *s = self;
    s->name = tac_declare_name(d);
    s->once = tac_param_bool(d, TAC_PARAM(.name = "once", .fallback = "false"));
    s->pushes = tac_param_bool(d, TAC_PARAM(.name = "pushes", .fallback = "false"));
    s->count = tac_param_items(d, TAC_PARAM(.name = "waits", .fallback = "[]"), WAITS);
    for (size_t i = 0; i < s->count; i++) {
        tac_param_begin(d, "waits", i);
        const char *signal = tac_param_text(d, TAC_PARAM(.name = "signal"));
        const char *gate = tac_param_text(d, TAC_PARAM(.name = "gate", .fallback = ""));
        s->level[i] = tac_param_f64(d, TAC_PARAM(.name = "level", .fallback = "0"));
        s->below[i] = tac_param_bool(d, TAC_PARAM(.name = "below", .fallback = "true"));
        s->signal[i] = tac_declare_watch(d, signal, "signal");
        s->gate[i] = *gate ? tac_declare_watch(d, gate, "gate") : -1;
        const int inputs[] = {s->signal[i], s->gate[i]};
        char name[32];
        snprintf(name, sizeof name, "wait%zu", i);
        assert_int_equal(tac_declare_condition(d, name, inputs, s->gate[i] < 0 ? 1 : 2, "signal"),
                         i);
        tac_param_end(d);
    }
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "fired", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static bool sentry_holds(const tac_step *s, const void *self, int k)
{
    const sentry *w = self;
    assert_null(s->out);
    if (w->once && *TAC_STATE(s, int64_t, 0) >> k & 1)
        return false;
    if (w->gate[k] >= 0 && *TAC_IN(s, double, w->gate[k]) == 0)
        return false;
    const double value = *TAC_IN(s, double, w->signal[k]);
    return w->below[k] ? value < w->level[k] : value > w->level[k];
}

static tac_status sentry_step(tac_step *s, const void *self)
{
    const sentry *w = self;
    assert_true(wake_count < WOKEN);
    woken *m = &wakes[wake_count];
    *m = (woken){.who = w->name, .t_us = s->t_us, .due = s->due};
    for (int i = 0; i < WAITS; i++)
        m->turned |= (unsigned)tac_turned_true(s, i) << i;
    m->seen = *TAC_IN(s, double, w->signal[0]);
    assert_int_equal(m->turned != 0, (s->due & TAC_DUE_CONDITION) != 0);
    assert_false(tac_turned_true(s, -1) || tac_turned_true(s, (int)w->count));
    *TAC_STATE(s, int64_t, 0) |= m->turned;
    if (m->turned)
        *TAC_OUT(s, double, 0) = w->pushes ? -*TAC_OUT(s, double, 0) : *TAC_OUT(s, double, 0) + 1;
    if (m->turned || s->due & ~(uint32_t)TAC_DUE_AXIS)
        wake_count++; // ordinary steps are not kept
    return TAC_OK;
}

static tac_status sentry_init(tac_step *s, const void *self)
{
    *TAC_OUT(s, double, 0) = ((const sentry *)self)->pushes ? -1 : 0;
    return TAC_OK;
}

static const tac_component_type sentry_type = {.size = sizeof(tac_component_type),
                                               .name = "sentry",
                                               .version = "1",
                                               .stage = TAC_STAGE_SCENARIO,
                                               .self_size = sizeof(sentry),
                                               .declare = sentry_declare,
                                               .init = sentry_init,
                                               .kernels[TAC_NUMBERS].step = sentry_step,
                                               .holds = sentry_holds};

// The same without steps: it learns of it in a hook.
static tac_status hooked_post(tac_step *s, const void *self)
{
    const sentry *w = self;
    for (int i = 0; i < WAITS; i++) {
        if (tac_turned_true(s, i))
            wakes[wake_count++] = (woken){.who = w->name, .t_us = s->t_us, .turned = 1u << i};
    }
    return TAC_OK;
}

static const tac_component_type hooked_type = {.size = sizeof(tac_component_type),
                                               .name = "hooked",
                                               .version = "1",
                                               .self_size = sizeof(sentry),
                                               .declare = sentry_declare,
                                               .post_step = hooked_post,
                                               .holds = sentry_holds};

// One with an input of its own, that is routed, in a stage that sees outputs.
static tac_status routed_declare(tac_declare *d, void *self)
{
    sentry *s = self;
    s->name = tac_declare_name(d);
    s->count = 1;
    s->level[0] = 22.00005;
    s->gate[0] = -1;
    s->signal[0] = tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = "cm"));
    tac_declare_condition(d, "high", s->signal, 1, NULL);
    tac_declare_output(d, TAC_PORT(.name = "n", .type = TAC_TYPE_F64));
    tac_declare_state(d, TAC_PORT(.name = "fired", .type = TAC_TYPE_I64));
    return TAC_OK;
}

static const tac_component_type routed_type = {.size = sizeof(tac_component_type),
                                               .name = "routed",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .self_size = sizeof(sentry),
                                               .declare = routed_declare,
                                               .kernels[TAC_NUMBERS].step = sentry_step,
                                               .holds = sentry_holds};

// --- what happens besides -----------------------------------------------------------------------

// Writes 1 from `after` on, before that 0.
static tac_status gate_declare(tac_declare *d, void *self)
{
    *(tac_time *)self = tac_param_time(d, TAC_PARAM(.name = "after", .fallback = "1 s"));
    tac_declare_output(d, TAC_PORT(.name = "open", .type = TAC_TYPE_F64));
    return TAC_OK;
}

static tac_status gate_step(tac_step *s, const void *self)
{
    *TAC_OUT(s, double, 0) = s->t_us >= *(const tac_time *)self;
    return TAC_OK;
}

static const tac_component_type gate_type = {.size = sizeof(tac_component_type),
                                             .name = "gate",
                                             .version = "1",
                                             .stage = TAC_STAGE_CONTROL,
                                             .self_size = sizeof(tac_time),
                                             .declare = gate_declare,
                                             .kernels[TAC_NUMBERS].step = gate_step};

// Commands that are sent, and one that pushes the plant by as much as arrives.
static tac_status caller_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_sender(d, TAC_MESSAGE(.name = "tx"));
    return TAC_OK;
}

static tac_status caller_step(tac_step *s, const void *self)
{
    (void)self;
    const double value = 3;
    return tac_send(s, 0, &value, sizeof value);
}

static const tac_component_type caller_type = {.size = sizeof(tac_component_type),
                                               .name = "caller",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = caller_declare,
                                               .kernels[TAC_NUMBERS].step = caller_step};

static tac_status pusher_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, TAC_PORT(.name = "push", .type = TAC_TYPE_F64));
    tac_declare_receiver(
        d, TAC_MESSAGE(.name = "rx", .capacity = 8, .max_bytes = 8, .triggers = true));
    return TAC_OK;
}

static tac_status pusher_step(tac_step *s, const void *self)
{
    (void)self;
    for (tac_message m; tac_receive(s, 0, &m);) {
        double value;
        memcpy(&value, m.bytes, sizeof value);
        *TAC_OUT(s, double, 0) += value;
    }
    return TAC_OK;
}

static const tac_component_type pusher_type = {.size = sizeof(tac_component_type),
                                               .name = "pusher",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = pusher_declare,
                                               .kernels[TAC_NUMBERS].step = pusher_step};

// --- running ------------------------------------------------------------------------------------

static void with_types(void)
{
    const tac_component_type *const types[] = {&body_type,   &watch_type, &sentry_type,
                                               &hooked_type, &gate_type,  &caller_type,
                                               &pusher_type, &routed_type};
    memcpy(rig_types, types, sizeof types);
    wake_count = 0;
}

static const char *file(const char *integrator, const char *components)
{
    static char text[4096];
    snprintf(text, sizeof text, "duration: 2 s\nplant: {integrator: {%s}}\n%s", integrator,
             components);
    return text;
}

static void open_with(rig *r, const char *integrator, const char *components)
{
    with_types();
    rig_open(r, file(integrator, components));
}

static uint64_t finish(rig *r, const char *pattern)
{
    rig_run(r, TAC_TIME_MAX);
    const uint64_t hash = tac_engine_hash(r->engine, pattern, NULL);
    rig_close(r);
    return hash;
}

// Every wake-up, as "t:bits ".
static const char *woken_at(void)
{
    static char text[WOKEN * 16];
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < wake_count; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%llu:%x", i ? " " : "",
                              (unsigned long long)wakes[i].t_us, wakes[i].turned);
    return text;
}

static void refused(const char *components, const char *part)
{
    with_types();
    rig_refused(file("kind: rk4", components), TAC_E_CONFIG, part);
}

static const char *const integrators[] = {
    "kind: rk4",
    "kind: rk4, h_max: 7 ms",
    "kind: rk45, rtol: 1e-9",
    "kind: rk45, rtol: 1e-11, h_max: 333 us",
    "kind: dop853, rtol: 1e-9",
    "kind: rodas4, rtol: 1e-9",
};
enum { INTEGRATORS = sizeof integrators / sizeof *integrators };

#define FALL "  fall: {type: body, params: {z: 1, a: -9.80665}}\n"

#endif
