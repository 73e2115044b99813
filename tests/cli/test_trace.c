// Thinning out: little is kept, nothing that can be seen is lost.
#include "cli/plot/chart.c"
#include "cli/plot/gnuplot.c"
#include "cli/plot/trace.c"
#include "support/test.h"

#include <stdlib.h>

enum { COLUMNS = 100 };

typedef struct bench {
    tac__arena arena;
    cli_trace trace;
    cli_table table;
} bench;

static void begin(bench *b, uint32_t elements, tac_time from_us, tac_time to_us)
{
    tac__arena_init(&b->arena, tac_allocator_default());
    cli_trace_begin(&b->trace, &b->arena, elements, from_us, to_us, COLUMNS);
}

static const cli_table *end(bench *b)
{
    tac_error err;
    assert_int_equal(cli_trace_end(&b->trace, &b->table, &err), TAC_OK);
    return &b->table;
}

static void test_few_are_kept_as_they_are(void **state)
{
    (void)state;
    bench b;
    begin(&b, 2, 1000000, 1999999);
    double values[2 * CLI_TRACE_ROWS * COLUMNS];
    for (int i = 0; i < CLI_TRACE_ROWS * COLUMNS; i++) {
        values[2 * i] = rand();
        values[2 * i + 1] = -i;
        cli_trace_add(&b.trace, 1000000 + 2500 * (tac_time)i, values + 2 * i);
    }
    const cli_table *t = end(&b);
    assert_int_equal(t->rows, CLI_TRACE_ROWS * COLUMNS);
    assert_int_equal(t->columns, 3);
    for (size_t i = 0; i < t->rows; i++) {
        assert_true(cli_table_at(t, i, 0) == tac_time_seconds(1000000 + 2500 * (tac_time)i));
        assert_true(cli_table_at(t, i, 1) == values[2 * i]);
        assert_true(cli_table_at(t, i, 2) == values[2 * i + 1]);
    }
    tac__arena_fini(&b.arena);
}

// Of every column: the least and the greatest of each element, found by looking at all samples.
static void test_many_leave_their_extremes(void **state)
{
    (void)state;
    enum { EACH = 1000, SAMPLES = COLUMNS * EACH };
    static double values[SAMPLES][3]; // noise, rising, falling
    bench b;
    begin(&b, 3, 0, SAMPLES - 1);
    srand(2);
    for (tac_time i = 0; i < SAMPLES; i++) {
        values[i][0] = (double)rand() / RAND_MAX;
        values[i][1] = (double)i;
        values[i][2] = -(double)i;
        cli_trace_add(&b.trace, i, values[i]);
    }
    const cli_table *t = end(&b);
    assert_int_equal(t->rows, CLI_TRACE_ROWS * COLUMNS);
    for (size_t column = 0; column < COLUMNS; column++) {
        const size_t row = CLI_TRACE_ROWS * column, at = EACH * column;
        for (size_t e = 0; e < 3; e++) {
            double least = values[at][e], greatest = least;
            for (size_t i = at; i < at + EACH; i++) {
                least = fmin(least, values[i][e]);
                greatest = fmax(greatest, values[i][e]);
            }
            double kept_least = HUGE_VAL, kept_greatest = -HUGE_VAL;
            for (size_t i = row; i < row + CLI_TRACE_ROWS; i++) {
                kept_least = fmin(kept_least, cli_table_at(t, i, 1 + e));
                kept_greatest = fmax(kept_greatest, cli_table_at(t, i, 1 + e));
            }
            assert_true(kept_least == least && kept_greatest == greatest);
            assert_true(cli_table_at(t, row, 1 + e) == values[at][e]);
            assert_true(cli_table_at(t, row + 3, 1 + e) == values[at + EACH - 1][e]);
        }
        // Rising stays rising, falling stays falling, and time goes on.
        for (size_t i = row; i + 1 < row + CLI_TRACE_ROWS; i++) {
            assert_true(cli_table_at(t, i, 0) < cli_table_at(t, i + 1, 0));
            assert_true(cli_table_at(t, i, 2) <= cli_table_at(t, i + 1, 2));
            assert_true(cli_table_at(t, i, 3) >= cli_table_at(t, i + 1, 3));
        }
    }
    tac__arena_fini(&b.arena);
}

static void test_nan_hides_nothing(void **state)
{
    (void)state;
    bench b;
    begin(&b, 1, 0, 99);
    const double values[] = {(double)NAN, 3, (double)NAN, -2, 7, 1};
    for (int i = 0; i < 6; i++)
        cli_trace_add(&b.trace, 0, &values[i]);
    const cli_table *t = end(&b);
    assert_int_equal(t->rows, 4);
    assert_true(isnan(cli_table_at(t, 0, 1)));
    assert_true(cli_table_at(t, 1, 1) == -2 && cli_table_at(t, 2, 1) == 7);
    assert_true(cli_table_at(t, 3, 1) == 1);
    tac__arena_fini(&b.arena);
}

static void test_nothing(void **state)
{
    (void)state;
    bench b;
    begin(&b, 3, 5, 5);
    assert_int_equal(end(&b)->rows, 0);
    tac__arena_fini(&b.arena);
    begin(&b, 1, 5, 5);
    const double value = 1;
    cli_trace_add(&b.trace, 5, &value);
    assert_int_equal(end(&b)->rows, 1);
    tac__arena_fini(&b.arena);
}

TEST_MAIN(cmocka_unit_test(test_few_are_kept_as_they_are),
          cmocka_unit_test(test_many_leave_their_extremes),
          cmocka_unit_test(test_nan_hides_nothing), cmocka_unit_test(test_nothing))
