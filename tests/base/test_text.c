// Texts: fixed buffers, growing texts, numbers, nearest names, patterns.
#include "support/allocator.h"
#include "support/test.h"

#include "base/hash.h"
#include "base/text.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void test_out(void **state)
{
    (void)state;
    char buffer[9];
    memset(buffer, '#', sizeof buffer);
    tac__out out = tac__out_begin(buffer, 8);
    assert_string_equal(buffer, "");
    tac__out_add(&out, "%d", 123);
    tac__out_add(&out, "%s", "");
    assert_string_equal(buffer, "123");
    assert_int_equal(out.length, 3);
    tac__out_add(&out, "%s", "4567"); // fits exactly
    assert_string_equal(buffer, "1234567");
    tac__out_add(&out, "%s", "8");
    tac__out_add(&out, "%s", "9");
    assert_string_equal(buffer, "1234567");
    assert_int_equal(out.length, 7);
    assert_int_equal(buffer[8], '#');

    out = tac__out_begin(buffer, 8);
    tac__out_add(&out, "%s", "abcdefghijkl");
    assert_string_equal(buffer, "abcdefg");
    assert_int_equal(out.length, 7);
}

static void test_growing(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__text text;
    tac__text_init(&text, &hook);
    assert_int_equal(counts.calls, 0);
    char expected[8192];
    size_t n = 0;
    for (int i = 0; i < 500; i++) {
        tac__text_add(&text, "%d,", i);
        n += (size_t)sprintf(expected + n, "%d,", i);
        assert_int_equal(text.length, n);
        assert_string_equal(text.chars, expected);
    }
    tac__text_repeat(&text, '=', 1000);
    assert_int_equal(text.length, n + 1000);
    assert_int_equal(text.chars[n], '=');
    assert_int_equal(text.chars[n + 999], '=');
    assert_int_equal(text.chars[n + 1000], '\0');
    tac__text_bytes(&text, "a\0b", 3);
    assert_memory_equal(text.chars + n + 1000, "a\0b", 4);
    assert_false(text.failed);
    assert_true(counts.calls < 12); // it doubles
    tac__text_fini(&text);
    test_allocator_check_empty(&counts);
    tac__text_fini(&text); // twice is harmless
}

// Sizes around each doubling, each way of adding: the guard of the test allocator sees overruns.
// Texts go their own way, all else that of printf: together they are what printf makes of it.
static void test_growing_formats(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    tac__text_add(&text, "%s", "");
    assert_string_equal(text.chars, "");
#define SAME(...)                                                                                  \
    do {                                                                                           \
        char expected[256];                                                                        \
        snprintf(expected, sizeof expected, __VA_ARGS__);                                          \
        text.length = 0;                                                                           \
        tac__text_add(&text, __VA_ARGS__);                                                         \
        assert_string_equal(text.chars, expected);                                                 \
        assert_int_equal(text.length, strlen(expected));                                           \
    } while (0)
    SAME("plain");
    SAME("%s", "one");
    SAME("%s%s.%s", "a", "", "c");
    SAME("%d %s", 3, "after a number");
    SAME("%s = %5.2f %s %s|", "x", 1.5, "m", "more");
    SAME("100%% of %s", "it");
    SAME("%s is 100%%", "it");
    SAME("%s%5s|%-5s|%.2s|%.*s", "a", "b", "c", "defg", 1, "hi");
    SAME("%s%c%s", "a", 'b', "c");
#undef SAME
    tac__text_fini(&text);
}

static void test_growing_edges(void **state)
{
    (void)state;
    static char xs[1100];
    memset(xs, 'x', sizeof xs - 1);
    for (int first = 250; first <= 260; first++) {
        for (int way = 0; way < 3; way++) {
            test_allocator counts = test_allocator_make();
            const tac_allocator hook = test_allocator_hook(&counts);
            tac__text text;
            tac__text_init(&text, &hook);
            tac__text_repeat(&text, 'x', (size_t)first);
            for (int more = 0; more < 520; more += 1 + more / 3) {
                if (way == 0)
                    tac__text_add(&text, "%.*s", more, xs);
                else if (way == 1)
                    tac__text_bytes(&text, xs, (size_t)more);
                else
                    tac__text_repeat(&text, 'x', (size_t)more);
                assert_int_equal(strspn(text.chars, "x"), text.length);
                assert_int_equal(strlen(text.chars), text.length);
            }
            tac__text_fini(&text);
            test_allocator_check_empty(&counts);
        }
    }
}

