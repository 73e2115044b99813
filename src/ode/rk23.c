// rk23.c - the pair of Bogacki and Shampine, order 3 with an error estimate of order 2.
#include "ode/explicit.h"
#include "ode/rk23.table.h"

TAC__EXPLICIT_STEP(tac__rk23_table, true)

static void estimate(const tac__ode_work *w, double h_s)
{
    tac__weigh(tac__rk23_table.e, 4, w->k, w->stride, h_s, w->e[0]);
}

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)p, (void)t0_s, (void)t1_s;
    tac__hermite(w, h_s);
    return TAC_OK;
}

const tac__method tac__rk23_method = {
    .name = "rk23",
    .stages = 4,
    .order = 3,
    .error_order = 2,
    .adaptive = true,
    .fsal = true,
    .slots = 4,
    .dense = 2,
    .step = step,
    .plain = plain,
    .estimate = estimate,
    .dense_begin = dense_begin,
};
