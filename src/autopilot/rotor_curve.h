// rotor_curve.h - thrust, speed and voltage of a rotor in steady rotation, for every scalar kind.
//
// Thrust k W^2, torque in proportion to it, current from the torque: the voltage duty * V is v0 +
// v1 W + v2 thrust, with v0 = R I0, v1 = Ke + R b/Kt and v2 = R kQ/(kT Kt).
#ifndef TAC_AUTOPILOT_ROTOR_CURVE_H
#define TAC_AUTOPILOT_ROTOR_CURVE_H

#include "autopilot/control.h"

static inline real rotor_voltage(const tac__control_rotor *r, real speed, real thrust)
{
    return r->v0 + r->v1 * speed + r->v2 * thrust;
}

// The thrust at a voltage: the quadratic solved for W without dividing by v2, which may be 0.
static inline real rotor_full_thrust(const tac__control_rotor *r, real voltage)
{
    real over = r_max(R(0.0), voltage - r->v0);
    real w = 2.0 * over / (r->v1 + r_sqrt(r->v1 * r->v1 + (4.0 * r->v2 * r->k) * over));
    return r_min(P(r->limit_n), r->k * (w * w));
}

#endif
