// Outputs of the plant that nothing in the simulation reads: they are not evaluated for it, and who
// watches sees what stage 3 would have written, whoever else reads them.
#include "support/probe.h"
#include "support/test.h"

static tac_status still(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = 0;
    return TAC_OK;
}

// y = u + x
static tac_status add_input(const tac_eval *e, const void *self)
{
    probe_of(self)->outputs++;
    *TAC_OUT(e, double, 0) = *TAC_IN(e, double, 0) + e->x[0];
    return TAC_OK;
}

static tac_status jump_by_ten(tac_step *s, const void *self)
{
    (void)self;
    *tac_jump(s) += 10;
    return TAC_OK;
}

static const probe plant = {.name = "plant",
                            .in = {"u"},
                            .out = {"y"},
                            .x = {"x"},
                            .derive = still,
                            .output = add_input,
                            .constant = true};

// A controller writes 1, 2, 3, ... in stage 6; with a reader of y in stage 4, or without.
static void begin(bench *b, const probe *p, bool read)
{
    tac_engine_def def = tac_engine_def_default();
    def.end_us = 5000;
    bench_begin(b, &def);
    bench_group(b, "g", 1000, 0);
    bench_add(b, p);
    bench_add(b, &(probe){.name = "control", .group = "g", .stage = "control", .out = {"v"}});
    if (read)
        bench_add(b, &(probe){.name = "reader", .group = "g", .stage = "estimate", .in = {"y"}});
    bench_route(b, "plant.u", "control.v");
    if (read)
        bench_route(b, "reader.y", "plant.y");
    bench_observe(b, "watch", 1000, 0, "plant.y");
    bench_observe(b, "odd", 700, 300, "plant.y");
    bench_prepare(b);
    bench_run(b, TAC_TIME_MAX);
}

static void test_watched_as_of_stage_three(void **state)
{
    (void)state;
    for (int read = 0; read < 2; read++) {
        bench b;
        begin(&b, &plant, read);
        for (tac_time k = 0; k <= 5; k++) {
            // Before the controller has stepped at this boundary.
            assert_true(bench_at(&b, "watch", AT_OBSERVER, k * 1000)->in[0] == (double)k);
            if (read)
                assert_true(bench_at(&b, "reader", AT_STEP, k * 1000)->in[0] == (double)k);
        }
        // Between two boundaries, with what the last one left.
        assert_true(bench_at(&b, "odd", AT_OBSERVER, 1700)->in[0] == 2);
        bench_end(&b);
    }
}

static void test_evaluated_only_for_readers(void **state)
{
    (void)state;
    for (int read = 0; read < 2; read++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 5000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        bench_group(&b, "slow", 2000, 0);
        const probe *p = bench_add(&b, &plant);
        bench_add(&b, &(probe){.name = "control", .group = "g", .stage = "control", .out = {"v"}});
        bench_add(&b, &(probe){.name = "reader",
                               .group = "slow",
                               .stage = "estimate",
                               .in = {read ? "y" : "?y"}});
        bench_route(&b, "plant.u", "control.v");
        if (read)
            bench_route(&b, "reader.y", "plant.y");
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        assert_int_equal(p->outputs, read ? 3 : 0); // at 0, 2 and 4 ms
        bench_end(&b);
    }
}

// After a jump the outputs are those of the new state, for readers and for observers.
static void test_watched_after_a_jump(void **state)
{
    (void)state;
    probe jumping = plant;
    jumping.group = "g";
    jumping.stage = "actuate";
    jumping.out[0] = "~y";
    jumping.step = jump_by_ten;
    jumping.constant = false;
    for (int read = 0; read < 2; read++) {
        bench b;
        begin(&b, &jumping, read);
        for (tac_time k = 0; k <= 5; k++) // the controller has stepped by then
            assert_true(bench_at(&b, "watch", AT_OBSERVER, k * 1000)->in[0] ==
                        (double)(k + 1) + 10 * (double)(k + 1));
        bench_end(&b);
    }
}

// A step sees the output of another plant as of its boundary even where the two are coupled,
// whoever else reads it.
static void test_seen_by_a_coupled_step(void **state)
{
    (void)state;
    for (int read = 0; read < 2; read++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 5000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        bench_group(&b, "slow", 2000, 0);
        bench_add(&b, &(probe){.name = "ramp",
                               .out = {"y"},
                               .x = {"x"},
                               .p = {0, 0, 1, 5},
                               .init = linear_init,
                               .derive = linear_derive,
                               .output = linear_output});
        bench_add(&b, &(probe){.name = "both",
                               .group = "g",
                               .in = {"u"},
                               .x = {"x"},
                               .derive = linear_derive,
                               .step = probe_step});
        bench_add(&b, &(probe){.name = "reader",
                               .group = "slow",
                               .stage = "estimate",
                               .in = {read ? "y" : "?y"}});
        bench_route(&b, "both.u", "ramp.y");
        if (read)
            bench_route(&b, "reader.y", "ramp.y");
        bench_observe(&b, "watch", 1000, 0, "ramp.x");
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        for (tac_time t_us = 0; t_us <= 5000; t_us += 1000)
            assert_true(bench_at(&b, "both", AT_STEP, t_us)->in[0] ==
                        bench_at(&b, "watch", AT_OBSERVER, t_us)->in[0]);
        bench_end(&b);
    }
}

