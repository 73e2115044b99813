// euler.c - the Euler method: one stage, order 1.
#include "ode/explicit.h"
#include "ode/euler.table.h"

static tac_status step(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1)
{
    return tac__explicit_step(&tac__euler_table, false, p, w, t0_s, t1_s, h_s, y1);
}

const tac__method tac__euler_method = {
    .name = "euler",
    .stages = 1,
    .order = 1,
    .slots = 1,
    .decay = 2,
    .step = step,
};
