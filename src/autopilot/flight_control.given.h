// flight_control.given.h - the parameters of flight control that become numbers, read as numbers
// and as symbols.
#include "autopilot/flight_control.h"
#include "model/read_given.h"
#include "model/vehicle/params.h"

#include <stddef.h>
#include <string.h>

// The parameter, or the value derived from the others where it is 0.
static real bandwidth(tac_declare *d, const char *name, const char *doc, real derived)
{
    const real own = given_tunable(d, name, "rad/s", "0", "[0, 1000]", doc);
    return given_value(own) > 0 ? own : derived;
}

real tac__flight_motor_lag(const tac__vehicle *v)
{
    real slowest = R(0.0);
    for (int i = 0; i < v->rotors; i++) {
        const tac__rotor *r = &v->rotor[i];
        const real hover =
            r_sqrt(v->mass_kg * v->g_m_s2 / (double)v->rotors / (r->propeller.kt * v->density));
        const real damping = r->motor.ke * r->motor.ke / r->motor.resistance_ohm +
                             2.0 * r->propeller.kq * v->density * hover;
        slowest = r_max(slowest, r->motor.inertia / damping);
    }
    return slowest;
}

// The innermost loop is as fast as the lag of motors, estimate and sampling allows; each outer loop
// is slower by a factor at which the inner one is instantaneous to it.
static void read_bandwidths(tac_declare *d, const tac__vehicle *v, tac__control_tuning *t)
{
    const double fastest = 20, slowest = 4;
    const real rate =
        r_clamp(0.35 / (tac__flight_motor_lag(v) + TAC__LOOP_LAG_S), R(slowest), R(fastest));
    t->rate =
        bandwidth(d, "rate_bandwidth", "of roll and pitch rate; 0: from the motors' lag", rate);
    t->attitude = bandwidth(d, "attitude_bandwidth", "of roll and pitch; 0: a third of the rate's",
                            t->rate / 3.0);
    t->yaw_rate =
        bandwidth(d, "yaw_rate_bandwidth", "of yaw rate; 0: 0.4 of roll's", 0.4 * t->rate);
    t->yaw = bandwidth(d, "yaw_bandwidth", "of yaw; 0: 0.4 of its rate's", 0.4 * t->yaw_rate);
    t->velocity = bandwidth(d, "velocity_bandwidth", "of velocity; 0: 0.45 of the attitude's",
                            0.45 * t->attitude);
    t->position = bandwidth(d, "position_bandwidth", "of position; 0: 0.4 of the velocity's",
                            0.4 * t->velocity);
    t->velocity_integral = 0.25 * t->velocity;
    t->velocity_derivative = R(0.1);
    t->rate_integral = 0.1 * t->rate;
}

static void read_limits(tac_declare *d, tac__control_tuning *t)
{
    t->max_tilt_rad =
        given_tunable(d, "max_tilt", "rad", "35 deg", "[0.05, 1.3]", "of the thrust's axis");
    t->max_rate_rad_s =
        given_tunable(d, "max_rate", "rad/s", "200 deg/s", "[0.1, 100]", "of roll and pitch");
    t->max_yaw_rate_rad_s =
        given_tunable(d, "max_yaw_rate", "rad/s", "60 deg/s", "[0.01, 100]", "of yaw");
    t->acceleration =
        given_tunable(d, "acceleration", "m/s^2", "2.5", "[0.1, 50]", "on level ways");
    t->climb_acceleration =
        given_tunable(d, "climb_acceleration", "m/s^2", "2", "[0.1, 50]", "up and down");
    t->jerk = given_tunable(d, "jerk", "m/s^3", "12", "[0.1, 1000]", "of planned motion");
    t->idle = given_tunable(d, "idle", NULL, "0.05", "[0, 0.5]", "least duty of an armed motor");
}

static void read_habits(tac_declare *d, tac__flight *f)
{
    f->acceptance_m = given_tunable(d, "acceptance_radius", "m", "1", "[0.05, 1000]",
                                    "an item without a radius is reached within this distance");
    f->takeoff_m = given_tunable(d, "takeoff_altitude", "m", "10", "[0.5, 10000]",
                                 "above home, where the mission has no take-off or there is none");
    f->return_m = given_tunable(d, "return_altitude", "m", "15", "[0.5, 10000]",
                                "above home, climbed to at least before flying home");
    f->slow_m =
        given_tunable(d, "slow_height", "m", "2", "[0, 1000]", "below it landing is at land_speed");
    f->spool_s = given_tunable(d, "spool_time", "s", "0.8", "[0.01, 60]", "from idle to lift");
}

void tac__flight_params(tac_declare *d, const tac__vehicle *v, tac__control_tuning *tuning,
                        tac__flight *f)
{
    read_bandwidths(d, v, tuning);
    read_limits(d, tuning);
    read_habits(d, f);
    f->sea_level_m = R(tac_declare_world(d)->altitude_m);
}

void tac__flight_vehicle(tac_declare *d, tac__vehicle *v)
{
    const tac_param_def p = given_def("vehicle", NULL, "vehicle", NULL,
                                      "the multirotor to fly, declared before this component", 0);
    if (!tac_param_peer_begin(d, tac_param_text(d, &p)))
        return;
    tac__vehicle_params(d, v);
    tac_param_end(d);
}

#ifdef TAC_KIND_SYM
TAC_ENTRY tac_status tac__flight_control_numbers(tac_declare *d, const void *self, double *numbers)
{
    (void)self;
    tac__vehicle v;
    tac__control_tuning tuning;
    tac__flight flight;
    tac__control_shape shape;
    memset((void *)&v, 0, sizeof v);
    memset((void *)&flight, 0, sizeof flight);
    tac__flight_vehicle(d, &v);
    tac__flight_params(d, &v, &tuning, &flight);
    tac__control_init(&flight.control, &shape, &v, &tuning);
    memcpy(numbers, &flight, tac__flight_size(shape.rotors));
    return TAC_OK;
}
#endif
