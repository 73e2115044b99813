// motor.h - a brushless motor and its speed controller, without electrical dynamics, for every
// scalar kind. Equations: docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_MOTOR_H
#define TAC_MODEL_VEHICLE_MOTOR_H

#include "math/real.h"
#include "model/vehicle/multirotor.h"

#define ESC__OFF_BELOW 0.02

// The duty that the speed controller applies: at most 1, and 0 below 2 %.
static inline real esc_duty(real command)
{
    real duty = r_min(R(1.0), command);
    return r_select(duty < ESC__OFF_BELOW, R(0.0), duty);
}

// The current of a motor is clamp(slope V - offset, 0, max_a): once duty and speed are known, a
// function of the bus voltage alone. The bus gives `share` times that current.
typedef struct motor_line {
    real slope, offset, share;
} motor_line;

static inline motor_line motor_line_at(const tac__motor *m, real duty, real speed)
{
    motor_line line = {duty * m->per_ohm, speed * m->ke_per_ohm, duty * m->per_efficiency};
    return line;
}

// J dW/dt = Kt max(0, I - I0) - Q - b W. This is J dW/dt + Q: the torque between rotor and body.
static inline real motor_torque(const tac__motor *m, real current, real speed)
{
    return m->ke * r_max(R(0.0), current - m->no_load_a) - m->friction * speed;
}

#endif
