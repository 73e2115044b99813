// Located conditions: a component outside the plant is woken at the first microsecond at which what
// it waits for is true, and neither who watches nor when something became known moves that instant.
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
    b->z = tac_param_f64(d, &(tac_param_def){.name = "z", .fallback = "0"});
    b->v = tac_param_f64(d, &(tac_param_def){.name = "v", .fallback = "0"});
    b->a = tac_param_f64(d, &(tac_param_def){.name = "a", .fallback = "0"});
    b->stiffness = tac_param_f64(d, &(tac_param_def){.name = "stiffness", .fallback = "0"});
    b->bad = tac_param_bool(d, &(tac_param_def){.name = "bad", .fallback = "false"});
    b->events = tac_param_bool(d, &(tac_param_def){.name = "bounces", .fallback = "false"});
    tac_declare_input(
        d, &(tac_port_def){.name = "push", .type = TAC_TYPE_F64, .flags = TAC_PORT_OPTIONAL});
    tac_declare_continuous(d, &(tac_port_def){.name = "z", .type = TAC_TYPE_F64, .unit = "m"});
    tac_declare_continuous(d, &(tac_port_def){.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"});
    tac_declare_output(d, &(tac_port_def){.name = "high", .type = TAC_TYPE_F64, .unit = "cm"});
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

static const tac_component_type body_type = {.abi = TAC_ABI_VERSION,
                                             .size = sizeof(tac_component_type),
                                             .name = "body",
                                             .version = "1",
                                             .self_size = sizeof(body),
                                             .declare = body_declare,
                                             .init = body_init,
                                             .output = body_output,
                                             .derive = body_derive,
                                             .detect = body_detect};

// An output of time alone, by no state: y = t.
static tac_status watch_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, &(tac_port_def){.name = "y", .type = TAC_TYPE_F64});
    return TAC_OK;
}

static tac_status watch_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = e->t_s;
    return TAC_OK;
}

static const tac_component_type watch_type = {.abi = TAC_ABI_VERSION,
                                              .size = sizeof(tac_component_type),
                                              .name = "stopwatch",
                                              .version = "1",
                                              .declare = watch_declare,
                                              .output = watch_output};

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
    s->once = tac_param_bool(d, &(tac_param_def){.name = "once", .fallback = "false"});
    s->pushes = tac_param_bool(d, &(tac_param_def){.name = "pushes", .fallback = "false"});
    s->count = tac_param_items(d, &(tac_param_def){.name = "waits", .fallback = "[]"}, WAITS);
    for (size_t i = 0; i < s->count; i++) {
        tac_param_begin(d, "waits", i);
        const char *signal = tac_param_text(d, &(tac_param_def){.name = "signal"});
        const char *gate = tac_param_text(d, &(tac_param_def){.name = "gate", .fallback = ""});
        s->level[i] = tac_param_f64(d, &(tac_param_def){.name = "level", .fallback = "0"});
        s->below[i] = tac_param_bool(d, &(tac_param_def){.name = "below", .fallback = "true"});
        s->signal[i] = tac_declare_watch(d, signal, "signal");
        s->gate[i] = *gate ? tac_declare_watch(d, gate, "gate") : -1;
        const int inputs[] = {s->signal[i], s->gate[i]};
        char name[32];
        snprintf(name, sizeof name, "wait%zu", i);
        assert_int_equal(tac_declare_condition(d, name, inputs, s->gate[i] < 0 ? 1 : 2, "signal"),
                         i);
        tac_param_end(d);
    }
    tac_declare_output(d, &(tac_port_def){.name = "n", .type = TAC_TYPE_F64});
    tac_declare_state(d, &(tac_port_def){.name = "fired", .type = TAC_TYPE_I64});
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

