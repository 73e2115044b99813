// control.c - computes what the control laws need to know of a vehicle.
#define TAC_KIND_F64
#include "autopilot/control.h"
#include "autopilot/rotor_curve.h"
#include "math/mat.h"

#include <math.h>
#include <string.h>
#include <tactus/math.h>

// The thrust never falls below this part of the weight in flight. At most this part of the
// available thrust is used for lift; the rest is kept for turning.
static const double least_thrust = 0.15, most_lift = 0.9;

static void init_rotor(tac__control_rotor *r, const tac__rotor *from, double density,
                       double voltage_v, double idle)
{
    const tac__motor *m = &from->motor;
    const double arm = from->propeller.kq / from->propeller.kt; // torque over thrust
    r->k = from->propeller.kt * density;
    r->per_k = 1 / r->k;
    r->v0 = m->resistance_ohm * m->no_load_a;
    r->v1 = m->ke + m->resistance_ohm * m->friction / m->ke;
    r->v2 = m->resistance_ohm * arm / m->ke;
    r->limit_n = arm > 0 ? m->ke * (m->max_a - m->no_load_a) / arm : HUGE_VAL;
    r->full_n = rotor_full_thrust(r, voltage_v);
    r->per_full = 1 / r->full_n;
    r->idle_n = rotor_full_thrust(r, idle * voltage_v);
    r->idle = r->idle_n * r->per_full;
    r->idle_rad_s = sqrt(r->idle_n * r->per_k);

    // Thrust acts against the axis, which points down.
    const double *p = from->position_m, *a = from->axis, turn = from->direction * arm;
    r->effect[0] = r->full_n * a[2];
    r->effect[1] = r->full_n * (p[2] * a[1] - p[1] * a[2] + turn * a[0]);
    r->effect[2] = r->full_n * (p[0] * a[2] - p[2] * a[0] + turn * a[1]);
    r->effect[3] = r->full_n * (p[1] * a[0] - p[0] * a[1] + turn * a[2]);
}

// Divide each row of effects by its length, so that rows can be compared.
static void scale_rows(tac__control *c, int rotors)
{
    for (int row = 0; row < 4; row++) {
        double sum = 0;
        for (int i = 0; i < rotors; i++)
            sum += c->rotor[i].effect[row] * c->rotor[i].effect[row];
        c->scale[row] = sum > 0 ? sqrt(sum) : 1;
        c->per_scale[row] = 1 / c->scale[row];
        for (int i = 0; i < rotors; i++)
            c->rotor[i].effect[row] /= c->scale[row];
    }
    for (int i = 0; i < rotors; i++) {
        tac__control_rotor *r = &c->rotor[i];
        r->weighted[0] = TAC__THRUST_WEIGHT * r->effect[0];
        r->weighted[1] = r->effect[1];
        r->weighted[2] = r->effect[2];
        for (int row = 0; row < 4; row++)
            r->given[row] = c->scale[row] * r->effect[row];
    }
}

// The pseudo-inverse of the effects B: B^T (B B^T)^-1, row by row the rotors' mix. False where it
// does not exist.
static bool init_mix(tac__control *c, int rotors)
{
    double gram[16];
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            gram[4 * row + column] = 0;
            for (int i = 0; i < rotors; i++)
                gram[4 * row + column] += c->rotor[i].effect[row] * c->rotor[i].effect[column];
        }
    }
    bool mixes = true;
    for (int column = 0; column < 4; column++) {
        const double unit[4] = {column == 0, column == 1, column == 2, column == 3};
        double x[4];
        mat_solve(4, gram, unit, x);
        for (int i = 0; i < rotors; i++) {
            tac__control_rotor *r = &c->rotor[i];
            r->mix[column] = 0;
            for (int row = 0; row < 4; row++)
                r->mix[column] += r->effect[row] * x[row];
            mixes = mixes && fabs(r->mix[column]) < 1e3; // else the rows depend on each other
        }
    }
    return mixes;
}

void tac__control_init(tac__control *c, tac__control_shape *shape, const tac__vehicle *vehicle,
                       const tac__control_tuning *tuning)
{
    const int rotors = vehicle->rotors;
    *c = (tac__control){.tuning = *tuning,
                        .mass_kg = vehicle->mass_kg,
                        .per_mass = 1 / vehicle->mass_kg,
                        .g_m_s2 = vehicle->g_m_s2,
                        .voltage_v = vehicle->voltage_v,
                        .tilt_slope = tac_tan(tuning->max_tilt_rad),
                        .thrust_min_n = least_thrust * vehicle->mass_kg * vehicle->g_m_s2,
                        .lift = most_lift};
    memcpy(c->inertia, vehicle->inertia, sizeof c->inertia);
    for (int i = 0; i < rotors; i++)
        init_rotor(&c->rotor[i], &vehicle->rotor[i], vehicle->density, vehicle->voltage_v,
                   tuning->idle);
    scale_rows(c, rotors);
    *shape = (tac__control_shape){.rotors = rotors, .mixes = init_mix(c, rotors)};
}
