// The boundary contract: what happens at an instant and in which order, who runs when, where a run
// ends, and that nothing of this depends on how the run is cut into calls, nor on its length.
#include "support/allocator.h"
#include "support/probe.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(NDEBUG)
enum { SCHEDULE_HOURS = 1 }; // the same test where every step is slow
#else
enum { SCHEDULE_HOURS = 10 };
#endif

// x' = a x + b u + c over one step of classical Runge-Kutta, in the order of its table.
static double rk4(double x, double a, double bu, double c, double h)
{
    const double k1 = a * x + bu + c;
    const double k2 = a * (x + h * (0.5 * k1)) + bu + c;
    const double k3 = a * (x + h * (0.5 * k2)) + bu + c;
    const double k4 = a * (x + h * k3) + bu + c;
    return x + h * (1.0 / 6 * k1 + 1.0 / 3 * k2 + 1.0 / 3 * k3 + 1.0 / 6 * k4);
}

static void assert_bits(double a, double b)
{
    if (memcmp(&a, &b, sizeof a))
        fail_msg("%.17g is not %.17g, bit for bit", a, b);
}

// A plant x' = -x + u, x(0) = 1, with output y.
static const probe plant = {.name = "plant",
                            .in = {"?u"},
                            .out = {"y"},
                            .x = {"x"},
                            .p = {-1, 1, 0, 1},
                            .init = linear_init,
                            .derive = linear_derive,
                            .output = linear_output};

// --- stages -------------------------------------------------------------------------------------

static const char *const stages[] = {"scenario",  "environment", "outputs", "estimate",
                                     "telemetry", "control",     "actuate"};
enum { STAGES = sizeof stages / sizeof *stages };

static void test_stages_in_order(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 3000;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    // Observers and hooks first, stages backwards: the declaration must not matter between stages.
    bench_observe(&b, "seen", 1000, 0, "plant.x");
    bench_add(&b, &(probe){.name = "hooks", .group = "g", .in = {"x"}, .pre = true, .post = true});
    for (int i = STAGES; i-- > 0;)
        bench_add(&b, &(probe){.name = stages[i], .group = "g", .stage = stages[i], .in = {"x"}});
    bench_add(&b, &plant);
    bench_route(&b, "hooks.x", "plant.x");
    for (int i = 0; i < STAGES; i++) {
        char to[64];
        snprintf(to, sizeof to, "%s.x", stages[i]);
        bench_route(&b, to, "plant.x");
    }
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x = 1;
    for (tac_time t = 0; t <= 3000; t += 1000) {
        assert_string_equal(bench_order(&b, t),
                            "hooks< scenario. environment. outputs. estimate. telemetry. hooks. "
                            "control. actuate. hooks> seeno");
        // All of them, hooks and observers too, see the state at t, before integration.
        for (size_t i = 0; i < b.count; i++) {
            if (b.log[i].t_us == t)
                assert_bits(b.log[i].in[0], x);
        }
        x = rk4(x, -1, 0, 0, 0.001);
    }
    bench_end(&b);
}

static void test_outputs_before_estimate(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &plant);
    bench_add(&b, &(probe){.name = "wind", .group = "g", .stage = "environment", .in = {"y"}});
    bench_add(&b, &(probe){.name = "air", .group = "g", .stage = "outputs", .in = {"y"}});
    bench_add(&b, &(probe){.name = "imu", .group = "g", .stage = "estimate", .in = {"y"}});
    bench_delayed(&b, "wind.y", "plant.y");
    bench_route(&b, "air.y", "plant.y");
    bench_route(&b, "imu.y", "plant.y");
    bench_prepare(&b);
    bench_run(&b, 5000);
    double x = 1, before = 1; // outputs are those of the initial state before boundary 0
    for (tac_time t = 0; t <= 5000; t += 1000) {
        assert_bits(bench_at(&b, "wind", AT_STEP, t)->in[0], before);
        assert_bits(bench_at(&b, "air", AT_STEP, t)->in[0], x);
        assert_bits(bench_at(&b, "imu", AT_STEP, t)->in[0], x);
        before = x;
        x = rk4(x, -1, 0, 0, 0.001);
    }
    bench_end(&b);
}

// Stage 3 sees what stages 1 and 2 wrote at this boundary, and of later stages what they wrote at
// the last; integration sees all of this boundary.
static tac_status feedthrough(const tac_eval *e, const void *self)
{
    (void)self;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0);
    *TAC_OUT(e, double, 1) = *TAC_IN(e, double, 1);
    return TAC_OK;
}

static tac_status sum_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = *TAC_IN(e, double, 0) + *TAC_IN(e, double, 1);
    return TAC_OK;
}