static const tac_component_type sentry_type = {.abi = TAC_ABI_VERSION,
                                               .size = sizeof(tac_component_type),
                                               .name = "sentry",
                                               .version = "1",
                                               .stage = TAC_STAGE_SCENARIO,
                                               .self_size = sizeof(sentry),
                                               .declare = sentry_declare,
                                               .init = sentry_init,
                                               .step = sentry_step,
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

static const tac_component_type hooked_type = {.abi = TAC_ABI_VERSION,
                                               .size = sizeof(tac_component_type),
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
    s->signal[0] =
        tac_declare_input(d, &(tac_port_def){.name = "u", .type = TAC_TYPE_F64, .unit = "cm"});
    tac_declare_condition(d, "high", s->signal, 1, NULL);
    tac_declare_output(d, &(tac_port_def){.name = "n", .type = TAC_TYPE_F64});
    tac_declare_state(d, &(tac_port_def){.name = "fired", .type = TAC_TYPE_I64});
    return TAC_OK;
}

static const tac_component_type routed_type = {.abi = TAC_ABI_VERSION,
                                               .size = sizeof(tac_component_type),
                                               .name = "routed",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .self_size = sizeof(sentry),
                                               .declare = routed_declare,
                                               .step = sentry_step,
                                               .holds = sentry_holds};

// --- what happens besides -----------------------------------------------------------------------

// Writes 1 from `after` on, before that 0.
static tac_status gate_declare(tac_declare *d, void *self)
{
    *(tac_time *)self = tac_param_time(d, &(tac_param_def){.name = "after", .fallback = "1 s"});
    tac_declare_output(d, &(tac_port_def){.name = "open", .type = TAC_TYPE_F64});
    return TAC_OK;
}

static tac_status gate_step(tac_step *s, const void *self)
{
    *TAC_OUT(s, double, 0) = s->t_us >= *(const tac_time *)self;
    return TAC_OK;
}

static const tac_component_type gate_type = {.abi = TAC_ABI_VERSION,
                                             .size = sizeof(tac_component_type),
                                             .name = "gate",
                                             .version = "1",
                                             .stage = TAC_STAGE_CONTROL,
                                             .self_size = sizeof(tac_time),
                                             .declare = gate_declare,
                                             .step = gate_step};

// Commands that are sent, and one that pushes the plant by as much as arrives.
static tac_status caller_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_sender(d, &(tac_message_def){.name = "tx"});
    return TAC_OK;
}

static tac_status caller_step(tac_step *s, const void *self)
{
    (void)self;
    const double value = 3;
    return tac_send(s, 0, &value, sizeof value);
}

static const tac_component_type caller_type = {.abi = TAC_ABI_VERSION,
                                               .size = sizeof(tac_component_type),
                                               .name = "caller",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = caller_declare,
                                               .step = caller_step};

static tac_status pusher_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_output(d, &(tac_port_def){.name = "push", .type = TAC_TYPE_F64});
    tac_declare_receiver(
        d, &(tac_message_def){.name = "rx", .capacity = 8, .max_bytes = 8, .triggers = true});
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

static const tac_component_type pusher_type = {.abi = TAC_ABI_VERSION,
                                               .size = sizeof(tac_component_type),
                                               .name = "pusher",
                                               .version = "1",
                                               .stage = TAC_STAGE_CONTROL,
                                               .declare = pusher_declare,
                                               .step = pusher_step};

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

// --- where it is --------------------------------------------------------------------------------

// A body that falls from h passes 0 at sqrt(2 h / g), and level l at sqrt(2 (h - l) / g).
static void test_fall(void **state)
{
    (void)state;
    const tac_time half_us = (tac_time)floor(sqrt(2 * 0.5 / 9.80665) * 1e6) + 1;
    const tac_time zero_us = (tac_time)floor(sqrt(2 * 1.0 / 9.80665) * 1e6) + 1;
    char expected[64];
    snprintf(expected, sizeof expected, "%llu:1 %llu:2", (unsigned long long)half_us,
             (unsigned long long)zero_us);
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i],
                  "components:\n" FALL "  s: {type: sentry, params: {waits: [\n"
                  "    {signal: fall.z, level: 0.5}, {signal: fall.z}]}}\n");
        rig_run(&r, half_us - 1);
        assert_int_equal(wake_count, 0);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 1);
        rig_run(&r, half_us);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 2);
        assert_int_equal(tac_engine_counters(r.engine).events, 1);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected);
        assert_int_equal(wakes[0].due, TAC_DUE_CONDITION);
        assert_true(wakes[0].seen < 0.5 && wakes[0].seen > 0.5 - 4e-6); // at most 1 us late
        assert_int_equal(tac_engine_counters(r.engine).events, 2);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 4); // and start and end
        assert_true(rig_f64(&r, "s.n") == 2);
        rig_close(&r);
    }
}

