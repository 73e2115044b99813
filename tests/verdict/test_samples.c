// At which samples expectations look, and what they say where they could not look: docs/expect.md.
#include "verdict/rig.h"

#include <math.h>

// x = t
#define RAMP "q: {type: equations, params: {states: {x: {}}, equations: ['der(x) = 1/(1 s)']}}\n"

static void passed(const watch *w, const char *name, tac_time when_us)
{
    const tac_expectation x = result(w, name);
    const bool near = when_us == TAC_TIME_NEVER
                          ? x.when_us == when_us
                          : x.when_us + 1 >= when_us && x.when_us <= when_us + 1;
    if (x.outcome != TAC_EXPECT_PASSED || !near)
        fail_msg("%s: outcome %d at %llu us", name, x.outcome, (unsigned long long)x.when_us);
}

static void failed(const watch *w, const char *name, tac_time when_us, double margin)
{
    const tac_expectation x = result(w, name);
    const tac_time off = x.when_us > when_us ? x.when_us - when_us : when_us - x.when_us;
    if (x.outcome != TAC_EXPECT_FAILED || off > 1 || !(fabs(x.margin - margin) < 1e-5))
        fail_msg("%s: outcome %d at %llu us, margin %.9g", name, x.outcome,
                 (unsigned long long)x.when_us, x.margin);
}

static void undecided(const watch *w, const char *name, const char *reason)
{
    const tac_expectation x = result(w, name);
    if (x.outcome != TAC_EXPECT_UNDECIDED || !x.reason || strcmp(x.reason, reason))
        fail_msg("%s: outcome %d, '%s', expected '%s'", name, x.outcome,
                 x.reason ? x.reason : "no reason", reason);
}

static void run_to(watch *w, tac_time until_us)
{
    if (tac_engine_run(w->engine, until_us, &w->err) != TAC_OK)
        fail_msg("%s", w->err.text);
}

static void open_or_fail(watch *w, const char *text)
{
    if (open_text(w, text) != TAC_OK)
        fail_msg("%s", w->err.text);
}

// --- from a checkpoint --------------------------------------------------------------------------

static const char checkpoint_text[] =
    "duration: 10 s\nscheduler: {rate_groups: [{name: slow, rate: 1 Hz, components: [s]}, "
    "{name: rare, period: 5 s, components: [c]}]}\n"
    "components:\n"
    "  q: {type: integrator, inputs: {u: c.y}}\n"
    "  c: {type: constant, params: {value: 1, unit: 1/s}}\n"
    "  s: {type: sine, params: {frequency: 0.001 Hz, bias: 5}}\n"
    "expect:\n"
    "  gap:   {never: q.x > 6 AND q.x < 7}\n"
    "  early: {never: q.x > 5.05 AND q.x < 5.2}\n"
    "  ev1:   {eventually: q.x > 0.5, within: 1 s}\n"
    "  ev7:   {eventually: q.x > 4.5, within: 7 s}\n"
    "  at1:   {at: 1 s, holds: q.x < 2}\n"
    "  at5:   {at: 5 s, holds: q.x < 6}\n"
    "  at5_5: {at: 5.5 s, holds: q.x > 5.4 AND s.y > 1}\n"
    "  slow:  {always: s.y > 1}\n";

