// wind.model.h - a step of `wind`, for every scalar kind. The processes are in wind_processes.h.
#include "model/arrays.h"
#include "model/world/wind.h"

// Does the wind follow this input? A frozen wind follows none of the vehicle.
static inline bool wind__follows(const tac_step *s, const tac__wind *c, int input)
{
    return !c->frozen && tac_connected(s, input);
}

static inline real wind__height(const tac_step *s, const tac__wind *c, const tac__wind_numbers *p)
{
    if (!wind__follows(s, c, TAC__WIND_IN_POSITION))
        return P(p->height_m);
    return -step_in(s, TAC__WIND_IN_POSITION)[2] - p->ground_m;
}

static inline real wind__airspeed(const tac_step *s, const tac__wind *c, const tac__wind_numbers *p,
                                  const real *air)
{
    if (!wind__follows(s, c, TAC__WIND_IN_VELOCITY))
        return P(p->airspeed_m_s);
    const real *v = step_in(s, TAC__WIND_IN_VELOCITY);
    return vec3_norm(vec3_sub(vec3_read(v), vec3_read(air)));
}

static inline quat wind__attitude(const tac_step *s, const tac__wind *c, const tac__wind_numbers *p)
{
    if (!wind__follows(s, c, TAC__WIND_IN_ATTITUDE))
        return quat_make(P(p->heading[0]), P(p->heading[1]), P(p->heading[2]), P(p->heading[3]));
    const real *q = step_in(s, TAC__WIND_IN_ATTITUDE);
    return quat_make(q[0], q[1], q[2], q[3]);
}

// The deviation from the mean wind at this instant is added to `air`, and the processes advance to
// the next step.
static inline void wind__add_ou(tac_step *s, real *air)
{
    real *x = step_state(s, TAC__WIND_STATE_PROCESS), n[TAC__OU_STATES];
    for (int i = 0; i < 3; i++)
        air[i] += x[i];
    step_normals(s, TAC__WIND_STREAM, n, TAC__OU_STATES);
    ou_step((const tac__ou *)(const void *)step_state(s, TAC__WIND_STATE_OU), n, x);
}

static inline void wind__add_dryden(tac_step *s, const tac__wind *c, const tac__wind_numbers *p,
                                    real *air)
{
    dryden_inputs u;
    u.height_m = wind__height(s, c, p);
    u.airspeed_m_s = wind__airspeed(s, c, p, air);
    u.attitude = wind__attitude(s, c, p);
    real n[TAC__DRYDEN_STATES];
    step_normals(s, TAC__WIND_STREAM, n, TAC__DRYDEN_STATES);
    vec3 turbulence = dryden_step(&p->dryden, c->aloft, tac_time_seconds(s->period_us), &u, n,
                                  step_state(s, TAC__WIND_STATE_PROCESS));
    air[0] += turbulence.x;
    air[1] += turbulence.y;
    air[2] += turbulence.z;
}

#ifdef TAC_KIND_SYM
// tac__wind_table_at, with the time as an input.
static inline void wind__add_table(const tac_step *s, const tac__wind *c, real *air)
{
    const tac__wind_table *t = &c->table;
    const int count = (int)t->count;
    real now = step_t_us(s),
         row = r_segment(tac__wind_column(t, TAC__WIND_COLUMN_TIME), count + 1, now);
    real from = r_pick(tac__wind_column(t, TAC__WIND_COLUMN_TIME), count, row);
    real to = r_pick(tac__wind_column(t, TAC__WIND_COLUMN_NEXT_TIME), count, row);
    cond between = c_and(now > from, to > from);
    real part = r_select(between, (now - from) / r_select(between, to - from, R(1.0)), R(0.0));
    for (int i = 0; i < 3; i++) {
        real a = r_pick(tac__wind_column(t, TAC__WIND_COLUMN_VELOCITY + i), count, row);
        real b = r_pick(tac__wind_column(t, TAC__WIND_COLUMN_NEXT_VELOCITY + i), count, row);
        real velocity = a + (t->interpolation == TAC__WIND_HOLD ? R(0.0) : part) * (b - a);
        if (t->interpolation == TAC__WIND_SPLINE) {
            int column = TAC__WIND_COLUMN_BEND + 2 * i;
            real bend_a = r_pick(tac__wind_column(t, column), count, row);
            real bend_b = r_pick(tac__wind_column(t, column + 1), count, row);
            velocity -= part * (1.0 - part) * (bend_a + bend_b * part);
        }
        air[i] += velocity;
    }
}
#else
static inline void wind__add_table(const tac_step *s, const tac__wind *c, real *air)
{
    double velocity[3];
    tac__wind_table_at(&c->table, s->t_us, velocity);
    for (int i = 0; i < 3; i++)
        air[i] += velocity[i];
}
#endif

TAC_ENTRY tac_status TAC_KINDED(tac__wind_step)(tac_step *s, const void *self)
{
    const tac__wind *c = (const tac__wind *)self;
    const tac__wind_numbers *p = STEP_P(s, tac__wind_numbers);
    real *base = step_out(s, TAC__WIND_OUT_BASE), *total = step_out(s, TAC__WIND_OUT_VELOCITY);
    real factor = R(1.0);
    if (c->profile)
        factor = wind_profile(p->roughness_m, wind__height(s, c, p));
    for (int i = 0; i < 3; i++)
        base[i] = factor * p->mean[i];
    if (c->kind == TAC__WIND_OU)
        wind__add_ou(s, base);
    else if (c->kind == TAC__WIND_DRYDEN)
        wind__add_dryden(s, c, p, base);
    else if (c->kind == TAC__WIND_TABLE)
        wind__add_table(s, c, base);
    const real *gust = step_in(s, TAC__WIND_IN_GUST);
    for (int i = 0; i < 3; i++)
        total[i] = base[i] + gust[i];
    return TAC_OK;
}
