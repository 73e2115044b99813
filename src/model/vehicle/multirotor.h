// multirotor.h - the multirotor plant: its parameters, and the order of its states and ports. Its
// kernels and what those read is in kernels.h.
//
// SI units. The world is NED, the body forward-right-down with its origin in the centre of mass; q
// rotates body to world. A rotor's axis points along the body's down axis when the rotor is upright
// and its thrust acts against the axis. Equations: docs/models/.
#ifndef TAC_MODEL_VEHICLE_MULTIROTOR_H
#define TAC_MODEL_VEHICLE_MULTIROTOR_H

#include "model/given.h"

#include <stdbool.h>
#include <tactus/world.h>

enum {
    TAC__ROTORS_MAX = 16,
    TAC__BATTERIES_MAX = 8,
    TAC__BUSES_MAX = 8,
    TAC__FEET_MAX = 8,
    TAC__HULL_MAX = 20,
    TAC__CONTACTS_MAX = TAC__FEET_MAX + TAC__HULL_MAX,
    TAC__OCV_MAX = 32,
    TAC__WARNINGS = 3,
};

// In each struct the fields that tac__multirotor_prepare computes from the others stand last.

typedef struct tac__propeller {
    given_real kt, kq; // N and N m for 1 kg/m^3 and 1 (rad/s)^2
    given_real radius_m;
    given_real inflow; // loss of thrust and torque with the square of the axial advance ratio
} tac__propeller;

typedef struct tac__motor {
    given_real kv_rpm_v;
    given_real resistance_ohm;
    given_real no_load_a, max_a;
    given_real friction;   // N m s/rad
    given_real inertia;    // of all that turns, kg m^2
    given_real efficiency; // of the ESC

    given_real ke; // back-EMF and torque constant: V s/rad, N m/A
    given_real per_ohm, per_inertia, per_efficiency, ke_per_ohm;
} tac__motor;

typedef struct tac__rotor {
    given_real position_m[3];
    given_real axis[3];   // unit length
    given_real direction; // sign of the reaction torque on the body about the axis: 1 or -1
    int bus;
    tac__propeller propeller;
    tac__motor motor;

    given_real arm[3];  // torque of a unit of thrust: -position x axis
    given_real spin[3]; // direction * axis
    given_real hover_rad_s, hover_duty,
        full_thrust_n; // at the vehicle's nominal voltage and density
} tac__rotor;

typedef enum tac__actuator_kind {
    TAC__ACTUATOR_DIRECT,
    TAC__ACTUATOR_FIRST_ORDER,
    TAC__ACTUATOR_SECOND_ORDER,
} tac__actuator_kind; // the value is the number of states of an actuator

typedef struct tac__actuator {
    tac__actuator_kind kind;
    given_real tau_s;                    // first order
    given_real omega_rad_s, zeta, rate;  // second order; greatest rate of the duty, 1/s
    given_real per_tau, pull, damping_s; // 1/tau; omega/(2 zeta); 2 zeta omega
} tac__actuator;

// What flight control and bridges to other autopilots need to know of a vehicle.
typedef struct tac__vehicle {
    given_real mass_kg;
    given_real inertia[9]; // row by row
    given_real g_m_s2;     // at the origin of the world
    given_real voltage_v;  // nominal
    given_real density;    // of the air at the origin of the world, kg/m^3
    int rotors;
    tac__rotor rotor[TAC__ROTORS_MAX];
    tac__actuator actuator; // of each rotor
} tac__vehicle;

typedef struct tac__battery {
    bool ideal; // constant voltage, the first of ocv_v, and constant charge
    int points;
    given_real soc[TAC__OCV_MAX], ocv_v[TAC__OCV_MAX];
    bool spline; // through these points; else straight lines
    given_real r0_ohm, r1_ohm, c1_f;
    given_real capacity_as;
    given_real floor_v; // the voltage falls no further
    given_real initial_soc;
    given_real warning[TAC__WARNINGS]; // states of charge, falling
    int bus;

    given_real weight; // its share in the current of the bus, relative to the other batteries there
    given_real per_c1, per_tau, per_capacity;
} tac__battery;

typedef struct tac__bus {
    given_real load_w; // avionics
    bool by_equals;    // batteries give equal currents; otherwise in proportion to 1/R0
} tac__bus;

