// spline.c - see spline.h. Plain arithmetic in a fixed order: the same bits everywhere.
#define TAC_KIND_F64
#include "math/spline.h"
#include "math/table.h"

// --- coefficients -------------------------------------------------------------------------------

// One equation of the tridiagonal system: below m[i-1] + diagonal m[i] + above m[i+1] = right.
typedef struct row {
    double below, diagonal, above, right;
} row;

// The equation of inner breakpoint i. The first and the last one have the condition at that end
// worked in, which takes m[0] and m[n-1] out:
//
//     m_0 = m_1 - (h_0/h_1) (m_2 - m_1)
//     (h_0 + 2 h_1) m_1 + (h_1 - h_0) m_2 = 6 (d_1/h_1 - d_0/h_0) h_1/(h_0 + h_1)
//
// and its mirror image. In every row the diagonal is larger than the other two together, for any
// breakpoints, so that elimination needs no pivots.
static row equation(int n, const double *x, const double *y, int i)
{
    const double before = x[i] - x[i - 1], after = x[i + 1] - x[i], both = before + after;
    const double right = 6 * ((y[i + 1] - y[i]) / after - (y[i] - y[i - 1]) / before);
    if (i == 1)
        return (row){0, before + 2 * after, after - before, right * (after / both)};
    if (i == n - 2)
        return (row){before - after, 2 * before + after, 0, right * (before / both)};
    return (row){before, 2 * both, after, right};
}

// The second derivatives m[0] to m[n-1]. `scratch` has n numbers.
static void second_derivatives(int n, const double *x, const double *y, double *m, double *scratch)
{
    if (n == 3) { // a parabola: both ends say the same
        const double slope = (y[1] - y[0]) / (x[1] - x[0]);
        const double next = (y[2] - y[1]) / (x[2] - x[1]);
        m[0] = m[1] = m[2] = 2 * ((next - slope) / (x[2] - x[0]));
        return;
    }
    m[0] = scratch[0] = 0;
    for (int i = 1; i < n - 1; i++) {
        const row r = equation(n, x, y, i);
        const double pivot = r.diagonal - r.below * scratch[i - 1];
        scratch[i] = r.above / pivot;
        m[i] = (r.right - r.below * m[i - 1]) / pivot;
    }
    for (int i = n - 3; i > 0; i--)
        m[i] -= scratch[i] * m[i + 1];
    m[0] = m[1] - (x[1] - x[0]) / (x[2] - x[1]) * (m[2] - m[1]);
    m[n - 1] = m[n - 2] + (x[n - 1] - x[n - 2]) / (x[n - 2] - x[n - 3]) * (m[n - 2] - m[n - 3]);
}

bool tac__spline_bend(int n, const double *x, const double *y, double *bend)
{
    double *a = bend, *b = bend + n; // of the next segments they hold m and scratch
    second_derivatives(n, x, y, a, b);
    bool finite = true;
    for (int i = 0; i < n - 1; i++) {
        const double h = x[i + 1] - x[i], m = a[i], next = a[i + 1];
        a[i] = h * (h * (2 * m + next)) / 6;
        b[i] = h * (h * (next - m)) / 6;
        finite = finite && a[i] - a[i] == 0 && b[i] - b[i] == 0;
    }
    a[n - 1] = b[n - 1] = 0;
    return finite;
}

// --- its least value ----------------------------------------------------------------------------

// S'(t) = (d - a) + 2 (a - b) t + 3 b t^2. The root of larger size comes from a sum without
// cancellation, the other one from the product of both; what does not exist is NaN or infinite.
static void level_places(double d, double a, double b, double t[2])
{
    const double half = a - b, root = r_sqrt(half * half - 3 * b * (d - a));
    const double sum = half > 0 ? -half - root : root - half;
    t[0] = sum / (3 * b);
    t[1] = (d - a) / sum;
}

double tac__spline_least(int n, const double *x, const double *y, const double *bend, double *at)
{
    const table1 table = {n, x, y, TABLE_CLAMP, bend};
    double least = y[0];
    *at = x[0];
    for (int i = 0; i < n - 1; i++) {
        double t[3] = {0, 0, 1};
        level_places(y[i + 1] - y[i], bend[i], bend[n + i], t);
        for (int k = 0; k < 3; k++) {
            if (!(t[k] > 0 && t[k] <= 1))
                continue;
            const double place = t[k] < 1 ? x[i] + t[k] * (x[i + 1] - x[i]) : x[i + 1];
            const double value = table1_at(&table, place);
            if (value < least) {
                least = value;
                *at = place;
            }
        }
    }
    return least;
}
