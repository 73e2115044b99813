// Tables at, between and outside their breakpoints; and the exactness of lerp that they rest on.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define TAC_KIND_F64
#include "inputs.h"
#include "math/table.h"

enum { NX = 5, NY = 3, TRIALS = 100000 };

static const double x[NX] = {-1.3, 0.1, 0.7, 2.0, 9.1};
static const double y[NX] = {3.3, -7.1, 0.2, 1e6, -1.1};
static const double u[NY] = {-0.9, 0.3, 4.7};
static const double z[NX * NY] = {1.1, 2.7, -3.3, 0.4, 5.5, 6.1, 7, 8, 9, -1, -2, 1e-3, 4, 4, 4};

static const table1 clamped = {NX, x, y, TABLE_CLAMP, NULL};
static const table1 extended = {NX, x, y, TABLE_EXTRAPOLATE, NULL};
static const table2 map = {NX, NY, x, u, z, TABLE_CLAMP};
static const table2 extended_map = {NX, NY, x, u, z, TABLE_EXTRAPOLATE};

static void check_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g", got, expected);
}

static void test_lerp_ends_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int i = 0; i < TRIALS; i++) {
        double a = input_uniform(&seed, -1e3, 1e3), b = input_uniform(&seed, -1.0, 1.0);
        double t = input_uniform(&seed, -2.0, 3.0);
        assert_true(r_lerp(a, b, 0.0) == a);
        assert_true(r_lerp(a, b, 1.0) == b);
        assert_true(r_lerp(a, a, t) == a);
        check_near(r_lerp(a, b, t), a + t * (b - a), 1e-12);
    }
    assert_true(isnan(r_lerp(1.0, 2.0, QNAN)));
}

static void test_entries_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < NX; i++) {
        assert_true(table1_at(&clamped, x[i]) == y[i]);
        assert_true(table1_at(&extended, x[i]) == y[i]);
        for (int j = 0; j < NY; j++) {
            assert_true(table2_at(&map, x[i], u[j]) == z[i * NY + j]);
            assert_true(table2_at(&extended_map, x[i], u[j]) == z[i * NY + j]);
        }
    }
}

static void test_between(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < TRIALS; trial++) {
        int i = trial % (NX - 1), j = trial % (NY - 1);
        double s = input_uniform(&seed, 0.0, 1.0), t = input_uniform(&seed, 0.0, 1.0);
        double at_x = x[i] + s * (x[i + 1] - x[i]), at_u = u[j] + t * (u[j + 1] - u[j]);
        check_near(table1_at(&clamped, at_x), y[i] + s * (y[i + 1] - y[i]), 1e-8);
        assert_true(table1_at(&clamped, at_x) == table1_at(&extended, at_x));

        const double *c = z + i * NY + j;
        double bilinear =
            (1 - s) * ((1 - t) * c[0] + t * c[1]) + s * ((1 - t) * c[NY] + t * c[NY + 1]);
        check_near(table2_at(&map, at_x, at_u), bilinear, 1e-13);
        assert_true(table2_at(&map, at_x, at_u) == table2_at(&extended_map, at_x, at_u));
    }
}

static void test_outside(void **state)
{
    (void)state;
    assert_true(table1_at(&clamped, -1e30) == y[0]);
    assert_true(table1_at(&clamped, 1e30) == y[NX - 1]);
    assert_true(table1_at(&clamped, INF) == y[NX - 1]);
    double first = (y[1] - y[0]) / (x[1] - x[0]);
    double last = (y[NX - 1] - y[NX - 2]) / (x[NX - 1] - x[NX - 2]);
    check_near(table1_at(&extended, x[0] - 2.0), y[0] - 2.0 * first, 1e-12);
    check_near(table1_at(&extended, x[NX - 1] + 2.0), y[NX - 1] + 2.0 * last, 1e-9);

    assert_true(table2_at(&map, -50.0, 50.0) == z[NY - 1]);
    assert_true(table2_at(&map, 50.0, 50.0) == z[NX * NY - 1]);
    assert_true(table2_at(&map, x[2], -INF) == z[2 * NY]);
    double slope = (z[2 * NY + 2] - z[2 * NY + 1]) / (u[2] - u[1]);
    check_near(table2_at(&extended_map, x[2], u[2] + 3.0), z[2 * NY + 2] + 3.0 * slope, 1e-14);
}

static void test_nan_is_not_hidden(void **state)
{
    (void)state;
    assert_true(isnan(table1_at(&clamped, QNAN)));
    assert_true(isnan(table1_at(&extended, QNAN)));
    assert_true(isnan(table2_at(&map, QNAN, 0.0)));
    assert_true(isnan(table2_at(&map, 0.0, QNAN)));
}

static void test_two_breakpoints_suffice(void **state)
{
    (void)state;
    const double ends[2] = {0.0, 2.0}, values[2] = {1.0, 5.0};
    const table1 line = {2, ends, values, TABLE_EXTRAPOLATE, NULL};
    assert_true(table1_at(&line, 1.0) == 3.0);
    assert_true(table1_at(&line, -1.0) == -1.0);
}

static void test_breakpoints_are_checked(void **state)
{
    (void)state;
    const double bad[][3] = {{0, 1, 1}, {0, 2, 1}, {0, QNAN, 1}, {0, 1, INF}, {-INF, 0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(table_breakpoints_valid(3, bad[i]));
    assert_true(table_breakpoints_valid(NX, x));
    assert_true(table_breakpoints_valid(2, x));
    assert_false(table_breakpoints_valid(1, x));
    assert_false(table_breakpoints_valid(0, x));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lerp_ends_are_exact),
        cmocka_unit_test(test_entries_are_exact),
        cmocka_unit_test(test_between),
        cmocka_unit_test(test_outside),
        cmocka_unit_test(test_nan_is_not_hidden),
        cmocka_unit_test(test_two_breakpoints_suffice),
        cmocka_unit_test(test_breakpoints_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
