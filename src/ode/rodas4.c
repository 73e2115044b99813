// rodas4.c - for stiff problems: one linear system a stage, one factorisation a step, no iteration.
//
// [HW]  E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, 2nd ed., Springer 1996
//
// k[0] is f(t0, y); u_i, counted from 0, is k[1 + i].
#include <math.h>
#include <tactus/math.h>

#include "ode/core.h"
#include "ode/lu.h"
#include "ode/rosenbrock.h"

// clang-format off

// RODAS: [HW] IV.7 and the code that goes with VI.4
const tac__rosenbrock_table tac__rodas4_table = {
    0.25,
    {{0},
     {1.544},
     {0.9466785280815826, 0.2557011698983284},
     {3.314825187068521, 2.896124015972201, 0.9986419139977817},
     {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
     {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}},
    {{0},
     {-5.6688},
     {-2.430093356833875, -0.2063599157091915},
     {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
     {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
     {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136,
      -6.058818238834054}},
    {0, 0.386, 0.21, 0.63, 1, 1},
    {0.25, -0.1043, 0.1035, -0.03620000000000023, 0, 0},
    {{10.12623508344586, -7.487995877610167, -34.80091861555747, -7.992771707568823,
      1.025137723295662},
     {-0.6762803392801253, 6.087714651680015, 16.43084320892478, 24.76722511418386,
      -6.594389125716872}},
};

// clang-format on

static const tac__rosenbrock_table *const t = &tac__rodas4_table;

// --- derivatives --------------------------------------------------------------------------------

// Increment of finite differences: half of a double's digits, relative to the state or, where that
// is small, to the scale of its group.
static const double increment = 0x1p-26;

static double scale_of(const tac__ode_problem *p, size_t state)
{
    for (size_t i = 0; i < p->group_count; i++) {
        if (state - p->groups[i].first < p->groups[i].count)
            return p->groups[i].scale;
    }
    return 1;
}

// Column by column: f at a state with one element shifted, minus k[0].
static tac_status difference_by_state(const tac__ode_problem *p, tac__ode_work *w, double t_s)
{
    double *shifted = tac__slot(w, w->k, 1);
    for (size_t j = 0; j < w->n; j++) {
        w->z[j] = w->y[j] + increment * tac_max(fabs(w->y[j]), scale_of(p, j));
        TAC_TRY(p->rhs(p->context, t_s, shifted));
        const double by = w->z[j] - w->y[j];
        for (size_t i = 0; i < w->n; i++)
            w->jacobian[i * w->n + j] = (shifted[i] - w->k[i]) / by;
        w->z[j] = w->y[j];
    }
    return TAC_OK;
}

// The increment is 15 ns, more after 17 minutes, and never reaches beyond the step.
static tac_status difference_by_time(const tac__ode_problem *p, tac__ode_work *w, double t_s,
                                     double h_s)
{
    const double to_s = t_s + tac_min(h_s, increment * tac_max(1, 0x1p-10 * fabs(t_s)));
    TAC_TRY(p->rhs(p->context, to_s, w->rate));
    for (size_t i = 0; i < w->n; i++)
        w->rate[i] = (w->rate[i] - w->k[i]) / (to_s - t_s);
    return TAC_OK;
}

// Whether all of them are numbers; `n` is rounded up to a block.
static bool all_finite(const double *x, size_t n)
{
    tac__pair low = {0, 0}, high = {0, 0};
    for (size_t i = 0; i < n; i += TAC__BLOCK) {
        low += 0 * TAC__PAIR(x, i);
        high += 0 * TAC__PAIR(x, i + 2);
    }
    low += high;
    return low[0] + low[1] == 0;
}

// Checks that the derivatives are finite: elimination could hide an infinite pivot, which would
// look like mere stiffness.
static tac_status linearise(const tac__ode_problem *p, tac__ode_work *w, double t_s, double h_s)
{
    if (w->linearised)
        return TAC_OK;
    TAC_TRY(p->jacobian ? p->jacobian(p->context, t_s, w->jacobian)
                        : difference_by_state(p, w, t_s));
    TAC_TRY(difference_by_time(p, w, t_s, h_s));
    w->linearised = all_finite(w->jacobian, w->n * w->n) && all_finite(w->rate, w->n);
    return w->linearised ? TAC_OK : TAC_E_NUMERIC;
}

// E = I / (h gamma) - J
static tac_status factor(tac__ode_work *w, double h_s)
{
    const double diagonal = 1 / (h_s * t->gamma);
    for (size_t j = 0; j < w->n; j++) {
        double *column = w->lu + j * w->stride;
        for (size_t i = 0; i < w->n; i++)
            column[i] = -w->jacobian[i * w->n + j];
        column[j] += diagonal;
    }
    return tac__lu_factor(w->n, w->stride, w->lu, w->pivots) ? TAC_OK : TAC_E_NUMERIC;
}

// --- the step -----------------------------------------------------------------------------------

// Computes u_i. f at its stage is k[0], or lies already in the array of u_i.
TAC__INLINE void solve(int i, tac__ode_work *w, double h_s)
{
    const double *f = i == 0 ? w->k : tac__slot(w, w->k, 1 + i);
    double *u = tac__slot(w, w->k, 1 + i);
    tac__combine(t->g[i], i, tac__slot(w, w->k, 1), w->stride, 1 / h_s, f, u);
    if (t->d[i] != 0)
        tac__combine(&t->d[i], 1, w->rate, w->stride, h_s, u, u);
    tac__lu_solve(w->n, w->stride, w->lu, w->pivots, u);
}

TAC__INLINE tac_status stage(int i, const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                             double t1_s, double h_s)
{
    tac__combine(t->a[i], i, tac__slot(w, w->k, 1), w->stride, 1, w->y, w->z);
    TAC_TRY(tac__evaluate(p, w, 1 + i, t->c[i], t0_s, t1_s, h_s));
    solve(i, w, h_s);
    return TAC_OK;
}

static tac_status step(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1)
{
    TAC_TRY(linearise(p, w, t0_s, h_s));
    TAC_TRY(factor(w, h_s));
    solve(0, w, h_s);
    TAC_TRY(stage(1, p, w, t0_s, t1_s, h_s));
    TAC_TRY(stage(2, p, w, t0_s, t1_s, h_s));
    TAC_TRY(stage(3, p, w, t0_s, t1_s, h_s));
    TAC_TRY(stage(4, p, w, t0_s, t1_s, h_s));
    TAC_TRY(stage(5, p, w, t0_s, t1_s, h_s));
    const double *u = tac__slot(w, w->k, 6);
    for (size_t i = 0; i < w->n; i++)
        y1[i] = w->z[i] + u[i];
    return TAC_OK;
}

static void estimate(const tac__ode_work *w, double h_s)
{
    (void)h_s;
    tac__copy_doubles(w->n, tac__slot(w, w->k, 6), w->e[0]);
}

// Order 3.
static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)p, (void)t0_s, (void)t1_s, (void)h_s;
    const double *u = tac__slot(w, w->k, 1);
    tac__weigh(t->dense[0], 5, u, w->stride, 1, w->dense);
    tac__weigh(t->dense[1], 5, u, w->stride, 1, tac__slot(w, w->dense, 1));
    return TAC_OK;
}

const tac__method tac__rodas4_method = {
    .name = "rodas4",
    .stages = 6,
    .order = 4,
    .error_order = 3,
    .adaptive = true,
    .implicit = true,
    .slots = 7,
    .dense = 2,
    .step = step,
    .estimate = estimate,
    .dense_begin = dense_begin,
};
