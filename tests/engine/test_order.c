// Who runs before whom at a boundary, and what `delayed` shows.
#include "support/probe.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static tac_status set_order(bench *b, const char *const *names, size_t count)
{
    const tac_place place = {"order.yaml", 7, 3, "order: [...]"};
    return tac_engine_set_order(b->engine, names, count, &place, &b->err);
}

// --- by signals ---------------------------------------------------------------------------------

static void test_chain_declared_backwards(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "D", .group = "g", .in = {"u"}});
    bench_add(&b,
              &(probe){.name = "C", .group = "g", .in = {"u"}, .out = {"n"}, .step = probe_copy});
    bench_add(&b,
              &(probe){.name = "B", .group = "g", .in = {"u"}, .out = {"n"}, .step = probe_copy});
    bench_add(&b, &(probe){.name = "A", .group = "g", .out = {"n"}});
    bench_route(&b, "D.u", "C.n");
    bench_route(&b, "C.u", "B.n");
    bench_route(&b, "B.u", "A.n");
    bench_prepare(&b);
    bench_run(&b, 5000);
    for (tac_time t = 0; t <= 5000; t += 1000) {
        assert_string_equal(bench_order(&b, t), "A. B. C. D.");
        assert_true(bench_at(&b, "D", AT_STEP, t)->in[0] == (double)(t / 1000 + 1));
    }
    bench_end(&b);
}

static void test_ties_as_declared(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    static const char *const names[] = {"zeta", "alpha", "mid", "Last", "b1", "a2"};
    for (size_t i = 0; i < 6; i++)
        bench_add(&b, &(probe){.name = names[i], .group = "g"});
    bench_prepare(&b);
    bench_run(&b, 0);
    assert_string_equal(bench_order(&b, 0), "zeta. alpha. mid. Last. b1. a2.");
    bench_end(&b);
}

// What it reads from an earlier stage does not move a component inside its own.
static void test_other_stages_do_not_matter(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "R", .group = "g", .in = {"u"}});
    bench_add(&b, &(probe){.name = "Q", .group = "g"});
    bench_add(&b, &(probe){.name = "W", .group = "g", .stage = "estimate", .out = {"n"}});
    bench_route(&b, "R.u", "W.n");
    bench_prepare(&b);
    bench_run(&b, 0);
    assert_string_equal(bench_order(&b, 0), "W. R. Q.");
    bench_end(&b);
}

// Random acyclic wirings: the order must be the one that always takes the first declared of those
// that wait for nobody.
static void test_any_wiring(void **state)
{
    (void)state;
    enum { N = 9, INPUTS = 4 };
    static const char *const names[N] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"};
    static const char *const signals[N] = {"c0.n", "c1.n", "c2.n", "c3.n", "c4.n",
                                           "c5.n", "c6.n", "c7.n", "c8.n"};
    uint64_t random = 42;
    for (int round = 0; round < 300; round++) {
        bool edge[N][N] = {{false}};
        int rank[N]; // edges lead from lower to higher rank
        for (int i = 0; i < N; i++)
            rank[i] = i;
        for (int i = N - 1; i > 0; i--) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const int k = (int)((random >> 33) % (uint64_t)(i + 1)), swap = rank[i];
            rank[i] = rank[k];
            rank[k] = swap;
        }
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        for (int i = 0; i < N; i++)
            bench_add(&b, &(probe){.name = names[i],
                                   .group = "g",
                                   .in = {"?i0", "?i1", "?i2", "?i3"},
                                   .out = {"n"}});
        for (int to = 0; to < N; to++) {
            for (int k = 0; k < INPUTS; k++) {
                random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                const int from = (int)((random >> 33) % N);
                if (rank[from] >= rank[to])
                    continue;
                edge[from][to] = true;
                char input[16];
                snprintf(input, sizeof input, "c%d.i%d", to, k);
                bench_route(&b, input, signals[from]);
            }
        }
        bench_prepare(&b);
        bench_run(&b, 1000);
        char expected[128] = "";
        bool done[N] = {false};
        for (int placed = 0; placed < N; placed++) {
            for (int i = 0; i < N; i++) {
                bool waits = done[i];
                for (int k = 0; k < N; k++)
                    waits |= edge[k][i] && !done[k];
                if (waits)
                    continue;
                done[i] = true;
                snprintf(expected + strlen(expected), sizeof expected - strlen(expected), "%s%s.",
                         placed ? " " : "", names[i]);
                break;
            }
        }
        assert_string_equal(bench_order(&b, 0), expected);
        assert_string_equal(bench_order(&b, 1000), expected);
        bench_end(&b);
    }
}

