// error.c - the error of a step, and how long the next step may be.
#include <math.h>
#include <string.h>
#include <tactus/math.h>

#include "ode/core.h"

// Squares of the norms of one group.
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

// dop853 combines two estimates of different order into a mean that shrinks with h^8: [HNW] II.10.
static double mean_square(double e5, double e3)
{
    return e5 > 0 ? e5 * e5 / (e5 + 0.01 * e3) : e5;
}

// Over the groups so far: the square of the largest error, and a sum that is finite if every number
// is.
typedef struct worst_of {
    double square, all;
} worst_of;

// Works on squares as long as possible: one root and one division a group, and no branch on values.
TAC__INLINE void weigh(const tac__method *m, const tac__ode_group *g, double rtol, double atol,
                       squares s, worst_of *worst)
{
    const double mean = m->second_estimate ? mean_square(s.e, s.second) : s.e;
    const double e = g->quaternion ? 4 * mean : mean;
    const double size = g->quaternion ? 1 : sqrt(tac_max(s.y, s.y1));
    const double allowed = atol * g->scale + rtol * size;
    worst->square = tac_max(e / (allowed * allowed), worst->square);
    worst->all += e + s.second + s.y + s.y1;
}

TAC__INLINE double error_of(const worst_of *worst)
{
    return worst->all - worst->all == 0 ? sqrt(worst->square) : (double)INFINITY;
}

double tac__ode_error(const tac__method *m, const tac__ode_problem *p, const tac__ode_work *w,
                      double rtol, double atol, double h_s, const double *y, const double *y1)
{
    if (!m->adaptive)
        return 0;
    m->estimate(w, h_s);

    worst_of worst = {0, 0};
    for (size_t i = 0; i < p->group_count; i++) {
        const tac__ode_group *g = &p->groups[i];
        weigh(m, g, rtol, atol, measure(w, g, m->second_estimate, y, y1), &worst);
    }
    return error_of(&worst);
}

// x^(-1/p) to 2e-4, for x within [1e-12, 1e12] and p from 3 to 8. The first guess comes from the
// bits of x: read as an integer they are close to a logarithm. Two steps of Newton's method follow.
// The bits are the same on every machine. tac_pow took 505 instructions more, of 14,400 a
// millisecond of flight (callgrind, examples/iris_mission.yaml from 5 s to 10 s).
static double inverse_root(double x, int p)
{
    const double one = 0x3FFp52;          // the bits of 1.0
    const double middle = 0.045 * 0x1p52; // mean deviation of the logarithm
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

static const double careful = 0.9; // of the length that the error allows

// Here nothing waits for the error but one comparison: the power is that of another number.
bool tac__ode_factor_below(const tac__method *m, double error, double limit)
{
    const double base = careful / limit, margin = 1.01; // the root is exact to 2e-4, p is at most 8
    double power = margin;
    for (int i = 0; i <= m->error_order; i++)
        power *= base;
    return error > power;
}

double tac__ode_factor(const tac__method *m, double error)
{
    const double shortest = 0.2, longest = 5;
    if (!(error < 1e12))
        return shortest;
    const double factor = careful * inverse_root(tac_max(1e-12, error), m->error_order + 1);
    return tac_clamp(factor, shortest, longest);
}
