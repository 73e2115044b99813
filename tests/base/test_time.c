// Time as text: read exactly or refused with the two nearest times, and printed so that it reads
// back.
#include "support/test.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tactus/time.h>

static void check_time(const char *text, tac_time expected_us)
{
    tac_time t_us = 12345;
    tac_error err;
    const tac_status status = tac_time_parse(text, &t_us, &err);
    if (status != TAC_OK)
        fail_msg("'%s' is refused: %s", text, err.text);
    if (t_us != expected_us)
        fail_msg("'%s' is %" PRIu64 " us, expected %" PRIu64, text, t_us, expected_us);
}

static void check_period(const char *text, tac_time expected_us)
{
    tac_time t_us = 12345;
    tac_error err;
    const tac_status status = tac_period_parse(text, &t_us, &err);
    if (status != TAC_OK)
        fail_msg("'%s' is refused: %s", text, err.text);
    if (t_us != expected_us)
        fail_msg("'%s' is %" PRIu64 " us, expected %" PRIu64, text, t_us, expected_us);
}

typedef tac_status parse_fn(const char *text, tac_time *t_us, tac_error *err);

// Refused with this status and these words; the result is left alone.
static void check_refused(parse_fn *parse, const char *text, tac_status expected, const char *words)
{
    tac_time t_us = 12345;
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = parse(text, &t_us, &err);
    if (status != expected)
        fail_msg("'%s' gives %s (%s), expected %s", text, tac_status_name(status), err.text,
                 tac_status_name(expected));
    assert_int_equal(err.status, expected);
    if (!strstr(err.text, words))
        fail_msg("'%s' gives \"%s\", expected \"%s\"", text, err.text, words);
    assert_true(t_us == 12345);
    assert_int_equal(parse(text, &t_us, NULL), expected);
}

static void test_units(void **state)
{
    (void)state;
    check_time("1 us", 1);
    check_time("1 µs", 1);
    check_time("1 ms", 1000);
    check_time("1 s", 1000000);
    check_time("1 min", 60000000);
    check_time("1 h", UINT64_C(3600000000));
    // The forms of the design, all the same.
    check_time("4 ms", 4000);
    check_time("0.004 s", 4000);
    check_time("4000 us", 4000);
    check_period("250 Hz", 4000);
    check_period("0.25 kHz", 4000);
    check_period("4 ms", 4000);

    check_period("1 Hz", 1000000);
    check_period("1 kHz", 1000);
    check_period("1 MHz", 1);
    check_period("0.1 Hz", 10000000);
    check_period("1e-3 Hz", 1000000000);
    check_period("400 Hz", 2500);
    check_period("62.5 Hz", 16000);
}

static void test_numbers(void **state)
{
    (void)state;
    check_time("0", 0);
    check_time("0.000", 0);
    check_time("0 h", 0);
    check_time("  5ms", 5000);
    check_time("\t5 \t ms  ", 5000);
    check_time("+5 ms", 5000);
    check_time(".5 s", 500000);
    check_time("5. s", 5000000);
    check_time("007 us", 7);
    check_time("1_000_000 us", 1000000);
    check_time("1e-3 s", 1000);
    check_time("1E3 us", 1000);
    check_time("1e+3 us", 1000);
    check_time("2.5e-6 h", 9000);
    check_time("0.25 min", 15000000);
    check_time("1e-6 s", 1);
    check_time("0.000001 s", 1);
    check_time("0.00000100000000000000000000000 s", 1);
    check_time("1000000000000000000000e-21 s", 1000000);
    check_time("0e30 s", 0);
    check_time("123456789.123456 s", UINT64_C(123456789123456));
    // Not what a double would make of it.
    check_time("0.1 s", 100000);
    check_time("0.3 s", 300000);
    check_time("1.000001 s", 1000001);
    check_time("9007199254.740993 s", UINT64_C(9007199254740993)); // 2^53 + 1
    check_time("4611686018427.387904 s", TAC_TIME_MAX);
    check_time("4611686018427387904 us", TAC_TIME_MAX);
}

