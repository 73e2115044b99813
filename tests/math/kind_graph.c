// The graph that the sym kind writes in these tests, and its interpreter: one term after another.
#include "support/test.h"

#include "graph.h"
#include "graph/terms.h"

static tac__terms pool;

void graph_begin(int count, tac__sym_value *inputs)
{
    tac__terms_init(&pool, tac_allocator_default(), false);
    for (int i = 0; i < count; i++)
        inputs[i] = tac__sym_of(&pool, tac__term_input(&pool));
}

void graph_end(void)
{
    tac__terms_fini(&pool);
}

int graph_size(void)
{
    return (int)pool.count;
}

static double eval_table(const tac__term *t, double at)
{
    const tac__sym_table *table = &pool.tables[t->b];
    if (t->op == TAC__SYM_pick)
        return table->data[(int)at];
    double segment = 0;
    for (int i = 1; i < table->count - 1; i++)
        segment = at >= table->data[i] ? i : segment;
    return segment;
}

static double eval_term(const tac__term *t, const double *in, const double *v)
{
    const int operands = tac__op_operands((tac__sym_op)t->op);
    switch (t->op) {
    case TAC__SYM_constant:
        return t->value;
    case TAC__SYM_input:
        return in[t->a];
    case TAC__SYM_pick:
    case TAC__SYM_segment:
        return eval_table(t, v[t->a]);
    default:
        assert_true(operands > 0);
        return tac__op_apply((tac__sym_op)t->op, v[t->a], operands > 1 ? v[t->b] : 0,
                             operands > 2 ? v[t->c] : 0);
    }
}

void graph_eval(const double *in, double *values)
{
    assert_int_equal(tac__terms_status(&pool, NULL), TAC_OK);
    assert_true(pool.count <= GRAPH_MAX);
    for (size_t i = 0; i < pool.count; i++)
        values[i] = eval_term(&pool.terms[i], in, values);
}

double graph_value(const double *values, tac__sym_value v)
{
    return v.pool ? values[v.id] : v.value;
}
