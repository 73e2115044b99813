// Flight phases: when conditions are looked at, when a change takes effect, which hooks run where,
// what actions do, and that who else is there changes nothing.
#include "engine/phase_rig.h"
#include "engine/run/state.h"
#include "support/formats.h"

#define CLOCK                                                                                      \
    "duration: 10 ms\n"                                                                            \
    "scheduler:\n"                                                                                 \
    "  rate_groups:\n"                                                                             \
    "    - {name: g, period: 1 ms, components: [clock, a, b]}\n"

// clock.n is 1 at t = 0, 2 at 1 ms, ...
#define PARTS                                                                                      \
    CLOCK "components:\n"                                                                          \
          "  clock: {type: counter}\n"                                                             \
          "  a: {type: actor, params: {watch: flight.phase}}\n"                                    \
          "  b: {type: hooked}\n"

static void expect_trace(const char *expected)
{
    if (!strstr(trace, expected))
        fail_msg("expected\n  %s\nin\n  %s", expected, trace);
}

// --- timing -------------------------------------------------------------------------------------

static const char two_phases[] = PARTS "phases:\n"
                                       "  names: [BOOST, COAST]\n"
                                       "  initial: BOOST\n"
                                       "  transitions:\n"
                                       "    - {from: BOOST, to: COAST, condition: clock.n >= 4}\n";

// The two rows of the table: at t the step runs with BOOST, the condition becomes true, the change
// is queued, exit and enter hooks run; t + dt runs with COAST from its beginning.
static void test_table(void **state)
{
    (void)state;
    rig r;
    trace_clear();
    rig_open(&r, two_phases);
    for (tac_time t_us = 0; t_us <= 10000; t_us += 1000) {
        rig_run(&r, t_us);
        assert_string_equal(phase_of(&r, "flight.phase"), t_us <= 3000 ? "BOOST" : "COAST");
        assert_int_equal(rig_i64(&r, "flight.queued"), t_us == 3000);
        assert_int_equal(rig_i64(&r, "flight.transition"), t_us > 3000);
        assert_int_equal(rig_i64(&r, "flight.changes"), t_us > 3000);
    }
    expect_trace("b.pre@2000 a.step[0]@2000 b.step@2000 b.post@2000 "
                 // t
                 "b.pre@3000 a.step[0]@3000 b.step@3000 "
                 "a.exit(0>1)@3000 b.exit(0>1)@3000 a.enter(0>1)@3000 b.enter(0>1)@3000 "
                 "b.post@3000 "
                 // t + dt
                 "b.pre@4000 a.step[1]@4000 b.step@4000 b.post@4000 ");
    assert_null(strstr(strstr(trace, "enter(0>1)@3000") + 40, "exit")); // and no other change
    rig_close(&r);
}

// One that is decided at the end of the run never takes effect.
static void test_end(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PARTS "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                       "    - {from: A, to: B, condition: clock.n >= 11}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_true(tac_engine_finished(r.engine));
    assert_string_equal(phase_of(&r, "flight.phase"), "A");
    assert_int_equal(rig_i64(&r, "flight.queued"), 1);
    rig_close(&r);
}

// All conditions hold all the time: each boundary makes one change, no more.
static void test_no_cascading(void **state)
{
    (void)state;
    rig r;
    trace_clear();
    rig_open(&r, PARTS "phases:\n  names: [A, B, C, D]\n  initial: A\n  transitions:\n"
                       "    - {from: C, to: D, condition: clock.n > 0}\n"
                       "    - {from: B, to: C, condition: clock.n > 0}\n"
                       "    - {from: A, to: B, condition: clock.n > 0}\n");
    static const char *const expected[] = {"A", "B", "C", "D", "D"};
    for (int k = 0; k < 5; k++) {
        rig_run(&r, (tac_time)k * 1000);
        assert_string_equal(phase_of(&r, "flight.phase"), expected[k]);
        assert_int_equal(rig_i64(&r, "flight.changes"), k < 3 ? k : 3);
    }
    expect_trace("a.step[0]@0 b.step@0 a.exit(0>1)@0 b.exit(0>1)@0 a.enter(0>1)@0 ");
    expect_trace("a.step[1]@1000 b.step@1000 a.exit(1>2)@1000 b.exit(1>2)@1000 a.enter(1>2)@1000 ");
    expect_trace("a.step[2]@2000 b.step@2000 a.exit(2>3)@2000 b.exit(2>3)@2000 a.enter(2>3)@2000 ");
    rig_close(&r);
}