// Writers go first wherever both are due; where only the reader is, the value holds.
static void test_order_between_rates(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "fast", 1000, 0);
    bench_group(&b, "slow", 3000, 0);
    bench_add(&b, &(probe){.name = "R", .group = "fast", .in = {"u"}});
    bench_add(&b, &(probe){.name = "W", .group = "slow", .out = {"n"}});
    bench_route(&b, "R.u", "W.n");
    bench_prepare(&b);
    bench_run(&b, 9000);
    for (tac_time t = 0; t <= 9000; t += 1000) {
        assert_string_equal(bench_order(&b, t), t % 3000 ? "R." : "W. R.");
        assert_true(bench_at(&b, "R", AT_STEP, t)->in[0] == (double)(t / 3000 + 1));
    }
    bench_end(&b);
}

// --- cycles -------------------------------------------------------------------------------------

static void add_ring(bench *b)
{
    bench_begin(b, NULL);
    bench_group(b, "g", 1000, 0);
    // "tail" hangs on the ring and is no part of it.
    bench_add(b, &(probe){.name = "tail", .group = "g", .in = {"u"}});
    bench_add(b, &(probe){.name = "B",
                          .group = "g",
                          .in = {"u"},
                          .out = {"n"},
                          .place = {"ring.yaml", 4, 5, "B"}});
    bench_add(b,
              &(probe){.name = "C", .group = "g", .in = {"u"}, .out = {"n"}, .step = probe_copy});
    bench_add(b,
              &(probe){.name = "A", .group = "g", .in = {"u"}, .out = {"n"}, .step = probe_copy});
    bench_route(b, "tail.u", "C.n");
    bench_route(b, "C.u", "B.n");
    bench_route(b, "A.u", "C.n");
}

static void test_cycle_prints_the_loop(void **state)
{
    (void)state;
    bench b;
    add_ring(&b);
    bench_route(&b, "B.u", "A.n");
    assert_int_equal(bench_try_prepare(&b), TAC_E_CYCLE);
    bench_error(&b, TAC_E_CYCLE, "stage 'control'", "B -> (B.n) -> C -> (C.n) -> A -> (A.n) -> B",
                "delayed: true", NULL);
    assert_null(strstr(b.err.text, "tail"));
    assert_string_equal(b.err.file, "ring.yaml");
    assert_int_equal(b.err.line, 4);
    bench_end(&b);
}

static void test_cycle_of_one(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "A", .group = "g", .in = {"u"}, .out = {"n"}});
    bench_route(&b, "A.u", "A.n");
    assert_int_equal(bench_try_prepare(&b), TAC_E_CYCLE);
    bench_error(&b, TAC_E_CYCLE, "A -> (A.n) -> A", NULL);
    bench_end(&b);
}

static void test_delayed_breaks_a_cycle(void **state)
{
    (void)state;
    bench b;
    add_ring(&b);
    bench_delayed(&b, "B.u", "A.n");
    bench_prepare(&b);
    bench_run(&b, 5000);
    for (int k = 0; k <= 5; k++) {
        const tac_time t = (tac_time)k * 1000;
        assert_string_equal(bench_order(&b, t), "B. C. tail. A.");
        assert_true(bench_at(&b, "C", AT_STEP, t)->in[0] == k + 1);
        assert_true(bench_at(&b, "A", AT_STEP, t)->in[0] == k + 1);
        assert_true(bench_at(&b, "B", AT_STEP, t)->in[0] == k); // A's of the last boundary
    }
    bench_end(&b);
}

// A component may read itself, one boundary late.
static tac_status add_two(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = *TAC_IN(s, double, 0) + 2;
    return TAC_OK;
}