static void test_growing_without_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1; n <= 5; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__text text;
        tac__text_init(&text, &hook);
        for (int i = 0; i < 1000; i++)
            tac__text_add(&text, "%d ", i);
        // Sticky: memory that comes back later does not leave a text with a hole in it.
        assert_true(text.failed);
        assert_int_equal(counts.failed, 1);
        assert_int_equal(counts.calls, n);
        if (text.chars) {
            assert_int_equal(strlen(text.chars), text.length);
            assert_memory_equal(text.chars, "0 1 2 3 ", 8);
        }
        tac__text_fini(&text);
        assert_false(text.failed);
        test_allocator_check_empty(&counts);
    }
}

static void check_number(double value)
{
    char text[TAC__NUMBER_TEXT];
    memset(text, '#', sizeof text);
    tac__number_print(value, text);
    const double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof value) != 0)
        fail_msg("%a is written as '%s'", value, text);
    // The fewest digits: with one less it would read back as something else.
    char shorter[512];
    int digits = 0, zeros = 0; // significant ones; zeros at the end of them
    for (const char *c = text; *c && *c != 'e'; c++) {
        if (*c >= '1' && *c <= '9') {
            digits += zeros + 1;
            zeros = 0;
        } else if (*c == '0' && digits > 0) {
            zeros++;
        }
    }
    if (digits > 1) {
        snprintf(shorter, sizeof shorter, "%.*e", digits - 2, value);
        if (strtod(shorter, NULL) == value)
            fail_msg("%a is written as '%s', but '%s' would do", value, text, shorter);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {0.1, "0.1"},
                 {-2.5, "-2.5"},
                 {1e-9, "1e-09"},
                 {250.0, "250"},
                 {1e6, "1000000"},
                 {-1e-5, "-0.00001"},
                 {1e16, "1e+16"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1e23, "1e+23"},
                 {5e-324, "5e-324"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {-DBL_MIN, "-2.2250738585072014e-308"},
                 {(double)INFINITY, "inf"},
                 {-(double)INFINITY, "-inf"},
                 {(double)NAN, "nan"},
                 {-(double)NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[TAC__NUMBER_TEXT];
        tac__number_print(cases[i].value, text);
        assert_string_equal(text, cases[i].text);
    }
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = tac__hash_word(bits, (uint64_t)i);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (value - value == 0.0)
            check_number(value);
        check_number((double)(int64_t)(bits >> 40) / 1000.0);
    }
}