// Writes 5 before the first boundary, then 1, 2, 3, ...
static tac_status five(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = 5;
    return TAC_OK;
}

// Through any policy a signal holds until it has two values, from the first boundary on; and who
// watches an output sees what a reader does.
static void test_policies_of_inputs(void **state)
{
    (void)state;
    static const tac_policy policies[] = {TAC_ZOH, TAC_INTERPOLATED, TAC_EXTRAPOLATED};
    for (int i = 0; i < 3 * 2 * 2; i++) {
        const tac_policy policy = policies[i / 4];
        const bool read = i & 1, late = i & 2;
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 12000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        bench_group(&b, "slow", 4000, late ? 2000 : 0);
        probe p = plant;
        p.group = "g";
        bench_add(&b, &p);
        bench_add(&b, &(probe){.name = "wind",
                               .group = "slow",
                               .stage = "environment",
                               .out = {"v"},
                               .init = five});
        bench_add(&b, &(probe){.name = "reader",
                               .group = "g",
                               .stage = "estimate",
                               .in = {read ? "y" : "?y"}});
        tac_route_def route = tac_route_def_default();
        route.to = "plant.u";
        route.from = "wind.v";
        route.has_policy = true;
        route.policy = policy;
        assert_int_equal(tac_engine_add_route(b.engine, &route, &b.err), TAC_OK);
        if (read)
            bench_route(&b, "reader.y", "plant.y");
        bench_observe(&b, "watch", 1000, 0, "plant.y");
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        for (tac_time t = 0; t <= 12000; t += 1000) {
            const tac_time first = late ? 2000 : 0;
            const double n = t < first ? 0 : (double)((t - first) / 4000 + 1);
            const double c = t < first ? 0 : (double)((t - first) % 4000) / 4000;
            double expected = n == 0 ? 5 : n;
            if (n >= 2)
                expected += policy == TAC_INTERPOLATED ? c - 1 : policy == TAC_EXTRAPOLATED ? c : 0;
            assert_true(bench_at(&b, "watch", AT_OBSERVER, t)->in[0] == expected);
            if (read)
                assert_true(bench_at(&b, "reader", AT_STEP, t)->in[0] == expected);
        }
        bench_end(&b);
    }
}

static tac_status begin_with_seven(tac_step *s, const void *self)
{
    (void)self;
    *tac_jump(s) = 7;
    return TAC_OK;
}

// A sample of another island is that of the initial state at the first boundary, in either order.
static void test_first_samples(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        bench b;
        tac_engine_def def = tac_engine_def_default();
        def.end_us = 2000;
        bench_begin(&b, &def);
        bench_group(&b, "g", 1000, 0);
        probe one = plant, other = plant;
        one.in[0] = "=u";
        other.name = "other";
        other.in[0] = "?u";
        other.init = begin_with_seven;
        bench_add(&b, i & 1 ? &one : &other);
        bench_add(&b, i & 1 ? &other : &one);
        bench_add(&b, &(probe){.name = "reader", .group = "g", .stage = "estimate", .in = {"y"}});
        bench_route(&b, "plant.u", i & 2 ? "other.x" : "other.y");
        bench_route(&b, "reader.y", "plant.y");
        bench_prepare(&b);
        bench_run(&b, TAC_TIME_MAX);
        for (tac_time t = 0; t <= 2000; t += 1000)
            assert_true(bench_at(&b, "reader", AT_STEP, t)->in[0] == 7);
        bench_end(&b);
    }
}

// With a step and an output function, outputs must say which of them the latter writes.
static void test_marks(void **state)
{
    (void)state;
    static const char *const outputs[][2] = {{"y", NULL}, {"n", "y"}, {"~y", NULL}, {"~y", "n"}};
    for (int i = 0; i < 4; i++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        probe p = plant;
        p.constant = false;
        p.group = "g";
        p.in[0] = "?u";
        p.out[0] = outputs[i][0];
        p.out[1] = outputs[i][1];
        p.step = jump_by_ten;
        p.stage = "actuate";
        const tac_status status = bench_try_add(&b, &p);
        if (i < 2)
            bench_error(&b, TAC_E_CONFIG, "TAC_PORT_EVAL", "step", NULL);
        else
            assert_int_equal(status, TAC_OK);
        bench_end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_watched_as_of_stage_three),
        cmocka_unit_test(test_evaluated_only_for_readers),
        cmocka_unit_test(test_watched_after_a_jump),
        cmocka_unit_test(test_seen_by_a_coupled_step),
        cmocka_unit_test(test_policies_of_inputs),
        cmocka_unit_test(test_first_samples),
        cmocka_unit_test(test_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