static void test_inputs_of_the_plant(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "p",
                           .in = {"early", "late"},
                           .out = {"a", "b"},
                           .x = {"x"},
                           .output = feedthrough,
                           .derive = sum_derive});
    bench_add(&b, &(probe){.name = "w", .group = "g", .stage = "environment", .out = {"n"}});
    bench_add(&b, &(probe){.name = "c", .group = "g", .stage = "control", .out = {"n"}});
    bench_add(&b, &(probe){.name = "s", .group = "g", .stage = "estimate", .in = {"a", "b", "x"}});
    bench_route(&b, "p.early", "w.n");
    bench_route(&b, "p.late", "c.n");
    bench_route(&b, "s.a", "p.a");
    bench_route(&b, "s.b", "p.b");
    bench_route(&b, "s.x", "p.x");
    bench_prepare(&b);
    bench_run(&b, 4000);
    double x = 0;
    for (int k = 0; k <= 4; k++) {
        const bench_entry *s = bench_at(&b, "s", AT_STEP, (tac_time)k * 1000);
        assert_bits(s->in[0], k + 1);
        assert_bits(s->in[1], k);
        assert_bits(s->in[2], x);
        x = rk4(x, 0, 2 * (k + 1), 0, 0.001);
    }
    bench_end(&b);
}

static void test_hooks_at_every_boundary_of_their_entity(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 12500;
    bench_begin(&b, &def);
    bench_entity(&b, "a");
    bench_entity(&b, "b");
    bench_group(&b, "slow", 10000, 0);
    bench_group(&b, "odd", 3000, 1000);
    bench_group(&b, "watch", 500, 0);
    bench_add(&b, &(probe){.entity = "a", .name = "h", .group = "slow", .pre = true, .post = true});
    bench_add(&b, &(probe){.entity = "a", .name = "odd", .group = "odd", .silent = true});
    bench_add(
        &b,
        &(probe){
            .entity = "a", .name = "tm", .group = "watch", .stage = "telemetry", .silent = true});
    bench_add(&b, &(probe){.entity = "b", .name = "h", .group = "slow", .pre = true, .post = true});
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    // Of entity a: 0, 1, 4, 7, 10 ms and the end; of b: 0, 10 ms and the end. Telemetry adds none.
    static const tac_time of_a[] = {0, 1000, 4000, 7000, 10000, 12500}, of_b[] = {0, 10000, 12500};
    assert_int_equal(bench_count(&b, "a.h", AT_PRE), 6);
    assert_int_equal(bench_count(&b, "a.h", AT_POST), 6);
    assert_int_equal(bench_count(&b, "b.h", AT_PRE), 3);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(bench_find(&b, "a.h", AT_PRE, i)->t_us, of_a[i]);
        assert_int_equal(bench_find(&b, "a.h", AT_POST, i)->t_us, of_a[i]);
    }
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(bench_find(&b, "b.h", AT_POST, i)->t_us, of_b[i]);
    assert_int_equal(bench_count(&b, "a.h", AT_STEP), 2);
    assert_string_equal(bench_order(&b, 10000), "a.h< b.h< a.h. b.h. a.h> b.h>");
    assert_int_equal(tac_engine_counters(b.engine).boundaries, 6);
    bench_end(&b);
}

