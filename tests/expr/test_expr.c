// Expressions: what they mean, which are refused and how, and that they cost no memory to evaluate.
#include "expr/expr_rig.h"
#include "support/allocator.h"

#include <math.h>
#include <stdlib.h>

// --- meaning --------------------------------------------------------------------------------

static void test_comparisons(void **state)
{
    (void)state;
    for (int k = -1; k <= 1; k++) {
        values[SOC] = 0.3 + k * 0.1;
        holds("body.soc < 0.3", k < 0);
        holds("body.soc <= 0.3", k <= 0);
        holds("body.soc > 0.3", k > 0);
        holds("body.soc >= 0.3", k >= 0);
        holds("body.soc == 0.3", k == 0);
        holds("body.soc != 0.3", k != 0);
        // The other way round, and by the general operations.
        static const char *const signs[] = {">", ">=", "<", "<=", "==", "!="};
        const bool expected[] = {k<0, k <= 0, k> 0, k >= 0, k == 0, k != 0};
        for (size_t i = 0; i < 6; i++) {
            char text[64];
            snprintf(text, sizeof text, "0.3 %s body.soc", signs[i]);
            holds(text, expected[i]);
            snprintf(text, sizeof text, "0.3 %s body.soc + 0", signs[i]);
            holds(text, expected[i]);
        }
    }
    holds("1<2", true);
    holds(".5 < 5e-1", false);
    holds("1e3 == 1000", true);
}

static void test_logic(void **state)
{
    (void)state;
    for (int bits = 0; bits < 8; bits++) {
        const bool a = bits & 1, b = bits & 2, c = bits & 4;
        values[LANDED] = a;
        values[ARMED] = b;
        values[SOC] = c;
        holds("control.landed", a);
        holds("control.landed AND control.armed", a && b);
        holds("control.landed && control.armed", a && b);
        holds("control.landed or control.armed", a || b);
        holds("control.landed || control.armed", a || b);
        holds("NOT control.landed", !a);
        holds("!control.landed", !a);
        holds("not Not NOT control.landed", !a);
        // AND binds more than OR, NOT more than AND, comparisons more than NOT.
        holds("control.landed OR control.armed AND body.soc > 0.5", a || (b && c));
        holds("control.landed AND control.armed OR body.soc > 0.5", (a && b) || c);
        holds("(control.landed OR control.armed) AND body.soc > 0.5", (a || b) && c);
        holds("NOT control.landed AND control.armed", !a && b);
        holds("NOT body.soc > 0.5 OR control.armed", !c || b);
        holds("control.landed == control.armed", a == b);
        holds("control.landed != true", !a);
        holds("control.landed == (NOT control.armed)", a == !b);
        holds("FALSE or True AND control.landed", a);
    }
}

static void test_arithmetic(void **state)
{
    (void)state;
    t_s = 2.5;
    values[SOC] = 0.7;
    equals("1 + 2 * 3", 7);
    equals("(1 + 2) * 3", 9);
    equals("10 - 4 - 3", 3);
    equals("16 / 4 / 2", 2);
    equals("-body.soc", -0.7);
    equals("- - 2", 2);
    equals("2 - -3", 5);
    equals("+3", 3);
    equals("-2 * -(1 + 1)", 4);
    equals("0.1 + 0.2", 0.1 + 0.2);
    equals("t", 2.5);
    equals("2 * t + 1", 6);
    equals("body.soc * body.soc / 2", 0.7 * 0.7 / 2);
    values[AND_X] = 4;
    equals("and.x", 4); // a dotted name is no word of the language
}

static void test_units(void **state)
{
    (void)state;
    values[Z] = -120;
    values[KM] = 0.12;
    values[ROLL] = 0.3;
    values[HEADING] = 90;
    values[SPEED] = 10;
    values[SOC] = 0.3;
    values[CHARGE] = 1500;
    t_s = 300;
    holds("body.position.z < -0.1 km", true);
    holds("body.position.z < -0.12 km", false);
    holds("body.position.z == -120", true); // bare: in the signal's unit
    holds("Nav.position[2] == 120 m", true);
    holds("120 m == Nav.position[2]", true);
    holds("-body.position.z == Nav.position[2]", true); // converted while running
    holds("Nav.position[2] == -body.position.z", true);
    holds("body.roll == 0.3 rad", true);
    holds("body.roll < 18 deg", true);
    holds("body.roll < 17 deg", false);
    holds("nav.heading >= 0.25 rev", true);
    holds("body.speed == 36 km/h", true);
    holds("body.speed*1 s == 10 m", true);
    holds("body.speed * t == 3 km", true);
    holds("body.position.z / t > -0.5 m/s", true);
    holds("body.speed / body.speed == 1", true);
    holds("body.speed * body.speed > 99 m^2/s^2", true);
    holds("body.soc == 30 %", true);
    holds("body.soc == 30%", true);
    holds("t == 5 min AND t < 1 h", true);
    holds("5min==t", true);
    holds("pack.charge == 1.5 Ah", true);
    holds("t > 0.2 ms", true);
    holds("t > 200 µs", true);
    holds("body.speed > 2 m/t", true); // t is no unit: 2 m divided by the time
}

