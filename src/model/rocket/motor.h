// motor.h - a tank and the engine that empties it: numbers and shape, the order of states and
// ports, kernels of motor.model.h. Equations: docs/models/rocket.md. A translation unit that
// includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_MOTOR_H
#define TAC_MODEL_ROCKET_MOTOR_H

#include "model/builtin.h"
#include "model/kernel.h"

enum { TAC__MOTOR_CURVE_MAX = 64 };

typedef struct tac__rocket_motor {
    param thrust_n;     // in vacuum, at full throttle where the curve is 1
    param flow;         // mass flow at that thrust [kg/s]
    param loss;         // part of the thrust that is lost at the pressure of sea level
    param fuel_kg;      // at t = 0
    param rest_kg;      // fuel that does not burn
    param tau_s;        // of the spool
    param direction[3]; // of the thrust, in body axes
    param moment[3];    // of a unit of thrust about the datum
} tac__rocket_motor;

// The first part of a component's self.
typedef struct tac__rocket_motor_shape {
    bool spools;  // thrust follows the throttle with tau_s; false: at once
    bool by_time; // the curve is a function of the time burnt; else of the part burnt
    bool spline;  // the curve is a spline; else straight lines
    int points;   // of the curve
    double at[TAC__MOTOR_CURVE_MAX], part[TAC__MOTOR_CURVE_MAX];
    double bend[2 * TAC__MOTOR_CURVE_MAX]; // of a spline: math/spline.h
} tac__rocket_motor_shape;

enum { TAC__MOTOR_FUEL, TAC__MOTOR_BURNT, TAC__MOTOR_LAG, TAC__MOTOR_STATES }; // LAG: if it spools
enum { TAC__MOTOR_IN_THROTTLE, TAC__MOTOR_IN_PRESSURE, TAC__MOTOR_INS };
enum {
    TAC__MOTOR_OUT_THRUST,
    TAC__MOTOR_OUT_FLOW,
    TAC__MOTOR_OUT_FORCE,
    TAC__MOTOR_OUT_MOMENT,
    TAC__MOTOR_OUT_SPOOL,
    TAC__MOTOR_OUTS
};

// mode[0] is 1 while there is something to burn.
TAC__EVAL_KERNEL(tac__rocket_motor_output)
TAC__EVAL_KERNEL(tac__rocket_motor_derive)
TAC__STATE_KERNEL(tac__rocket_motor_detect)
TAC__STATE_KERNEL(tac__rocket_motor_project)

#if defined(TAC_KIND_F64) || defined(TAC_KIND_SYM)
// motor.given.h: two parts, between which the curve is read.
void tac__rocket_motor_thrust(tac_declare *d, tac__rocket_motor *p);
void tac__rocket_motor_geometry(tac_declare *d, tac__rocket_motor *p);
#endif

// `numbers` of the type.
TAC_BEGIN_DECLS
tac_status tac__rocket_motor_numbers(tac_declare *d, const void *self, double *numbers);
TAC_END_DECLS

#endif