// The first in the order written wins, not the first in the order of phases.
static void test_first_wins(void **state)
{
    (void)state;
    static const char *const order[] = {
        "    - {from: A, to: C, condition: clock.n >= 3}\n"
        "    - {from: A, to: B, condition: clock.n >= 2}\n"
        "    - {from: any, to: D, condition: clock.n >= 100}\n",
        "    - {from: [A, D], to: B, condition: clock.n >= 3}\n"
        "    - {from: A, to: C, condition: clock.n >= 2 AND clock.n < 3}\n"
        "    - {from: A, to: D, condition: clock.n >= 3.0}\n",
        "    - {from: A, to: D, condition: clock.n >= 2}\n"
        "    - {from: [D, A], to: B, condition: clock.n >= 2.0}\n"
        "    - {from: D, to: C, condition: clock.n > 1}\n",
    };
    static const char *const at[][4] = {
        {"A", "A", "B", "B"}, {"A", "A", "C", "C"}, {"A", "A", "D", "B"}};
    for (int i = 0; i < 3; i++) {
        rig r;
        char text[1024];
        snprintf(text, sizeof text,
                 PARTS "phases:\n  names: [A, B, C, D]\n  initial: A\n"
                       "  transitions:\n%s",
                 order[i]);
        rig_open(&r, text);
        for (int k = 0; k < 4; k++) {
            rig_run(&r, (tac_time)k * 1000);
            if (strcmp(phase_of(&r, "flight.phase"), at[i][k]))
                fail_msg("case %d at %d ms: %s", i, k, phase_of(&r, "flight.phase"));
        }
        rig_close(&r);
    }
}

// 'any' is every phase but the one it leads to; one that leads to itself acts again and again.
static void test_any_and_self(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PARTS "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                       "    - {from: any, to: C, condition: clock.n >= 5}\n"
                       "    - {from: B, to: B, condition: clock.n > 2,\n"
                       "       actions: [{reset: a.n, to: a.y * 100}]}\n"
                       "    - {from: A, to: B, condition: clock.n >= 2}\n");
    rig_run(&r, 2000);
    assert_string_equal(phase_of(&r, "flight.phase"), "B"); // decided at 1 ms
    assert_int_equal(rig_i64(&r, "flight.changes"), 1);
    rig_run(&r, 3000); // B again, decided at 2 ms with a.y = 3; then a steps
    assert_int_equal(rig_i64(&r, "flight.changes"), 2);
    rig_same(rig_f64(&r, "a.y"), 301, "a.y", 3000);
    rig_run(&r, 5000); // again at 4 ms; decided at 4 ms: to C
    assert_string_equal(phase_of(&r, "flight.phase"), "C");
    assert_int_equal(rig_i64(&r, "flight.changes"), 4);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(rig_i64(&r, "flight.changes"), 4);
    rig_close(&r);
}

// Conditions are levels: one that held before its phase was entered counts at once, one that holds
// no longer does not.
static void test_levels(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PARTS "phases:\n  names: [A, B, C, D]\n  initial: A\n  transitions:\n"
                       "    - {from: A, to: B, condition: clock.n >= 4}\n"
                       "    - {from: B, to: C, condition: clock.n == 3}\n"
                       "    - {from: B, to: D, condition: clock.n >= 2}\n"
                       "    - {from: A, to: C, condition: false}\n");
    rig_run(&r, 4000);
    assert_string_equal(phase_of(&r, "flight.phase"), "B");
    rig_run(&r, 5000);
    assert_string_equal(phase_of(&r, "flight.phase"), "D");
    rig_close(&r);
}

