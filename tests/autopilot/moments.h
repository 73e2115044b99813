// moments.h - random moments of a flight, for tests of the control laws.
#ifndef TAC_TESTS_AUTOPILOT_MOMENTS_H
#define TAC_TESTS_AUTOPILOT_MOMENTS_H

#include "autopilot/plant.h"

#include <math.h>
#include <string.h>

static uint64_t moment_seed = 11;

static inline double uniform(double low, double high)
{
    moment_seed = moment_seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return low + (high - low) * ((double)(moment_seed >> 11) * 0x1p-53);
}

static inline bool chance(double part)
{
    return uniform(0, 1) < part;
}

// A vehicle in flight: near its reference if `far` is 0, else anywhere.
static inline void moment_draw(double far, tac__control_in *in, tac__control_state *s)
{
    memset(in, 0, sizeof *in);
    memset(s, 0, sizeof *s);
    double norm = 0;
    for (int k = 0; k < 4; k++) {
        in->attitude[k] = (k == 0) + uniform(-0.1, 0.1) * (1 + far);
        norm += in->attitude[k] * in->attitude[k];
    }
    for (int k = 0; k < 4; k++)
        in->attitude[k] /= sqrt(norm);
    for (int k = 0; k < 3; k++) {
        s->position[k] = uniform(-100, 100);
        s->velocity[k] = uniform(-2, 2);
        s->acceleration[k] = uniform(-0.5, 0.5);
        s->velocity_integral[k] = uniform(-0.2, 0.2);
        s->velocity_filter[k] = uniform(-0.1, 0.1);
        s->rate_integral[k] = uniform(-0.01, 0.01);
        in->position[k] = s->position[k] + uniform(-0.2, 0.2) * (1 + 20 * far);
        in->velocity[k] = s->velocity[k] + uniform(-0.1, 0.1) * (1 + 20 * far);
        in->rate[k] = uniform(-0.1, 0.1) * (1 + 20 * far);
        in->target[k] = s->position[k] + uniform(-5, 5);
    }
    s->yaw = uniform(-0.2, 0.2);
    s->yaw_rate = uniform(-0.1, 0.1);
    in->yaw = s->yaw + uniform(-0.2, 0.2) * (1 + 10 * far);
    in->cruise_speed = uniform(1, 10);
    in->climb_speed = uniform(1, 5);
    in->descend_speed = uniform(1, 5);
    in->run_out = far > 0 ? uniform(0, 5) : 0;
    in->landing = far > 0 && chance(0.3);
    in->sink = uniform(0.3, 1.5);
    in->yaw_held = far > 0 ? chance(0.7) : 1;
    in->lift = far > 0 && chance(0.2) ? uniform(0, 1) : 1;
}

#endif
