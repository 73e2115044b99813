// graph.h - a graph of terms to which the sym kind writes, and the values of all its terms: all
// that the tests of kinds need of a graph.
#ifndef TAC_TESTS_MATH_GRAPH_H
#define TAC_TESTS_MATH_GRAPH_H

#include "math/sym_ops.h"

enum { GRAPH_MAX = 20000 };

// An empty graph but for `count` inputs, which are put into `inputs`.
void graph_begin(int count, tac__sym_value *inputs);
void graph_end(void);

int graph_size(void);

// The value of every term by its number; conditions are 0 or 1.
void graph_eval(const double *in, double *values);

// The value of an operand of the sym kind.
double graph_value(const double *values, tac__sym_value v);

#endif
