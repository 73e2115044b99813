// explicit.c - explicit Runge-Kutta methods: one core, compiled once for each table.
#include "ode/core.h"
#include "ode/tables.h"

// Stage i: z_i from the stages before it, then k_i = f(z_i). The last stage of FSAL methods is at
// y1.
TAC__INLINE tac_status stage(const tac__tableau *t, bool fsal, int i, const tac__ode_problem *p,
                             tac__ode_work *w, double t0_s, double t1_s, double h_s, double *y1)
{
    tac__combine(t->a[i], i, w->k, w->stride, h_s, w->y, w->z);
    if (fsal && i == t->stages - 1)
        tac__copy_doubles(w->n, w->z, y1);
    return tac__evaluate(p, w, i, t->c[i], t0_s, t1_s, h_s);
}

// Written out stage by stage: in a loop it would depend on the compiler whether the table's entries
// become constants.
#define STAGE(i)                                                                                   \
    if (i < t->stages)                                                                             \
        TAC_TRY(stage(t, fsal, i, p, w, t0_s, t1_s, h_s, y1));

TAC__INLINE tac_status step(const tac__tableau *t, bool fsal, const tac__ode_problem *p,
                            tac__ode_work *w, double t0_s, double t1_s, double h_s, double *y1)
{
    STAGE(1)
    STAGE(2)
    STAGE(3)
    STAGE(4)
    STAGE(5)
    STAGE(6)
    STAGE(7)
    STAGE(8)
    STAGE(9)
    STAGE(10)
    STAGE(11)
    if (!fsal)
        tac__combine_out(t->b, t->stages, w->k, w->stride, h_s, w->y, w->n, y1);
    return TAC_OK;
}

#define DEFINE_STEP(name, fsal)                                                                    \
    tac_status tac__##name##_step(const tac__ode_problem *p, tac__ode_work *w, double t0_s,        \
                                  double t1_s, double h_s, double *y1)                             \
    {                                                                                              \
        return step(&tac__##name##_table, fsal, p, w, t0_s, t1_s, h_s, y1);                        \
    }

DEFINE_STEP(euler, false)
DEFINE_STEP(rk4, false)
DEFINE_STEP(rk23, true)
DEFINE_STEP(rk45, true)
DEFINE_STEP(dop853, false)

void tac__rk23_estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__rk23_table.e, 4, w->k, w->stride, h_s, w->e[0]);
}

void tac__rk45_estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__rk45_table.e, 7, w->k, w->stride, h_s, w->e[0]);
}

void tac__dop853_estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__dop853_table.e, 12, w->k, w->stride, h_s, w->e[0]);
    tac__weigh(tac__dop853_e3, 12, w->k, w->stride, h_s, w->e[1]);
}