static void test_fractions(void **state)
{
    (void)state;
    parse_fn *time = tac_time_parse, *period = tac_period_parse;
    check_refused(time, "1.5 us", TAC_E_TIME, "the nearest are 1 us and 2 us");
    check_refused(time, "0.5 us", TAC_E_TIME, "the nearest are 0 s and 1 us");
    check_refused(time, "0.0040001 s", TAC_E_TIME, "the nearest are 4 ms and 4.001 ms");
    check_refused(time, "1e-7 s", TAC_E_TIME, "the nearest are 0 s and 1 us");
    check_refused(time, "1e-40 s", TAC_E_TIME, "the nearest are 0 s and 1 us");
    check_refused(time, "0.9999999 s", TAC_E_TIME, "the nearest are 999.999 ms and 1 s");
    check_refused(time, "2.00000051 min", TAC_E_TIME,
                  "the nearest are 120.00003 s and 120.000031 s");
    check_refused(time, "461168601842738790.5 us", TAC_E_TIME,
                  "461168601842.73879 s and 461168601842.738791 s");
    // More digits than a time can have.
    check_refused(time, "4611686018427387903.5 us", TAC_E_SYNTAX, "is not a time");
    check_refused(time, "46116860184.2738790 ms", TAC_E_TIME, "46116860.184273 s");
    // Rates: both neighbours as periods and as rates.
    check_refused(period, "3 Hz", TAC_E_TIME,
                  "the nearest are 333.333 ms (3.000003 Hz) and 333.334 ms (2.999994 Hz)");
    check_refused(period, "1.5 kHz", TAC_E_TIME,
                  "the nearest are 666 us (1501.5015 Hz) and 667 us (1499.25037 Hz)");
    check_refused(period, "0.003 MHz", TAC_E_TIME, "333 us");
    check_refused(period, "0.7 MHz", TAC_E_TIME,
                  "the nearest are 1 us (1000000 Hz) and 2 us (500000 Hz)");
    check_refused(period, "2 MHz", TAC_E_TIME, "1 us (1 MHz)");
    check_refused(period, "1e40 Hz", TAC_E_TIME, "1 us (1 MHz)");
    check_refused(period, "1.5 us", TAC_E_TIME, "the nearest are 1 us and 2 us");
    check_refused(period, "0.5 us", TAC_E_TIME, "the nearest are 1 us and 2 us"); // not 0
}

static void test_out_of_range(void **state)
{
    (void)state;
    parse_fn *time = tac_time_parse, *period = tac_period_parse;
    check_refused(time, "-1 s", TAC_E_RANGE, "negative");
    check_refused(time, " -0.5 ms", TAC_E_RANGE, "negative");
    check_refused(time, "4611686018427387905 us", TAC_E_RANGE, "too long");
    check_refused(time, "4611686018427.387910 s", TAC_E_RANGE, "too long");
    check_refused(time, "1281023895.01 h", TAC_E_RANGE, "too long");
    check_refused(time, "18446744073709551616 us", TAC_E_SYNTAX, "is not a time");
    check_refused(time, "100000000000000000000 us", TAC_E_RANGE, "too long");
    check_refused(time, "1e40 h", TAC_E_RANGE, "too long");
    check_refused(time, "999999999999999999e22 h", TAC_E_RANGE, "too long");
    check_refused(period, "0 s", TAC_E_RANGE, "above zero");
    check_refused(period, "0 Hz", TAC_E_RANGE, "above zero");
    check_refused(period, "-250 Hz", TAC_E_RANGE, "negative");
    check_refused(period, "1e-40 Hz", TAC_E_RANGE, "too long");
    check_refused(period, "1e-13 Hz", TAC_E_RANGE, "too long"); // 10^19 us
    check_period("1e-12 Hz", UINT64_C(1000000000000000000));
}

static void test_wrong_words(void **state)
{
    (void)state;
    parse_fn *time = tac_time_parse, *period = tac_period_parse;
    static const char *const no_numbers[] = {"",    " ",   "s",     "ms",   ".",    ". s",
                                             "abc", "+",   "+ 4 s", "e3 s", "_1 s", "nan s",
                                             "inf", "x 4", "\n4 s", "e",    "\xff"};
    for (size_t i = 0; i < sizeof no_numbers / sizeof *no_numbers; i++) {
        check_refused(time, no_numbers[i], TAC_E_SYNTAX, "such as '4 ms' or '1.5 s'");
        check_refused(period, no_numbers[i], TAC_E_SYNTAX, "such as '4 ms' or '250 Hz'");
    }
    static const char *const no_units[] = {"4", "0.5", "1e3", "  7  "};
    for (size_t i = 0; i < sizeof no_units / sizeof *no_units; i++) {
        check_refused(time, no_units[i], TAC_E_UNIT, "has no unit");
        check_refused(period, no_units[i], TAC_E_UNIT, "has no unit");
    }
    check_refused(period, "0", TAC_E_UNIT, "has no unit");
    static const char *const bad_units[] = {"4 sec",  "4 S",   "4 MS",  "4 m s",
                                            "4 ms x", "4 mss", "4 e",   "1.2.3 s",
                                            "0x10 s", "4 s\n", "4,5 s", "4 -s"};
    for (size_t i = 0; i < sizeof bad_units / sizeof *bad_units; i++) {
        check_refused(time, bad_units[i], TAC_E_UNIT, "unknown unit");
        check_refused(period, bad_units[i], TAC_E_UNIT, "unknown unit");
    }
    check_refused(time, "4 sec", TAC_E_UNIT,
                  "'4 sec': unknown unit 'sec'; expected us, ms, s, min, h");
    // A rate is not a time.
    check_refused(time, "250 Hz", TAC_E_UNIT, "unknown unit 'Hz'");

    // A caller's bug is answered, in release too.
    tac_time t_us;
    assert_int_equal(tac_time_parse(NULL, &t_us, NULL), TAC_E_CALLER);
    assert_int_equal(tac_time_parse("1 s", NULL, NULL), TAC_E_CALLER);
    assert_int_equal(tac_period_parse(NULL, &t_us, NULL), TAC_E_CALLER);
    assert_int_equal(tac_period_parse("1 s", NULL, NULL), TAC_E_CALLER);
}

