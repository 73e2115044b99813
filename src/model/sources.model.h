// sources.model.h - the steps of discrete sources, for every scalar kind.
#include "model/sources.h"

#define SOURCES__TWO_PI 6.283185307179586

TAC_ENTRY tac_status TAC_KINDED(tac__constant_step)(tac_step *s, const void *self)
{
    const tac__constant *c = (const tac__constant *)self;
    const param *value = STEP_P(s, param);
    real *y = step_out(s, TAC__SOURCE_OUT);
    for (uint32_t i = 0; i < c->size; i++)
        y[i] = P(value[i]);
    return TAC_OK;
}

// y = bias + amplitude sin(2 pi f t + phase)
TAC_ENTRY tac_status TAC_KINDED(tac__sine_step)(tac_step *s, const void *self)
{
    const tac__shaped *c = (const tac__shaped *)self;
    const tac__sine *p = STEP_P(s, tac__sine);
    real *y = step_out(s, TAC__SOURCE_OUT);
    real angle = SOURCES__TWO_PI * p->frequency_hz * step_t(s);
    for (uint32_t i = 0; i < c->size; i++)
        y[i] =
            p->element[i].bias + p->element[i].amplitude * r_sin(angle + p->element[i].phase_rad);
    return TAC_OK;
}

// The value of the last time that has passed.
TAC_ENTRY tac_status TAC_KINDED(tac__profile_step)(tac_step *s, const void *self)
{
    const tac__profile_source *c = (const tac__profile_source *)self;
    const param *values = STEP_P(s, param);
    real y = R(0.0);
#ifdef TAC_KIND_SYM
    for (size_t i = 0; i < c->count; i++)
        y = r_select(step_t_us(s) >= (double)c->times_us[i], P(values[i]), y);
#else
    for (size_t i = 0; i < c->count && c->times_us[i] <= s->t_us; i++)
        y = P(values[i]);
#endif
    *step_out(s, TAC__SOURCE_OUT) = y;
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__noise_step)(tac_step *s, const void *self)
{
    const tac__noise *c = (const tac__noise *)self;
    const param *deviation = STEP_P(s, param);
    real *y = step_out(s, TAC__SOURCE_OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++) {
        real n;
        step_normals(s, c->stream, &n, 1);
        y[i] = deviation[i] * n;
    }
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__counter_step)(tac_step *s, const void *self)
{
    (void)self;
    void *n = s->out[TAC__SOURCE_OUT];
    step_put_i64(n, 0, step_i64(n, 0) + 1.0);
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__circle_step)(tac_step *s, const void *self)
{
    (void)self;
    const tac__circle *c = STEP_P(s, tac__circle);
    real *p = step_out(s, TAC__CIRCLE_POSITION), *v = step_out(s, TAC__CIRCLE_VELOCITY);
    real *q = step_out(s, TAC__CIRCLE_ATTITUDE), *w = step_out(s, TAC__CIRCLE_RATE);
    real angle = c->rate_rad_s * step_t(s), speed = P(c->radius_m * c->rate_rad_s);
    real sine = r_sin(angle), cosine = r_cos(angle);
    p[0] = c->radius_m * cosine;
    p[1] = c->radius_m * sine;
    p[2] = P(-c->height_m);
    v[0] = -speed * sine;
    v[1] = speed * cosine;
    v[2] = R(0.0);
    // The nose is a quarter turn ahead of the position: yaw = angle + pi/2.
    real half = 0.5 * angle + 0.125 * SOURCES__TWO_PI;
    q[0] = r_cos(half);
    q[1] = q[2] = R(0.0);
    q[3] = r_sin(half);
    w[0] = w[1] = R(0.0);
    w[2] = P(c->rate_rad_s);
    return TAC_OK;
}
