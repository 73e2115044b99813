// Decimal texts of doubles and back, compared with the C library's in the "C" locale: same bytes,
// same bits. Formatting as a whole against snprintf.
#include "support/test.h"
#include "base/decimal.h"
#include "base/print.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t draws = 88172645463325252u;

static uint64_t draw(void)
{
    draws ^= draws << 13;
    draws ^= draws >> 7;
    return draws ^= draws << 17;
}

// Of every size and kind: any bits, subnormal, what people write, powers of two.
static double any_number(void)
{
    uint64_t bits = draw();
    double x;
    switch (draw() % 6) {
    case 0:
        break;
    case 1:
        bits &= (UINT64_C(1) << 52) - 1;
        break;
    case 2:
        return (double)(draw() % 2000000) / 1000.0;
    case 3:
        return (double)(draw() % 1000) * pow(10, (double)(draw() % 40) - 20);
    case 4:
        return ldexp((double)(draw() >> 11), (int)(draw() % 140) - 120);
    default:
        bits = draw() % 2047 << 52;
    }
    memcpy(&x, &bits, sizeof x);
    return x == x ? fabs(x) : 1.0 / 3;
}

static void same_reading(const char *text)
{
    const char *end;
    char *expected_end;
    const double value = tac__decimal_parse(text, &end), expected = strtod(text, &expected_end);
    const bool nans = value != value && expected != expected;
    if ((memcmp(&value, &expected, sizeof value) && !nans) || end != expected_end)
        fail_msg("'%.80s' reads as %a (%td characters), not %a (%td)", text, value, end - text,
                 expected, expected_end - text);
}

enum { ROUNDS = 20000, TEXT = 2048 };

static void test_printing(void **state)
{
    (void)state;
    static char text[TEXT], expected[TEXT];
    for (int i = 0; i < ROUNDS; i++) {
        const double x = any_number();
        const char style = "efgEG"[draw() % 5];
        const int precision = (int)(draw() % (draw() % 50 ? 19 : 800));
        const bool keep = draw() % 4 == 0;
        char format[8] = {'%', keep ? '#' : '.', keep ? '.' : '*', keep ? '*' : style,
                          keep ? style : '\0'};
        snprintf(expected, sizeof expected, format, precision, x);
        const size_t length = tac__decimal_print(x, style, precision, keep, text, sizeof text);
        if (strcmp(text, expected) || length != strlen(expected))
            fail_msg("%a with %s and %d: '%.80s', not '%.80s'", x, format, precision, text,
                     expected);
        same_reading(text);
    }
}

// Just at, below and above the middle between two doubles, where reading has to decide.
static void test_reading_the_middle(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS / 10; i++) {
        const double x = any_number(), up = nextafter(x, (double)INFINITY);
        if (x > 1e300 || x < 1e-300)
            continue;
        char text[800];
        // long double has the bit more that a middle needs.
        snprintf(text, sizeof text, "%.700Le", ((long double)x + (long double)up) / 2);
        char *e = strchr(text, 'e');
        same_reading(text);
        e[-1] = '1';
        same_reading(text);
        e[-1] = '0';
        char *last = e - 1;
        for (; *last == '0' || *last == '.'; last--) {
            if (*last == '0')
                *last = '9';
        }
        --*last;
        same_reading(text);
    }
}

