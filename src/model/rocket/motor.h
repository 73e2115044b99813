// motor.h - a tank and the engine that empties it: parameters, the order of states and ports, entry
// points of motor.model.h. Equations: docs/models/rocket.md.
#ifndef TAC_MODEL_ROCKET_MOTOR_H
#define TAC_MODEL_ROCKET_MOTOR_H

#include <stdbool.h>

enum { TAC__MOTOR_CURVE_MAX = 64 };

typedef struct tac__rocket_motor {
    double thrust_n; // in vacuum, at full throttle where the curve is 1
    double flow;     // mass flow at that thrust [kg/s]
    double loss;     // part of the thrust that is lost at the pressure of sea level
    double fuel_kg;  // at t = 0
    double rest_kg;  // fuel that does not burn
    double tau_s;    // of the spool; 0: none
    bool by_time;    // the curve is a function of the time burnt; else of the part burnt
    int points;
    double at[TAC__MOTOR_CURVE_MAX], part[TAC__MOTOR_CURVE_MAX];
    double position_m[3], direction[3]; // of the thrust, in body axes

    double moment[3]; // of a unit of thrust about the datum
} tac__rocket_motor;

enum { TAC__MOTOR_FUEL, TAC__MOTOR_BURNT, TAC__MOTOR_LAG, TAC__MOTOR_STATES }; // LAG: if tau_s > 0
enum { TAC__MOTOR_IN_THROTTLE, TAC__MOTOR_IN_PRESSURE, TAC__MOTOR_INS };
enum {
    TAC__MOTOR_OUT_THRUST,
    TAC__MOTOR_OUT_FLOW,
    TAC__MOTOR_OUT_FORCE,
    TAC__MOTOR_OUT_MOMENT,
    TAC__MOTOR_OUT_SPOOL,
    TAC__MOTOR_OUTS
};

#ifndef __cplusplus

// mode[0] is 1 while there is something to burn.
void tac__rocket_motor_derive_f64(const tac__rocket_motor *p, const void *const *in,
                                  const double *mode, const double *x, double *dx);
void tac__rocket_motor_output_f64(const tac__rocket_motor *p, const void *const *in,
                                  const double *mode, const double *x, void *const *out);

void tac__rocket_motor_derive_dual(const tac__rocket_motor *p, const void *const *in,
                                   const void *mode, const void *x, void *dx);
void tac__rocket_motor_output_dual(const tac__rocket_motor *p, const void *const *in,
                                   const void *mode, const void *x, void *const *out);

#endif
#endif
