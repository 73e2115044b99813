// rk45.table.h - coefficients of the pair of Dormand and Prince of order 5.
//
// [HNW] E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, 2nd ed.,
//       Springer 1993
// [DP]  J. R. Dormand, P. J. Prince, A family of embedded Runge-Kutta formulae, J. Comp. Appl.
//       Math. 6 (1980)
#ifndef TAC_ODE_RK45_TABLE_H
#define TAC_ODE_RK45_TABLE_H

#include "ode/tableau.h"

// clang-format off

// [DP]; [HNW] II.5, table 5.2
static const tac__tableau tac__rk45_table = {
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

// clang-format on

#endif
