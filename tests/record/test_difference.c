// Two values: bits, tolerances, units in the last place.
#include "support/test.h"

#include "record/difference.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const tac_type f64 = TAC_TYPE_F64, vec3 = TAC_TYPE_VEC3, i32 = TAC_TYPE_I32,
                      i64 = TAC_TYPE_I64, boolean = TAC_TYPE_BOOL;

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static tac_difference begun(void)
{
    tac_difference d = {0};
    tac__difference_begin(&d);
    return d;
}

static tac_difference of(const tac_type *type, const void *a, const void *b,
                         const tac__allowance *allowed)
{
    tac_difference d = begun();
    tac__difference_add(&d, type, allowed, 5, a, b);
    assert_int_equal(d.samples, 1);
    assert_int_equal(d.beyond != 0, d.first_us == 5);
    return d;
}

static tac_difference of_f64(double a, double b, const tac__allowance *allowed)
{
    return of(&f64, &a, &b, allowed);
}

// --- ulps ----------------------------------------------------------------------------------------

static void test_ulps(void **state)
{
    (void)state;
    assert_int_equal(tac__ulps(1, 1), 0);
    assert_int_equal(tac__ulps(0.0, -0.0), 0);
    assert_int_equal(tac__ulps(-DBL_TRUE_MIN, DBL_TRUE_MIN), 2);
    assert_int_equal(tac__ulps(1, 2), UINT64_C(1) << 52);
    assert_int_equal(tac__ulps((double)NAN, 1), UINT64_MAX);
    assert_int_equal(tac__ulps(-HUGE_VAL, HUGE_VAL), 2 * UINT64_C(0x7ff0000000000000));
    // Against counting with nextafter, on both sides of zero and across binades.
    const double from[] = {1, 0.99999999999999,  -1,   -2.0000000000000004,
                           0, -3 * DBL_TRUE_MIN, 1e300};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        double x = from[i];
        for (uint64_t n = 0; n < 300; n++) {
            assert_int_equal(tac__ulps(from[i], x), n);
            assert_int_equal(tac__ulps(x, from[i]), n);
            x = nextafter(x, HUGE_VAL);
        }
    }
}

// --- bit for bit ---------------------------------------------------------------------------------

static void test_bits(void **state)
{
    (void)state;
    assert_int_equal(of_f64(1.5, 1.5, NULL).beyond, 0);
    assert_true(of_f64(1.5, 1.5, NULL).max_us == TAC_TIME_NEVER);
    tac_difference d = of_f64(0.0, -0.0, NULL);
    assert_int_equal(d.beyond, 1);
    assert_true(d.max_abs == 0 && d.max_us == 5 && d.ulps == 0 && signbit(d.b));
    d = of_f64(1, nextafter(1, 2), NULL);
    assert_int_equal(d.beyond, 1);
    assert_int_equal(d.ulps, 1);
    assert_true(d.max_abs == DBL_EPSILON);
}

static void test_nan(void **state)
{
    (void)state;
    const double one = from_bits(0x7ff8000000000000), other = from_bits(0x7ff8000000000001);
    assert_int_equal(of_f64(one, one, NULL).beyond, 0);
    assert_int_equal(of_f64(one, other, NULL).beyond, 1);
    const tac__allowance some = {1, 1};
    assert_int_equal(of_f64(one, other, &some).beyond, 0);
    const tac_difference d = of_f64(one, 1, &some);
    assert_int_equal(d.beyond, 1);
    assert_true(isinf(d.max_abs) && d.ulps == UINT64_MAX && isnan(d.a) && d.b == 1);
}

// --- tolerances ----------------------------------------------------------------------------------

