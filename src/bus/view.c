// view.c - histories and views: the synchronisation policies in one place.
#define TAC_KIND_F64
#include "bus/view.h"
#include "math/quat.h"

#include <string.h>

static uint64_t *entry(const tac__history *h, uint64_t n)
{
    return h->values + n % h->depth * h->words;
}

void tac__history_start(const tac__history *history, const void *value)
{
    *history->writes = 0;
    history->times[0] = 0;
    memcpy(entry(history, 0), value, history->words * 8);
}

void tac__history_push(const tac__history *history, tac_time t_us, const void *value)
{
    // After a jump, outputs of the plant are written again at the same instant: that is one entry.
    const uint64_t last = *history->writes;
    const bool again = last > 0 && history->times[last % history->depth] == t_us;
    const uint64_t n = *history->writes = last + !again;
    history->times[n % history->depth] = t_us;
    memcpy(entry(history, n), value, history->words * 8);
}

tac__hash tac__history_mix(const tac__history *history, const tac_type *type, uint32_t depth,
                           tac__hash h)
{
    const uint64_t last = *history->writes, all = last + 1, count = all < depth ? all : depth;
    h = tac__hash_word(h, count);
    for (uint64_t n = all - count; n <= last; n++) {
        h = tac__hash_word(h, history->times[n % history->depth]);
        h = tac__digest_mix(h, type, entry(history, n));
    }
    return h;
}

uint64_t tac__view_entry(const tac__view *v, tac_time t_us)
{
    const tac__history *h = v->history;
    if (t_us < v->delay_us)
        return 0;
    const tac_time seen = t_us - v->delay_us;
    uint64_t n = *h->writes;
    const uint64_t oldest = n + 1 > h->depth ? n + 1 - h->depth : 0;
    while (n > oldest && n > 0) {
        const tac_time written = h->times[n % h->depth];
        if (written <= seen && !(v->delayed && written == t_us))
            break;
        n--;
    }
    return n;
}

static quat load_quat(const uint64_t *words)
{
    quat q;
    memcpy(&q, words, sizeof q);
    return q;
}

// The value of an f64 signal that moves along a line, for elements [element, element + count).
static void along_line(const tac__view *v, uint64_t n, double c, double *value)
{
    const double *latest = (const double *)entry(v->history, n) + v->element;
    const double *before = (const double *)entry(v->history, n - 1) + v->element;
    for (uint32_t i = 0; i < v->count; i++) {
        value[i] = v->policy == TAC_INTERPOLATED ? r_lerp(before[i], latest[i], c)
                                                 : latest[i] + c * (latest[i] - before[i]);
    }
}

// The same on the sphere: the rotation from the value before, carried to c (or past the latest by
// c).
static void along_arc(const tac__view *v, uint64_t n, double c, double *value)
{
    const quat latest = load_quat(entry(v->history, n));
    const quat before = load_quat(entry(v->history, n - 1));
    const quat q = quat_slerp(before, latest, v->policy == TAC_INTERPOLATED ? c : 1.0 + c);
    const double all[4] = {q.w, q.x, q.y, q.z};
    memcpy(value, all + v->element, v->count * sizeof *value);
}

// Carried forward by a declared derivative, `seconds` past the latest value.
static void along_derivative(const tac__view *v, uint64_t n, double seconds, double *value)
{
    const double *d = (const double *)entry(v->derivative, n);
    if (v->type.shape != TAC_QUAT) {
        const double *latest = (const double *)entry(v->history, n);
        for (uint32_t i = 0; i < v->count; i++)
            value[i] = latest[v->element + i] + seconds * d[v->element + i];
        return;
    }
    const vec3 turn = {d[0] * seconds, d[1] * seconds, d[2] * seconds};
    const quat q = quat_normalise(quat_mul(load_quat(entry(v->history, n)), quat_exp(turn)));
    const double all[4] = {q.w, q.x, q.y, q.z};
    memcpy(value, all + v->element, v->count * sizeof *value);
}

static const char *held(const tac__view *v, uint64_t n)
{
    const char *value = v->history ? (const char *)entry(v->history, n) : v->signal;
    return value + v->element * tac__scalar_size(v->type.scalar);
}

void tac__view_update(const tac__view *v, tac_time t_us)
{
    const uint64_t n = v->history ? tac__view_entry(v, t_us) : 0;
    const bool moves = v->history && v->policy != TAC_ZOH && v->period_us && n >= 2;
    double *value = v->target;
    if (moves) {
        const tac_time since = t_us - v->delay_us - v->history->times[n % v->history->depth];
        const double c = (double)since / (double)v->period_us;
        if (v->derivative)
            along_derivative(v, n, (double)since / 1e6, value);
        else if (v->type.shape == TAC_QUAT)
            along_arc(v, n, c, value);
        else
            along_line(v, n, c, value);
    } else if (v->as_f64) {
        for (uint32_t i = 0; i < v->count; i++)
            value[i] = tac__scalar_f64(v->type.scalar, held(v, n), i);
    } else {
        memcpy(v->target, held(v, n), v->count * tac__scalar_size(v->type.scalar));
    }
    if (v->scaled) {
        for (uint32_t i = 0; i < v->count; i++)
            value[i] = v->gain * tac__factor_apply(v->factor, value[i]) + v->offset;
    }
}
