// rk4.c - the classical Runge-Kutta method of order 4.
#include "ode/explicit.h"
#include "ode/rk4.table.h"

TAC__EXPLICIT_STEP(tac__rk4_table, false)

static tac_status dense_begin(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s)
{
    (void)t0_s;
    TAC_TRY(tac__evaluate_end(p, w, 4, t1_s));
    tac__hermite(w, h_s);
    return TAC_OK;
}

const tac__method tac__rk4_method = {
    .name = "rk4",
    .stages = 4,
    .order = 4,
    .slots = 5,
    .decay = 2.785293563405282, // 1 - z + z^2/2 - z^3/6 + z^4/24 = 1
    .dense = 2,
    .step = step,
    .plain = plain,
    .dense_begin = dense_begin,
};
