// rotor.h - thrust and torque of a propeller with axial inflow, for every scalar kind. Equations:
// docs/models/propulsion.md.
#ifndef TAC_MODEL_VEHICLE_ROTOR_H
#define TAC_MODEL_VEHICLE_ROTOR_H

#include "math/wide.h"
#include "model/vehicle/kernels.h"

#define ROTOR__TIP_MIN 1e-3 // m/s: a propeller at rest has no advance ratio

typedef struct rotor_load {
    wide thrust, torque;
} rotor_load;

// T = kT rho W^2 f, Q = kQ rho W^2 f, f = 1/(1 + inflow mu^2), mu = v/(W r). Written with one
// division: f = (W r)^2/((W r)^2 + inflow v^2). Of rotors i, ..., i + WIDE - 1.
static inline rotor_load rotor_load_at(const rotor_pair *r, int i, wide density, wide speed,
                                       wide v_axial)
{
    wide tip = w_max(W(ROTOR__TIP_MIN), speed * W_PAIR(r->radius_m, i));
    wide tip2 = tip * tip;
    wide f = tip2 / (tip2 + W_PAIR(r->inflow, i) * (v_axial * v_axial));
    wide head = density * (speed * speed) * f;
    rotor_load load = {W_PAIR(r->kt, i) * head, W_PAIR(r->kq, i) * head};
    return load;
}

#endif
