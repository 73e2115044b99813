// Components that are active in some phases only: what stands still, what waits, what is seen of
// them, and that no strategy changes a bit.
#include "engine/phase_rig.h"

#include "support/folder.h"

#include <math.h>

// GROUND until clock.n is 4 (3 ms), from 4 ms on FLY, from 7 ms on LAND, from 9 ms on FLY again.
#define PHASES                                                                                     \
    "phases:\n"                                                                                    \
    "  names: [GROUND, FLY, LAND]\n"                                                               \
    "  initial: GROUND\n"                                                                          \
    "  transitions:\n"                                                                             \
    "    - {from: GROUND, to: FLY, condition: clock.n >= 4}\n"                                     \
    "    - {from: FLY, to: LAND, condition: clock.n == 7}\n"                                       \
    "    - {from: LAND, to: FLY, condition: clock.n >= 9}\n"

#define GROUP                                                                                      \
    "duration: 12 ms\n"                                                                            \
    "plant: {integrator: {kind: rk4, h_max: 1 ms}}\n"                                              \
    "scheduler:\n"                                                                                 \
    "  rate_groups:\n"

static bool is_flying(tac_time t_us)
{
    return (t_us >= 4000 && t_us < 7000) || t_us >= 9000;
}

// --- discrete components ------------------------------------------------------------------------

static const char discrete[] =
    GROUP "    - {name: g, period: 1 ms, components: [clock, a, b, c, sink]}\n"
          "components:\n"
          "  clock: {type: counter}\n"
          "  a: {type: actor, active: FLY, params: {traced: false}}\n"
          "  b: {type: hooked, active: [FLY], inactive: hold}\n"
          "  c: {type: actor, params: {traced: false}}\n"
          "  sink: {type: actor, inputs: {u: a.y}, params: {traced: false}}\n" PHASES;

// Steps and draws go on where they stopped: those of `a` in FLY are the first ones of an equal
// component that always runs, c; only their streams differ, so a run without phases is asked.
static void test_states_and_draws_stand_still(void **state)
{
    (void)state;
    rig free, r;
    double draws[16];
    rig_open(&free, GROUP "    - {name: g, period: 1 ms, components: [a]}\n"
                          "components:\n  a: {type: actor, params: {traced: false}}\n");
    for (int k = 0; k <= 12; k++) {
        rig_run(&free, (tac_time)k * 1000);
        draws[k] = rig_f64(&free, "a.r");
    }
    rig_close(&free);
    for (int strategy = 0; strategy < 3; strategy++) {
        open_with(&r, discrete, strategies[strategy]);
        int steps = 0;
        for (tac_time t_us = 0; t_us <= 12000; t_us += 1000) {
            rig_run(&r, t_us);
            const double *q = rig_read(&r, "a.q");
            double unit[4] = {1, 0, 0, 0};
            if (is_flying(t_us)) {
                rig_quat(t_us + 77, unit);
                rig_same(rig_f64(&r, "a.r"), draws[steps], "a.r", t_us);
                rig_same(rig_f64(&r, "a.y"), ++steps, "a.y", t_us);
            } else {
                rig_same(rig_f64(&r, "a.y"), 0, "a.y", t_us);
                rig_same(rig_f64(&r, "a.r"), 0, "a.r", t_us);
            }
            assert_memory_equal(q, unit, sizeof unit);
        }
        assert_int_equal(steps, 7);
        rig_close(&r);
    }
}

// `hold`: outputs as they were, from the start as init left them.
static void test_hold(void **state)
{
    (void)state;
    for (int strategy = 0; strategy < 3; strategy++) {
        rig r;
        open_with(&r, discrete, strategies[strategy]);
        double steps = 0;
        for (tac_time t_us = 0; t_us <= 12000; t_us += 1000) {
            rig_run(&r, t_us);
            rig_same(rig_f64(&r, "b.y"), steps += is_flying(t_us), "b.y", t_us);
        }
        rig_close(&r);
    }
}

