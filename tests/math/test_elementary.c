// The public elementary functions: accuracy against libm's long double, special values, exactness.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <float.h>

#include <tactus/math.h>

#include "inputs.h"

enum { SAMPLES = 100000 };

// Error of `got` in units of the last place of the true value.
static double ulps(double got, long double truth)
{
    double nearest = (double)truth;
    if (isinf(nearest) || isnan(nearest))
        return same_bits(got, nearest) ? 0.0 : INF;
    int exponent;
    frexp(nearest, &exponent);
    int last = exponent - DBL_MANT_DIG;
    if (last < DBL_MIN_EXP - DBL_MANT_DIG || nearest == 0.0)
        last = DBL_MIN_EXP - DBL_MANT_DIG;
    return (double)fabsl(ldexpl((long double)got - truth, -last));
}

typedef struct unary {
    const char *name;
    double (*ours)(double);
    long double (*truth)(long double);
    double lo, hi;
} unary;

typedef struct binary {
    const char *name;
    double (*ours)(double, double);
    long double (*truth)(long double, long double);
    double lo, hi;
} binary;

static const unary unaries[] = {
    {"sin", tac_sin, sinl, -10.0, 10.0},        {"sin, huge", tac_sin, sinl, -1e300, 1e300},
    {"cos", tac_cos, cosl, -10.0, 10.0},        {"cos, huge", tac_cos, cosl, -1e300, 1e300},
    {"tan", tac_tan, tanl, -10.0, 10.0},        {"tan, huge", tac_tan, tanl, -1e300, 1e300},
    {"asin", tac_asin, asinl, -1.0, 1.0},       {"acos", tac_acos, acosl, -1.0, 1.0},
    {"atan", tac_atan, atanl, -50.0, 50.0},     {"sinh", tac_sinh, sinhl, -700.0, 700.0},
    {"cosh", tac_cosh, coshl, -700.0, 700.0},   {"tanh", tac_tanh, tanhl, -20.0, 20.0},
    {"exp", tac_exp, expl, -745.0, 709.0},      {"exp2", tac_exp2, exp2l, -1074.0, 1023.0},
    {"expm1", tac_expm1, expm1l, -30.0, 700.0}, {"log", tac_log, logl, 0.0, 1e4},
    {"log2", tac_log2, log2l, 0.0, 1e4},        {"log10", tac_log10, log10l, 0.0, 1e4},
    {"log1p", tac_log1p, log1pl, -1.0, 1e4},    {"cbrt", tac_cbrt, cbrtl, -1e6, 1e6},
};

static const binary binaries[] = {
    {"atan2", tac_atan2, atan2l, -100.0, 100.0},
    {"pow", tac_pow, powl, 0.0, 60.0},
    {"hypot", tac_hypot, hypotl, -1e5, 1e5},
};

// Half of the arguments are spread evenly, half are shrunk towards 0 by up to 2^-30.
static double argument(uint64_t *seed, double lo, double hi)
{
    double x = input_uniform(seed, lo, hi);
    uint64_t choice = input_bits(seed);
    return choice % 2 ? x : ldexp(x, -(int)((choice >> 8) % 31));
}

static void test_accuracy(void **state)
{
    (void)state;
    if (LDBL_MANT_DIG < 64)
        skip(); // nothing to compare with

    const double bound = 1.0;
    uint64_t seed = 3;
    for (size_t f = 0; f < sizeof unaries / sizeof *unaries; f++) {
        const unary *u = &unaries[f];
        double worst = 0.0, at = 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            double x = argument(&seed, u->lo, u->hi);
            double error = ulps(u->ours(x), u->truth((long double)x));
            if (!(error <= worst))
                worst = error, at = x;
        }
        print_message("%-10s %.3f ulp at %a\n", u->name, worst, at);
        if (!(worst <= bound))
            fail_msg("%s(%a) is off by %g ulp", u->name, at, worst);
    }
    for (size_t f = 0; f < sizeof binaries / sizeof *binaries; f++) {
        const binary *b = &binaries[f];
        double worst = 0.0, at_x = 0.0, at_y = 0.0;
        for (int i = 0; i < SAMPLES; i++) {
            double x = argument(&seed, b->lo, b->hi), y = argument(&seed, b->lo, b->hi);
            double error = ulps(b->ours(x, y), b->truth((long double)x, (long double)y));
            if (!(error <= worst))
                worst = error, at_x = x, at_y = y;
        }
        print_message("%-10s %.3f ulp at %a, %a\n", b->name, worst, at_x, at_y);
        if (!(worst <= bound))
            fail_msg("%s(%a, %a) is off by %g ulp", b->name, at_x, at_y, worst);
    }
}