// z = cos(10 t) is below 0.3 from acos(0.3) / 10 on, again a turn later; each time it turns true.
static void test_swing(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i],
                  "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}}\n"
                  "  s: {type: sentry, params: {waits: [{signal: swing.z, level: 0.3}]}}\n");
        rig_run(&r, TAC_TIME_MAX);
        assert_int_equal(wake_count, 3);
        for (size_t k = 0; k < wake_count; k++) {
            const double t_s = (acos(0.3) + 2 * acos(-1) * (double)k) / 10;
            const double late_us = (double)wakes[k].t_us - t_s * 1e6;
            // The method's own error is added to the rounding up.
            assert_true(late_us > -1 && late_us < (strstr(integrators[i], "rk4, h") ? 6 : 2));
        }
        rig_close(&r);
    }
}

// z = -(t - 1)^2 / 2 + 0.06 is positive for 0.69 s only, inside one step; the part of it that two
// samples show is found, one that falls between samples is not.
static void test_graze(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.44, v: 1, a: -1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(tac_engine_counters(r.engine).integration_steps, 2);
    const tac_time expected_us = (tac_time)floor((1 - sqrt(0.12)) * 1e6) + 1;
    assert_int_equal(wake_count, 1);
    assert_true(wakes[0].t_us == expected_us || wakes[0].t_us + 1 == expected_us);
    rig_close(&r);
    // Samples are at 0.25 s, 0.5 s, ...: positive from 0.55 s to 0.65 s, between them.
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.17875, v: 0.6, a: -1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 0);
    rig_close(&r);
}

// What no sample shows is still seen where a boundary falls upon it, and whenever that became
// known.
static void test_graze_that_is_cut(void **state)
{
    (void)state;
    for (tac_time delay_us = 1; delay_us < 600000; delay_us += 149999) {
        char text[512];
        snprintf(text, sizeof text,
                 "components:\n  p: {type: body, params: {z: -0.17875, v: 0.6, a: -1},\n"
                 "      inputs: {push: push.push}}\n"
                 "  s: {type: sentry, params: {waits: [{signal: p.z, below: false}]}}\n"
                 "  far: {type: caller}\n  push: {type: pusher}\n"
                 "scheduler: {rate_groups: [{name: then, times: [%llu us], components: [far]}]}\n"
                 "links: [{from: far.tx, to: push.rx, delay: %llu us}]\n",
                 (unsigned long long)(600000 - delay_us), (unsigned long long)delay_us);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", text);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), "600000:1");
        assert_int_equal(wakes[0].due, TAC_DUE_CONDITION);
        rig_close(&r);
    }
}

// With steps so long that dense output and steps that end there disagree, what only the former sees
// is no turn, and looking for it leaves no trace.
static void test_seen_by_dense_output_only(void **state)
{
    (void)state;
    uint64_t untouched = 0;
    size_t quiet = 0, found = 0;
    double level = 1e9;
    for (int i = 0; i < 400; i++, level = 0.5 * pow(1.015, i)) {
        char text[512];
        snprintf(text, sizeof text,
                 "components:\n  swing: {type: body, params: {v: 10, stiffness: 100}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: swing.z, below: false, level: %.17g}]}}\n",
                 level);
        rig r;
        open_with(&r, "kind: rk4, h_max: 300 ms", text);
        const uint64_t hash = finish(&r, "swing*");
        if (i == 0)
            untouched = hash;
        if (wake_count == 0)
            assert_true(hash == untouched);
        for (size_t k = 0; k < wake_count; k++) // seen by the step that ended there
            assert_true(wakes[k].seen > level);
        quiet += wake_count == 0;
        found += wake_count > 0;
    }
    assert_true(found > 50 && quiet > 50);
}

