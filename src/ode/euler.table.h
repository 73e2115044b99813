// euler.table.h - coefficients of the Euler method.
#ifndef TAC_ODE_EULER_TABLE_H
#define TAC_ODE_EULER_TABLE_H

#include "ode/tableau.h"

// clang-format off

static const tac__tableau tac__euler_table = {
    1,
    {{0}},
    {1},
    {0},
    {0},
};

// clang-format on

#endif
