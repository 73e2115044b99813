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
static inline real profile__held(const tac_step *s, const tac__profile_source *c)
{
    const param *values = STEP_P(s, param);
    real y = R(0.0);
#ifdef TAC_KIND_SYM
    for (size_t i = 0; i < c->count; i++)
        y = r_select(step_t_us(s) >= (double)c->times_us[i], P(values[i]), y);
#else
    for (size_t i = 0; i < c->count && c->times_us[i] <= s->t_us; i++)
        y = P(values[i]);
#endif
    return y;
}

// From time `i` to the next one.
typedef struct profile_segment {
    real from_us, to_us;
    real from, to; // values
    real a, b;     // of a spline; else 0
} profile_segment;

static inline profile_segment profile__segment(const tac_step *s, const tac__profile_source *c,
                                               size_t i)
{
    const param *values = STEP_P(s, param), *bend = values + c->count;
    profile_segment g;
    g.from_us = R((double)c->times_us[i]);
    g.to_us = R((double)c->times_us[i + 1]);
    g.from = P(values[i]);
    g.to = P(values[i + 1]);
    g.a = g.b = R(0.0);
    if (c->interpolation == TAC__PROFILE_SPLINE) {
        g.a = P(bend[i]);
        g.b = P(bend[c->count + i]);
    }
    return g;
}

// The segment in which the time of the step lies: the first one before, the last one after all.
static inline profile_segment profile__find(const tac_step *s, const tac__profile_source *c)
{
#ifdef TAC_KIND_SYM
    profile_segment g = profile__segment(s, c, 0);
    for (size_t i = 1; i + 1 < c->count; i++) {
        profile_segment next = profile__segment(s, c, i);
        cond reached = step_t_us(s) >= next.from_us;
        g.from_us = r_select(reached, next.from_us, g.from_us);
        g.to_us = r_select(reached, next.to_us, g.to_us);
        g.from = r_select(reached, next.from, g.from);
        g.to = r_select(reached, next.to, g.to);
        g.a = r_select(reached, next.a, g.a);
        g.b = r_select(reached, next.b, g.b);
    }
    return g;
#else
    size_t i = 0;
    while (i + 2 < c->count && c->times_us[i + 1] <= s->t_us)
        i++;
    return profile__segment(s, c, i);
#endif
}

// The first value before the first time, the last one after the last; math/spline.h.
static inline real profile__between(const tac_step *s, const tac__profile_source *c)
{
    profile_segment g = profile__find(s, c);
    real first = R((double)c->times_us[0]), last = R((double)c->times_us[c->count - 1]);
    real t = (r_clamp(step_t_us(s), first, last) - g.from_us) / (g.to_us - g.from_us);
    real y = r_lerp(g.from, g.to, t);
    if (c->interpolation == TAC__PROFILE_SPLINE)
        y -= t * (1.0 - t) * (g.a + g.b * t);
    return y;
}

TAC_ENTRY tac_status TAC_KINDED(tac__profile_step)(tac_step *s, const void *self)
{
    const tac__profile_source *c = (const tac__profile_source *)self;
    if (c->interpolation == TAC__PROFILE_HOLD)
        *step_out(s, TAC__SOURCE_OUT) = profile__held(s, c);
    else
        *step_out(s, TAC__SOURCE_OUT) = profile__between(s, c);
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
