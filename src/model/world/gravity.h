// gravity.h - the acceleration of gravity in NED, for model code of any scalar kind.
#ifndef TAC_MODEL_WORLD_GRAVITY_H
#define TAC_MODEL_WORLD_GRAVITY_H

#include "math/vec3.h"
#include <tactus/world.h>

#define GRAVITY__MU     3.986004418e14 // of the Earth with its atmosphere, WGS84 [m^3/s^2]
#define GRAVITY__RADIUS 6378137.0      // equatorial, WGS84 [m]

// Uniform: g straight down. Central: mu/r^2 towards a centre that lies one equatorial radius and
// the origin's altitude below the origin; 9.79829 m/s^2 at sea level. `g_m_s2` is not used then.
static inline vec3 gravity_at(tac_gravity gravity, param g_m_s2, param altitude_m,
                              vec3 position_ned)
{
    if (gravity == TAC_GRAVITY_UNIFORM)
        return vec3_make(R(0.0), R(0.0), P(g_m_s2));
    vec3 d =
        vec3_make(-position_ned.x, -position_ned.y, GRAVITY__RADIUS + altitude_m - position_ned.z);
    real r2 = vec3_dot(d, d);
    return vec3_scale(GRAVITY__MU / (r2 * r_sqrt(r2)), d);
}

#endif
