// mass.h - the mass, centre of mass and inertia of stages with their fuel: parameters, the order of
// ports, entry point of mass.model.h. Body axes from the datum; docs/models/rocket.md.
#ifndef TAC_MODEL_ROCKET_MASS_H
#define TAC_MODEL_ROCKET_MASS_H

#include <stdbool.h>

enum { TAC__ROCKET_STAGES_MAX = 4 };

typedef struct tac__rocket_stage {
    double dry_kg;
    double com_m[3];   // without fuel
    double inertia[6]; // about com_m: xx, yy, zz, xy, xz, yz
    double tank_m[3];  // centre of the tank, a cylinder along x
    double length_m, radius_m;
    bool settled;       // fuel lies at the aft end; false: it fills the tank and thins out evenly
    double capacity_kg; // of the tank
    double exit_m[3];   // of the nozzle
} tac__rocket_stage;

typedef struct tac__rocket_mass {
    int stages;
    tac__rocket_stage stage[TAC__ROCKET_STAGES_MAX];
} tac__rocket_mass;

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

#ifndef __cplusplus

void tac__rocket_mass_output_f64(const tac__rocket_mass *p, const void *const *in,
                                 void *const *out);
void tac__rocket_mass_output_dual(const tac__rocket_mass *p, const void *const *in,
                                  void *const *out);

#endif
#endif
