// motor.h - a brushless motor and its speed controller, without electrical dynamics, for every
// scalar kind. Equations: docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_MOTOR_H
#define TAC_MODEL_VEHICLE_MOTOR_H

#include "math/wide.h"
#include "model/vehicle/kernels.h"

#define ESC__OFF_BELOW 0.02

// The duty that the speed controller applies: at most 1, and 0 below 2 %.
static inline wide esc_duty(wide command)
{
    wide duty = w_min(W(1.0), command);
    return w_select(duty < ESC__OFF_BELOW, W(0.0), duty);
}

// The current of a motor is clamp(slope V - offset, 0, max_a): once duty and speed are known, a
// function of the bus voltage alone. The bus gives `share` times that current.
typedef struct motor_line {
    wide slope, offset, share;
} motor_line;

// Of rotors i, ..., i + WIDE - 1, as all that follows.
static inline motor_line motor_line_at(const rotor_pair *r, int i, wide duty, wide speed)
{
    motor_line line = {duty * W_PAIR(r->per_ohm, i), speed * W_PAIR(r->ke_per_ohm, i),
                       duty * W_PAIR(r->per_efficiency, i)};
    return line;
}

// J dW/dt = Kt max(0, I - I0) - Q - b W. This is J dW/dt + Q: the torque between rotor and body.
static inline wide motor_torque(const rotor_pair *r, int i, wide current, wide speed)
{
    return W_PAIR(r->ke, i) * w_max(W(0.0), current - W_PAIR(r->no_load_a, i)) -
           W_PAIR(r->friction, i) * speed;
}

#endif
