// view.c - histories and views: the synchronisation policies in one place.
#include "bus/view.h"
#include "bus/sight.h"

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

// Between or beyond the last two values, or carried by the declared derivative: `since_us` is the
// time since the latest one.
static void see_moving(const tac__view *v, uint64_t n, tac_time since_us, double *value)
{
    const tac__sight sight = {.before = (const double *)entry(v->history, n - 1),
                              .latest = (const double *)entry(v->history, n),
                              .rate =
                                  v->derivative ? (const double *)entry(v->derivative, n) : NULL,
                              .element = v->element,
                              .count = v->count,
                              .quaternion = v->type.shape == TAC_QUAT};
    const double c = (double)since_us / (double)v->period_us;
    if (sight.rate)
        tac__see_carried_f64(&sight, (double)since_us / 1e6, value);
    else if (v->policy == TAC_INTERPOLATED)
        tac__see_between_f64(&sight, c, value);
    else
        tac__see_beyond_f64(&sight, c, value);
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
        see_moving(v, n, t_us - v->delay_us - v->history->times[n % v->history->depth], value);
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