static void test_reading_anything(void **state)
{
    (void)state;
    static const char letters[] = "0123456789012345678901234567890.e-+xXaAfFinINpPd";
    for (int i = 0; i < ROUNDS; i++) {
        char text[64] = "0x";
        size_t n = draw() % 3 == 0 ? 2 : 0;
        for (const size_t end = n + 1 + draw() % 30; n < end; n++)
            text[n] = letters[draw() % (sizeof letters - 1)];
        text[n] = '\0';
        same_reading(text);
        for (n = 0; n < 1 + draw() % 25; n++)
            text[n] = (char)('0' + draw() % 10);
        snprintf(text + n, sizeof text - n, "e%d", (int)(draw() % 680) - 350);
        same_reading(text);
    }
    static const char *const texts[] = {"",
                                        "-",
                                        "+",
                                        ".",
                                        "-.",
                                        "e5",
                                        ".e5",
                                        "1e",
                                        "1e+",
                                        "1e-x",
                                        "0x",
                                        "0x.",
                                        "0xp1",
                                        "0x1p",
                                        "inf",
                                        "-INFINITY",
                                        "infinit",
                                        "nan",
                                        "-nan",
                                        "1.7976931348623158e308",
                                        "1.7976931348623159e308",
                                        "1e309",
                                        "4.9e-324",
                                        "2.47e-324",
                                        "2.4703282292062327e-324",
                                        "2.4703282292062328e-324",
                                        "1e-400",
                                        "1e999999999999",
                                        "1e-999999999999",
                                        "0e999999999999",
                                        "9007199254740993",
                                        "9007199254740992.999",
                                        "0x1.fffffffffffff8p0",
                                        "0x1.fffffffffffff7p0",
                                        "0x1p-1074",
                                        "0x1p-1075",
                                        "0x1.8p-1075",
                                        "0x1p1024",
                                        "0x0.0000000000000000000000001p100"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        same_reading(texts[i]);
}

// Reads back as the same, and no text with fewer digits does.
static void test_shortest(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        const double x = any_number();
        if (!(x > 0 && x <= DBL_MAX))
            continue;
        char digits[17], text[64];
        int exponent;
        const int count = tac__decimal_shortest(x, digits, &exponent);
        snprintf(text, sizeof text, "%.*se%d", count, digits, exponent - (count - 1));
        if (strtod(text, NULL) != x)
            fail_msg("%a: %s does not read back", x, text);
        if (count > 1) {
            snprintf(text, sizeof text, "%.*e", count - 2, x);
            if (strtod(text, NULL) == x)
                fail_msg("%a: %d digits, though %s reads back", x, count, text);
        }
        tac__number_print(x, text);
        const char *end;
        if (strtod(text, NULL) != x || tac__number_parse(text, &end) != x || *end)
            fail_msg("%a is not %s", x, text);
    }
}

// The same with every flag; what is cut; lengths.
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char text_[256], expected_[256];                                                           \
        const int expected_length_ = snprintf(expected_, sizeof expected_, __VA_ARGS__);           \
        assert_int_equal(tac__print(text_, sizeof text_, __VA_ARGS__), expected_length_);          \
        assert_string_equal(text_, expected_);                                                     \
        assert_int_equal(tac__print(NULL, 0, __VA_ARGS__), expected_length_);                      \
        for (size_t size_ = 1; size_ < 12; size_++) {                                              \
            assert_int_equal(tac__print(text_, size_, __VA_ARGS__), expected_length_);             \
            assert_int_equal(strlen(text_), strnlen(expected_, size_ - 1));                        \
            assert_memory_equal(text_, expected_, strlen(text_));                                  \
        }                                                                                          \
    } while (0)

