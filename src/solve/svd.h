// svd.h - singular values, and what follows from them: least squares, rank.
//
// One-sided Jacobi rotations (Hestenes): columns are turned against each other until all are
// orthogonal. Slower than other methods for large matrices, but short, and small singular values
// are as exact as large ones. The same bits everywhere.
#ifndef TAC_SOLVE_SVD_H
#define TAC_SOLVE_SVD_H

#include <stddef.h>

// a = U S V': `a` has `columns` columns of `rows` each, rows >= columns, and becomes U S; `v` takes
// V, `s` the singular values, in no order.
void tac__svd(size_t rows, size_t columns, double *a, double *v, double *s);

#endif
