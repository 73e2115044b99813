// rk4.table.h - coefficients of the classical Runge-Kutta method of order 4.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
#ifndef TAC_ODE_RK4_TABLE_H
#define TAC_ODE_RK4_TABLE_H

#include "ode/tableau.h"

// clang-format off

// [HNW] II.1, table 1.2
static const tac__tableau tac__rk4_table = {
    4,
    {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
    {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
    {0, 0.5, 0.5, 1},
    {0},
};

// clang-format on

#endif
