// Operators that remember: rising, falling, held, since, against histories kept by the test.
#include "expr/expr_rig.h"

#include <stdlib.h>

enum { STEPS = 400 };

// Irregular instants, a condition and a number at each.
static tac_time times[STEPS];
static bool history[STEPS], other[STEPS];

static uint64_t draw(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return x;
}

static void make_history(void)
{
    tac_time t_us = draw() % 1000;
    for (int k = 0; k < STEPS; k++) {
        times[k] = t_us;
        history[k] = k == 0 ? draw() % 2 : draw() % 5 ? history[k - 1] : !history[k - 1];
        other[k] = draw() % 2;
        t_us += draw() % 4 ? 100000 : 1 + draw() % 300000;
    }
}

// --- what the history says ------------------------------------------------------------------

static bool has_risen(int k)
{
    return k > 0 && history[k] && !history[k - 1];
}

static bool has_fallen(int k)
{
    return k > 0 && !history[k] && history[k - 1];
}

static bool has_held(int k, tac_time duration_us)
{
    int first = k;
    while (first > 0 && history[first] && history[first - 1])
        first--;
    return history[k] && times[k] - times[first] >= duration_us;
}

// -1: never
static double seconds_since(int k)
{
    for (int i = k; i >= 0; i--) {
        if (history[i] && (i == 0 || !history[i - 1]))
            return (double)(times[k] - times[i]) / 1e6;
    }
    return -1;
}

// --- what programs say ----------------------------------------------------------------------

typedef struct machine {
    tac__arena arena;
    tac__program *program;
    uint64_t memory[TAC__EXPR_TIMED];
} machine;

static void open(machine *m, const char *text, tac__expr_type type)
{
    tac_error err;
    *m = (machine){0};
    tac__arena_init(&m->arena, NULL);
    if (build(&m->arena, text, type, &m->program, &err) != TAC_OK)
        fail_msg("'%s' is refused: %s", text, err.text);
}

static double at(machine *m, int k)
{
    values[LANDED] = history[k];
    values[ARMED] = other[k];
    const tac__expr_result r = tac__program_run(m->program, times[k], pointers(), m->memory);
    assert_null(r.nan);
    return r.value;
}

static void test_against_history(void **state)
{
    (void)state;
    for (int round = 0; round < 20; round++) {
        machine rise, fall, hold, zero, ago, before, after, least;
        make_history();
        open(&rise, "rising(control.landed)", TAC__EXPR_BOOL);
        open(&fall, "falling(control.landed)", TAC__EXPR_BOOL);
        open(&hold, "held(control.landed, 0.25 s)", TAC__EXPR_BOOL);
        open(&zero, "held(control.landed, 0 s)", TAC__EXPR_BOOL);
        open(&ago, "since(control.landed, -1 s)", TAC__EXPR_NUMBER);
        open(&before, "since(control.landed) < 0.3 s", TAC__EXPR_BOOL);
        open(&after, "300 ms <= since(control.landed)", TAC__EXPR_BOOL);
        open(&least, "NOT since(control.landed) > 0.3", TAC__EXPR_BOOL);
        for (int k = 0; k < STEPS; k++) {
            const double s = seconds_since(k);
            assert_true(at(&rise, k) == has_risen(k));
            assert_true(at(&fall, k) == has_fallen(k));
            assert_true(at(&hold, k) == has_held(k, 250000));
            assert_true(at(&zero, k) == history[k]);
            assert_true(at(&ago, k) == s);
            assert_true(at(&before, k) == (s >= 0 && s < 0.3));
            assert_true(at(&after, k) == (s >= 0 && s >= 0.3));
            assert_true(at(&least, k) == !(s > 0.3));
        }
        machine *const all[] = {&rise, &fall, &hold, &zero, &ago, &before, &after, &least};
        for (size_t i = 0; i < 8; i++)
            tac__arena_fini(&all[i]->arena);
    }
}

// Before it happens, every direct comparison is false, whichever way round.
static void test_never(void **state)
{
    (void)state;
    values[LANDED] = 0;
    values[ARMED] = 1;
    static const char *const signs[] = {"<", "<=", ">", ">="};
    for (size_t i = 0; i < 4; i++) {
        char text[96];
        snprintf(text, sizeof text, "since(control.landed) %s 5 s", signs[i]);
        holds(text, false);
        snprintf(text, sizeof text, "5 %s since(control.landed)", signs[i]);
        holds(text, false);
        snprintf(text, sizeof text, "since(control.landed) %s since(control.armed)", signs[i]);
        holds(text, false);
        snprintf(text, sizeof text, "t*2 - 1 h %s (since(control.landed))", signs[i]);
        holds(text, false);
    }
    equals("since(control.landed, 1 min) + 1", 61);
    equals("min(since(control.landed, 9 s), since(control.armed, 9 s))", 0);
    equals("since(control.landed, since(control.armed, 3 s) + 7)", 7);
    refused("since(control.landed) == 1 s", TAC_E_TYPE, 1, "has no value before it happens");
    refused("t > 1 AND since(control.landed) + 1 s > 2 s", TAC_E_TYPE, 11, "second argument");
    refused("min(since(control.landed), 1 s) > 2 s", TAC_E_TYPE, 5, "compare it directly");
    refused("if(true, since(control.landed), 1 s) > 2 s", TAC_E_TYPE, 10, "no value");
    refused("since(control.landed, 1 m) > 2 s", TAC_E_UNIT, 23, "since takes s, but '1 m'");
    refused("since(control.landed) > 2 m", TAC_E_UNIT, 1, "is in s, but '2 m'");
}

