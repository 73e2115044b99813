// motor.given.h - the parameters of a rocket motor that become numbers, read as numbers and as
// symbols.
#include "model/rocket/motor.h"
#include "model/read_given.h"

#include <string.h>

#define STANDARD_G 9.80665 // m/s^2: what a specific impulse in seconds refers to

void tac__rocket_motor_thrust(tac_declare *d, tac__rocket_motor *p)
{
    p->thrust_n =
        given_number(d, "thrust", "N", NULL, "(0, inf)", "nominal, in vacuum at full throttle");
    const real isp = given_number(d, "isp", "s", NULL, "(0, inf)", "in vacuum");
    const real low = given_number(d, "isp_sea_level", "s", "0", "[0, inf)", "0: as in vacuum");
    if (given_value(low) > given_value(isp))
        (void)tac_declare_fail(d, "isp_sea_level", "must not be above 'isp', %g s",
                               given_value(isp));
    p->flow = p->thrust_n / (isp * STANDARD_G);
    p->loss = given_value(low) > 0 ? 1.0 - low / isp : R(0.0);
    p->tau_s = given_number(d, "spool", "s", "0", "[0, inf)",
                            "time constant of thrust behind the throttle; 0: at once");
    p->fuel_kg = given_number(d, "fuel", "kg", NULL, "(0, inf)", "at t = 0");
    p->rest_kg = given_number(d, "residual", "kg", "1e-6", "[0, inf)", "fuel that does not burn");
}

void tac__rocket_motor_geometry(tac_declare *d, tac__rocket_motor *p)
{
    const tac_param_def position =
        given_def("position", "m", "[0, 0, 0]", NULL, "where the thrust acts, in body axes", 0);
    const tac_param_def direction =
        given_def("direction", NULL, "[1, 0, 0]", NULL, "of the thrust", 0);
    real position_m[3];
    given_array(d, &position, position_m, 3);
    given_array(d, &direction, p->direction, 3);
    const real length = vec3_norm(given_vec3(p->direction));
    const bool points = given_value(length) > 0;
    if (!points)
        (void)tac_declare_fail(d, "direction", "must not be zero");
    for (int i = 0; i < 3; i++)
        p->direction[i] = points ? p->direction[i] / length : R(i == 0);
    const vec3 moment = vec3_cross(given_vec3(position_m), given_vec3(p->direction));
    p->moment[0] = moment.x;
    p->moment[1] = moment.y;
    p->moment[2] = moment.z;
}

#ifdef TAC_KIND_SYM
TAC_ENTRY tac_status tac__rocket_motor_numbers(tac_declare *d, const void *self, double *numbers)
{
    (void)self;
    tac__rocket_motor p;
    tac__rocket_motor_thrust(d, &p);
    tac__rocket_motor_geometry(d, &p);
    memcpy(numbers, &p, sizeof p);
    return TAC_OK;
}
#endif
