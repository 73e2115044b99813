// Expectations: against closed forms, and that watching changes no bit.
#include "verdict/rig.h"

#include <glob.h>
#include <math.h>

static tac_time first_us(double t_s)
{
    return (tac_time)floor(t_s * 1e6) + 1;
}

#define FALL                                                                                       \
    "components:\n  fall: {type: equations, params: {states: {z: {unit: m, initial: 10}, "         \
    "v: {unit: m/s}}, equations: ['der(z) = v', 'der(v) = -9.80665 m/s^2']}}\n"

static const char *const methods[] = {"rk4", "rk23", "rk45", "dop853", "rodas4"};

static void near_us(tac_time got, tac_time wanted)
{
    const tac_time off = got > wanted ? got - wanted : wanted - got;
    if (off > 1)
        fail_msg("at %llu us, expected %llu us", (unsigned long long)got,
                 (unsigned long long)wanted);
}

// A body that falls from 10 m is at l at sqrt(2 (10 - l) / g).
static void test_fall(void **state)
{
    (void)state;
    const double g = 9.80665;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char text[2048];
        snprintf(text, sizeof text,
                 "duration: 2 s\nplant: {integrator: {kind: %s}}\n" FALL "expect:\n"
                 "  above: {always: fall.z > 5}\n"
                 "  below: {never: fall.z < -5 m}\n"
                 "  zero: {eventually: fall.z < 0, within: 1.5 s}\n"
                 "  late: {eventually: fall.z < -1.5, within: 1.5 s}\n"
                 "  open: {eventually: fall.z < -100, within: 3 s}\n"
                 "  half: {at: 0.500001 s, holds: fall.z < 8}\n"
                 "  both: {at: end, holds: fall.z < 0 AND NOT fall.v > -1 m/s}\n"
                 "  stays: {eventually: 'held(fall.z < 0, 0.25 s)'}\n"
                 "  quick: {eventually: 'held(fall.z < 0, 0.6 s)'}\n",
                 methods[i]);
        watch w;
        run_text(&w, text);
        tac_expectation x = result(&w, "above");
        assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
        near_us(x.when_us, first_us(sqrt(2 * 5 / g)));
        assert_true(fabs(x.margin - (10 - 2 * g - 5)) < 1e-6 && x.worst_us == 2000000);
        assert_string_equal(x.unit, "m");
        x = result(&w, "below");
        assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
        near_us(x.when_us, first_us(sqrt(2 * 15 / g)));
        assert_true(fabs(x.margin - (5 + 10 - 2 * g)) < 1e-6);
        x = result(&w, "zero");
        assert_int_equal(x.outcome, TAC_EXPECT_PASSED);
        near_us(x.when_us, first_us(sqrt(2 * 10 / g)));
        assert_true(fabs(x.margin - (g / 2 * 2.25 - 10)) < 1e-6 && x.worst_us == 1500000);
        x = result(&w, "late");
        assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
        assert_true(fabs(x.margin - (-1.5 - (10 - g / 2 * 2.25))) < 1e-6);
        assert_int_equal(result(&w, "open").outcome, TAC_EXPECT_UNDECIDED);
        x = result(&w, "half");
        assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
        assert_true(x.when_us == 500001);
        assert_true(fabs(x.margin - (8 - (10 - g / 2 * 0.500001 * 0.500001))) < 1e-6);
        x = result(&w, "both"); // the smaller margin: that of z, 9.61 m, against 18.6 m/s
        assert_int_equal(x.outcome, TAC_EXPECT_PASSED);
        assert_true(fabs(x.margin - (2 * g - 10)) < 1e-6);
        x = result(&w, "stays");
        assert_int_equal(x.outcome, TAC_EXPECT_PASSED);
        near_us(x.when_us, first_us(sqrt(2 * 10 / g)) + 250000);
        assert_true(isinf(x.margin));
        assert_int_equal(result(&w, "quick").outcome, TAC_EXPECT_FAILED);
        close_watch(&w);
    }
}

