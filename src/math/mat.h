// mat.h - small dense matrices of any shape, for model code of any scalar kind.
//
// Matrices are arrays, row by row, that the caller owns; outputs do not overlap inputs. Sizes
// belong to the model and never depend on values: the order of operations is fixed by them alone.
#ifndef TAC_MATH_MAT_H
#define TAC_MATH_MAT_H

#include "math/real.h"

// The largest system that the solvers take.
enum { MAT_MAX = 16 };

// The x of a x = b for any regular `a` (n x n), by elimination with partial pivoting. Not finite if
// `a` is singular.
static inline void mat_solve(int n, const real *a, const real *b, real *x)
{
    real m[MAT_MAX][MAT_MAX + 1];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            m[i][j] = a[i * n + j];
        m[i][n] = b[i];
    }

    for (int k = 0; k < n; k++) {
        // Which row has the largest pivot depends on values, and model code must not branch on
        // values. So rows are exchanged by select: each row below k whose pivot is larger changes
        // places with row k.
        for (int i = k + 1; i < n; i++) {
            cond larger = r_abs(m[i][k]) > r_abs(m[k][k]);
            for (int j = k; j <= n; j++) {
                real upper = m[k][j], lower = m[i][j];
                m[k][j] = r_select(larger, lower, upper);
                m[i][j] = r_select(larger, upper, lower);
            }
        }
        for (int i = k + 1; i < n; i++) {
            real f = m[i][k] / m[k][k];
            for (int j = k + 1; j <= n; j++)
                m[i][j] -= f * m[k][j];
        }
    }

    for (int i = n - 1; i >= 0; i--) {
        real sum = m[i][n];
        for (int j = i + 1; j < n; j++)
            sum -= m[i][j] * x[j];
        x[i] = sum / m[i][i];
    }
}

#endif
