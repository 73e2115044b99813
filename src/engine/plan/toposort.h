// toposort.h - stable topological order, for components inside a stage and inside an island.
#ifndef TAC_ENGINE_PLAN_TOPOSORT_H
#define TAC_ENGINE_PLAN_TOPOSORT_H

#include "base/arena.h"

#include <stdint.h>

typedef struct tac__edge {
    uint32_t from, to; // `from` comes first
    int signal;        // the signal that is the reason for the edge
} tac__edge;

typedef struct tac__precedence {
    size_t nodes;
    tac__edge *edges;
    size_t count;
    TAC__CAPACITY(tac__edge) capacity;
} tac__precedence;

// Put the nodes 0 .. nodes - 1 in an order that respects every edge; where there is a choice, the
// lower number comes first. On a cycle: TAC_E_CYCLE, and `order` holds the nodes of one cycle,
// each before the next and the last before the first; `*count` tells how many.
tac_status tac__toposort(const tac__precedence *graph, tac__arena *arena, uint32_t *order,
                         size_t *count);

// The signal of an edge between two nodes, -1 if there is none.
int tac__precedence_signal(const tac__precedence *graph, uint32_t from, uint32_t to);

#endif
