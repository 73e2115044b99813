// Samples of a run of unknown length: never more than fit, evenly spread, the first and the last
// among them.
#include "cli/rows.c"
#include "support/test.h"

static void test_any_number_of_samples(void **state)
{
    (void)state;
    static const size_t columns[] = {1, 7, 20, 25, 26, 1000, 20000};
    static const size_t numbers[] = {1, 2, 63, 64, 65, 19999, 20000, 20001, 40001, 100000};
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++) {
            tac__arena arena;
            tac_error err;
            tac__arena_init(&arena, tac_allocator_default());
            cli_rows rows;
            assert_int_equal(cli_rows_init(&rows, &arena, columns[c], &err), TAC_OK);
            assert_true(rows.capacity <= ROWS_MAX);
            for (size_t i = 0; i < numbers[n]; i++) {
                double *row = cli_rows_next(&rows, i + 1 == numbers[n]);
                if (row)
                    row[0] = row[columns[c] - 1] = (double)i;
            }
            assert_true(rows.count > 0 && rows.count <= rows.capacity);
            assert_true(rows.count * 2 + 1 >= rows.capacity || rows.count == numbers[n]);
            for (size_t i = 0; i < rows.count; i++) {
                const double *row = rows.values + i * columns[c];
                const size_t last = numbers[n] - 1, at = i * rows.stride;
                assert_true(row[0] == (double)(i + 1 == rows.count ? last : at));
                assert_true(row[columns[c] - 1] == row[0]);
            }
            tac__arena_fini(&arena);
        }
    }
}

TEST_MAIN(cmocka_unit_test(test_any_number_of_samples))
