// control.h - the cascade from trajectory_setpoint to torque and thrust: position and velocity,
// attitude, rates. Each loop reads what the one before it has published.
#ifndef PX4_STANDIN_CONTROL_H
#define PX4_STANDIN_CONTROL_H

#include "params.h"
#include "uorb.h"
#include "vec.h"

typedef struct control {
    vec3 velocity_integral; // m/s2
    vec3 rate_integral;     // of full torque
} control;

// Not flying: no thrust, integrals at zero.
void position_control(control *c, bool flying, uorb *u, const params *p, uint64_t now_us,
                      double dt);
void attitude_control(uorb *u, const params *p, uint64_t now_us);
void rate_control(control *c, bool flying, uorb *u, const params *p, uint64_t now_us, double dt);

#endif
