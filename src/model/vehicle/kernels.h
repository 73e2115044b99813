// kernels.h - the kernels of a multirotor, and what they read of its parameters: its shape, which
// all lanes of a pack have in common, and its numbers, of which every lane has its own.
//
// Most fields have the names of those of tac__multirotor, which says what they mean.
#ifndef TAC_MODEL_VEHICLE_KERNELS_H
#define TAC_MODEL_VEHICLE_KERNELS_H

#include "math/real.h"
#include "model/builtin.h"
#include "model/vehicle/multirotor.h"

// Counts, switches and tables.
typedef struct tac__multirotor_shape {
    int rotors, batteries, buses, feet, contacts;
    bool upright, euler, angular;
    tac__actuator_kind actuator;
    tac_gravity gravity;
    int rotor_bus[TAC__ROTORS_MAX], battery_bus[TAC__BATTERIES_MAX];
    bool loaded[TAC__BUSES_MAX]; // there are avionics
    int points[TAC__BATTERIES_MAX];
    double soc[TAC__BATTERIES_MAX][TAC__OCV_MAX], ocv_v[TAC__BATTERIES_MAX][TAC__OCV_MAX];
    bool spline[TAC__BATTERIES_MAX];
    double ocv_bend[TAC__BATTERIES_MAX][2 * TAC__OCV_MAX]; // of a spline: math/spline.h
} tac__multirotor_shape;

// What kernels see as `self`: the component's own struct begins with this.
typedef struct tac__multirotor_self {
    const tac__multirotor_shape *shape;
} tac__multirotor_self;

// Two rotors, each value side by side: math/wide.h. An odd number of rotors is followed by one that
// is all zero.
typedef struct rotor_pair {
    param kt[2], kq[2], radius_m[2], inflow[2];
    param ke[2], per_ohm[2], ke_per_ohm[2], per_efficiency[2];
    param no_load_a[2], max_a[2], friction[2], inertia[2], per_inertia[2];
    param direction[2];
    param arm[3][2], axis[3][2], spin[3][2];
} rotor_pair;

typedef struct battery_numbers {
    param r0_ohm, floor_v, weight;
    param per_c1, per_tau, per_capacity;
    param warning[TAC__WARNINGS];
} battery_numbers;

typedef struct contact_numbers {
    param position_m[3];
    param stiffness, damping, friction, smoothing2;
} contact_numbers;

// Nothing but params. What a vehicle does not have is zero.
typedef struct multirotor_numbers {
    param per_mass, inertia[9], per_inertia[9];
    param drag, damping[3];
    param g_m_s2, altitude_m, ground_m; // of the world
    param reach_m;
    param per_tau, pull, damping_s, rate; // of the actuators
    rotor_pair pair[TAC__ROTORS_MAX / 2];
    param load_w[TAC__BUSES_MAX];
    battery_numbers battery[TAC__BATTERIES_MAX];
    contact_numbers contact[TAC__CONTACTS_MAX];
} multirotor_numbers;

// Kernels. in[], out[] by the lists above; mode[] has one number an event. `detect` computes how
// far each contact is below the ground, and whether it sinks there.
TAC__EVAL_KERNEL(tac__multirotor_derive)
TAC__EVAL_KERNEL(tac__multirotor_output)
TAC__STATE_KERNEL(tac__multirotor_detect)
TAC__STATE_KERNEL(tac__multirotor_project)

// The kernels of doubles again, compiled for machines with AVX2; those of duals for machines with
// AVX2 and with AVX-512.
#define TAC__MULTIROTOR_AGAIN(kind)                                                                \
    tac_status tac__multirotor_derive_##kind(const tac_eval *e, const void *self);                 \
    tac_status tac__multirotor_output_##kind(const tac_eval *e, const void *self);                 \
    tac_status tac__multirotor_detect_##kind(const tac_eval *e, const void *self, double *g);      \
    tac_status tac__multirotor_project_##kind(const tac_eval *e, const void *self, double *x);
TAC_BEGIN_DECLS
TAC__MULTIROTOR_AGAIN(f64_avx2)
TAC__MULTIROTOR_AGAIN(dualp_avx2)
TAC__MULTIROTOR_AGAIN(dualp_avx512)
TAC_END_DECLS
#undef TAC__MULTIROTOR_AGAIN

#if defined(TAC_KIND_F64) || defined(TAC_KIND_SYM)
// Returns how many bytes are used by what the vehicle has: the rest of *n is zero. To be called
// after tac__multirotor_prepare.
size_t tac__multirotor_numbers_of(const tac__multirotor *p, multirotor_numbers *n);
#endif

#ifdef TAC_KIND_F64
// All bytes are set. To be called after tac__multirotor_prepare.
void tac__multirotor_shape_of(const tac__multirotor *p, tac__multirotor_shape *s);
#endif

// `numbers` of the type.
TAC_BEGIN_DECLS
tac_status tac__multirotor_numbers(tac_declare *d, const void *self, double *numbers);
TAC_END_DECLS

#endif
