// flight_control.h - flight control as a component: the order of its ports and states, what it
// knows besides numbers, and its steps of each kind. flight_control.c declares it.
#ifndef TAC_AUTOPILOT_FLIGHT_CONTROL_H
#define TAC_AUTOPILOT_FLIGHT_CONTROL_H

#include "autopilot/flight.h"
#include <tactus/component.h>

enum {
    TAC__FLIGHT_POSITION,
    TAC__FLIGHT_VELOCITY,
    TAC__FLIGHT_ATTITUDE,
    TAC__FLIGHT_RATE,
    TAC__FLIGHT_ARM,
    TAC__FLIGHT_MODE,
    TAC__FLIGHT_ROTOR_SPEED,
    TAC__FLIGHT_BUS_VOLTAGE,
    TAC__FLIGHT_SPEEDS, // parameters that may change, in the order of tac__flight_speed
    TAC__FLIGHT_INPUTS = TAC__FLIGHT_SPEEDS + 4,
};

enum {
    TAC__FLIGHT_CRUISE,
    TAC__FLIGHT_CLIMB,
    TAC__FLIGHT_DESCEND,
    TAC__FLIGHT_LAND,
    TAC__FLIGHT_SPEED_COUNT
};

enum {
    TAC__FLIGHT_OUT_MOTOR,
    TAC__FLIGHT_OUT_ARMED,
    TAC__FLIGHT_OUT_PHASE,
    TAC__FLIGHT_OUT_LANDED,
    TAC__FLIGHT_OUT_CURRENT,
    TAC__FLIGHT_OUT_REACHED,
    TAC__FLIGHT_OUT_TOTAL,
    TAC__FLIGHT_OUT_POSITION,
    TAC__FLIGHT_OUT_VELOCITY,
    TAC__FLIGHT_OUT_ATTITUDE,
    TAC__FLIGHT_OUT_RATE,
    TAC__FLIGHT_OUT_THRUST,
    TAC__FLIGHT_OUT_TORQUE,
    TAC__FLIGHT_OUTPUTS
};

enum { TAC__FLIGHT_STATE_NUMBERS, TAC__FLIGHT_STATE_WORDS };

// What a step decides (tac_declare_decision): X(NAME, elements, "name", scalar, "unit", "doc"), in
// the order of decided[]; `works` and `amiss`, one a rotor each, follow. The words, from `started`
// on, are those of tac__flight_words. Values are those after the step.
#define TAC__FLIGHT_DECISIONS(X)                                                                   \
    X(RESTARTS, 1, "restarts", BOOL, NULL, "the control loops begin anew in this step")            \
    X(DESCENDS, 1, "descends", BOOL, NULL, "it sinks to the ground at land_speed")                 \
    X(STARTED, 1, "started", BOOL, NULL, "the first estimate has been seen")                       \
    X(PHASE, 1, "phase", I32, NULL, "of the flight")                                               \
    X(STAGE, 1, "stage", I32, NULL, "of return and landing")                                       \
    X(ITEM, 1, "item", I32, NULL, "of the mission")                                                \
    X(REACHED, 1, "reached", I32, NULL, "items passed")                                            \
    X(ON_ITEM, 1, "on_item", BOOL, NULL, "the phase is part of the item")                          \
    X(ARMED, 1, "armed", BOOL, NULL, "motors turn")                                                \
    X(LANDED, 1, "landed", BOOL, NULL, "it stands on the ground")                                  \
    X(ARM_BEFORE, 1, "arm_before", BOOL, NULL, "the last command to arm")                          \
    X(MODE_BEFORE, 1, "mode_before", I32, NULL, "the last mode")                                   \
    X(YAW_HELD, 1, "yaw_held", BOOL, NULL, "yaw can be held")                                      \
    X(CAN_HOVER, 1, "can_hover", BOOL, NULL, "the rotors that work can hold it")                   \
    X(HOME, 3, "home", F64, "m", "where it started")                                               \
    X(TARGET, 3, "target", F64, "m", "where to fly to")                                            \
    X(RUN_OUT, 1, "run_out", F64, "m", "beyond the target, where the way would end in rest")       \
    X(GROUND, 1, "ground", F64, "m", "down: where a landing ends")                                 \
    X(YAW, 1, "yaw", F64, "rad", "to turn to")                                                     \
    X(LIFT, 1, "lift", F64, NULL, "part of the thrust while taking off")                           \
    X(HELD, 1, "held", F64, "s", "at the item")                                                    \
    X(STILL, 1, "still", F64, "s", "how long it has seemed to be on the ground")                   \
    X(SINKING, 1, "sinking", F64, "m/s", "velocity down, filtered")

// Where each begins in decided[].
enum {
#define TAC__DECIDED_ENUM(name, count, ...)                                                        \
    TAC__DECIDED_##name, TAC__DECIDED_##name##_END = TAC__DECIDED_##name + (count)-1,
    TAC__FLIGHT_DECISIONS(TAC__DECIDED_ENUM)
#undef TAC__DECIDED_ENUM
        TAC__DECIDED_WORKS,
    TAC__DECIDED_WORD_COUNT = TAC__DECIDED_HOME - TAC__DECIDED_STARTED,
};

// A speed that may be changed during the run.
typedef struct tac__flight_speed {
    tac_param_def param;
    double most;
} tac__flight_speed;

extern const tac__flight_speed tac__flight_speeds[TAC__FLIGHT_SPEED_COUNT];

// The mission comes last: there is memory for as many items as it has.
typedef struct tac__flight_control {
    tac__control_shape shape;
    int buses, bus[TAC__ROTORS_MAX]; // of each rotor
    tac__mission mission;
} tac__flight_control;

// `self` of a component: vehicles that are alike share what it points to.
typedef const tac__flight_control *tac__flight_self;

TAC_ENTRY tac_status TAC_KINDED(tac__flight_control_step)(tac_step *s, const void *self);

// The same where all decisions are given, in s->decided: for graphs.
TAC_ENTRY tac_status TAC_KINDED(tac__flight_control_given)(tac_step *s, const void *self);

#ifdef TAC_KIND_F64
// Write all outputs.
void tac__flight_control_write(tac_step *s, const void *self, const tac__control_out *out);
// Warn of bandwidths of the rate loops that the actuators do not allow.
void tac__flight_doubt_bandwidths(tac_declare *d, const tac__vehicle *v,
                                  const tac__control_tuning *tuning);
// What the step is about to decide.
tac_status tac__flight_control_decide(const tac_step *s, const void *self, double *decided);
#endif
#if defined(TAC_KIND_F64) || defined(TAC_KIND_SYM)
// What it must know of the vehicle: nothing is set where there is none to read from.
void tac__flight_vehicle(tac_declare *d, tac__vehicle *v);

// The delay of estimate, sampling, and speed controller in the rate loop.
#define TAC__LOOP_LAG_S 0.012

// The time constant with which rotor speeds follow a change at hover, of the slowest rotor:
// J/(Kt^2/R + 2 kQ rho W).
real tac__flight_motor_lag(const tac__vehicle *v);

// All of *f but `control`, and how that is tuned.
void tac__flight_params(tac_declare *d, const tac__vehicle *v, tac__control_tuning *tuning,
                        tac__flight *f);
#endif

// `numbers` of the type.
TAC_BEGIN_DECLS
tac_status tac__flight_control_numbers(tac_declare *d, const void *self, double *numbers);
TAC_END_DECLS

#endif
