// geodesy.h - converts between NED about the origin of the world and latitude, longitude, altitude,
// for model code of any scalar kind.
//
// Altitude is height above the ellipsoid (WGS84) or the sphere; there is no geoid. Angles in
// radians, lengths in metres. docs/models/gravity_geodesy.md has the equations and their errors.
#ifndef TAC_MODEL_WORLD_GEODESY_H
#define TAC_MODEL_WORLD_GEODESY_H

#include "math/mat3.h"
#include <tactus/api.h>
#include <tactus/world.h>

#define GEODESY__A  6378137.0                         // semi-major axis, WGS84
#define GEODESY__F  (1.0 / 298.257223563)             // flattening, WGS84
#define GEODESY__B  (GEODESY__A * (1.0 - GEODESY__F)) // semi-minor axis
#define GEODESY__E2 (GEODESY__F * (2.0 - GEODESY__F)) // first eccentricity, squared

// What the conversions need of a world.
typedef struct tac__geodesy {
    tac_geodesy kind;
    double latitude_rad, longitude_rad, altitude_m; // of the origin
    double cosine;                                  // of that latitude
    double origin[3];                               // in ECEF
    double axes[9];                                 // north, east, down in ECEF, one a row
} tac__geodesy;

typedef struct geodetic {
    real latitude, longitude, altitude;
} geodetic;

TAC_BEGIN_DECLS
void tac__geodesy_init(tac__geodesy *g, const tac_world *w);
TAC_END_DECLS

static inline geodetic geodetic_make(real latitude, real longitude, real altitude)
{
    geodetic p = {latitude, longitude, altitude};
    return p;
}

// --- Earth-centred, Earth-fixed ------------------------------------------------------------------

static inline vec3 geodesy_to_ecef(geodetic p)
{
    real s = r_sin(p.latitude), c = r_cos(p.latitude);
    real n = GEODESY__A / r_sqrt(1.0 - GEODESY__E2 * s * s);
    real across = (n + p.altitude) * c;
    return vec3_make(across * r_cos(p.longitude), across * r_sin(p.longitude),
                     ((1.0 - GEODESY__E2) * n + p.altitude) * s);
}

// Bowring's iteration for the parametric latitude. The first iteration is right to 1e-8 of the
// distance, from 10 km below the ground to 30,000 km above it; the second to the last bits.
enum { GEODESY__TURNS = 2 };

static inline geodetic geodesy_from_ecef(vec3 r)
{
    real p = r_sqrt(r.x * r.x + r.y * r.y);
    real sine = r.z, cosine = (1.0 - GEODESY__F) * p; // of the parametric latitude, not normalised
    real up = r.z, out = p;                           // of the geodetic latitude
    for (int i = 0; i < GEODESY__TURNS; i++) {
        real n = r_sqrt(sine * sine + cosine * cosine);
        real s = sine / n, c = cosine / n;
        up = r.z + GEODESY__E2 / (1.0 - GEODESY__E2) * GEODESY__B * (s * s * s);
        out = p - GEODESY__E2 * GEODESY__A * (c * c * c);
        sine = (1.0 - GEODESY__F) * up;
        cosine = out;
    }
    real n = r_sqrt(up * up + out * out);
    real s = up / n, c = out / n;
    // Unlike p/c - N, this is as accurate at the poles.
    real altitude = p * c + r.z * s - GEODESY__A * r_sqrt(1.0 - GEODESY__E2 * s * s);
    return geodetic_make(r_atan2(up, out), r_atan2(r.y, r.x), altitude);
}

// --- NED -----------------------------------------------------------------------------------------

static inline geodetic geodesy_from_ned(const tac__geodesy *g, vec3 ned)
{
    if (g->kind == TAC_GEODESY_SPHERE)
        return geodetic_make(g->latitude_rad + ned.x / GEODESY__A,
                             g->longitude_rad + ned.y / (GEODESY__A * g->cosine),
                             g->altitude_m - ned.z);
    vec3 r = mat3_tmul_vec(mat3_from_array(g->axes), ned);
    return geodesy_from_ecef(vec3_add(vec3_from_array(g->origin), r));
}

static inline vec3 geodesy_to_ned(const tac__geodesy *g, geodetic p)
{
    if (g->kind == TAC_GEODESY_SPHERE)
        return vec3_make((p.latitude - g->latitude_rad) * GEODESY__A,
                         (p.longitude - g->longitude_rad) * (GEODESY__A * g->cosine),
                         g->altitude_m - p.altitude);
    vec3 r = vec3_sub(geodesy_to_ecef(p), vec3_from_array(g->origin));
    return mat3_mul_vec(mat3_from_array(g->axes), r);
}

#endif