// It is a step that ends there that decides, however far from it dense output is: an observer, who
// sees where the present step would come to, finds it false one microsecond before.
static void test_decided_by_steps(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        const double level = 0.02 * i;
        char text[1024];
        tac_time t_us = 2;
        for (int pass = 0; pass < 2; pass++) {
            snprintf(text, sizeof text,
                     "components:\n  swing: {type: body, params: {v: 10, stiffness: 100}}\n"
                     "  s: {type: sentry, params: {waits: [\n"
                     "    {signal: swing.z, below: false, level: %.17g}]}}\n"
                     "  eye: {type: probe, stage: telemetry, params: {unit: m}, inputs: {u: "
                     "swing.z}}\n"
                     "scheduler: {rate_groups: [{name: g, times: [%llu us], components: "
                     "[eye]}]}\n",
                     level, (unsigned long long)(t_us - 1));
            rig r;
            open_with(&r, "kind: rk4, h_max: 150 ms", text);
            rig_run(&r, TAC_TIME_MAX);
            rig_close(&r);
            assert_true(wake_count > 0);
            assert_true(pass == 0 || t_us == wakes[0].t_us);
            t_us = wakes[0].t_us;
        }
        assert_true(wakes[0].seen > level);
        assert_int_equal(rig_sample_count, 1);
        assert_true(rig_samples[0].f64[0] <= level);
    }
}

// True at the start is no turn; true, false and true again inside one step is one.
static void test_true_at_start(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: 0.44, v: -1, a: 1}}\n"
              "  s: {type: sentry, params: {waits: [{signal: p.z, below: false},\n"
              "                                     {signal: p.v, level: 5}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    const tac_time expected_us = (tac_time)floor((1 + sqrt(0.12)) * 1e6) + 1;
    assert_int_equal(wake_count, 1);
    assert_int_equal(wakes[0].turned, 1);
    assert_true(wakes[0].t_us == expected_us || wakes[0].t_us + 1 == expected_us);
    rig_close(&r);
}

// Several in one step come in the order of their time, whatever the order in which they are
// declared and whoever waits; two at the same microsecond together.
static void test_several(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {v: 1}}\n"
              "  a: {type: sentry, params: {waits: [\n"
              "    {signal: p.z, level: 1.2345675, below: false},\n"
              "    {signal: p.z, level: 0.2000005, below: false},\n"
              "    {signal: p.z, level: 0.7000005, below: false}]}}\n"
              "  b: {type: sentry, params: {waits: [\n"
              "    {signal: p.z, level: 0.2000025, below: false},\n"
              "    {signal: p.high, level: 70.00005, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_string_equal(woken_at(), "200001:2 200003:1 700001:4 700001:2 1234568:1");
    assert_string_equal(wakes[0].who, "a");
    assert_string_equal(wakes[1].who, "b");
    rig_close(&r);
}

// First true exactly at the end of an interval, and one microsecond before and after it.
static void test_at_a_boundary(void **state)
{
    (void)state;
    static const double levels[] = {0.4999985, 0.4999995, 0.5000005};
    static const char *const expected[] = {"499999:1", "500000:1", "500001:1"};
    for (int i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "scheduler: {rate_groups: [{name: g, period: 500 ms, components: [s]}]}\n"
                 "components:\n  p: {type: body, params: {v: 1}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: p.z, level: %.7f, below: false}]}}\n",
                 levels[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", text);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        assert_int_equal(wakes[0].due,
                         i == 1 ? TAC_DUE_CONDITION | TAC_DUE_AXIS : TAC_DUE_CONDITION);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, i == 1 ? 5 : 6);
        rig_close(&r);
    }
}

// --- what it sees -------------------------------------------------------------------------------

// Outputs that nothing of the plant needs, of time alone, and in hooks.
static void test_outputs(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45, rtol: 1e-9",
              "entities: {away: {components: {h: {type: hooked, params: {waits: [\n"
              "    {signal: p.high, level: 44.00005, below: false}]}}}}}\n"
              "components:\n  p: {type: body, params: {v: 1}}\n  w: {type: stopwatch}\n"
              "  c: {type: routed, inputs: {u: {from: p.high, delayed: true}}}\n"
              "  s: {type: sentry, params: {waits: [\n"
              "    {signal: p.high, level: 33.00005, below: false},\n"
              "    {signal: w.y, level: 1.2000005, below: false}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_string_equal(woken_at(), "220001:1 330001:1 440001:1 1200001:2");
    // A stage before that of outputs sees what the last boundary had; the condition did not.
    assert_true(wakes[1].seen < 33);
    rig_close(&r);
}

