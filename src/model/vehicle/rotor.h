// rotor.h - thrust and torque of a propeller with axial inflow, for every scalar kind. Equations:
// docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_ROTOR_H
#define TAC_MODEL_VEHICLE_ROTOR_H

#include "math/real.h"
#include "model/vehicle/multirotor.h"

#define ROTOR__TIP_MIN 1e-3 // m/s: a propeller at rest has no advance ratio

typedef struct rotor_load {
    real thrust, torque;
} rotor_load;

// T = kT rho W^2 f, Q = kQ rho W^2 f, f = 1/(1 + inflow mu^2), mu = v/(W r). Written with one
// division: f = (W r)^2/((W r)^2 + inflow v^2).
static inline rotor_load rotor_load_at(const tac__propeller *p, real density, real speed,
                                       real v_axial)
{
    real tip = r_max(R(ROTOR__TIP_MIN), speed * p->radius_m);
    real tip2 = tip * tip;
    real f = tip2 / (tip2 + p->inflow * (v_axial * v_axial));
    real head = density * (speed * speed) * f;
    rotor_load load = {p->kt * head, p->kq * head};
    return load;
}

#endif