// A point of the vehicle that may touch the ground: a foot, or a part of the hull.
typedef struct tac__foot {
    given_real position_m[3];
    given_real stiffness, damping; // N/m, N s/m
    given_real friction;           // coefficient
    given_real smoothing_m_s; // friction fades below this speed: v/sqrt(v^2 + smoothing^2) of it

    given_real smoothing2;
} tac__foot;

typedef struct tac__multirotor {
    tac__vehicle vehicle;
    tac_world world;
    given_real drag;       // N s/m
    given_real damping[3]; // N m s
    bool euler;            // compute Euler angles, which cost more than all other outputs
    bool angular;          // have the output angular_acceleration
    int batteries, buses, feet, hull;
    tac__battery battery[TAC__BATTERIES_MAX];
    tac__bus bus[TAC__BUSES_MAX];
    tac__foot foot[TAC__CONTACTS_MAX]; // the feet, then the points of the hull

    given_real per_mass, per_inertia[9]; // the inverse of the tensor
    bool upright;                        // all rotor axes are (0, 0, 1)
    int contacts;                        // feet and points of the hull
    given_real reach_m; // distance of the farthest of them from the origin, with a margin
} tac__multirotor;

// Where states are in x. Rotor speeds are followed by the actuators' positions, then their rates,
// as far as there are any, states of charge and polarisation voltages.
enum {
    TAC__X_POSITION = 0,
    TAC__X_VELOCITY = 3,
    TAC__X_ATTITUDE = 6,
    TAC__X_RATE = 10,
    TAC__X_ROTOR = 13,
};

enum {
    TAC__IN_MOTOR,
    TAC__IN_WIND,
    TAC__IN_MOTOR_HOLD,
    TAC__IN_MOTOR_DUTY,
    TAC__IN_MOTOR_LOSS,
    TAC__IN_BATTERY_OPEN,
    TAC__INS
};

enum {
    TAC__OUT_SPECIFIC_FORCE,
    TAC__OUT_THRUST,
    TAC__OUT_MOTOR_CURRENT,
    TAC__OUT_BATTERY_VOLTAGE,
    TAC__OUT_BATTERY_CURRENT,
    TAC__OUT_BATTERY_WARNING,
    TAC__OUT_BUS_VOLTAGE,
    TAC__OUT_BUS_RESIDUAL,
    TAC__OUT_AIR_DENSITY,
    TAC__OUT_AIR_TEMPERATURE,
    TAC__OUT_AIR_PRESSURE,
    TAC__OUT_FEET_DOWN,
    TAC__OUT_HULL_DOWN,
    TAC__OUT_EULER,                // where there is one
    TAC__OUT_ANGULAR_ACCELERATION, // likewise
    TAC__OUTS
};

// The output's place among those that the vehicle has.
static inline int tac__multirotor_angular_out(bool euler)
{
    return TAC__OUT_ANGULAR_ACCELERATION - !euler;
}

static inline int tac__multirotor_x_soc(const tac__multirotor *p)
{
    return TAC__X_ROTOR + p->vehicle.rotors * (1 + (int)p->vehicle.actuator.kind);
}

static inline int tac__multirotor_x_count(const tac__multirotor *p)
{
    return tac__multirotor_x_soc(p) + 2 * p->batteries;
}

// Two events a contact: it is below the ground; and its damper acts. All of the first kind come
// before those of the second.
static inline int tac__multirotor_events(const tac__multirotor *p)
{
    return 2 * p->contacts;
}

// kT of a propeller that gives `thrust_n` in still air of `density` at full duty and `voltage_v`.
// kQ is `torque_ratio` times kT. The no-load current is neglected. 0 where the motor cannot give
// it.
given_real tac__thrust_coefficient(const tac__motor *m, given_real torque_ratio,
                                   given_real thrust_n, given_real voltage_v, given_real density);

// Make a hull from the geometry, with the stiffness, damping and friction of `like`: for each rotor
// the point of its rim that is farthest out; four points of its rim where there are fewer than
// three rotors or the rotor is in the middle; and the origin, unless some rotor is higher.
void tac__multirotor_set_hull(tac__multirotor *p, const tac__foot *like);

// Compute the fields that follow from the others. The second function includes the first.
void tac__vehicle_prepare(tac__vehicle *v);
void tac__multirotor_prepare(tac__multirotor *p);

#endif
