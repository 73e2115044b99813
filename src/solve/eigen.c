// eigen.c - see eigen.h.
#include "solve/eigen.h"

#include <math.h>

#define AT(i, j) a[(j)*n + (i)]

enum { STEPS_PER_VALUE = 60, EXCEPTIONAL = 10 };

// --- balancing ----------------------------------------------------------------------------------

// Sums of the absolute values of a column and of a row, without the diagonal.
static void norms(size_t n, const double *a, size_t i, double *column, double *row)
{
    *column = *row = 0;
    for (size_t k = 0; k < n; k++) {
        if (k == i)
            continue;
        *column += fabs(AT(k, i));
        *row += fabs(AT(i, k));
    }
}

// The power of two by which the column is to be multiplied and the row divided.
static double factor_of(double column, double row)
{
    double f = 1;
    while (column * f * f < row / 2 && f < 0x1p100)
        f *= 2;
    while (column * f * f >= row * 2 && f > 0x1p-100)
        f /= 2;
    return f;
}

void tac__balance(size_t n, double *a, double *scale)
{
    for (size_t i = 0; scale && i < n; i++)
        scale[i] = 1;
    bool changed = true;
    for (int round = 0; changed && round < 100; round++) {
        changed = false;
        for (size_t i = 0; i < n; i++) {
            double column, row;
            norms(n, a, i, &column, &row);
            if (!(column > 0 && row > 0))
                continue;
            const double f = factor_of(column, row);
            if (!(column * f + row / f < 0.95 * (column + row)))
                continue;
            changed = true;
            for (size_t k = 0; k < n; k++)
                AT(k, i) *= f;
            for (size_t k = 0; k < n; k++)
                AT(i, k) /= f;
            if (scale)
                scale[i] *= f;
        }
    }
}

// --- reflections --------------------------------------------------------------------------------

// A vector v of up to 3 numbers and beta, so that (1 - beta v v') x is a multiple of the first unit
// vector. False: x is 0 already.
typedef struct reflection {
    double v[3], beta;
} reflection;

static bool reflect(size_t count, const double *x, reflection *r)
{
    double scale = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        scale = fmax(scale, fabs(x[i]));
    if (!(scale > 0))
        return false;
    for (size_t i = 0; i < count; i++) {
        r->v[i] = x[i] / scale;
        sum += r->v[i] * r->v[i];
    }
    r->v[0] += r->v[0] < 0 ? -sqrt(sum) : sqrt(sum);
    double norm = 0;
    for (size_t i = 0; i < count; i++)
        norm += r->v[i] * r->v[i];
    r->beta = 2 / norm;
    return true;
}

// Rows k, ..., k + count - 1 of columns from `first` on, then columns k, ... of rows up to `last`.
static void apply(size_t n, double *a, const reflection *r, size_t k, size_t count, size_t first,
                  size_t end, size_t last)
{
    for (size_t j = first; j < end; j++) {
        double sum = 0;
        for (size_t i = 0; i < count; i++)
            sum += r->v[i] * AT(k + i, j);
        sum *= r->beta;
        for (size_t i = 0; i < count; i++)
            AT(k + i, j) -= sum * r->v[i];
    }
    for (size_t i = 0; i <= last; i++) {
        double sum = 0;
        for (size_t j = 0; j < count; j++)
            sum += r->v[j] * AT(i, k + j);
        sum *= r->beta;
        for (size_t j = 0; j < count; j++)
            AT(i, k + j) -= sum * r->v[j];
    }
}

// Hessenberg form: every element below the first subdiagonal is turned to 0 by a reflection of two
// rows. Reflections of two rows at a time need no vector of n numbers.
static void to_hessenberg(size_t n, double *a)
{
    for (size_t j = 0; j + 2 < n; j++) {
        for (size_t i = n - 1; i > j + 1; i--) {
            reflection r;
            const double x[2] = {AT(i - 1, j), AT(i, j)};
            if (!(fabs(x[1]) > 0) || !reflect(2, x, &r))
                continue;
            apply(n, a, &r, i - 1, 2, j, n, n - 1);
            AT(i, j) = 0;
        }
    }
}

// --- iteration ----------------------------------------------------------------------------------

