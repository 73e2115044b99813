// geodesy.c - the constants of geodesy.h for one world.
#define TAC_KIND_F64
#include "model/world/geodesy.h"

#include <string.h>

void tac__geodesy_init(tac__geodesy *g, const tac_world *w)
{
    const double s = r_sin(w->latitude_rad), c = r_cos(w->latitude_rad);
    const double sl = r_sin(w->longitude_rad), cl = r_cos(w->longitude_rad);
    const double axes[9] = {-s * cl, -s * sl, c, -sl, cl, 0.0, -c * cl, -c * sl, -s};
    const vec3 origin =
        geodesy_to_ecef(geodetic_make(w->latitude_rad, w->longitude_rad, w->altitude_m));
    *g = (tac__geodesy){.kind = w->geodesy,
                        .latitude_rad = w->latitude_rad,
                        .longitude_rad = w->longitude_rad,
                        .altitude_m = w->altitude_m,
                        .cosine = c,
                        .origin = {origin.x, origin.y, origin.z}};
    memcpy(g->axes, axes, sizeof axes);
}