// A look that fails is none: the run goes on, and where it can be looked at it is found.
static void test_failing_looks(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: -0.2, v: 1, bad: true}}\n"
              "  s: {type: hooked, params: {waits: [\n"
              "    {signal: p.high, level: -10000, below: false}]}}\n");
    // Stage 3 evaluates the same output at t = 0, and that fails the run.
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_COMPONENT);
    assert_int_equal(r.err.t_us, 0);
    rig_close(&r);
    open_with(&r, "kind: rk4, h_max: 10 s",
              "components:\n  p: {type: body, params: {z: 0.2, v: -1, a: 1, bad: true}}\n"
              "  s: {type: sentry, params: {waits: [\n"
              "    {signal: p.high, level: 10, below: false}]}}\n");
    // Down, where looking fails, and up again: the first thing that is seen is at the way up.
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 1);
    const double t_s = 1 + sqrt(1 - 2 * 0.1);
    assert_true(fabs((double)wakes[0].t_us - t_s * 1e6) < 2);
    rig_close(&r);
}

// A discrete signal that is part of it is seen as it is held. It splits the island where it is
// written, and what it makes true at such a boundary is no turn.
static void test_gate(void **state)
{
    (void)state;
    static const char text[] =
        "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [gate]}]}\n"
        "components:\n  swing: {type: body, params: {v: 1, stiffness: 100}}\n"
        "  gate: {type: gate, params: {after: %s}}\n"
        "  s: {type: sentry, params: {waits: [\n"
        "    {signal: swing.z, gate: gate.open, below: false}]}}\n";
    // z = sin(10 t) / 10 turns positive at 0.628 s, 1.257 s, 1.885 s.
    static const char *const after[] = {"600 ms", "700 ms", "1300 ms"};
    static const size_t expected[] = {3, 2, 1};
    for (int i = 0; i < 3; i++) {
        char components[512];
        snprintf(components, sizeof components, text, after[i]);
        rig r;
        open_with(&r, "kind: dop853, rtol: 1e-10", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_int_equal(wake_count, expected[i]);
        assert_int_equal(wakes[wake_count - 1].t_us, 1884956);
        assert_int_equal(tac_engine_counters(r.engine).boundaries, 21 + expected[i]);
        rig_close(&r);
    }
}

// Inside a step that would have gone on to the end, had nobody written what is looked at.
static void test_gate_inside_a_step(void **state)
{
    (void)state;
    static const char *const after[] = {"100 ms", "800 ms", "900 ms"};
    static const char *const expected[] = {"850001:1", "850001:1", ""};
    for (int i = 0; i < 3; i++) {
        char components[512];
        snprintf(components, sizeof components,
                 "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [gate]}]}\n"
                 "components:\n  p: {type: body, params: {v: 1}}\n"
                 "  gate: {type: gate, params: {after: %s}}\n"
                 "  s: {type: sentry, params: {waits: [\n"
                 "    {signal: p.z, gate: gate.open, level: 0.8500005, below: false}]}}\n",
                 after[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        rig_close(&r);
    }
}

// One that waits only in some phases of its own entity: where such a phase begins is looked at
// anew, also inside a step of a plant that is no part of that entity.
static void test_phases(void **state)
{
    (void)state;
    static const char *const begins[] = {"0.15", "0.65", "0.75"};
    static const char *const expected[] = {"850001:1", "850001:1", ""};
    for (int i = 0; i < 3; i++) {
        char components[1024];
        snprintf(components, sizeof components,
                 "scheduler: {rate_groups: [{name: g, period: 100 ms, components: [away.gate]}]}\n"
                 "components: {p: {type: body, params: {v: 1}}}\n"
                 "entities:\n  away:\n"
                 "    phases:\n      names: [REST, WAIT]\n      initial: REST\n"
                 "      transitions: [{from: REST, to: WAIT, condition: t >= %s}]\n"
                 "    components:\n"
                 "      gate: {type: gate}\n"
                 "      s: {type: sentry, active: [WAIT], params: {waits: [\n"
                 "        {signal: p.z, level: 0.8500005, below: false}]}}\n",
                 begins[i]);
        rig r;
        open_with(&r, "kind: rk4, h_max: 10 s", components);
        rig_run(&r, TAC_TIME_MAX);
        assert_string_equal(woken_at(), expected[i]);
        rig_close(&r);
    }
}

// One that has fired says that it does not matter any more.
static void test_spent(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45, rtol: 1e-9",
              "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}}\n"
              "  s: {type: sentry, params: {once: true, waits: [\n"
              "    {signal: swing.z, level: 0.3}, {signal: swing.z, level: 0}]}}\n");
    rig_run(&r, TAC_TIME_MAX);
    assert_int_equal(wake_count, 2);
    rig_close(&r);
}

// --- nothing else moves it ----------------------------------------------------------------------

// With contact events in the same steps: the earliest of all ends a step.
static void test_with_events(void **state)
{
    (void)state;
    static const char ball[] =
        "components:\n  ball: {type: body, params: {z: 1, a: -9.80665, bounces: true}}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        char text[512];
        rig r;
        // At the very microsecond of the contact, and a little before it.
        snprintf(text, sizeof text,
                 "%s  s: {type: sentry, params: {waits: [{signal: ball.z},\n"
                 "    {signal: ball.z, level: 0.0001}]}}\n",
                 ball);
        open_with(&r, integrators[i], text);
        rig_run(&r, 460000);
        assert_int_equal(wake_count, 2);
        assert_int_equal(wakes[0].turned, 2);
        assert_int_equal(wakes[1].turned, 1);
        assert_int_equal(wakes[1].t_us, 451601); // sqrt(2 / g), as in test_events.c
        assert_in_range(wakes[1].t_us - wakes[0].t_us, 21, 24);
        assert_int_equal(tac_engine_counters(r.engine).events, 3); // and the contact
        rig_close(&r);
    }
}

// Never true: the plant's bits are those without anybody waiting, at the same boundaries.
static void test_waiting_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        static const char text[] =
            "scheduler: {rate_groups: [{name: g, period: 50 ms, components: [s]}]}\n"
            "components:\n"
            "  swing: {type: body, params: {z: 1, a: -3, stiffness: 100, bounces: true}}\n"
            "  s: {type: sentry, params: {waits: [%s]}}\n";
        uint64_t hashes[2];
        for (int k = 0; k < 2; k++) {
            char components[512];
            snprintf(components, sizeof components, text,
                     k ? "{signal: swing.z, level: -99}" : "{signal: swing.z, level: -88}");
            rig r;
            open_with(&r, integrators[i], components);
            hashes[k] = finish(&r, "swing*");
        }
        assert_true(hashes[0] == hashes[1]);
        rig r;
        open_with(&r, integrators[i],
                  "scheduler: {rate_groups: [{name: g, period: 50 ms, components: [s]}]}\n"
                  "components:\n"
                  "  swing: {type: body, params: {z: 1, a: -3, stiffness: 100, bounces: true}}\n"
                  "  s: {type: probe, stage: scenario, params: {unit: m}, inputs: {u: swing.z}}\n");
        assert_true(finish(&r, "swing*") == hashes[0]);
    }
}