// The first row of the unreduced block that ends in row `high`.
static size_t block_start(size_t n, double *a, size_t high)
{
    size_t low = high;
    while (low > 0) {
        double near = fabs(AT(low - 1, low - 1)) + fabs(AT(low, low));
        if (!(near > 0))
            near = 1e-300;
        if (fabs(AT(low, low - 1)) <= 0x1p-52 * near) {
            AT(low, low - 1) = 0;
            break;
        }
        low--;
    }
    return low;
}

// One double-shift step on rows low, ..., high. `odd`: with shifts that have nothing to do with the
// matrix, where the usual ones go round in circles.
static void francis(size_t n, double *a, size_t low, size_t high, bool odd)
{
    double sum = AT(high - 1, high - 1) + AT(high, high);
    double product =
        AT(high - 1, high - 1) * AT(high, high) - AT(high - 1, high) * AT(high, high - 1);
    if (odd) {
        const double s = fabs(AT(high, high - 1)) + fabs(AT(high - 1, high - 2));
        sum = 1.5 * s;
        product = s * s;
    }
    double x[3] = {AT(low, low) * AT(low, low) + AT(low, low + 1) * AT(low + 1, low) -
                       sum * AT(low, low) + product,
                   AT(low + 1, low) * (AT(low, low) + AT(low + 1, low + 1) - sum),
                   AT(low + 1, low) * AT(low + 2, low + 1)};
    for (size_t k = low; k < high; k++) {
        const size_t count = high - k + 1 < 3 ? 2 : 3;
        const size_t last = k + 3 < high ? k + 3 : high;
        reflection r;
        if (reflect(count, x, &r))
            apply(n, a, &r, k, count, k > low ? k - 1 : k, n, last);
        for (size_t i = 1; k > low && i < count; i++)
            AT(k + i, k - 1) = 0;
        x[0] = AT(k + 1, k);
        x[1] = k + 2 <= high ? AT(k + 2, k) : 0;
        x[2] = k + 3 <= high ? AT(k + 3, k) : 0;
    }
}

// Both eigenvalues of rows k and k + 1.
static void pair(size_t n, const double *a, size_t k, double *real, double *imaginary)
{
    const double p = (AT(k, k) - AT(k + 1, k + 1)) / 2, q = AT(k, k + 1) * AT(k + 1, k);
    const double root = p * p + q;
    imaginary[k] = imaginary[k + 1] = 0;
    if (root >= 0) {
        const double z = p + (p < 0 ? -sqrt(root) : sqrt(root));
        real[k] = AT(k + 1, k + 1) + z;
        real[k + 1] = fabs(z) > 0 ? AT(k + 1, k + 1) - q / z : real[k];
        return;
    }
    real[k] = real[k + 1] = AT(k + 1, k + 1) + p;
    imaginary[k] = sqrt(-root);
    imaginary[k + 1] = -imaginary[k];
}

static bool comes_before(double real_1, double imaginary_1, double real_2, double imaginary_2)
{
    return real_1 > real_2 || (!(real_1 < real_2) && imaginary_1 > imaginary_2);
}

static void sort(size_t n, double *real, double *imaginary)
{
    for (size_t i = 1; i < n; i++) {
        const double r = real[i], m = imaginary[i];
        size_t k = i;
        for (; k > 0 && comes_before(r, m, real[k - 1], imaginary[k - 1]); k--) {
            real[k] = real[k - 1];
            imaginary[k] = imaginary[k - 1];
        }
        real[k] = r;
        imaginary[k] = m;
    }
}

static bool is_finite(size_t n, const double *a)
{
    for (size_t i = 0; i < n * n; i++) {
        if (!isfinite(a[i]))
            return false;
    }
    return true;
}

bool tac__eigenvalues(size_t n, double *a, double *real, double *imaginary)
{
    if (!is_finite(n, a))
        return false;
    tac__balance(n, a, NULL);
    to_hessenberg(n, a);
    size_t left = n;
    for (int steps = 0; left > 0;) {
        const size_t high = left - 1, low = block_start(n, a, high);
        if (low + 1 < high) {
            if (++steps > STEPS_PER_VALUE)
                return false;
            francis(n, a, low, high, steps % EXCEPTIONAL == 0);
            continue;
        }
        steps = 0;
        if (low < high) {
            pair(n, a, low, real, imaginary);
        } else {
            real[low] = AT(low, low);
            imaginary[low] = 0;
        }
        left = low;
    }
    sort(n, real, imaginary);
    return true;
}
