// The bookkeeping of lateness: its classes, and what is read from them.
#include "cli/pace.c"
#include "support/test.h"

static void test_classes_cover_everything_once(void **state)
{
    (void)state;
    for (unsigned c = 0; c + 1 < 16 * 60; c++) {
        assert_int_equal(class_of(class_end(c)), c);
        assert_int_equal(class_of(class_end(c) + 1), c + 1);
    }
    assert_true(class_of(INT64_MAX) < CLI_JITTER_CLASSES);
}

static void test_classes_are_narrow(void **state)
{
    (void)state;
    for (uint64_t ns = 1; ns < UINT64_C(1) << 60; ns = ns * 9 / 8 + 1) {
        const uint64_t end = class_end(class_of(ns));
        assert_true(end >= ns && end - ns <= ns / 16);
    }
}

static void test_quantiles(void **state)
{
    (void)state;
    cli_jitter j = {0};
    assert_true(cli_jitter_mean_us(&j) == 0 && cli_jitter_quantile_us(&j, 0.99) == 0);
    for (int64_t i = 1; i <= 1000; i++)
        cli_jitter_add(&j, i * 10000); // 10 us to 10 ms
    assert_true(cli_jitter_mean_us(&j) == 5005.0);
    assert_true(cli_jitter_max_us(&j) == 10000.0);
    assert_int_equal(j.late, 900);
    assert_int_equal(j.count, 1000);
    const double median = cli_jitter_quantile_us(&j, 0.5), most = cli_jitter_quantile_us(&j, 0.99);
    assert_true(median >= 5000 && median <= 5000 * 17.0 / 16);
    assert_true(most >= 9900 && most <= 10000);
}

static void test_early_counts_as_in_time(void **state)
{
    (void)state;
    cli_jitter j = {0};
    cli_jitter_add(&j, -5);
    assert_true(cli_jitter_max_us(&j) == 0 && j.count == 1 && j.late == 0);
}

static void test_due(void **state)
{
    (void)state;
    const cli_pace pace = {.factor = 4, .start_us = 1000000, .start_ns = 77};
    assert_true(cli_pace_due_ns(&pace, 1000000) == 77);
    assert_true(cli_pace_due_ns(&pace, 2000000) == 77 + 250000000);
    const cli_pace slow = {.factor = 1e-300};
    assert_true(cli_pace_due_ns(&slow, 1) > INT64_C(1) << 60);
}

TEST_MAIN(cmocka_unit_test(test_classes_cover_everything_once),
          cmocka_unit_test(test_classes_are_narrow), cmocka_unit_test(test_quantiles),
          cmocka_unit_test(test_early_counts_as_in_time), cmocka_unit_test(test_due))