// A boundary is the entity's own: what others do in between makes nobody look.
static void test_own_boundaries(void **state)
{
    (void)state;
    rig r;
    trace_clear();
    rig_open(&r, "duration: 20 ms\n"
                 "scheduler:\n  rate_groups:\n"
                 "    - {name: fast, period: 1 ms, components: [clock]}\n"
                 "    - {name: slow, period: 5 ms, components: [car.a]}\n"
                 "components:\n  clock: {type: counter}\n"
                 "entities:\n  car:\n"
                 "    components:\n      a: {type: actor, params: {watch: flight.phase}}\n"
                 "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
                 "        - {from: A, to: B, condition: clock.n >= 3}\n");
    for (tac_time t_us = 0; t_us <= 20000; t_us += 1000) {
        rig_run(&r, t_us);
        assert_string_equal(phase_of(&r, "car.flight.phase"), t_us < 10000 ? "A" : "B");
        assert_int_equal(rig_i64(&r, "car.flight.queued"), t_us >= 5000 && t_us < 10000);
    }
    assert_string_equal(trace, "car.a.step[0]@0 car.a.step[0]@5000 car.a.exit(0>1)@5000 "
                               "car.a.enter(0>1)@5000 car.a.step[1]@10000 car.a.step[1]@15000 "
                               "car.a.step[1]@20000 ");
    rig_close(&r);
}

// --- operators that remember --------------------------------------------------------------------

// held() puts a boundary where it ends, whatever the rates are; the change comes one later.
static void test_held(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PARTS "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                       "    - {from: A, to: B, condition: 'held(clock.n >= 3, 1234 us)'}\n");
    const uint64_t before = tac_engine_counters(r.engine).boundaries;
    rig_run(&r, 3233);
    assert_int_equal(rig_i64(&r, "flight.queued"), 0);
    rig_run(&r, 3234);
    assert_int_equal(tac_engine_time(r.engine), 3234);
    assert_int_equal(rig_i64(&r, "flight.queued"), 1);
    assert_string_equal(phase_of(&r, "flight.phase"), "A");
    rig_run(&r, 3999);
    assert_string_equal(phase_of(&r, "flight.phase"), "A");
    rig_run(&r, 4000);
    assert_string_equal(phase_of(&r, "flight.phase"), "B");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_counters(r.engine).boundaries - before, 12);
    rig_close(&r);
}

// They see every boundary, also in phases that their transition does not leave: here the time of
// held() has run since 1 ms when B begins at 6 ms. Only then is its end worth a boundary.
static void test_memory_in_other_phases(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, PARTS "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                       "    - {from: B, to: C, condition: 'held(clock.n >= 2, 3500 us)'}\n"
                       "    - {from: A, to: B, condition: clock.n >= 6}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_counters(r.engine).boundaries, 11);
    assert_string_equal(phase_of(&r, "flight.phase"), "C");
    rig_close(&r);
    // rising() is over when its phase comes, and does not come back
    rig_open(&r, PARTS "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                       "    - {from: B, to: C, condition: rising(clock.n >= 4)}\n"
                       "    - {from: A, to: B, condition: clock.n >= 6}\n");
    rig_run(&r, TAC_TIME_NEVER);
    assert_string_equal(phase_of(&r, "flight.phase"), "B");
    rig_close(&r);
    // since() counts from when it turned true, not from the beginning of the phase
    rig_open(&r, PARTS "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                       "    - {from: B, to: C, condition: since(clock.n >= 3) >= 5 ms}\n"
                       "    - {from: A, to: B, condition: clock.n >= 5}\n");
    rig_run(&r, 7000);
    assert_string_equal(phase_of(&r, "flight.phase"), "B");
    assert_int_equal(rig_i64(&r, "flight.queued"), 1);
    rig_run(&r, 8000);
    assert_string_equal(phase_of(&r, "flight.phase"), "C");
    rig_close(&r);
}

// --- NaN ----------------------------------------------------------------------------------------

