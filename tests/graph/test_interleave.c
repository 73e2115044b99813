// Interleaving: the same terms in every stretch, operands first, equal operations together.
#include "graph/interleave.h"
#include "graph/draw.h"
#include "support/allocator.h"

#include <stdlib.h>

static int32_t *kinds_of(const tac__terms *pool)
{
    int32_t *kinds = calloc(pool->count, sizeof *kinds);
    for (size_t i = 0; i < pool->count; i++)
        kinds[i] = pool->terms[i].op;
    return kinds;
}

// The step that computes each term; -1: none.
static int32_t *steps_of(const tac__terms *pool, const tac__schedule *s)
{
    int32_t *step_of = calloc(pool->count, sizeof *step_of);
    for (size_t i = 0; i < pool->count; i++)
        step_of[i] = -1;
    for (size_t i = 0; i < s->count; i++) {
        if (s->steps[i].kind == TAC__STEP_TERM)
            step_of[s->steps[i].term] = (int32_t)i;
    }
    return step_of;
}

static int compare_terms(const void *a, const void *b)
{
    const tac__step *x = a, *y = b;
    return (x->term > y->term) - (x->term < y->term);
}

static void check_stretch(const tac__step *before, tac__step *after, size_t count)
{
    assert_int_equal(before[0].term, after[0].term);
    qsort(after, count, sizeof *after, compare_terms);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(before[i].term, after[i].term); // a schedule has them in this order
}

static void check_order(const tac__terms *pool, const int32_t *step_of)
{
    for (size_t t = 0; t < pool->count; t++) {
        const tac__term *term = &pool->terms[t];
        for (int k = 0; step_of[t] >= 0 && k < tac__op_operands((tac__sym_op)term->op); k++)
            assert_true(step_of[tac__term_operand(term, k)] < step_of[t]);
    }
}

static void test_only_the_order_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 16; seed++) {
        tac_graph *g = draw_graph(seed, 20 + (int)seed * 25);
        const tac__terms *pool = tac__graph_pool(g);
        tac__arena arena;
        tac__schedule before, after;
        tac__arena_init(&arena, NULL);
        assert_int_equal(tac__schedule_graph(&arena, g, TAC__REGIONS_WORTH, &before, NULL), TAC_OK);
        assert_int_equal(tac__schedule_graph(&arena, g, TAC__REGIONS_WORTH, &after, NULL), TAC_OK);
        int32_t *kinds = kinds_of(pool);
        assert_int_equal(tac__schedule_interleave(NULL, pool, kinds, &after, NULL), TAC_OK);
        int32_t *step_of = steps_of(pool, &after);
        check_order(pool, step_of);
        for (size_t i = 0, count; i < before.count; i += count + (count == 0)) {
            for (count = 0;
                 i + count < before.count && before.steps[i + count].kind == TAC__STEP_TERM;
                 count++)
                assert_int_equal(after.steps[i + count].kind, TAC__STEP_TERM);
            if (count > 0)
                check_stretch(&before.steps[i], &after.steps[i], count);
            else
                assert_memory_equal(&before.steps[i], &after.steps[i], sizeof *after.steps);
        }
        free(step_of);
        free(kinds);
        tac__arena_fini(&arena);
        tac__graph_destroy(g);
    }
}

// Four equal chains, one after the other: sin(x) * x + 1, all of which become rows of four.
static void test_equal_chains_stand_side_by_side(void **state)
{
    (void)state;
    tac__terms pool;
    tac__arena arena;
    tac__schedule s;
    int32_t ends[4], products[4];
    tac__terms_init(&pool, tac_allocator_default(), false);
    tac__arena_init(&arena, NULL);
    const int32_t one = tac__term_constant(&pool, 1);
    for (int i = 0; i < 4; i++) {
        const int32_t x = tac__term_input(&pool);
        products[i] = tac__term_make(&pool, TAC__SYM_mul,
                                     tac__term_make(&pool, TAC__SYM_sin, x, -1, -1), x, -1);
        ends[i] = tac__term_make(&pool, TAC__SYM_add, products[i], one, -1);
    }
    assert_int_equal(tac__schedule_terms(&arena, &pool, ends, 4, TAC__REGIONS_WORTH, &s, NULL),
                     TAC_OK);
    int32_t *kinds = kinds_of(&pool);
    assert_int_equal(tac__schedule_interleave(NULL, &pool, kinds, &s, NULL), TAC_OK);
    static const tac__sym_op ops[] = {TAC__SYM_sin, TAC__SYM_mul, TAC__SYM_add};
    assert_int_equal(s.count, 12);
    for (size_t i = 0; i < 12; i++)
        assert_int_equal(pool.terms[s.steps[i].term].op, ops[i / 4]);

    // A product that is computed with its sum goes with it.
    for (int i = 0; i < 4; i++)
        kinds[products[i]] = -1;
    assert_int_equal(tac__schedule_interleave(NULL, &pool, kinds, &s, NULL), TAC_OK);
    for (size_t i = 4; i < 12; i += 2) {
        assert_int_equal(pool.terms[s.steps[i].term].op, TAC__SYM_mul);
        assert_int_equal(pool.terms[s.steps[i + 1].term].op, TAC__SYM_add);
        assert_int_equal(pool.terms[s.steps[i + 1].term].a, s.steps[i].term);
    }
    free(kinds);
    tac__arena_fini(&arena);
    tac__terms_fini(&pool);
}

TEST_MAIN(cmocka_unit_test(test_only_the_order_changes),
          cmocka_unit_test(test_equal_chains_stand_side_by_side))