// Every operator sees every evaluation, whatever is skipped.
static void test_skipped(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "control.armed AND held(control.landed, 0.25 s)",
        "if(control.armed, held(control.landed, 0.25 s), false)",
        "NOT (NOT control.armed OR NOT held(control.landed, 0.25 s))",
        "held(control.landed, 0.25 s) AND control.armed",
    };
    for (size_t i = 0; i < 4; i++) {
        machine m;
        make_history();
        open(&m, texts[i], TAC__EXPR_BOOL);
        for (int k = 0; k < STEPS; k++)
            assert_true(at(&m, k) == (other[k] && has_held(k, 250000)));
        tac__arena_fini(&m.arena);
    }
    // What they remember is NaN's business even where nothing asks for it.
    values[SOC] = (double)__builtin_nanf("");
    assert_string_equal(run("false AND held(body.soc < 1, 1 s)", TAC__EXPR_BOOL).nan, "body.soc");
}

static void test_nested(void **state)
{
    (void)state;
    machine m;
    make_history();
    open(&m,
         "rising(held(control.landed, 0.25 s)) OR falling(NOT falling(control.landed)) AND "
         "since(rising(control.landed)) < 2 s",
         TAC__EXPR_BOOL);
    for (int k = 0; k < STEPS; k++) {
        bool risen = false;
        for (int i = k; i >= 0 && !risen; i--)
            risen = has_risen(i) && times[k] - times[i] < 2000000;
        const bool held_now = k > 0 && has_held(k, 250000) && !has_held(k - 1, 250000);
        const bool fallen_now = k > 0 && has_fallen(k) && !has_fallen(k - 1);
        assert_true(at(&m, k) == (held_now || (fallen_now && risen)));
    }
    tac__arena_fini(&m.arena);
}

// The memory is all there is: it can be copied, and another program of the same text goes on.
static void test_copied_memory(void **state)
{
    (void)state;
    const char *text = "held(control.landed, 0.25 s) OR rising(control.armed) OR "
                       "since(control.armed) < 0.01 s";
    machine m, n;
    make_history();
    open(&m, text, TAC__EXPR_BOOL);
    open(&n, text, TAC__EXPR_BOOL);
    for (int k = 0; k < STEPS; k++) {
        memcpy(n.memory, m.memory, sizeof m.memory);
        assert_true(at(&m, k) == at(&n, k));
        assert_memory_equal(m.memory, n.memory, sizeof m.memory);
    }
    tac__arena_fini(&m.arena);
    tac__arena_fini(&n.arena);
}

static void test_next(void **state)
{
    (void)state;
    machine m;
    open(&m, "held(control.landed, 0.25 s) OR held(control.landed AND control.armed, 1234567 us)",
         TAC__EXPR_BOOL);
    history[0] = other[0] = false;
    times[0] = 0;
    at(&m, 0);
    assert_true(tac__program_next(m.program, m.memory, 0) == TAC_TIME_NEVER);
    history[0] = true;
    times[0] = 1000001;
    at(&m, 0);
    assert_true(tac__program_next(m.program, m.memory, 1000001) == 1250001);
    assert_true(tac__program_next(m.program, m.memory, 1250001) == 1250001);
    assert_true(tac__program_next(m.program, m.memory, 1250002) == TAC_TIME_NEVER);
    other[0] = true;
    times[0] = 1100000;
    at(&m, 0);
    assert_true(tac__program_next(m.program, m.memory, 1250002) == 2334567);
    times[0] = 1250000;
    assert_true(at(&m, 0) == 0);
    times[0] = 1250001;
    assert_true(at(&m, 0) == 1);
    history[0] = false;
    at(&m, 0);
    assert_true(tac__program_next(m.program, m.memory, 0) == TAC_TIME_NEVER);
    tac__arena_fini(&m.arena);
}

// Times beyond what a double counts in microseconds.
static void test_late(void **state)
{
    (void)state;
    machine m;
    open(&m, "held(control.landed, 3 us)", TAC__EXPR_BOOL);
    history[0] = true;
    for (unsigned k = 0; k < 6; k++) {
        times[0] = (UINT64_C(1) << 60) + k;
        assert_true(at(&m, 0) == (k >= 3));
    }
    tac__arena_fini(&m.arena);
}

static void test_refused(void **state)
{
    (void)state;
    refused("held(control.landed, 0.0000005 s)", TAC_E_TIME, 22, "the nearest are 0 s and 1 us");
    refused("held(control.landed, 1)", TAC_E_UNIT, 22, "unit");
    refused("held(control.landed, 1 m)", TAC_E_UNIT, 22, "unit");
    refused("held(control.landed, t)", TAC_E_TYPE, 22, "a time that is written out");
    refused("held(control.landed, -1 s)", TAC_E_RANGE, 22, "negative");
    refused("held(body.soc, 1 s)", TAC_E_TYPE, 6, "held needs a condition");
    refused("rising(body.soc)", TAC_E_TYPE, 8, "rising needs a condition");
    refused("since(body.soc) < 1", TAC_E_TYPE, 7, "since needs a condition");
    refused("rising(control.landed) + 1 < 2", TAC_E_TYPE, 1, "+ needs a number");
    char text[TAC__EXPR_LENGTH] = "true";
    for (int i = 0; i <= TAC__EXPR_TIMED; i++)
        strcat(text, " OR rising(control.landed)");
    refused(text, TAC_E_LIMIT, 5 + TAC__EXPR_TIMED * 26 + 4, "more than 32 operators");
}

TEST_MAIN(cmocka_unit_test(test_against_history), cmocka_unit_test(test_never),
          cmocka_unit_test(test_skipped), cmocka_unit_test(test_nested),
          cmocka_unit_test(test_copied_memory), cmocka_unit_test(test_next),
          cmocka_unit_test(test_late), cmocka_unit_test(test_refused))