// A boundary of its island is one of the entity, whoever asked for it.
static void test_hooks_at_boundaries_of_the_island(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 5000;
    bench_begin(&b, &def);
    bench_entity(&b, "a");
    bench_entity(&b, "b");
    bench_group(&b, "slow", 10000, 0);
    bench_group(&b, "ms", 1000, 0);
    probe p = plant;
    p.entity = "a";
    bench_add(&b, &p);
    bench_add(&b, &(probe){.entity = "a", .name = "h", .group = "slow", .post = true});
    bench_add(&b, &(probe){.entity = "b", .name = "r", .group = "ms", .in = {"x"}, .silent = true});
    bench_route(&b, "b.r.x", "a.plant.x");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(bench_count(&b, "a.h", AT_POST), 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(bench_find(&b, "a.h", AT_POST, i)->t_us, 1000 * i);
    bench_end(&b);
}

// A hook reads its own component's continuous state, at boundaries that only its entity has.
static void test_hooks_see_the_state(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 9000;
    def.integrator.h_max_us = 100000;
    bench_begin(&b, &def);
    bench_group(&b, "odd", 3000, 1000);
    probe p = plant;
    p.pre = p.post = true;
    bench_add(&b, &p);
    bench_add(&b, &(probe){.name = "odd", .group = "odd", .silent = true});
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    static const tac_time times[] = {0, 1000, 4000, 7000, 9000};
    double x = 1;
    for (size_t i = 0; i < 5; i++) {
        if (i)
            x = rk4(x, -1, 0, 0, (double)(times[i] - times[i - 1]) / 1e6);
        assert_bits(bench_at(&b, "plant", AT_PRE, times[i])->x, x);
        assert_bits(bench_at(&b, "plant", AT_POST, times[i])->x, x);
    }
    bench_end(&b);
}

// --- axes ---------------------------------------------------------------------------------------

static void test_runs_on_its_axis_and_holds(void **state)
{
    (void)state;
    static const tac_time times[] = {0, 3, 7, 500, 501, 20000, 999999999};
    enum { TIMES = 7 };
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 25000;
    bench_begin(&b, &def);
    bench_group(&b, "us", 1, 0);
    bench_group(&b, "a", 4000, 0);
    bench_group(&b, "b", 4000, 1001);
    bench_group(&b, "late", 10, 24990);
    bench_group(&b, "far", 10, 25001);
    bench_times(&b, "times", times, TIMES);
    bench_add(&b, &(probe){.name = "R", .group = "us", .in = {"a", "b", "t", "l", "f"}});
    probe *a = bench_add(&b, &(probe){.name = "A", .group = "a", .out = {"n"}, .silent = true});
    probe *o = bench_add(&b, &(probe){.name = "B", .group = "b", .out = {"n"}, .silent = true});
    probe *t = bench_add(&b, &(probe){.name = "T", .group = "times", .out = {"n"}, .silent = true});
    bench_add(&b, &(probe){.name = "L", .group = "late", .out = {"n"}, .silent = true});
    bench_add(&b, &(probe){.name = "F", .group = "far", .out = {"n"}, .silent = true});
    bench_route(&b, "R.a", "A.n");
    bench_route(&b, "R.b", "B.n");
    bench_route(&b, "R.t", "T.n");
    bench_route(&b, "R.l", "L.n");
    bench_route(&b, "R.f", "F.n");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(bench_count(&b, "R", AT_STEP), 25001);
    for (size_t i = 0; i < b.count; i++) {
        const bench_entry *e = &b.log[i];
        assert_int_equal(e->t_us, i);
        double passed = 0;
        for (size_t k = 0; k < TIMES; k++)
            passed += times[k] <= i;
        assert_true(e->in[0] == (double)(i / 4000 + 1));
        assert_true(e->in[1] == (i < 1001 ? 0 : (double)((i - 1001) / 4000 + 1)));
        assert_true(e->in[2] == passed);
        assert_true(e->in[3] == (i < 24990 ? 0 : (double)((i - 24990) / 10 + 1)));
        assert_true(e->in[4] == 0);
    }
    assert_int_equal(a->last_us, 24000);
    assert_int_equal(o->first_us, 1001);
    assert_int_equal(o->last_us, 21001);
    assert_int_equal(t->last_us, 20000);
    bench_end(&b);
}

static void test_mixed_rates_for_hours(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        tac_time period_us, offset_us;
    } axes[] = {{"r1000", 1000, 0}, {"r400", 2500, 0}, {"r250", 4000, 0},
                {"r100", 10000, 0}, {"r30", 33333, 0}, {"ms7", 7000, 3000}};
    enum { AXES = sizeof axes / sizeof *axes };
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = SCHEDULE_HOURS * UINT64_C(3600000000);
    def.digests = false;
    bench_begin(&b, &def);
    probe *p[AXES];
    for (size_t i = 0; i < AXES; i++) {
        bench_group(&b, axes[i].name, axes[i].period_us, axes[i].offset_us);
        p[i] = bench_add(&b, &(probe){.name = axes[i].name, .group = axes[i].name, .silent = true});
    }
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    uint64_t steps = 0;
    for (size_t i = 0; i < AXES; i++) {
        const uint64_t n = (def.end_us - axes[i].offset_us) / axes[i].period_us;
        assert_int_equal(p[i]->steps, n + 1);
        assert_int_equal(p[i]->first_us, axes[i].offset_us);
        assert_int_equal(p[i]->last_us, axes[i].offset_us + n * axes[i].period_us);
        steps += n + 1;
    }
    assert_int_equal(tac_engine_counters(b.engine).steps, steps);
    assert_int_equal(tac_engine_time(b.engine), def.end_us);
    // Instants, counted apart: those of 1 kHz; 400 Hz adds every second one of its own, off the
    // milliseconds; 30 Hz all that are no multiple of 1 ms and of 2.5 ms (33333 k is one only for
    // k = 0 mod 1000 and k = 0 mod 2500/gcd); the rest lies on milliseconds.
    uint64_t instants = def.end_us / 1000 + 1;
    for (uint64_t t = 0; t <= def.end_us; t += 2500)
        instants += t % 1000 != 0;
    for (uint64_t t = 0; t <= def.end_us; t += 33333)
        instants += t % 1000 != 0 && t % 2500 != 0;
    assert_int_equal(tac_engine_counters(b.engine).boundaries, instants);
    bench_end(&b);
}

// --- the end ------------------------------------------------------------------------------------

