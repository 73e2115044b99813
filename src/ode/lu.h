// lu.h - linear systems of any size by LU decomposition with partial pivoting.
//
// Matrices are stored column by column, so that all inner loops run over adjacent elements.
#ifndef TAC_ODE_LU_H
#define TAC_ODE_LU_H

#include <stdbool.h>
#include <stddef.h>

// Replace `a` (n columns of n, each `stride` after the one before) by its factors; `pivots` takes n
// row numbers. Of equal pivots the first wins. False if `a` is singular.
bool tac__lu_factor(size_t n, size_t stride, double *a, double *pivots);

// Replace `b` by the x of a x = b.
void tac__lu_solve(size_t n, size_t stride, const double *a, const double *pivots, double *b);

#endif
