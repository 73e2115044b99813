// Adaptive integration inside the engine: tolerances, step sizes across boundaries, faults, parts
// of a plant one by one, derivatives from dual numbers.
#include "engine/run/integrate.h"
#include "engine/run/state.h"
#include "engine/test_rig.h"
#include "support/probe.h"

#include <math.h>

static const char *const adaptive[] = {"rk23", "rk45", "dop853", "rodas4"};
enum { ADAPTIVE = sizeof adaptive / sizeof *adaptive };

// x' = p0 x, from 1.
static tac_status decay_init(tac_step *s, const void *self)
{
    (void)self;
    *tac_jump(s) = 1;
    return TAC_OK;
}

static tac_status decay_derive(const tac_eval *e, const void *self)
{
    e->dx[0] = probe_of(self)->p[0] * e->x[0];
    return TAC_OK;
}

// x' = x^2 from 1 has no end: x = 1 / (1 - t).
static tac_status blow_up(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = e->x[0] * e->x[0];
    return TAC_OK;
}

static void begin(bench *b, const char *kind, double tolerance, tac_time end_us)
{
    tac_engine_def def = tac_engine_def_default();
    def.integrator.kind = kind;
    def.integrator.rtol = def.integrator.atol = tolerance;
    def.end_us = end_us;
    bench_begin(b, &def);
    bench_group(b, "g", 250000, 0);
}

static const probe decaying = {
    .name = "p", .x = {"x"}, .p = {-2}, .init = decay_init, .derive = decay_derive};

// The error follows the tolerance, and stays near it.
static void test_error_follows_the_tolerance(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE; i++) {
        double last = 1;
        for (double tolerance = 1e-4; tolerance > 1e-11; tolerance *= 1e-2) {
            bench b;
            begin(&b, adaptive[i], tolerance, 2000000);
            bench_add(&b, &decaying);
            bench_prepare(&b);
            bench_run(&b, TAC_TIME_MAX);
            const double error = fabs(bench_read(&b, "p.x") - tac_exp(-4));
            assert_true(error < 100 * tolerance);
            assert_true(error < 0.5 * last || error < 1e-13);
            last = error;
            bench_end(&b);
        }
    }
}

// The step outgrows the intervals and stays so: one step each, none tried in vain.
static void test_step_size_is_carried_across_boundaries(void **state)
{
    (void)state;
    bench b;
    begin(&b, "rk45", 1e-3, 10000000);
    probe p = decaying;
    p.p[0] = -0.1;
    p.group = "g";
    bench_add(&b, &p);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    const tac_counters n = tac_engine_counters(b.engine);
    assert_in_range(n.integration_steps, 40, 46); // 1 ms at first, then five times as long
    assert_int_equal(n.rejected, 0);
    bench_end(&b);
}

static void test_rejected_steps_are_counted(void **state)
{
    (void)state;
    bench b;
    begin(&b, "rk45", 1e-9, 100000);
    probe p = decaying;
    p.p[0] = -3000; // far too fast for the first step of 1 ms
    bench_add(&b, &p);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_true(tac_engine_counters(b.engine).rejected > 0);
    bench_end(&b);
}

// Cutting a run into pieces, watching it, and more boundaries elsewhere change nothing.
static void test_whoever_watches(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE; i++) {
        bench a, b;
        begin(&a, adaptive[i], 1e-7, 1000000);
        bench_add(&a, &decaying);
        bench_prepare(&a);
        bench_run(&a, TAC_TIME_MAX);
        begin(&b, adaptive[i], 1e-7, 1000000);
        bench_add(&b, &decaying);
        bench_observe(&b, "watch", 777, 0, "p.x");
        bench_prepare(&b);
        for (tac_time t = 0; t < 1000000; t += 12345)
            bench_run(&b, t);
        bench_run(&b, TAC_TIME_MAX);
        bench_same_digests(&a, &b, "p*");
        const bench_entry *seen = bench_at(&b, "watch", AT_OBSERVER, 77700);
        assert_true(fabs(seen->in[0] - tac_exp(-0.1554)) < 1e-6);
        const tac_counters x = tac_engine_counters(a.engine), y = tac_engine_counters(b.engine);
        assert_int_equal(x.integration_steps, y.integration_steps);
        assert_int_equal(x.rhs_evals, y.rhs_evals);
        bench_end(&a);
        bench_end(&b);
    }
}