static void test_end_on_no_axis(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 10500;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &plant);
    bench_add(&b, &(probe){.name = "c", .group = "g", .in = {"y"}, .pre = true, .post = true});
    bench_observe(&b, "o", 2100, 0, "plant.x");
    bench_route(&b, "c.y", "plant.y");
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    double x = 1;
    for (int i = 0; i < 10; i++)
        x = rk4(x, -1, 0, 0, 0.001);
    x = rk4(x, -1, 0, 0, 0.0005);
    assert_true(tac_engine_finished(b.engine));
    assert_int_equal(tac_engine_time(b.engine), 10500);
    assert_true(tac_engine_next_time(b.engine) == TAC_TIME_NEVER);
    // Hooks, outputs and observers ran at the end itself; the component, not due, did not.
    assert_string_equal(bench_order(&b, 10500), "c< c> oo");
    assert_bits(bench_at(&b, "o", AT_OBSERVER, 10500)->in[0], x);
    assert_bits(bench_read(&b, "plant.x"), x);
    assert_bits(bench_read(&b, "plant.y"), x);
    assert_int_equal(bench_count(&b, "c", AT_STEP), 11);
    const tac_counters n = tac_engine_counters(b.engine);
    assert_int_equal(n.boundaries, 12);
    assert_int_equal(n.integration_steps, 11);
    assert_int_equal(n.rhs_evals, 44);
    // Nothing happens after that.
    const size_t entries = b.count;
    const uint64_t hash = bench_hash(&b, NULL);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(b.count, entries);
    assert_true(bench_hash(&b, NULL) == hash);
    const tac_counters again = tac_engine_counters(b.engine);
    assert_memory_equal(&n, &again, sizeof n);
    bench_end(&b);
}

static tac_status wake_past_end(tac_step *s, const void *self)
{
    probe_step(s, self);
    return tac_wake_at(s, 10001);
}

static void test_end_on_an_axis(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 10000;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "c",
                           .group = "g",
                           .tx = "tx",
                           .flags = TAC_COMPONENT_TIMER,
                           .step = wake_past_end,
                           .pre = true,
                           .post = true});
    bench_add(&b, &(probe){.name = "s", .group = "g", .tx = "tx", .step = probe_send});
    bench_add(&b, &(probe){.name = "r", .rx = "rx", .out = {"v"}, .step = probe_listen});
    bench_link(&b, "s.tx", "r.rx", 1000);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_string_equal(bench_order(&b, 10000), "c< c. s. r. c>");
    assert_int_equal(bench_count(&b, "c", AT_STEP), 11);
    assert_int_equal(bench_count(&b, "r", AT_STEP), 10);
    assert_int_equal(b.log[b.count - 1].t_us, 10000);
    bench_end(&b);
}

static void test_end_zero(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 0;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    bench_group(&b, "later", 1000, 1);
    probe *p = bench_add(&b, &plant);
    bench_add(&b, &(probe){.name = "c", .group = "g", .in = {"y"}, .pre = true, .post = true});
    bench_add(&b, &(probe){.name = "d", .group = "later"});
    bench_observe(&b, "o", 1000, 0, "plant.y");
    bench_route(&b, "c.y", "plant.y");
    bench_prepare(&b);
    assert_int_equal(tac_engine_next_time(b.engine), 0);
    assert_false(tac_engine_finished(b.engine));
    bench_run(&b, 0);
    assert_true(tac_engine_finished(b.engine));
    assert_int_equal(b.count, 4);
    assert_string_equal(bench_order(&b, 0), "c< c. c> oo");
    assert_bits(bench_find(&b, "o", 0, 0)->in[0], 1);
    assert_int_equal(p->derives, 0);
    assert_int_equal(tac_engine_counters(b.engine).boundaries, 1);
    bench_end(&b);
}

// --- running in pieces --------------------------------------------------------------------------

// Wakes up at intervals that a small generator gives, kept in its output.
static tac_status restless(tac_step *s, const void *self)
{
    probe_of(self)->steps++;
    double *y = TAC_OUT(s, double, 0);
    *y = tac_draw_uniform(s, 0);
    bench_note(probe_of(self)->on, probe_of(self)->full, AT_STEP, s);
    return tac_wake_at(s, s->t_us + 1 + (tac_time)(*y * 700));
}

static void build_busy_with(bench *b, const tac_engine_def *def)
{
    bench_begin(b, def);
    bench_group(b, "fast", 1000, 0);
    bench_group(b, "odd", 700, 13);
    bench_add(b, &plant);
    bench_add(b, &(probe){.name = "ctl",
                          .group = "fast",
                          .in = {"y"},
                          .out = {"u"},
                          .step = probe_copy,
                          .pre = true,
                          .post = true});
    bench_add(b, &(probe){.name = "rest",
                          .out = {"y"},
                          .stream = "r",
                          .step = restless,
                          .init = restless,
                          .flags = TAC_COMPONENT_TIMER});
    bench_add(b, &(probe){.name = "tx", .group = "odd", .tx = "tx", .step = probe_send});
    bench_add(b, &(probe){.name = "rx",
                          .group = "fast",
                          .stage = "estimate",
                          .rx = "rx",
                          .out = {"v", "sum"},
                          .step = probe_listen});
    probe free = plant;
    free.name = "free";
    bench_add(b, &free);
    bench_observe(b, "o", 333, 0, "plant.x");
    bench_observe(b, "f", 170, 5, "free.y");
    bench_route(b, "ctl.y", "plant.y");
    bench_route(b, "plant.u", "ctl.u");
    bench_route(b, "free.u", "rx.v");
    bench_link(b, "tx.tx", "rx.rx", 250);
    bench_prepare(b);
}

