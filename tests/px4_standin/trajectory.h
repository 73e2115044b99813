// trajectory.h - the flight modes: a smooth way to the target, as trajectory_setpoint.
#ifndef PX4_STANDIN_TRAJECTORY_H
#define PX4_STANDIN_TRAJECTORY_H

#include "navigator.h"

typedef struct trajectory {
    bool flying;  // off the ground, or about to leave it
    bool holding; // stays where it was when that began
    target hold;
    vec3 position, velocity, acceleration;
    double yaw;
} trajectory;

void trajectory_run(trajectory *t, const navigator *n, uorb *u, const params *p, uint64_t now_us,
                    double dt);

#endif
