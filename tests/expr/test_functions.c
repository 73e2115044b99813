// Powers, functions, if and wanted units: the bits that C gives for the same, units, refusals.
#include "expr/expr_rig.h"

#include <tactus/math.h>

static void test_powers(void **state)
{
    (void)state;
    values[SOC] = 0.7;
    values[AND_X] = -1.3;
    equals("2^10", tac_pow(2, 10));
    equals("2**3", 8);
    equals("body.soc^2", 0.7 * 0.7);
    equals("body.soc^3", tac_pow(0.7, 3));
    values[SOC] = 0.011918999999999999; // whose tac_pow(x, 2) is not x*x
    equals("body.soc^2", 0.011918999999999999 * 0.011918999999999999);
    values[SOC] = 0.7;
    equals("body.soc ^ and.x", tac_pow(0.7, -1.3));
    // Tighter than a sign before it, looser than one after it; from right to left.
    equals("-2^2", -4);
    equals("(-2)^2", 4);
    equals("-body.soc^2", -(0.7 * 0.7));
    equals("2^-1", 0.5);
    equals("2^3^2", 512);
    equals("(2^3)^2", 64);
    equals("2^-1^2", 0.5);
    equals("2^-2^2", 0.0625); // 2^(-(2^2)), not (2^-2)^2
    equals("3 * 2^2", 12);
    equals("2^2 * 3", 12);
    equals("18 / 3^2", 2);
    equals("1 - 2^2", -3);
    holds("NOT 2^2 < 3", true);
}

static void test_power_units(void **state)
{
    (void)state;
    values[SPEED] = 3;
    values[KM] = 2;
    values[SOC] = 0.25;
    values[Z] = 5;
    holds("body.speed^2 == 9 m^2/s^2", true);
    holds("body.speed^2 > 9 m^2/s^2", false);
    holds("body.speed^-1 < 0.5 s/m", true);
    holds("body.speed^0 == 1", true);
    holds("Nav.position[2]^2 == 4e6 m^2", true);
    holds("(2 m)^2 == 4 m^2", true);
    holds("body.position.z < 2^3", true); // bare: in metres
    holds("body.position.z < 2^2", false);
    equals("(25 %)^0.5", tac_pow(0.25, 0.5));
    equals("4^(50 %)", tac_pow(4, 0.5));
    refused("body.speed^body.soc < 1", TAC_E_UNIT, 12, "exponent must be a whole number");
    refused("body.speed^0.5 < 1", TAC_E_UNIT, 12, "exponent must be a whole number from -8 to 8");
    refused("body.speed^9 < 1", TAC_E_UNIT, 12, "exponent must be a whole number");
    refused("2^(2 m) < 1", TAC_E_UNIT, 3, "an exponent takes 1, but '(2 m)' is in m");
    refused("2^body.speed < 1", TAC_E_UNIT, 3, "an exponent takes 1");
    refused("body.speed^2 < 9 m/s", TAC_E_UNIT, 1, "is in m^2*s^-2, but '9 m/s'");
    refused("5 m ^ 2 < body.position.z", TAC_E_SYNTAX, 5, "(5 m)^2");
    refused("5 m**2 < body.position.z", TAC_E_SYNTAX, 4, "(5 m)^2");
    refused("2^control.landed < 1", TAC_E_TYPE, 3, "^ needs a number");
    refused("2^ < 1", TAC_E_SYNTAX, 4, "found '<'");
    refused("((body.speed^8)^8) < 1", TAC_E_UNIT, 1, "too complicated");
}