// Hooks at boundaries run while it is active, those of phases where it leaves or enters its own.
static void test_hooks(void **state)
{
    (void)state;
    rig r;
    open_with(&r, discrete, "skip");
    rig_run(&r, TAC_TIME_NEVER);
    assert_string_equal(trace, "b.enter(0>1)@3000 b.pre@4000 b.step@4000 b.post@4000 "
                               "b.pre@5000 b.step@5000 b.post@5000 "
                               "b.pre@6000 b.step@6000 b.exit(1>2)@6000 b.post@6000 "
                               "b.enter(2>1)@8000 b.pre@9000 b.step@9000 b.post@9000 "
                               "b.pre@10000 b.step@10000 b.post@10000 b.pre@11000 b.step@11000 "
                               "b.post@11000 b.pre@12000 b.step@12000 b.post@12000 ");
    rig_close(&r);
}

// One that leaves nothing and enters nothing by a change that it does not notice.
static void test_hooks_in_order_of_declaration(void **state)
{
    (void)state;
    rig r;
    open_with(&r,
              GROUP "    - {name: g, period: 1 ms, components: [clock, z, y, x]}\n"
                    "components:\n"
                    "  z: {type: actor, active: [A, B]}\n"
                    "  y: {type: actor, active: A}\n"
                    "  x: {type: actor, active: B}\n"
                    "  clock: {type: counter}\n"
                    "phases:\n  names: [A, B]\n  initial: A\n"
                    "  transitions:\n    - {from: A, to: B, condition: clock.n >= 2}\n",
              "skip");
    rig_run(&r, 2000);
    assert_string_equal(trace, "z.step@0 y.step@0 z.step@1000 y.step@1000 z.exit(0>1)@1000 "
                               "y.exit(0>1)@1000 z.enter(0>1)@1000 x.enter(0>1)@1000 z.step@2000 "
                               "x.step@2000 ");
    rig_close(&r);
}

// A reader of another rate group, of another policy or with a delay sees the rest as a value like
// any other.
static void test_seen_by_others(void **state)
{
    (void)state;
    static const char text[] =
        GROUP "    - {name: g, period: 1 ms, components: [clock, a, same, late]}\n"
              "    - {name: h, period: 500 us, components: [line]}\n"
              "components:\n"
              "  clock: {type: counter}\n"
              "  a: {type: sine, active: FLY, params: {bias: 3, frequency: 100 Hz}}\n"
              "  same: {type: gain, inputs: {u: a.y}}\n"
              "  late: {type: gain, inputs: {u: {from: a.y, delay: 1 ms}}}\n"
              "  line: {type: gain, inputs: {u: {from: a.y, policy: INTERPOLATED}}}\n" PHASES;
    rig r;
    hash_of(text);
    open_with(&r, text, "skip");
    double last = 0;
    for (tac_time t_us = 0; t_us <= 12000; t_us += 1000) {
        rig_run(&r, t_us);
        rig_same(rig_f64(&r, "same.y"), rig_f64(&r, "a.y"), "same.y", t_us);
        if (t_us > 0)
            rig_same(rig_f64(&r, "late.y"), last, "late.y", t_us);
        last = rig_f64(&r, "a.y");
    }
    rig_close(&r);
}

// A delay of several periods, while the phase changes at every boundary of a faster group: what is
// seen is what stood there then, however often it was closed since.
static void test_long_delay(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 40 ms\n"
        "scheduler:\n"
        "  rate_groups:\n"
        "    - {name: g, period: 1 ms, components: [a, late]}\n"
        "    - {name: fast, period: 70 us, components: [clock]}\n"
        "components:\n"
        "  clock: {type: counter}\n"
        "  a: {type: sine, active: ON, params: {bias: 3, frequency: 100 Hz}}\n"
        "  late: {type: gain, inputs: {u: {from: a.y, delay: 5 ms}}}\n"
        "phases:\n"
        "  names: [ON, OFF]\n"
        "  initial: ON\n"
        "  transitions:\n"
        "    - {from: ON, to: OFF, condition: clock.n > 0}\n"
        "    - {from: OFF, to: ON, condition: clock.n > 0}\n";
    double seen[41];
    rig r;
    hash_of(text);
    open_with(&r, text, "skip");
    int open = 0;
    for (size_t k = 0; k <= 40; k++) {
        rig_run(&r, 1000 * k);
        seen[k] = rig_f64(&r, "a.y");
        open += seen[k] > 0;
        rig_same(rig_f64(&r, "late.y"), k < 5 ? 0 : seen[k - 5], "late.y", 1000 * k);
    }
    assert_true(open > 5 && open < 35);
    rig_close(&r);
}

