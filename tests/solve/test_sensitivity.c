// Derivatives of whole runs: against closed forms, and of closed loops against central differences.
// That values on dual numbers have the bits of the run is checked by the engine at every write.
#include "base/error.h"
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/config.h>
#include <tactus/sensitivity.h>
#include <time.h>

enum { W = TAC_DUAL_WIDTH };

// --- a ball that falls, and is pushed up below 0
// --------------------------------------------------

// h' = v; v' = -g, or a where h < 0.
static void fall(const tac_eval *e, size_t width)
{
    const bool below = e->mode[0] > 0;
    memcpy(e->dx, e->x + width, width * sizeof(double));
    for (size_t i = 0; i < width; i++)
        e->dx[width + i] = below ? e->p[width + i] : -e->p[i];
}

static tac_status ball_derive(const tac_eval *e, const void *self)
{
    (void)self;
    fall(e, 1);
    return TAC_OK;
}

static tac_status ball_derive_duals(const tac_eval *e, const void *self)
{
    (void)self;
    fall(e, W);
    return TAC_OK;
}

static tac_status ball_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    *g = -e->x[0];
    return TAC_OK;
}

static tac_status ball_detect_duals(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    for (size_t i = 0; i < W; i++)
        g[i] = -e->x[i];
    return TAC_OK;
}

static tac_status ball_declare(tac_declare *d, void *self)
{
    double *p = self;
    p[0] = tac_param_f64(d, TAC_PARAM(.name = "g", .unit = "m/s^2"));
    p[1] = tac_param_f64(d, TAC_PARAM(.name = "a", .unit = "m/s^2"));
    p[2] = tac_param_f64(d, TAC_PARAM(.name = "start", .unit = "m"));
    tac_declare_numbers(d, p, 2 * sizeof *p);
    tac_declare_continuous(d, TAC_PORT(.name = "h", .type = TAC_TYPE_F64, .unit = "m"));
    tac_declare_continuous(d, TAC_PORT(.name = "v", .type = TAC_TYPE_F64, .unit = "m/s"));
    tac_declare_event(d, "below", "h < 0");
    return TAC_OK;
}

static tac_status ball_init(tac_step *s, const void *self)
{
    const double *p = self;
    *tac_jump(s) = p[2];
    return TAC_OK;
}

static const tac_component_type ball = {
    .size = sizeof(tac_component_type),
    .name = "ball",
    .version = "1",
    .self_size = 3 * sizeof(double),
    .declare = ball_declare,
    .init = ball_init,
    .kernels = {[TAC_NUMBERS] = {.derive = ball_derive, .detect = ball_detect},
                [TAC_DUALS_OF_ALL] = {.derive = ball_derive_duals, .detect = ball_detect_duals}},
};

// --- a ball that falls, and is damped below 0
// --------------------------------------------------

// h' = v; v' = -g, less c v where it is damped: that begins where the ball comes below 0, with a
// number that jumps there.
static tac_status pad_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[1];
    e->dx[1] = -e->p[0] - (e->mode[1] > 0 ? e->p[1] * e->x[1] : 0);
    return TAC_OK;
}

static tac_status pad_derive_duals(const tac_eval *e, const void *self)
{
    (void)self;
    const double *v = e->x + W, *g = e->p, *c = e->p + W;
    const bool damped = e->mode[W] > 0;
    memcpy(e->dx, v, W * sizeof *v);
    for (size_t i = 1; i < W; i++)
        e->dx[W + i] = -g[i] - (damped ? c[0] * v[i] + c[i] * v[0] : 0);
    e->dx[W] = -g[0] - (damped ? c[0] * v[0] : 0);
    return TAC_OK;
}

static void detect_pad(const tac_eval *e, size_t width, double *g)
{
    const bool below = e->x[0] < 0;
    memset(g + width, 0, width * sizeof *g);
    for (size_t i = 0; i < width; i++) {
        g[i] = -e->x[i];
        if (below)
            g[width + i] = -e->x[width + i];
    }
    if (!below)
        g[width] = -1;
}

static tac_status pad_detect(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    detect_pad(e, 1, g);
    return TAC_OK;
}

static tac_status pad_detect_duals(const tac_eval *e, const void *self, double *g)
{
    (void)self;
    detect_pad(e, W, g);
    return TAC_OK;
}

static tac_status pad_declare(tac_declare *d, void *self)
{
    const tac_status status = ball_declare(d, self);
    tac_declare_event(d, "damped", "h < 0 and v < 0");
    return status;
}

