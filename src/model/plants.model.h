// plants.model.h - right-hand sides of small plants, for every scalar kind.
#include "model/arrays.h"
#include "model/plants.h"

// dx/dt = u
TAC_ENTRY tac_status TAC_KINDED(tac__integrator_derive)(const tac_eval *e, const void *self)
{
    const tac__integrator *shape = (const tac__integrator *)self;
    const real *u = eval_in(e, 0);
    real *dx = eval_dx(e);
    for (uint32_t i = 0; i < shape->size; i++)
        dx[i] = u[i];
    return TAC_OK;
}

// tau dx/dt = u - x
TAC_ENTRY tac_status TAC_KINDED(tac__lag_derive)(const tac_eval *e, const void *self)
{
    (void)self;
    const tac__lag *p = EVAL_P(e, tac__lag);
    eval_dx(e)[0] = (eval_in(e, 0)[0] - eval_x(e)[0]) / p->tau_s;
    return TAC_OK;
}

// m dv/dt = f - c v - k x
TAC_ENTRY tac_status TAC_KINDED(tac__oscillator_derive)(const tac_eval *e, const void *self)
{
    (void)self;
    const tac__oscillator *p = EVAL_P(e, tac__oscillator);
    const real *x = eval_x(e), *force = eval_in(e, TAC__OSCILLATOR_IN_FORCE);
    real *dx = eval_dx(e);
    dx[0] = x[1];
    dx[1] = (force[0] - p->damping * x[1] - p->stiffness * x[0]) / p->mass_kg;
    return TAC_OK;
}

// E = (m v^2 + k x^2) / 2
TAC_ENTRY tac_status TAC_KINDED(tac__oscillator_output)(const tac_eval *e, const void *self)
{
    (void)self;
    const tac__oscillator *p = EVAL_P(e, tac__oscillator);
    const real *x = eval_x(e);
    eval_out(e, 0)[0] = 0.5 * (p->mass_kg * x[1] * x[1] + p->stiffness * x[0] * x[0]);
    return TAC_OK;
}

// m dv/dt = f - c (v - wind) + m g; x is position then velocity
TAC_ENTRY tac_status TAC_KINDED(tac__point_mass_derive)(const tac_eval *e, const void *self)
{
    (void)self;
    const tac__point_mass *p = EVAL_P(e, tac__point_mass);
    real *dx = eval_dx(e);
    const vec3 v = vec3_read(eval_x(e) + 3);
    const vec3 f = vec3_read(eval_in(e, TAC__POINT_MASS_IN_FORCE));
    const vec3 air = vec3_sub(v, vec3_read(eval_in(e, TAC__POINT_MASS_IN_WIND)));
    const vec3 a = vec3_scale(P(1.0 / p->mass_kg), vec3_sub(f, vec3_scale(P(p->drag), air)));
    vec3_write(v, dx);
    dx[3] = a.x + p->gravity[0];
    dx[4] = a.y + p->gravity[1];
    dx[5] = a.z + p->gravity[2];
    return TAC_OK;
}
