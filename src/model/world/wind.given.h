// wind.given.h - the parameters of `wind` that become numbers, read as numbers and as symbols.
#include "model/world/wind.h"
#include "model/read_given.h"

#include <string.h>

#define KNOT 0.5144444444444445 // m/s

void tac__wind_mean(tac_declare *d, tac__wind_numbers *p)
{
    const tac_param_def mean =
        given_def("mean", "m/s", "0", NULL, "mean wind: where the air goes, north, east, down",
                  TAC_PARAM_TUNABLE);
    given_array(d, &mean, p->mean, 3);
    p->roughness_m =
        given_tunable(d, "roughness", "m", "0", "[0, 6)",
                      "roughness length of the ground: the mean wind is then that at 20 ft of "
                      "a logarithmic profile; 0: none");
}

int tac__wind_dryden(tac_declare *d, tac__wind_kind kind, tac__wind_numbers *p)
{
    static const char *const intensities[] = {"light", "moderate", "severe", NULL};
    const tac_param_def choice =
        given_def("intensity", NULL, "light", NULL,
                  "dryden: wind at 20 ft of 15, 30 or 45 kt; above 2000 ft exceeded with 1e-2, "
                  "1e-3, 1e-5",
                  TAC_PARAM_TUNABLE);
    const int intensity = tac_param_choice(d, &choice, intensities);
    const real w20 = given_tunable(d, "w20", "m/s", "0", "[0, inf)",
                                   "dryden: wind at 20 ft where it is not that of the intensity");
    p->dryden.w20_m_s = given_value(w20) > 0 ? w20 : R(15 * KNOT * (intensity + 1));
    p->height_m = given_tunable(d, "height", "m", "50", NULL,
                                "above the ground, where `position` is not connected");
    p->airspeed_m_s = given_tunable(d, "airspeed", "m/s", "10", "[0, inf)",
                                    "dryden: where `velocity` is not connected");
    p->dryden.min_airspeed_m_s = given_tunable(d, "min_airspeed", "m/s", "1", "(0, inf)",
                                               "dryden: turbulence drifts past at least so fast");
    // A frozen wind is that at one height and speed, whatever the vehicle does.
    given_begin(d, "frozen", "the wind over time does not depend on the vehicle");
    p->height_m = given_number_or(d,
                                  given_def("height", "m", NULL, NULL,
                                            "above the ground; by default that beside `frozen`",
                                            TAC_PARAM_TUNABLE),
                                  p->height_m);
    p->airspeed_m_s =
        given_number_or(d,
                        given_def("airspeed", "m/s", NULL, "[0, inf)",
                                  "dryden: by default that beside `frozen`", TAC_PARAM_TUNABLE),
                        p->airspeed_m_s);
    tac_param_end(d);
    // Nobody else needs the direction, which a mean wind of 0 does not have.
    const bool blows = kind == TAC__WIND_DRYDEN && given_value(r_hypot(p->mean[0], p->mean[1])) > 0;
    const real speed = blows ? r_hypot(p->mean[0], p->mean[1]) : R(1.0);
    p->dryden.north = blows ? p->mean[0] / speed : R(1.0);
    p->dryden.east = blows ? p->mean[1] / speed : R(0.0);
    const real half = blows ? 0.5 * r_atan2(p->mean[1], p->mean[0]) : R(0.0);
    p->heading[0] = r_cos(half);
    p->heading[3] = r_sin(half);
    p->ground_m = R(tac_declare_world(d)->ground_m);
    return intensity;
}

#ifdef TAC_KIND_SYM
TAC_ENTRY tac_status tac__wind_numbers_of(tac_declare *d, const void *self, double *numbers)
{
    const tac__wind *shape = (const tac__wind *)self;
    tac__wind_numbers p;
    memset((void *)&p, 0, sizeof p);
    tac__wind_mean(d, &p);
    (void)tac__wind_dryden(d, shape->kind, &p);
    memcpy(numbers, &p, sizeof p);
    return TAC_OK;
}
#endif