// --- faults -------------------------------------------------------------------------------------

static void test_underflow_names_state_and_time(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE; i++) {
        bench b;
        begin(&b, adaptive[i], 1e-8, 2000000);
        probe p = decaying;
        p.derive = blow_up;
        bench_add(&b, &p);
        bench_prepare(&b);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_NUMERIC);
        bench_error(&b, TAC_E_NUMERIC, "fell below 1 us", "'p.x'", NULL);
        assert_in_range(b.err.t_us, 990000, 1000000);
        assert_string_equal(b.err.component, "p");
        bench_end(&b);
    }
}

// The third element of its output is NaN, or infinite, from 5 ms on.
static tac_status spoil(tac_step *s, const void *self)
{
    double *y = TAC_OUT(s, double, 0);
    for (int i = 0; i < 4; i++)
        y[i] = 1;
    if (s->t_us >= 5000)
        y[2] = probe_of(self)->p[0];
    return TAC_OK;
}

static tac_status driven(const tac_eval *e, const void *self)
{
    const double *u = TAC_IN(e, double, 0);
    e->dx[0] = u[0] + u[1] + u[2] + u[3] - e->x[0];
    return probe_of(self)->p[1] != 0 && u[2] != u[2] ? TAC_E_NUMERIC : TAC_OK;
}

// Every method names the input and where it comes from, at the instant at which the interval
// begins.
static void test_bad_input(void **state)
{
    (void)state;
    static const char *const kinds[] = {"euler", "rk4", "rk23", "rk45", "dop853", "rodas4"};
    for (int i = 0; i < 6 * 4; i++) {
        const bool infinite = i & 1, refused = i & 2;
        bench b;
        begin(&b, kinds[i / 4], 1e-6, 20000);
        bench_group(&b, "c", 1000, 0);
        bench_add(&b, &(probe){.name = "cmd",
                               .group = "c",
                               .stage = "control",
                               .out = {"y@arr4"},
                               .step = spoil,
                               .p = {infinite ? (double)INFINITY : (double)NAN}});
        probe p = decaying;
        p.in[0] = "motor@arr4";
        p.derive = driven;
        p.p[1] = refused;
        bench_add(&b, &p);
        bench_route(&b, "p.motor", "cmd.y");
        bench_prepare(&b);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_NUMERIC);
        assert_string_equal(b.err.text, infinite ? "input motor[2] from cmd.y[2] is infinite"
                                                 : "input motor[2] from cmd.y[2] is NaN");
        assert_int_equal(b.err.t_us, 5000);
        assert_string_equal(b.err.component, "p");
        bench_end(&b);
    }
}

static void test_most_steps(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.integrator.kind = "rk45";
    def.integrator.max_substeps = 20;
    bench_begin(&b, &def);
    probe p = decaying;
    p.p[0] = -3000;
    bench_add(&b, &p);
    bench_prepare(&b);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_LIMIT);
    bench_error(&b, TAC_E_LIMIT, "more than 20 integration steps", NULL);
    bench_end(&b);
}

// Steps beyond x = 0 are asked to be shorter; the solution itself stays above.
static tac_status above_zero(const tac_eval *e, const void *self)
{
    e->dx[0] = probe_of(self)->p[0] * e->x[0];
    return e->x[0] < 0 ? TAC_E_NUMERIC : TAC_OK;
}

static void test_recoverable_right_hand_side(void **state)
{
    (void)state;
    bench b;
    begin(&b, "rk45", 1e-3, 100000);
    probe p = decaying;
    p.p[0] = -5000;
    p.derive = above_zero;
    bench_add(&b, &p);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_true(tac_engine_counters(b.engine).rejected > 0);
    bench_end(&b);
    begin(&b, "rk4", 1e-3, 100000);
    bench_add(&b, &p);
    bench_prepare(&b);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_NUMERIC);
    bench_end(&b);
}

static tac_status above_half(const tac_eval *e, const void *self)
{
    e->dx[0] = probe_of(self)->p[0] * e->x[0];
    return e->x[0] < 0.5 ? TAC_E_NUMERIC : TAC_OK;
}

