// plants.h - small plants: integrator, first-order lag, oscillator, point mass. Their numbers and
// kernels. A translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_PLANTS_H
#define TAC_MODEL_PLANTS_H

#include "model/builtin.h"
#include "model/kernel.h"

// What an integrator has for its kernels: no numbers, only its size.
typedef tac__shaped tac__integrator;

typedef struct tac__lag {
    param tau_s;
} tac__lag;

typedef struct tac__oscillator {
    param mass_kg, damping, stiffness; // N s/m, N/m
} tac__oscillator;

typedef struct tac__point_mass {
    param mass_kg, drag; // N s/m
    param gravity[3];    // m/s^2
} tac__point_mass;

enum { TAC__OSCILLATOR_IN_FORCE };
enum { TAC__POINT_MASS_IN_FORCE, TAC__POINT_MASS_IN_WIND };

TAC__EVAL_KERNEL(tac__integrator_derive)
TAC__EVAL_KERNEL(tac__lag_derive)
TAC__EVAL_KERNEL(tac__oscillator_output)
TAC__EVAL_KERNEL(tac__oscillator_derive)
TAC__EVAL_KERNEL(tac__point_mass_derive)

#endif
