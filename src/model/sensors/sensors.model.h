// sensors.model.h - how sensors measure, for every scalar kind. Noise is an argument: independent
// standard normal numbers.
#include "math/quat.h"
#include "model/sensors/sensors.h"
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"

// --- the channel that all sensors share ----------------------------------------------------------

// y = round(limit(truth + bias + drift + fault[1] + fault[0] sigma n)); then the drift goes on to
// the next sample. `n` are the numbers for the noise, then those for the drift. Without a fault
// fault is (1, 0).
TAC_ENTRY void TAC_KINDED(tac__channel_step)(const tac__channel *c, const tac__channel_law *k,
                                             const real *truth, const real *n, const real *fault,
                                             real *drift, real *y);
TAC_ENTRY void TAC_KINDED(tac__channel_step)(const tac__channel *c, const tac__channel_law *k,
                                             const real *truth, const real *n, const real *fault,
                                             real *drift, real *y)
{
    const real *walk = n + (c->noisy ? c->count : 0);
    for (int i = 0; i < c->count; i++) {
        real x = truth[i] + (c->bias[i] + drift[i] + fault[1]);
        if (c->noisy)
            x = x + fault[0] * k->sigma[i] * n[i];
        if (c->range > 0.0)
            x = r_clamp(x, R(-c->range), R(c->range));
        if (c->quantum > 0.0)
            x = c->quantum * r_floor(x / c->quantum + 0.5);
        y[i] = x;
        if (c->drifts)
            drift[i] = k->phi * drift[i] + k->gain[i] * walk[i];
    }
}

// --- what each sensor measures -------------------------------------------------------------------

// The attitude q with a heading error: rotated about the world's down axis.
TAC_ENTRY void TAC_KINDED(tac__estimate_attitude)(const real *q, const real *yaw, real *y);
TAC_ENTRY void TAC_KINDED(tac__estimate_attitude)(const real *q, const real *yaw, real *y)
{
    quat turn = quat_from_yaw(*yaw);
    real c = turn.w, s = turn.z;
    y[0] = c * q[0] - s * q[3];
    y[1] = c * q[1] - s * q[2];
    y[2] = c * q[2] + s * q[1];
    y[3] = c * q[3] + s * q[0];
}

// The field of the Earth, given in NED, in body axes.
TAC_ENTRY void TAC_KINDED(tac__magnetic_field)(const double ned[3], const real *q, real *body);
TAC_ENTRY void TAC_KINDED(tac__magnetic_field)(const double ned[3], const real *q, real *body)
{
    vec3 b = quat_rotate_inverse(quat_make(q[0], q[1], q[2], q[3]), vec3_from_array(ned));
    body[0] = b.x;
    body[1] = b.y;
    body[2] = b.z;
}

// The altitude at which the standard atmosphere has this pressure.
TAC_ENTRY void TAC_KINDED(tac__pressure_altitude)(const real *pressure, real *altitude);
TAC_ENTRY void TAC_KINDED(tac__pressure_altitude)(const real *pressure, real *altitude)
{
    *altitude = atmosphere_altitude(*pressure);
}

// Latitude, longitude, altitude of a position in NED.
TAC_ENTRY void TAC_KINDED(tac__geodetic_fix)(const tac__geodesy *g, const real *ned, real *fix);
TAC_ENTRY void TAC_KINDED(tac__geodetic_fix)(const tac__geodesy *g, const real *ned, real *fix)
{
    geodetic p = geodesy_from_ned(g, vec3_make(ned[0], ned[1], ned[2]));
    fix[0] = p.latitude;
    fix[1] = p.longitude;
    fix[2] = p.altitude;
}
