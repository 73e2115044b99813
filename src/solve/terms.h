// terms.h - expressions about a plant as terms of its graph.
#ifndef TAC_SOLVE_TERMS_H
#define TAC_SOLVE_TERMS_H

#include "graph/graph.h"
#include "solve/plant.h"

#include <tactus/node.h>

// A comparison: left side less right side, and the bounds of that: 0 to 0 for ==, and so on. Names
// are states, inputs and outputs of the plant; any other signal of the engine is a constant, with
// the value that it has now.
typedef struct tac__condition_terms {
    int32_t term;
    double lower, upper;
    const char *text, *unit; // unit "1": none
} tac__condition_terms;

TAC_MUST_CHECK tac_status tac__condition_term(const tac__plant *plant, const tac_node *written,
                                              tac__arena *arena, tac__condition_terms *condition,
                                              tac_error *err);
// An expression that is a number, in whatever unit it comes to; NULL: none, or a compound one.
TAC_MUST_CHECK tac_status tac__number_term(const tac__plant *plant, const tac_node *written,
                                           tac__arena *arena, int32_t *term, const char **unit,
                                           tac_error *err);

#endif
