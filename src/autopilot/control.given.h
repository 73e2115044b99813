// control.given.h - computes what the control laws need to know of a vehicle, from numbers and from
// symbols.
#include "autopilot/control.h"
#include "autopilot/rotor_curve.h"
#include "math/mat.h"
#include "model/read_given.h"

#include <math.h>
#include <string.h>
#include <tactus/math.h>

// The thrust never falls below this part of the weight in flight. At most this part of the
// available thrust is used for lift; the rest is kept for turning.
static const double least_thrust = 0.15, most_lift = 0.9;

static void init_rotor(tac__control_rotor *r, const tac__rotor *from, real density, real voltage_v,
                       real idle)
{
    const tac__motor *m = &from->motor;
    const real arm = from->propeller.kq / from->propeller.kt; // torque over thrust
    r->k = from->propeller.kt * density;
    r->per_k = 1.0 / r->k;
    r->v0 = m->resistance_ohm * m->no_load_a;
    r->v1 = m->ke + m->resistance_ohm * m->friction / m->ke;
    r->v2 = m->resistance_ohm * arm / m->ke;
    r->limit_n = given_value(arm) > 0 ? m->ke * (m->max_a - m->no_load_a) / arm : R(HUGE_VAL);
    r->full_n = rotor_full_thrust(r, voltage_v);
    r->per_full = 1.0 / r->full_n;
    r->idle_n = rotor_full_thrust(r, idle * voltage_v);
    r->idle = r->idle_n * r->per_full;
    r->idle_rad_s = r_sqrt(r->idle_n * r->per_k);

    // Thrust acts against the axis, which points down.
    const real *p = from->position_m, *a = from->axis;
    const real turn = from->direction * arm;
    r->effect[0] = r->full_n * a[2];
    r->effect[1] = r->full_n * (p[2] * a[1] - p[1] * a[2] + turn * a[0]);
    r->effect[2] = r->full_n * (p[0] * a[2] - p[2] * a[0] + turn * a[1]);
    r->effect[3] = r->full_n * (p[1] * a[0] - p[0] * a[1] + turn * a[2]);
}

// Divide each row of effects by its length, so that rows can be compared.
static void scale_rows(tac__control *c, int rotors)
{
    for (int row = 0; row < 4; row++) {
        real sum = R(0.0);
        for (int i = 0; i < rotors; i++)
            sum += c->rotor[i].effect[row] * c->rotor[i].effect[row];
        c->scale[row] = given_value(sum) > 0 ? r_sqrt(sum) : R(1.0);
        c->per_scale[row] = 1.0 / c->scale[row];
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
    real gram[16];
    for (int row = 0; row < 4; row++) {
        for (int column = 0; column < 4; column++) {
            gram[4 * row + column] = R(0.0);
            for (int i = 0; i < rotors; i++)
                gram[4 * row + column] += c->rotor[i].effect[row] * c->rotor[i].effect[column];
        }
    }
    bool mixes = true;
    for (int column = 0; column < 4; column++) {
        const real unit[4] = {R(column == 0), R(column == 1), R(column == 2), R(column == 3)};
        real x[4];
        mat_solve(4, gram, unit, x);
        for (int i = 0; i < rotors; i++) {
            tac__control_rotor *r = &c->rotor[i];
            r->mix[column] = R(0.0);
            for (int row = 0; row < 4; row++)
                r->mix[column] += r->effect[row] * x[row];
            mixes = mixes &&
                    fabs(given_value(r->mix[column])) < 1e3; // else the rows depend on each other
        }
    }
    return mixes;
}

void tac__control_init(tac__control *c, tac__control_shape *shape, const tac__vehicle *vehicle,
                       const tac__control_tuning *tuning)
{
    const int rotors = vehicle->rotors;
    memset((void *)c, 0, sizeof *c);
    c->tuning = *tuning;
    c->mass_kg = vehicle->mass_kg;
    c->per_mass = 1.0 / vehicle->mass_kg;
    c->g_m_s2 = vehicle->g_m_s2;
    c->voltage_v = vehicle->voltage_v;
    c->tilt_slope = r_tan(tuning->max_tilt_rad);
    c->thrust_min_n = least_thrust * vehicle->mass_kg * vehicle->g_m_s2;
    c->lift = R(most_lift);
    memcpy((void *)c->inertia, vehicle->inertia, sizeof c->inertia);
    for (int i = 0; i < rotors; i++)
        init_rotor(&c->rotor[i], &vehicle->rotor[i], vehicle->density, vehicle->voltage_v,
                   tuning->idle);
    scale_rows(c, rotors);
    shape->rotors = rotors;
    shape->mixes = init_mix(c, rotors);
}