static const tac_component_type pad = {
    .size = sizeof(tac_component_type),
    .name = "pad",
    .version = "1",
    .self_size = 3 * sizeof(double),
    .declare = pad_declare,
    .init = ball_init,
    .kernels = {[TAC_NUMBERS] = {.derive = pad_derive, .detect = pad_detect},
                [TAC_DUALS_OF_ALL] = {.derive = pad_derive_duals, .detect = pad_detect_duals}},
};

// --- a discrete law
// -------------------------------------------------------------------------------

// s += u; y = -k u - i s, in a form that one loop serves: product of duals.
static void product(const double *a, const double *b, size_t width, double *to)
{
    for (size_t i = 1; i < width; i++)
        to[i] = a[0] * b[i] + a[i] * b[0];
    to[0] = a[0] * b[0];
}

static void control(tac_step *s, size_t width)
{
    const double *u = s->in[0];
    double *y = s->out[0], *sum = s->state[0], ku[W], is[W];
    for (size_t i = 0; i < width; i++)
        sum[i] += u[i];
    product(s->p, u, width, ku);
    product(s->p + width, sum, width, is);
    for (size_t i = 0; i < width; i++)
        y[i] = -ku[i] - is[i];
}

static tac_status law_step(tac_step *s, const void *self)
{
    (void)self;
    control(s, 1);
    return TAC_OK;
}

static tac_status law_step_duals(tac_step *s, const void *self)
{
    (void)self;
    control(s, W);
    return TAC_OK;
}

static tac_status law_declare(tac_declare *d, void *self)
{
    double *p = self;
    p[0] = tac_param_f64(d, TAC_PARAM(.name = "k"));
    p[1] = tac_param_f64(d, TAC_PARAM(.name = "i", .fallback = "0"));
    tac_declare_numbers(d, p, 2 * sizeof *p);
    const char *in = tac_param_text(d, TAC_PARAM(.name = "in", .fallback = "N"));
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = in));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "N"));
    tac_declare_state(d, TAC_PORT(.name = "sum", .type = TAC_TYPE_F64));
    return TAC_OK;
}

#define LAW(type_name, duals)                                                                      \
    {                                                                                              \
        .size = sizeof(tac_component_type), .name = type_name, .version = "1",                     \
        .stage = TAC_STAGE_CONTROL, .self_size = 2 * sizeof(double), .declare = law_declare,       \
        .kernels = {[TAC_NUMBERS].step = law_step, [TAC_DUALS_OF_ALL].step = duals},               \
    }
static const tac_component_type law = LAW("law", law_step_duals);
static const tac_component_type plain_law = LAW("plain_law", NULL);

static tac_status wrong_step(tac_step *s, const void *self)
{
    (void)law_step_duals(s, self);
    *(double *)s->out[0] *= 1 + 1e-15;
    return TAC_OK;
}

static const tac_component_type wrong_law = LAW("wrong_law", wrong_step);

// --- finding
// --------------------------------------------------------------------------------------

typedef struct rig {
    tac_registry *registry;
    tac_config *config;
    tac_error err;
    bool slow; // a run takes 20 ms at least
} rig;

static tac_status build(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err)
{
    rig *r = context;
    tac_engine_def def = tac_config_engine_def(r->config);
    def.values = values;
    def.value_count = count;
    def.lanes = lanes;
    return tac_config_build(r->config, &def, engine, err);
}

static tac_status run(void *context, tac_engine *engine, size_t left, tac_error *err)
{
    const rig *r = context;
    (void)left;
    if (r->slow)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    return tac_engine_run(engine, TAC_TIME_MAX, err);
}

