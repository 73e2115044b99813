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

#ifdef TAC_KIND_F64
// Write all outputs.
void tac__flight_control_write(tac_step *s, const void *self, const tac__control_out *out);
#endif
#endif