// The converted value is the one that base/unit gives: the same operations in the same order.
static void test_conversion_bits(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846;
    for (int k = 0; k < 1000; k++) {
        values[ROLL] = 0.001 * k;
        values[HEADING] = 0.37 * k;
        values[KM] = 0.1 * k;
        values[Z] = 0;
        equals("body.roll + nav.heading", values[ROLL] + values[HEADING] / 180 * pi);
        equals("body.position.z + Nav.position[2]", values[KM] * 1000);
        equals("Nav.position[2] + body.position.z", values[KM]);
    }
}

static void test_nan(void **state)
{
    (void)state;
    static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!="};
    values[SOC] = (double)NAN;
    values[Z] = 1;
    values[LANDED] = 1;
    for (size_t i = 0; i < 12; i++) {
        char text[64];
        snprintf(text, sizeof text, "body.position.z > 0 AND body.soc%s %s 1", i < 6 ? "" : " * 2",
                 comparisons[i % 6]);
        const tac__expr_result result = run(text, TAC__EXPR_BOOL);
        assert_true(result.value == 0);
        assert_string_equal(result.nan, "body.soc");
    }
    // The second operand is to blame, not the first; what is skipped is not looked at.
    assert_string_equal(run("and.x < body.soc", TAC__EXPR_BOOL).nan, "body.soc");
    holds("control.landed OR body.soc < 1", true);
    holds("NOT control.landed AND body.soc < 1", false);
    // A NaN that comes out of the arithmetic has no signal to blame.
    values[Z] = 0;
    assert_string_equal(run("body.position.z / body.position.z < 1", TAC__EXPR_BOOL).nan,
                        "body.position.z / body.position.z < 1");
    assert_string_equal(run("body.soc * 2", TAC__EXPR_NUMBER).nan, "body.soc");
    values[Z] = -1;
    holds("body.position.z / 0 > 1", false); // -inf
}

static void test_signals(void **state)
{
    (void)state;
    tac__arena arena;
    tac__expr *expr;
    tac_error err;
    size_t count;
    tac__arena_init(&arena, NULL);
    const char *text = "b.x < 1 AND t > 2 OR a.y[3] > b.x OR b.x.z == 0 km";
    assert_int_equal(tac__expr_parse(&arena, text, &expr, &err), TAC_OK);
    const char *const *names = tac__expr_signals(expr, &count);
    assert_int_equal(count, 3);
    assert_string_equal(names[0], "b.x");
    assert_string_equal(names[1], "a.y[3]");
    assert_string_equal(names[2], "b.x.z");
    tac__arena_fini(&arena);
}

// --- refusals -------------------------------------------------------------------------------

