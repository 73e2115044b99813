// table() and spline() in expressions: the bits of tables of components, units, and what is
// refused.
#include "expr/expr_rig.h"

#define TAC_KIND_F64
#include "math/spline.h"
#include "math/table.h"

#define X_TEXT "[-1, 0.25, 0.5, 2, 3.5]"
#define Y_TEXT "[4, 1.5, -2, 0, 7e-1]"

enum { POINTS = 5 };
static const double x[POINTS] = {-1, 0.25, 0.5, 2, 3.5}, y[POINTS] = {4, 1.5, -2, 0, 0.7};

static void test_bits_of_tables(void **state)
{
    (void)state;
    double bend[2 * POINTS];
    assert_true(tac__spline_bend(POINTS, x, y, bend));
    const table1 lines = {POINTS, x, y, TABLE_CLAMP, NULL};
    const table1 curve = {POINTS, x, y, TABLE_CLAMP, bend};
    for (int i = -40; i <= 100; i++) {
        values[SOC] = 0.05 * i;
        equals("table(body.soc, " X_TEXT ", " Y_TEXT ")", table1_at(&lines, values[SOC]));
        equals("spline(body.soc, " X_TEXT ", " Y_TEXT ")", table1_at(&curve, values[SOC]));
        equals("1 - 2*spline(body.soc + 0.3, " X_TEXT ", " Y_TEXT ")",
               1 - 2 * table1_at(&curve, values[SOC] + 0.3));
    }
    for (int i = 0; i < POINTS; i++) {
        values[SOC] = x[i];
        equals("spline(body.soc, " X_TEXT ", " Y_TEXT ")", y[i]);
    }
    equals("table(0.5, [0, 1], [2, 4])", 3); // of a constant
    values[SOC] = 0.5;
    holds("spline(body.soc, [0, 0.5, 1], [0, 1, 0]) > 0.9 AND body.soc < 1", true);
    equals(
        "if(table(body.soc, [0, 1], [0, 1]) > 2, 1, table(table(body.soc, [0, 1], [0, 2]), [0, 1], "
        "[7, 8]))",
        8);
}

static void test_units(void **state)
{
    (void)state;
    values[SPEED] = 10;
    values[KM] = 1.5;
    values[SOC] = 0.5;
    // Breakpoints take the unit of the argument, or are converted to it.
    equals("table(body.speed, [0, 20], [0, 1])", 0.5);
    equals("table(body.speed, [0, 72 km/h], [0, 1])", 0.5);
    equals("table(Nav.position[2], [1000 m, 2], [0, 1])", 0.5);
    equals("table(body.soc, [0, 100 %], [0, 1])", 0.5);
    // Values have one unit, that of the first which has one; without, it is 1.
    holds("table(body.soc, [0, 1], [0 m, 4 m]) == 2 m", true);
    holds("table(body.soc, [0, 1], [0, 4 km]) == 2000 m", true);
    holds("table(body.soc, [0, 1], [1 km, 2000 m]) == 1500 m", true);
    holds("table(body.soc, [0, 1], [0, 4 m])/1 s < body.speed", true);
    refused("table(body.soc, [0, 1], [0, 4]) < body.speed", TAC_E_UNIT, 1, "is in 1, but");
    refused("table(body.speed, [0, 1 s], [0, 1]) < 1", TAC_E_UNIT, 1,
            "'body.speed' is in m/s, but '1 s' is in s");
    refused("table(body.soc, [0, 1], [0 m, 1 s]) < 1", TAC_E_UNIT, 1,
            "'0 m' is in m, but '1 s' is in s");
    refused("1 < table(body.soc, [0, 1], [0 mm, 5 m]) + 1 s", TAC_E_UNIT, 5, "is in mm, but");
}

static void test_refusals(void **state)
{
    (void)state;
    refused("table(body.soc, [0, 1]) < 1", TAC_E_SYNTAX, 1,
            "table(x, [x1, x2, ...], [y1, y2, ...]) takes 3 arguments, found 2");
    refused("table(body.soc, [0, 1], [0, 1], 2) < 1", TAC_E_SYNTAX, 1, "found more than 3");
    refused("table(body.soc, 0, 1) < 1", TAC_E_SYNTAX, 17, "expected a list of numbers");
    refused("table(body.soc, [0 1], [0, 1]) < 1", TAC_E_SYNTAX, 20, "expected ',' or ']'");
    refused("table(body.soc, [], [0, 1]) < 1", TAC_E_SYNTAX, 18, "found ']'");
    refused("table(body.soc, [0, 1", TAC_E_SYNTAX, 22, "expected ',' or ']'");
    refused("table(body.soc, [0, 1], [1, 2]", TAC_E_SYNTAX, 6, "never closed");
    refused("table(body.soc, [0, 1] [1, 2]) < 1", TAC_E_SYNTAX, 24, "expected ',' or ')'");
    refused("table(body.soc, [0, and.x], [1, 2]) < 1", TAC_E_TYPE, 21, "written out");
    refused("table(body.soc, [0, 2^2], [1, 2]) < 1", TAC_E_TYPE, 21, "written out");
    refused("table([0, 1], [0, 1], [1, 2]) < 1", TAC_E_SYNTAX, 7, "found '['");
    refused("body.soc < [1]", TAC_E_SYNTAX, 12, "found '['");
    refused("table(control.landed, [0, 1], [1, 2]) < 1", TAC_E_TYPE, 7, "table needs a number");
    refused("table(body.soc, [0], [1]) < 1", TAC_E_RANGE, 1, "at least 2 points, found 1");
    refused("spline(body.soc, [0, 1], [1, 2]) < 1", TAC_E_RANGE, 1, "at least 3 points, found 2");
    refused("table(body.soc, [0, 1], [1, 2, 3]) < 1", TAC_E_RANGE, 1,
            "2 breakpoints, but 3 values");
    refused("table(body.soc, [0, 1, 1], [1, 2, 3]) < 1", TAC_E_RANGE, 24,
            "breakpoints must ascend, but 1 follows 1");
    refused("table(body.position.z, [0, 1 km, 500], [1, 2, 3]) < 1", TAC_E_RANGE, 34,
            "but 500 follows 1000");
    refused("spline(body.soc, [0, 1, 2], [1e308, -1e308, 1e308]) < 1", TAC_E_RANGE, 1, "overflows");
    refused("splin(body.soc, [0, 1, 2], [1, 2, 3]) < 1", TAC_E_NAME, 1, "did you mean 'spline'?");
}

static void test_nan(void **state)
{
    (void)state;
    values[SOC] = (double)__builtin_nanf("");
    for (int i = 0; i < 2; i++) {
        const tac__expr_result r = run(i ? "spline(body.soc, [0, 1, 2], [1, 2, 4]) < 9"
                                         : "table(body.soc, [0, 1, 2], [1, 2, 4]) < 9",
                                       TAC__EXPR_BOOL);
        assert_string_equal(r.nan, "body.soc");
    }
}

TEST_MAIN(cmocka_unit_test(test_bits_of_tables), cmocka_unit_test(test_units),
          cmocka_unit_test(test_refusals), cmocka_unit_test(test_nan))