#define WAITING                                                                                    \
    "components:\n  swing: {type: body, params: {z: 1, stiffness: 100}%s}\n"                       \
    "  s: {type: sentry, params: {waits: [{signal: swing.z, level: 0.3},\n"                        \
    "                                     {signal: swing.high, level: -20}]}}\n"

static void test_observers(void **state)
{
    (void)state;
    for (int i = 0; i < INTEGRATORS; i++) {
        char text[1024];
        rig r;
        snprintf(text, sizeof text, WAITING, "");
        open_with(&r, integrators[i], text);
        const uint64_t alone = finish(&r, "s*");
        assert_int_equal(wake_count, 6);
        snprintf(text, sizeof text,
                 WAITING "  other: {type: body, params: {z: 1, a: -9.8, bounces: true}}\n"
                         "  eye: {type: monitor, inputs: {u: swing.high}, params: {unit: cm, "
                         "every: 10 s}}\n"
                         "scheduler: {rate_groups: [{name: odd, period: 7 ms, components: "
                         "[eye]}]}\n",
                 "");
        open_with(&r, integrators[i], text);
        for (tac_time t = 0; t < 2000000; t += 9973)
            rig_run(&r, t);
        assert_true(finish(&r, "s*") == alone);
    }
}

// A message inside a step, before or after the instant: the bits are the same whether it was on its
// way for long or had just been sent.
static void test_messages(void **state)
{
    (void)state;
    // The first turn without a push is at 126611 us, the next at 754929 us.
    static const tac_time delivered_us[] = {90000, 126610, 126611, 126612, 400000, 700000};
    static const tac_time delays_us[] = {1, 2, 77, 5000, 89999};
    for (int i = 0; i < INTEGRATORS; i++) {
        for (size_t k = 0; k < sizeof delivered_us / sizeof *delivered_us; k++) {
            uint64_t first = 0;
            char wakes_then[256];
            for (size_t n = 0; n < sizeof delays_us / sizeof *delays_us; n++) {
                char text[1024];
                snprintf(text, sizeof text,
                         WAITING "  far: {type: caller}\n  push: {type: pusher}\n"
                                 "scheduler: {rate_groups: [{name: then, times: [%llu us], "
                                 "components: [far]}]}\n"
                                 "links: [{from: far.tx, to: push.rx, delay: %llu us}]\n",
                         ", inputs: {push: push.push}",
                         (unsigned long long)(delivered_us[k] - delays_us[n]),
                         (unsigned long long)delays_us[n]);
                rig r;
                open_with(&r, integrators[i], text);
                rig_run(&r, TAC_TIME_MAX);
                const uint64_t hash = tac_engine_hash(r.engine, "s*", NULL);
                rig_close(&r);
                if (n == 0) {
                    first = hash;
                    snprintf(wakes_then, sizeof wakes_then, "%s", woken_at());
                }
                assert_string_equal(woken_at(), wakes_then);
                assert_true(hash == first);
                assert_in_range(wake_count, 4, 7);
            }
        }
    }
}

