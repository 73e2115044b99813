// Pools of terms: equal terms are one, constants are computed, and what is simplified keeps every
// bit of every value. tests/math/test_kinds.c compares whole models.
#include "support/test.h"

#include "graph/graph.h"
#include "math/inputs.h"

#include <math.h>

static int32_t apply(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(pool, op, a, b, b);
}

static void test_equal_terms_are_one(void **state)
{
    (void)state;
    tac__terms pool;
    tac__terms_init(&pool, tac_allocator_default(), false);
    const int32_t x = tac__term_input(&pool), y = tac__term_input(&pool);
    assert_int_not_equal(x, y);
    const int32_t sum = apply(&pool, TAC__SYM_add, x, y);
    assert_int_equal(apply(&pool, TAC__SYM_add, y, x), sum);
    assert_int_not_equal(apply(&pool, TAC__SYM_sub, x, y), apply(&pool, TAC__SYM_sub, y, x));
    assert_int_equal(tac__term_constant(&pool, 2), tac__term_constant(&pool, 2));
    assert_int_not_equal(tac__term_constant(&pool, 0.0), tac__term_constant(&pool, -0.0));
    const size_t before = pool.count;
    for (int i = 0; i < 100000; i++) // beyond the first size of all arrays
        apply(&pool, TAC__SYM_mul, sum, tac__term_constant(&pool, 3 + i % 20000));
    assert_int_equal(pool.count, before + 2 * 20000);
    tac__terms_fini(&pool);
}

// --- simplification -----------------------------------------------------------------------------

enum { SAMPLES = 40 };

// A term, and its value without any simplification for each of the samples.
typedef struct drawn {
    int32_t term;
    double value[SAMPLES];
} drawn;

typedef struct drawing {
    tac__terms pool;
    uint64_t seed;
    drawn in[2];
} drawing;

static void put_together(drawing *d, tac__sym_op op, const drawn *a, const drawn *b, const drawn *c,
                         drawn *made)
{
    made->term = tac__term_make(&d->pool, op, a->term, b->term, c->term);
    for (int i = 0; i < SAMPLES; i++)
        made->value[i] = tac__op_apply(op, a->value[i], b->value[i], c->value[i]);
}

static void draw_leaf(drawing *d, drawn *made)
{
    static const double special[] = {0.0, -0.0, 1, -1, 2, 0.5, -4, 3, (double)INFINITY};
    const uint64_t bits = input_bits(&d->seed);
    if (bits % 2) {
        *made = d->in[bits >> 8 & 1];
        return;
    }
    const double value = special[(bits >> 8) % (sizeof special / sizeof *special)];
    made->term = tac__term_constant(&d->pool, value);
    for (int i = 0; i < SAMPLES; i++)
        made->value[i] = value;
}

static void draw_condition(drawing *d, int depth, drawn *made);

static void draw_number(drawing *d, int depth, drawn *made)
{
    static const tac__sym_op ops[] = {
        TAC__SYM_neg,   TAC__SYM_add, TAC__SYM_sub,    TAC__SYM_mul, TAC__SYM_div,
        TAC__SYM_along, TAC__SYM_abs, TAC__SYM_select, TAC__SYM_min, TAC__SYM_max,
    };
    if (depth == 0) {
        draw_leaf(d, made);
        return;
    }
    const tac__sym_op op = ops[input_bits(&d->seed) % (sizeof ops / sizeof *ops)];
    drawn a, b, c;
    if (op == TAC__SYM_select)
        draw_condition(d, depth - 1, &a);
    else
        draw_number(d, depth - 1, &a);
    draw_number(d, depth - 1, &b);
    draw_number(d, depth - 1, &c);
    put_together(d, op, &a, &b, &c, made);
}

static void draw_condition(drawing *d, int depth, drawn *made)
{
    const tac__sym_op op =
        (tac__sym_op)(TAC__SYM_lt + input_bits(&d->seed) % (depth > 0 ? 6u : 3u));
    drawn a, b;
    if (op >= TAC__SYM_logic_and) {
        draw_condition(d, depth - 1, &a);
        draw_condition(d, depth - 1, &b);
    } else {
        draw_number(d, depth, &a);
        draw_number(d, depth, &b);
    }
    put_together(d, op, &a, &b, &b, made);
}

