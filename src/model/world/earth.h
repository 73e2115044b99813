// earth.h - the Earth as rockets and satellites see it, for model code of any scalar kind: gravity
// about its centre, and the terms of a frame that turns with it. Equations:
// docs/models/gravity_geodesy.md.
#ifndef TAC_MODEL_WORLD_EARTH_H
#define TAC_MODEL_WORLD_EARTH_H

#include "math/vec3.h"
#include <stdbool.h>
#include <tactus/api.h>

struct tac_declare;

typedef struct tac__earth {
    param mu;             // m^3/s^2; 0: no gravity
    param j2;             // of the oblateness; 0: a sphere
    param radius_m;       // equatorial, that j2 refers to
    param rotation_rad_s; // about +z; 0: the frame is inertial
} tac__earth;

TAC_BEGIN_DECLS
// Read mu, j2 and radius from the parameters.
void tac__earth_params(struct tac_declare *d, tac__earth *e);
TAC_END_DECLS

// The attraction at `r` from the centre; `oblate`: j2 is not 0.
static inline vec3 earth_gravity(const tac__earth *e, bool oblate, vec3 r)
{
    real r2 = vec3_dot(r, r);
    real pull = -e->mu / (r2 * r_sqrt(r2));
    if (!oblate)
        return vec3_scale(pull, r);
    real k = 1.5 * e->j2 * e->radius_m * e->radius_m / r2;
    real tilt = 5.0 * r.z * r.z / r2;
    real across = pull * (1.0 - k * (tilt - 1.0));
    return vec3_make(across * r.x, across * r.y, pull * (1.0 - k * (tilt - 3.0)) * r.z);
}

// Its potential: gravity is minus the gradient.
static inline real earth_potential(const tac__earth *e, vec3 r)
{
    real r2 = vec3_dot(r, r);
    real k = 0.5 * e->j2 * e->radius_m * e->radius_m / r2;
    return -e->mu / r_sqrt(r2) * (1.0 - k * (3.0 * r.z * r.z / r2 - 1.0));
}

// What the rotating frame adds to an acceleration seen in it: Coriolis and centrifugal terms.
static inline vec3 earth_turning(const tac__earth *e, vec3 r, vec3 v)
{
    const param w = e->rotation_rad_s;
    return vec3_make(2.0 * w * v.y + w * w * r.x, -2.0 * w * v.x + w * w * r.y, R(0.0));
}

#endif
