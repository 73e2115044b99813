// lu.c - linear systems. The diagonal of the factors holds the reciprocals of the pivots. Rows with
// a zero factor are skipped: Jacobians of vehicles consist mostly of zeros.
#include "ode/lu.h"

#include <math.h>

#include "ode/block.h"

// y -= f x
TAC__INLINE void subtract(size_t n, double f, const double *x, double *y)
{
    size_t i = 0;
    for (; i + TAC__BLOCK <= n; i += TAC__BLOCK) {
        *(tac__loose_pair *)(y + i) -= f * *(const tac__loose_pair *)(x + i);
        *(tac__loose_pair *)(y + i + 2) -= f * *(const tac__loose_pair *)(x + i + 2);
    }
    for (; i < n; i++)
        y[i] -= f * x[i];
}

static size_t largest(const double *column, size_t from, size_t n)
{
    size_t best = from;
    for (size_t i = from + 1; i < n; i++) {
        if (fabs(column[i]) > fabs(column[best]))
            best = i;
    }
    return best;
}

static void exchange(double *a, double *b)
{
    const double old = *a;
    *a = *b;
    *b = old;
}

bool tac__lu_factor(size_t n, size_t stride, double *a, double *pivots)
{
    for (size_t k = 0; k < n; k++) {
        double *column = a + k * stride;
        const size_t pivot = largest(column, k, n);
        pivots[k] = (double)pivot;
        if (!(fabs(column[pivot]) > 0))
            return false;
        if (pivot != k) {
            for (size_t j = 0; j < n; j++)
                exchange(&a[j * stride + k], &a[j * stride + pivot]);
        }
        column[k] = 1 / column[k];
        for (size_t i = k + 1; i < n; i++)
            column[i] *= column[k];
        for (size_t j = k + 1; j < n; j++) {
            double *other = a + j * stride;
            if (other[k] != 0)
                subtract(n - k - 1, other[k], column + k + 1, other + k + 1);
        }
    }
    return true;
}

void tac__lu_solve(size_t n, size_t stride, const double *a, const double *pivots, double *b)
{
    for (size_t k = 0; k < n; k++)
        exchange(&b[k], &b[(size_t)pivots[k]]);
    for (size_t k = 0; k < n; k++) {
        if (b[k] != 0)
            subtract(n - k - 1, b[k], a + k * stride + k + 1, b + k + 1);
    }
    for (size_t k = n; k-- > 0;) {
        b[k] *= a[k * stride + k];
        if (b[k] != 0)
            subtract(k, b[k], a + k * stride, b);
    }
}
