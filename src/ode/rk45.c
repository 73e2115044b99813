// rk45.c - the pair of Dormand and Prince, order 5 with an error estimate of order 4.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
// [DP]  J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl.
//       Math. 6 (1980)
#include "ode/explicit.h"

// clang-format off

// [DP]; [HNW] II.5, table 5.2
const tac__tableau tac__rk45_table = {
    7,
    {{0},
     {1.0 / 5},
     {3.0 / 40, 9.0 / 40},
     {44.0 / 45, -56.0 / 15, 32.0 / 9},
     {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
     {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
     {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
    {35.0 / 384, 0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
    {0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1, 1},
    {71.0 / 57600, 0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40},
};

// Its continuous extension of order 4: [HNW] II.6, (6.12)
const double tac__rk45_dense[7] = {
    -12715105075.0 / 11282082432, 0, 87487479700.0 / 32700410799, -10690763975.0 / 1880347072,
    701980252875.0 / 199316789632, -1453857185.0 / 822651844, 69997945.0 / 29380423};

// clang-format on

static tac_status step(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1)
{
    return tac__explicit_step(&tac__rk45_table, true, p, w, t0_s, t1_s, h_s, y1);
}

static void estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__rk45_table.e, 7, w->k, w->stride, h_s, w->e[0]);
}

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)p, (void)t0_s, (void)t1_s;
    tac__hermite(w, h_s);
    tac__weigh(tac__rk45_dense, 7, w->k, w->stride, h_s, tac__slot(w, w->dense, 2));
    return TAC_OK;
}

const tac__method tac__rk45_method = {
    .name = "rk45",
    .stages = 7,
    .order = 5,
    .error_order = 4,
    .adaptive = true,
    .fsal = true,
    .slots = 7,
    .dense = 3,
    .step = step,
    .estimate = estimate,
    .dense_begin = dense_begin,
};