// x = cos(10 t) turns below 0.3 at acos(0.3) / 10, above -0.3 again at (2 pi - acos(-0.3)) / 10.
// Margins: 1 - 0.99 for OR, whose larger side counts.
static void test_spring(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 0.5 s\nplant: {integrator: {kind: dop853, rtol: 1.0e-10}}\n"
                 "components:\n  s: {type: equations, params: {states: {x: {initial: 1}, v: {}}, "
                 "equations: ['der(x) = v/(1 s)', 'der(v) = -100*x/(1 s)']}}\n"
                 "expect:\n"
                 "  high: {always: s.x > 0.3}\n"
                 "  back: {eventually: 't > 0.2 s AND s.x > -0.3'}\n"
                 "  wide: {never: s.x < -0.9 OR s.x > 1.5}\n");
    tac_expectation x = result(&w, "high");
    near_us(x.when_us, first_us(acos(0.3) / 10));
    assert_true(fabs(x.margin + 1.3) < 1e-3); // the bottom of the swing lies between two samples
    x = result(&w, "back");
    assert_int_equal(x.outcome, TAC_EXPECT_PASSED);
    near_us(x.when_us, first_us((2 * M_PI - acos(-0.3)) / 10));
    x = result(&w, "wide");
    assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
    near_us(x.when_us, first_us(acos(-0.9) / 10));
    assert_true(fabs(x.margin + 0.1) < 1e-3);
    close_watch(&w);
}

static void test_nan(void **state)
{
    (void)state;
    watch w;
    run_text(&w,
             "duration: 1 s\ncomponents:\n  s: {type: equations, params: {states: {x: "
             "{initial: 1}}, outputs: {y: {}}, equations: ['der(x) = -4/(1 s)', 'y = sqrt(x)']}}\n"
             "expect: {root: {always: s.y >= 0}, late: {eventually: s.y > 2}}\n");
    const tac_expectation x = result(&w, "root");
    assert_int_equal(x.outcome, TAC_EXPECT_FAILED);
    assert_string_equal(x.nan, "s.y");
    near_us(x.when_us, 250001);
    assert_int_equal(result(&w, "late").outcome, TAC_EXPECT_FAILED);
    assert_string_equal(result(&w, "late").nan, "s.y");
    close_watch(&w);
}

static void test_stop(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 2 s\ntimeline: {physics: 10 ms}\n" FALL
                 "stop: fall.z < 0\nexpect: {end: {at: end, holds: fall.z < 0}, "
                 "zero: {eventually: fall.z < 0}, late: {eventually: fall.z < -5}}\n");
    tac_time t_us;
    const char *nan;
    assert_true(tac_verdict_stopped(w.verdict, &t_us, &nan) && !nan);
    assert_true(t_us == 1430000 && tac_engine_time(w.engine) == t_us);
    assert_int_equal(result(&w, "end").outcome, TAC_EXPECT_PASSED);
    assert_int_equal(result(&w, "zero").outcome, TAC_EXPECT_PASSED);
    assert_int_equal(result(&w, "late").outcome, TAC_EXPECT_FAILED);
    const uint64_t hash = tac_engine_hash(w.engine, NULL, NULL);
    close_watch(&w);
    run_text(&w, "duration: 1.43 s\ntimeline: {physics: 10 ms}\n" FALL);
    assert_true(tac_engine_hash(w.engine, NULL, NULL) == hash);
    close_watch(&w);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *expect, *text;
    } cases[] = {
        {"expect: {a: {always: fal.z > 5}}", "did you mean 'fall.z'?"},
        {"expect: {a: {always: fall.z > 5 s}}", "is in m, but '5 s' is in s"},
        {"expect: {a: {alway: fall.z > 5}}", "unknown key 'alway'"},
        {"expect: {a: {always: fall.z > 5, never: fall.z < 1}}", "has 'always' already"},
        {"expect: {a: {}}", "needs one of always"},
        {"expect: {a: {at: 1 s}}", "expected 'holds'"},
        {"expect: {a: {always: fall.z > 5, within: 1 s}}", "'within' needs 'eventually'"},
        {"expect: {a: {always: fall.z > 5, holds: fall.z > 5}}", "'holds' needs 'at'"},
        {"expect: {a: {always: fall.z > 5, entity: uav}}", "no entity matches 'uav'"},
        {"expect: {a: {always: fall.z}}", ""},
        {"expect: {a: {always: t > 5}}", "sees no signal"},
        {"stop: fall.y > 3", "did you mean 'fall.z'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[2048];
        snprintf(text, sizeof text, "duration: 2 s\n" FALL "%s\n", cases[i].expect);
        watch w;
        assert_true(open_text(&w, text) != TAC_OK);
        if (!strstr(w.err.text, cases[i].text) || w.err.line != 4)
            fail_msg("%s: line %u: %s", cases[i].expect, w.err.line, w.err.text);
        close_watch(&w);
    }
}

