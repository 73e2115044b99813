// draw.h - random graphs with regions, tables and nested loops, and their values by the simplest
// means: every term of the pool, one after another.
#ifndef TAC_TESTS_GRAPH_DRAW_H
#define TAC_TESTS_GRAPH_DRAW_H

#include "support/test.h"

#include "graph/graph.h"
#include "math/inputs.h"

enum { DRAW_INPUTS = 6, DRAW_LISTED = 4096, DRAW_ITERATIONS = 3 };

// Terms that may become operands: those of the bodies that are being drawn come last.
typedef struct draw_list {
    int32_t terms[DRAW_LISTED];
    int count;
} draw_list;

typedef struct drawer {
    tac__terms *pool;
    uint64_t seed;
    draw_list numbers, conditions;
    int depth; // of loops
} drawer;

static inline int draw_below(drawer *d, int limit)
{
    return (int)(input_bits(&d->seed) % (uint64_t)limit);
}

// Mostly something recent, so that chains become long.
static inline int32_t draw_from(drawer *d, const draw_list *list)
{
    const int back = draw_below(d, 2) ? draw_below(d, list->count < 8 ? list->count : 8)
                                      : draw_below(d, list->count);
    return list->terms[list->count - 1 - back];
}

static inline int32_t draw_number_term(drawer *d)
{
    static const double special[] = {0.0, -0.0, 1, -1, 2, 0.5, -4, 3, INF};
    if (draw_below(d, 8))
        return draw_from(d, &d->numbers);
    return tac__term_constant(d->pool, draw_below(d, 2) ? special[draw_below(d, 9)]
                                                        : input_uniform(&d->seed, -3, 3));
}

static inline void draw_keep(drawer *d, int32_t term)
{
    const tac__sym_op op = (tac__sym_op)d->pool->terms[term].op;
    draw_list *list = tac__op_is_condition(op) ? &d->conditions : &d->numbers;
    if (list->count < DRAW_LISTED && op != TAC__SYM_constant)
        list->terms[list->count++] = term;
}

static inline int32_t draw_table(drawer *d)
{
    static const double x[] = {-2, -1, 0.5, 1, 3}, y[] = {1, -1, 4, 2};
    const int n = 2 + draw_below(d, 4);
    return tac__term_pick(d->pool, y, n - 1, tac__term_segment(d->pool, x, n, draw_number_term(d)));
}

static inline int32_t draw_operation(drawer *d)
{
    const tac__sym_op op = (tac__sym_op)(TAC__SYM_neg + draw_below(d, TAC__SYM_OPS - TAC__SYM_neg));
    if (!draw_below(d, 12))
        return draw_table(d);
    if (op >= TAC__SYM_logic_and && op <= TAC__SYM_logic_not)
        return tac__term_make(d->pool, op, draw_from(d, &d->conditions),
                              draw_from(d, &d->conditions), -1);
    if (op == TAC__SYM_select || draw_below(d, 5) == 0)
        return tac__term_make(d->pool, TAC__SYM_select, draw_from(d, &d->conditions),
                              draw_number_term(d), draw_number_term(d));
    return tac__term_make(d->pool, op, draw_number_term(d), draw_number_term(d), -1);
}

static inline void draw_terms(drawer *d, int count);

static inline void draw_loop(drawer *d, int count)
{
    const draw_list numbers = d->numbers, conditions = d->conditions;
    tac__sym_value initial[3], vars[3], next[3], exported[2];
    const int variables = 1 + draw_below(d, 3), exports = draw_below(d, 3);
    for (int k = 0; k < variables; k++)
        initial[k] = tac__sym_of(d->pool, draw_number_term(d));
    const tac__sym_loop loop =
        tac__sym_loop_begin(d->pool, draw_below(d, DRAW_ITERATIONS), variables, initial, vars);
    for (int k = 0; k < variables; k++)
        draw_keep(d, vars[k].id);
    d->depth++;
    draw_terms(d, count);
    d->depth--;
    for (int k = 0; k < variables; k++)
        next[k] = tac__sym_of(d->pool, draw_number_term(d));
    for (int k = 0; k < exports; k++)
        exported[k] = tac__sym_of(d->pool, draw_number_term(d));
    tac__sym_loop_end(loop, next, tac__sym_of(d->pool, draw_from(d, &d->conditions)),
                      tac__sym_of(d->pool, draw_number_term(d)), exports, exported);
    d->numbers = numbers;
    d->conditions = conditions;
    for (int k = 0; k < variables; k++)
        draw_keep(d, next[k].id);
    for (int k = 0; k < exports; k++)
        draw_keep(d, exported[k].id);
}