static void test_delayed_to_itself(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "A", .group = "g", .in = {"u"}, .out = {"n"}, .step = add_two});
    bench_delayed(&b, "A.u", "A.n");
    bench_prepare(&b);
    bench_run(&b, 9000);
    assert_true(bench_read(&b, "A.n") == 20);
    bench_end(&b);
}

// --- delayed ------------------------------------------------------------------------------------

static tac_status start_at_minus_one(tac_step *s, const void *self)
{
    (void)self;
    *TAC_OUT(s, double, 0) = -1;
    return TAC_OK;
}

// What a delayed reader sees is what stood there before this boundary, whatever runs first.
static void test_delayed_sees_the_last_boundary(void **state)
{
    (void)state;
    static const struct {
        tac_time writer_us, reader_us, offset_us;
    } rates[] = {{1000, 1000, 0}, {3000, 1000, 0}, {1000, 3000, 0}, {2000, 3000, 500}, {3, 7, 2}};
    for (size_t r = 0; r < 5; r++) {
        for (int way = 0; way < 6; way++) {
            bench b;
            bench_begin(&b, NULL);
            bench_group(&b, "w", rates[r].writer_us, rates[r].offset_us);
            bench_group(&b, "r", rates[r].reader_us, 0);
            // Reader in an earlier, the same or a later stage; declared before or after.
            static const char *const stage[] = {"estimate", "control", "actuate"};
            const probe reader = {.name = "R", .group = "r", .stage = stage[way / 2], .in = {"u"}};
            const probe writer = {.name = "W",
                                  .group = "w",
                                  .out = {"n"},
                                  .init = start_at_minus_one,
                                  .silent = true};
            bench_add(&b, way % 2 ? &reader : &writer);
            bench_add(&b, way % 2 ? &writer : &reader);
            bench_delayed(&b, "R.u", "W.n");
            bench_prepare(&b);
            bench_run(&b, 30000);
            assert_int_equal(b.count, 30000 / rates[r].reader_us + 1);
            for (size_t i = 0; i < b.count; i++) {
                const tac_time t = b.log[i].t_us;
                const double written = // before t
                    t <= rates[r].offset_us
                        ? 0
                        : (double)((t - rates[r].offset_us - 1) / rates[r].writer_us + 1);
                assert_true(b.log[i].in[0] == (written > 0 ? written : -1));
            }
            bench_end(&b);
        }
    }
}

static void test_delay_of_whole_periods(void **state)
{
    (void)state;
    for (int n = 1; n <= 7; n += 2) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "w", 2000, 0);
        bench_group(&b, "r", 500, 0);
        bench_add(&b, &(probe){.name = "R", .group = "r", .in = {"u"}});
        bench_add(&b, &(probe){.name = "W",
                               .group = "w",
                               .out = {"n"},
                               .init = start_at_minus_one,
                               .silent = true});
        tac_route_def def = tac_route_def_default();
        def.to = "R.u";
        def.from = "W.n";
        def.delay_us = (tac_time)n * 2000;
        assert_int_equal(tac_engine_add_route(b.engine, &def, &b.err), TAC_OK);
        bench_prepare(&b);
        bench_run(&b, 40000);
        for (size_t i = 0; i < b.count; i++) {
            const tac_time t = b.log[i].t_us;
            const double seen = t < def.delay_us ? -1 : (double)((t - def.delay_us) / 2000 + 1);
            assert_true(b.log[i].in[0] == seen);
        }
        bench_end(&b);
    }
}

// --- stages -------------------------------------------------------------------------------------

