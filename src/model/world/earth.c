// earth.c - the parameters of earth.h.
#define TAC_KIND_F64
#include "model/world/earth.h"

#include <tactus/component.h>

void tac__earth_params(tac_declare *d, tac__earth *e)
{
    e->mu = tac_param_f64(d, TAC_PARAM("mu", "m^3/s^2", "3.986004418e14", "[0, inf)",
                                       "gravity of the Earth, WGS84; 0: none"));
    e->j2 = tac_param_f64(d, TAC_PARAM("j2", NULL, "0", "[0, 1)",
                                       "oblateness, 1.08262982e-3 for the Earth; 0: none"));
    e->radius_m = tac_param_f64(
        d, TAC_PARAM("radius", "m", "6378137", "(0, inf)", "equatorial, that j2 refers to"));
}
