// Patterns and colourings: what is computed together can be told apart.
#include "support/test.h"

#include "graph/pattern.h"
#include "math/inputs.h"

#include <stdlib.h>

enum { MOST = 40 };

static tac__arena arena;

// A dense picture of a pattern, and the pattern of it.
typedef struct picture {
    int rows, columns;
    bool at[MOST][MOST];
} picture;

static tac__pattern pattern_of(const picture *p)
{
    int *starts = tac__arena_array(&arena, (size_t)p->columns + 1, sizeof *starts);
    int *row_of = tac__arena_array(&arena, MOST * MOST, sizeof *row_of);
    assert_true(starts && row_of);
    int count = 0;
    for (int j = 0; j < p->columns; j++) {
        for (int i = 0; i < p->rows; i++) {
            if (p->at[i][j])
                row_of[count++] = i;
        }
        starts[j + 1] = count;
    }
    return (tac__pattern){p->rows, p->columns, starts, row_of};
}

static picture draw(uint64_t *seed, int rows, int columns, double share)
{
    picture p = {.rows = rows, .columns = columns};
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++)
            p.at[i][j] = input_uniform(seed, 0, 1) < share;
    }
    return p;
}

static int set_up(void **state)
{
    (void)state;
    tac__arena_init(&arena, tac_allocator_default());
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    tac__arena_fini(&arena);
    return 0;
}

static void test_patterns_across_and_below(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int trial = 0; trial < 50; trial++) {
        const int n = 1 + trial % MOST;
        const picture p = draw(&seed, n, n, 0.02 * trial);
        const tac__pattern a = pattern_of(&p);
        tac__pattern across, both, lower;
        assert_true(tac__pattern_transpose(&arena, &a, &across));
        assert_true(tac__pattern_symmetric(&arena, &a, &both));
        assert_true(tac__pattern_lower(&arena, &both, &lower));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                const bool either = p.at[i][j] || p.at[j][i];
                assert_int_equal(tac__pattern_find(&a, i, j) >= 0, p.at[i][j]);
                assert_int_equal(tac__pattern_find(&across, i, j) >= 0, p.at[j][i]);
                assert_int_equal(tac__pattern_find(&both, i, j) >= 0, either);
                assert_int_equal(tac__pattern_find(&lower, i, j) >= 0, either && i >= j);
            }
        }
    }
}

static void test_columns_of_a_colour_share_no_row(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < 60; trial++) {
        const picture p = draw(&seed, 1 + trial % 7 * 6, 1 + trial % 5 * 9, 0.01 * trial);
        const tac__pattern a = pattern_of(&p);
        tac__colouring c;
        assert_true(tac__colour_columns(&arena, &a, &c));
        int most = 0;
        for (int i = 0; i < p.rows; i++) {
            bool used[MOST] = {0};
            int in_row = 0;
            for (int j = 0; j < p.columns; j++) {
                assert_true(c.colour[j] >= -1 && c.colour[j] < c.colours);
                if (!p.at[i][j])
                    continue;
                assert_true(c.colour[j] >= 0 && !used[c.colour[j]]);
                used[c.colour[j]] = true;
                in_row++;
            }
            most = in_row > most ? in_row : most;
        }
        assert_true(c.colours >= most);
    }
}

// Every entry, or the one across the diagonal, is alone in its row among its colour.
static void test_symmetric_entries_can_be_told_apart(void **state)
{
    (void)state;
    uint64_t seed = 3;
    int fewer = 0;
    for (int trial = 0; trial < 60; trial++) {
        const int n = 1 + trial % MOST;
        picture p = draw(&seed, n, n, 0.004 * trial);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++)
                p.at[i][j] = p.at[j][i];
        }
        const tac__pattern a = pattern_of(&p);
        tac__colouring star, plain;
        assert_true(tac__colour_symmetric(&arena, &a, &star));
        assert_true(tac__colour_columns(&arena, &a, &plain));
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (p.at[i][j])
                    assert_true(tac__colour_is_alone(&a, &star, i, j) ||
                                tac__colour_is_alone(&a, &star, j, i));
            }
        }
        assert_true(star.colours <= plain.colours + 1);
        fewer += star.colours < plain.colours;
    }
    assert_true(fewer > 10);
}

static void test_known_numbers_of_colours(void **state)
{
    (void)state;
    picture band = {MOST, MOST, {{0}}}, arrow = band, diagonal = band, full = band;
    for (int i = 0; i < MOST; i++) {
        for (int j = 0; j < MOST; j++) {
            band.at[i][j] = abs(i - j) <= 1;
            arrow.at[i][j] = i == j || i == 0 || j == 0;
            diagonal.at[i][j] = i == j;
            full.at[i][j] = true;
        }
    }
    const picture *const pictures[] = {&band, &arrow, &diagonal, &full};
    static const int plain[] = {3, MOST, 1, MOST}, star[] = {3, 2, 1, MOST};
    for (int k = 0; k < 4; k++) {
        const tac__pattern a = pattern_of(pictures[k]);
        tac__colouring c;
        assert_true(tac__colour_columns(&arena, &a, &c));
        assert_int_equal(c.colours, plain[k]);
        assert_true(tac__colour_symmetric(&arena, &a, &c));
        assert_int_equal(c.colours, star[k]);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
TEST_MAIN(TEST(test_patterns_across_and_below), TEST(test_columns_of_a_colour_share_no_row),
          TEST(test_symmetric_entries_can_be_told_apart), TEST(test_known_numbers_of_colours))
