// rk23.table.h - coefficients of the pair of Bogacki and Shampine.
//
// [BS]  P. Bogacki, L. F. Shampine, A 3(2) pair of Runge-Kutta formulas, Appl. Math. Lett. 2 (1989)
#ifndef TAC_ODE_RK23_TABLE_H
#define TAC_ODE_RK23_TABLE_H

#include "ode/tableau.h"

// clang-format off

// [BS]
static const tac__tableau tac__rk23_table = {
    4,
    {{0}, {1.0 / 2}, {0, 3.0 / 4}, {2.0 / 9, 1.0 / 3, 4.0 / 9}},
    {2.0 / 9, 1.0 / 3, 4.0 / 9},
    {0, 1.0 / 2, 3.0 / 4, 1},
    {-5.0 / 72, 1.0 / 12, 1.0 / 9, -1.0 / 8},
};

// clang-format on

#endif
