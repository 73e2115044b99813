// dense.c - the state inside a step. For every method it is, with d = y1 - y and u = 1 - theta,
//
//     y + theta (d + u P),    P = p_0 + theta (p_1 + u (p_2 + theta (p_3 + ...)))
//
// and a method differs only in how many coefficients p it has and how it computes them.
#include "ode/core.h"
#include "ode/tables.h"

// f(t1, y1) as k[i]; copied where the step has computed it already.
static tac_status evaluate_end(const tac__ode_problem *p, tac__ode_work *w, int i, double t1_s)
{
    if (w->end)
        return TAC_OK;
    tac__copy_doubles(w->n, w->y1, w->z);
    TAC_TRY(p->rhs(p->context, t1_s, tac__slot(w, w->k, i)));
    w->end = i;
    return TAC_OK;
}

// p_0 and p_1 of the cubic with the slopes f(t0, y) and f(t1, y1) at its ends (Hermite). Dense
// output of every explicit method begins with it.
static void hermite(tac__ode_work *w, double h_s)
{
    const double *f0 = w->k, *f1 = tac__slot(w, w->k, w->end);
    double *p0 = w->dense, *p1 = tac__slot(w, w->dense, 1);
    for (size_t i = 0; i < w->stride; i += 2) {
        const tac__pair d = TAC__PAIR(w->y1, i) - TAC__PAIR(w->y, i);
        const tac__pair slope = h_s * TAC__PAIR(f0, i) - d;
        TAC__PAIR_SET(p0, i, slope);
        TAC__PAIR_SET(p1, i, d - h_s * TAC__PAIR(f1, i) - slope);
    }
}

tac_status tac__rk4_dense(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                          double h_s)
{
    (void)t0_s;
    TAC_TRY(evaluate_end(p, w, 4, t1_s));
    hermite(w, h_s);
    return TAC_OK;
}

tac_status tac__rk23_dense(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                           double h_s)
{
    (void)p, (void)t0_s, (void)t1_s;
    hermite(w, h_s);
    return TAC_OK;
}

tac_status tac__rk45_dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                 double t1_s, double h_s)
{
    (void)p, (void)t0_s, (void)t1_s;
    hermite(w, h_s);
    tac__weigh(tac__rk45_dense, 7, w->k, w->stride, h_s, tac__slot(w, w->dense, 2));
    return TAC_OK;
}

// One of the three further stages.
TAC__INLINE tac_status extra(int i, const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                             double t1_s, double h_s)
{
    tac__combine(tac__dop853_table.a[i], i, w->k, w->stride, h_s, w->y, w->z);
    return tac__evaluate(p, w, i, tac__dop853_table.c[i], t0_s, t1_s, h_s);
}

tac_status tac__dop853_dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                   double t1_s, double h_s)
{
    TAC_TRY(evaluate_end(p, w, 12, t1_s));
    TAC_TRY(extra(13, p, w, t0_s, t1_s, h_s));
    TAC_TRY(extra(14, p, w, t0_s, t1_s, h_s));
    TAC_TRY(extra(15, p, w, t0_s, t1_s, h_s));
    hermite(w, h_s);
    tac__weigh(tac__dop853_dense[0], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 2));
    tac__weigh(tac__dop853_dense[1], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 3));
    tac__weigh(tac__dop853_dense[2], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 4));
    tac__weigh(tac__dop853_dense[3], 16, w->k, w->stride, h_s, tac__slot(w, w->dense, 5));
    return TAC_OK;
}

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

void tac__ode_dense_at(const tac__method *m, const tac__ode_work *w, double h_s, const double *y,
                       const double *y1, double theta, double *out)
{
    (void)h_s;
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
    default:
        interpolate(w, 6, y, y1, theta, out);
    }
}
