// tableau.h - the form of an explicit Runge-Kutta method. NAME.table.h has the coefficients of each
// method, as constants that the compiler sees wherever a step is compiled: alone (NAME.c) and in
// lanes (lanes.model.h).
#ifndef TAC_ODE_TABLEAU_H
#define TAC_ODE_TABLEAU_H

#include "ode/method.h"

// An explicit Runge-Kutta method: z_i = y + h sum_j a_ij k_j, k_i = f(t + c_i h, z_i),
// y1 = y + h sum_j b_j k_j with the error h sum_j e_j k_j. Where the last row of `a` is `b`, the
// last stage is f(t1, y1).
typedef struct tac__tableau {
    int stages;
    double a[TAC__STAGES_MAX][TAC__STAGES_MAX];
    double b[TAC__STAGES_MAX], c[TAC__STAGES_MAX], e[TAC__STAGES_MAX];
} tac__tableau;

// The table of a method; NULL: it is implicit.
const tac__tableau *tac__tableau_of(const tac__method *method);

#endif
