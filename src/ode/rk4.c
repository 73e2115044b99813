// rk4.c - the classical Runge-Kutta method of order 4.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
#include "ode/explicit.h"

// clang-format off

// [HNW] II.1, table 1.2
const tac__tableau tac__rk4_table = {
    4,
    {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
    {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    {0, 0.5, 0.5, 1},
    {0},
};

// clang-format on

static tac_status step(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1)
{
    return tac__explicit_step(&tac__rk4_table, false, p, w, t0_s, t1_s, h_s, y1);
}

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)t0_s;
    TAC_TRY(tac__evaluate_end(p, w, 4, t1_s));
    tac__hermite(w, h_s);
    return TAC_OK;
}

const tac__method tac__rk4_method = {
    .name = "rk4",
    .stages = 4,
    .order = 4,
    .slots = 5,
    .decay = 2.785293563405282, // 1 - z + z^2/2 - z^3/6 + z^4/24 = 1
    .dense = 2,
    .step = step,
    .dense_begin = dense_begin,
};
