// function.h - the functions of the expression language, as a table.
#ifndef TAC_EXPR_FUNCTION_H
#define TAC_EXPR_FUNCTION_H

#include "expr/tree.h"
#include "graph/terms.h"

// Which units a function takes, and which unit it gives.
typedef enum tac__function_units {
    TAC__UNITS_PLAIN,       // 1 to 1
    TAC__UNITS_FROM_ANGLE,  // an angle to 1
    TAC__UNITS_TO_ANGLE,    // 1 to rad
    TAC__UNITS_RATIO_ANGLE, // all alike to rad
    TAC__UNITS_ALIKE,       // all alike, and so the result
    TAC__UNITS_ANY,         // any to 1
    TAC__UNITS_ROOT_2,      // the square root of the unit
    TAC__UNITS_ROOT_3,
} tac__function_units;

struct tac__function {
    const char *name;
    const char *usage;
    tac__expr_kind kind; // TAC__EXPR_CALL where it is nothing but numbers to a number
    int least, most;     // arguments
    tac__function_units units;
    // Its value as a term; more than two arguments are taken from left to right.
    int32_t (*terms)(tac__terms *pool, const int32_t *arguments);
};

const tac__function *tac__function_find(const char *name, size_t length);
const char *tac__function_name(const void *context, size_t i); // a tac__candidate_fn

// x^y; NaN if either is NaN.
int32_t tac__expr_power(tac__terms *pool, int32_t x, int32_t y);

// Whether neither is NaN.
int32_t tac__expr_ordered(tac__terms *pool, int32_t a, int32_t b);

#endif
