// motion.h - vehicles of a run that are no flights of aircraft: rockets, orbits, cars.
//
// What a component declares decides: one with the role `inertial_position` is on an orbit, one with
// `distance` is a car, one with `height` is a rocket. Fuel is that of all components of its entity.
// No type and no signal is asked for by name. An observer samples them: it changes no bit, and
// allocates nothing. docs/reports.md says how each number is measured.
#ifndef TAC_CLI_MOTION_H
#define TAC_CLI_MOTION_H

#include "base/names.h"
#include "base/text.h"
#include "cli/roles.h"
#include "cli/rows.h"

typedef enum cli_motion_kind { CLI_ROCKET, CLI_ORBIT, CLI_CAR, CLI_MOTION_KINDS } cli_motion_kind;

// A value that was an extreme, and when; NaN: not known.
typedef struct cli_peak {
    double value;
    tac_time t_us;
    double height_m, mach; // at that time
} cli_peak;

typedef struct cli_tank {
    const char *name; // of its component, without the entity
    cli_signal fuel;
    double start_kg, left_kg;
    double step_kg;           // what burnt between the last two samples
    bool lit, burning, fresh; // has burnt; burns between the last two samples; only since then
    double ignition_s, out_s; // when it began, and when it last ended
} cli_tank;

// Kepler's elements of an orbit [m, rad, s]. Those that do not exist are NaN: the period of a
// hyperbola, the node of an orbit in the plane of the equator.
typedef struct cli_elements {
    double semi_major_m, eccentricity, inclination, node, periapsis, anomaly;
    double period_s, periapsis_m, apoapsis_m; // distances from the centre
} cli_elements;

typedef struct cli_mover {
    cli_motion_kind kind;
    const char *name;
    size_t component;
    cli_signal signals[TAC_ROLE_COUNT];
    cli_tank *tanks;
    size_t tank_count;
    TAC__CAPACITY(cli_tank) tank_capacity;
    double mu_m3_s2, radius_m; // of an orbit

    // What has been seen
    bool seen;
    bool moving, launched,
        landed; // between the last two samples; has left the ground; has come back
    double position_m[3], start_m[3];
    double height_m, speed_m_s, mach;
    double lowest_m, highest_m; // altitudes of an orbit
    cli_peak apogee, top_speed, pressure;
    double downrange_m;       // along the ground
    double landing_m_s;       // speed in the last sample before
    double landing_s, stop_s; // when; where it stopped, if it stopped in the last interval
    double distance_m;        // of a car, since the start
    double start_way_m;
    double turns;                       // of an orbit
    double start_energy, energy, drift; // [J/kg]; the largest relative change
    double r_m[3], v_m_s[3];
    cli_elements first, last;
    double plane[2][3]; // axes in the plane of the orbit at the start
} cli_mover;

enum { CLI_MOTION_COLUMNS = 7 };
// What the columns of a vehicle are in the samples for a plot.
enum {
    CLI_ROCKET_DOWNRANGE, // [km]
    CLI_ROCKET_HEIGHT,    // [km]
    CLI_ROCKET_SPEED,     // [m/s]
    CLI_ROCKET_MACH,
    CLI_ROCKET_PRESSURE, // [kPa]
};
enum {
    CLI_ORBIT_X, // in its plane at the start [km]
    CLI_ORBIT_Y,
    CLI_ORBIT_ALTITUDE, // [km]
    CLI_ORBIT_SPEED,    // [m/s]
    CLI_ORBIT_DRIFT,    // of energy, relative
    CLI_ORBIT_NODE,     // change since the start [deg]
    CLI_ORBIT_PERIAPSIS,
};
enum {
    CLI_CAR_DISTANCE, // [m]
    CLI_CAR_SPEED,    // [m/s]
    CLI_CAR_HEIGHT,   // [m]
};

typedef struct cli_motion {
    cli_mover *movers;
    size_t count;
    tac__names entities; // with vehicles: the first of them
    bool continued;      // from a checkpoint: the start is not known
    tac_time last_us;
    cli_rows rows; // for a plot: time [s], columns of every vehicle, tanks of the first
    size_t tanks;  // the column of its first tank
    tac__arena arena;
} cli_motion;

void cli_motion_init(cli_motion *motion);
void cli_motion_fini(cli_motion *motion);

// As cli_flight_watch and its neighbours; `end_us` is the end of the run.
TAC_MUST_CHECK tac_status cli_motion_watch(cli_motion *motion, tac_engine *engine, tac_time end_us,
                                           tac_error *err);
TAC_MUST_CHECK tac_status cli_motion_begin(cli_motion *motion, const tac_engine *engine,
                                           bool keep_samples, tac_error *err);
void cli_motion_end(cli_motion *motion, tac_engine *engine);

// The osculating orbit of a point at `r` with velocity `v`.
cli_elements cli_elements_of(const double r[3], const double v[3], double mu_m3_s2);

#endif
