// core.h - what the files of this room share: steps, error estimates and dense output of each
// method, which tac__method points to.
#ifndef TAC_ODE_CORE_H
#define TAC_ODE_CORE_H

#include "ode/block.h"
#include "ode/method.h"

typedef tac_status tac__ode_step_fn(const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                    double t1_s, double h_s, double *y1);
typedef void tac__ode_estimate_fn(const tac__ode_work *w, double h_s);
typedef tac_status tac__ode_dense_fn(const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                     double t1_s, double h_s);

// explicit.c
tac__ode_step_fn tac__euler_step, tac__rk4_step, tac__rk23_step, tac__rk45_step, tac__dop853_step;
tac__ode_estimate_fn tac__rk23_estimate, tac__rk45_estimate, tac__dop853_estimate;

// dense.c
tac__ode_dense_fn tac__rk4_dense, tac__rk23_dense, tac__rk45_dense_begin, tac__dop853_dense_begin;

// rosenbrock.c
tac__ode_step_fn tac__rodas4_step;
tac__ode_estimate_fn tac__rodas4_estimate;
tac__ode_dense_fn tac__rodas4_dense;

// The i-th array of several.
TAC__INLINE double *tac__slot(const tac__ode_work *w, double *arrays, int i)
{
    return arrays + (size_t)i * w->stride;
}

// k[i] = f at the stage time of c, at w->z.
TAC__INLINE tac_status tac__evaluate(const tac__ode_problem *p, const tac__ode_work *w, int i,
                                     double c, double t0_s, double t1_s, double h_s)
{
    const double t_s = c == 0 ? t0_s : c == 1 ? t1_s : t0_s + c * h_s;
    return p->rhs(p->context, t_s, tac__slot(w, w->k, i));
}

#endif