static void test_syntax_errors(void **state)
{
    (void)state;
    refused("", TAC_E_SYNTAX, 1, "empty");
    refused("   ", TAC_E_SYNTAX, 1, "empty");
    refused("body.soc <", TAC_E_SYNTAX, 11, "the expression ends");
    refused("body.soc < )", TAC_E_SYNTAX, 12, "found ')'");
    refused("(body.soc < 1", TAC_E_SYNTAX, 1, "never closed");
    refused("body.soc < 1)", TAC_E_SYNTAX, 13, "expected AND, OR or the end, found ')'");
    // What follows a number is a unit only if it could be one.
    refused("body.soc < 1 control.landed", TAC_E_SYNTAX, 14,
            "expected AND, OR or the end, found 'control.landed'");
    refused("body.soc < 1 body.roll > 1", TAC_E_SYNTAX, 14, "expected AND, OR or the end");
    refused("1 XOR body.soc", TAC_E_SYNTAX, 3, "expected AND, OR or the end, found 'XOR'");
    refused("body.soc < 1 xor control.landed", TAC_E_SYNTAX, 14, "AND, OR or the end, found 'xor'");
    refused("body.soc < 1 s2", TAC_E_SYNTAX, 14, "expected AND, OR or the end, found 's2'");
    refused("body.soc < 1 s.x", TAC_E_SYNTAX, 14, "expected AND, OR or the end, found 's.x'");
    refused("body.soc < 1 Nav[2]", TAC_E_SYNTAX, 14, "expected AND, OR or the end");
    refused("control.landed control.armed", TAC_E_SYNTAX, 16, "expected AND, OR or the end");
    refused("body.soc 1", TAC_E_SYNTAX, 10, "expected an operator, found '1'");
    refused("(body.soc < 1 body.roll > 1)", TAC_E_SYNTAX, 15, "expected an operator or ')'");
    refused("body.soc = 1", TAC_E_SYNTAX, 10, "write ==");
    refused("control.landed & true", TAC_E_SYNTAX, 16, "write AND");
    refused("body.soc <> 1", TAC_E_SYNTAX, 10, "write !=");
    refused("body.soc => 1", TAC_E_SYNTAX, 10, "'=>': write >=");
    refused("body.soc =< 1", TAC_E_SYNTAX, 10, "'=<': write <=");
    refused("body.soc =! 1", TAC_E_SYNTAX, 10, "'=!': write !=");
    refused("body.soc < inf", TAC_E_SYNTAX, 12, "there is no 'inf': numbers are finite");
    refused("body.soc > -Infinity", TAC_E_SYNTAX, 13, "there is no 'Infinity'");
    refused("body.soc == NaN", TAC_E_SYNTAX, 13, "there is no 'NaN'");
    refused("0 < body.soc < 1", TAC_E_SYNTAX, 14, "do not chain");
    refused("(0) < body.soc < 1", TAC_E_SYNTAX, 16, "do not chain");
    refused("body.soc < NOT true", TAC_E_SYNTAX, 12, "parentheses");
    refused("body. < 1", TAC_E_SYNTAX, 6, "expected a name after '.'");
    refused("Nav.position[] < 1", TAC_E_SYNTAX, 14, "number of an element");
    refused("Nav.position[x] < 1", TAC_E_SYNTAX, 14, "number of an element");
    refused("body.soc < 1 # x", TAC_E_SYNTAX, 14, "unexpected character '#'");
    refused("t < 1 µs AND § > 1", TAC_E_SYNTAX, 14, "unexpected character '§'");
    refused("mim(1, 2) < 1", TAC_E_NAME, 1, "there is no function 'mim'; did you mean 'min'?");
    refused("1e999 < 1", TAC_E_RANGE, 1, "too large");
    refused("AND true", TAC_E_SYNTAX, 1, "found 'AND'");
}

static void test_name_type_unit_errors(void **state)
{
    (void)state;
    refused("body.sco < 0.3", TAC_E_NAME, 1, "did you mean 'body.soc'?");
    refused("true AND body.soc", TAC_E_TYPE, 10, "compare it with something");
    refused("NOT body.soc", TAC_E_TYPE, 5, "NOT needs a condition");
    refused("control.landed < 1", TAC_E_TYPE, 1, "< needs a number");
    refused("control.landed == 1", TAC_E_TYPE, 1, "'1' is a number");
    refused("1 + true < 1", TAC_E_TYPE, 5, "+ needs a number");
    refused("-control.landed < 1", TAC_E_TYPE, 2, "- needs a number");
    refused("body.soc", TAC_E_TYPE, 1, "expected a condition");
    refused("body.position.z < 5 s", TAC_E_UNIT, 1, "'body.position.z' is in m, but '5 s' is in s");
    refused("body.soc < 0.3 rad", TAC_E_UNIT, 1, "is in 1, but '0.3 rad' is in rad");
    refused("body.position.z < body.soc", TAC_E_UNIT, 1, "is in m, but 'body.soc' is in 1");
    refused("true AND body.speed * t < 5 s", TAC_E_UNIT, 10, "'body.speed * t' is in m");
    refused("body.speed * body.speed < t", TAC_E_UNIT, 1, "is in m^2*s^-2");
    refused("body.speed + t < 1", TAC_E_UNIT, 1, "is in m/s, but 't' is in s");
    refused("body.position.z < body.position.z*body.roll", TAC_E_UNIT, 1,
            "is in m*rad; rad is a unit: write body.position.z*body.roll/1 rad");
    refused("(body.position.z + body.position.z)*body.roll > body.position.z", TAC_E_UNIT, 1,
            "write (body.position.z + body.position.z)*body.roll/1 rad");
    refused("body.roll + body.roll < body.soc", TAC_E_UNIT, 1,
            "write (body.roll + body.roll)/1 rad");
    refused("sin(body.soc*body.soc) < 1", TAC_E_UNIT, 5, "write body.soc*body.soc*1 rad");
    refused("body.soc < 5 kmm AND true", TAC_E_UNIT, 14, "unknown unit 'kmm'");
    refused("body.soc < 5 kmm", TAC_E_UNIT, 14, "unknown unit 'kmm'; did you mean 'm'");
    refused("t < 5 m^9", TAC_E_UNIT, 7, "whole number from");
    refused("Nav.position[2] < 1e308 m^1*m^-8*km^8", TAC_E_RANGE, 19, "too large for a number");
}

