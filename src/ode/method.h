// method.h - one-step methods as data: tables of coefficients over one stepping core.
#ifndef TAC_ODE_METHOD_H
#define TAC_ODE_METHOD_H

#include "base/error.h"

enum { TAC__STAGES_MAX = 4 };

// An explicit Runge-Kutta method: z_i = y + h sum_j a_ij k_j, k_i = f(t + c_i h, z_i),
// y_new = y + h sum_j b_j k_j.
typedef struct tac__method {
    const char *name;
    int stages, order;
    double a[TAC__STAGES_MAX][TAC__STAGES_MAX];
    double b[TAC__STAGES_MAX], c[TAC__STAGES_MAX];
} tac__method;

const tac__method *tac__method_find(const char *name); // NULL: unknown
tac__candidate_fn tac__method_name;                    // for suggestions

// dy = f(t, y), where y is always the same buffer: see tac__ode_work.
typedef tac_status tac__rhs_fn(void *context, double t_s, double *dy);

// Working memory of a step of `n` states. The right-hand side is only ever evaluated at `z`, so
// that whoever computes it can keep pointers into it.
typedef struct tac__ode_work {
    size_t n;
    double *z; // n
    double *k; // stages * n
} tac__ode_work;

static inline size_t tac__ode_work_doubles(const tac__method *method, size_t n)
{
    return n * (1 + (size_t)method->stages);
}

// One step of length h_s from (t_s, y) to y_new, which may be y.
tac_status tac__ode_step(const tac__method *method, tac__rhs_fn *f, void *context,
                         const tac__ode_work *work, double t_s, double h_s, const double *y,
                         double *y_new);

#endif