// Decimal numbers as people write them, of up to 15 digits: they are told apart from the doubles
// next to them, and come out as they were.
static void test_decimals(void **state)
{
    (void)state;
    static const double power[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    uint64_t bits = 1;
    for (int i = 0; i < 20000; i++) {
        bits = tac__hash_word(bits, (uint64_t)i);
        const int places = i % 9;
        const int64_t whole = (int64_t)(bits % 1000000000000000) >> (bits >> 58) % 50;
        const double value = (double)(i % 2 ? whole : -whole) / power[places];
        if (fabs(value) < 1e-5)
            continue;
        char text[TAC__NUMBER_TEXT], expected[64];
        tac__number_print(value, text);
        int length = snprintf(expected, sizeof expected, "%.*f", places, value);
        while (places && expected[length - 1] == '0')
            length--;
        expected[expected[length - 1] == '.' ? length - 1 : length] = '\0';
        assert_string_equal(text, expected);
        check_number(nextafter(value, (double)INFINITY));
        check_number(nextafter(value, -(double)INFINITY));
    }
}

static const char *nearest(const char *name, const char *const *names)
{
    tac__nearest n = tac__nearest_begin(name);
    for (; *names; names++)
        tac__nearest_offer(&n, *names);
    return n.best;
}

static void check_nearest(const char *name, const char *expected, const char *const *names)
{
    const char *best = nearest(name, names);
    if (!best != !expected || (best && strcmp(best, expected) != 0))
        fail_msg("nearest to '%s' is '%s', expected '%s'", name, best ? best : "(none)",
                 expected ? expected : "(none)");
}

static void test_nearest(void **state)
{
    (void)state;
    static const char *const names[] = {"position", "velocity", "rate_hz",  "ZOH",
                                        "offset",   "altitude", "attitude", NULL};
    check_nearest("position", "position", names);
    check_nearest("positon", "position", names);   // left out
    check_nearest("poosition", "position", names); // doubled
    check_nearest("postiion", "position", names);  // swapped
    check_nearest("pocition", "position", names);  // replaced
    check_nearest("POSITION", "position", names);  // another case
    check_nearest("ALTIDUDE", "altitude", names);
    check_nearest("zoh", "ZOH", names);
    check_nearest("xyz", NULL, names);
    check_nearest("rate", NULL, names);
    check_nearest("rate_h", "rate_hz", names);
    check_nearest("altitute", "altitude", names); // one letter from it, two from attitude
    check_nearest("atitude", "altitude", names);  // as near to both: the first wins
    check_nearest("wingspan", NULL, names);
    check_nearest("", NULL, names);
    // Case costs less than a letter.
    static const char *const cases[] = {"mx", "MM", "Mm", NULL};
    check_nearest("mm", "Mm", cases);
    static const char *const units[] = {"1", "K", "s", NULL};
    check_nearest("k", "K", units);
    check_nearest("q", NULL, units); // nothing of it would be left
    static const char *const swaps[] = {"bc", "ba", NULL};
    check_nearest("ab", "ba", swaps);
    // Long names are left alone rather than cut.
    char long_name[200], almost[200];
    memset(long_name, 'n', sizeof long_name);
    memset(almost, 'n', sizeof almost);
    for (size_t length = 60; length < 199; length++) {
        long_name[length] = '\0';
        almost[length - 1] = '\0';
        const char *const two[] = {almost, NULL};
        check_nearest(long_name, length <= 64 ? almost : NULL, two);
        long_name[length] = 'n';
        almost[length - 1] = 'n';
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a", "_", "Nav", "rate_hz", "x1", "_9", "Z"};
    static const char *const bad[] = {"",      "1x",  "a.b", "a b", "a-b",
                                      "größe", "a\n", "*",   "a/b", " a"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(tac__name_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tac__name_valid(bad[i]));
    assert_false(tac__name_valid(NULL));
    char name[128];
    memset(name, 'a', sizeof name);
    name[63] = '\0';
    assert_true(tac__name_valid(name));
    name[63] = 'a';
    name[64] = '\0';
    assert_false(tac__name_valid(name));
}

static void test_signal_names(void **state)
{
    (void)state;
    static const char *const good[] = {"a",      "x",   "battery.soc", "a.b.c",
                                       "_._9",   "a.X", "air.xy",      "x.a",
                                       "x.y.zz", "w",   "a.v",         "battery.s1"};
    static const char *const bad[] = {
        "",    ".",   "a.",  ".a",    "a..b", "a.1b",   "1a.b", "a.b-c",   "a .b",   "a.x",
        "a.y", "a.z", "a.w", "a.b.x", "x.x",  "a.b.c.", "a.*",  "a.größe", "a[0].b", "a/b"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(tac__signal_name_valid(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(tac__signal_name_valid(bad[i]));
    assert_false(tac__signal_name_valid(NULL));
    char name[128];
    memset(name, 'a', sizeof name);
    name[30] = '.';
    name[63] = '\0';
    assert_true(tac__signal_name_valid(name));
    name[63] = 'a';
    name[64] = '\0';
    assert_false(tac__signal_name_valid(name));
}

// The plain definition, exponential and obviously right.
static bool glob_by_definition(const char *pattern, const char *text)
{
    if (*pattern == '\0')
        return *text == '\0';
    if (*pattern == '*')
        return glob_by_definition(pattern + 1, text) ||
               (*text && glob_by_definition(pattern, text + 1));
    return *text && (*pattern == '?' || *pattern == *text) &&
           glob_by_definition(pattern + 1, text + 1);
}

static void test_globs(void **state)
{
    (void)state;
    assert_true(tac__glob_match("Nav.position*", "Nav.position"));
    assert_true(tac__glob_match("Nav.position*", "Nav.position_ned"));
    assert_false(tac__glob_match("Nav.position*", "nav.position"));
    assert_true(tac__glob_match("uav?.battery.*", "uav3.battery.soc"));
    assert_false(tac__glob_match("uav?.battery.*", "uav12.battery.soc"));
    // Every pattern of up to 5 and every text of up to 6 out of a few letters.
    static const char letters[] = "ab*?";
    for (unsigned p = 0; p < 4 * 4 * 4 * 4 * 4 * 6; p++) {
        char pattern[8];
        const unsigned length = p % 6;
        unsigned rest = p / 6;
        for (unsigned i = 0; i < length; i++, rest /= 4)
            pattern[i] = letters[rest % 4];
        pattern[length] = '\0';
        for (unsigned t = 0; t < 7 * 64; t++) {
            char text[8];
            const unsigned size = t % 7;
            for (unsigned i = 0; i < size; i++)
                text[i] = letters[(t / 7) >> i & 1];
            text[size] = '\0';
            if (tac__glob_match(pattern, text) != glob_by_definition(pattern, text))
                fail_msg("pattern '%s' on '%s'", pattern, text);
        }
    }
}

static void test_hostile_glob(void **state)
{
    (void)state;
    // By the plain definition these take longer than the universe has been there.
    enum { STARS = 200, LENGTH = 20000 };
    static char pattern[2 * STARS + 2], text[LENGTH + 1];
    for (int i = 0; i < STARS; i++)
        memcpy(pattern + 2 * i, "a*", 2);
    pattern[2 * STARS] = 'b';
    memset(text, 'a', LENGTH);
    const clock_t start = clock();
    assert_false(tac__glob_match(pattern, text));
    assert_false(tac__glob_match("a*a*a*a*b", text));
    text[LENGTH - 1] = 'b';
    assert_true(tac__glob_match(pattern, text));
    assert_true(tac__glob_match("a*a*a*a*b", text));
    assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 2.0);
}

static void test_paths(void **state)
{
    (void)state;
    assert_true(tac__path_match("soc", "uav1.battery.soc"));
    assert_true(tac__path_match("s*", "uav1.battery.soc"));
    assert_true(tac__path_match("*", "uav1.battery.soc"));
    assert_true(tac__path_match("uav1.*", "uav1.battery.soc"));
    assert_true(tac__path_match("Nav", "Nav"));
    assert_false(tac__path_match("battery", "uav1.battery.soc"));
    assert_false(tac__path_match("uav1", "uav1.battery.soc"));
    // The tail after any dot, but only after a dot and only to the end.
    static const char soc[] = "uav1.vehicle.battery.soc";
    assert_true(tac__path_match("battery.*", soc));
    assert_true(tac__path_match("battery.soc", soc));
    assert_true(tac__path_match("vehicle.*", soc));
    assert_true(tac__path_match("v*.s?c", soc));
    assert_true(tac__path_match("Nav.position*", "uav1.Nav.position"));
    assert_true(tac__path_match("Nav.position*", "Nav.position_error"));
    assert_false(tac__path_match("attery.*", soc));
    assert_false(tac__path_match("battery.so", soc));
    assert_false(tac__path_match("vehicle.soc", soc));
    assert_false(tac__path_match("vehicle.battery", soc));
    assert_false(tac__path_match("soc.*", soc));
    assert_false(tac__path_match("battery.*", "uav1.spare_battery.soc"));
    assert_false(tac__path_match("uav2.*", "uav1.battery.soc"));
    assert_false(tac__path_match("", "uav1.battery.soc"));
    assert_false(tac__path_match("so", "uav1.battery.soc"));
}

static void test_ends(void **state)
{
    (void)state;
    assert_true(tac__ends_in("a.png", ".png"));
    assert_true(tac__ends_in("a.png.png", ".png"));
    assert_false(tac__ends_in(".png", ".png"));
    assert_false(tac__ends_in("png", ".png"));
    assert_false(tac__ends_in("a.png ", ".png"));
    assert_false(tac__ends_in("", ""));
}

// Every character up to U+07FF and every byte that is none: shown as it is, or as \xNN.
static void test_shown(void **state)
{
    (void)state;
    for (unsigned c = 1; c < 0x800; c++) {
        char text[8] = {0}, buffer[32], expected[32];
        if (c < 0x80) {
            text[0] = (char)c;
        } else {
            text[0] = (char)(0xC0 | c >> 6);
            text[1] = (char)(0x80 | (c & 0x3F));
        }
        const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7f && c < 0xa0);
        if (control)
            snprintf(expected, sizeof expected, "\\x%02x", c);
        else
            snprintf(expected, sizeof expected, "%s", text);
        tac__out out = tac__out_begin(buffer, sizeof buffer);
        tac__out_shown(&out, text, true);
        assert_string_equal(buffer, expected);
    }
    for (unsigned byte = 0x80; byte < 0x100; byte++) {
        const char text[] = {(char)byte, 'a', 0};
        char buffer[32], expected[32];
        snprintf(expected, sizeof expected, "\\x%02xa", byte);
        tac__out out = tac__out_begin(buffer, sizeof buffer);
        tac__out_shown(&out, text, false);
        assert_string_equal(buffer, expected);
    }
    char buffer[32];
    tac__out out = tac__out_begin(buffer, sizeof buffer);
    tac__out_shown(&out, "one\ntwo\033[m", false);
    assert_string_equal(buffer, "one two\\x1b[m");
}

TEST_MAIN(cmocka_unit_test(test_out), cmocka_unit_test(test_growing),
          cmocka_unit_test(test_growing_formats), cmocka_unit_test(test_growing_edges),
          cmocka_unit_test(test_growing_without_memory), cmocka_unit_test(test_numbers),
          cmocka_unit_test(test_decimals), cmocka_unit_test(test_nearest),
          cmocka_unit_test(test_names), cmocka_unit_test(test_signal_names),
          cmocka_unit_test(test_globs), cmocka_unit_test(test_hostile_glob),
          cmocka_unit_test(test_paths), cmocka_unit_test(test_ends), cmocka_unit_test(test_shown))