// --- what is missed -----------------------------------------------------------------------------

// A wake-up and messages while it is inactive: one step at the boundary at which it opens, with
// both reasons and all messages.
static const char missing[] =
    GROUP "    - {name: g, period: 1 ms, components: [clock, beacon, c]}\n"
          "components:\n"
          "  clock: {type: counter}\n"
          "  beacon: {type: beacon, inputs: {u: c.y}}\n"
          "  c: {type: constant, params: {value: 2}}\n"
          "  a: {type: actor, active: FLY, params: {wake: 1500 us, again: 2 ms}}\n" PHASES
          "links:\n  - {from: beacon.tx, to: a.rx, delay: 300 us}\n";

static void test_missed(void **state)
{
    (void)state;
    rig r;
    hash_of(missing);
    open_with(&r, missing, "skip");
    // Messages of 0.3, 1.3, 2.3 and 3.3 ms and the wake-up at 1.5 ms wait until FLY begins, at the
    // entity's first boundary after 3 ms: that of the last of them.
    rig_run(&r, 3299);
    rig_same(rig_f64(&r, "a.heard"), 0, "a.heard", 3299);
    rig_run(&r, 3300);
    rig_same(rig_f64(&r, "a.heard"), 2222, "a.heard", 3300);
    // Closed from 6.3 to 8.3 ms: the wake-up at 7.3 ms and three messages.
    rig_run(&r, 6300);
    rig_same(rig_f64(&r, "a.heard"), 0, "a.heard", 6300);
    rig_run(&r, 8300);
    rig_same(rig_f64(&r, "a.heard"), 222, "a.heard", 8300);
    rig_run(&r, TAC_TIME_NEVER);
    assert_string_equal(trace, "a.enter(0>1)@3000 a.stepmt@3300 a.stepm@4300 a.stepmt@5300 "
                               "a.exit(1>2)@6000 a.enter(2>1)@8000 a.stepmt@8300 a.stepm@9300 "
                               "a.stepmt@10300 a.stepm@11300 ");
    rig_close(&r);
}

// An axis that was due while it was closed is not made up for.
static void test_axis_is_not_missed(void **state)
{
    (void)state;
    static const char text[] =
        GROUP "    - {name: g, period: 1 ms, components: [clock]}\n"
              "    - {name: h, period: 5 ms, offset: 3 ms, components: [a]}\n"
              "    - {name: i, period: 2 ms, components: [b]}\n"
              "components:\n  clock: {type: counter}\n"
              "  a: {type: actor, active: FLY}\n  b: {type: actor, active: FLY}\n" PHASES;
    rig r;
    hash_of(text);
    open_with(&r, text, "skip");
    rig_run(&r, TAC_TIME_NEVER);
    assert_string_equal(trace, "a.enter(0>1)@3000 b.enter(0>1)@3000 b.step@4000 b.step@6000 "
                               "a.exit(1>2)@6000 b.exit(1>2)@6000 a.enter(2>1)@8000 "
                               "b.enter(2>1)@8000 b.step@10000 b.step@12000 ");
    rig_close(&r);
}

// --- the plant ----------------------------------------------------------------------------------

static const char plant[] = GROUP
    "    - {name: g, period: 1 ms, components: [clock, see]}\n"
    "components:\n"
    "  clock: {type: counter}\n"
    "  one: {type: tank, params: {rate: 1000, leak: 3}, active: FLY, inputs: {u: two.level}}\n"
    "  two: {type: tank, params: {rate: 500, initial: 1}, active: FLY, inactive: hold}\n"
    "  all: {type: tank, params: {leak: 1}, inputs: {u: one.level}}\n"
    "  see: {type: gain, inputs: {u: one.level}}\n" PHASES;

