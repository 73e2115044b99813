// sight.model.h - see sight.h.
#include "math/quat.h"

#include "bus/sight.h"

static inline const real *reals(const double *values)
{
    return (const real *)(const void *)values;
}

static inline quat read_quat(const double *values)
{
    const real *r = reals(values);
    quat q;
    q.w = r[0];
    q.x = r[1];
    q.y = r[2];
    q.z = r[3];
    return q;
}

static inline void write_part(quat q, const tac__sight *s, real *to)
{
    const real all[4] = {q.w, q.x, q.y, q.z};
    for (size_t i = 0; i < s->count; i++)
        to[i] = all[s->element + i];
}

TAC_ENTRY void TAC_KINDED(tac__see_between)(const tac__sight *s, double c, double *values)
{
    real *to = (real *)(void *)values;
    if (s->quaternion) {
        write_part(quat_slerp(read_quat(s->before), read_quat(s->latest), R(c)), s, to);
        return;
    }
    const real *before = reals(s->before) + s->element, *latest = reals(s->latest) + s->element;
    for (size_t i = 0; i < s->count; i++)
        to[i] = r_lerp(before[i], latest[i], R(c));
}

TAC_ENTRY void TAC_KINDED(tac__see_beyond)(const tac__sight *s, double c, double *values)
{
    real *to = (real *)(void *)values;
    if (s->quaternion) {
        write_part(quat_slerp(read_quat(s->before), read_quat(s->latest), R(1.0 + c)), s, to);
        return;
    }
    const real *before = reals(s->before) + s->element, *latest = reals(s->latest) + s->element;
    for (size_t i = 0; i < s->count; i++)
        to[i] = latest[i] + c * (latest[i] - before[i]);
}

TAC_ENTRY void TAC_KINDED(tac__see_carried)(const tac__sight *s, double seconds, double *values)
{
    real *to = (real *)(void *)values;
    const real *latest = reals(s->latest), *rate = reals(s->rate);
    if (s->quaternion) {
        const vec3 turn = {rate[0] * seconds, rate[1] * seconds, rate[2] * seconds};
        write_part(quat_normalise(quat_mul(read_quat(s->latest), quat_exp(turn))), s, to);
        return;
    }
    for (size_t i = 0; i < s->count; i++)
        to[i] = latest[s->element + i] + seconds * rate[s->element + i];
}
