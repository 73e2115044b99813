// tables_of_methods.h - the coefficients, which only the files of each method and these tests know.
#ifndef TESTS_ODE_TABLES_OF_METHODS_H
#define TESTS_ODE_TABLES_OF_METHODS_H

#include "ode/dop853.table.h"
#include "ode/euler.table.h"
#include "ode/rk23.table.h"
#include "ode/rk4.table.h"
#include "ode/rk45.table.h"
#include "ode/rosenbrock.h"

extern const double tac__rk45_dense[7], tac__dop853_dense[4][16];
extern const tac__rosenbrock_table tac__rodas4_table;

#endif