// Between the checkpoint and the end the ramp has no boundary.
static void test_from_checkpoint(void **state)
{
    (void)state;
    char path[] = "/tmp/tactus-verdict-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    watch w;
    open_or_fail(&w, checkpoint_text);
    assert_int_equal(tac_engine_checkpoint_at(w.engine, 5000000, path, &w.err), TAC_OK);
    run_to(&w, TAC_TIME_MAX);
    tac_verdict_end(w.verdict);
    failed(&w, "gap", 6000001, -0.5);
    passed(&w, "ev1", 500001);
    close_watch(&w);

    w = (watch){0};
    assert_int_equal(tac_registry_create(NULL, &w.registry, &w.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w.registry;
    assert_int_equal(tac_config_parse("test.yaml", checkpoint_text, strlen(checkpoint_text), &def,
                                      &w.config, &w.err),
                     TAC_OK);
    const tac_engine_def engine = tac_config_engine_def(w.config);
    assert_int_equal(tac_config_build_unprepared(w.config, &engine, &w.engine, &w.err), TAC_OK);
    assert_int_equal(tac_config_verdict(w.config, w.engine, &w.verdict, &w.err), TAC_OK);
    assert_int_equal(tac_engine_prepare(w.engine, &w.err), TAC_OK);
    assert_int_equal(tac_engine_restore(w.engine, path, &w.err), TAC_OK);
    assert_int_equal(tac_verdict_begin(w.verdict, &w.err), TAC_OK);
    run_to(&w, TAC_TIME_MAX);
    tac_verdict_end(w.verdict);
    failed(&w, "gap", 6000001, -0.5);
    failed(&w, "early", 5050001, result(&w, "early").margin);
    undecided(&w, "ev1", "1 s lies before 5 s, where the verdict began");
    undecided(&w, "at1", "1 s lies before 5 s, where the verdict began");
    passed(&w, "ev7", 5000000);
    passed(&w, "at5", 5000000);
    passed(&w, "at5_5", 5500000);
    passed(&w, "slow", TAC_TIME_NEVER);
    close_watch(&w);
    unlink(path);
}

// A run in two pieces fails what the whole run fails, wherever the cut is; and a signal that was
// not written before the cut has no value after it.
static void test_cut_anywhere(void **state)
{
    (void)state;
    for (unsigned cut = 1; cut < 8; cut++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "duration: 10 s\nscheduler: {rate_groups: [{name: late, times: [3.5 s, 8 s], "
                 "components: [s]}]}\n"
                 "components:\n  " RAMP
                 "  s: {type: sine, params: {frequency: 0.001 Hz, bias: 5}}\n"
                 "expect: {low: {always: s.y > 1}, held: {never: 's.y > 1 AND q.x > 8.5'}}\n");
        watch w;
        open_or_fail(&w, text);
        tac_snapshot *s = NULL;
        run_to(&w, cut * 1000000);
        assert_int_equal(tac_engine_take_snapshot(w.engine, &s, &w.err), TAC_OK);
        run_to(&w, 9000000);
        assert_int_equal(tac_engine_restore_snapshot(w.engine, s, &w.err), TAC_OK);
        run_to(&w, TAC_TIME_MAX);
        tac_verdict_end(w.verdict);
        passed(&w, "low", TAC_TIME_NEVER);
        failed(&w, "held", 8500001, -1.5);
        tac_snapshot_destroy(s);
        close_watch(&w);
    }
}

// --- snapshots ----------------------------------------------------------------------------------

static void steer(watch *w, double value)
{
    const int u = tac_engine_find_input(w->engine, "q.u", &w->err);
    assert_true(u >= 0);
    const tac_time t_us = tac_engine_open_time(w->engine);
    if (tac_engine_write(w->engine, u, t_us, &value, &w->err) != TAC_OK)
        fail_msg("%s", w->err.text);
}

// What an undone future did is forgotten.
static void test_snapshots(void **state)
{
    (void)state;
    watch w;
    open_or_fail(&w, "duration: 10 s\ncomponents:\n"
                     "  q: {type: integrator, inputs: {u: {from: outside, rest: 1}}}\n"
                     "expect: {al: {always: q.x < 7}, ev: {eventually: q.x > 6}, "
                     "held: {eventually: 'held(q.x > 1, 4 s)'}, at: {at: end, holds: q.x < 4}}\n");
    tac_snapshot *s = NULL;
    run_to(&w, 3000000);
    assert_int_equal(tac_engine_take_snapshot(w.engine, &s, &w.err), TAC_OK);
    run_to(&w, 8000000);
    if (tac_engine_restore_snapshot(w.engine, s, &w.err) != TAC_OK)
        fail_msg("%s", w.err.text);
    steer(&w, 0);
    run_to(&w, TAC_TIME_MAX);
    tac_verdict_end(w.verdict);
    passed(&w, "al", TAC_TIME_NEVER);
    assert_true(fabs(result(&w, "al").margin - 4) < 1e-5);
    assert_int_equal(result(&w, "ev").outcome, TAC_EXPECT_FAILED);
    passed(&w, "held", 5000001); // since 1 s, which the snapshot remembers
    passed(&w, "at", 10000000);
    // And again, after the end, from the start.
    assert_int_equal(tac_engine_reset(w.engine, &w.err), TAC_OK);
    run_to(&w, TAC_TIME_MAX);
    tac_verdict_end(w.verdict);
    failed(&w, "al", 7000000, -3);
    passed(&w, "ev", 6000001);
    tac_snapshot_destroy(s);
    close_watch(&w);
}

static void test_not_begun(void **state)
{
    (void)state;
    static const char text[] =
        "duration: 1 s\ncomponents:\n  " RAMP "expect: {al: {always: q.x < 7}}\n";
    watch w = {0};
    assert_int_equal(tac_registry_create(NULL, &w.registry, &w.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w.registry;
    assert_int_equal(tac_config_parse("test.yaml", text, strlen(text), &def, &w.config, &w.err),
                     TAC_OK);
    const tac_engine_def engine = tac_config_engine_def(w.config);
    assert_int_equal(tac_config_build_unprepared(w.config, &engine, &w.engine, &w.err), TAC_OK);
    assert_int_equal(tac_config_verdict(w.config, w.engine, &w.verdict, &w.err), TAC_OK);
    tac_verdict_end(w.verdict); // not even prepared
    assert_int_equal(tac_engine_prepare(w.engine, &w.err), TAC_OK);
    run_to(&w, TAC_TIME_MAX);
    tac_verdict_end(w.verdict);
    undecided(&w, "al", "tac_verdict_begin was never called");
    close_watch(&w);
}

// --- signals of components that a phase closes --------------------------------------------------

static void test_closed(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 10 s\n"
                 "scheduler: {rate_groups: [{name: fast, rate: 10 Hz, components: [k]}, "
                 "{name: slow, rate: 1 Hz, components: [s]}]}\n"
                 "components:\n"
                 "  k: {type: counter}\n"
                 "  s: {type: sine, params: {frequency: 0.0001 Hz, bias: 5}, active: [A]}\n"
                 "phases:\n  names: [A, B]\n  initial: A\n"
                 "  transitions: [{from: A, to: B, condition: k.n > 42}, "
                 "{from: B, to: A, condition: k.n > 46}]\n"
                 "expect: {nz: {always: s.y > 1}, ev: {eventually: s.y < 1}}\n");
    failed(&w, "nz", 4300000, -1);
    passed(&w, "ev", 4300000);
    close_watch(&w);
}

// --- the end of a step --------------------------------------------------------------------------

// A saw: reset at 2.9 by an event of a scenario; peaks do not depend on the length of steps.
static void test_end_of_step(void **state)
{
    (void)state;
    static const char *const h_max[] = {"1 s", "300 ms", "10 ms"};
    for (size_t i = 0; i < sizeof h_max / sizeof *h_max; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "duration: 10 s\nplant: {integrator: {kind: rk4, h_max: %s}}\n"
                 "scheduler: {rate_groups: [{name: g, rate: 1 Hz, components: [s]}]}\n"
                 "components:\n"
                 "  q: {type: equations, params: {states: {x: {}}, inputs: {u: {}}, "
                 "equations: ['der(x) = u/(1 s)']}, inputs: {u: s.y}}\n"
                 "  s: {type: sine, params: {frequency: 0.5 Hz, amplitude: 1, phase: 90 deg}}\n"
                 "expect: {peak: {never: q.x > 0.7}, tight: {never: q.x > 0.95}, "
                 "both: {never: 's.y > 0 AND q.x > 0.7'}}\n",
                 h_max[i]);
        watch w;
        run_text(&w, text);
        failed(&w, "peak", 700001, -0.3);
        failed(&w, "tight", 950001, -0.05);
        // s.y turns to -1 at 1 s, where x is at its peak.
        failed(&w, "both", 700001, -0.3);
        close_watch(&w);
    }
}

// --- flags instead of times ---------------------------------------------------------------------

static void test_end_and_duration(void **state)
{
    (void)state;
    watch w;
    run_text(&w,
             "duration: 10 s\ntimeline: {physics: 100 ms}\ncomponents:\n  " RAMP "stop: q.x >= 5\n"
             "expect:\n"
             "  at10: {at: 10 s, holds: q.x > 4.95 AND q.x < 5.15}\n"
             "  end:  {at: end, holds: q.x > 4.95 AND q.x < 5.15}\n"
             "  w10:  {eventually: q.x > 8, within: 10 s}\n"
             "  w8:   {eventually: q.x > 8, within: 8 s}\n"
             "  w:    {eventually: q.x > 8}\n"
             "  mem:  {at: end, holds: 'held(q.x > 1, 1 s)'}\n");
    tac_time t_us;
    const char *nan;
    assert_true(tac_verdict_stopped(w.verdict, &t_us, &nan) && !nan);
    undecided(&w, "at10", "the run ended before 10 s");
    undecided(&w, "w10", "the run ended before 10 s");
    undecided(&w, "w8", "the run ended before 8 s");
    passed(&w, "end", t_us);
    passed(&w, "mem", t_us);
    assert_int_equal(result(&w, "w").outcome, TAC_EXPECT_FAILED);
    close_watch(&w);
}

// --- why undecided ------------------------------------------------------------------------------

static void test_faults(void **state)
{
    (void)state;
    watch w;
    open_or_fail(&w,
                 "duration: 10 s\n"
                 "timeline: {physics: 100 ms}\n"
                 "scheduler: {rate_groups: [{name: late, times: [5 s], components: [p]}]}\n"
                 "components:\n"
                 "  q: {type: equations, params: {states: {x: {initial: 1}}, "
                 "equations: ['der(x) = -1/(1 s) + 1e-9*sqrt(x - 0.2)/(1 s)']}}\n" // until 0.8 s
                 "  p: {type: sine, params: {frequency: 1 Hz}}\n"
                 "expect:\n"
                 "  al:   {always: q.x > 0}\n"
                 "  al2:  {always: p.y < -100}\n"
                 "  low:  {always: q.x > 0.5}\n"
                 "  ev:   {eventually: q.x < 0, within: 500 ms}\n"
                 "  late: {eventually: q.x < 0, within: 5 s}\n"
                 "  at:   {at: 5 s, holds: q.x < 0}\n"
                 "  ok:   {eventually: q.x < 0.7}\n");
    assert_int_not_equal(tac_engine_run(w.engine, TAC_TIME_MAX, &w.err), TAC_OK);
    tac_verdict_end(w.verdict);
    char time[TAC_TIME_TEXT], reason[100];
    tac_time_print(tac_engine_time(w.engine), time);
    snprintf(reason, sizeof reason, "the run failed at %s", time);
    undecided(&w, "al", reason);
    undecided(&w, "al2", reason);
    undecided(&w, "late", reason);
    undecided(&w, "at", reason);
    assert_int_equal(result(&w, "low").outcome, TAC_EXPECT_FAILED);
    assert_int_equal(result(&w, "ev").outcome, TAC_EXPECT_FAILED);
    assert_int_equal(result(&w, "ok").outcome, TAC_EXPECT_PASSED);
    close_watch(&w);
}

static void test_no_value(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 10 s\n"
                 "scheduler: {rate_groups: [{name: g, times: [3 s], components: [p]}, "
                 "{name: never, times: [20 s], components: [n]}]}\n"
                 "components:\n  " RAMP "  p: {type: sine, params: {frequency: 1 Hz}}\n"
                 "  n: {type: sine, params: {frequency: 1 Hz}}\n"
                 "expect:\n"
                 "  at1:   {at: 1 s, holds: p.y > 100}\n"
                 "  w1:    {eventually: 'p.y > 100 OR q.x > 0', within: 1 s}\n"
                 "  at4:   {at: 4 s, holds: p.y < 100}\n"
                 "  at3:   {at: 3 s, holds: p.y < 100}\n"
                 "  never: {always: n.y > 100}\n"
                 "  n_at:  {at: 4 s, holds: 'q.x > 1 AND n.y > 100'}\n"
                 "  n_ev:  {eventually: n.y > 100}\n");
    undecided(&w, "at1", "'p.y' had no value at 1 s");
    undecided(&w, "w1", "'p.y' had no value by 1 s");
    passed(&w, "at4", 4000000);
    passed(&w, "at3", 3000000);
    undecided(&w, "never", "'n.y' never had a value");
    undecided(&w, "n_at", "'n.y' never had a value");
    undecided(&w, "n_ev", "'n.y' never had a value");
    close_watch(&w);
}