static void test_plant_stands_still(void **state)
{
    (void)state;
    hash_of(plant);
    for (int strategy = 0; strategy < 3; strategy++) {
        rig r;
        open_with(&r, plant, strategies[strategy]);
        double x[4] = {0}, two = 1;
        for (tac_time t_us = 0; t_us <= 12000; t_us += 1000) {
            rig_run(&r, t_us);
            const double *p = rig_read(&r, "one.p");
            const double now[4] = {rig_f64(&r, "one.x"), p[0], p[1], p[2]};
            // A state moves only over an interval that begins in FLY.
            const bool moved = t_us > 0 && is_flying(t_us - 1000);
            if (moved != (memcmp(now, x, sizeof x) != 0))
                fail_msg("%s at %llu us", strategies[strategy], (unsigned long long)t_us);
            memcpy(x, now, sizeof x);
            assert_true(moved ? rig_f64(&r, "two.x") > two : rig_f64(&r, "two.x") == two);
            two = rig_f64(&r, "two.x");
            rig_same(rig_f64(&r, "one.level"), is_flying(t_us) ? x[0] : 0, "one.level", t_us);
            rig_same(rig_f64(&r, "see.y"), is_flying(t_us) ? x[0] : 0, "see.y", t_us);
            // Held: nothing at the start, and the value of the instant of closing.
            rig_same(rig_f64(&r, "two.level"), t_us < 4000 ? 0 : two, "two.level", t_us);
            if (t_us <= 4000)
                rig_same(rig_f64(&r, "all.x"), 0, "all.x", t_us);
        }
        rig_close(&r);
    }
}

// What it integrates while it is open is what a run would that is never closed: opening at t and
// starting there with the same state are the same.
static void test_plant_goes_on(void **state)
{
    (void)state;
    rig a, b;
    rig_open(&a, GROUP
             "    - {name: g, period: 1 ms, components: [clock]}\n"
             "components:\n  clock: {type: counter}\n"
             "  one: {type: tank, params: {initial: 1, rate: 30, leak: 2}, active: FLY}\n" PHASES);
    rig_open(&b, GROUP "    - {name: g, period: 1 ms, components: [clock, see]}\n"
                       "components:\n  clock: {type: counter}\n"
                       "  one: {type: tank, params: {initial: 1, rate: 30, leak: 2}}\n"
                       "  see: {type: monitor, inputs: {u: one.x}}\n");
    rig_run(&a, TAC_TIME_NEVER); // open for 3 + 3 ms
    rig_run(&b, 6000);
    const double x = rig_f64(&a, "one.x"), y = rig_f64(&b, "one.x");
    if (fabs(x - y) > 1e-12)
        fail_msg("%.17g, not %.17g", x, y);
    rig_close(&a);
    rig_close(&b);
}

// Its event stands still too: nothing is located while it is closed.
static void test_modes_stand_still(void **state)
{
    (void)state;
    static const char text[] =
        GROUP "    - {name: g, period: 1 ms, components: [clock]}\n"
              "components:\n  clock: {type: counter}\n"
              "  one: {type: tank, params: {initial: 1.9, rate: 100}, active: LAND}\n"
              "  two: {type: tank, params: {initial: 1.9, rate: 100}}\n" PHASES;
    rig r;
    hash_of(text);
    open_with(&r, text, "skip");
    rig_run(&r, 7000);
    assert_int_equal(tac_engine_counters(r.engine).events, 1); // that of two
    // LAND begins at 7 ms; its end is decided at 8 ms and comes with the entity's next boundary,
    // which is the event itself, located where x is above 2: at 8.001 ms.
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_counters(r.engine).events, 2);
    assert_true(fabs(rig_f64(&r, "one.x") - 2.0001) < 1e-12);
    rig_close(&r);
}

// Red has boundaries 300 us after each millisecond, where `ear` hears something; blue has none of
// its own. What red changes there cuts the intervals of blue's plant, and what red looks at there
// is as of that instant.
static const char strangers[] = GROUP
    "    - {name: g, period: 1 ms, components: [clock, beacon, c, red.k]}\n"
    "components:\n"
    "  clock: {type: counter}\n"
    "  beacon: {type: beacon, inputs: {u: c.y}}\n"
    "  c: {type: constant, params: {value: 2}}\n"
    "entities:\n"
    "  blue:\n"
    "    components:\n"
    "      t: {type: tank, params: {initial: -10}, inputs: {u: red.k.y}}\n"
    "  red:\n"
    "    components:\n"
    "      k: {type: constant, params: {value: 1000}, active: ON}\n"
    "      a: {type: actor, active: OFF, params: {wake: 1500 us}, inputs: {u: blue.t.level}}\n"
    "      ear: {type: actor, params: {traced: false}}\n"
    "    phases:\n"
    "      names: [ON, OFF]\n"
    "      initial: ON\n"
    "      transitions: [{from: ON, to: OFF, condition: clock.n >= 4}]\n"
    "links:\n  - {from: beacon.tx, to: red.ear.rx, delay: 300 us}\n";