static double value_of(const tac__terms *pool, int32_t term, const double *in)
{
    const tac__term *t = &pool->terms[term];
    const int operands = tac__op_operands((tac__sym_op)t->op);
    if (t->op == TAC__SYM_constant || t->op == TAC__SYM_input)
        return t->op == TAC__SYM_input ? in[t->a] : t->value;
    return tac__op_apply((tac__sym_op)t->op, value_of(pool, t->a, in),
                         operands > 1 ? value_of(pool, t->b, in) : 0,
                         operands > 2 ? value_of(pool, t->c, in) : 0);
}

static void test_simplification_keeps_every_bit(void **state)
{
    (void)state;
    drawing d = {.seed = 5};
    tac__terms_init(&d.pool, tac_allocator_default(), false);
    for (int k = 0; k < 2; k++) {
        d.in[k].term = tac__term_input(&d.pool);
        for (int i = 0; i < SAMPLES; i++)
            d.in[k].value[i] = input_hostile(&d.seed);
    }
    d.in[1].value[0] = d.in[0].value[1] = -0.0;
    d.in[0].value[0] = d.in[1].value[1] = 0.0;
    for (int n = 0; n < 20000; n++) {
        drawn made;
        draw_number(&d, 1 + n % 3, &made);
        for (int i = 0; i < SAMPLES; i++) {
            const double in[2] = {d.in[0].value[i], d.in[1].value[i]};
            const double got = value_of(&d.pool, made.term, in);
            if (!same_bits(got, made.value[i]))
                fail_msg("drawing %d: %a instead of %a for (%a, %a)", n, got, made.value[i], in[0],
                         in[1]);
        }
    }
    assert_int_equal(tac__terms_status(&d.pool, NULL), TAC_OK);
    tac__terms_fini(&d.pool);
}

static void test_fast_pools_go_further(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; fast++) {
        tac__terms pool;
        tac__terms_init(&pool, tac_allocator_default(), fast);
        const int32_t x = tac__term_input(&pool), zero = tac__term_constant(&pool, 0),
                      two = tac__term_constant(&pool, 2), three = tac__term_constant(&pool, 3);
        assert_int_equal(apply(&pool, TAC__SYM_add, x, zero) == x, fast);
        assert_int_equal(apply(&pool, TAC__SYM_mul, zero, x) == zero, fast);
        assert_int_equal(apply(&pool, TAC__SYM_sub, x, x) == zero, fast);
        const int32_t six = apply(&pool, TAC__SYM_mul, apply(&pool, TAC__SYM_mul, x, two), three);
        assert_int_equal(six == apply(&pool, TAC__SYM_mul, x, tac__term_constant(&pool, 6)), fast);
        tac__terms_fini(&pool);
    }
}

// --- graphs -------------------------------------------------------------------------------------

static void test_graphs_share_a_pool(void **state)
{
    (void)state;
    tac_graph *f, *g;
    tac_error err = {0};
    assert_int_equal(tac__graph_create(NULL, "f", false, NULL, &f, &err), TAC_OK);
    const tac__group *x = tac__graph_add_input(f, "x", 3, NULL);
    assert_non_null(x);
    assert_int_equal(tac__graph_create(NULL, "g", false, f, &g, &err), TAC_OK);
    assert_ptr_equal(tac__graph_pool(f), tac__graph_pool(g));
    assert_non_null(tac__graph_add_output(g, "y", 3, x->terms));
    tac__graph_destroy(f); // the pool lives on
    assert_int_equal(tac__graph_pool(g)->terms[g->out[0].terms[2]].op, TAC__SYM_input);
    tac__graph_destroy(g);
}

TEST_MAIN(cmocka_unit_test(test_equal_terms_are_one),
          cmocka_unit_test(test_simplification_keeps_every_bit),
          cmocka_unit_test(test_fast_pools_go_further), cmocka_unit_test(test_graphs_share_a_pool))