// y is NaN from 5 s on.
static void test_nan_counts(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 10 s\ncomponents:\n"
                 "  q: {type: equations, params: {states: {x: {initial: 5}}, outputs: {y: {}}, "
                 "equations: ['der(x) = -1/(1 s)', 'y = sqrt(x)']}}\n"
                 "expect:\n"
                 "  ev:   {eventually: q.y > 1, within: 2 s}\n"
                 "  ev8:  {eventually: q.y > 1, within: 8 s}\n"
                 "  not8: {eventually: q.y > 9, within: 8 s}\n"
                 "  not3: {eventually: q.y > 9, within: 3 s}\n"
                 "  at3:  {at: 3 s, holds: q.y > 1}\n"
                 "  at8:  {at: 8 s, holds: q.y > 1}\n"
                 "  al:   {always: q.y >= 0}\n");
    passed(&w, "ev", 0);
    passed(&w, "ev8", 0);
    passed(&w, "at3", 3000000);
    assert_null(result(&w, "at3").nan);
    assert_null(result(&w, "not3").nan);
    assert_int_equal(result(&w, "not3").outcome, TAC_EXPECT_FAILED);
    static const char *const bad[] = {"not8", "at8", "al"};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(result(&w, bad[i]).outcome, TAC_EXPECT_FAILED);
        assert_string_equal(result(&w, bad[i]).nan, "q.y");
    }
    assert_true(result(&w, "at8").when_us == 8000000);
    close_watch(&w);
}

