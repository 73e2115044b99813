// tables_of_methods.h - the coefficients, which only the file of each method and these tests know.
#ifndef TESTS_ODE_TABLES_OF_METHODS_H
#define TESTS_ODE_TABLES_OF_METHODS_H

#include "ode/explicit.h"
#include "ode/rosenbrock.h"

extern const tac__tableau tac__euler_table, tac__rk4_table, tac__rk23_table, tac__rk45_table,
    tac__dop853_table;
extern const double tac__rk45_dense[7], tac__dop853_e3[12], tac__dop853_dense[4][16];
extern const tac__rosenbrock_table tac__rodas4_table;

#endif
