// Patterns and colourings: what is computed together can be told apart. And what is shown of them.
#include "support/test.h"

#include "graph/sparsity.h"
#include "math/inputs.h"
#include "support/allocator.h"
#include "support/formats.h"

#include <stdlib.h>
#include <tactus/graph.h>

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

// --- for people and programs --------------------------------------------------------------------

// y = (x0 x1, x1 + u0, floor(u1)), with names that XML and JSON must escape.
static tac_graph *small(const tac_allocator *allocator)
{
    static const char *const labels[2] = {"a<b", "say \"x\""};
    tac_graph *f;
    assert_int_equal(tac__graph_create(allocator, "f", false, NULL, &f, NULL), TAC_OK);
    tac__group *x = tac__graph_add_input(f, "x", 2, NULL);
    assert_non_null(x);
    x->labels = labels;
    const int32_t *t = x->terms;
    const tac__group *u = tac__graph_add_input(f, "u", 2, NULL);
    assert_non_null(u);
    tac__terms *pool = tac__graph_pool(f);
    const int32_t y[3] = {tac__term_make(pool, TAC__SYM_mul, t[0], t[1], -1),
                          tac__term_make(pool, TAC__SYM_add, t[1], u->terms[0], -1),
                          tac__term_make(pool, TAC__SYM_floor, u->terms[1], -1, -1)};
    assert_non_null(tac__graph_add_output(f, "y", 3, y));
    return f;
}

static void test_a_picture_and_data(void **state)
{
    (void)state;
    tac_graph *f = small(NULL);
    tac__text svg, data;
    tac__text_init(&svg, tac_allocator_default());
    tac__text_init(&data, tac_allocator_default());
    tac__json json = tac__json_begin(&data);
    assert_int_equal(tac__sparsity_svg(f, NULL, NULL, &svg, NULL), TAC_OK);
    assert_int_equal(tac__sparsity_json(f, "y", NULL, &json, NULL), TAC_OK);
    test_check_xml(svg.chars);
    assert_int_equal(test_count_of(svg.chars, "<title>"), 4);
    test_has(svg.chars, "3 rows, 4 columns, 4 entries (33 %) \xc2\xb7 2 forward sweeps");
    test_has(svg.chars, "<title>y[1] by say &quot;x&quot;, colour 0</title>");
    test_has(svg.chars, "<title>y[0] by a&lt;b, colour 1</title>");
    test_check_json(data.chars);
    test_has(data.chars, "\"starts\": [0, 1, 3, 4, 4]");
    test_has(data.chars, "\"row_of\": [0, 0, 1, 1]");
    test_has(data.chars, "\"colour\": [1, 0, 1, null]");
    test_has(data.chars, "\"sweeps\": \"forward\"");
    assert_int_equal(tac__sparsity_svg(f, "z", NULL, &svg, NULL), TAC_E_NAME);
    tac__text_fini(&svg);
    tac__text_fini(&data);
    tac__graph_destroy(f);
}

static void test_a_picture_without_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator counts = test_allocator_make();
        const tac_allocator hook = test_allocator_hook(&counts);
        tac_graph *f = small(&hook);
        tac__text svg;
        tac__text_init(&svg, &hook);
        counts.fail_at = counts.calls + n;
        const tac_status st = tac__sparsity_svg(f, NULL, NULL, &svg, NULL);
        assert_int_equal(st, counts.failed ? TAC_E_MEMORY : TAC_OK);
        tac__text_fini(&svg);
        tac__graph_destroy(f);
        test_allocator_check_empty(&counts);
        if (st == TAC_OK)
            break;
    }
}

// A loop within a loop has no derivative, and that is what is told.
static void test_texts_for_programs(void **state)
{
    (void)state;
    tac_error err = {0};
    tac_graph *f = small(NULL);
    char *text;
    assert_int_equal(tac_graph_summary(f, TAC_FORMAT_TEXT, true, &text, &err), TAC_OK);
    test_has(text, "Jacobian: 4 entries of 3 x 4");
    tac_text_free(text);
    assert_int_equal(tac_graph_pattern(f, TAC_FORMAT_JSON, &text, &err), TAC_OK);
    test_check_json(text);
    tac_text_free(text);

    tac__terms *pool = tac__graph_pool(f);
    const tac__sym_value at = tac__sym_of(pool, f->in[0].terms[0]);
    tac__sym_value outer, inner;
    const tac__sym_loop a = tac__sym_loop_begin(pool, 5, 1, &at, &outer);
    const tac__sym_loop b = tac__sym_loop_begin(pool, 5, 1, &outer, &inner);
    const int32_t v = tac__term_of(pool, inner), u = tac__term_of(pool, outer);
    const tac__sym_value settled = tac__sym_of(pool, tac__term_make(pool, TAC__SYM_lt, u, v, -1));
    const tac__sym_value rest = tac__sym_of(pool, tac__term_make(pool, TAC__SYM_sub, v, u, -1));
    tac__sym_value next = tac__sym_of(pool, tac__term_make(pool, TAC__SYM_add, v, u, -1));
    tac__sym_loop_end(b, &next, settled, rest, 0, NULL);
    tac__sym_loop_end(a, &next, settled, next, 0, NULL);
    const int32_t z = tac__term_of(pool, next);
    assert_non_null(tac__graph_add_output(f, "z", 1, &z));
    assert_int_equal(tac_graph_summary(f, TAC_FORMAT_TEXT, false, &text, &err), TAC_OK);
    tac_text_free(text);
    assert_int_equal(tac_graph_summary(f, TAC_FORMAT_JSON, true, &text, &err), TAC_E_LIMIT);
    assert_null(text);
    test_has(err.text, "within a loop");
    const tac_format formats[] = {TAC_FORMAT_SVG, TAC_FORMAT_JSON};
    for (int i = 0; i < 2; i++) {
        tac_error_clear(&err);
        assert_int_equal(tac_graph_pattern(f, formats[i], &text, &err), TAC_E_LIMIT);
        assert_null(text);
        test_has(err.text, "within a loop");
    }
    tac__graph_destroy(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
TEST_MAIN(TEST(test_patterns_across_and_below), TEST(test_columns_of_a_colour_share_no_row),
          TEST(test_symmetric_entries_can_be_told_apart), TEST(test_known_numbers_of_colours),
          cmocka_unit_test(test_a_picture_and_data),
          cmocka_unit_test(test_a_picture_without_memory),
          cmocka_unit_test(test_texts_for_programs))
