// rocket.h - a rocket body for tests that call its kernels: numbers and shape, ports at rest, and a
// Runge-Kutta loop of the tests' own.
#ifndef TAC_TESTS_MODEL_ROCKET_H
#define TAC_TESTS_MODEL_ROCKET_H

#define TAC_KIND_F64
#include "math/quat.h"
#include "model/rocket/body.h"
#include "model/world/geodesy.h"

#include <string.h>
#include <tactus/math.h>

#define ROCKET_MU       3.986004418e14
#define ROCKET_ROTATION 7.292115e-5

enum { ROCKET_INS = TAC__BODY_IN_FORCE + 2 * TAC__ROCKET_FORCES_MAX };

typedef struct rocket {
    tac__rocket_body p;
    tac__rocket_body_shape shape;
    double mass, com[3], inertia[6], jet[6], stream[3], wind[3];
    double force[TAC__ROCKET_FORCES_MAX][3], moment[TAC__ROCKET_FORCES_MAX][3];
    double out[TAC__BODY_OUTS][3];
    double mode;
    double x[TAC__BODY_STATES];
    const void *in_at[ROCKET_INS];
    void *out_at[TAC__BODY_OUTS];
} rocket;

// On the equator at longitude 0, upright in its own axes, at rest over the turning Earth.
static inline void rocket_set(rocket *r)
{
    memset(r, 0, sizeof *r);
    r->p.earth = (tac__earth){ROCKET_MU, 0, 6378137, ROCKET_ROTATION};
    const tac_world world = {.geodesy = TAC_GEODESY_WGS84};
    tac__geodesy geodesy;
    tac__geodesy_init(&geodesy, &world);
    memcpy(r->p.origin, geodesy.origin, sizeof geodesy.origin);
    memcpy(r->p.axes, geodesy.axes, sizeof geodesy.axes);
    r->shape.air = true;
    r->mass = 100;
    r->inertia[0] = 10;
    r->inertia[1] = r->inertia[2] = 80;
    r->x[0] = 6378137;
    r->x[TAC__BODY_ATTITUDE] = 1;
    r->in_at[TAC__BODY_IN_MASS] = &r->mass;
    r->in_at[TAC__BODY_IN_COM] = r->com;
    r->in_at[TAC__BODY_IN_INERTIA] = r->inertia;
    r->in_at[TAC__BODY_IN_JET] = r->jet;
    r->in_at[TAC__BODY_IN_STREAM] = r->stream;
    r->in_at[TAC__BODY_IN_WIND] = r->wind;
    for (int i = 0; i < TAC__ROCKET_FORCES_MAX; i++) {
        r->in_at[TAC__BODY_IN_FORCE + 2 * i] = r->force[i];
        r->in_at[TAC__BODY_IN_FORCE + 2 * i + 1] = r->moment[i];
    }
    for (int i = 0; i < TAC__BODY_OUTS; i++)
        r->out_at[i] = r->out[i];
}

static inline tac_eval rocket_eval(rocket *r, const double *x, double *dx)
{
    return (tac_eval){.in = r->in_at,
                      .out = r->out_at,
                      .x = x,
                      .dx = dx,
                      .mode = &r->mode,
                      .p = (const double *)&r->p,
                      .lanes = 1};
}

static inline void rocket_derive(rocket *r, const double *x, double *dx)
{
    const tac_eval e = rocket_eval(r, x, dx);
    assert_int_equal(tac__rocket_body_derive_f64(&e, &r->shape), TAC_OK);
}

static inline void rocket_output(rocket *r)
{
    const tac_eval e = rocket_eval(r, r->x, NULL);
    assert_int_equal(tac__rocket_body_output_f64(&e, &r->shape), TAC_OK);
}

// `steps` steps of the classical Runge-Kutta method. `before` prepares the inputs for a state;
// NULL: they stay.
static inline void rocket_fly(rocket *r, double h, long steps,
                              void (*before)(rocket *, const double *x))
{
    enum { N = TAC__BODY_STATES };
    double k[4][N], z[N];
    for (long step = 0; step < steps; step++) {
        memcpy(z, r->x, sizeof z);
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < N && s; i++)
                z[i] = r->x[i] + (s == 3 ? h : 0.5 * h) * k[s - 1][i];
            if (before)
                before(r, z);
            rocket_derive(r, z, k[s]);
        }
        for (int i = 0; i < N; i++)
            r->x[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
    }
}

static inline vec3 rocket_vector(const rocket *r, int at)
{
    return vec3_from_array(r->x + at);
}

static inline quat rocket_attitude(const rocket *r)
{
    const double *q = r->x + TAC__BODY_ATTITUDE;
    return quat_make(q[0], q[1], q[2], q[3]);
}

#endif
