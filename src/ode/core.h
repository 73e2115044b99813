// core.h - what the files of the methods share.
#ifndef TAC_ODE_CORE_H
#define TAC_ODE_CORE_H

#include "ode/block.h"
#include "ode/method.h"

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