// Long texts neither overrun the error nor take long.
static void test_long_texts(void **state)
{
    (void)state;
    static char text[100000];
    tac_time t_us;
    tac_error err;
    memset(text, '9', sizeof text - 1);
    assert_int_equal(tac_time_parse(text, &t_us, &err), TAC_E_SYNTAX);
    assert_int_equal(strlen(err.text), TAC_ERROR_TEXT - 1);
    memset(text, '0', sizeof text - 1);
    memcpy(text + sizeof text - 6, "7 us\0", 5);
    text[sizeof text - 2] = '\0';
    check_time(text, 7);
    memset(text, 'u', sizeof text - 1);
    memcpy(text, "1 ", 2);
    assert_int_equal(tac_time_parse(text, &t_us, &err), TAC_E_UNIT);
}

static void check_print(tac_time t_us, const char *expected)
{
    char text[TAC_TIME_TEXT];
    tac_time_print(t_us, text);
    assert_string_equal(text, expected);
}

static void test_print(void **state)
{
    (void)state;
    check_print(0, "0 s");
    check_print(1, "1 us");
    check_print(999, "999 us");
    check_print(1000, "1 ms");
    check_print(1001, "1.001 ms");
    check_print(1500, "1.5 ms");
    check_print(4000, "4 ms");
    check_print(999999, "999.999 ms");
    check_print(1000000, "1 s");
    check_print(1000001, "1.000001 s");
    check_print(1500000, "1.5 s");
    check_print(10010, "10.01 ms");
    check_print(90000000, "90 s");
    check_print(TAC_TIME_MAX, "4611686018427.387904 s");
    check_print(TAC_TIME_NEVER, "never");
    check_print(TAC_TIME_NEVER - 1, "18446744073709.551614 s");
    // Seconds for people: the nearest double.
    assert_true(tac_time_seconds(1500000) == 1.5);
    assert_true(tac_time_seconds(100000) == 0.1);
}

static void check_round_trip(tac_time t_us)
{
    char text[TAC_TIME_TEXT];
    memset(text, '#', sizeof text);
    tac_time_print(t_us, text);
    assert_non_null(memchr(text, '\0', sizeof text));
    check_time(text, t_us);
    if (t_us > 0)
        check_period(text, t_us);
    if (strchr(text, '.'))
        assert_true(strstr(text, "0 ") == NULL); // no zeros at the end
}

static void test_round_trip(void **state)
{
    (void)state;
    for (tac_time t_us = 0; t_us < 200000; t_us++)
        check_round_trip(t_us);
    for (int bit = 0; bit <= 62; bit++) {
        for (uint64_t d = 0; d < 3; d++) {
            const tac_time t_us = (UINT64_C(1) << bit) + d - 1;
            if (t_us <= TAC_TIME_MAX)
                check_round_trip(t_us);
        }
    }
    for (uint64_t ten = 1; ten < TAC_TIME_MAX / 10; ten *= 10) {
        check_round_trip(ten - 1);
        check_round_trip(ten);
        check_round_trip(ten + 1);
    }
    uint64_t random = 1;
    for (uint64_t i = 0; i < 200000; i++) {
        random = tac__hash_word(random, i);
        check_round_trip(random >> (2 + i % 61));
    }
}

// For every rate of whole Hz: read if it divides a second into whole microseconds, else refused.
static void test_every_rate(void **state)
{
    (void)state;
    for (uint64_t rate = 1; rate <= 20000; rate++) {
        char text[32];
        snprintf(text, sizeof text, "%" PRIu64 " Hz", rate);
        if (1000000 % rate == 0) {
            check_period(text, 1000000 / rate);
        } else {
            char below[TAC_TIME_TEXT], words[64];
            tac_time_print(1000000 / rate, below);
            snprintf(words, sizeof words, "the nearest are %s (", below);
            check_refused(tac_period_parse, text, TAC_E_TIME, words);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_units), cmocka_unit_test(test_numbers),
          cmocka_unit_test(test_fractions), cmocka_unit_test(test_out_of_range),
          cmocka_unit_test(test_wrong_words), cmocka_unit_test(test_long_texts),
          cmocka_unit_test(test_print), cmocka_unit_test(test_round_trip),
          cmocka_unit_test(test_every_rate))