// The hash of an example, watched or not.
static uint64_t hash_of(const char *path, bool expect, size_t *count)
{
    const bool large = strstr(path, "swarm_large");
    const char *sets[] = {"duration=3 s", "entities.uav.count=10"};
    watch w = {0};
    assert_int_equal(tac_registry_create(NULL, &w.registry, &w.err), TAC_OK);
    tac_config_def def = tac_config_def_default();
    def.registry = w.registry;
    def.sets = sets;
    def.set_count = 1 + (size_t)large;
    if (tac_config_load(path, &def, &w.config, &w.err) != TAC_OK || prepare(&w, expect) != TAC_OK)
        fail_msg("%s: %s", path, w.err.text);
    const tac_status status = tac_engine_run(w.engine, TAC_TIME_MAX, &w.err);
    tac_verdict_end(w.verdict);
    *count = tac_verdict_count(w.verdict);
    const tac_counters n = tac_engine_counters(w.engine);
    const uint64_t hash = tac_engine_hash(w.engine, NULL, NULL) ^ n.rhs_evals << 20 ^
                          n.boundaries << 40 ^ (uint64_t)status;
    close_watch(&w);
    return hash;
}

// Watched or not, the same bits and the same counts; and every example expects something.
static void test_examples(void **state)
{
    (void)state;
    char pattern[700];
    const char *source = getenv("TACTUS_SOURCE");
    char here[512];
    snprintf(here, sizeof here, "%s", source ? source : __FILE__);
    for (int i = 0; !source && i < 3; i++)
        *strrchr(here, '/') = '\0';
    snprintf(pattern, sizeof pattern, "%s/examples/*.yaml", here);
    glob_t found;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t count, none;
        const uint64_t watched = hash_of(found.gl_pathv[i], true, &count);
        if (watched != hash_of(found.gl_pathv[i], false, &none) || count == 0)
            fail_msg("%s: %zu expectations", found.gl_pathv[i], count);
    }
    globfree(&found);
}

// A configuration that expects nothing has no verdict, and every function takes NULL for it.
static void test_nothing_expected(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 10 ms\n" FALL);
    assert_null(w.verdict);
    assert_int_equal(tac_verdict_count(NULL), 0);
    assert_string_equal(tac_verdict_get(NULL, 0).name, "");
    char *text = tac_verdict_print(NULL, 0, TAC_FORMAT_JSON);
    assert_non_null(text);
    assert_null(strchr(text, '\n'));
    tac_text_free(text);
    tac_time t_us;
    const char *nan;
    assert_false(tac_verdict_stopped(NULL, &t_us, &nan));
    close_watch(&w);
    run_text(&w, "duration: 10 ms\n" FALL "expect: {high: {always: fall.z > 0 m}}\n");
    assert_string_equal(tac_verdict_get(w.verdict, 0).name, "high");
    assert_string_equal(tac_verdict_get(w.verdict, 1).name, "");
    close_watch(&w);
}

// An input from outside that nobody writes has its resting value, also for expectations.
static void test_resting(void **state)
{
    (void)state;
    watch w;
    run_text(&w, "duration: 1 s\n"
                 "components:\n"
                 "  lag: {type: lag, params: {tau: 1 s}, inputs: {u: {from: outside, rest: 2}}}\n"
                 "expect: {at: {at: 500 ms, holds: lag_u.outside > 1}, "
                 "all: {always: lag_u.outside > 1}, none: {eventually: lag_u.outside > 3}}\n");
    assert_int_equal(result(&w, "at").outcome, TAC_EXPECT_PASSED);
    assert_true(result(&w, "at").when_us == 500000);
    assert_int_equal(result(&w, "all").outcome, TAC_EXPECT_PASSED);
    assert_int_equal(result(&w, "none").outcome, TAC_EXPECT_FAILED);
    close_watch(&w);
}

TEST_MAIN(cmocka_unit_test(test_resting), cmocka_unit_test(test_nothing_expected),
          cmocka_unit_test(test_fall), cmocka_unit_test(test_spring), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_stop), cmocka_unit_test(test_mistakes),
          cmocka_unit_test(test_examples))
