// world_entries.h - ways into the inline functions of src/model/world, for every scalar kind.
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"
#include "model/world/gravity.h"
#include "model/world/wind_processes.h"

// A double as a parameter.
#ifdef TAC_KIND_DUAL
#define PARAM(x) (x)
#else
#define PARAM(x) R(x)
#endif

// density, temperature, pressure; and the altitude of that pressure
TAC_ENTRY void TAC_KINDED(entry_atmosphere)(const real *altitude, real *out);
TAC_ENTRY void TAC_KINDED(entry_atmosphere)(const real *altitude, real *out)
{
    atmosphere_at(*altitude, &out[0], &out[1], &out[2]);
    out[3] = atmosphere_altitude(out[2]);
}

TAC_ENTRY void TAC_KINDED(entry_gravity)(const tac_world *w, const real *at, real *out);
TAC_ENTRY void TAC_KINDED(entry_gravity)(const tac_world *w, const real *at, real *out)
{
#ifdef TAC_KIND_DUAL
    const param g_m_s2 = w->g_m_s2, altitude_m = w->altitude_m;
#else
    const param g_m_s2 = R(w->g_m_s2), altitude_m = R(w->altitude_m);
#endif
    vec3 g = gravity_at(w->gravity, g_m_s2, altitude_m, vec3_make(at[0], at[1], at[2]));
    out[0] = g.x;
    out[1] = g.y;
    out[2] = g.z;
}

// latitude, longitude, altitude; and back
TAC_ENTRY void TAC_KINDED(entry_geodesy)(const tac__geodesy *g, const real *at, real *out);
TAC_ENTRY void TAC_KINDED(entry_geodesy)(const tac__geodesy *g, const real *at, real *out)
{
    geodetic p = geodesy_from_ned(g, vec3_make(at[0], at[1], at[2]));
    vec3 back = geodesy_to_ned(g, p);
    out[0] = p.latitude;
    out[1] = p.longitude;
    out[2] = p.altitude;
    out[3] = back.x;
    out[4] = back.y;
    out[5] = back.z;
}

TAC_ENTRY void TAC_KINDED(entry_ou)(const double phi[3], const double gain[3], const real *n,
                                    real *x);
TAC_ENTRY void TAC_KINDED(entry_ou)(const double phi[3], const double gain[3], const real *n,
                                    real *x)
{
    tac__ou ou;
    for (int i = 0; i < 3; i++) {
        ou.phi[i] = R(phi[i]);
        ou.gain[i] = R(gain[i]);
    }
    ou_step(&ou, n, x);
}

TAC_ENTRY void TAC_KINDED(entry_wind_profile)(double z0_m, const real *height_m, real *factor);
TAC_ENTRY void TAC_KINDED(entry_wind_profile)(double z0_m, const real *height_m, real *factor)
{
    *factor = wind_profile(PARAM(z0_m), *height_m);
}

// `p`: as tac__dryden; `u`: height, airspeed, attitude
TAC_ENTRY void TAC_KINDED(entry_dryden)(const double p[4], const double *aloft, double dt_s,
                                        const real *u, const real *n, real *x, real *velocity);
TAC_ENTRY void TAC_KINDED(entry_dryden)(const double p[4], const double *aloft, double dt_s,
                                        const real *u, const real *n, real *x, real *velocity)
{
    tac__dryden dryden;
    dryden.w20_m_s = PARAM(p[0]);
    dryden.min_airspeed_m_s = PARAM(p[1]);
    dryden.north = PARAM(p[2]);
    dryden.east = PARAM(p[3]);
    dryden_inputs inputs;
    inputs.height_m = u[0];
    inputs.airspeed_m_s = u[1];
    inputs.attitude = quat_make(u[2], u[3], u[4], u[5]);
    vec3 v = dryden_step(&dryden, aloft, dt_s, &inputs, n, x);
    velocity[0] = v.x;
    velocity[1] = v.y;
    velocity[2] = v.z;
}

TAC_ENTRY void TAC_KINDED(entry_dryden_start)(const real *n, real *x);
TAC_ENTRY void TAC_KINDED(entry_dryden_start)(const real *n, real *x)
{
    dryden_start(n, x);
}