static void test_strangers(void **state)
{
    (void)state;
    rig r;
    hash_of(strangers);
    open_with(&r, strangers, "skip");
    rig_run(&r, 3300); // k closes, a opens and steps for the wake-up that it missed
    assert_string_equal(trace, "red.a.enter(0>1)@3000 red.a.stept@3300 ");
    const double x = rig_f64(&r, "red.a.seen");
    assert_true(fabs(x + 6.7) < 1e-12);
    rig_run(&r, TAC_TIME_NEVER);
    rig_same(rig_f64(&r, "blue.t.x"), x, "blue.t.x", 12000);
    rig_close(&r);
}

// --- faults behind a closed gate ----------------------------------------------------------------

static void test_faults_behind_a_gate(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "  a: {type: actor, active: OFF, params: {fails: true, traced: false}}\n",
        "  a: {type: actor, active: OFF, params: {nan: true, traced: false}}\n",
        "  a: {type: tank, active: OFF, params: {fails: true}}\n",
        "  a: {type: tank, active: OFF, params: {nan: true}}\n",
        "  a: {type: tank, active: OFF, inactive: hold, params: {nan: true}}\n",
    };
    static const char *const methods[] = {"rk4", "rk45", "rodas4"};
    for (size_t i = 0; i < 5; i++) {
        for (size_t k = 0; k < 3; k++) {
            char text[2048];
            const bool discrete_one = i < 2;
            snprintf(
                text, sizeof text,
                "duration: 12 ms\nplant: {integrator: {kind: %s}}\nscheduler:\n  rate_groups:\n"
                "    - {name: g, period: 1 ms, components: [clock, see%s]}\n"
                "components:\n  clock: {type: counter}\n%s"
                "  all: {type: tank, params: {rate: 10, leak: 1}, inputs: {u: a.%s}}\n"
                "  see: {type: gain, inputs: {u: all.level}}\n"
                "phases:\n  names: [ON, OFF]\n  initial: ON\n  transitions:\n"
                "    - {from: ON, to: OFF, condition: clock.n >= 1000}\n",
                methods[k], discrete_one ? ", a" : "", bad[i], discrete_one ? "y" : "level");
            hash_of(text);
            // And it is the gate that helps.
            char *limit = strstr(text, "1000}");
            memcpy(limit, "0006}", 5);
            rig r;
            open_with(&r, text, "skip");
            const tac_status status = tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err);
            assert_int_not_equal(status, TAC_OK);
            assert_true(tac_engine_time(r.engine) >= 5000);
            rig_close(&r);
        }
    }
}

// --- nobody else notices ------------------------------------------------------------------------

static const char *const vehicle =
    "  %s:\n"
    "    components:\n"
    "      a: {type: hooked, active: FLY, params: {traced: false}, inputs: {u: one.level}}\n"
    "      c: {type: actor, active: [GROUND, LAND], inactive: hold, params: {traced: false}}\n"
    "      one: {type: tank, params: {rate: 400, leak: 3}, active: FLY, inputs: {u: a.r}}\n"
    "      two: {type: tank, params: {rate: 50, leak: 2}}\n"
    "      n: {type: counter}\n"
    "    phases:\n"
    "      names: [GROUND, FLY, LAND]\n"
    "      initial: GROUND\n"
    "      transitions:\n"
    "        - {from: GROUND, to: FLY, condition: n.n >= 4, actions: [{reset: one.x, to: 1}]}\n"
    "        - {from: FLY, to: LAND, condition: 'n.n >= 7 AND held(n.n > 7, 700 us)',\n"
    "           actions: [{set: two.u, to: a.y}, {reset: two.p, to: one.p}]}\n"
    "        - {from: LAND, to: GROUND, condition: n.n >= 9}\n";

static void write_vehicles(char *text, size_t size, const char *method, const char *first,
                           const char *second)
{
    char one[2048], two[2048];
    snprintf(one, sizeof one, vehicle, first);
    snprintf(two, sizeof two, vehicle, second ? second : "");
    snprintf(
        text, size,
        "duration: 20 ms\nseed: 3\nplant: {integrator: {kind: %s}}\nscheduler:\n  rate_groups:\n"
        "    - {name: g, period: 1 ms, components: ['*.a', '*.c', '*.n']}\nentities:\n%s%s",
        method, one, second ? two : "");
}

