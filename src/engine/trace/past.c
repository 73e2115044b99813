// past.c - see past.h.
//
// Entries of a signal are numbered: 0, 1, ... are those of this period, -1 is the last one before
// it, and so on.
#include "engine/trace/past.h"
#include "base/text.h"
#include "bus/sight.h"
#include "engine/plan/find.h"

#include <string.h>

tac_status tac__past_make(tac__trace *tr, tac__pasts *pasts, int signal, const int64_t *writes,
                          size_t count)
{
    tac__past *p = &pasts->signals[signal];
    int64_t *own = tac__arena_array(&tr->arena, count, sizeof *own);
    p->written = tac__arena_array(&tr->arena, count, sizeof *p->written);
    if (!own || !p->written)
        return TAC_E_MEMORY;
    memcpy(own, writes, count * sizeof *own);
    p->writes = own;
    p->write_count = count;
    return TAC_OK;
}

tac_status tac__past_write(tac__trace *tr, tac__pasts *pasts, int signal)
{
    tac__past *p = &pasts->signals[signal];
    if (!p->write_count)
        return TAC_OK;
    TAC_ASSERT(p->written_count < p->write_count);
    const size_t bytes =
        tr->engine->plan->schema.signals[signal].kind->type.count * sizeof(tac__sym_value);
    tac__sym_value *copy = tac__arena_alloc(&tr->arena, bytes);
    if (!copy)
        return TAC_E_MEMORY;
    memcpy(copy, tr->signals[signal], bytes);
    p->written[p->written_count++] = copy;
    return TAC_OK;
}

// --- entries ------------------------------------------------------------------------------------

static int64_t time_of(const tac__pasts *pasts, const tac__past *p, int64_t n)
{
    const int64_t count = (int64_t)p->write_count;
    const int64_t periods = n >= 0 ? 0 : (-n + count - 1) / count; // before this one
    return p->writes[n + periods * count] - periods * pasts->period_us;
}

// The value so many writes before the period: an input.
static tac__sym_value *before(tac__trace *tr, tac__pasts *pasts, int signal, size_t lag)
{
    tac__past *p = &pasts->signals[signal];
    const tac__signal *s = &tr->engine->plan->schema.signals[signal];
    while (p->before_count < lag) {
        if (!TAC__ARENA_GROW(&tr->arena, p->before, p->before_count, p->before_capacity))
            return NULL;
        char time[TAC_TIME_TEXT];
        const size_t next = p->before_count + 1;
        tac_time_print((tac_time)-time_of(pasts, p, -(int64_t)next), time);
        const char *at = tr->at;
        const int64_t at_us = tr->at_us;
        tr->at = tac__arena_format(&tr->arena, "@-%s", time);
        tr->at_us = 0; // it is there before the first boundary
        const tac__trace_value value = {.name = s->name,
                                        .unit = s->kind->unit,
                                        .type = &s->kind->type,
                                        .history = s->history,
                                        .lag = (uint32_t)next};
        p->before[p->before_count] = tr->at ? tac__trace_inputs(tr, &p->inputs, value) : NULL;
        tr->at = at;
        tr->at_us = at_us;
        if (!p->before[p->before_count])
            return NULL;
        p->before_count++;
    }
    return p->before[lag - 1];
}

static const tac__sym_value *value_of(tac__trace *tr, tac__pasts *pasts, int signal, int64_t n)
{
    return n >= 0 ? pasts->signals[signal].written[n] : before(tr, pasts, signal, (size_t)-n);
}

// The last entry that counts: as tac__view_entry.
static int64_t entry_at(const tac__pasts *pasts, const tac__past *p, const tac_route_def *route,
                        int64_t t_us)
{
    const int64_t seen = t_us - (int64_t)route->delay_us;
    int64_t n = (int64_t)p->written_count - 1;
    for (;; n--) {
        const int64_t written = time_of(pasts, p, n);
        if (written <= seen && !(route->delayed && written == t_us))
            return n;
    }
}

// --- policies -----------------------------------------------------------------------------------

// How an input is seen: from which entry, and how long after it.
typedef struct look {
    const tac__signal *signal;
    int number;
    int64_t entry, since_us;
    tac_time period_us; // of the writer
    bool moves;
    int derivative; // signal; -1: none
} look;

static look look_at(const tac__trace *tr, const tac__pasts *pasts, const tac__input *in,
                    int64_t t_us)
{
    const tac__plan *plan = tr->engine->plan;
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac__past *p = &pasts->signals[in->signal];
    look l = {.signal = s,
              .number = in->signal,
              .entry = entry_at(pasts, p, in->route, t_us),
              .period_us = tac__signal_period(plan, s),
              .derivative = in->policy == TAC_EXTRAPOLATED ? s->derivative : -1};
    l.since_us = t_us - (int64_t)in->route->delay_us - time_of(pasts, p, l.entry);
    l.moves = (in->policy == TAC_INTERPOLATED || in->policy == TAC_EXTRAPOLATED) && l.period_us &&
              s->kind->type.scalar == TAC_F64;
    return l;
}