static void test_nan(void **state)
{
    (void)state;
    rig r;
    static const char text[] = CLOCK "components:\n  clock: {type: counter}\n"
                                     "  a: {type: actor, params: {nan: true}}\n  b: {type: actor}\n"
                                     "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                                     "    - {from: B, to: C, condition: clock.n > 1 AND a.y < 3}\n"
                                     "    - {from: A, to: B, condition: clock.n >= 4}\n";
    rig_open(&r, text);
    rig_run(&r, 3000); // in A nobody asks
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_NUMERIC);
    assert_string_equal(r.err.text, "'a.y' is not a number, in 'clock.n > 1 AND a.y < 3'");
    assert_int_equal(r.err.t_us, 4000);
    assert_string_equal(r.err.component, "flight");
    rig_close(&r);
    // One that is not looked at, because an earlier one holds, is no error either.
    rig_open(&r, CLOCK "components:\n  clock: {type: counter}\n"
                       "  a: {type: actor, params: {nan: true}}\n  b: {type: actor}\n"
                       "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                       "    - {from: A, to: B, condition: clock.n >= 1}\n"
                       "    - {from: A, to: B, condition: a.y < 3}\n");
    rig_run(&r, TAC_TIME_NEVER);
    rig_close(&r);
    rig_refused(CLOCK "components:\n  clock: {type: counter}\n"
                      "  a: {type: actor, params: {nan: true}}\n  b: {type: actor}\n"
                      "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                      "    - {from: A, to: B, condition: clock.n >= 2,\n"
                      "       actions: [{reset: b.n, to: 2 * a.y}]}\n",
                TAC_E_NUMERIC, "'a.y' is not a number, in '2 * a.y'");
    rig_refused(CLOCK "components:\n  clock: {type: counter}\n  a: {type: actor}\n"
                      "  b: {type: actor}\n"
                      "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                      "    - {from: A, to: B, condition: clock.n >= 2,\n"
                      "       actions: [{reset: b.n, to: log(0 - clock.n)}]}\n",
                TAC_E_NUMERIC, "'log(0 - clock.n)' is not a number");
}

// --- actions ------------------------------------------------------------------------------------

// The states of one island, of two and of discrete code; values are those before the change.
static void test_resets(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CLOCK "components:\n  clock: {type: counter}\n"
                       "  a: {type: actor}\n  b: {type: actor}\n"
                       "  one: {type: tank, params: {initial: 1, rate: 1000}}\n"
                       "  two: {type: tank, params: {initial: -5}}\n"
                       "phases:\n  names: [A, B]\n  initial: A\n  transitions:\n"
                       "    - from: A\n      to: B\n      condition: clock.n >= 3\n      actions:\n"
                       "        - {reset: one.x, to: two.x}\n"
                       "        - {reset: two.x, to: one.x}\n"
                       "        - {reset: two.p, to: [one.x, 7, one.p.y]}\n"
                       "        - {reset: one.p, to: two.p}\n"
                       "        - {reset: a.n, to: a.y * 10 + one.level}\n"
                       "        - {reset: one.p.z, to: 9}\n");
    rig_run(&r, 2000);
    rig_same(rig_f64(&r, "two.x"), -5, "two.x", 2000);
    rig_run(&r, 3000);
    const double x = rig_f64(&r, "two.x"); // what one.x had come to: 1 + 3 and its event at 2
    rig_same(rig_f64(&r, "one.x"), -5, "one.x", 3000);
    assert_true(x > 4 && x < 4.01);
    const double *p = rig_read(&r, "two.p");
    rig_same(p[0], x, "two.p.x", 3000);
    rig_same(p[1], 7, "two.p.y", 3000);
    assert_true(p[2] > 0.00299 && p[2] < 0.00301); // one.p.y: seconds
    const double *q = rig_read(&r, "one.p");
    assert_true(q[0] > -0.01501 && q[0] < -0.01499); // what two.p was: the integral of -5
    assert_true(q[1] > 0.00299 && q[1] < 0.00301);
    rig_same(q[2], 9, "one.p.z", 3000);                    // the last to write it wins
    rig_same(rig_f64(&r, "a.y"), 30 + x + 1, "a.y", 3000); // a steps after the reset
    rig_close(&r);
}

// What is reset is on its bounds at once: a tank is not below zero and a quaternion of unit length,
// also one that is made up of elements; one of length 0 has no direction.
#define RESETTING(actions)                                                                         \
    "duration: 20 ms\n"                                                                            \
    "components:\n"                                                                                \
    "  a:\n    type: equations\n    params:\n"                                                     \
    "      states: {q: {type: quat}, f: {initial: 1}}\n"                                           \
    "      bounds: {f: [0, inf]}\n"                                                                \
    "      outputs: {low: 1}\n"                                                                    \
    "      equations: ['der(f) = 1 s^-1', 'low = f', 'der(q.w) = 0 s^-1', 'der(q.x) = 0 s^-1', "   \
    "'der(q.y) = 0 s^-1', 'der(q.z) = 0 s^-1']\n"                                                  \
    "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"                                  \
    "    - {from: A, to: B, condition: a.f >= 1.003, locate: true, actions: [" actions "]}\n"      \
    "    - {from: B, to: C, condition: a.low < 0}\n"

