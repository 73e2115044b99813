// rank.c - see rank.h.
#include "solve/rank.h"
#include "solve/eigen.h"

#include <math.h>
#include <string.h>

typedef struct basis {
    size_t n, count;
    double *q; // `count` orthonormal columns of n
} basis;

static double norm_of(size_t n, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

// Take away what x has in common with the basis; twice, because the first pass leaves rounding.
static void clear(const basis *b, double *x)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t k = 0; k < b->count; k++) {
            const double *q = b->q + k * b->n;
            double sum = 0;
            for (size_t i = 0; i < b->n; i++)
                sum += q[i] * x[i];
            for (size_t i = 0; i < b->n; i++)
                x[i] -= sum * q[i];
        }
    }
}

// Add the columns of `block` to the basis, the one that is farthest from it first.
static void extend(basis *b, size_t columns, double *block, double least)
{
    while (b->count < b->n) {
        size_t best = columns;
        double largest = least;
        for (size_t k = 0; k < columns; k++) {
            clear(b, block + k * b->n);
            const double norm = norm_of(b->n, block + k * b->n);
            if (norm > largest) {
                largest = norm;
                best = k;
            }
        }
        if (best == columns)
            return;
        double *q = b->q + b->count * b->n;
        for (size_t i = 0; i < b->n; i++)
            q[i] = block[best * b->n + i] / largest;
        b->count++;
    }
}

static void multiply(size_t n, const double *a, const double *x, double *y)
{
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            y[i] += a[j * n + i] * x[j];
    }
}

tac_status tac__controllable(tac__arena *arena, size_t n, size_t inputs, const double *a,
                             const double *b, size_t *rank)
{
    const size_t widest = n > inputs ? n : inputs;
    double *own = tac__arena_array(arena, n * n, sizeof *own);
    double *scale = tac__arena_array(arena, n, sizeof *scale);
    double *block = tac__arena_array(arena, n * widest, sizeof *block);
    basis q = {.n = n, .q = tac__arena_array(arena, n * n, sizeof(double))};
    if (!own || !scale || !block || !q.q)
        return TAC_E_MEMORY;
    memcpy(own, a, n * n * sizeof *own);
    tac__balance(n, own, scale);
    // Columns of B have length 1: the unit of an input is no property of the system.
    for (size_t k = 0; k < inputs; k++) {
        for (size_t i = 0; i < n; i++)
            block[k * n + i] = b[k * n + i] / scale[i];
        const double norm = norm_of(n, block + k * n);
        for (size_t i = 0; norm > 0 && i < n; i++)
            block[k * n + i] /= norm;
    }
    extend(&q, inputs, block, TAC__RANK_TOLERANCE);
    const double size = norm_of(n * n, own);
    for (size_t from = 0; from < q.count;) {
        const size_t columns = q.count - from;
        for (size_t k = 0; k < columns; k++)
            multiply(n, own, q.q + (from + k) * n, block + k * n);
        from = q.count;
        extend(&q, columns, block, TAC__RANK_TOLERANCE * size);
    }
    *rank = q.count;
    return TAC_OK;
}
