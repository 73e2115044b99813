// flight.h - the vehicles of a run and what became of them.
//
// A vehicle is a component of type `multirotor`; a `flight_control` or `px4` in the same entity
// flies it. They are found by type and read by name, so plugins with types of these names count as
// well. An observer looks at them 100 times a second: it changes no bit, and allocates nothing.
#ifndef TAC_CLI_FLIGHT_H
#define TAC_CLI_FLIGHT_H

#include "base/text.h"

#include <tactus/engine.h>

// What is read of a vehicle: signals of its body, then of its control.
typedef enum cli_signal {
    CLI_POSITION,
    CLI_ATTITUDE,
    CLI_SOC,
    CLI_VOLTAGE,
    CLI_FEET_DOWN,
    CLI_ROTOR_SPEED,
    CLI_MOTOR,
    CLI_LANDED,
    CLI_ARMED,
    CLI_REACHED,
    CLI_TOTAL,
    CLI_REFERENCE,
    CLI_SIGNALS
} cli_signal;

typedef struct cli_vehicle {
    const char *name;                    // of its entity, or of its component where that says more
    const char *entity, *body, *control; // control NULL: none
    struct {
        int index; // -1: there is none
        tac_scalar scalar;
        uint32_t count;
    } signals[CLI_SIGNALS];

    // What was seen of it
    size_t batteries;
    double *soc, *voltage_v, *start_soc; // one a battery
    bool seen, airborne;
    double start_m[3], position_m[3]; // north, east, down
    double max_altitude_m;            // above the ground
    double distance_m;                // flown, that is without a foot on the ground
    tac_time flight_us;               // time in the air
    bool landed, armed;
    int64_t reached, total; // items of the mission; without control 0
} cli_vehicle;

// Samples for a plot: rows of time [s], then north, east [m] and altitude [m] of every vehicle,
// then what only the first one shows. NaN stands for what is not known.
typedef struct cli_samples {
    double *values; // NULL: none are kept
    size_t rows, capacity, columns;
    size_t stride, looks; // every stride-th look is kept
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
    bool continued; // from a checkpoint: where the flight began is not known
    double ground_m;
    tac_time last_us;
    cli_samples samples;
    tac__arena arena;
} cli_flight;

void cli_flight_init(cli_flight *flight);
void cli_flight_fini(cli_flight *flight);

// Find the vehicles of an engine that is not prepared yet, and have it show them. `flight` must
// stay where it is as long as the engine is run.
TAC_MUST_CHECK tac_status cli_flight_watch(cli_flight *flight, tac_engine *engine, tac_error *err);
// Once it is prepared, and stands where the run begins: find the signals, and make room for samples
// up to def->end_us if they are to be kept.
TAC_MUST_CHECK tac_status cli_flight_begin(cli_flight *flight, const tac_engine *engine,
                                           const tac_engine_def *def, bool keep_samples,
                                           tac_error *err);
// The run is over, wherever it ended: the last look.
void cli_flight_end(cli_flight *flight, tac_engine *engine);

// --- what can be said of a vehicle ---------------------------------------------------------------

double cli_altitude_m(const cli_flight *flight, const cli_vehicle *vehicle);
double cli_from_start_m(const cli_vehicle *vehicle); // on the map
// Whether it has come down after a flight whose start is known; its landing error then is
// cli_from_start_m.
bool cli_has_landing(const cli_flight *flight, const cli_vehicle *vehicle);

// Several vehicles as one, or one by itself. NaN stands for what cannot be said.
typedef struct cli_fleet {
    size_t count, landed;
    bool controlled; // any has a flight control
    int64_t reached, total;
    double distance_m;                      // of all together
    tac_time flight_us;                     // the longest
    double max_altitude_m, landing_error_m; // the largest
    double soc, voltage_v;                  // the lowest
    double used_min, used_max;              // charge of a battery
} cli_fleet;

cli_fleet cli_flight_sum(const cli_flight *flight, const cli_vehicle *vehicles, size_t count);

#endif