static void test_resets_project(void **state)
{
    (void)state;
    static const char *const actions[] = {
        "{reset: a.f, to: -5}, {reset: a.q, to: [0, 2, 0, 0]}",
        "{reset: a.q.w, to: 0}, {reset: a.f, to: '-1'}, {reset: a.q.x, to: 7}"};
    for (int i = 0; i < 2; i++) {
        rig r;
        char text[2048];
        snprintf(text, sizeof text, RESETTING("%s"), actions[i]);
        rig_open(&r, text);
        tac_time t_us = 2900; // where the change is found depends on rounding
        while (rig_i64(&r, "flight.changes") == 0 && t_us < 3100)
            rig_run(&r, t_us++);
        assert_int_equal(rig_i64(&r, "flight.changes"), 1);
        rig_same(rig_f64(&r, "a.f"), 0, "a.f", t_us);
        rig_same(rig_f64(&r, "a.low"), 0, "a.low", t_us);
        const double *q = rig_read(&r, "a.q");
        rig_same(q[0], 0, "a.q.w", t_us);
        rig_same(q[1], 1, "a.q.x", t_us);
        rig_run(&r, TAC_TIME_NEVER);
        assert_string_equal(phase_of(&r, "flight.phase"), "B"); // nobody saw less than 0
        rig_close(&r);
    }
    rig_refused(RESETTING("{reset: a.q, to: [0, 0, 0, 0]}"), TAC_E_NUMERIC,
                "state 'a.q' is a quaternion of length 0 after a reset");
    rig_refused(RESETTING("{reset: a.f, to: '1 / (a.f - a.f)'}"), TAC_E_NUMERIC,
                "state 'a.f' is infinite after a reset");
}

// Two vehicles that swap their states see each other as they were, in either order.
static void test_swap(void **state)
{
    (void)state;
    static const char *const entity =
        "  %s:\n    components:\n      t: {type: tank, params: {initial: %d}}\n"
        "      a: {type: actor}\n"
        "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
        "        - {from: A, to: B, condition: clock.n >= 3,\n"
        "           actions: [{reset: t.x, to: %s.t.x}, {reset: t.p, to: %s.t.p}]}\n";
    static const char group[] = "duration: 10 ms\nscheduler:\n  rate_groups:\n"
                                "    - {name: g, period: 1 ms, components: [clock, '*.a']}\n"
                                "components:\n  clock: {type: counter}\nentities:\n";
    rig r;
    char one[512], two[512], text[2048];
    snprintf(one, sizeof one, entity, "one", 1, "two", "two");
    snprintf(two, sizeof two, entity, "two", -3, "one", "one");
    for (int i = 0; i < 2; i++) {
        snprintf(text, sizeof text, "%s%s%s", group, i ? one : two, i ? two : one);
        rig_open(&r, text);
        rig_run(&r, 3000);
        rig_same(rig_f64(&r, "one.t.x"), -3, "one.t.x", 3000);
        rig_same(rig_f64(&r, "two.t.x"), 1, "two.t.x", 3000);
        assert_true(*(const double *)rig_read(&r, "one.t.p") < 0);
        rig_close(&r);
    }
}

// However many there are.
static void test_swarm_shifts(void **state)
{
    (void)state;
    enum { N = 150 };
    static char text[N * 400];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "duration: 10 ms\nscheduler:\n  rate_groups:\n"
                                   "    - {name: g, period: 1 ms, components: [clock, '*.a']}\n"
                                   "components:\n  clock: {type: counter}\nentities:\n");
    for (int i = 0; i < N; i++)
        used += (size_t)snprintf(
            text + used, sizeof text - used,
            "  e%d:\n    components:\n      t: {type: tank, params: {initial: %d}}\n"
            "      a: {type: actor}\n"
            "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
            "        - {from: A, to: B, condition: clock.n >= 3,\n"
            "           actions: [{reset: t.x, to: e%d.t.x}]}\n",
            i, -i, (i + N - 1) % N);
    rig r;
    rig_open(&r, text);
    rig_run(&r, 3000);
    for (int i = 0; i < N; i++) {
        char name[32];
        snprintf(name, sizeof name, "e%d.t.x", i);
        rig_same(rig_f64(&r, name), -((i + N - 1) % N), name, 3000);
    }
    rig_close(&r);
}

