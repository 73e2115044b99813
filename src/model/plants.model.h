// plants.model.h - right-hand sides of small plants, for every scalar kind.
#include "math/vec3.h"
#include "model/plants.h"

// tau dx/dt = u - x
TAC_ENTRY void TAC_KINDED(tac__lag_derive)(const tac__lag *p, const real *x, const real *u,
                                           real *dx);
TAC_ENTRY void TAC_KINDED(tac__lag_derive)(const tac__lag *p, const real *x, const real *u,
                                           real *dx)
{
    dx[0] = (u[0] - x[0]) / p->tau_s;
}

// m dv/dt = f - c v - k x
TAC_ENTRY void TAC_KINDED(tac__oscillator_derive)(const tac__oscillator *p, const real *x,
                                                  const real *force, real *dx);
TAC_ENTRY void TAC_KINDED(tac__oscillator_derive)(const tac__oscillator *p, const real *x,
                                                  const real *force, real *dx)
{
    dx[0] = x[1];
    dx[1] = (force[0] - p->damping * x[1] - p->stiffness * x[0]) / p->mass_kg;
}

// E = (m v^2 + k x^2) / 2
TAC_ENTRY void TAC_KINDED(tac__oscillator_output)(const tac__oscillator *p, const real *x,
                                                  real *energy);
TAC_ENTRY void TAC_KINDED(tac__oscillator_output)(const tac__oscillator *p, const real *x,
                                                  real *energy)
{
    energy[0] = 0.5 * (p->mass_kg * x[1] * x[1] + p->stiffness * x[0] * x[0]);
}

// m dv/dt = f - c (v - wind) + m g; x is position then velocity
TAC_ENTRY void TAC_KINDED(tac__point_mass_derive)(const tac__point_mass *p, const real *x,
                                                  const real *force, const real *wind, real *dx);
TAC_ENTRY void TAC_KINDED(tac__point_mass_derive)(const tac__point_mass *p, const real *x,
                                                  const real *force, const real *wind, real *dx)
{
    const vec3 v = vec3_make(x[3], x[4], x[5]);
    const vec3 f = vec3_make(force[0], force[1], force[2]);
    const vec3 air = vec3_sub(v, vec3_make(wind[0], wind[1], wind[2]));
    const vec3 a = vec3_scale(R(1.0 / p->mass_kg), vec3_sub(f, vec3_scale(R(p->drag), air)));
    dx[0] = v.x;
    dx[1] = v.y;
    dx[2] = v.z;
    dx[3] = a.x + p->gravity[0];
    dx[4] = a.y + p->gravity[1];
    dx[5] = a.z + p->gravity[2];
}
