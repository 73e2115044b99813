// control.h - the control laws of a multirotor: parameters, inputs and outputs, and the entry
// points of control.model.h for doubles. docs/flight_control.md has the equations.
//
// SI units. The world is NED, the body forward-right-down. Inputs, outputs and states are listed
// once, as fields of one or several numbers; control.model.h makes the same structs of reals of any
// kind.
#ifndef TAC_AUTOPILOT_CONTROL_H
#define TAC_AUTOPILOT_CONTROL_H

#include "model/vehicle/multirotor.h"

// Bandwidth of each loop [rad/s], and its limits. Gains follow from these and from the vehicle.
typedef struct tac__control_tuning {
    double position, velocity, velocity_integral; // bandwidths
    double velocity_derivative;                   // 1
    double attitude, rate, rate_integral;         // of roll and pitch
    double yaw, yaw_rate;
    double max_tilt_rad, max_rate_rad_s, max_yaw_rate_rad_s;
    double acceleration, climb_acceleration, jerk; // of the reference, horizontal and vertical
    double idle;                                   // duty of a motor that shall give no thrust
} tac__control_tuning;

// How the reference comes to rest: the last metres are closed at this rate [1/s], and braking uses
// this part of the acceleration.
#define TAC__APPROACH 1.0
#define TAC__BRAKING  0.6

// Weight of an error in thrust relative to one in roll and pitch, where not all can be met.
#define TAC__THRUST_WEIGHT 0.1

// The model of a rotor: thrust k W^2 at the voltage duty * V = v0 + v1 W + v2 thrust.
typedef struct tac__control_rotor {
    double effect[4];   // of full thrust: thrust, roll, pitch, yaw, in units of `scale`
    double weighted[3]; // the first three, times the weights of their errors
    double given[4];    // the effect in N and N m
    double k, v0, v1, v2;
    double full_n; // thrust at full duty and nominal voltage
    double per_full;
    double per_k;
    double idle_n, idle, idle_rad_s; // thrust, part of full thrust and speed at idle
    double limit_n;                  // what the motor's greatest current allows
    double mix[4];                   // its share of one unit of each, where nothing is limited
} tac__control_rotor;

typedef struct tac__control {
    tac__control_tuning tuning;
    double mass_kg, g_m_s2, inertia[9];
    double voltage_v;
    double tilt_slope; // tangent of the greatest tilt
    double per_scale[4];
    double scale[4]; // N, N m: thrust, roll, pitch, yaw of about all rotors together
    double thrust_min_n;
    double lift; // part of the thrust there is that may be asked for
    int rotors;
    bool mixes; // all four can be had independently
    tac__control_rotor rotor[TAC__ROTORS_MAX];
} tac__control;

#define TAC__CONTROL_IN(NUMBER, VECTOR)                                                            \
    VECTOR(position, 3)                                                                            \
    VECTOR(velocity, 3)                                                                            \
    VECTOR(attitude, 4)                                                                            \
    VECTOR(rate, 3)                                                                                \
    VECTOR(target, 3)                                                                              \
    NUMBER(cruise_speed)                                                                           \
    NUMBER(climb_speed)                                                                            \
    NUMBER(descend_speed)                                                                          \
    NUMBER(run_out) /* m beyond the target at which the way would end in rest */                   \
    NUMBER(landing) /* 1: sink at `sink`, whatever the target's altitude is */                     \
    NUMBER(sink)                                                                                   \
    NUMBER(yaw)                                                                                    \
    NUMBER(yaw_held) /* 0: yaw is let go, its rate damped */                                       \
    NUMBER(lift)     /* 0 to 1: part of the thrust while taking off; below 1 nothing moves */      \
    VECTOR(voltage, TAC__ROTORS_MAX)                                                               \
    VECTOR(works, TAC__ROTORS_MAX) /* 1, or 0 for a rotor that is out */

#define TAC__CONTROL_STATE(NUMBER, VECTOR)                                                         \
    VECTOR(position, 3) /* the reference */                                                        \
    VECTOR(velocity, 3)                                                                            \
    VECTOR(acceleration, 3)                                                                        \
    NUMBER(yaw)                                                                                    \
    NUMBER(yaw_rate)                                                                               \
    VECTOR(velocity_integral, 3) /* m/s^2 */                                                       \
    VECTOR(velocity_filter, 3)   /* m/s */                                                         \
    VECTOR(rate_integral, 3)     /* N m */

#define TAC__CONTROL_OUT(NUMBER, VECTOR)                                                           \
    VECTOR(velocity, 3)                                                                            \
    VECTOR(attitude, 4)                                                                            \
    VECTOR(rate, 3)                                                                                \
    NUMBER(thrust)                                                                                 \
    VECTOR(torque, 3)                                                                              \
    VECTOR(reached, 4) /* thrust and torque as the rotors can give them */                         \
    VECTOR(speed, TAC__ROTORS_MAX)                                                                 \
    VECTOR(duty, TAC__ROTORS_MAX)

#define TAC__FIELD_NUMBER(name)        double name;
#define TAC__FIELD_VECTOR(name, count) double name[count];

typedef struct tac__control_in {
    TAC__CONTROL_IN(TAC__FIELD_NUMBER, TAC__FIELD_VECTOR)
} tac__control_in;

typedef struct tac__control_state {
    TAC__CONTROL_STATE(TAC__FIELD_NUMBER, TAC__FIELD_VECTOR)
} tac__control_state;

typedef struct tac__control_out {
    TAC__CONTROL_OUT(TAC__FIELD_NUMBER, TAC__FIELD_VECTOR)
} tac__control_out;

#undef TAC__FIELD_NUMBER
#undef TAC__FIELD_VECTOR

// Compute gains and limits for a vehicle.
void tac__control_init(tac__control *c, const tac__vehicle *vehicle,
                       const tac__control_tuning *tuning);

#ifndef __cplusplus
// One step of dt_s.
void tac__control_step_f64(const tac__control *c, double dt_s, const double *in, double *state,
                           double *out);
// Rotor thrusts [N] for a thrust and a torque, and what they amount to. Of `in` only voltage and
// works are read.
void tac__control_allocate_f64(const tac__control *c, const double *in, const double *wanted,
                               double *thrust, double *reached);
#endif
#endif
