// Numbers into messages and out of them: what fits is exact, what does not goes to the nearest;
// each type touches its own bytes and no others.
#include "support/test.h"

#include "autopilot/px4/value.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLOT(kind, n, at)                                                                          \
    (tac__uorb_slot)                                                                               \
    {                                                                                              \
        TAC__UORB_##kind, (n), (at)                                                                \
    }

static const double nan_value = (double)NAN, infinite = (double)INFINITY;

// --- one number ---------------------------------------------------------------------------------

static double through_f64(tac__uorb_type type, double value)
{
    unsigned char bytes[16] = {0};
    const tac__uorb_slot slot = {type, 1, 3}; // not aligned
    double back;
    tac__uorb_put_f64(bytes, slot, &value, 1);
    tac__uorb_get_f64(bytes, slot, &back, 1);
    return back;
}

static int64_t through_i64(tac__uorb_type type, int64_t value)
{
    unsigned char bytes[16] = {0};
    const tac__uorb_slot slot = {type, 1, 3};
    int64_t back;
    tac__uorb_put_i64(bytes, slot, &value, 1);
    tac__uorb_get_i64(bytes, slot, &back, 1);
    return back;
}

static uint64_t through_u64(tac__uorb_type type, uint64_t value)
{
    unsigned char bytes[16] = {0};
    const tac__uorb_slot slot = {type, 1, 3};
    uint64_t back;
    tac__uorb_put_u64(bytes, slot, &value, 1);
    tac__uorb_get_u64(bytes, slot, &back, 1);
    return back;
}

static void check_limits(tac__uorb_type type, double lowest, double highest)
{
    assert_true(through_f64(type, lowest) == lowest);
    assert_true(through_f64(type, highest) == highest);
    assert_true(through_f64(type, lowest - 1) == lowest);
    assert_true(through_f64(type, highest + 1) == highest);
    assert_true(through_f64(type, -infinite) == lowest);
    assert_true(through_f64(type, infinite) == highest);
    assert_true(through_f64(type, -1e300) == lowest);
    assert_true(through_f64(type, nan_value) == 0);
    assert_true(through_i64(type, INT64_MIN) == (int64_t)lowest);
    assert_true(through_i64(type, INT64_MAX) == (int64_t)highest);
    assert_true(through_u64(type, UINT64_MAX) == (uint64_t)highest);
    assert_true(through_u64(type, 7) == 7);
    assert_true(through_i64(type, -1) == (lowest < 0 ? -1 : 0));
}

static void test_whole_limits(void **state)
{
    (void)state;
    check_limits(TAC__UORB_INT8, -128, 127);
    check_limits(TAC__UORB_UINT8, 0, 255);
    check_limits(TAC__UORB_CHAR, 0, 255);
    check_limits(TAC__UORB_INT16, -32768, 32767);
    check_limits(TAC__UORB_UINT16, 0, 65535);
    check_limits(TAC__UORB_INT32, -2147483648.0, 2147483647.0);
    check_limits(TAC__UORB_UINT32, 0, 4294967295.0);
}

static void test_whole_64(void **state)
{
    (void)state;
    assert_true(through_i64(TAC__UORB_INT64, INT64_MIN) == INT64_MIN);
    assert_true(through_i64(TAC__UORB_INT64, INT64_MAX) == INT64_MAX);
    assert_true(through_u64(TAC__UORB_UINT64, UINT64_MAX) == UINT64_MAX);
    assert_true(through_u64(TAC__UORB_INT64, UINT64_MAX) == (uint64_t)INT64_MAX);
    assert_true(through_i64(TAC__UORB_UINT64, -5) == 0);
    assert_true(through_i64(TAC__UORB_UINT64, INT64_MAX) == INT64_MAX);

    uint64_t bits = UINT64_MAX;
    const tac__uorb_slot slot = SLOT(UINT64, 1, 0);
    int64_t whole;
    double real;
    tac__uorb_get_i64(&bits, slot, &whole, 1);
    assert_true(whole == INT64_MAX);
    tac__uorb_get_f64(&bits, slot, &real, 1);
    assert_true(real == 18446744073709551616.0);
    tac__uorb_put_f64(&bits, slot, &real, 1); // 2^64: one too large
    assert_true(bits == UINT64_MAX);
    real = 18446744073709549568.0; // 2^64 - 2^11
    tac__uorb_put_f64(&bits, slot, &real, 1);
    assert_true(bits == UINT64_MAX - 2047);
    real = -9223372036854775808.0;
    tac__uorb_put_f64(&bits, SLOT(INT64, 1, 0), &real, 1);
    assert_true(bits == (uint64_t)INT64_MIN);
    real = 9223372036854775808.0;
    tac__uorb_put_f64(&bits, SLOT(INT64, 1, 0), &real, 1);
    assert_true(bits == (uint64_t)INT64_MAX);
    bits = UINT64_C(9007199254740993); // 2^53 + 1
    tac__uorb_get_f64(&bits, slot, &real, 1);
    assert_true(real == 9007199254740992.0);
}