static void build_busy(bench *b, tac_time end_us)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = end_us;
    def.integrator.h_max_us = 450;
    build_busy_with(b, &def);
}

static void assert_same_run(const bench *a, const bench *b)
{
    bench_same_log(a, b);
    bench_same_digests(a, b, "*");
    const tac_counters x = tac_engine_counters(a->engine), y = tac_engine_counters(b->engine);
    assert_memory_equal(&x, &y, sizeof x);
    assert_int_equal(tac_engine_finished(a->engine), tac_engine_finished(b->engine));
}

static void test_pieces(void **state)
{
    (void)state;
    enum { END = 20000 };
    bench whole;
    build_busy(&whole, END);
    bench_run(&whole, END);
    assert_true(tac_engine_counters(whole.engine).undone > 0);
    assert_true(tac_engine_counters(whole.engine).messages > 20);
    static const tac_time cuts[] = {1, 7, 450, 1000, 333, 0};
    uint64_t random = 1;
    for (size_t i = 0; i < 6; i++) {
        bench b;
        build_busy(&b, END);
        for (tac_time t = 0; !tac_engine_finished(b.engine);) {
            bench_run(&b, t);
            assert_true(tac_engine_time(b.engine) <= t);
            assert_true(tac_engine_finished(b.engine) || tac_engine_next_time(b.engine) > t);
            // Looking in between changes nothing.
            if (t % 3 == 0) {
                bench_read(&b, "plant.y");
                bench_read(&b, "free.x");
                bench_hash(&b, NULL);
            }
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            t += cuts[i] ? cuts[i] : 1 + (random >> 33) % 900;
        }
        assert_same_run(&whole, &b);
        bench_end(&b);
    }
    bench_end(&whole);
}

static bench *to_stop;

static tac_status stop_sometimes(tac_step *s, const void *self)
{
    probe_step(s, self);
    if (s->t_us % 3000 == 0 && to_stop)
        tac_engine_stop(to_stop->engine);
    return TAC_OK;
}

static void test_stop_and_go_on(void **state)
{
    (void)state;
    bench runs[2];
    for (int i = 0; i < 2; i++) {
        bench *b = &runs[i];
        bench_begin(b, NULL);
        bench_group(b, "g", 1000, 0);
        bench_add(b, &plant);
        bench_add(b, &(probe){.name = "c", .group = "g", .in = {"x"}, .step = stop_sometimes});
        bench_route(b, "c.x", "plant.x");
        bench_prepare(b);
    }
    bench_run(&runs[0], TAC_TIME_MAX);
    to_stop = &runs[1];
    int stops = 0;
    tac_status status;
    while ((status = bench_try_run(&runs[1], TAC_TIME_MAX)) == TAC_E_STOPPED) {
        assert_int_equal(runs[1].err.t_us, 3000 * stops);
        assert_int_equal(tac_engine_time(runs[1].engine), 3000 * stops);
        stops++;
    }
    to_stop = NULL;
    assert_int_equal(status, TAC_OK);
    assert_int_equal(stops, 334);
    assert_same_run(&runs[0], &runs[1]);
    bench_end(&runs[0]);
    bench_end(&runs[1]);
}

// --- once a tick --------------------------------------------------------------------------------

static void test_step_never_inside_the_integrator(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        uint64_t evals;
    } methods[] = {{"euler", 1}, {"rk4", 4}};
    for (int i = 0; i < 2; i++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.integrator.kind = methods[i].kind;
        def.integrator.h_max_us = 250;
        def.end_us = 100000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        // One component with all parts.
        probe p = plant;
        p.group = "g";
        p.step = probe_step;
        p.out[0] = "~y";
        p.out[1] = "n";
        probe *c = bench_add(&b, &p);
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        const tac_counters n = tac_engine_counters(b.engine);
        assert_int_equal(c->steps, 101);
        assert_int_equal(n.steps, 101);
        assert_int_equal(n.boundaries, 101);
        assert_int_equal(n.integration_steps, 400);
        assert_int_equal(n.rhs_evals, 400 * methods[i].evals);
        assert_int_equal(c->derives, 400 * methods[i].evals);
        // Nobody reads its outputs, so they are never evaluated.
        assert_int_equal(c->outputs, 0);
        bench_end(&b);
    }
}

