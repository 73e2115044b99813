// dense.c - the state inside a step. For every method it is, with d = y1 - y and u = 1 - theta,
//
//     y + theta (d + u P),    P = p_0 + theta (p_1 + u (p_2 + theta (p_3 + ...)))
//
// and a method differs only in how many coefficients p it has and how it computes them.
#include "ode/core.h"

tac_status tac__ode_dense_begin(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                                double t0_s, double t1_s, double h_s, const double *y,
                                const double *y1)
{
    tac__copy_doubles(w->n, y, w->y);
    tac__copy_doubles(w->n, y1, w->y1);
    return m->dense_begin ? m->dense_begin(p, w, t0_s, t1_s, h_s) : TAC_OK;
}

// u theta P at i, with `count` coefficients
TAC__INLINE double inner(const double *dense, size_t stride, int count, double theta, size_t i)
{
    double sum = 0;
    TAC__UNROLL
    for (int l = count - 1; l >= 0; l--)
        sum = dense[(size_t)l * stride + i] + (l % 2 ? 1 - theta : theta) * sum;
    return sum;
}

// Counted from the nearer end, so that both ends are exact.
TAC__INLINE void interpolate(const tac__ode_work *w, int count, const double *y, const double *y1,
                             double theta, double *out)
{
    const double u = 1 - theta;
    if (theta < 0.5) {
        for (size_t i = 0; i < w->n; i++)
            out[i] =
                y[i] + theta * ((y1[i] - y[i]) + u * inner(w->dense, w->stride, count, theta, i));
    } else {
        for (size_t i = 0; i < w->n; i++)
            out[i] =
                y1[i] - u * ((y1[i] - y[i]) - theta * inner(w->dense, w->stride, count, theta, i));
    }
}

void tac__ode_dense_at(const tac__method *m, const tac__ode_work *w, const double *y,
                       const double *y1, double theta, double *out)
{
    // Compiled for the numbers of coefficients that there are: 19 states take 316 instructions with
    // rk4, 348 with rk45, 474 with dop853; in a loop over the coefficients 624, 795 and 1232
    // (callgrind).
    switch (m->dense) {
    case 0:
        interpolate(w, 0, y, y1, theta, out);
        break;
    case 2:
        interpolate(w, 2, y, y1, theta, out);
        break;
    case 3:
        interpolate(w, 3, y, y1, theta, out);
        break;
    case 6:
        interpolate(w, 6, y, y1, theta, out);
        break;
    default:
        interpolate(w, m->dense, y, y1, theta, out);
    }
}