static void open_rig(rig *r, const char *text)
{
    *r = (rig){.config = NULL};
    assert_int_equal(tac_registry_create(NULL, &r->registry, &r->err), TAC_OK);
    const tac_component_type *const types[] = {&ball, &pad, &law, &plain_law, &wrong_law};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        assert_int_equal(tac_registry_add(r->registry, types[i], &r->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    if (tac_config_parse("test.yaml", text, strlen(text), &def, &r->config, &r->err) != TAC_OK)
        fail_msg("%s", r->err.text);
}

static void close_rig(rig *r)
{
    tac_config_destroy(r->config);
    tac_registry_destroy(r->registry);
}

#define LIST(...)                                                                                  \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

static size_t length(const char *const *list)
{
    size_t n = 0;
    while (list[n])
        n++;
    return n;
}

static tac_status try_find(rig *r, const char *const *of, const char *when, const char *const *to,
                           tac_sensitivity **found)
{
    tac_sensitivity_def def = tac_sensitivity_def_default();
    def.build = build;
    def.run = run;
    def.context = r;
    def.of = of;
    def.of_count = length(of);
    def.to = to;
    def.to_count = length(to);
    def.when = when;
    return tac_sensitivity_find(&def, found, &r->err);
}

static tac_sensitivity *find(rig *r, const char *const *of, const char *when, const char *const *to)
{
    tac_sensitivity *found;
    if (try_find(r, of, when, to, &found) != TAC_OK)
        fail_msg("%s", r->err.text);
    return found;
}

static void near(double a, double b, double relative)
{
    if (!(fabs(a - b) <= relative * fmax(fabs(a), fabs(b)) + 1e-300))
        fail_msg("%.17g is not %.17g to %g", a, b, relative);
}

// Every derivative agrees with its central difference.
static void agrees(const tac_sensitivity *found, double relative)
{
    for (size_t i = 0; i < found->result_count; i++) {
        for (size_t k = 0; k < found->param_count; k++) {
            const tac_sensitivity_result *r = &found->results[i];
            assert_true(fabs(r->derivatives[k]) > 1e-6);
            near(r->derivatives[k], r->differences[k], relative);
        }
    }
}

// --- tests
// ----------------------------------------------------------------------------------------

// x(T) = e^(-at) (x0 cos wt + (v0 + a x0) / w sin wt) with a = c/2m, w = sqrt(k/m - a^2).
static double oscillation(const double *p, double t)
{
    const double a = p[2] / (2 * p[1]), w = sqrt(p[0] / p[1] - a * a);
    return exp(-a * t) * (p[3] * cos(w * t) + (p[4] + a * p[3]) / w * sin(w * t));
}

// The derivative of the closed form, by Richardson's extrapolation.
static double oscillation_by(const double *p, size_t i, double t)
{
    double d[3];
    for (int k = 0; k < 3; k++) {
        const double h = 1e-2 / (1 << k);
        double low[5], high[5];
        memcpy(low, p, sizeof low);
        memcpy(high, p, sizeof high);
        low[i] -= h;
        high[i] += h;
        d[k] = (oscillation(high, t) - oscillation(low, t)) / (2 * h);
    }
    const double one = d[1] + (d[1] - d[0]) / 3, two = d[2] + (d[2] - d[1]) / 3;
    return two + (two - one) / 15;
}

static void test_oscillator(void **state)
{
    (void)state;
    static const double p[] = {5, 2, 0.3, 1, 0.25};
    static const char *const kinds[] = {"rk4, h_max: 1 ms", "rk45, rtol: 1e-11, atol: 1e-12",
                                        "dop853, rtol: 1e-12, atol: 1e-12"};
    for (size_t i = 0; i < 3; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "duration: 3 s\n"
                 "plant: {integrator: {kind: %s}}\n"
                 "components:\n"
                 "  o: {type: oscillator, params: {mass: 2 kg, stiffness: 5 N/m, damping: 0.3, "
                 "position: 1 m, velocity: 0.25}}\n",
                 kinds[i]);
        rig r;
        open_rig(&r, text);
        tac_sensitivity *found =
            find(&r, LIST("o.position"), NULL,
                 LIST("o.stiffness", "o.mass", "o.damping", "o.position", "o.velocity"));
        near(found->results[0].value, oscillation(p, 3), 1e-9);
        for (size_t k = 0; k < 5; k++)
            near(found->results[0].derivatives[k], oscillation_by(p, k, 3), 2e-9);
        assert_int_equal(found->gap_count, 0);
        assert_string_equal(found->params[0].unit, "N/m");
        assert_string_equal(found->results[0].unit, "m");
        tac_sensitivity_destroy(found);
        close_rig(&r);
    }
}

#define BALL                                                                                       \
    "duration: 2 s\n"                                                                              \
    "plant: {integrator: {kind: rk4, h_max: 10 ms}}\n"                                             \
    "components:\n"                                                                                \
    "  ball: {type: ball, params: {g: 9.81, a: 8, start: 5 m}}\n"

// Height and speed at T, of which the ball falls t1 = sqrt(2 h/g) and is pushed up for the rest,
// s = T - t1: h = v1 s + a s^2 / 2, v = v1 + a s, v1 = -sqrt(2 g h).
static void test_event(void **state)
{
    (void)state;
    const double g = 9.81, a = 8, h = 5, t1 = sqrt(2 * h / g), v1 = -sqrt(2 * g * h), s = 2 - t1;
    const double t_g = -t1 / (2 * g), t_h = t1 / (2 * h), v_g = v1 / (2 * g), v_h = v1 / (2 * h);
    rig r;
    open_rig(&r, BALL);
    tac_sensitivity *found =
        find(&r, LIST("ball.h", "ball.v"), NULL, LIST("ball.g", "ball.a", "ball.start"));
    const double *by_h = found->results[0].derivatives, *by_v = found->results[1].derivatives;
    // The instant is located to a microsecond: so good is the value, and the state at which the
    // derivatives are taken.
    near(found->results[0].value, v1 * s + a * s * s / 2, 1e-5);
    near(by_h[0], v_g * s - (v1 + a * s) * t_g, 1e-5);
    near(by_h[1], s * s / 2, 1e-5);
    near(by_h[2], v_h * s - (v1 + a * s) * t_h, 1e-5);
    near(by_v[0], v_g - a * t_g, 1e-5);
    near(by_v[1], s, 1e-5);
    near(by_v[2], v_h - a * t_h, 1e-5);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// Height and speed at T of the ball with p = g, c, start, damped from t1 on: with s = T - t1 and
// e = exp(-c s), v = (v1 + g/c) e - g/c and h = (v1 + g/c) (1 - e)/c - g s/c.
static void sink(const double *p, double t_s, double *to)
{
    const double g = p[0], c = p[1], t1 = sqrt(2 * p[2] / g), v1 = -g * t1, s = t_s - t1;
    to[0] = (v1 + g / c) * (1 - exp(-c * s)) / c - g * s / c;
    to[1] = (v1 + g / c) * exp(-c * s) - g / c;
}

// Two events at one instant, of which only one crosses 0.
static void test_event_that_follows(void **state)
{
    (void)state;
    const double p[] = {9.81, 3, 5};
    rig r;
    open_rig(&r, "duration: 1.2 s\n"
                 "plant: {integrator: {kind: rk4, h_max: 1 ms}}\n"
                 "components:\n"
                 "  pad: {type: pad, params: {g: 9.81, a: 3, start: 5 m}}\n");
    tac_sensitivity *found =
        find(&r, LIST("pad.h", "pad.v"), NULL, LIST("pad.g", "pad.a", "pad.start"));
    for (size_t k = 0; k < 3; k++) {
        const double h = 1e-5;
        double low[3], high[3], below[2], above[2];
        memcpy(low, p, sizeof low);
        memcpy(high, p, sizeof high);
        low[k] -= h;
        high[k] += h;
        sink(low, 1.2, below);
        sink(high, 1.2, above);
        for (size_t i = 0; i < 2; i++)
            near(found->results[i].derivatives[k], (above[i] - below[i]) / (2 * h), 1e-5);
    }
    assert_int_equal(found->gap_count, 0);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// The instant at which the ball reaches 2 m, and its speed there: t = sqrt(2 (h - 2) / g).
static void test_when(void **state)
{
    (void)state;
    const double g = 9.81, drop = 3, t = sqrt(2 * drop / g);
    rig r;
    open_rig(&r, BALL);
    tac_sensitivity *found =
        find(&r, LIST("t", "ball.v", "ball.h"), "ball.h < 2 m", LIST("ball.g", "ball.start"));
    const tac_sensitivity_result *f = found->results;
    assert_true(found->located);
    near(f[0].value, t, 1e-11); // also between microseconds
    near(f[0].derivatives[0], -t / (2 * g), 1e-5);
    near(f[0].derivatives[1], t / (2 * drop), 1e-5);
    near(f[1].derivatives[0], -t - g * (-t / (2 * g)), 1e-5);
    near(f[1].derivatives[1], -g * t / (2 * drop), 1e-5);
    assert_true(fabs(f[2].derivatives[0]) < 1e-12 && fabs(f[2].derivatives[1]) < 1e-12);
    near(f[0].differences[0], f[0].derivatives[0], 1e-5);
    tac_sensitivity_destroy(found);
    assert_int_equal(try_find(&r, LIST("t"), "ball.h > 9 m", LIST("ball.g"), &found),
                     TAC_E_UNFINISHED);
    close_rig(&r);
}

// A change of phase at a located instant turns the velocity round: the point falls t1 = sqrt(2
// h/g), and from there z = -0.8 v1 s + g s^2 / 2, v1 = sqrt(2 g h), s = T - t1. A second later
// another change, which follows the first after a fixed time, stops it: v is 0 at T' = t1 + 1 s.
static void test_phase(void **state)
{
    (void)state;
    const double g = 9.81, h = 5, t1 = sqrt(2 * h / g), v1 = sqrt(2 * g * h), s = 1.6 - t1;
    const double v_g = v1 / (2 * g), v_h = v1 / (2 * h), s_g = t1 / (2 * g), s_h = -t1 / (2 * h);
    const double v = -0.8 * v1 + g * s;
    rig r;
    open_rig(&r,
             "duration: 1.6 s\n"
             "plant: {integrator: {kind: rk4, h_max: 10 ms}}\n"
             "entities:\n"
             "  stone:\n"
             "    phases:\n"
             "      names: [FALL, RISE, REST]\n"
             "      initial: FALL\n"
             "      transitions:\n"
             "        - {from: FALL, to: RISE, condition: \"m.position.z > 0 m\", locate: true,\n"
             "           actions: [{reset: m.velocity.z, to: \"-0.8*m.velocity.z\"}]}\n"
             "        - {from: RISE, to: REST, condition: \"held(flight.phase == RISE, 0.5 s)\", "
             "locate: true,\n"
             "           actions: [{reset: m.velocity.x, to: \"2*m.velocity.x\"}]}\n"
             "    components:\n"
             "      m: {type: point_mass, params: {gravity: [0, 0, 9.81], position: [0, 0, -5], "
             "velocity: [3, 0, 0]}}\n");
    tac_sensitivity *found =
        find(&r, LIST("stone.m.position.z", "stone.m.velocity.z", "stone.m.position.x"), NULL,
             LIST("m.gravity[2]", "m.position[2]", "m.velocity[0]"));
    const tac_sensitivity_result *f = found->results;
    near(f[0].value, -0.8 * v1 * s + g * s * s / 2, 1e-5);
    near(f[0].derivatives[0], -0.8 * v_g * s + s * s / 2 + v * s_g, 1e-5);
    near(f[0].derivatives[1], 0.8 * v_h * s - v * s_h, 1e-5);
    near(f[1].derivatives[0], -0.8 * v_g + s + g * s_g, 1e-5);
    near(f[1].derivatives[1], 0.8 * v_h - g * s_h, 1e-5);
    // x = 3 (t1 + 0.5) + 6 (T - t1 - 0.5)
    near(f[2].derivatives[0], 3 * s_g, 1e-5);
    near(f[2].derivatives[1], -3 * s_h, 1e-5);
    near(f[2].derivatives[2], t1 + 0.5 + 2 * (s - 0.5), 1e-5);
    assert_int_equal(found->gap_count, 0);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// The ball at whose event, and so at one instant, a phase begins that halves the velocity: with t1,
// v1 and s of test_event, h = v1 s / 2 + a s^2 / 2 and v = v1 / 2 + a s.
static void test_phase_at_event(void **state)
{
    (void)state;
    const double g = 9.81, a = 8, h = 5, t1 = sqrt(2 * h / g), v1 = -sqrt(2 * g * h), s = 2 - t1;
    const double t_g = -t1 / (2 * g), t_h = t1 / (2 * h), v_g = v1 / (2 * g), v_h = v1 / (2 * h);
    const double v = v1 / 2 + a * s;
    rig r;
    open_rig(&r, "duration: 2 s\n"
                 "plant: {integrator: {kind: rk4, h_max: 10 ms}}\n"
                 "entities:\n"
                 "  one:\n"
                 "    phases:\n"
                 "      names: [FALL, RISE]\n"
                 "      initial: FALL\n"
                 "      transitions:\n"
                 "        - {from: FALL, to: RISE, condition: \"ball.h < 0 m\", locate: true,\n"
                 "           actions: [{reset: ball.v, to: \"0.5*ball.v\"}]}\n"
                 "    components:\n"
                 "      ball: {type: ball, params: {g: 9.81, a: 8, start: 5 m}}\n");
    tac_sensitivity *found =
        find(&r, LIST("one.ball.h", "one.ball.v"), NULL, LIST("ball.g", "ball.a", "ball.start"));
    const double *by_h = found->results[0].derivatives, *by_v = found->results[1].derivatives;
    near(by_h[0], v_g * s / 2 - v * t_g, 1e-5);
    near(by_h[1], s * s / 2, 1e-5);
    near(by_h[2], v_h * s / 2 - v * t_h, 1e-5);
    near(by_v[0], v_g / 2 - a * t_g, 1e-5);
    near(by_v[1], s, 1e-5);
    near(by_v[2], v_h / 2 - a * t_h, 1e-5);
    assert_int_equal(found->gap_count, 0);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// The fall of test_phase, where the phase changes at a boundary of 10 ms after the ground was
// reached: the instant is as flown, and the machine is named, if the condition depends on a
// parameter at all.
static void test_phase_at_boundary(void **state)
{
    (void)state;
    static const struct {
        const char *condition, *locate;
        bool named;
    } cases[] = {
        {"m.position.z > 0 m", "false", true},
        {"m.position.z > 0 m", "true", false},
        {"m.position.z > -10 m", "true", false},               // from the start on
        {"m.position.z > 0 m AND a.y > 0 N", "true", true},    // a steps at boundaries
        {"held(m.position.z > 0 m, 0.1 s)", "true", true},     // seen at boundaries, then timed
        {"held(m.position.x > 0.1 m, 0.1 s)", "false", false}, // depends on no parameter
        {"t > 1 s", "false", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        snprintf(
            text, sizeof text,
            "duration: 1.6 s\n"
            "plant: {integrator: {kind: rk4, h_max: 10 ms}}\n"
            "timeline: {physics: 10 ms}\n"
            "scheduler: {rate_groups: [{name: all, rate_hz: 100, components: [stone.a]}]}\n"
            "entities:\n"
            "  stone:\n"
            "    phases:\n"
            "      names: [FALL, RISE]\n"
            "      initial: FALL\n"
            "      transitions:\n"
            "        - {from: FALL, to: RISE, condition: \"%s\", locate: %s,\n"
            "           actions: [{reset: m.velocity.z, to: \"-0.8*m.velocity.z\"}]}\n"
            "    components:\n"
            "      m: {type: point_mass, params: {gravity: [0, 0, 9.81], position: [0, 0, -5], "
            "velocity: [3, 0, 0]}}\n"
            "      a: {type: law, params: {k: -1, in: m}, inputs: {u: m.position.z}}\n",
            cases[i].condition, cases[i].locate);
        rig r;
        open_rig(&r, text);
        tac_sensitivity *found =
            find(&r, LIST("stone.m.velocity.z"), NULL, LIST("m.gravity[2]", "m.position[2]"));
        assert_int_equal(found->gap_count, cases[i].named);
        if (cases[i].named) {
            // sqrt(2 h/g), and 0.1 s later
            const tac_time least_us = strstr(cases[i].condition, "held") ? 1109638 : 1009638;
            assert_string_equal(found->gaps[0].component, "stone.flight");
            assert_non_null(strstr(found->gaps[0].why, "phase"));
            assert_in_range(found->gaps[0].since_us, least_us, least_us + 20000);
        }
        tac_sensitivity_destroy(found);
        close_rig(&r);
    }
}

// A loop through three rate groups, with a delay, a gain, a unit, and every policy.
static void test_loop(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, "duration: 2 s\n"
                 "plant: {integrator: {kind: rk4, h_max: 2 ms}}\n"
                 "scheduler:\n"
                 "  rate_groups:\n"
                 "    - {name: fast, rate_hz: 100, components: [a, b, c]}\n"
                 "    - {name: slow, rate_hz: 20, components: [d]}\n"
                 "  synchronization:\n"
                 "    default_policy: ZOH\n"
                 "    overrides:\n"
                 "      - {pattern: d.y, policy: INTERPOLATED}\n"
                 "components:\n"
                 "  o: {type: oscillator, params: {mass: 2, stiffness: 5, damping: 0.3},\n"
                 "      inputs: {force: {from: c.y, gain: 0.5, offset: 0.1}}}\n"
                 "  a: {type: law, params: {k: 0.9, i: 0.01, in: cm}, inputs: {u: {from: "
                 "o.position, convert: true}}}\n"
                 "  d: {type: law, params: {k: 1.1}, inputs: {u: {from: a.y, delay: 20 ms}}}\n"
                 "  b: {type: law, params: {k: 0.7}, inputs: {u: d.y}}\n"
                 "  c: {type: law, params: {k: -0.8}, inputs: {u: {from: b.y, gain: 1.5}}}\n");
    tac_sensitivity *found =
        find(&r, LIST("o.position", "o.energy * o.velocity"), NULL,
             LIST("o.mass", "o.stiffness", "a.k", "a.i", "d.k", "b.k", "c.k", "o.damping",
                  "o.position")); // nine: two runs
    agrees(found, 1e-6);
    assert_int_equal(found->gap_count, 0);
    assert_int_equal(found->runs, 2);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

#define LOOP(type)                                                                                 \
    "duration: 1 s\n"                                                                              \
    "plant: {integrator: {kind: rk4, h_max: 2 ms}}\n"                                              \
    "scheduler: {rate_groups: [{name: fast, rate_hz: 100, components: [a]}]}\n"                    \
    "components:\n"                                                                                \
    "  o: {type: oscillator, inputs: {force: a.y}}\n"                                              \
    "  a: {type: " type ", params: {k: 0.9, in: m}, inputs: {u: o.position}}\n"

// What becomes of a value that goes through a message is a constant, and who sends it is named.
static void test_messages(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, "duration: 1 s\n"
                 "plant: {integrator: {kind: rk4, h_max: 2 ms}}\n"
                 "scheduler: {rate_groups: [{name: slow, rate_hz: 10, components: [b, l]}]}\n"
                 "components:\n"
                 "  o: {type: oscillator}\n"
                 "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"
                 "  l: {type: listener, params: {unit: m}}\n"
                 "links: [{from: b.tx, to: l.rx, delay: 1 ms}]\n");
    tac_sensitivity *found = find(&r, LIST("o.position", "l.y"), NULL, LIST("o.mass"));
    assert_true(found->results[0].derivatives[0] != 0);
    assert_true(found->results[1].derivatives[0] == 0 && found->results[1].differences[0] != 0);
    assert_int_equal(found->gap_count, 1);
    assert_string_equal(found->gaps[0].component, "b");
    assert_non_null(strstr(found->gaps[0].why, "messages"));
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// What has no form in dual numbers is named; a value that is not that of the run is an error.
static void test_gaps(void **state)
{
    (void)state;
    rig r;
    tac_sensitivity *found;
    open_rig(&r, LOOP("plain_law"));
    found = find(&r, LIST("o.position"), NULL, LIST("o.mass"));
    assert_int_equal(found->gap_count, 1);
    assert_string_equal(found->gaps[0].component, "a");
    tac_sensitivity_destroy(found);
    close_rig(&r);
    open_rig(&r, LOOP("wrong_law"));
    assert_int_equal(try_find(&r, LIST("o.position"), NULL, LIST("o.mass"), &found), TAC_E_NUMERIC);
    assert_non_null(strstr(r.err.text, "'y' of 'a'"));
    close_rig(&r);
}

static void test_errors(void **state)
{
    (void)state;
    rig r;
    tac_sensitivity *found;
    open_rig(&r, LOOP("law"));
    assert_int_equal(try_find(&r, LIST("o.position"), NULL, LIST("o.masss"), &found), TAC_E_NAME);
    assert_non_null(strstr(r.err.text, "o.mass"));
    assert_int_equal(try_find(&r, LIST("o.positio"), NULL, LIST("o.mass"), &found), TAC_E_NAME);
    assert_int_equal(try_find(&r, LIST("t"), "a.y > 0.5 N", LIST("o.mass"), &found), TAC_E_CONFIG);
    assert_int_equal(try_find(&r, LIST("o.position"), NULL, LIST("a.in"), &found), TAC_E_TYPE);
    assert_non_null(strstr(r.err.text, "'a.in' is no number"));
    assert_int_equal(try_find(&r, LIST("o.position"), NULL, LIST("o.damping"), &found), TAC_OK);
    assert_true(found->flight_s == 0); // 0, the end of its range: there is nothing to compare with
    tac_sensitivity_destroy(found);
    r.slow = true;
    found = find(&r, LIST("o.position"), NULL, LIST("o.damping", "o.mass"));
    assert_true(isnan(found->results[0].differences[0]) &&
                !isnan(found->results[0].differences[1]));
    assert_true(found->flight_s >= 0.02); // of those that flew
    tac_sensitivity_destroy(found);
    close_rig(&r);
    open_rig(&r, "duration: 1 s\nplant: {integrator: {kind: rodas4}}\n"
                 "components: {o: {type: oscillator}}\n");
    assert_int_equal(try_find(&r, LIST("o.position"), NULL, LIST("o.mass"), &found), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "rodas4"));
    close_rig(&r);
}

static void open_example(rig *r, const char *name, const char *const *sets)
{
    char path[512];
    const char *source = getenv("TACTUS_SOURCE");
    snprintf(path, sizeof path, "%s/examples/%s", source ? source : ".", name);
    *r = (rig){.config = NULL};
    assert_int_equal(tac_registry_create(NULL, &r->registry, &r->err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = r->registry;
    def.sets = sets;
    def.set_count = length(sets);
    if (tac_config_load(path, &def, &r->config, &r->err) != TAC_OK)
        fail_msg("%s", r->err.text);
}

// Closed loops of the examples: sensors, control laws, actuators and the plant, at several rates.
static void test_examples(void **state)
{
    (void)state;
    rig r;
    open_example(&r, "rates.yaml", LIST("duration=4 s"));
    tac_sensitivity *found =
        find(&r, LIST("EOM.position.x", "EOM.velocity.y"), NULL,
             LIST("EOM.mass", "EOM.drag", "Autopilot.stiffness", "Nav.radius"));
    agrees(found, 1e-6);
    tac_sensitivity_destroy(found);
    close_rig(&r);
    open_example(&r, "iris_mission.yaml",
                 LIST("duration=5 s", "plant.integrator.kind=rk4", "timeline.physics=1 ms"));
    found = find(&r, LIST("uav.vehicle.velocity.z", "uav.vehicle.battery.soc"), NULL,
                 LIST("vehicle.mass", "control.climb_acceleration"));
    agrees(found, 1e-2); // feet leave the ground at whole microseconds, which differences see
    assert_int_equal(found->gap_count, 0);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

// The derivative of an expression is exact, given those of its signals, also next to a kink.
static void test_expression(void **state)
{
    (void)state;
    rig r;
    open_rig(&r, BALL);
    tac_sensitivity *found = find(&r,
                                  LIST("ball.h", "ball.v", "exp(ball.h/(3 m))*ball.v^2",
                                       "if(ball.h > -9 m, ball.h*t, 1 m*s)"),
                                  NULL, LIST("ball.g", "ball.a", "ball.start"));
    const tac_sensitivity_result *f = found->results;
    const double h = f[0].value, v = f[1].value, e = exp(h / 3);
    near(f[2].value, e * v * v, 1e-15);
    for (size_t k = 0; k < 3; k++) {
        const double dh = f[0].derivatives[k], dv = f[1].derivatives[k];
        near(f[2].derivatives[k], e * v * v * dh / 3 + 2 * e * v * dv, 1e-14);
        near(f[3].derivatives[k], 2 * dh, 1e-15);
    }
    char kink[64];
    snprintf(kink, sizeof kink, "abs(ball.h - (%.9f m))", h + 1e-6);
    tac_sensitivity *close = find(&r, LIST(kink), NULL, LIST("ball.g", "ball.a", "ball.start"));
    for (size_t k = 0; k < 3; k++)
        near(close->results[0].derivatives[k], -f[0].derivatives[k], 1e-15);
    tac_sensitivity_destroy(close);
    tac_sensitivity_destroy(found);
    // At an instant that moves, time moves, too: h (1 + (t/s)^2) at h = 2 m has the slope
    // 2 m * 2 t dt, and a condition that names the time is met when t = h/(4 m/s).
    found = find(&r, LIST("t", "ball.h*(1 + (t/(1 s))^2)"), "ball.h < 2 m", LIST("ball.g"));
    f = found->results;
    const double t = f[0].value;
    near(f[1].derivatives[0], 2 * 2 * t * f[0].derivatives[0], 2e-6);
    tac_sensitivity_destroy(found);
    found = find(&r, LIST("t", "ball.h"), "NOT (t*4 m/s <= ball.h OR ball.h > 100 m)",
                 LIST("ball.g", "ball.start"));
    f = found->results;
    // 4 t = h0 - g t^2/2, so dt = -t^2/2 dg / (4 + g t), dt = dh0 / (4 + g t).
    const double at = f[0].value, slope = 4 + 9.81 * at;
    near(f[0].derivatives[0], -at * at / 2 / slope, 1e-5);
    near(f[0].derivatives[1], 1 / slope, 1e-5);
    near(f[1].derivatives[1], 4 * f[0].derivatives[1], 1e-11);
    tac_sensitivity_destroy(found);
    close_rig(&r);
}

TEST_MAIN(cmocka_unit_test(test_oscillator), cmocka_unit_test(test_event),
          cmocka_unit_test(test_event_that_follows), cmocka_unit_test(test_expression),
          cmocka_unit_test(test_when), cmocka_unit_test(test_phase),
          cmocka_unit_test(test_phase_at_event), cmocka_unit_test(test_phase_at_boundary),
          cmocka_unit_test(test_loop), cmocka_unit_test(test_gaps), cmocka_unit_test(test_messages),
          cmocka_unit_test(test_errors), cmocka_unit_test(test_examples))