// Where no step is short enough there is no error of a state to speak of.
static void test_right_hand_side_that_refuses(void **state)
{
    (void)state;
    for (int i = 0; i < ADAPTIVE; i++) {
        bench b;
        begin(&b, adaptive[i], 1e-6, 2000000);
        probe p = decaying;
        p.derive = above_half;
        bench_add(&b, &p);
        bench_prepare(&b);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_NUMERIC);
        bench_error(&b, TAC_E_NUMERIC, "right-hand side failed, however short the step", NULL);
        assert_in_range(b.err.t_us, 346500, 346600); // exp(-2 t) = 0.5
        assert_string_equal(b.err.component, "p");
        bench_end(&b);
    }
}

// --- Jacobians ----------------------------------------------------------------------------------

// A lag of a microsecond in the loop, and routes with gains and units: mass on a spring whose force
// comes late.
static const char stiff[] =
    "duration: 1 s\n"
    "plant: {integrator: {kind: rodas4, rtol: 1e-6}}\n"
    "components:\n"
    "  mass: {type: oscillator, params: {stiffness: 0}, inputs: {force: {from: lag.x, gain: -1}}}\n"
    "  spring: {type: integrator, params: {unit: cm, rate_unit: cm/s, initial: 100},\n"
    "           inputs: {u: {from: mass.velocity, convert: true}}}\n"
    "  lag: {type: lag, params: {tau: 1 us, initial: 1, unit: N}, inputs: {u: force.y}}\n"
    "  force: {type: stiffness, inputs: {u: spring.x}}\n";

// y = u / 100 per centimetre, as an output that others see while integrating.
static tac_status stiffness_declare(tac_declare *d, void *self)
{
    (void)self;
    tac_declare_input(d, TAC_PORT(.name = "u", .type = TAC_TYPE_F64, .unit = "cm"));
    tac_declare_output(d, TAC_PORT(.name = "y", .type = TAC_TYPE_F64, .unit = "N"));
    return TAC_OK;
}

static tac_status stiffness_output(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0) / 100;
    return TAC_OK;
}

static tac_status stiffness_output_dual(const tac_eval *e, const void *self)
{
    (void)self;
    for (int i = 0; i < TAC_DUAL_WIDTH; i++)
        TAC_OUT(e, double, 0)[i] = TAC_IN(e, double, 0)[i] / 100;
    return TAC_OK;
}

static tac_component_type stiffness_type = {.size = sizeof(tac_component_type),
                                            .name = "stiffness",
                                            .declare = stiffness_declare,
                                            .kernels[TAC_NUMBERS].output = stiffness_output,
                                            .kernels[TAC_DUALS].output = stiffness_output_dual};

// Explicit methods would need a million steps.
static void test_stiff_plant(void **state)
{
    (void)state;
    rig_types[0] = &stiffness_type;
    for (int differences = 0; differences < 2; differences++) {
        stiffness_type.kernels[TAC_DUALS].output = differences ? NULL : stiffness_output_dual;
        rig r;
        rig_open(&r, stiff);
        rig_run(&r, TAC_TIME_MAX);
        const int x = tac_engine_find_signal(r.engine, "mass.velocity");
        assert_true(fabs(*(const double *)tac_engine_read(r.engine, x) + tac_sin(1)) < 1e-5);
        const tac_counters n = tac_engine_counters(r.engine);
        assert_true(n.integration_steps < 200);
        rig_close(&r);
    }
}

// Derivatives from dual numbers are those of the right-hand side: against differences.
static void test_jacobian(void **state)
{
    (void)state;
    stiffness_type.kernels[TAC_DUALS].output = stiffness_output_dual;
    rig_types[0] = &stiffness_type;
    rig r;
    rig_open(&r, stiff);
    assert_int_equal(r.engine->plan->island_count, 1);
    tac__island *island = &r.engine->islands[0];
    const size_t n = island->plan->x_count;
    assert_non_null(island->problem.jacobian);
    double j[64], up[8], down[8];
    for (size_t i = 0; i < n; i++)
        island->work.z[i] = 0.3 + (double)i;
    assert_int_equal(island->problem.jacobian(island, 0, j), TAC_OK);
    for (size_t k = 0; k < n; k++) {
        const double at = island->work.z[k];
        island->work.z[k] = at + 0.5;
        assert_int_equal(tac__island_rhs(island, 0, up), TAC_OK);
        island->work.z[k] = at - 0.5;
        assert_int_equal(tac__island_rhs(island, 0, down), TAC_OK);
        island->work.z[k] = at;
        for (size_t i = 0; i < n; i++)
            assert_true(fabs(up[i] - down[i] - j[i * n + k]) < 1e-9 * (1 + fabs(j[i * n + k])));
    }
    rig_close(&r);
    rig_types[0] = NULL;
}

