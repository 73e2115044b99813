// euler.c - the Euler method: one stage, order 1.
#include "ode/explicit.h"
#include "ode/euler.table.h"

TAC__EXPLICIT_STEP(tac__euler_table, false)

const tac__method tac__euler_method = {
    .name = "euler",
    .stages = 1,
    .order = 1,
    .slots = 1,
    .decay = 2,
    .step = step,
    .plain = plain,
};