static void check(double got, double expected)
{
    if (!same_bits(got, expected))
        fail_msg("%a instead of %a", got, expected);
}

// C17, annex F.
static void test_special_values(void **state)
{
    (void)state;
    static double (*const odd[])(double) = {
        tac_sin, tac_tan, tac_asin, tac_atan, tac_sinh, tac_tanh, tac_cbrt, tac_expm1, tac_log1p,
    };
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        check(odd[i](0.0), 0.0);
        check(odd[i](-0.0), -0.0);
        check(odd[i](QNAN), QNAN);
    }
    check(tac_sin(INF), QNAN);
    check(tac_cos(-INF), QNAN);
    check(tac_asin(1.5), QNAN);
    check(tac_acos(1.0), 0.0);
    check(tac_cos(0.0), 1.0);
    check(tac_cosh(0.0), 1.0);
    check(tac_atan(INF), 0x1.921fb54442d18p0);
    check(tac_tanh(-INF), -1.0);
    check(tac_exp(0.0), 1.0);
    check(tac_exp(-INF), 0.0);
    check(tac_exp(INF), INF);
    check(tac_exp(1000.0), INF);
    check(tac_exp(-1000.0), 0.0);
    check(tac_expm1(-INF), -1.0);
    for (int n = -1074; n < 1024; n++)
        check(tac_exp2(n), ldexp(1.0, n));
    check(tac_log(1.0), 0.0);
    check(tac_log(0.0), -INF);
    check(tac_log(-1.0), QNAN);
    check(tac_log(INF), INF);
    check(tac_log2(8.0), 3.0);
    check(tac_log10(1000.0), 3.0);
    check(tac_log1p(-1.0), -INF);

    check(tac_pow(QNAN, 0.0), 1.0);
    check(tac_pow(1.0, QNAN), 1.0);
    check(tac_pow(-8.0, 3.0), -512.0);
    check(tac_pow(-8.0, 1.0 / 3.0), QNAN);
    check(tac_pow(0.0, -1.0), INF);
    check(tac_pow(-0.0, 3.0), -0.0);
    check(tac_pow(0.5, INF), 0.0);
    check(tac_hypot(INF, QNAN), INF);
    check(tac_hypot(3.0, -4.0), 5.0);
    check(tac_hypot(1e300, 1e300), 1e300 * sqrt(2.0));
    check(tac_atan2(0.0, -0.0), 0x1.921fb54442d18p1);
    check(tac_atan2(-0.0, -1.0), -0x1.921fb54442d18p1);
    check(tac_atan2(-0.0, 1.0), -0.0);
    check(tac_atan2(1.0, 0.0), 0x1.921fb54442d18p0);
}

static void test_sincos_is_sin_and_cos(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int i = 0; i < SAMPLES; i++) {
        double x = input_hostile(&seed), s, c;
        tac_sincos(x, &s, &c);
        check(s, tac_sin(x));
        check(c, tac_cos(x));
    }
}

static void test_min_max_clamp(void **state)
{
    (void)state;
    check(tac_min(0.0, -0.0), -0.0); // the second of equals
    check(tac_min(-0.0, 0.0), 0.0);
    check(tac_max(0.0, -0.0), -0.0);
    check(tac_min(1.0, QNAN), QNAN);
    check(tac_max(1.0, QNAN), QNAN);
    check(tac_min(QNAN, 1.0), 1.0);
    check(tac_max(QNAN, 1.0), 1.0);
    check(tac_clamp(QNAN, -1.0, 1.0), QNAN);
    check(tac_clamp(-0.0, 0.0, 1.0), -0.0);
    check(tac_clamp(7.0, 0.0, 1.0), 1.0);
    check(tac_clamp(-INF, 0.0, 1.0), 0.0);
}

static void test_exact_functions(void **state)
{
    (void)state;
    check(tac_sqrt(2.0), 0x1.6a09e667f3bcdp0);
    check(tac_sqrt(-0.0), -0.0);
    check(tac_floor(-0.5), -1.0);
    check(tac_floor(-0.0), -0.0);
    check(tac_ceil(-0.5), -0.0);
    check(tac_fabs(-0.0), 0.0);
    check(tac_fmod(-7.5, 2.0), -1.5);
    check(tac_fmod(1e300, 7.0), 1.0);
}

static void test_version_names_the_library(void **state)
{
    (void)state;
    assert_memory_equal(tac_math_version(), "sleef-", 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_special_values),
        cmocka_unit_test(test_sincos_is_sin_and_cos),
        cmocka_unit_test(test_min_max_clamp),
        cmocka_unit_test(test_exact_functions),
        cmocka_unit_test(test_version_names_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