// What is too much is an error, never a crash.
static void test_limits(void **state)
{
    (void)state;
    static char text[1 << 20];
    memset(text, '(', sizeof text - 1);
    refused(text, TAC_E_LIMIT, 0, "too long");
    text[4000] = '\0';
    refused(text, TAC_E_LIMIT, TAC__EXPR_DEPTH + 1, "nested more than 64 deep");
    memset(text, '-', 4000);
    refused(text, TAC_E_LIMIT, TAC__EXPR_DEPTH + 1, "nested");
    memset(text, '!', 4000);
    refused(text, TAC_E_LIMIT, TAC__EXPR_DEPTH + 1, "nested");

    // The deepest that is allowed, with operands waiting at every level.
    size_t n = 0;
    n += (size_t)sprintf(text + n, "1 < ");
    for (int i = 0; i < TAC__EXPR_DEPTH; i++)
        n += (size_t)sprintf(text + n, "1+2*(");
    n += (size_t)sprintf(text + n, "1");
    for (int i = 0; i < TAC__EXPR_DEPTH; i++)
        n += (size_t)sprintf(text + n, ")");
    holds(text, true);

    // The same with arguments that wait; calls and powers count as levels.
    for (int extra = 0; extra < 2; extra++) {
        n = (size_t)sprintf(text, "1 < ");
        for (int i = 0; i < TAC__EXPR_DEPTH + extra; i++)
            n += (size_t)sprintf(text + n, "1+2*clamp(0,9,");
        n += (size_t)sprintf(text + n, "1");
        for (int i = 0; i < TAC__EXPR_DEPTH + extra; i++)
            n += (size_t)sprintf(text + n, ")");
        if (extra)
            refused(text, TAC_E_LIMIT, 5 + 14 * TAC__EXPR_DEPTH + 9, "nested more than 64 deep");
        else
            holds(text, true);
        n = (size_t)sprintf(text, "1 == 1");
        for (int i = 0; i < TAC__EXPR_DEPTH + extra; i++)
            n += (size_t)sprintf(text + n, "^1");
        if (extra)
            refused(text, TAC_E_LIMIT, 7 + 2 * TAC__EXPR_DEPTH, "nested more than 64 deep");
        else
            holds(text, true);
    }

    // The longest chain, and one character too many.
    strcpy(text, "1<2 ");
    for (n = 4; n < TAC__EXPR_LENGTH; n += 6)
        strcpy(text + n, "&& 1<2");
    assert_int_equal(n, TAC__EXPR_LENGTH);
    holds(text, true);
    strcpy(text + n, " ");
    refused(text, TAC_E_LIMIT, 0, "too long");
}

static void test_memory(void **state)
{
    (void)state;
    const char *text = "body.soc < 0.3 AND (NOT control.landed OR Nav.position[2] > 100 m) AND "
                       "-body.position.z > Nav.position[2] AND control.phase != 'landed' AND "
                       "held(if(control.landed, min(1 m, body.position.z^2 / 2 m, 3 km) > 3 m, "
                       "mode == idle), 1 s) OR since(control.armed) < 1 min";
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__arena arena;
        tac__program *program;
        tac_error err;
        tac__arena_init(&arena, &hook);
        const tac_status status = build(&arena, text, TAC__EXPR_BOOL, &program, &err);
        tac__arena_fini(&arena);
        test_allocator_check_empty(&a);
        if (status == TAC_OK)
            break;
        assert_int_equal(status, TAC_E_MEMORY);
    }
}

TEST_MAIN(cmocka_unit_test(test_comparisons), cmocka_unit_test(test_logic),
          cmocka_unit_test(test_arithmetic), cmocka_unit_test(test_units),
          cmocka_unit_test(test_conversion_bits), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_signals), cmocka_unit_test(test_syntax_errors),
          cmocka_unit_test(test_name_type_unit_errors), cmocka_unit_test(test_limits),
          cmocka_unit_test(test_memory))
