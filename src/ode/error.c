// error.c - how large the error of a step is, and what that says about the next one.
#include <math.h>
#include <string.h>
#include <tactus/math.h>

#include "ode/core.h"

// Squares of the norms of a group.
typedef struct squares {
    double e, second, y, y1;
} squares;

TAC__INLINE squares measure(const tac__ode_work *w, const tac__ode_group *g, bool second,
                            const double *y, const double *y1)
{
    squares s = {0, 0, 0, 0};
    for (size_t i = g->first; i < g->first + g->count; i++) {
        s.e += w->e[0][i] * w->e[0][i];
        if (second)
            s.second += w->e[1][i] * w->e[1][i];
        s.y += y[i] * y[i];
        s.y1 += y1[i] * y1[i];
    }
    return s;
}

// Of two estimates of different order, dop853 takes a mean that shrinks with h^8: [HNW] II.10.
static double mean_square(double e5, double e3)
{
    return e5 > 0 ? e5 * e5 / (e5 + 0.01 * e3) : e5;
}

double tac__ode_error(const tac__method *m, const tac__ode_problem *p, const tac__ode_work *w,
                      double rtol, double atol, double h_s, const double *y, const double *y1)
{
    if (!m->adaptive)
        return 0;
    m->estimate(w, h_s);

    // Squares as long as possible: a root and a division a group, and no branch on their values.
    double worst = 0, all = 0;
    for (size_t i = 0; i < p->group_count; i++) {
        const tac__ode_group *g = &p->groups[i];
        const squares s = measure(w, g, m->second_estimate, y, y1);
        const double mean = m->second_estimate ? mean_square(s.e, s.second) : s.e;
        const double e = g->quaternion ? 4 * mean : mean;
        const double size = g->quaternion ? 1 : sqrt(tac_max(s.y, s.y1));
        const double allowed = atol * g->scale + rtol * size;
        worst = tac_max(e / (allowed * allowed), worst);
        all += e + s.second + s.y + s.y1;
    }
    return all - all == 0 ? sqrt(worst) : (double)INFINITY;
}

// x^(-1/p) to 2e-4, for x within [1e-12, 1e12] and p from 3 to 8: a first guess from the bits of x,
// whose integer is close to a logarithm, and two steps of Newton's method. The same bits everywhere
// as any power function would have to be, in a fraction of its time.
static double inverse_root(double x, int p)
{
    const double one = 0x3FFp52, middle = 0.045 * 0x1p52; // of 1.0; of the logarithm's deviation
    const double part = 1.0 / p;
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (int64_t)((one - middle) * (1 + part) - (double)bits * part);
    double y;
    memcpy(&y, &bits, sizeof y);
    for (int i = 0; i < 2; i++) {
        double power = x;
        for (int j = 0; j < p; j++)
            power *= y;
        y += y * (1 - power) * part;
    }
    return y;
}

double tac__ode_factor(const tac__method *m, double error)
{
    const double shortest = 0.2, longest = 5;
    if (!(error < 1e12))
        return shortest;
    const double factor = 0.9 * inverse_root(tac_max(1e-12, error), m->error_order + 1);
    return tac_clamp(factor, shortest, longest);
}