// Two islands, each with conditions of a component that reads and pushes the other: the earlier one
// cuts the other's step, again and again.
static void test_two_islands(void **state)
{
    (void)state;
    static const char text[] =
        "components:\n"
        "  a: {type: body, params: {z: 1, stiffness: 100}, inputs: {push: sb.n}}\n"
        "  b: {type: body, params: {z: 1, stiffness: 170}, inputs: {push: sa.n}}\n"
        "  sa: {type: sentry, params: {waits: [{signal: a.z, level: 0.3},\n"
        "                                      {signal: b.z, level: 0.1}]}}\n"
        "  sb: {type: sentry, params: {waits: [{signal: b.z, level: 0.2},\n"
        "                                      {signal: a.z, level: 0.1}]}}\n";
    for (int i = 0; i < INTEGRATORS; i++) {
        rig r;
        open_with(&r, integrators[i], text);
        const uint64_t straight = finish(&r, NULL);
        assert_true(wake_count > 10);
        for (size_t k = 1; k < wake_count; k++)
            assert_true(wakes[k].t_us >= wakes[k - 1].t_us);
        open_with(&r, integrators[i], text);
        for (tac_time t = 0; t < 2000000; t += 5011)
            rig_run(&r, t);
        assert_true(finish(&r, NULL) == straight);
    }
}

static void test_checkpoint(void **state)
{
    (void)state;
    static const tac_time at_us[] = {0, 100000, 126610, 126611, 126612, 600000, 754929, 1900000};
    char path[] = "/tmp/tactus_conditions_XXXXXX", text[1024];
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    snprintf(text, sizeof text, WAITING, "");
    for (int i = 0; i < INTEGRATORS; i++) {
        for (size_t k = 0; k < sizeof at_us / sizeof *at_us; k++) {
            rig r;
            open_with(&r, integrators[i], text);
            assert_int_equal(tac_engine_checkpoint_at(r.engine, at_us[k], path, &r.err), TAC_OK);
            const uint64_t straight = finish(&r, NULL);
            open_with(&r, integrators[i], text);
            assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
            assert_true(finish(&r, NULL) == straight);
        }
    }
    unlink(path);
}