static inline void draw_terms(drawer *d, int count)
{
    for (int i = 0; i < count; i++) {
        if (d->depth < 3 && draw_below(d, 20) == 0)
            draw_loop(d, 2 + count / 4);
        else
            draw_keep(d, draw_operation(d));
    }
}

// A graph with two groups of inputs and two of outputs.
static inline tac_graph *draw_graph(uint64_t seed, int count)
{
    tac_graph *g;
    tac_error err = {0};
    assert_int_equal(tac__graph_create(NULL, "drawn", false, NULL, &g, &err), TAC_OK);
    static drawer d;
    d = (drawer){.pool = tac__graph_pool(g), .seed = seed};
    for (int k = 0; k < 2; k++) {
        const tac__group *in = tac__graph_add_input(g, k ? "u" : "x", DRAW_INPUTS / 2, NULL);
        for (size_t i = 0; i < in->count; i++)
            draw_keep(&d, in->terms[i]);
    }
    draw_keep(&d, tac__term_make(d.pool, TAC__SYM_lt, d.numbers.terms[0], d.numbers.terms[1], -1));
    draw_terms(&d, count);
    for (int k = 0; k < 2; k++) {
        int32_t terms[4];
        for (int i = 0; i < 4; i++)
            terms[i] = i ? draw_number_term(&d) : draw_from(&d, &d.conditions);
        assert_non_null(tac__graph_add_output(g, k ? "y" : "dx", 4, terms));
    }
    assert_int_equal(tac__terms_status(d.pool, &err), TAC_OK);
    return g;
}

// --- values -------------------------------------------------------------------------------------

static inline double value_of_term(const tac__terms *pool, const double *v, const double *in,
                                   int32_t term)
{
    const tac__term *t = &pool->terms[term];
    const tac__sym_op op = (tac__sym_op)t->op;
    if (op == TAC__SYM_constant || op == TAC__SYM_input)
        return op == TAC__SYM_input ? in[t->a] : t->value;
    if (op == TAC__SYM_pick)
        return pool->tables[t->b].data[(int)v[t->a]];
    if (op == TAC__SYM_segment) {
        const tac__sym_table *table = &pool->tables[t->b];
        int index = 0;
        for (int i = 1; i < table->count - 1; i++)
            index += v[t->a] >= table->data[i];
        return index;
    }
    const int operands = tac__op_operands(op);
    return tac__op_apply(op, v[t->a], operands > 1 ? v[t->b] : 0, operands > 2 ? v[t->c] : 0);
}

static inline void values_of_range(const tac__terms *pool, const double *in, int32_t from,
                                   int32_t to, double *v);

// The variables keep the values that they have in the last round.
static inline void values_of_loop(const tac__terms *pool, const double *in, const tac__loop *l,
                                  int32_t first_result, double *v)
{
    for (int k = 0; k < l->count; k++)
        v[l->variable[k]] = v[l->initial[k]];
    for (int round = 0;; round++) {
        values_of_range(pool, in, l->from, l->to, v);
        if (round == l->rounds || v[l->settled] != 0)
            break;
        double next[TAC__LOOP_VARIABLES];
        for (int k = 0; k < l->count; k++)
            next[k] = v[l->next[k]];
        for (int k = 0; k < l->count; k++)
            v[l->variable[k]] = next[k];
    }
    for (int k = 0; k < l->count; k++)
        v[first_result + k] = v[l->variable[k]];
    for (int k = 0; k < l->exports; k++)
        v[first_result + l->count + k] = v[l->exported[k]];
}

// Bodies are evaluated in passing, for nothing, and again when their results are met.
static inline void values_of_range(const tac__terms *pool, const double *in, int32_t from,
                                   int32_t to, double *v)
{
    for (int32_t i = from; i < to; i++) {
        const tac__term *t = &pool->terms[i];
        if (t->op == TAC__SYM_variable)
            continue;
        if (t->op != TAC__SYM_result)
            v[i] = value_of_term(pool, v, in, i);
        else if (t->b == 0)
            values_of_loop(pool, in, &pool->loops[t->a], i, v);
    }
}

// Room for pool->count values, all of them 0 before.
static inline void values_of_terms(const tac__terms *pool, const double *in, double *v)
{
    values_of_range(pool, in, 0, (int32_t)pool->count, v);
}

#endif