// --- one part after another ---------------------------------------------------------------------

// An actuator a, a body v, a battery q: a' = (u - a) / 0.05, v' = a - v, q' = -a^2 - v.
static tac_status parts_declare(tac_declare *d, void *self)
{
    (void)self;
    static const tac_part parts[] = {TAC_PART_BODY, TAC_PART_BATTERY, TAC_PART_ACTUATOR};
    static const char *const names[] = {"v", "q", "a"};
    for (int i = 0; i < 3; i++)
        tac_declare_continuous(d,
                               TAC_PORT(.name = names[i], .type = TAC_TYPE_F64, .part = parts[i]));
    return TAC_OK;
}

static void parts_rates(const double *x, double *dx)
{
    dx[0] = x[2] - x[0];
    dx[1] = -x[2] * x[2] - x[0];
    dx[2] = (1 - x[2]) / 0.05;
}

static tac_status parts_derive(const tac_eval *e, const void *self)
{
    (void)self;
    parts_rates(e->x, e->dx);
    return TAC_OK;
}

static const tac_component_type parts_type = {.size = sizeof(tac_component_type),
                                              .name = "parts",
                                              .declare = parts_declare,
                                              .kernels[TAC_NUMBERS].derive = parts_derive};

static void run_parts(const char *coupling, const char *kind, tac_time step_us, double x[3])
{
    char text[512];
    snprintf(text, sizeof text,
             "duration: 1 s\nplant: {coupling: %s, integrator: {kind: %s}}\n"
             "timeline: {physics: %llu us}\ncomponents: {p: {type: parts}}\n",
             coupling, kind, (unsigned long long)step_us);
    rig_types[0] = &parts_type;
    rig r;
    rig_open(&r, text);
    rig_run(&r, TAC_TIME_MAX);
    memcpy(x, tac_engine_read(r.engine, 0), 3 * sizeof *x);
    rig_close(&r);
    rig_types[0] = NULL;
}

// Each part sees what those before it have come to.
static void test_split_order(void **state)
{
    (void)state;
    double x[3] = {0}, dx[3], seen[3];
    const double h = 0.01;
    for (int i = 0; i < 100; i++) {
        parts_rates(x, dx);
        x[2] += h * dx[2];
        parts_rates(x, dx);
        x[0] += h * dx[0];
        parts_rates(x, dx);
        x[1] += h * dx[1];
    }
    run_parts("split", "euler", 10000, seen);
    assert_memory_equal(x, seen, sizeof x);
}

static void test_split_and_coupled_agree_in_the_limit(void **state)
{
    (void)state;
    double exact[3], last = 1;
    run_parts("coupled", "rk4", 100, exact);
    for (tac_time step_us = 10000; step_us >= 1250; step_us /= 2) {
        double x[3], error = 0;
        run_parts("split", "rk4", step_us, x);
        for (int i = 0; i < 3; i++)
            error = fmax(error, fabs(x[i] - exact[i]));
        assert_true(error > 1e-6); // it is another scheme
        if (step_us < 10000)
            assert_in_range((int)(100 * last / error), 180, 230); // of first order
        last = error;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_error_follows_the_tolerance),
        cmocka_unit_test(test_step_size_is_carried_across_boundaries),
        cmocka_unit_test(test_rejected_steps_are_counted),
        cmocka_unit_test(test_whoever_watches),
        cmocka_unit_test(test_underflow_names_state_and_time),
        cmocka_unit_test(test_bad_input),
        cmocka_unit_test(test_most_steps),
        cmocka_unit_test(test_recoverable_right_hand_side),
        cmocka_unit_test(test_right_hand_side_that_refuses),
        cmocka_unit_test(test_stiff_plant),
        cmocka_unit_test(test_jacobian),
        cmocka_unit_test(test_split_order),
        cmocka_unit_test(test_split_and_coupled_agree_in_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
