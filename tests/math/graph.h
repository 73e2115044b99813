// graph.h - a list of nodes to which the sym kind writes, and an interpreter: all that the tests
// need of a graph. kind_graph.c defines the two functions of math/sym_ops.h.
#ifndef TAC_TESTS_MATH_GRAPH_H
#define TAC_TESTS_MATH_GRAPH_H

enum { GRAPH_MAX = 20000 };

// An empty graph but for `count` inputs, whose ids are put in `inputs`.
void graph_begin(int count, int *inputs);

int graph_size(void);

// The value of every node by its id; conditions are 0 or 1.
void graph_eval(const double *in, double *values);

#endif