static void test_rounding(void **state)
{
    (void)state;
    static const double pairs[][2] = {{0.49, 0},  {0.5, 1},         {1.5, 2},          {2.5, 3},
                                      {-0.5, -1}, {-2.4999999, -2}, {2.9999999999, 3}, {-0.0, 0}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        assert_true(through_f64(TAC__UORB_INT16, pairs[i][0]) == pairs[i][1]);
        assert_true(through_f64(TAC__UORB_INT64, pairs[i][0]) == pairs[i][1]);
    }
    // Of floats that are read as whole numbers.
    const float values[] = {1.5F, -1.5F, 3e38F, -3e38F, NAN};
    int64_t whole[5];
    uint64_t natural[5];
    tac__uorb_get_i64(values, SLOT(FLOAT32, 5, 0), whole, 5);
    tac__uorb_get_u64(values, SLOT(FLOAT32, 5, 0), natural, 5);
    const int64_t wholes[] = {2, -2, INT64_MAX, INT64_MIN, 0};
    const uint64_t naturals[] = {2, 0, UINT64_MAX, 0, 0};
    assert_memory_equal(whole, wholes, sizeof whole);
    assert_memory_equal(natural, naturals, sizeof natural);
}

static void test_bool(void **state)
{
    (void)state;
    static const double pairs[][2] = {{0, 0}, {-0.0, 0},  {1, 1},     {0.001, 1},
                                      {7, 1}, {-3e-9, 1}, {1e300, 1}, {DBL_TRUE_MIN, 1}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        assert_true(through_f64(TAC__UORB_BOOL, pairs[i][0]) == pairs[i][1]);
    assert_true(through_f64(TAC__UORB_BOOL, nan_value) == 0);
    assert_true(through_i64(TAC__UORB_BOOL, INT64_MIN) == 1);
    assert_true(through_u64(TAC__UORB_BOOL, UINT64_C(1) << 40) == 1);

    unsigned char bytes[3] = {9, 9, 9};
    const bool flags[] = {true, false};
    tac__uorb_put_bool(bytes, SLOT(BOOL, 2, 0), flags, 2);
    assert_memory_equal(bytes, ((unsigned char[]){1, 0, 9}), 3);
    bool back[3] = {0};
    tac__uorb_get_bool(bytes, SLOT(BOOL, 3, 0), back, 3); // the third is no bool, and true
    assert_true(back[0] && !back[1] && back[2]);
    double number;
    tac__uorb_get_f64(bytes, SLOT(BOOL, 1, 2), &number, 1);
    assert_true(number == 1);
    const float reals[] = {0, NAN, -2};
    tac__uorb_get_bool(reals, SLOT(FLOAT32, 3, 0), back, 3);
    assert_true(!back[0] && !back[1] && back[2]);
    float real = 0;
    tac__uorb_put_bool(&real, SLOT(FLOAT32, 1, 0), flags, 1);
    assert_true(real == 1.0F);
}

// --- floats -------------------------------------------------------------------------------------

static uint32_t float_bits(double value)
{
    uint32_t bits = 0;
    tac__uorb_put_f64(&bits, SLOT(FLOAT32, 1, 0), &value, 1);
    return bits;
}

static void test_float32(void **state)
{
    (void)state;
    const double most = (double)FLT_MAX;
    assert_true(float_bits(0.1) == 0x3dcccccd);
    assert_true(float_bits(-0.0) == 0x80000000);
    assert_true(float_bits(1.0 + 0x1p-24) == 0x3f800000); // half-way: to even
    assert_true(float_bits(1.0 + 0x1.8p-23) == 0x3f800002);
    assert_true(float_bits(0x1p-149) == 1);
    assert_true(float_bits(0x1p-151) == 0);
    assert_true(float_bits(most) == 0x7f7fffff);
    assert_true(float_bits(nextafter(most, infinite)) == 0x7f7fffff);
    assert_true(float_bits(1e300) == 0x7f7fffff);
    assert_true(float_bits(-1e300) == 0xff7fffff);
    assert_true(float_bits(infinite) == 0x7f800000);
    assert_true(float_bits(-infinite) == 0xff800000);
    assert_true(float_bits(nan_value) == 0x7fc00000);
    assert_true(float_bits(-nan_value) == 0x7fc00000);
    assert_true(isnan(through_f64(TAC__UORB_FLOAT32, nan_value)));
    assert_true(through_f64(TAC__UORB_FLOAT32, infinite) == infinite);

    // By way of a double this would be rounded twice: up to half-way, then to even.
    const uint64_t between = (UINT64_C(1) << 54) + (UINT64_C(1) << 30) + 1;
    float real;
    tac__uorb_put_u64(&real, SLOT(FLOAT32, 1, 0), &between, 1);
    assert_true(real == 0x1p54F + 0x1p31F);
}

static void test_float64(void **state)
{
    (void)state;
    const double values[] = {0.1, -0.0, DBL_MAX, DBL_TRUE_MIN, infinite, -infinite};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const double back = through_f64(TAC__UORB_FLOAT64, values[i]);
        assert_memory_equal(&back, &values[i], sizeof back);
    }
    uint64_t bits = 0;
    const double negative = -nan_value;
    tac__uorb_put_f64(&bits, SLOT(FLOAT64, 1, 0), &negative, 1);
    assert_true(bits == UINT64_C(0x7ff8000000000000));
}