// A setting feeds an input; settings of one change see each other as they were.
static void test_sets(void **state)
{
    (void)state;
    rig r;
    rig_open(&r, CLOCK "components:\n  clock: {type: counter}\n"
                       "  a: {type: actor}\n  b: {type: actor}\n"
                       "  one: {type: tank, params: {initial: -1}}\n"
                       "phases:\n  names: [A, B, C]\n  initial: A\n  transitions:\n"
                       "    - from: A\n      to: B\n      condition: clock.n >= 3\n      actions:\n"
                       "        - {set: one.u, to: 1000}\n        - {set: a.u, to: 2 * clock.n}\n"
                       "    - from: B\n      to: C\n      condition: clock.n >= 5\n      actions:\n"
                       "        - {set: one.u, to: flight.set_a_u}\n"
                       "        - {set: a.u, to: flight.set_one_u}\n");
    rig_run(&r, 2000);
    rig_same(rig_f64(&r, "flight.set_one_u"), 0, "set", 2000);
    rig_run(&r, 3000);
    rig_same(rig_f64(&r, "one.x"), -1, "one.x", 3000);
    rig_same(rig_f64(&r, "one.twice"), 2000, "one.twice", 3000);
    rig_same(rig_f64(&r, "flight.set_a_u"), 6, "set", 3000); // clock.n of the last boundary
    rig_run(&r, 4000);
    assert_true(rig_f64(&r, "one.x") > -0.01 && rig_f64(&r, "one.x") < 0.01);
    rig_run(&r, 5000);
    rig_same(rig_f64(&r, "flight.set_one_u"), 6, "set", 5000);
    rig_same(rig_f64(&r, "flight.set_a_u"), 1000, "set", 5000);
    rig_close(&r);
}

// --- who is told --------------------------------------------------------------------------------

static char told[1024];

static void on_change(void *context, const tac_phase_change *c)
{
    assert_ptr_equal(context, told);
    const size_t n = strlen(told);
    snprintf(told + n, sizeof told - n, "%llu %s: %s > %s because %s%s; ",
             (unsigned long long)c->t_us, c->entity, c->from, c->to, c->condition,
             c->located ? " located" : "");
}

static void on_log(void *context, const tac_log_entry *entry)
{
    (void)context;
    trace_add("%llu %s %d %s; ", (unsigned long long)entry->t_us, entry->component,
              (int)entry->level, entry->text);
}

static void tune(tac_engine_def *def)
{
    def->phase_changed = on_change;
    def->phase_context = told;
    def->log = on_log;
}

// Others beside those of the engine's definition.
static char told_too[1024], warned[1024];

static void add_change(void *context, const tac_phase_change *c)
{
    const size_t n = strlen(context);
    snprintf((char *)context + n, sizeof told_too - n, "%llu > %s; ", (unsigned long long)c->t_us,
             c->to);
}

static void add_entry(void *context, const tac_log_entry *entry)
{
    const size_t n = strlen(context);
    snprintf((char *)context + n, sizeof warned - n, "%s; ", entry->text);
}

