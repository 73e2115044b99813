// Scales: round numbers about a range, few of them, and two axes on one grid.
#include "cli/plot/chart.c"
#include "cli/plot/gnuplot.c"
#include "support/test.h"

#include <stdlib.h>

static bool is_round(double step)
{
    const double decade = pow(10, floor(log10(step) + 1e-9));
    const double digit = round(step / decade);
    return fabs(step / decade - digit) < 1e-9 && (digit == 1 || digit == 2 || digit == 5);
}

static void check(cli_range r, cli_scale s)
{
    const double slack = 1e-6 * s.step, max = s.min + s.steps * s.step;
    assert_true(is_round(s.step));
    assert_true(fabs(s.min / s.step - round(s.min / s.step)) < 1e-6);
    assert_true(s.min <= r.min + slack && max >= r.max - slack);
}

static void test_scales_cover_ranges(void **state)
{
    (void)state;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        const double width = pow(10, 9.0 * rand() / RAND_MAX - 4);
        const double min = width * (10.0 * rand() / RAND_MAX - 5);
        const cli_range r = {min, min + width};
        const cli_scale s = cli_scale_of(r);
        check(r, s);
        assert_in_range(s.steps, 2, 6);
        // Less than a step is given away at either end.
        assert_true(s.min > r.min - s.step && s.min + s.steps * s.step < r.max + s.step);
        const int steps = 1 + rand() % 7;
        const cli_scale other = cli_scale_in(r, steps);
        check(r, other);
        assert_int_equal(other.steps, steps);
    }
}

// NaN, infinity and the largest numbers: scales are of numbers, and no step is lost in a cast (the
// sanitizer for float-cast-overflow says so).
static void test_ranges_of_everything(void **state)
{
    (void)state;
    static const double ends[] = {0,
                                  1,
                                  -1,
                                  1e300,
                                  -1e300,
                                  1e308,
                                  -1e308,
                                  5e-324,
                                  (double)INFINITY,
                                  -(double)INFINITY,
                                  1e-300,
                                  2147483647.0,
                                  (double)NAN};
    const size_t count = sizeof ends / sizeof *ends;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            if (ends[i] > ends[k])
                continue;
            for (int steps = 0; steps < 4; steps++) {
                const cli_range r = {ends[i], ends[k]};
                const cli_scale s = steps ? cli_scale_in(r, steps) : cli_scale_of(r);
                if (!isfinite(s.min) || !isfinite(s.step) || !(s.step > 0) || s.steps < 1 ||
                    s.steps > 8)
                    fail_msg("%g to %g in %d: from %g in %d steps of %g", r.min, r.max, steps,
                             s.min, s.steps, s.step);
            }
        }
    }
    const double values[] = {(double)INFINITY, 2, -(double)INFINITY, -3};
    const cli_range seen = cli_table_range(&(cli_table){values, 4, 1}, 0, 0, 1);
    assert_true(seen.min == -3 && seen.max == 2);
}

static void test_ranges_of_nothing(void **state)
{
    (void)state;
    const cli_scale s = cli_scale_of((cli_range){5, 5});
    assert_true(s.steps >= 1 && s.step > 0 && s.min <= 5);
    // Small numbers have scales of their own.
    const cli_range small = {4.1e-9, 4.3e-9};
    check(small, cli_scale_of(small));
    assert_in_range(cli_scale_of(small).steps, 2, 6);
    const double values[] = {(double)NAN, (double)NAN, 1, (double)NAN, 3, -2};
    const cli_table t = {values, 2, 3};
    const cli_range nothing = cli_table_range(&t, 0, 1, 0);
    assert_true(nothing.min == 0 && nothing.max == 0);
    const cli_range all = cli_table_range(&t, 1, 1, 2);
    assert_true(all.min == -2 && all.max == 3);
    const cli_range apart = cli_table_range(&t, 0, 2, 2);
    assert_true(apart.min == -2 && apart.max == 1);
}

static void test_quotes(void **state)
{
    (void)state;
    tac__text text;
    tac__text_init(&text, tac_allocator_default());
    cli_gnuplot_quote(&text, "it's\n'");
    assert_string_equal(text.chars, "'it''s '''");
    tac__text_fini(&text);
}

TEST_MAIN(cmocka_unit_test(test_scales_cover_ranges), cmocka_unit_test(test_ranges_of_nothing),
          cmocka_unit_test(test_ranges_of_everything), cmocka_unit_test(test_quotes))