// --- boundaries inserted at run time ------------------------------------------------------------

static const tac_time plan[] = {0, 1, 17, 333333, 333334, 700001, 999999};
enum { PLAN = 7 };

static tac_status wake_as_planned(tac_step *s, const void *self)
{
    const probe *p = probe_of(self);
    if (s->due) // not in init
        probe_step(s, self);
    return p->steps < PLAN ? tac_wake_at(s, plan[p->steps]) : TAC_OK;
}

static void test_timer_at_exact_times(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    // In init everything from 0 on is the future.
    bench_add(&b, &(probe){.name = "t",
                           .flags = TAC_COMPONENT_TIMER,
                           .init = wake_as_planned,
                           .step = wake_as_planned});
    bench_prepare(&b);
    assert_int_equal(tac_engine_next_time(b.engine), 0);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(b.count, PLAN);
    for (size_t i = 0; i < PLAN; i++) {
        assert_int_equal(b.log[i].t_us, plan[i]);
        assert_int_equal(b.log[i].due, TAC_DUE_TIMER);
    }
    assert_int_equal(tac_engine_counters(b.engine).boundaries, PLAN + 1); // and the end
    bench_end(&b);
}

// On its axis it asks three times, of which the last counts; when woken it asks and cancels.
static tac_status wake_and_cancel(tac_step *s, const void *self)
{
    probe_step(s, self);
    if (s->due == TAC_DUE_AXIS) {
        assert_int_equal(tac_wake_at(s, s->t_us + 500), TAC_OK);
        assert_int_equal(tac_wake_at(s, s->t_us + 200), TAC_OK);
        return tac_wake_at(s, s->t_us + 300);
    }
    assert_int_equal(tac_wake_at(s, s->t_us + 100), TAC_OK);
    return tac_wake_at(s, TAC_TIME_NEVER);
}

static void test_timer_replaced_and_cancelled(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 2600;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    bench_add(
        &b,
        &(probe){.name = "t", .group = "g", .flags = TAC_COMPONENT_TIMER, .step = wake_and_cancel});
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    assert_int_equal(b.count, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(b.log[i].t_us, i / 2 * 1000 + i % 2 * 300);
        assert_int_equal(b.log[i].due, i % 2 ? TAC_DUE_TIMER : TAC_DUE_AXIS);
    }
    bench_end(&b);
}

static tac_status wake_wrongly(tac_step *s, const void *self)
{
    probe_step(s, self);
    return s->t_us < 2000 ? TAC_OK : tac_wake_at(s, s->t_us - (tac_time)probe_of(self)->p[0]);
}

static void test_timer_only_in_the_future(void **state)
{
    (void)state;
    for (int back = 0; back <= 1; back++) {
        bench b;
        bench_begin(&b, NULL);
        bench_entity(&b, "uav");
        bench_group(&b, "g", 1000, 0);
        bench_add(&b, &(probe){.entity = "uav",
                               .name = "late",
                               .group = "g",
                               .flags = TAC_COMPONENT_TIMER,
                               .step = wake_wrongly,
                               .p = {back}});
        bench_prepare(&b);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_COMPONENT);
        bench_error(&b, TAC_E_COMPONENT, "wake-up", "future", NULL);
        assert_string_equal(b.err.component, "uav.late");
        assert_int_equal(b.err.t_us, 2000);
        assert_int_equal(b.count, 3);
        // It keeps its state and runs no further.
        assert_int_equal(tac_engine_time(b.engine), 2000);
        assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_CALLER);
        assert_int_equal(b.count, 3);
        bench_end(&b);
    }
}

static void test_timer_must_be_declared(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "t", .group = "g", .step = wake_wrongly});
    bench_prepare(&b);
    assert_int_equal(bench_try_run(&b, TAC_TIME_MAX), TAC_E_COMPONENT);
    bench_error(&b, TAC_E_COMPONENT, "TAC_COMPONENT_TIMER", NULL);
    bench_end(&b);
}

static void test_deliveries_at_exact_times(void **state)
{
    (void)state;
    static const tac_time delays[] = {1, 17, 999, 1000, 12345};
    for (size_t i = 0; i < 5; i++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 50000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 3);
        bench_add(&b, &(probe){.name = "s", .group = "g", .tx = "tx", .step = probe_send});
        bench_add(&b, &(probe){.name = "r", .rx = "rx", .out = {"v"}, .step = probe_listen});
        bench_link(&b, "s.tx", "r.rx", delays[i]);
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        const uint64_t n = (50000 - 3 - delays[i]) / 1000 + 1;
        assert_int_equal(bench_count(&b, "r", AT_STEP), n);
        assert_int_equal(tac_engine_counters(b.engine).messages, n);
        for (size_t k = 0; k < n; k++) {
            const bench_entry *e = bench_find(&b, "r", AT_STEP, k);
            assert_int_equal(e->t_us, 3 + 1000 * k + delays[i]);
            assert_int_equal(e->due, TAC_DUE_MESSAGE);
        }
        bench_end(&b);
    }
}

