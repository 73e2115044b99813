// Labels of enums by name.
#include "expr/expr_rig.h"

static void test_labels(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++) {
        values[PHASE] = k;
        values[UAV_PHASE] = 2 - k;
        values[MODE] = k;
        holds("control.phase == ground", k == 0);
        holds("control.phase == boost", k == 1);
        holds("landed == control.phase", k == 2);
        holds("control.phase != landed", k != 2);
        holds("NOT control.phase != landed AND t >= 0", k == 2);
        holds("(control.phase) == landed", k == 2);
        holds("control.phase == 'landed'", k == 2);
        holds("\"landed\" == control.phase", k == 2);
        holds("control.phase == 2", k == 2);
        holds("control.phase >= 1", k >= 1);
        holds("control.phase == uav.phase", k == 1);
        // Neither has a dot: the second is the label. Parentheses make it a signal.
        holds("mode == idle", k == 0);
        values[IDLE] = 2;
        holds("mode == (idle)", k == 2);
        // Quotes for labels that are no names, or mean something else.
        holds("mode == 'in flight'", k == 1);
        holds("mode == 't'", k == 2);
    }
}

static void test_refused(void **state)
{
    (void)state;
    refused("control.phase == landd", TAC_E_NAME, 18,
            "'control.phase' has no label 'landd'; did you mean 'landed'?");
    refused("control.phase != 'Landed'", TAC_E_NAME, 18, "did you mean 'landed'?");
    refused("control.phase == idle", TAC_E_NAME, 18, "'control.phase' has no label 'idle'");
    refused("t > 1 AND body.soc == landed", TAC_E_TYPE, 23,
            "'landed' can only be a label, but "
            "'body.soc' is no enum");
    refused("control.landed == landed", TAC_E_TYPE, 19, "'control.landed' is no enum");
    refused("control.phase < landed", TAC_E_NAME, 17, "unknown signal 'landed'");
    refused("control.phase < 'landed'", TAC_E_TYPE, 17, "only be compared with a signal, by ==");
    refused("control.phase + 1 == 'boost'", TAC_E_TYPE, 22, "'control.phase + 1' is no enum");
    refused("control.phase == mode + 0 AND (mode) == control.phase", TAC_E_TYPE, 31,
            "enums with different labels");
    refused("'landed'", TAC_E_TYPE, 1, "a label can only be compared");
    refused("'a' == 'b'", TAC_E_TYPE, 1, "is no enum");
    refused("control.phase == 'landed", TAC_E_SYNTAX, 18, "this quote is never closed");
    refused("control.phase == ''", TAC_E_SYNTAX, 18, "expected a label in quotes");
    refused("contrl.phase == landed", TAC_E_NAME, 1, "did you mean 'control.phase'?");
}

// Labels are no signals: nobody is asked for them.
static void test_signals(void **state)
{
    (void)state;
    tac__arena arena;
    tac__expr *expr;
    tac_error err;
    size_t count;
    tac__arena_init(&arena, NULL);
    const char *text = "control.phase == landed OR mode != idle OR 'boost' == uav.phase OR pi < t";
    assert_int_equal(tac__expr_parse(&arena, text, &expr, &err), TAC_OK);
    const char *const *names = tac__expr_signals(expr, &count);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "control.phase");
    assert_string_equal(names[1], "mode");
    assert_string_equal(names[2], "uav.phase");
    assert_int_equal(tac__expr_memory(expr), 0);
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_labels), cmocka_unit_test(test_refused),
          cmocka_unit_test(test_signals))
