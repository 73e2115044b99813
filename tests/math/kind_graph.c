// The graph that the sym kind writes in these tests, and its interpreter.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define TAC_KIND_F64
#include "graph.h"
#include "math/real.h"
#include "math/sym_ops.h"

typedef struct node {
    int op; // or INPUT, CONSTANT
    int a, b, c;
    double value;
} node;

enum { INPUT = -1, CONSTANT = -2 };
static node nodes[GRAPH_MAX];
static int node_count;

static int add_node(node n)
{
    assert_true(node_count < GRAPH_MAX);
    nodes[node_count] = n;
    return node_count++;
}

int tac__sym_constant(double value)
{
    return add_node((node){.op = CONSTANT, .value = value});
}

int tac__sym_node(tac__sym_op op, int a, int b, int c)
{
    return add_node((node){.op = (int)op, .a = a, .b = b, .c = c});
}

static double eval_node(const node *n, const double *in, const double *v)
{
    switch (n->op) {
    case INPUT:
        return in[n->a];
    case CONSTANT:
        return n->value;
    case TAC__SYM_neg:
        return -v[n->a];
    case TAC__SYM_add:
        return v[n->a] + v[n->b];
    case TAC__SYM_sub:
        return v[n->a] - v[n->b];
    case TAC__SYM_mul:
        return v[n->a] * v[n->b];
    case TAC__SYM_div:
        return v[n->a] / v[n->b];
    case TAC__SYM_lt:
        return v[n->a] < v[n->b];
    case TAC__SYM_le:
        return v[n->a] <= v[n->b];
    case TAC__SYM_logic_and:
        return v[n->a] != 0.0 && v[n->b] != 0.0;
    case TAC__SYM_logic_or:
        return v[n->a] != 0.0 || v[n->b] != 0.0;
    case TAC__SYM_logic_not:
        return v[n->a] == 0.0;
    case TAC__SYM_select:
        return v[n->a] != 0.0 ? v[n->b] : v[n->c];
    case TAC__SYM_abs:
        return fabs(v[n->a]);
    case TAC__SYM_sqrt:
        return sqrt(v[n->a]);
    case TAC__SYM_floor:
        return floor(v[n->a]);
#define CASE_1(name, accuracy)                                                                     \
    case TAC__SYM_##name:                                                                          \
        return r_##name(v[n->a]);
#define CASE_2(name, accuracy)                                                                     \
    case TAC__SYM_##name:                                                                          \
        return r_##name(v[n->a], v[n->b]);
        TAC__ELEMENTARY_1(CASE_1)
        TAC__ELEMENTARY_2(CASE_2)
    }
    fail_msg("unknown operation %d", n->op);
    return 0.0;
}

void graph_begin(int count, int *inputs)
{
    node_count = 0;
    for (int i = 0; i < count; i++)
        inputs[i] = add_node((node){.op = INPUT, .a = i});
}

int graph_size(void)
{
    return node_count;
}

void graph_eval(const double *in, double *values)
{
    for (int i = 0; i < node_count; i++)
        values[i] = eval_node(&nodes[i], in, values);
}
