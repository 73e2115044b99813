// actuator.h - between the command and the duty of a motor, for every scalar kind. Equations:
// docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_ACTUATOR_H
#define TAC_MODEL_VEHICLE_ACTUATOR_H

#include "math/real.h"
#include "model/vehicle/multirotor.h"

// `yes` where the switch is on, `no` where it is off, NaN where the switch is NaN.
static inline real switched(real on, real yes, real no)
{
    return r_select(on > 0.5, yes, r_select(on <= 0.5, no, on));
}

// The command that reaches the actuator: the scenario's value where it holds the motor, limited to
// 0..1.
static inline real actuator_command(real command, real hold, real held_at)
{
    return r_clamp(switched(hold, held_at, command), R(0.0), R(1.0));
}

// x points at the position of the first of `count` actuators; all rates follow all positions.

static inline real actuator_duty(tac__actuator_kind kind, real command, const real *x)
{
    return kind == TAC__ACTUATOR_DIRECT ? command : x[0];
}

static inline void actuator_derive(const tac__actuator *a, int count, real command, const real *x,
                                   real *dx)
{
    if (a->kind == TAC__ACTUATOR_FIRST_ORDER)
        dx[0] = (command - x[0]) * a->per_tau;
    if (a->kind != TAC__ACTUATOR_SECOND_ORDER)
        return;
    // The limit acts on the commanded rate, so there is no windup.
    real aim = r_clamp(a->pull * (command - x[0]), R(-a->rate), R(a->rate));
    dx[0] = x[count];
    dx[count] = a->damping_s * (aim - x[count]);
}

#endif
