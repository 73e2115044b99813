// explicit.h - explicit Runge-Kutta methods: one core, compiled once for each table, in the file of
// its method.
#ifndef TAC_ODE_EXPLICIT_H
#define TAC_ODE_EXPLICIT_H

#include "ode/core.h"
#include "ode/tableau.h"

#include <string.h>

// Stage i: z_i from the stages before it, then k_i = f(z_i). The last stage of FSAL methods is at
// y1. `width`: with registers of 2, 4 or 8 doubles.
TAC__INLINE tac_status tac__explicit_stage(const tac__tableau *t, bool fsal, int width, int i,
                                           const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                           double t1_s, double h_s, double *y1)
{
    if (width == 8)
        tac__combine_eights(t->a[i], i, w->k, w->stride, h_s, w->y, w->z);
    else if (width == 4)
        tac__combine_fours(t->a[i], i, w->k, w->stride, h_s, w->y, w->z);
    else
        tac__combine(t->a[i], i, w->k, w->stride, h_s, w->y, w->z);
    if (fsal && i == t->stages - 1 && width == 8)
        memcpy(y1, w->z, w->n * sizeof *y1);
    else if (fsal && i == t->stages - 1)
        tac__copy_doubles(w->n, w->z, y1);
    return tac__evaluate(p, w, i, t->c[i], t0_s, t1_s, h_s);
}

// Written out stage by stage: in a loop it would depend on the compiler whether the table's entries
// become constants.
#define TAC__STAGE(i)                                                                              \
    if (i < t->stages)                                                                             \
        TAC_TRY(tac__explicit_stage(t, fsal, width, i, p, w, t0_s, t1_s, h_s, y1));

TAC__INLINE tac_status tac__explicit_step(const tac__tableau *t, bool fsal, int width,
                                          const tac__ode_problem *p, tac__ode_work *w, double t0_s,
                                          double t1_s, double h_s, double *y1)
{
    TAC__STAGE(1)
    TAC__STAGE(2)
    TAC__STAGE(3)
    TAC__STAGE(4)
    TAC__STAGE(5)
    TAC__STAGE(6)
    TAC__STAGE(7)
    TAC__STAGE(8)
    TAC__STAGE(9)
    TAC__STAGE(10)
    TAC__STAGE(11)
    if (!fsal)
        tac__combine_out(t->b, t->stages, w->k, w->stride, h_s, w->y, w->n, y1);
    return TAC_OK;
}
#undef TAC__STAGE

// Defines `step` of a method, and `plain`, the same without AVX2 and AVX-512. All do the same
// element by element, so the bits are the same.
#define TAC__EXPLICIT_STEP(table, fsal)                                                            \
    static tac_status plain(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s, \
                            double h_s, double *y1)                                                \
    {                                                                                              \
        return tac__explicit_step(&(table), fsal, 2, p, w, t0_s, t1_s, h_s, y1);                   \
    }                                                                                              \
    TAC__AVX2 static tac_status step_avx2(const tac__ode_problem *p, tac__ode_work *w,             \
                                          double t0_s, double t1_s, double h_s, double *y1)        \
    {                                                                                              \
        return tac__explicit_step(&(table), fsal, 4, p, w, t0_s, t1_s, h_s, y1);                   \
    }                                                                                              \
    TAC__AVX512 static tac_status step_avx512(const tac__ode_problem *p, tac__ode_work *w,         \
                                              double t0_s, double t1_s, double h_s, double *y1)    \
    {                                                                                              \
        return tac__explicit_step(&(table), fsal, 8, p, w, t0_s, t1_s, h_s, y1);                   \
    }                                                                                              \
    static tac_status step(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,  \
                           double h_s, double *y1)                                                 \
    {                                                                                              \
        if (w->n >= TAC__LONG && TAC__HAS_AVX512)                                                  \
            return step_avx512(p, w, t0_s, t1_s, h_s, y1);                                         \
        return TAC__HAS_AVX2 ? step_avx2(p, w, t0_s, t1_s, h_s, y1)                                \
                             : plain(p, w, t0_s, t1_s, h_s, y1);                                   \
    }

// --- dense output -----------------------------------------------------------------------------

// f(t1, y1) as k[i]; copied where the step has computed it already.
TAC__INLINE tac_status tac__evaluate_end(const tac__ode_problem *p, tac__ode_work *w, int i,
                                         double t1_s)
{
    if (w->end)
        return TAC_OK;
    tac__copy_doubles(w->n, w->y1, w->z);
    TAC_TRY(p->rhs(p->context, t1_s, tac__slot(w, w->k, i)));
    w->end = i;
    return TAC_OK;
}

// p_0 and p_1 of the cubic with the slopes f(t0, y) and f(t1, y1) at its ends (Hermite). Dense
// output of every explicit method begins with it.
TAC__INLINE void tac__hermite(tac__ode_work *w, double h_s)
{
    const double *f0 = w->k, *f1 = tac__slot(w, w->k, w->end);
    double *p0 = w->dense, *p1 = tac__slot(w, w->dense, 1);
    for (size_t i = 0; i < w->stride; i += 2) {
        const tac__pair d = TAC__PAIR(w->y1, i) - TAC__PAIR(w->y, i);
        const tac__pair slope = h_s * TAC__PAIR(f0, i) - d;
        TAC__PAIR_SET(p0, i, slope);
        TAC__PAIR_SET(p1, i, d - h_s * TAC__PAIR(f1, i) - slope);
    }
}

#endif
