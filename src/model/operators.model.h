// operators.model.h - the steps of discrete operators, for every scalar kind.
#include "model/operators.h"

// y = k u
TAC_ENTRY tac_status TAC_KINDED(tac__gain_step)(tac_step *s, const void *self)
{
    const tac__gain *c = (const tac__gain *)self;
    const param *k = STEP_P(s, param);
    const real *u = step_in(s, TAC__OPERATOR_IN);
    real *y = step_out(s, TAC__OPERATOR_OUT);
    for (uint32_t i = 0; i < c->size; i++)
        y[i] = k[i] * u[i];
    return TAC_OK;
}

// y = a u + b v
TAC_ENTRY tac_status TAC_KINDED(tac__sum_step)(tac_step *s, const void *self)
{
    const tac__shaped *c = (const tac__shaped *)self;
    const tac__sum *p = STEP_P(s, tac__sum);
    const real *u = step_in(s, TAC__SUM_U), *v = step_in(s, TAC__SUM_V);
    real *y = step_out(s, TAC__OPERATOR_OUT);
    for (uint32_t i = 0; i < c->size; i++)
        y[i] = p->a * u[i] + p->b * v[i];
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__limit_step)(tac_step *s, const void *self)
{
    const tac__shaped *c = (const tac__shaped *)self;
    const tac__limit *p = STEP_P(s, tac__limit);
    const real *u = step_in(s, TAC__OPERATOR_IN);
    real *y = step_out(s, TAC__OPERATOR_OUT);
    for (uint32_t i = 0; i < c->size; i++)
        y[i] = r_clamp(u[i], P(p->low), P(p->high));
    return TAC_OK;
}

// The time since the last step, for the exact response of a first-order lag to a held input: 0 at
// the first step, less than a period at an extra one. A pause in another phase counts as one
// period.
static inline real filter__elapsed_us(const tac_step *s, real last_us)
{
    real elapsed_us = r_select(last_us < 0.0, R(0.0), step_t_us(s) - last_us);
    return r_min(elapsed_us, R((double)s->period_us));
}

TAC_ENTRY tac_status TAC_KINDED(tac__filter_step)(tac_step *s, const void *self)
{
    const tac__shaped *c = (const tac__shaped *)self;
    const tac__filter *p = STEP_P(s, tac__filter);
    const real *u = step_in(s, TAC__OPERATOR_IN);
    real *y = step_out(s, TAC__OPERATOR_OUT);
    void *last_us = s->state[TAC__FILTER_LAST];
    real elapsed_s = filter__elapsed_us(s, step_i64(last_us, 0)) / 1e6;
    real a = -r_expm1(-elapsed_s / p->tau_s);
    step_put_i64(last_us, 0, step_t_us(s));
    for (uint32_t i = 0; i < c->size; i++)
        y[i] += a * (u[i] - y[i]);
    return TAC_OK;
}

// y = u + bias + deviation n
TAC_ENTRY tac_status TAC_KINDED(tac__sensor_step)(tac_step *s, const void *self)
{
    const tac__sensor *c = (const tac__sensor *)self;
    const tac__sensor_element *p = STEP_P(s, tac__sensor_element);
    const real *u = step_in(s, TAC__OPERATOR_IN);
    real *y = step_out(s, TAC__OPERATOR_OUT);
    for (uint32_t i = 0; i < c->shaped.size; i++) {
        real n;
        step_normals(s, c->stream, &n, 1);
        y[i] = u[i] + p[i].bias + p[i].deviation * n;
    }
    return TAC_OK;
}

TAC_ENTRY tac_status TAC_KINDED(tac__tracker_step)(tac_step *s, const void *self)
{
    (void)self;
    const tac__tracker *p = STEP_P(s, tac__tracker);
    real *force = step_out(s, TAC__OPERATOR_OUT);
    for (int i = 0; i < 3; i++) {
        real e = step_in(s, TAC__TRACKER_TARGET)[i] - step_in(s, TAC__TRACKER_POSITION)[i];
        real v = step_in(s, TAC__TRACKER_TARGET_VELOCITY)[i] - step_in(s, TAC__TRACKER_VELOCITY)[i];
        force[i] = r_clamp(p->kp * e + p->kd * v, P(-p->most), P(p->most));
    }
    return TAC_OK;
}
