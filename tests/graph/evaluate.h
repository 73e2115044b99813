// evaluate.h - the values of all terms of a pool, one after another: slow, and independent of
// schedules and tapes, with which they are compared.
#ifndef TAC_TESTS_GRAPH_EVALUATE_H
#define TAC_TESTS_GRAPH_EVALUATE_H

#include "support/test.h"

#include "graph/tape.h"
#include "math/inputs.h"

#include <stdlib.h>
#include <string.h>

// in[] and value[] are by number of the input and of the term.
static inline double evaluate_term(const tac__terms *pool, const tac__term *t, const double *in,
                                   const double *value)
{
    const int operands = tac__op_operands((tac__sym_op)t->op);
    switch (t->op) {
    case TAC__SYM_constant:
        return t->value;
    case TAC__SYM_input:
        return in[t->a];
    case TAC__SYM_pick: { // also of terms that are not wanted, so that the index may be anything
        const tac__sym_table *table = &pool->tables[t->b];
        const double at = value[t->a];
        return at >= 0 && at < table->count ? table->data[(int)at] : 0;
    }
    case TAC__SYM_segment: {
        double segment = 0;
        for (int i = 1; i < pool->tables[t->b].count - 1; i++)
            segment += value[t->a] >= pool->tables[t->b].data[i];
        return segment;
    }
    default:
        assert_true(operands > 0);
        return tac__op_apply((tac__sym_op)t->op, value[t->a], operands > 1 ? value[t->b] : 0,
                             operands > 2 ? value[t->c] : 0);
    }
}

static inline void evaluate_loop(const tac__terms *pool, const tac__loop *loop, const double *in,
                                 double *value)
{
    double v[TAC__LOOP_VARIABLES];
    for (int k = 0; k < loop->count; k++)
        v[k] = value[loop->initial[k]];
    for (int round = 0;; round++) {
        for (int k = 0; k < loop->count; k++)
            value[loop->variable[k]] = v[k];
        for (int32_t i = loop->from; i < loop->to; i++) {
            if (pool->terms[i].op != TAC__SYM_variable)
                value[i] = evaluate_term(pool, &pool->terms[i], in, value);
        }
        if (round == loop->rounds || value[loop->settled] != 0)
            break;
        for (int k = 0; k < loop->count; k++)
            v[k] = value[loop->next[k]];
    }
    for (int k = 0; k < loop->count; k++)
        value[loop->to + k] = v[k];
    for (int k = 0; k < loop->exports; k++)
        value[loop->to + loop->count + k] = value[loop->exported[k]];
}

static inline double *evaluate_pool(const tac__terms *pool, const double *in)
{
    assert_int_equal(tac__terms_status(pool, NULL), TAC_OK);
    double *value = calloc(pool->count + 1, sizeof *value);
    assert_non_null(value);
    for (size_t i = 0; i < pool->count; i++) {
        const tac__term *t = &pool->terms[i];
        if (t->op == TAC__SYM_variable)
            continue;
        if (t->op != TAC__SYM_result)
            value[i] = evaluate_term(pool, t, in, value);
        else if (t->b == 0)
            evaluate_loop(pool, &pool->loops[t->a], in, value);
    }
    return value;
}

static inline const tac__group *group_of(const tac_graph *g, const char *name)
{
    for (size_t i = 0; i < g->in_count + g->out_count; i++) {
        const tac__group *group = i < g->in_count ? &g->in[i] : &g->out[i - g->in_count];
        if (!strcmp(group->name, name))
            return group;
    }
    fail_msg("no group %s", name);
    return NULL;
}

// The same by a tape, which must have the same bits.
static inline void check_tape(const tac_graph *g, const tac__group *group, const double *const *in,
                              const double *expected)
{
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__tape *tape;
    assert_int_equal(tac__tape_make(&arena, g, &tape, NULL), TAC_OK);
    double *work = tac__arena_array(&arena, tac__tape_work(tape) + 1, sizeof *work);
    double *got = tac__arena_array(&arena, group->count + 1, sizeof *got);
    double **out = tac__arena_array(&arena, g->out_count, sizeof *out);
    assert_true(work && got && out);
    out[group - g->out] = got;
    tac__tape_run(tape, in, out, work);
    for (size_t k = 0; k < group->count; k++) {
        if (!same_bits(got[k], expected[k]))
            fail_msg("%s[%zu] is %a by the tape, not %a", group->name, k, got[k], expected[k]);
    }
    tac__arena_fini(&arena);
}

// One group of outputs of a graph, from the values of its groups of inputs in their order; NULL:
// zeros.
static inline void evaluate(const tac_graph *g, const char *output, const double *const *in,
                            double *out)
{
    const tac__terms *pool = tac__graph_pool(g);
    double *numbers = calloc(pool->input_count + 1, sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < g->in_count; i++) {
        for (size_t k = 0; in[i] && k < g->in[i].count; k++)
            numbers[pool->terms[g->in[i].terms[k]].a] = in[i][k];
    }
    double *value = evaluate_pool(pool, numbers);
    const tac__group *group = group_of(g, output);
    for (size_t k = 0; k < group->count; k++)
        out[k] = value[group->terms[k]];
    check_tape(g, group, in, out);
    free(value);
    free(numbers);
}

#endif
