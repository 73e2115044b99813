// The inverse of the normal distribution, against published quantiles and an integral of the
// density.
#include "support/test.h"

#include <math.h>

#include "inputs.h"
#include "math/normal.h"

static void test_symmetry(void **state)
{
    (void)state;
    assert_true(tac__normal_inverse(0.5) == 0.0);
    uint64_t seed = 1;
    for (int i = 0; i < 100000; i++) {
        const double u = ldexp((double)(int64_t)(input_bits(&seed) >> 12) + 0.5, -52);
        assert_true(tac__normal_inverse(1.0 - u) == -tac__normal_inverse(u));
    }
}

// At the doubles nearest to these probabilities, from 40 digits.
static void test_quantiles(void **state)
{
    (void)state;
    static const struct {
        double u, x;
    } known[] = {{0.55, 0.12566134685507414641},   {0.6, 0.25334710313579974132},
                 {0.75, 0.6744897501960817432},    {0.9, 1.2815515655446005935},
                 {0.925, 1.4395314709384562291},   {0.95, 1.6448536269514722843},
                 {0.975, 1.9599639845400538556},   {0.99, 2.3263478740408407676},
                 {0.999, 3.0902323061678132778},   {0.0001, -3.7190164854556805523},
                 {1e-10, -6.3613409024040561991},  {1e-15, -7.9413453261709967713},
                 {1e-100, -21.273453560965324294}, {1e-300, -37.047096299361199237}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const double x = tac__normal_inverse(known[i].u);
        if (!(fabs(x / known[i].x - 1.0) < 1e-15))
            fail_msg("quantile of %g: %.17g, expected %.17g", known[i].u, x, known[i].x);
    }
}

static long double density(long double x)
{
    return expl(-0.5L * x * x) * 0.398942280401432677939946059934L;
}

// The density over [a, b] by Gauss' rule of 5 points on 8 pieces.
static long double integral(long double a, long double b)
{
    static const long double at[3] = {0.0L, 0.538469310105683091036314420700L,
                                      0.906179845938663992797626878299L};
    static const long double weight[3] = {0.568888888888888888888888888889L,
                                          0.478628670499366468041291514836L,
                                          0.236926885056189087514264040720L};
    long double sum = 0.0L;
    for (int piece = 0; piece < 8; piece++) {
        const long double half = (b - a) / 16.0L, middle = a + (long double)(2 * piece + 1) * half;
        sum += half * weight[0] * density(middle);
        for (int k = 1; k < 3; k++)
            sum += half * weight[k] *
                   (density(middle - half * at[k]) + density(middle + half * at[k]));
    }
    return sum;
}

// From each quantile to the next the density integrates to the difference in probability, in the
// centre, in both tails and across the joints (0.075 and exp(-25) from the ends).
static void check_area(double u, double v, double tolerance)
{
    const long double area =
        integral((long double)tac__normal_inverse(u), (long double)tac__normal_inverse(v));
    if (!(fabsl(area - ((long double)v - (long double)u)) < (long double)tolerance))
        fail_msg("from %g to %g: %.20Lg", u, v, area);
}

static void test_round_trip(void **state)
{
    (void)state;
    enum { STEPS = 2000 };
    for (int i = 1; i < STEPS - 1; i++)
        check_area((double)i / STEPS, (double)(i + 1) / STEPS, 4e-16);
    // An error of 1e-15 in x is one of x^2 times that in the tail.
    for (double u = 1e-3; u > 1e-16; u *= 0.9) {
        const double x = tac__normal_inverse(u);
        check_area(0.9 * u, u, 1e-15 * x * x * u);
    }
}

TEST_MAIN(cmocka_unit_test(test_symmetry), cmocka_unit_test(test_quantiles),
          cmocka_unit_test(test_round_trip))
