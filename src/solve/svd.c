// svd.c - see svd.h.
#include "solve/svd.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { SWEEPS = 60 };

static double dot(size_t n, const double *x, const double *y)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

static void rotate(size_t n, double c, double s, double *x, double *y)
{
    for (size_t i = 0; i < n; i++) {
        const double old = x[i];
        x[i] = c * old - s * y[i];
        y[i] = s * old + c * y[i];
    }
}

// Make two columns orthogonal. False: they are already.
static bool turn(size_t rows, size_t columns, double *x, double *y, double *vx, double *vy)
{
    const double a = dot(rows, x, x), b = dot(rows, y, y), p = dot(rows, x, y);
    if (!(fabs(p) > 0x1p-52 * sqrt(a) * sqrt(b)))
        return false;
    const double zeta = (b - a) / (2 * p);
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    rotate(rows, c, s, x, y);
    rotate(columns, c, s, vx, vy);
    return true;
}

void tac__svd(size_t rows, size_t columns, double *a, double *v, double *s)
{
    memset(v, 0, columns * columns * sizeof *v);
    for (size_t i = 0; i < columns; i++)
        v[i * columns + i] = 1;
    bool turned = true;
    for (int sweep = 0; turned && sweep < SWEEPS; sweep++) {
        turned = false;
        for (size_t i = 0; i + 1 < columns; i++) {
            for (size_t k = i + 1; k < columns; k++)
                turned |= turn(rows, columns, a + i * rows, a + k * rows, v + i * columns,
                               v + k * columns);
        }
    }
    for (size_t i = 0; i < columns; i++)
        s[i] = sqrt(dot(rows, a + i * rows, a + i * rows));
}