static void test_functions(void **state)
{
    (void)state;
    static const double x[] = {0, 0.1, 0.5, 0.99, -0.3, -0.7};
    static const struct {
        const char *text;
        double (*f)(double);
    } ones[] = {{"sin", tac_sin},   {"cos", tac_cos},    {"tan", tac_tan},     {"asin", tac_asin},
                {"acos", tac_acos}, {"atan", tac_atan},  {"sinh", tac_sinh},   {"cosh", tac_cosh},
                {"tanh", tac_tanh}, {"exp", tac_exp},    {"cbrt", tac_cbrt},   {"abs", tac_fabs},
                {"log", tac_log},   {"log2", tac_log2},  {"log10", tac_log10}, {"sqrt", tac_sqrt},
                {"ceil", tac_ceil}, {"floor", tac_floor}};
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        const bool positive = strchr("ls", ones[i].text[0]) && strcmp(ones[i].text, "sin") &&
                              strcmp(ones[i].text, "sinh");
        for (size_t k = positive; k < (positive ? 4 : sizeof x / sizeof *x); k++) {
            char text[64];
            values[SOC] = values[ROLL] = x[k];
            snprintf(text, sizeof text, "%s(%s)", ones[i].text, i < 3 ? "body.roll" : "body.soc");
            equals(text, ones[i].f(x[k]));
        }
    }
    values[SOC] = -0.7;
    values[AND_X] = 0.4;
    equals("atan2(body.soc, and.x)", tac_atan2(-0.7, 0.4));
    equals("hypot(body.soc, and.x)", tac_hypot(-0.7, 0.4));
    equals("sign(body.soc)", -1);
    equals("sign(and.x)", 1);
    equals("sign(0)", 0);
    equals("min(body.soc, and.x)", -0.7);
    equals("max(body.soc, and.x)", 0.4);
    equals("min(3, 1, 2)", 1);
    equals("max(1, 2, 3, 2)", 3);
    equals("min(4, 3, 2, 1) + max(1, 2, 3, 4)", 5);
    equals("clamp(body.soc, 0, 1)", 0);
    equals("clamp(and.x, 0, 1)", 0.4);
    equals("clamp(7, 0, 1)", 1);
    equals("mod(7, 5)", 2);
    equals("mod(-7, 5)", 3);
    equals("mod(7, -5)", -3);
    equals("mod(-7, -5)", -2);
    equals("mod(10, 5)", 0);
    equals("mod(0.5, 0.2)", 0.09999999999999998);
    equals("mod(9007199254740991, 10)", 1);
    equals("pi", 3.14159265358979323846);
    equals("-2 * -abs(-3)^2", 18);
    equals("sin(pi / 6) * 2", tac_sin(3.14159265358979323846 / 6) * 2);
    equals("abs ( -1 )", 1);
}

static void test_function_units(void **state)
{
    (void)state;
    values[HEADING] = 30;
    values[KM] = 4;
    values[Z] = 3000;
    values[SPEED] = -2;
    values[SOC] = 0.5;
    const double pi = 3.14159265358979323846;
    equals("sin(nav.heading)", tac_sin(30.0 / 180 * pi));
    equals("cos(60 deg)", tac_cos(60.0 / 180 * pi));
    holds("asin(body.soc) > 29 deg AND asin(body.soc) < 31 deg", true);
    equals("hypot(body.position.z, Nav.position[2])", tac_hypot(3000, 4000));
    holds("hypot(body.position.z, Nav.position[2]) == 5 km", true);
    equals("atan2(Nav.position[2], body.position.z)", tac_atan2(4, 3));
    holds("min(body.position.z, Nav.position[2], 10 km) == 3 km", true);
    holds("min(10 km, Nav.position[2], body.position.z) == 3 km", true);
    holds("max(1 m, body.position.z) == 3000", true);
    holds("clamp(body.position.z, 0, 2 km) == 2000 m", true);
    holds("clamp(10 km, body.position.z, 1000) == 1000 m", true);
    holds("mod(body.position.z, 2 km) == 1 km", true);
    holds("abs(body.speed) == 2 m/s", true);
    holds("sign(body.speed) == -1", true);
    holds("sqrt(body.speed^2) == 2 m/s", true);
    holds("sqrt(Nav.position[2] * body.position.z * 3) == 6 km", true); // in metres
    holds("cbrt(Nav.position[2] * (1 km)^2 * 2) == 2 km", true);
    holds("exp(0 %) == 1", true);
    holds("sqrt(25 %) == 0.5", true);
    holds("body.position.z < sqrt(9e6) + 1", true);
    refused("sin(body.soc) < 1", TAC_E_UNIT, 5, "sin takes rad, but 'body.soc' is in 1");
    refused("exp(body.speed) < 1", TAC_E_UNIT, 5, "exp takes 1, but 'body.speed' is in m/s");
    refused("asin(body.roll) < 1", TAC_E_UNIT, 6, "asin takes 1");
    refused("asin(0.5) < body.soc", TAC_E_UNIT, 1, "'asin(0.5)' is in rad");
    refused("sqrt(body.speed) < 1", TAC_E_UNIT, 6, "'body.speed' is in m/s, of which there is no");
    refused("atan2(body.speed, t) < 1", TAC_E_UNIT, 1, "is in m/s, but 't' is in s");
    refused("min(1, body.speed, t) < 1", TAC_E_UNIT, 1, "but 't' is in s");
    refused("clamp(t, 0, body.speed) < 1", TAC_E_UNIT, 1, "'t' is in s, but 'body.speed'");
    refused("cos(pi) < body.position.z", TAC_E_UNIT, 1, "'cos(pi)' is in 1");
}

