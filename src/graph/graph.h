// graph.h - a graph: a function of named groups of numbers, made of terms of a pool.
//
// Graphs that were made from one another (a function, its Jacobian) share the pool. A pool lives as
// long as the last graph that uses it.
#ifndef TAC_GRAPH_GRAPH_H
#define TAC_GRAPH_GRAPH_H

#include "graph/terms.h"

// A group of inputs or outputs. Inputs are dense vectors. Outputs are vectors, or matrices of which
// only the entries that can be other than 0 are there, column by column: entry k of column j, for k
// from starts[j] to starts[j + 1] - 1, stands in row row_of[k].
typedef struct tac__group {
    const char *name;
    size_t count;              // numbers
    int32_t *terms;            // of each number; of inputs terms of TAC__SYM_input
    const char *const *labels; // of each number of a vector, "vehicle.position.x"; NULL: none
    const char *const *units;  // of each number of a vector; NULL: none
    size_t rows, columns;      // a vector has one column
    const int *starts;         // [columns + 1]; NULL: a vector
    const int *row_of;         // [count]
} tac__group;

typedef TAC__CAPACITY(tac__group) tac__group_capacity;

// A pool that several graphs use.
typedef struct tac__shared_terms {
    tac__terms terms;
    const tac_allocator *allocator;
    size_t users;
} tac__shared_terms;

typedef struct tac_graph {
    tac__arena arena;
    const tac_allocator *allocator;
    tac__shared_terms *shared;
    const char *name;
    tac__group *in, *out;
    size_t in_count, out_count;
    tac__group_capacity in_capacity, out_capacity;
    tac_time period_us;     // from the first boundary of a step to the next; 0: it is no step
    struct tac__tape *tape; // made when the graph is first evaluated by tac_graph_evaluate
    double *work;           // of the tape
} tac_graph;

// An empty graph with a pool of its own, or, if `like` is not NULL, with that of another graph.
TAC_MUST_CHECK tac_status tac__graph_create(const tac_allocator *allocator, const char *name,
                                            bool fast, const tac_graph *like, tac_graph **graph,
                                            tac_error *err);
void tac__graph_destroy(tac_graph *graph); // NULL is allowed

static inline tac__terms *tac__graph_pool(const tac_graph *graph)
{
    return &graph->shared->terms;
}

// A group of `count` new inputs; or, if `terms` is not NULL, of these inputs. The group that is
// returned may be completed (labels, units); it moves when another group is added. NULL: no memory.
tac__group *tac__graph_add_input(tac_graph *graph, const char *name, size_t count,
                                 const int32_t *terms);
// A vector; the terms may be set later, but before the graph is used.
tac__group *tac__graph_add_output(tac_graph *graph, const char *name, size_t count,
                                  const int32_t *terms);

#endif
