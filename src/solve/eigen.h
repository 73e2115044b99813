// eigen.h - eigenvalues of a real matrix.
//
// The matrix is balanced by powers of two, brought to Hessenberg form by reflections, and iterated
// by Francis' double-shift QR steps (Golub, Van Loan: Matrix Computations, 7.4 and 7.5). Nothing
// but IEEE 754 operations in a fixed order: the same bits everywhere.
#ifndef TAC_SOLVE_EIGEN_H
#define TAC_SOLVE_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

// `a` has n columns of n and is destroyed. Eigenvalues are sorted by falling real part; of a pair
// the one with the positive imaginary part comes first. False: the iteration does not settle, or
// `a` is not finite.
bool tac__eigenvalues(size_t n, double *a, double *real, double *imaginary);

// Scale columns and rows by powers of two, so that a column and a row have about the same norm:
// `a` becomes inverse(D) a D, `scale` (NULL: not wanted) takes the diagonal of D.
void tac__balance(size_t n, double *a, double *scale);

#endif
