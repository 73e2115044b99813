// function.h - a function of several numbers, with derivatives: what the methods of this room work
// on. Matrices have a fixed pattern; only the entries of the pattern are computed.
#ifndef TAC_SOLVE_FUNCTION_H
#define TAC_SOLVE_FUNCTION_H

#include "base/arena.h"

#include <stdint.h>

// Which entries of a matrix may differ from 0, as pairs of row and column. An entry that is listed
// several times is the sum of its values.
typedef struct tac__sparsity {
    const int32_t *rows, *columns;
    size_t count;
} tac__sparsity;

// y = f(x). The functions return TAC_E_NUMERIC where they have no value at x.
typedef struct tac__solve_function {
    size_t n_in, n_out;
    void *context;
    tac_status (*eval)(void *context, const double *x, double *y);
    tac__sparsity jacobian_pattern; // row: which output; column: which input
    tac_status (*jacobian)(void *context, const double *x, double *values);
    // Lower triangle of the Hessian of the sum of weights[i] * y[i]. NULL: there is none.
    tac__sparsity hessian_pattern;
    tac_status (*hessian)(void *context, const double *x, const double *weights, double *values);
} tac__solve_function;

#endif