static void test_told(void **state)
{
    (void)state;
    rig r;
    told[0] = '\0';
    trace_clear();
    rig_tune = tune;
    rig_open(&r, CLOCK
             "components:\n  clock: {type: counter}\n"
             "  a: {type: actor, params: {traced: false}}\n"
             "  b: {type: actor, params: {traced: false}}\n"
             "entities:\n  x:\n    phases:\n      names: [A, B]\n      initial: A\n"
             "      transitions:\n"
             "        - {from: A, to: B, condition: clock.n >= 3, actions: [{log: off it goes},\n"
             "           {log: careful, level: warn}]}\n"
             "        - {from: B, to: A, condition: clock.n >= 5}\n");
    rig_run(&r, TAC_TIME_NEVER);
    rig_tune = NULL;
    // x has no component but its own machine: two boundaries, the start and the end
    assert_string_equal(told, "");
    rig_close(&r);
    assert_int_equal(test_count_of(trace, "neither located nor on any axis"), 2);
    trace_clear();
    rig_tune = tune;
    rig_open(&r,
             CLOCK "components:\n  clock: {type: counter}\n"
                   "  a: {type: actor, params: {traced: false}}\n"
                   "  b: {type: actor, params: {traced: false}}\n"
                   "phases:\n  names: [A, B]\n  initial: A\n"
                   "  transitions:\n"
                   "    - {from: A, to: B, condition: clock.n >= 3, actions: [{log: off it goes},\n"
                   "       {log: careful, level: warn}]}\n"
                   "    - {from: B, to: A, condition: clock.n == 5}\n");
    told_too[0] = warned[0] = '\0';
    assert_int_equal(tac_engine_add_phase_watcher(r.engine, add_change, told_too, &r.err), TAC_OK);
    assert_int_equal(tac_engine_add_log(r.engine, TAC_LOG_WARN, add_entry, warned, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    rig_tune = NULL;
    assert_string_equal(told_too, "3000 > B; 5000 > A; 6000 > B; ");
    assert_string_equal(warned, "careful; careful; ");
    assert_string_equal(told, "3000 : A > B because clock.n >= 3; 5000 : B > A because clock.n == "
                              "5; 6000 : A > B because clock.n >= 3; ");
    assert_string_equal(trace, "3000 flight 1 A -> B (clock.n >= 3); 3000 flight 1 off it goes; "
                               "3000 flight 2 careful; 5000 flight 1 B -> A (clock.n == 5); "
                               "6000 flight 1 A -> B (clock.n >= 3); 6000 flight 1 off it goes; "
                               "6000 flight 2 careful; ");
    rig_close(&r);
}

// --- entities without periodic boundaries -------------------------------------------------------

// x of the tank rises towards 8: phase B begins where it passes 3.0005; what leads on to C holds
// there already, and then what leads to D.
#define DRIFTING(more)                                                                             \
    "duration: 20 ms\n"                                                                            \
    "plant: {integrator: {kind: rk45}}\n"                                                          \
    "entities:\n"                                                                                  \
    "  car:\n"                                                                                     \
    "    phases:\n      names: [A, B, C, D]\n      initial: A\n      transitions:\n"               \
    "        - {from: A, to: B, condition: a.x > 3.0005, locate: true}\n" more "    components:\n" \
    "      a: {type: tank, params: {rate: 4000, leak: 500}}\n"                                     \
    "  van:\n"                                                                                     \
    "    components:\n      b: {type: tank, params: {rate: 700, leak: 0.3}}\n"

#define ON                                                                                         \
    "        - {from: B, to: C, condition: a.x > 1, locate: true,\n"                               \
    "           actions: [{reset: a.x, to: 4.5}]}\n"                                               \
    "        - {from: C, to: D, condition: a.level > 4}\n"

static const char drifting[] = DRIFTING(ON);

static tac_time first_told(void)
{
    return strtoull(told, NULL, 10);
}

// A change that is queued takes effect a microsecond later, and so does each that follows; those of
// others have nothing to do with it.
static void test_inserted(void **state)
{
    (void)state;
    rig r;
    char expected[400];
    told[0] = '\0';
    rig_tune = tune;
    rig_open(&r, drifting);
    rig_run(&r, 500);
    assert_string_equal(told, "");
    rig_run(&r, TAC_TIME_NEVER);
    const tac_time t_us = first_told();
    assert_true(t_us > 500 && t_us < 1500);
    snprintf(expected, sizeof expected,
             "%llu car: A > B because a.x > 3.0005 located; %llu car: B > C because a.x > 1; "
             "%llu car: C > D because a.level > 4; ",
             (unsigned long long)t_us, (unsigned long long)t_us + 1, (unsigned long long)t_us + 2);
    assert_string_equal(told, expected);
    assert_int_equal(tac_engine_time(r.engine), 20000);
    // the start, an event of each tank, the phases, the end
    assert_int_equal(tac_engine_counters(r.engine).boundaries, 1 + 2 + 3 + 1);
    const uint64_t whole = tac_engine_hash(r.engine, NULL, NULL);
    const uint64_t van = tac_engine_hash(r.engine, "van.*", NULL);
    rig_close(&r);

    rig_open(&r, DRIFTING("        - {from: B, to: C, condition: a.x > 100, locate: true}\n"
                          "        - {from: C, to: D, condition: a.x > 100, locate: true}\n"));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_hash(r.engine, "van.*", NULL), van);
    rig_close(&r);

    // It is the next event of the engine, and a checkpoint before and after it goes on alike.
    const char *path = path_of("state.checkpoint");
    for (tac_time k = 0; k <= 3; k++) {
        rig_open(&r, drifting);
        rig_run(&r, t_us + k);
        if (k < 2)
            assert_int_equal(tac_engine_next_time(r.engine), t_us + k + 1);
        assert_int_equal(rig_i64(&r, "car.flight.queued"), k < 2 ? (int64_t)k + 2 : 0);
        rig_close(&r);
        rig_open(&r, drifting);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, t_us + k, path, &r.err), TAC_OK);
        rig_run(&r, t_us + 5);
        rig_close(&r);
        rig_open(&r, drifting);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_int_equal(tac_engine_hash(r.engine, NULL, NULL), whole);
        rig_close(&r);
    }
    rig_tune = NULL;
}

