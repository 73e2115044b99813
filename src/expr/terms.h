// terms.h - a checked expression as terms of a graph, with what is needed to say which comparison
// met a NaN.
#ifndef TAC_EXPR_TERMS_H
#define TAC_EXPR_TERMS_H

#include "expr/function.h"

// A signal that the expression reads, in the order of evaluation.
typedef struct tac__expr_load {
    const char *name;
    int index;
    uint32_t element;
} tac__expr_load;

// A comparison, in the order of evaluation. The loads of its sides are loads[from..to-1].
typedef struct tac__expr_comparison {
    int32_t bad;      // the condition that it is evaluated, and a side of it is NaN
    const char *name; // of the one signal that can be NaN; NULL: look among the loads
    uint32_t from, to;
} tac__expr_comparison;

typedef struct tac__expr_builder {
    tac__arena *arena; // of the lists
    tac__terms *pool;
    const tac__expr_leaves *leaves;
    const int32_t *remembered; // results of operators that remember, by their index
    int32_t guard; // the condition under which the present node is evaluated; -1: always
    tac__expr_load *loads;
    size_t load_count;
    TAC__CAPACITY(tac__expr_load) load_capacity;
    tac__expr_comparison *comparisons;
    size_t comparison_count;
    TAC__CAPACITY(tac__expr_comparison) comparison_capacity;
    int32_t *watched; // terms of comparisons: none of them meets a NaN where no comparison is bad
    size_t watched_count;
    TAC__CAPACITY(int32_t) watched_capacity;
    bool careful; // simplification has left out comparisons: watching is not enough
    bool no_memory;
} tac__expr_builder;

int32_t tac__expr_build(tac__expr_builder *b, const tac__expr_node *node);

#endif