static const double *doubles(const tac__sym_value *values)
{
    return (const double *)(const void *)values;
}

// As see_moving in bus/view.c.
static tac_status see_moving(tac__trace *tr, tac__pasts *pasts, const tac__input *in, const look *l,
                             size_t count, tac__sym_value *to)
{
    const tac__sym_value *latest = value_of(tr, pasts, l->number, l->entry);
    const tac__sym_value *earlier = value_of(tr, pasts, l->number, l->entry - 1);
    const tac__sym_value *rate =
        l->derivative >= 0 ? value_of(tr, pasts, l->derivative, l->entry) : NULL;
    if (!latest || !earlier || (l->derivative >= 0 && !rate))
        return TAC_E_MEMORY;
    const tac__sight sight = {.before = doubles(earlier),
                              .latest = doubles(latest),
                              .rate = rate ? doubles(rate) : NULL,
                              .element = in->element,
                              .count = count,
                              .quaternion = l->signal->kind->type.shape == TAC_QUAT};
    const double c = (double)l->since_us / (double)l->period_us;
    double *values = (double *)(void *)to;
    if (rate)
        tac__see_carried_sym(&sight, (double)l->since_us / 1e6, values);
    else if (in->policy == TAC_INTERPOLATED)
        tac__see_between_sym(&sight, c, values);
    else
        tac__see_beyond_sym(&sight, c, values);
    return TAC_OK;
}

tac_status tac__past_see(tac__trace *tr, tac__pasts *pasts, const tac__component *c, size_t input,
                         int64_t t_us, tac__sym_value *to)
{
    const tac__input *in = &c->in[input];
    const size_t count = c->inputs.items[input].type.count;
    if (!pasts->signals[in->signal].write_count) { // never written while the period lasts
        memcpy(to, tr->signals[in->signal] + in->element, count * sizeof *to);
        return TAC_OK;
    }
    const look l = look_at(tr, pasts, in, t_us);
    if (l.moves)
        return see_moving(tr, pasts, in, &l, count, to);
    const tac__sym_value *value = value_of(tr, pasts, in->signal, l.entry);
    if (!value)
        return TAC_E_MEMORY;
    memcpy(to, value + in->element, count * sizeof *to);
    return TAC_OK;
}

const char *tac__past_policy(tac__trace *tr, const tac__pasts *pasts, const tac__component *c,
                             size_t input, int64_t t_us)
{
    const tac__input *in = &c->in[input];
    if (!in->history || !pasts->signals[in->signal].write_count)
        return "ZOH";
    const look l = look_at(tr, pasts, in, t_us);
    if (!l.moves)
        return "ZOH";
    char number[TAC__NUMBER_TEXT];
    const double since_s = (double)l.since_us / 1e6;
    tac__number_print(l.derivative >= 0 ? since_s : (double)l.since_us / (double)l.period_us,
                      number);
    return tac__arena_format(&tr->arena, "%s %s%s", tac_policy_name(in->policy), number,
                             l.derivative >= 0 ? " s" : "");
}

// Inputs in the order of the outputs that take their places, not in that in which they were made.
static tac_status gather(tac__trace *tr, const tac__trace_list *inputs, tac__trace_list *to)
{
    for (size_t i = 0; i < inputs->count; i++) {
        if (!TAC__ARENA_GROW(&tr->arena, to->items, to->count, to->capacity))
            return TAC_E_MEMORY;
        to->items[to->count++] = inputs->items[i];
    }
    return TAC_OK;
}

tac_status tac__past_end(tac__trace *tr, tac__pasts *pasts)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t i = 0; i < plan->schema.count; i++) {
        const tac__past *p = &pasts->signals[i];
        const tac__signal *s = &plan->schema.signals[i];
        TAC_TRY(gather(tr, &p->inputs, &pasts->past));
        for (size_t lag = 1; lag <= p->before_count; lag++) {
            const tac__sym_value *value =
                value_of(tr, pasts, (int)i, (int64_t)p->written_count - (int64_t)lag);
            char time[TAC_TIME_TEXT];
            tac_time_print((tac_time)-time_of(pasts, p, -(int64_t)lag), time);
            tr->at = tac__arena_format(&tr->arena, "@-%s", time);
            if (!value || !tr->at)
                return TAC_E_MEMORY;
            TAC_TRY(tac__trace_outputs(tr, &pasts->past1,
                                       (tac__trace_value){.name = s->name,
                                                          .unit = s->kind->unit,
                                                          .type = &s->kind->type,
                                                          .history = s->history,
                                                          .lag = (uint32_t)lag},
                                       value));
        }
    }
    tr->at = "";
    return TAC_OK;
}