static void test_if(void **state)
{
    (void)state;
    values[Z] = 3;
    values[SOC] = 0;
    for (int k = 0; k < 2; k++) {
        values[LANDED] = k;
        equals("if(control.landed, 1, 2)", k ? 1 : 2);
        equals("1 + if(control.landed, 10, 20) * 2", k ? 21 : 41);
        holds("if(control.landed, body.position.z < 5, body.position.z < 1)", k);
        holds("if(control.landed, 3 m, 1 km) == body.position.z", k);
        equals("if(control.landed, if(NOT control.landed, 1, 2), if(control.landed, 3, 4))",
               k ? 2 : 4);
        // Only the one that counts is evaluated: 0/0 is not noticed in the other.
        const tac__expr_result r =
            run("if(control.landed, body.soc / body.soc < 1, body.position.z > 2)", TAC__EXPR_BOOL);
        assert_true(r.value == !k);
        assert_int_equal(r.nan != NULL, k);
    }
    refused("if(control.landed, 1 m, 1 s) < 1", TAC_E_UNIT, 1, "'1 m' is in m, but '1 s' is in s");
    refused("if(control.landed, true, 1)", TAC_E_TYPE, 1, "'true' is true or false, but '1'");
    refused("if(body.soc, true, false)", TAC_E_TYPE, 4, "if needs a condition");
}

static void test_calls_refused(void **state)
{
    (void)state;
    refused("sine(1) < 1", TAC_E_NAME, 1, "there is no function 'sine'; did you mean 'sin'?");
    refused("SIN(1) < 1", TAC_E_NAME, 1, "did you mean 'sin'?");
    refused("body.soc(1) < 1", TAC_E_NAME, 1, "there is no function 'body.soc'");
    refused("t(1) < 1", TAC_E_NAME, 1, "there is no function 't'");
    refused("1 + sin() < 1", TAC_E_SYNTAX, 5, "sin(x) takes 1 argument, found 0");
    refused("sin(1, 2) < 1", TAC_E_SYNTAX, 1, "sin(x) takes 1 argument, found more than 1");
    refused("clamp(1, 2) < 1", TAC_E_SYNTAX, 1, "clamp(x, low, high) takes 3 arguments, found 2");
    refused("min(1) < 1", TAC_E_SYNTAX, 1, "min(a, b, ...) takes at least 2 arguments, found 1");
    refused("since(true, 1, 2) < 1", TAC_E_SYNTAX, 1, "at most 2 arguments");
    refused("sin(1 < 1", TAC_E_SYNTAX, 4, "never closed");
    refused("sin(1 2) < 1", TAC_E_SYNTAX, 7, "expected an operator, ',' or ')', found '2'");
    refused("min(1,) < 1", TAC_E_SYNTAX, 7, "found ')'");
    refused("min(,1) < 1", TAC_E_SYNTAX, 5, "found ','");
    refused("1, 2", TAC_E_SYNTAX, 2, "expected an operator, found ','");
    refused("sin(true) < 1", TAC_E_TYPE, 5, "sin needs a number, but 'true' is true or false");
    refused("min(1, true) < 1", TAC_E_TYPE, 8, "min needs a number");
}