// --- stop ---------------------------------------------------------------------------------------

static char warned[2048];

static void keep_warning(void *context, const tac_log_entry *entry)
{
    (void)context;
    if (entry->level == TAC_LOG_WARN)
        snprintf(warned + strlen(warned), sizeof warned - strlen(warned), "%s\n", entry->text);
}

// The warnings of a file, with a verdict or without.
static const char *warnings_of(const char *text)
{
    watch w = {0};
    warned[0] = '\0';
    assert_int_equal(tac_registry_create(NULL, &w.registry, &w.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w.registry;
    if (tac_config_parse("test.yaml", text, strlen(text), &def, &w.config, &w.err) != TAC_OK)
        fail_msg("%s", w.err.text);
    tac_engine_def engine = tac_config_engine_def(w.config);
    engine.log = keep_warning;
    if (tac_config_build_unprepared(w.config, &engine, &w.engine, &w.err) != TAC_OK)
        fail_msg("%s", w.err.text);
    assert_int_equal(tac_config_verdict(w.config, w.engine, &w.verdict, &w.err), TAC_OK);
    if (tac_engine_prepare(w.engine, &w.err) != TAC_OK)
        fail_msg("%s", w.err.text);
    close_watch(&w);
    return warned;
}

static void test_idle_stop(void **state)
{
    (void)state;
    const char *said = warnings_of("duration: 10 s\ncomponents:\n  " RAMP "stop: q.x >= 5\n");
    if (!strstr(said, "test.yaml:4:7: 'stop' can never act") || !strstr(said, "'q'"))
        fail_msg("%s", said);
    said = warnings_of("duration: 10 s\ntimeline: {physics: 1 s}\ncomponents:\n  " RAMP
                       "stop: q.x >= 5\n");
    assert_string_equal(said, "");
    said = warnings_of("duration: 10 s\nscheduler: {rate_groups: [{name: g, rate: 1 Hz, "
                       "components: [s]}]}\ncomponents:\n  " RAMP
                       "  s: {type: sine, params: {frequency: 1 Hz}}\n"
                       "stop: q.x >= 5 AND s.y < 2\n");
    assert_string_equal(said, "");
}

// A NaN in the condition of `stop` is an error at the last boundary, too.
static void test_stop_nan_at_end(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 10 s\ncomponents:\n"
                 "  q: {type: equations, params: {states: {x: {initial: 5}}, outputs: {y: {}}, "
                 "equations: ['der(x) = -1/(1 s)', 'y = sqrt(x)']}}\n"
                 "stop: q.y > 100\n");
    tac_time t_us;
    const char *nan = NULL;
    assert_true(tac_verdict_stopped(w.verdict, &t_us, &nan));
    assert_true(nan && t_us == 10000000);
    close_watch(&w);
}

// --- policies -----------------------------------------------------------------------------------

static void test_idle_policy(void **state)
{
    (void)state;
    static const struct {
        const char *groups, *reader, *says;
    } cases[] = {
        {"[{name: a, rate: 10 Hz, components: [s, m]}]",
         "m: {type: gain, inputs: {u: {from: s.y, policy: EXTRAPOLATED}}}\n", "in one rate group"},
        {"[{name: a, rate: 10 Hz, components: [s]}]",
         "m: {type: lag, params: {tau: 1 s}, inputs: {u: {from: s.y, policy: INTERPOLATED}}}\n",
         "in no rate group"},
        {"[{name: a, rate: 10 Hz, components: [s]}, {name: b, rate: 8 Hz, components: [m]}]",
         "m: {type: gain, inputs: {u: {from: q.x, policy: INTERPOLATED}}}\n",
         "a signal of the plant"},
        {"[{name: a, rate: 10 Hz, components: [s]}, {name: b, rate: 5 Hz, components: [m]}]",
         "m: {type: gain, inputs: {u: {from: s.y, policy: INTERPOLATED}}}\n", NULL},
        {"[{name: a, rate: 10 Hz, components: [s, m]}]",
         "m: {type: gain, inputs: {u: {from: s.y, policy: ZOH}}}\n", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "duration: 1 s\nscheduler: {rate_groups: %s}\ncomponents:\n  " RAMP
                 "  s: {type: sine, params: {frequency: 1 Hz}}\n  %s",
                 cases[i].groups, cases[i].reader);
        const char *said = warnings_of(text);
        const bool right =
            cases[i].says ? strstr(said, cases[i].says) && strstr(said, "yaml:6:") : !*said;
        if (!right)
            fail_msg("case %zu: %s", i, said);
    }
}

TEST_MAIN(cmocka_unit_test(test_from_checkpoint), cmocka_unit_test(test_cut_anywhere),
          cmocka_unit_test(test_snapshots), cmocka_unit_test(test_not_begun),
          cmocka_unit_test(test_closed), cmocka_unit_test(test_end_of_step),
          cmocka_unit_test(test_end_and_duration), cmocka_unit_test(test_faults),
          cmocka_unit_test(test_no_value), cmocka_unit_test(test_nan_counts),
          cmocka_unit_test(test_idle_stop), cmocka_unit_test(test_stop_nan_at_end),
          cmocka_unit_test(test_idle_policy))
