// flight.h - the vehicles of a run: finding them, and what the report says of them.
//
// A vehicle is a component with a signal whose role is a position; a component of the same entity
// with signals of a control flies it (tac_role). No type and no signal is asked for by name, so
// plugins count as well. An observer samples them 100 times a second: it changes no bit, and
// allocates nothing.
#ifndef TAC_CLI_FLIGHT_H
#define TAC_CLI_FLIGHT_H

#include "base/names.h"
#include "base/text.h"
#include "cli/roles.h"
#include "cli/rows.h"

#include <tactus/engine.h>

typedef struct cli_vehicle {
    const char *name; // of its entity, or of its component if the entity has several vehicles
    const char *entity, *body, *control; // control NULL: none
    size_t body_number, control_number;  // among all components
    bool turns;                          // it has an attitude
    const double *landing_m;             // of its control's mission: north, east; NULL: none
    cli_signal signals[TAC_ROLE_COUNT];  // by role: those of its body, then those of its control

    // What has been seen so far
    size_t batteries;
    double *soc, *voltage_v, *start_soc; // one a battery
    bool seen, airborne;
    double start_m[3], position_m[3];     // north, east, down
    double max_altitude_m;                // above the ground
    double distance_m;                    // flown: without a foot on the ground
    tac_time flight_us;                   // time in the air
    double speed_m_s, sink_m_s, tilt_deg; // NaN: not known
    double max_speed_m_s;
    bool touched;       // True if the impact is known.
    bool smashed;       // True once it hit the ground faster than it survives.
    tac_time impact_us; // The impact: what smashed it, else the first touch since a flight.
    double impact_m_s, impact_deg; // Speed just before the impact, tilt at that time.
    double touchdown_m_s;          // Fastest sink at a touch since it took off; NaN: no touch.
    tac_time upright_us;           // Time in upright flight without a touch.
    tac_time stood_us;             // Time on the ground without a flight.
    tac_time on_ground_us;         // Last sample on the ground.
    bool crashed; // True if it was smashed, or ended on the ground, not on its feet.
    bool landed, armed;
    int64_t reached, total; // items of the mission; without control 0
} cli_vehicle;

enum { CLI_NORTH, CLI_EAST, CLI_ALTITUDE, CLI_SPEED, CLI_FLIGHT_COLUMNS };

// Samples for a plot: the time [s], then the columns of every vehicle [m, m/s], then those that
// only the first vehicle has. NaN means unknown.
typedef struct cli_samples {
    cli_rows rows;
    // Columns of the first vehicle
    size_t angles;              // roll, pitch, yaw [deg], without jumps of 360
    size_t reference;           // north, east, altitude [m] while it flies
    size_t reached;             // items
    size_t motors, motor_count; // commands
    bool speeds;                // or, where there are none, rotor speeds [rad/s]
    size_t soc, voltage;        // [%], [V], one a battery
} cli_samples;

typedef struct cli_flight {
    cli_vehicle *vehicles;
    size_t count;
    tac__names entities; // of an entity with vehicles: the first of them
    bool continued;      // from a checkpoint: the start of the flight is not known
    double ground_m;
    tac_time last_us;
    cli_samples samples;
    tac__arena arena;
} cli_flight;

void cli_flight_init(cli_flight *flight);
void cli_flight_fini(cli_flight *flight);

// Find the vehicles of an engine that is not prepared yet, and observe them. `flight` must not move
// in memory as long as the engine runs.
TAC_MUST_CHECK tac_status cli_flight_watch(cli_flight *flight, tac_engine *engine, tac_error *err);
// Call it once the engine is prepared and at the start of the run: finds the signals, and allocates
// samples if they are to be kept.
TAC_MUST_CHECK tac_status cli_flight_begin(cli_flight *flight, const tac_engine *engine,
                                           const tac_engine_def *def, bool keep_samples,
                                           tac_error *err);
// Call it when the run is over, wherever it ended: takes the last sample.
void cli_flight_end(cli_flight *flight, tac_engine *engine);

// --- what is known of a vehicle ------------------------------------------------------------------

double cli_altitude_m(const cli_flight *flight, const cli_vehicle *vehicle);
// Whether anything says if the vehicle is on the ground: its feet, its hull, its control. Of one
// without, it is not known whether it flies or has landed.
bool cli_tells_ground(const cli_vehicle *vehicle);
// How fast a vehicle that landed came down; NaN: it did not land, or its touch was not seen.
double cli_touchdown_m_s(const cli_vehicle *vehicle);
// Faster is a hard landing: the limit descent velocity that landing gear is built for (10 ft/s,
// FAR 25.473); a fall from 0.5 m.
#define CLI_HARD_LANDING_M_S 3.0
// Faster is a crash: four times the energy that landing gear is built for; a fall from 1.8 m.
#define CLI_CRASH_M_S (2 * CLI_HARD_LANDING_M_S)
// What a landing is measured from: the landing point of the mission if all items were passed, else
// the start. NULL: the vehicle has not flown and landed, or its start is not known.
const double *cli_landing_from(const cli_flight *flight, const cli_vehicle *vehicle);
double cli_landing_error_m(const cli_flight *flight, const cli_vehicle *vehicle); // horizontal; NaN

// Totals of several vehicles, or of one. NaN means unknown.
typedef struct cli_fleet {
    size_t count, landed, crashed, hard;
    bool controlled; // any has a flight control
    int64_t reached, total;
    double distance_m;                      // of all together
    tac_time flight_us;                     // the longest
    double max_altitude_m, landing_error_m; // the largest
    double touchdown_m_s;                   // the fastest
    bool landing_point;                     // all landings are measured from that of a mission
    double soc, voltage_v;                  // the lowest
    double used_min, used_max;              // charge of a battery
} cli_fleet;

cli_fleet cli_flight_sum(const cli_flight *flight, const cli_vehicle *vehicles, size_t count);

#endif