static void test_independence(void **state)
{
    (void)state;
    static const char *const methods[] = {"rk4", "rk45", "rodas4", "euler"};
    for (size_t i = 0; i < 4; i++) {
        char text[8192];
        rig alone, both;
        write_vehicles(text, sizeof text, methods[i], "red", NULL);
        rig_open(&alone, text);
        rig_run(&alone, TAC_TIME_NEVER);
        const uint64_t hash = tac_engine_hash(alone.engine, "red.*", NULL);
        for (int k = 0; k < 2; k++) {
            write_vehicles(text, sizeof text, methods[i], k ? "red" : "blue", k ? "blue" : "red");
            rig_open(&both, text);
            rig_run(&both, TAC_TIME_NEVER);
            assert_int_equal(tac_engine_hash(both.engine, "red.*", NULL), hash);
            rig_close(&both);
            hash_of(text);
        }
        rig_close(&alone);
    }
}

// Looking at everything between boundaries, and stopping there, changes nothing.
static void test_observers(void **state)
{
    (void)state;
    char text[8192];
    rig r;
    write_vehicles(text, sizeof text, "rk45", "red", "blue");
    const uint64_t hash = hash_of(text);
    rig_open(&r, text);
    for (tac_time t_us = 0; t_us < 20000; t_us += 333) {
        rig_run(&r, t_us);
        for (size_t i = 0; i < tac_engine_signal_count(r.engine); i++)
            assert_non_null(tac_engine_read(r.engine, (int)i));
    }
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_hash(r.engine, NULL, NULL), hash);
    rig_close(&r);
}

// --- checkpoints --------------------------------------------------------------------------------

// From every instant: in each phase, with a change queued, with triggers that were missed.
static void check_checkpoints(const char *text)
{
    const char *path = path_of("checkpoint");
    const uint64_t hash = hash_of(text);
    for (tac_time t_us = 0; t_us < 12000; t_us += 250) {
        for (int strategy = 0; strategy < 2; strategy++) {
            rig r;
            open_with(&r, text, strategies[strategy]);
            assert_int_equal(tac_engine_checkpoint_at(r.engine, t_us, path, &r.err), TAC_OK);
            rig_run(&r, TAC_TIME_NEVER);
            assert_int_equal(tac_engine_hash(r.engine, NULL, NULL), hash);
            rig_close(&r);
            open_with(&r, text, strategies[1 - strategy]); // saved by one, continued by the other
            if (tac_engine_restore(r.engine, path, &r.err) != TAC_OK) {
                rig_show(&r);
                fail_msg("not restored");
            }
            rig_run(&r, TAC_TIME_NEVER);
            if (tac_engine_hash(r.engine, NULL, NULL) != hash)
                fail_msg("another hash from %llu us", (unsigned long long)t_us);
            rig_close(&r);
        }
    }
}

static void test_checkpoints(void **state)
{
    (void)state;
    char text[8192];
    write_vehicles(text, sizeof text, "rk45", "red", "blue");
    check_checkpoints(text);
    check_checkpoints(missing);
    check_checkpoints(discrete);
    check_checkpoints(strangers);
}

static int set_up(void **state)
{
    phase_set_up(state);
    return folder_set_up(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_states_and_draws_stand_still),
        cmocka_unit_test(test_hold),
        cmocka_unit_test(test_hooks),
        cmocka_unit_test(test_hooks_in_order_of_declaration),
        cmocka_unit_test(test_seen_by_others),
        cmocka_unit_test(test_long_delay),
        cmocka_unit_test(test_missed),
        cmocka_unit_test(test_axis_is_not_missed),
        cmocka_unit_test(test_plant_stands_still),
        cmocka_unit_test(test_plant_goes_on),
        cmocka_unit_test(test_modes_stand_still),
        cmocka_unit_test(test_strangers),
        cmocka_unit_test(test_faults_behind_a_gate),
        cmocka_unit_test(test_independence),
        cmocka_unit_test(test_observers),
        cmocka_unit_test(test_checkpoints),
    };
    return cmocka_run_group_tests(tests, set_up, folder_tear_down);
}