// The step that such a boundary cuts is 1 us long and says nothing about the next.
static void test_inserted_step(void **state)
{
    (void)state;
    rig r;
    told[0] = '\0';
    rig_tune = tune;
    rig_open(&r, drifting);
    rig_run(&r, 1500);
    rig_close(&r);
    const tac_time t_us = first_told();
    rig_open(&r, drifting);
    rig_run(&r, t_us);
    const tac__island_state *s = r.engine->islands[0].state;
    const tac_time h_us = s->h_us;
    assert_true(h_us > 100);
    for (tac_time k = 1; k <= 2; k++) {
        rig_run(&r, t_us + k);
        assert_int_equal(s->from_us, t_us + k);
        assert_int_equal(s->h_us, h_us);
    }
    rig_close(&r);
    rig_tune = NULL;
}

// Not beyond the end: what is decided there stays queued. A microsecond before, it takes effect
// there.
static void test_inserted_at_the_end(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        rig r;
        char text[800];
        snprintf(text, sizeof text,
                 "duration: 5 ms\nentities:\n  car:\n    components:\n"
                 "      a: {type: tank, params: {rate: 1}}\n"
                 "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
                 "        - {from: A, to: B, condition: 'held(a.x >= 0, %d us)'}\n",
                 5000 - k);
        rig_open(&r, text);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_finished(r.engine));
        assert_int_equal(tac_engine_time(r.engine), 5000);
        assert_string_equal(phase_of(&r, "car.flight.phase"), k ? "B" : "A");
        assert_int_equal(rig_i64(&r, "car.flight.queued"), !k);
        rig_close(&r);
    }
}

// Phases that lead to each other for ever come to an end.
static void test_inserted_chatter(void **state)
{
    (void)state;
    rig_refused("duration: 1 s\nentities:\n  car:\n    components:\n"
                "      a: {type: tank, params: {rate: 1}}\n"
                "    phases:\n      names: [A, B]\n      initial: A\n      transitions:\n"
                "        - {from: A, to: B, condition: a.x >= 0}\n"
                "        - {from: B, to: A, condition: a.x > -1, locate: true}\n",
                TAC_E_NUMERIC, "phases chatter: 1000 changes within 10 us of each other");
}

static int set_up(void **state)
{
    return phase_set_up(state) || folder_set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_no_cascading),
        cmocka_unit_test(test_first_wins),
        cmocka_unit_test(test_any_and_self),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_own_boundaries),
        cmocka_unit_test(test_held),
        cmocka_unit_test(test_memory_in_other_phases),
        cmocka_unit_test(test_nan),
        cmocka_unit_test(test_resets),
        cmocka_unit_test(test_resets_project),
        cmocka_unit_test(test_swap),
        cmocka_unit_test(test_swarm_shifts),
        cmocka_unit_test(test_sets),
        cmocka_unit_test(test_told),
        cmocka_unit_test(test_inserted),
        cmocka_unit_test(test_inserted_step),
        cmocka_unit_test(test_inserted_at_the_end),
        cmocka_unit_test(test_inserted_chatter),
    };
    return cmocka_run_group_tests(tests, set_up, folder_tear_down);
}
