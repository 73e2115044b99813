// mass.h - the mass, centre of mass and inertia of stages with their fuel: numbers and shape, the
// order of ports, kernel of mass.model.h. Body axes from the datum; docs/models/rocket.md. A
// translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_MASS_H
#define TAC_MODEL_ROCKET_MASS_H

#include "model/builtin.h"
#include "model/kernel.h"

enum { TAC__ROCKET_STAGES_MAX = 4 };

// The numbers of one stage; those of a component are an array of its stages.
typedef struct tac__rocket_stage {
    param dry_kg;
    param com_m[3];   // without fuel
    param inertia[6]; // about com_m: xx, yy, zz, xy, xz, yz
    param tank_m[3];  // centre of the tank, a cylinder along x
    param length_m, radius_m;
    param capacity_kg; // of the tank
    param exit_m[3];   // of the nozzle
} tac__rocket_stage;

typedef struct tac__rocket_mass_shape {
    int stages;
    bool settled[TAC__ROCKET_STAGES_MAX]; // fuel lies at the aft end; false: it fills the tank and
                                          // thins out evenly
} tac__rocket_mass_shape;

// Inputs of one stage; those of the next stage follow.
enum { TAC__MASS_IN_FUEL, TAC__MASS_IN_FLOW, TAC__MASS_IN_ATTACHED, TAC__MASS_INS };
enum {
    TAC__MASS_OUT_MASS,
    TAC__MASS_OUT_COM,
    TAC__MASS_OUT_INERTIA,
    TAC__MASS_OUT_JET,
    TAC__MASS_OUT_STREAM,
    TAC__MASS_OUTS
};

TAC__EVAL_KERNEL(tac__rocket_mass_output)

#endif