// --- what is refused, and what stops ------------------------------------------------------------

// Pushed down whenever it comes up, and up whenever it goes down.
static void test_chatter(void **state)
{
    (void)state;
    rig r;
    open_with(&r, "kind: rk45",
              "components:\n"
              "  p: {type: body, params: {v: 0.01}, inputs: {push: {from: s.n, gain: "
              "1e9}}}\n"
              "  s: {type: sentry, params: {pushes: true, waits: [\n"
              "    {signal: p.v, below: true}, {signal: p.v, below: false}]}}\n");
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_MAX, &r.err), TAC_E_NUMERIC);
    assert_non_null(strstr(r.err.text, "of 's' chatters"));
    assert_non_null(strstr(r.err.text, "condition 'wait"));
    assert_in_range(r.err.t_us, 900, 100000);
    assert_in_range(wake_count, 1000, 1002);
    rig_close(&r);
}

static tac_status wrong_declare(tac_declare *d, void *self)
{
    (void)self;
    const int input = 7;
    tac_declare_condition(d, "c", &input, 1, NULL);
    return TAC_OK;
}

static tac_status twice_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_condition(d, "c", NULL, 0, NULL);
    tac_declare_condition(d, "c", NULL, 0, NULL);
    return TAC_OK;
}

static tac_status mute_declare(tac_declare *d, void *self)
{
    (void)self;
    const int input = tac_declare_watch(d, "p.z", NULL);
    tac_declare_condition(d, "c", &input, 1, NULL);
    return TAC_OK;
}

static void refuse_type(tac_status (*declare)(tac_declare *, void *), tac_status status,
                        const char *part)
{
    const tac_component_type type = {.abi = TAC_ABI_VERSION,
                                     .size = sizeof(tac_component_type),
                                     .name = "faulty",
                                     .version = "1",
                                     .declare = declare};
    with_types();
    rig_types[1] = &type;
    rig_refused(file("kind: rk4", "components:\n  p: {type: body}\n  f: {type: faulty}\n"), status,
                part);
}

static void test_refused(void **state)
{
    (void)state;
    static const char two[] =
        "components:\n  a: {type: body}\n  b: {type: body}\n"
        "  g: {type: gate}\n  s: {type: sentry, params: {waits: [\n"
        "    {signal: %s, gate: %s}]}}\n"
        "scheduler: {rate_groups: [{name: g, period: 1 s, components: [g]}]}\n";
    char text[512];
    snprintf(text, sizeof text, two, "a.z", "b.high");
    refused(text, "'a.z' and 'b.high' are integrated apart: such a condition cannot be located");
    snprintf(text, sizeof text, two, "g.open", "g.open");
    refused(text, "nothing to locate");
    refused("components:\n  p: {type: body}\n"
            "  s: {type: sentry, stage: telemetry, params: {waits: [{signal: p.z}]}}\n",
            "telemetry");
    refuse_type(wrong_declare, TAC_E_RANGE, "names input 7, but there are 0");
    refuse_type(twice_declare, TAC_E_DUPLICATE, "condition 'c' is declared twice");
    refuse_type(mute_declare, TAC_E_CONFIG, "has no holds");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fall),
        cmocka_unit_test(test_swing),
        cmocka_unit_test(test_graze),
        cmocka_unit_test(test_graze_that_is_cut),
        cmocka_unit_test(test_seen_by_dense_output_only),
        cmocka_unit_test(test_decided_by_steps),
        cmocka_unit_test(test_true_at_start),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_at_a_boundary),
        cmocka_unit_test(test_outputs),
        cmocka_unit_test(test_failing_looks),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_gate_inside_a_step),
        cmocka_unit_test(test_phases),
        cmocka_unit_test(test_spent),
        cmocka_unit_test(test_with_events),
        cmocka_unit_test(test_waiting_changes_nothing),
        cmocka_unit_test(test_observers),
        cmocka_unit_test(test_messages),
        cmocka_unit_test(test_two_islands),
        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_chatter),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
