// graph_function.h - a graph as a function with derivatives (function.h).
#ifndef TAC_SOLVE_GRAPH_FUNCTION_H
#define TAC_SOLVE_GRAPH_FUNCTION_H

#include "graph/graph.h"
#include "solve/function.h"

typedef struct tac__graph_function tac__graph_function;

// The group of outputs `out` as a function of the group of inputs `in`, both vectors. All other
// inputs are constant: values[g] has those of group g, in memory of the caller that may change
// between evaluations; that of `in` itself is not used. Second derivatives are made if wanted.
// Lives in the arena, but has to be destroyed; the graph may be gone before it.
TAC_MUST_CHECK tac_status tac__graph_function_make(const tac_graph *graph, const char *out,
                                                   const char *in, const double *const *values,
                                                   bool second, tac__arena *arena,
                                                   tac__graph_function **made, tac_error *err);
void tac__graph_function_destroy(tac__graph_function *function); // NULL is fine

// Valid as long as the function.
const tac__solve_function *tac__graph_function_of(const tac__graph_function *function);

#endif
