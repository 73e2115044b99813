// views.c - inputs that are seen through views, on duals.
#include "bus/sight.h"
#include "engine/tangent/inside.h"

#include <string.h>

static const double *entry(const tac__history *h, const double *ring, uint64_t n)
{
    return ring + n % h->depth * h->words * TAC__WIDTH;
}

// Between or beyond the last two values, as the policy says.
static void see_moving(const tac__tangent_view *view, uint64_t n, tac_time t_us)
{
    const tac__view *v = view->plan;
    const tac__history *h = v->history;
    const tac_time since = t_us - v->delay_us - h->times[n % h->depth];
    const double c = (double)since / (double)v->period_us;
    const tac__sight sight = {.before = entry(h, view->ring, n - 1),
                              .latest = entry(h, view->ring, n),
                              .rate =
                                  v->derivative ? entry(v->derivative, view->rate_ring, n) : NULL,
                              .element = v->element,
                              .count = v->count,
                              .quaternion = v->type.shape == TAC_QUAT};
    if (sight.rate)
        tac__see_carried_dualp(&sight, (double)since / 1e6, view->to);
    else if (v->policy == TAC_INTERPOLATED)
        tac__see_between_dualp(&sight, c, view->to);
    else
        tac__see_beyond_dualp(&sight, c, view->to);
}

// Unit, gain and offset.
static void scale(const tac__view *v, double *to)
{
    const double slope =
        v->gain * (tac__factor_apply(v->factor, 1) - tac__factor_apply(v->factor, 0));
    for (uint32_t i = 0; i < v->count; i++, to += TAC__WIDTH) {
        to[0] = v->gain * tac__factor_apply(v->factor, to[0]) + v->offset;
        for (size_t k = 1; k < TAC__WIDTH; k++)
            to[k] *= slope;
    }
}

static void see(const tac__tangent_view *view, tac_time t_us)
{
    const tac__view *v = view->plan;
    if (!view->to)
        return;
    if (!view->signal) { // a bool or a whole number that is read as an f64
        tac__tangent_constants(v->target, v->count, view->to);
        return;
    }
    const uint64_t n = v->history ? tac__view_entry(v, t_us) : 0;
    if (v->history && v->policy != TAC_ZOH && v->period_us && n >= 2) {
        see_moving(view, n, t_us);
    } else {
        const double *whole = v->history ? entry(v->history, view->ring, n) : view->signal;
        memcpy(view->to, whole + v->element * TAC__WIDTH, v->count * TAC__WIDTH * sizeof *view->to);
    }
    if (v->scaled)
        scale(v, view->to);
}

void tac__tangent_see(const tac__tangent_part *part, size_t count, tac_time t_us)
{
    for (size_t i = 0; i < count; i++)
        see(&part->views[i], t_us);
}

void tac__tangent_keep(const tac__tangents *t, int signal, tac_time t_us)
{
    const tac__history *h = t->engine->plan->schema.signals[signal].history;
    if (!t->rings[signal])
        return;
    // As tac__history_push, which may have come before: then the last entry is of this instant.
    const uint64_t last = *h->writes;
    const bool again = h->times[last % h->depth] == t_us && last > 0;
    memcpy(t->rings[signal] + (last + !again) % h->depth * h->words * TAC__WIDTH,
           t->signals[signal], h->words * TAC__WIDTH * sizeof(double));
}