static void test_later_stage_must_be_delayed(void **state)
{
    (void)state;
    static const char *const stages[] = {"scenario", "environment", "outputs",
                                         "estimate", "control",     "actuate"};
    for (size_t w = 0; w < 6; w++) {
        for (size_t r = 0; r < 6; r++) {
            for (int given = 0; given < 2; given++) { // an order given by hand changes nothing
                bench b;
                bench_begin(&b, NULL);
                bench_group(&b, "g", 1000, 0);
                bench_add(&b, &(probe){.name = "R", .group = "g", .stage = stages[r], .in = {"u"}});
                bench_add(&b,
                          &(probe){.name = "W", .group = "g", .stage = stages[w], .out = {"n"}});
                tac_route_def def = tac_route_def_default();
                def.to = "R.u";
                def.from = "W.n";
                def.place = (tac_place){"late.yaml", 9, 2, "R.u: W.n"};
                assert_int_equal(tac_engine_add_route(b.engine, &def, &b.err), TAC_OK);
                if (given)
                    assert_int_equal(set_order(&b, (const char *const[]){"W", "R"}, 2), TAC_OK);
                if (w > r) {
                    assert_int_equal(bench_try_prepare(&b), TAC_E_CONFIG);
                    bench_error(&b, TAC_E_CONFIG, "'R'", "'W.n'", stages[r], stages[w],
                                "delayed: true", NULL);
                    assert_int_equal(b.err.line, 9);
                } else {
                    bench_prepare(&b);
                    bench_run(&b, 3000);
                    assert_string_equal(bench_order(&b, 3000), "W. R.");
                    assert_true(bench_at(&b, "R", AT_STEP, 3000)->in[0] == 4);
                }
                bench_end(&b);
            }
        }
    }
}

static void test_outputs_of_the_plant_too(void **state)
{
    (void)state;
    for (int delayed = 0; delayed < 2; delayed++) {
        bench b;
        bench_begin(&b, NULL);
        bench_group(&b, "g", 1000, 0);
        bench_add(&b, &(probe){.name = "R", .group = "g", .stage = "scenario", .in = {"y"}});
        bench_add(&b, &(probe){.name = "P",
                               .out = {"y"},
                               .x = {"x"},
                               .derive = linear_derive,
                               .output = linear_output});
        if (delayed)
            bench_delayed(&b, "R.y", "P.y");
        else
            bench_route(&b, "R.y", "P.y");
        assert_int_equal(bench_try_prepare(&b), delayed ? TAC_OK : TAC_E_CONFIG);
        if (!delayed)
            bench_error(&b, TAC_E_CONFIG, "'R'", "scenario", "'P.y'", "outputs", NULL);
        bench_end(&b);
    }
}

// The continuous state itself is readable everywhere, so it cannot be asked for late.
static void test_states_are_never_delayed(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "R", .group = "g", .stage = "scenario", .in = {"x"}});
    bench_add(&b, &(probe){.name = "P", .x = {"x"}, .derive = linear_derive});
    bench_delayed(&b, "R.x", "P.x");
    assert_int_equal(bench_try_prepare(&b), TAC_E_CONFIG);
    bench_error(&b, TAC_E_CONFIG, "P.x", "continuous state", "delayed", NULL);
    bench_end(&b);
}

// --- explicit order -----------------------------------------------------------------------------

static void add_three(bench *b)
{
    bench_begin(b, NULL);
    bench_group(b, "g", 1000, 0);
    bench_add(b, &(probe){.name = "writer", .group = "g", .out = {"n"}});
    bench_add(b, &(probe){.name = "reader", .group = "g", .in = {"u"}});
    bench_add(b, &(probe){.name = "sensor", .group = "g", .stage = "estimate"});
    bench_add(b, &(probe){.name = "plant", .x = {"x"}, .derive = linear_derive});
    bench_route(b, "reader.u", "writer.n");
}

static void test_explicit_order(void **state)
{
    (void)state;
    bench b;
    add_three(&b);
    assert_int_equal(set_order(&b, (const char *const[]){"reader", "writer", "sensor"}, 3), TAC_OK);
    bench_prepare(&b);
    bench_run(&b, 4000);
    for (int k = 0; k <= 4; k++) {
        // Inside a stage as given; stages stay where they are.
        assert_string_equal(bench_order(&b, (tac_time)k * 1000), "sensor. reader. writer.");
        assert_true(bench_at(&b, "reader", AT_STEP, (tac_time)k * 1000)->in[0] == k);
    }
    bench_end(&b);
}

static void test_explicit_order_may_name_the_plant(void **state)
{
    (void)state;
    bench b;
    add_three(&b);
    assert_int_equal(set_order(&b, (const char *const[]){"plant", "sensor", "writer", "reader"}, 4),
                     TAC_OK);
    bench_prepare(&b);
    bench_run(&b, 0);
    assert_string_equal(bench_order(&b, 0), "sensor. writer. reader.");
    bench_end(&b);
}