// A NaN goes through everything, also where C would hide it.
static void test_nan(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "min(body.soc, 1)",
        "min(1, body.soc)",
        "max(body.soc, 1)",
        "max(1, body.soc)",
        "clamp(body.soc, 0, 1)",
        "clamp(0, body.soc, 1)",
        "body.soc^0",
        "1^body.soc",
        "clamp(0, 0, body.soc)",
        "sign(body.soc)",
        "sqrt(body.soc)",
        "abs(body.soc)",
        "mod(body.soc, 1)",
        "mod(1, body.soc)",
        "hypot(body.soc, 1/0)",
        "floor(body.soc)",
        "body.soc^2",
        "exp(body.soc)",
    };
    values[SOC] = (double)NAN;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[64];
        assert_string_equal(run(texts[i], TAC__EXPR_NUMBER).nan, "body.soc");
        snprintf(text, sizeof text, "%s < 1", texts[i]);
        const tac__expr_result result = run(text, TAC__EXPR_BOOL);
        assert_true(result.value == 0);
        assert_string_equal(result.nan, "body.soc");
    }
    assert_string_equal(run("sqrt(-1) < 1", TAC__EXPR_BOOL).nan, "sqrt(-1) < 1");
}

// An equation has a unit of its own: what is written is converted to it.
static void test_wanted_unit(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unit;
        double value;
    } cases[] = {{"Nav.position[2] * 2", "m", 8000},
                 {"5 km", "m", 5000},
                 {"5", "m", 5},
                 {"2 * 3", "km", 6},
                 {"body.speed * t", "km", 0.006},
                 {"45 deg", "deg", 45},
                 {"30 %", "1", 0.3}};
    values[KM] = 4;
    values[SPEED] = 2;
    tac_error err;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tac__arena arena;
        tac__expr *expr;
        tac__program *program;
        tac__arena_init(&arena, NULL);
        assert_int_equal(tac__expr_parse(&arena, cases[i].text, &expr, &err), TAC_OK);
        assert_int_equal(tac__expr_compile(&arena, expr, TAC__EXPR_NUMBER, cases[i].unit, &scope,
                                           &program, &err),
                         TAC_OK);
        const double value = tac__program_run(program, 3000000, pointers(), NULL).value;
        assert_true(value == cases[i].value);
        tac__arena_fini(&arena);
    }
    tac__arena arena;
    tac__expr *expr;
    tac__program *program;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__expr_parse(&arena, "body.speed * 2", &expr, &err), TAC_OK);
    assert_int_equal(tac__expr_compile(&arena, expr, TAC__EXPR_NUMBER, "m", &scope, &program, &err),
                     TAC_E_UNIT);
    assert_non_null(strstr(err.text, "this takes m, but 'body.speed * 2' is in m/s"));
    tac__arena_fini(&arena);
}

// Units that cancel leave a plain number, whatever their scale.
static void test_cancelled_units(void **state)
{
    (void)state;
    values[KM] = 2;
    values[Z] = 500;
    values[SPEED] = 5;
    values[SOC] = 0.5;
    t_s = 3;
    equals("Nav.position[2]/body.position.z", 4);
    equals("body.position.z/Nav.position[2]", 0.25);
    equals("Nav.position[2]/(250 m)", 8);
    equals("4 km/body.position.z", 8);
    equals("t/1 ms", 3000);
    equals("body.speed*(1 ms/1 mm)", 5 * 1.0);
    equals("body.position.z*(4/1 km)", 2);
    equals("(50 %)*(50 %)", 0.25);
    equals("min(Nav.position[2]/body.position.z, 1)", 1);
    equals("body.soc*20 %", 0.1);
    equals("body.speed*20 %*1 s/1 m", 1);
    holds("Nav.position[2]/body.position.z > 3", true);
    holds("Nav.position[2]*2 == 4", true); // in km still
}

TEST_MAIN(cmocka_unit_test(test_cancelled_units), cmocka_unit_test(test_powers),
          cmocka_unit_test(test_power_units), cmocka_unit_test(test_functions),
          cmocka_unit_test(test_function_units), cmocka_unit_test(test_if),
          cmocka_unit_test(test_calls_refused), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_wanted_unit))