static void test_formatting(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    SAME("plain, 100 %% of it");
    SAME("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%8.3d|%-8.3d|", 42, 42, 42, 42, 42, 42, 4, 4, 4);
    SAME("%d|%5d|%-5d|%05d|%+d|% d|%.3d|%.0d|", -42, -42, -42, -42, -42, -42, -4, 0);
    SAME("%i %ld %lld %zd %jd %td", -1, -2L, -3LL, (ssize_t)-4, (intmax_t)-5, (ptrdiff_t)-6);
    SAME("%u %lu %llu %zu %ju", 1u, 2ul, 3ull, (size_t)4, (uintmax_t)5);
    SAME("%lld %lld %llu", (long long)INT64_MIN, (long long)INT64_MAX, (unsigned long long)-1);
    SAME("%hd %hhd %hu %hhu", (short)-7, (signed char)-8, (unsigned short)9, (unsigned char)10);
    SAME("%x %X %#x %#X %o %#o %#x %08x %#010x %016llx", 255u, 255u, 255u, 255u, 8u, 8u, 0u, 255u,
         255u, 0xabcdefULL);
    SAME("%s|%10s|%-10s|%.2s|%10.2s|%.*s|%*s|", "abc", "abc", "abc", "abc", "abc", 1, "abc", 6,
         "abc");
    SAME("%c|%3c|%-3c|%%|", 'x', 'y', 'z');
    SAME("%*d|%-*d|%*d|", 6, 1, 6, 2, -6, 3);
    SAME("%g|%10g|%-10g|%010g|%+g|% g|%#g|%.3g|%G|", 0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 1.0, 1e-10,
         1e-10);
    SAME("%f|%8.2f|%-8.2f|%08.2f|%+.1f|%.0f|%#.0f|%F|", 2.5, 2.345, 2.345, -2.345, 9.96, 2.5, 3.0,
         1e22);
    SAME("%e|%12.3e|%-12.3e|%012.3e|%.0e|%#.0e|%E|", 2.5, 2.5e10, 2.5e-10, -2.5, 2.5, 2.5, 1e300);
    SAME("%g %f %e %5g|%05g|%-5g|%+g", inf, -inf, inf, inf, -inf, inf, inf);
    SAME("%g %.17g %g %.3f", 0.0, -0.0, 5e-324, DBL_MAX / 1e250);
    SAME("%zu of %-12s took %7.1f %s at %5.1f %%", (size_t)3, "these", 12.345, "ms", 99.95);
    char text[32];
    const uint64_t bits = UINT64_C(0xfff8000000000001);
    double nan;
    memcpy(&nan, &bits, sizeof nan);
    assert_int_equal(tac__print(text, sizeof text, "%g %+8.2f %G", nan, -nan, nan), 16);
    assert_string_equal(text, "nan     +nan NAN");
    assert_int_equal(tac__print(text, sizeof text, "%p", (void *)0x12ab), 6);
    assert_string_equal(text, "0x12ab");
}

static void test_formatting_numbers(void **state)
{
    (void)state;
    for (int i = 0; i < ROUNDS / 4; i++) {
        const double x = draw() % 2 ? any_number() : -any_number();
        char format[16];
        static const char *const flags[] = {"", "-", "+", "0", " ", "#", "+0", "-#", "+-"};
        snprintf(format, sizeof format, "<%%%s*.*%c>", flags[draw() % 9], "efgEG"[draw() % 5]);
        char text[TEXT], expected[TEXT];
        const int width = (int)(draw() % 30), precision = (int)(draw() % 18);
        const int n = snprintf(expected, sizeof expected, format, width, precision, x);
        assert_int_equal(tac__print(text, sizeof text, format, width, precision, x), n);
        assert_string_equal(text, expected);
    }
}

static void test_whole_numbers(void **state)
{
    (void)state;
    const char *end;
    int64_t value;
    assert_int_equal(tac__digits_parse("18446744073709551615x", &end, 10), UINT64_MAX);
    assert_string_equal(end, "x");
    assert_int_equal(tac__digits_parse("18446744073709551616", &end, 10), UINT64_MAX);
    assert_int_equal(tac__digits_parse("00ffG", &end, 16), 255);
    assert_string_equal(end, "G");
    const char *none = "-1";
    assert_int_equal(tac__digits_parse(none, &end, 10), 0);
    assert_ptr_equal(end, none);
    assert_true(tac__whole_parse("-9223372036854775808", &end, &value));
    assert_true(value == INT64_MIN && !*end);
    assert_false(tac__whole_parse("-9223372036854775809", &end, &value));
    assert_true(value == INT64_MIN && !*end);
    assert_true(tac__whole_parse("+9223372036854775807 ", &end, &value));
    assert_true(value == INT64_MAX && *end == ' ');
    assert_false(tac__whole_parse("9223372036854775808", &end, &value));
    none = "- 1";
    assert_true(tac__whole_parse(none, &end, &value));
    assert_ptr_equal(end, none);
}

TEST_MAIN(cmocka_unit_test(test_printing), cmocka_unit_test(test_reading_the_middle),
          cmocka_unit_test(test_reading_anything), cmocka_unit_test(test_shortest),
          cmocka_unit_test(test_formatting), cmocka_unit_test(test_formatting_numbers),
          cmocka_unit_test(test_whole_numbers))
