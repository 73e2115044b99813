// control.h - the control laws of a multirotor: parameters, inputs and outputs in the scalar kind
// of the unit, and the entry points of control.model.h. docs/flight_control.md has the equations.
//
// SI units. The world is NED, the body forward-right-down.
#ifndef TAC_AUTOPILOT_CONTROL_H
#define TAC_AUTOPILOT_CONTROL_H

#include "math/real.h"
#include "model/vehicle/multirotor.h"

// How the reference comes to rest: the last metres are closed at this rate [1/s], and braking uses
// this part of the acceleration.
#define TAC__APPROACH 1.0
#define TAC__BRAKING  0.6

// Weight of an error in thrust relative to one in roll and pitch, where not all can be met.
#define TAC__THRUST_WEIGHT 0.1

// --- parameters ----------------------------------------------------------------------------------

// Bandwidth of each loop [rad/s], and its limits. Gains follow from these and from the vehicle.
typedef struct tac__control_tuning {
    param position, velocity, velocity_integral; // bandwidths
    param velocity_derivative;                   // 1
    param attitude, rate, rate_integral;         // of roll and pitch
    param yaw, yaw_rate;
    param max_tilt_rad, max_rate_rad_s, max_yaw_rate_rad_s;
    param acceleration, climb_acceleration, jerk; // of the reference, horizontal and vertical
    param idle;                                   // duty of a motor that shall give no thrust
} tac__control_tuning;

// The model of a rotor: thrust k W^2 at the voltage duty * V = v0 + v1 W + v2 thrust.
typedef struct tac__control_rotor {
    param effect[4];   // of full thrust: thrust, roll, pitch, yaw, in units of `scale`
    param weighted[3]; // the first three, times the weights of their errors
    param given[4];    // the effect in N and N m
    param k, v0, v1, v2;
    param full_n; // thrust at full duty and nominal voltage
    param per_full;
    param per_k;
    param idle_n, idle, idle_rad_s; // thrust, part of full thrust and speed at idle
    param limit_n;                  // what the motor's greatest current allows
    param mix[4];                   // its share of one unit of each, where nothing is limited
} tac__control_rotor;

// Numbers only. The rotors come last: those that the vehicle does not have need no memory.
typedef struct tac__control {
    tac__control_tuning tuning;
    param mass_kg, per_mass, g_m_s2, inertia[9];
    param voltage_v;
    param tilt_slope; // tangent of the greatest tilt
    param per_scale[4];
    param scale[4]; // N, N m: thrust, roll, pitch, yaw of about all rotors together
    param thrust_min_n;
    param lift; // part of the thrust there is that may be asked for
    tac__control_rotor rotor[TAC__ROTORS_MAX];
} tac__control;

// What lanes have in common.
typedef struct tac__control_shape {
    int rotors;
    bool mixes; // all four of thrust, roll, pitch and yaw can be had independently
} tac__control_shape;

// --- what a step reads and writes ----------------------------------------------------------------

typedef struct tac__control_in {
    real position[3], velocity[3], attitude[4], rate[3];
    real target[3];
    real cruise_speed, climb_speed, descend_speed;
    real run_out; // m beyond the target at which the way would end in rest
    real landing; // 1: sink at `sink`, whatever the target's altitude is
    real sink;
    real yaw;
    real yaw_held; // 0: yaw is let go, its rate damped
    real lift;     // 0 to 1: part of the thrust while taking off; below 1 nothing moves
} tac__control_in;

typedef struct tac__control_state {
    real position[3], velocity[3], acceleration[3]; // the reference
    real yaw, yaw_rate;
    real velocity_integral[3]; // m/s^2
    real velocity_filter[3];   // m/s
    real rate_integral[3];     // N m
} tac__control_state;

typedef struct tac__control_out {
    real velocity[3], attitude[4], rate[3];
    real thrust, torque[3];
    real reached[4]; // thrust and torque as the rotors can give them
    real speed[TAC__ROTORS_MAX], duty[TAC__ROTORS_MAX];
} tac__control_out;

// --- entry points, of every kind -----------------------------------------------------------------

// One step of dt_s. `voltage` and `works` have one number a rotor: it works (1) or is out (0).
TAC_ENTRY void TAC_KINDED(tac__control_step)(const tac__control_shape *shape, const tac__control *p,
                                             double dt_s, const real *voltage, const real *works,
                                             const tac__control_in *in, tac__control_state *state,
                                             tac__control_out *out);
// Rotor thrusts [N] for wanted[4], a thrust and a torque, and what they amount to.
TAC_ENTRY void TAC_KINDED(tac__control_allocate)(const tac__control_shape *shape,
                                                 const tac__control *p, const real *voltage,
                                                 const real *works, const real *wanted,
                                                 real *thrust, real *reached);

#if defined(TAC_KIND_F64) || defined(TAC_KIND_SYM)
// Compute gains and limits for a vehicle.
void tac__control_init(tac__control *c, tac__control_shape *shape, const tac__vehicle *vehicle,
                       const tac__control_tuning *tuning);
#endif
#endif