static const tac_time due_plan[] = {1234, 2500, 5000, 6000, TAC_TIME_NEVER};

static tac_status wake_and_listen(tac_step *s, const void *self)
{
    size_t next = 0;
    while (due_plan[next] <= s->t_us && s->due)
        next++;
    return s->due && probe_listen(s, self) != TAC_OK ? TAC_E_COMPONENT
                                                     : tac_wake_at(s, due_plan[next]);
}

static void test_due_flags(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 10000;
    bench_begin(&b, &def);
    bench_group(&b, "five", 5000, 0);
    bench_group(&b, "half", 2500, 0);
    bench_add(&b, &(probe){.name = "r",
                           .group = "five",
                           .rx = "rx",
                           .out = {"v", "sum", "n"},
                           .flags = TAC_COMPONENT_TIMER,
                           .init = wake_and_listen,
                           .step = wake_and_listen});
    bench_add(&b, &(probe){.name = "s", .group = "half", .tx = "tx", .step = probe_send});
    bench_link(&b, "s.tx", "r.rx", 2500);
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    static const struct {
        tac_time t_us;
        uint32_t due;
    } expected[] = {{0, TAC_DUE_AXIS},
                    {1234, TAC_DUE_TIMER},
                    {2500, TAC_DUE_MESSAGE | TAC_DUE_TIMER},
                    {5000, TAC_DUE_AXIS | TAC_DUE_MESSAGE | TAC_DUE_TIMER},
                    {6000, TAC_DUE_TIMER},
                    {7500, TAC_DUE_MESSAGE},
                    {10000, TAC_DUE_AXIS | TAC_DUE_MESSAGE}};
    assert_int_equal(bench_count(&b, "r", AT_STEP), 7); // once, however many reasons there are
    for (size_t i = 0; i < 7; i++) {
        const bench_entry *e = bench_find(&b, "r", AT_STEP, i);
        assert_int_equal(e->t_us, expected[i].t_us);
        assert_int_equal(e->due, expected[i].due);
    }
    assert_true(bench_read(&b, "r.n") == 4);
    bench_end(&b);
}

// A port that does not trigger: the message is there from its delivery on, which is a boundary of
// the entity, and is taken at the next step.
static void test_deliveries_without_trigger(void **state)
{
    (void)state;
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 20000;
    bench_begin(&b, &def);
    bench_entity(&b, "a");
    bench_entity(&b, "b");
    bench_group(&b, "slow", 10000, 0);
    bench_group(&b, "g", 4000, 0);
    bench_add(&b,
              &(probe){.entity = "a", .name = "s", .group = "g", .tx = "tx", .step = probe_send});
    bench_add(&b, &(probe){.entity = "b",
                           .name = "r",
                           .group = "slow",
                           .rx = "rx",
                           .deaf = true,
                           .out = {"v", "sum", "n"},
                           .step = probe_listen,
                           .post = true});
    bench_link(&b, "a.s.tx", "b.r.rx", 1500);
    bench_prepare(&b);
    bench_run(&b, 9999);
    assert_int_equal(bench_count(&b, "b.r", AT_STEP), 1);
    assert_int_equal(bench_count(&b, "b.r", AT_POST), 4); // 0, 1500, 5500, 9500
    assert_int_equal(bench_find(&b, "b.r", AT_POST, 1)->t_us, 1500);
    bench_run(&b, 10000);
    assert_int_equal(bench_at(&b, "b.r", AT_STEP, 10000)->due, TAC_DUE_AXIS);
    assert_true(bench_read(&b, "b.r.n") == 3);
    assert_true(bench_read(&b, "b.r.sum") == 1 + 2 + 3);
    bench_end(&b);
}

// --- memory -------------------------------------------------------------------------------------

static void test_nothing_is_allocated_in_a_run(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    size_t bytes[2], live[2];
    uint64_t calls[2];
    for (int i = 0; i < 2; i++) {
        tac_engine_def def = tac_engine_def_default();
        def.allocator = &hook;
        def.integrator.h_max_us = 450;
        def.end_us = i ? UINT64_C(36000000000) : 300000;
        bench b;
        build_busy_with(&b, &def);
        bytes[i] = tac_engine_sizes(b.engine).bytes;
        live[i] = counts.live_bytes;
        calls[i] = counts.calls;
        const uint64_t frees = counts.frees;
        for (tac_time t = 0; t <= 300000; t += 10000) {
            bench_run(&b, t);
            assert_int_equal(counts.calls, calls[i]);
            assert_int_equal(counts.frees, frees);
            assert_int_equal(counts.live_bytes, live[i]);
        }
        bench_end(&b);
        test_allocator_check_empty(&counts);
        calls[i] -= i ? calls[0] : 0;
    }
    // Neither does an engine for ten hours need more than one for 0.3 s.
    assert_int_equal(bytes[0], bytes[1]);
    assert_int_equal(live[0], live[1]);
    assert_int_equal(calls[0], calls[1]);
}