static void test_explicit_order_errors(void **state)
{
    (void)state;
    static const struct {
        const char *names[4];
        size_t count;
        tac_status status;
        const char *words[2];
    } wrong[] = {
        {{"reader", "writr", "sensor"}, 3, TAC_E_NAME, {"unknown component 'writr'", "'writer'"}},
        {{"reader", "writer", "reader", "sensor"}, 4, TAC_E_DUPLICATE, {"'reader'", "twice"}},
        {{"reader", "sensor"}, 2, TAC_E_CONFIG, {"'writer'", "missing"}},
        {{"writer"}, 0, TAC_E_CONFIG, {"'writer'", "missing"}},
    };
    for (size_t i = 0; i < 4; i++) {
        bench b;
        add_three(&b);
        assert_int_equal(set_order(&b, wrong[i].names, wrong[i].count), TAC_OK);
        assert_int_equal(bench_try_prepare(&b), wrong[i].status);
        bench_error(&b, wrong[i].status, wrong[i].words[0], wrong[i].words[1], NULL);
        assert_string_equal(b.err.file, "order.yaml");
        assert_int_equal(b.err.line, 7);
        bench_end(&b);
    }
}

// --- the plant in a loop ------------------------------------------------------------------------

// A component with a step and a state: who reads the state waits for nobody.
static void test_states_make_no_cycle(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "body",
                           .group = "g",
                           .stage = "control",
                           .in = {"u"},
                           .x = {"x"},
                           .init = linear_init,
                           .step = probe_step,
                           .derive = linear_derive});
    bench_add(
        &b, &(probe){.name = "pilot", .group = "g", .stage = "control", .in = {"x"}, .out = {"u"}});
    bench_route(&b, "body.u", "pilot.u");
    bench_route(&b, "pilot.x", "body.x");
    bench_prepare(&b);
    bench_run(&b, 1000);
    assert_string_equal(bench_order(&b, 1000), "pilot. body.");
    bench_end(&b);
}

// An input that only derive uses is read at stage 10: nothing about it is late.
static void test_derive_only_is_never_late(void **state)
{
    (void)state;
    bench b;
    bench_begin(&b, NULL);
    bench_group(&b, "g", 1000, 0);
    bench_add(&b, &(probe){.name = "body",
                           .group = "g",
                           .stage = "estimate",
                           .in = {"!u"},
                           .x = {"x"},
                           .p = {0, 1000},
                           .init = linear_init,
                           .step = probe_step,
                           .derive = linear_derive});
    bench_add(&b, &(probe){.name = "pilot", .group = "g", .stage = "control", .out = {"u"}});
    bench_route(&b, "body.u", "pilot.u");
    bench_prepare(&b);
    bench_run(&b, 1000); // the pilot wrote 1 at 0: x' = 1000 for 1 ms
    assert_true(bench_read(&b, "body.x") > 0.999 && bench_read(&b, "body.x") < 1.001);
    bench_end(&b);
}

TEST_MAIN(cmocka_unit_test(test_states_make_no_cycle),
          cmocka_unit_test(test_derive_only_is_never_late),
          cmocka_unit_test(test_chain_declared_backwards), cmocka_unit_test(test_ties_as_declared),
          cmocka_unit_test(test_other_stages_do_not_matter), cmocka_unit_test(test_any_wiring),
          cmocka_unit_test(test_order_between_rates), cmocka_unit_test(test_cycle_prints_the_loop),
          cmocka_unit_test(test_cycle_of_one), cmocka_unit_test(test_delayed_breaks_a_cycle),
          cmocka_unit_test(test_delayed_to_itself),
          cmocka_unit_test(test_delayed_sees_the_last_boundary),
          cmocka_unit_test(test_delay_of_whole_periods),
          cmocka_unit_test(test_later_stage_must_be_delayed),
          cmocka_unit_test(test_outputs_of_the_plant_too),
          cmocka_unit_test(test_states_are_never_delayed), cmocka_unit_test(test_explicit_order),
          cmocka_unit_test(test_explicit_order_may_name_the_plant),
          cmocka_unit_test(test_explicit_order_errors))
