// battery.h - an ideal or a Thevenin battery, for every scalar kind. Equations:
// docs/models/power.md.
#ifndef TAC_MODEL_VEHICLE_BATTERY_H
#define TAC_MODEL_VEHICLE_BATTERY_H

#include "math/table.h"
#include "model/vehicle/kernels.h"

// The voltage without load: OCV(soc) - V1.
static inline real battery_emf(const tac__multirotor_shape *s, int battery, real soc, real v1)
{
    const table1 ocv = {s->points[battery], s->soc[battery], s->ocv_v[battery], TABLE_CLAMP,
                        s->spline[battery] ? s->ocv_bend[battery] : NULL};
    return table1_at(&ocv, soc) - v1;
}

static inline real battery_voltage(const battery_numbers *b, real emf, real current)
{
    return r_max(P(b->floor_v), emf - b->r0_ohm * current);
}

// dsoc/dt = -I/Q, dV1/dt = I/C1 - V1/(R1 C1).
static inline void battery_derive(const battery_numbers *b, real current, real v1, real *dsoc,
                                  real *dv1)
{
    *dsoc = -(current * b->per_capacity);
    *dv1 = current * b->per_c1 - v1 * b->per_tau;
}

// How many of the battery's warning levels have been passed.
static inline real battery_warning(const battery_numbers *b, real soc)
{
    real level = R(0.0);
    for (int i = 0; i < TAC__WARNINGS; i++)
        level += r_select(soc < b->warning[i], R(1.0), R(0.0));
    return level;
}

#endif
