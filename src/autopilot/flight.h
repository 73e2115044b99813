// flight.h - flight control without the engine: commands and estimates in, motor commands out. What
// changes during a flight is in two structs, one of doubles and one of int32_t, which the component
// declares as states. docs/flight_control.md describes phases and failures.
#ifndef TAC_AUTOPILOT_FLIGHT_H
#define TAC_AUTOPILOT_FLIGHT_H

#include "autopilot/control.h"
#include "autopilot/mission.h"
#include "model/labels.h"

#define TAC__PHASE_TABLE(X)                                                                        \
    X(IDLE, "idle")       /* on the ground, or motors off */                                       \
    X(TAKEOFF, "takeoff") /* straight up */                                                        \
    X(MISSION, "mission") /* between the items of the mission */                                   \
    X(RETURN, "return")   /* up, home; then land */                                                \
    X(LAND, "land")                                                                                \
    X(LANDED, "landed") /* on the ground after a flight, motors off */                             \
    X(HOLD, "hold")     /* stays where it is */

typedef enum tac__flight_phase {
#define TAC__PHASE_ENUM(name, label) TAC__PHASE_##name,
    TAC__PHASE_TABLE(TAC__PHASE_ENUM)
#undef TAC__PHASE_ENUM
} tac__flight_phase;

extern const char *const tac__flight_phase_labels[];

// Fixed during a flight.
typedef struct tac__flight {
    tac__control control;
    double sea_level_m;  // down, from the origin of the world
    double acceptance_m; // an item without a radius is reached within this distance
    double takeoff_m, return_m;
    double slow_m;  // height below which landing is slow
    double spool_s; // from idle to lift
    tac__mission mission;
} tac__flight;

typedef struct tac__flight_in {
    double position[3], velocity[3], attitude[4], rate[3]; // as estimated
    bool arm;
    tac__flight_mode mode;
    double cruise_speed, climb_speed, descend_speed, land_speed;
    const double *rotor_speed; // NULL: not known
    double voltage[TAC__ROTORS_MAX];
} tac__flight_in;

// Only doubles: the component declares the struct as an array.
typedef struct tac__flight_numbers {
    tac__control_state loops;
    double home[3];
    double target[3], run_out;
    double ground; // down: where a landing ends
    double yaw;
    double lift;    // 0 to 1, while taking off
    double held_s;  // at the item
    double still_s; // how long it has seemed to be on the ground
    double sinking; // velocity down, filtered
    double thrust;  // asked for in the last step
    double works[TAC__ROTORS_MAX];
    double expected[TAC__ROTORS_MAX]; // speed that the last command should give
    double highest[TAC__ROTORS_MAX];  // highest speed in the last steps
    double amiss_s[TAC__ROTORS_MAX];  // how long the speed has not been as expected
} tac__flight_numbers;

// int32_t only.
typedef struct tac__flight_words {
    int32_t started; // the first estimate has been seen
    int32_t phase;
    int32_t stage; // of return and land
    int32_t item, reached;
    int32_t on_item; // the phase is part of the item
    int32_t armed, landed;
    int32_t arm_before, mode_before;
    int32_t yaw_held, can_hover;
} tac__flight_words;

typedef struct tac__flight_state {
    tac__flight_numbers *n;
    tac__flight_words *w;
} tac__flight_state;

// On the ground, motors off.
void tac__flight_init(const tac__flight *f, tac__flight_state s);
// One step of dt_s. out->duty are the commands to the motors.
void tac__flight_step(const tac__flight *f, double dt_s, const tac__flight_in *in,
                      tac__flight_state s, tac__control_out *out);

// Whether the vehicle can hover and turn with the rotors that work, with some thrust to spare, and
// whether it can hold its yaw. `voltage` and `works` have one number a rotor.
void tac__flight_assess(const tac__control *c, const double *voltage, const double *works,
                        bool *can_hover, bool *can_yaw);

#endif
