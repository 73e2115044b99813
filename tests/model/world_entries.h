// world_entries.h - ways into the inline functions of src/model/world, for every scalar kind.
#include "model/world/atmosphere.h"
#include "model/world/geodesy.h"
#include "model/world/gravity.h"

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
