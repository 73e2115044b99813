// px4.h - the inside of the component `px4`: what is fixed once it is declared (px4.c), and what
// changes during the flight (flight.c).
#ifndef TAC_AUTOPILOT_PX4_PX4_H
#define TAC_AUTOPILOT_PX4_PX4_H

#include "autopilot/px4/commands.h"
#include "autopilot/px4/mission_rows.h"
#include "autopilot/px4/params_file.h"
#include "autopilot/px4/pilot.h"
#include "autopilot/px4/printed.h"
#include "autopilot/px4/traffic.h"
#include "model/vehicle/multirotor.h"
#include "model/world/geodesy.h"

enum { TAC__PX4_PARAMS_MAX = 1024, TAC__PX4_WARNINGS = 3 };

// A parameter of the configuration. Its value is an input, so it may change during the run.
typedef struct tac__px4_param {
    const char *name;
    int input;
} tac__px4_param;

enum {
    TAC__PX4_IN_POSITION,
    TAC__PX4_IN_VELOCITY,
    TAC__PX4_IN_ATTITUDE,
    TAC__PX4_IN_RATE,
    TAC__PX4_IN_ARM,
    TAC__PX4_IN_MODE,
    TAC__PX4_IN_BATTERY_VOLTAGE,
    TAC__PX4_IN_BATTERY_CURRENT,
    TAC__PX4_IN_BATTERY_SOC,
    TAC__PX4_IN_ROTOR_SPEED,
    TAC__PX4_IN_BUS_VOLTAGE,
    TAC__PX4_IN_ANGULAR_ACCELERATION,
};

enum {
    TAC__PX4_OUT_MOTOR,
    TAC__PX4_OUT_ARMED,
    TAC__PX4_OUT_PHASE,
    TAC__PX4_OUT_LANDED,
    TAC__PX4_OUT_CURRENT,
    TAC__PX4_OUT_REACHED,
    TAC__PX4_OUT_TOTAL,
    TAC__PX4_OUT_POSITION,
    TAC__PX4_OUT_VELOCITY,
    TAC__PX4_OUT_ATTITUDE,
    TAC__PX4_OUT_RATE,
    TAC__PX4_OUT_THRUST,
    TAC__PX4_OUT_TORQUE,
    TAC__PX4_OUT_ACCELERATION,
    TAC__PX4_OUT_YAW,
    TAC__PX4_OUT_NAV_STATE,
    TAC__PX4_OUT_VALID,
    TAC__PX4_OUT_FINISHED,
    TAC__PX4_OUT_CONTROL,
    TAC__PX4_OUT_LAND_DETECTED,
    TAC__PX4_OUT_SERVO,
};

// The last warnings of PX4, the newest at the end, each once. PX4 gives its reason for a refusal
// some lines before the last one.
enum { TAC__PX4_WORDS = 3, TAC__PX4_WORDS_LINE = 160 };

typedef struct tac__px4_words {
    size_t count;
    char lines[TAC__PX4_WORDS][TAC__PX4_WORDS_LINE];
} tac__px4_words;

// PX4 itself and the state of the bridge. The engine does not own them, so there are no
// checkpoints.
typedef struct tac__px4_flight {
    tac__watch watch;
    tac__px4 *px4; // NULL: not started yet
    bool started;
    tac__pilot pilot;
    tac__px4_values values;
    double *params;  // values of `params` that PX4 has
    double *results; // the tac__px4_results, and after them those of the extras
    double home[3];
    double standing_down_m;             // position down, on the ground
    double warnings[TAC__PX4_WARNINGS]; // states of charge below which a battery is low, critical,
                                        // and an emergency
    uint64_t ticks;
    int32_t reached;        // items, since it was armed
    int32_t reached_before; // as PX4 still reports of the flight before; 0: nothing
    int32_t phase;
    tac__px4_acks acks;
    double refused[4];     // the last command that was refused, and its parameters
    double speed_told_m_s; // level, in the mission; 0: PX4's own
    bool returning;        // the mission ends by a return, which is under way
    bool returned;         // and is over
    bool warned;           // that there is no mission to fly
    tac_time refused_us;   // since when PX4 refuses the mission, if it does
    tac__printed printed;  // text of PX4
    tac__px4_words words;
    tac_error err;
} tac__px4_flight;

typedef struct tac__px4_component {
    tac__arena arena;
    bool begun;                    // the arena is there
    const char *library, *mission; // files
    tac__px4_mission items;        // of the mission
    tac_time limit_us;             // of a call
    tac__px4_config config;
    tac__vehicle vehicle;
    uint32_t rotors, batteries, buses;
    tac__px4_file_params file_params; // set before `params`
    tac__px4_param *params;
    size_t param_count;
    tac__pilot_habits habits;
    bool has_home;
    double home[3];
    tac__geodesy geodesy;
    double ground_m; // of the world
    tac__px4_traffic *traffic;
    int memory; // state of the formulas; -1: none
    tac__px4_flight *flight;
} tac__px4_component;

void tac__px4_flight_init(tac_step *s, const tac__px4_component *c);
tac_status tac__px4_flight_step(tac_step *s, const tac__px4_component *c);
void tac__px4_flight_close(tac__px4_flight *f);

#endif
