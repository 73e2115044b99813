// actuator.h - between the command and the duty of a motor, for every scalar kind. Equations:
// docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_ACTUATOR_H
#define TAC_MODEL_VEHICLE_ACTUATOR_H

#include "math/wide.h"
#include "model/vehicle/kernels.h"

// The command that reaches the actuator: the scenario's value where it holds the motor, limited to
// 0..1. A switch that is NaN shows.
static inline wide actuator_command(wide command, wide hold, wide held_at)
{
    wide switched = w_select(hold > 0.5, held_at, w_select(hold <= 0.5, command, hold));
    return w_max(W(0.0), w_min(W(1.0), switched));
}

// x points at the position of an actuator, and the positions of `left` actuators are there from it
// on; all rates follow all positions, `count` behind.

static inline wide actuator_duty(tac__actuator_kind kind, wide command, int left, const real *x)
{
    return kind == TAC__ACTUATOR_DIRECT ? command : w_read(x, left);
}

static inline void actuator_derive(const multirotor_numbers *p, tac__actuator_kind kind, int count,
                                   int left, wide command, const real *x, real *dx)
{
    if (kind == TAC__ACTUATOR_DIRECT)
        return;
    wide ahead = command - w_read(x, left);
    if (kind == TAC__ACTUATOR_FIRST_ORDER) {
        w_write(ahead * p->per_tau, left, dx);
        return;
    }
    // The limit acts on the commanded rate, so there is no windup.
    wide rate = w_read(x + count, left), aim = p->pull * ahead;
    wide least = w_all(P(-p->rate)), most = w_all(P(p->rate));
    aim = w_select(aim < least, least, w_select(aim > most, most, aim));
    w_write(rate, left, dx);
    w_write(p->damping_s * (aim - rate), left, dx + count);
}

#endif