static void test_tolerances(void **state)
{
    (void)state;
    const tac__allowance none = {0, 0}, half = {0.5, 0}, percent = {0, 0.01}, both = {0.5, 0.01};
    assert_int_equal(of_f64(0.0, -0.0, &none).beyond, 0);
    assert_int_equal(of_f64(1, nextafter(1, 2), &none).beyond, 1);
    assert_int_equal(of_f64(1, 1.5, &half).beyond, 0);
    assert_int_equal(of_f64(1, nextafter(1.5, 2), &half).beyond, 1);
    assert_true(of_f64(1, 1.5, &half).max_abs == 0.5);
    // Of the larger of the two, whichever that is.
    assert_int_equal(of_f64(99, 100, &percent).beyond, 0);
    assert_int_equal(of_f64(-100, -99, &percent).beyond, 0);
    assert_int_equal(of_f64(100, 101.02, &percent).beyond, 1);
    assert_int_equal(of_f64(100, 101.4, &both).beyond, 0);
    assert_int_equal(of_f64(100, 101.6, &both).beyond, 1);
    // No tolerance makes infinity near to anything else.
    assert_int_equal(of_f64(HUGE_VAL, DBL_MAX, &both).beyond, 1);
    assert_int_equal(of_f64(HUGE_VAL, -HUGE_VAL, &both).beyond, 1);
    assert_int_equal(of_f64(HUGE_VAL, HUGE_VAL, &both).beyond, 0);
}

static void test_other_types(void **state)
{
    (void)state;
    const tac__allowance two = {2, 0};
    const int32_t a = 3, b = 5, c = 6;
    assert_int_equal(of(&i32, &a, &b, &two).beyond, 0);
    assert_int_equal(of(&i32, &a, &c, &two).beyond, 1);
    assert_true(of(&i32, &a, &c, NULL).ulps == UINT64_MAX);
    const int64_t low = INT64_MIN, high = INT64_MAX, near = INT64_MAX - 1;
    assert_true(of(&i64, &low, &high, NULL).max_abs == 0x1p64);
    assert_true(of(&i64, &near, &high, NULL).max_abs == 1); // the same double
    assert_int_equal(of(&i64, &near, &high, &two).beyond, 0);
    const bool no = false, yes = true;
    assert_int_equal(of(&boolean, &no, &yes, &two).beyond, 1);
    static const char *const labels[] = {"off", "on", NULL};
    const tac_type named = TAC_TYPE_ENUM(labels);
    const int32_t off = 0, on = 1;
    assert_int_equal(of(&named, &off, &on, &two).beyond, 1);
    assert_int_equal(of(&named, &on, &on, NULL).beyond, 0);
}

// --- over time -----------------------------------------------------------------------------------

static void test_first_and_largest(void **state)
{
    (void)state;
    const tac__allowance allowed = {0.1, 0};
    const double a[3] = {1, 2, 3}, near[3] = {1, 2.05, 3}, b[3] = {1, 2.5, 3.25}, c[3] = {1, 2, 7};
    tac_difference d = begun();
    tac__difference_add(&d, &vec3, &allowed, 10, a, a);
    tac__difference_add(&d, &vec3, &allowed, 20, a, near);
    assert_true(d.beyond == 0 && d.max_us == 20);
    tac__difference_add(&d, &vec3, &allowed, 30, a, b);
    tac__difference_add(&d, &vec3, &allowed, 40, c, a);
    tac__difference_add(&d, &vec3, &allowed, 50, a, c);
    assert_int_equal(d.samples, 5);
    assert_int_equal(d.beyond, 3); // samples, not elements
    assert_true(d.first_us == 30 && d.element == 1 && d.a == 2 && d.b == 2.5);
    assert_true(d.max_abs == 4 && d.max_us == 40); // the first of equal ones
    assert_true(d.unmatched_us == TAC_TIME_NEVER);
    tac__difference_alone(&d, false, 60);
    tac__difference_alone(&d, true, 70);
    tac__difference_alone(&d, true, 80);
    assert_true(d.unmatched_us == 60 && d.unmatched_a == 2 && d.unmatched_b == 1);
}

TEST_MAIN(cmocka_unit_test(test_ulps), cmocka_unit_test(test_bits), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_tolerances), cmocka_unit_test(test_other_types),
          cmocka_unit_test(test_first_and_largest))