// --- many ---------------------------------------------------------------------------------------

static void test_more_than_a_word_of_everything(void **state)
{
    (void)state;
    enum { N = 80 };
    static char names[N][8], xs[N][32], us[N][32], ins[N][32], outs[N][32];
    bench b;
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 20000;
    bench_begin(&b, &def);
    bench_group(&b, "g", 1000, 0);
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "v%d", i);
        snprintf(xs[i], sizeof xs[i], "v%d.plant.x", i);
        snprintf(us[i], sizeof us[i], "v%d.plant.u", i);
        snprintf(ins[i], sizeof ins[i], "v%d.ctl.x", i);
        snprintf(outs[i], sizeof outs[i], "v%d.ctl.u", i);
        bench_entity(&b, names[i]);
        probe p = plant;
        p.entity = names[i];
        bench_add(&b, &p);
        bench_add(&b, &(probe){.entity = names[i],
                               .name = "ctl",
                               .group = "g",
                               .in = {"x"},
                               .out = {"u"},
                               .step = probe_copy,
                               .pre = true,
                               .post = true});
        bench_route(&b, us[i], outs[i]);
        bench_route(&b, ins[i], xs[i]);
    }
    bench_prepare(&b);
    assert_int_equal(tac_engine_sizes(b.engine).islands, N);
    bench_run(&b, TAC_TIME_MAX);
    double x = 1;
    for (tac_time t = 0; t <= 20000; t += 1000) {
        for (int i = 0; i < N; i++) {
            const bench_entry *e = &b.log[t / 1000 * 3 * N + (size_t)i];
            assert_int_equal(e->t_us, t);
            assert_int_equal(e->where, AT_PRE);
            assert_int_equal((e + N)->where, AT_STEP);
            assert_int_equal((e + 2 * N)->where, AT_POST);
            assert_bits((e + N)->in[0], x);
        }
        x = rk4(x, -1, x, 0, 0.001);
    }
    assert_int_equal(b.count, 21 * 3 * N);
    bench_end(&b);
}

// A step at an extra time of its group is due as one on the period is.
static void test_due_at_extra_times(void **state)
{
    (void)state;
    static const tac_time times_us[] = {30, 70, 100};
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 200;
    bench b;
    bench_begin(&b, &def);
    tac_group_def both = tac_group_def_default();
    both.name = "both";
    both.period_us = 50;
    both.times_us = times_us;
    both.times_count = 3;
    assert_int_equal(tac_engine_add_group(b.engine, &both, &b.err), TAC_OK);
    bench_add(&b, &(probe){.name = "A", .group = "both", .in = {"?u"}});
    bench_prepare(&b);
    bench_run(&b, TAC_TIME_MAX);
    static const tac_time steps_us[] = {0, 30, 50, 70, 100, 150, 200};
    assert_int_equal(bench_count(&b, "A", AT_STEP), 7);
    for (size_t i = 0; i < 7; i++) {
        const bench_entry *e = bench_find(&b, "A", AT_STEP, i);
        assert_int_equal(e->t_us, steps_us[i]);
        assert_int_equal(e->due, TAC_DUE_AXIS);
    }
    bench_end(&b);
}

TEST_MAIN(cmocka_unit_test(test_stages_in_order), cmocka_unit_test(test_due_at_extra_times),
          cmocka_unit_test(test_outputs_before_estimate),
          cmocka_unit_test(test_inputs_of_the_plant),
          cmocka_unit_test(test_hooks_at_every_boundary_of_their_entity),
          cmocka_unit_test(test_hooks_at_boundaries_of_the_island),
          cmocka_unit_test(test_hooks_see_the_state),
          cmocka_unit_test(test_runs_on_its_axis_and_holds),
          cmocka_unit_test(test_mixed_rates_for_hours), cmocka_unit_test(test_end_on_no_axis),
          cmocka_unit_test(test_end_on_an_axis), cmocka_unit_test(test_end_zero),
          cmocka_unit_test(test_pieces), cmocka_unit_test(test_stop_and_go_on),
          cmocka_unit_test(test_step_never_inside_the_integrator),
          cmocka_unit_test(test_timer_at_exact_times),
          cmocka_unit_test(test_timer_replaced_and_cancelled),
          cmocka_unit_test(test_timer_only_in_the_future),
          cmocka_unit_test(test_timer_must_be_declared),
          cmocka_unit_test(test_deliveries_at_exact_times), cmocka_unit_test(test_due_flags),
          cmocka_unit_test(test_deliveries_without_trigger),
          cmocka_unit_test(test_nothing_is_allocated_in_a_run),
          cmocka_unit_test(test_more_than_a_word_of_everything))