// --- bytes --------------------------------------------------------------------------------------

// Against a struct of the compiler, as PX4 has it.
static void test_struct(void **state)
{
    (void)state;
    struct {
        uint64_t timestamp;
        double lat;
        float q[4];
        int32_t seq;
        uint16_t flags[2];
        int8_t cold;
        bool valid;
    } s;
    memset(&s, 0xAA, sizeof s);
    const uint64_t time = UINT64_C(1234567890123456789);
    const double lat = 47.397742, q[4] = {0.5, -0.5, nan_value, 1e-3};
    const int64_t seq = -1, cold = -40, flags[] = {5, 65535};
    const bool valid = true;
#define AT(kind, n, member) SLOT(kind, n, (uint32_t)((char *)&s.member - (char *)&s))
    tac__uorb_put_u64(&s, AT(UINT64, 1, timestamp), &time, 1);
    tac__uorb_put_f64(&s, AT(FLOAT64, 1, lat), &lat, 1);
    tac__uorb_put_f64(&s, AT(FLOAT32, 4, q), q, 4);
    tac__uorb_put_i64(&s, AT(INT32, 1, seq), &seq, 1);
    tac__uorb_put_i64(&s, AT(UINT16, 2, flags), flags, 2);
    tac__uorb_put_i64(&s, AT(INT8, 1, cold), &cold, 1);
    tac__uorb_put_bool(&s, AT(BOOL, 1, valid), &valid, 1);
    assert_true(s.timestamp == time && s.lat == lat && s.seq == -1 && s.cold == -40 && s.valid);
    assert_true(s.q[0] == 0.5F && s.q[1] == -0.5F && isnan(s.q[2]) && s.q[3] == 1e-3F);
    assert_true(s.flags[0] == 5 && s.flags[1] == 65535);
    int64_t back;
    tac__uorb_get_i64(&s, AT(INT32, 1, seq), &back, 1);
    assert_true(back == -1);
    tac__uorb_get_i64(&s, AT(INT8, 1, cold), &back, 1);
    assert_true(back == -40);
}

// More values than elements, or fewer: never past the slot, never past what was given.
static void test_counts(void **state)
{
    (void)state;
    unsigned char bytes[8];
    const double values[] = {1, 2, 3, 4};
    memset(bytes, 0xEE, sizeof bytes);
    tac__uorb_put_f64(bytes, SLOT(UINT16, 2, 2), values, 4);
    assert_memory_equal(bytes, ((unsigned char[]){0xEE, 0xEE, 1, 0, 2, 0, 0xEE, 0xEE}), 8);
    memset(bytes, 0xEE, sizeof bytes);
    tac__uorb_put_f64(bytes, SLOT(UINT8, 6, 1), values, 2);
    assert_memory_equal(bytes, ((unsigned char[]){0xEE, 1, 2, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE}), 8);
    double back[4] = {9, 9, 9, 9};
    tac__uorb_get_f64(bytes, SLOT(UINT8, 2, 1), back, 4);
    assert_true(back[0] == 1 && back[1] == 2 && back[2] == 9 && back[3] == 9);
}

TEST_MAIN(cmocka_unit_test(test_whole_limits), cmocka_unit_test(test_whole_64),
          cmocka_unit_test(test_rounding), cmocka_unit_test(test_bool),
          cmocka_unit_test(test_float32), cmocka_unit_test(test_float64),
          cmocka_unit_test(test_struct), cmocka_unit_test(test_counts))
