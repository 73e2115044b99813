// drive.c - the plant driven from traces; see engine/drive.h.
//
// Wake-ups, deliveries and located conditions outside the plant matter only as instants that split
// its islands. They are played back on the sources that they had in the live run, so that the same
// boundaries are known in advance and the same turn up during the run.
#include "engine/run/integrate.h"
#include "engine/phases/phases.h"
#include "engine/run/driven.h"
#include "engine/run/outside.h"
#include "engine/run/validate.h"

#include <string.h>

tac_status tac__engine_drive(tac_engine *e, const tac__driver *driver, tac_error *err)
{
    TAC_ASSERT(e->life == TAC__BUILDING && driver->players);
    if (e->send_watcher_count)
        return tac__fail_replayed(err);
    e->building->driver = driver;
    return TAC_OK;
}

tac__instants *tac__engine_instants(tac_engine *e, size_t *count)
{
    *count = e->plan->instants_count;
    return e->instants;
}

static tac__instants *instants_of(const tac_engine *e, int source)
{
    for (size_t i = 0; i < e->plan->instants_count; i++) {
        if (e->instants[i].source == source)
            return &e->instants[i];
    }
    return NULL;
}

// The first of the instants after `t_us`.
static tac_time next_after(const tac__instants *in, tac_time t_us)
{
    size_t low = 0, high = in->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (in->times[middle] <= t_us)
            low = middle + 1;
        else
            high = middle;
    }
    return low < in->count ? in->times[low] : TAC_TIME_NEVER;
}

void tac__drive_next(tac_engine *e, int source, tac_time t_us)
{
    const tac__instants *in = instants_of(e, source);
    if (in)
        tac__timeline_set(&e->timeline, source, next_after(in, t_us));
}

tac_status tac__drive_message(tac_engine *e, size_t receiver, const tac_message *m)
{
    tac__receiver *r = &e->plan->receivers[receiver];
    const tac__queue_slot head = {.sent_us = m->sent_us,
                                  .deliver_us = m->delivered_us,
                                  .sequence = m->sequence,
                                  .sender = m->sender & INT32_MAX,
                                  .copy = m->copy & 1,
                                  .size = (uint32_t)m->size};
    if (m->sender >= r->queue.key_count || m->copy > 1 || m->sent_us > m->delivered_us)
        return tac__fail(e->err, TAC_E_FORMAT, "a recorded message to '%s' is damaged", r->name);
    if (m->size > r->def.max_bytes || !tac__queue_send(&r->queue, &head, m->bytes))
        return tac__fail(e->err, TAC_E_QUEUE, "a recorded message does not fit the queue of '%s'",
                         r->name);
    const tac_time old_us = e->timeline.next[r->source];
    tac__timeline_set(&e->timeline, r->source, tac__queue_next(&r->queue));
    if (e->clock->started && e->timeline.next[r->source] < old_us)
        tac__islands_replan(e, r->source, old_us, NULL);
    return TAC_OK;
}

tac_status tac__drive_delivered(tac_engine *e, size_t receiver, tac_time t_us)
{
    const tac__component *c = e->plan->components[e->plan->receivers[receiver].component];
    if (!e->plan->driver->messages || !tac__is_continuous(c->type))
        return TAC_OK;
    return e->plan->driver->messages(e->plan->driver->context, e, receiver, t_us);
}

// Start everything that comes from traces: with what lies after `t_us`, or from the start.
tac_status tac__drive_begin(tac_engine *e, bool after, tac_time t_us)
{
    for (size_t i = 0; i < e->plan->receiver_count; i++) {
        tac__queue_recall(&e->plan->receivers[i].queue);
        tac__timeline_set(&e->timeline, e->plan->receivers[i].source, TAC_TIME_NEVER);
    }
    for (size_t i = 0; i < e->plan->instants_count; i++) {
        const tac__instants *in = &e->instants[i];
        const tac_time first = in->count ? in->times[0] : TAC_TIME_NEVER;
        tac__timeline_set(&e->timeline, in->source, after ? next_after(in, t_us) : first);
    }
    for (size_t i = 0; i < e->plan->receiver_count; i++)
        TAC_TRY(tac__drive_delivered(e, i, after ? t_us : TAC_TIME_NEVER));
    return TAC_OK;
}

tac_error *tac__drive_error(const tac_engine *e)
{
    return e->err;
}

// --- values by name ------------------------------------------------------------------------------

static void put_number(tac_scalar scalar, void *value, size_t i, double x)
{
    const double whole = x > -9e18 && x < 9e18 ? x : 0;
    switch (scalar) {
    case TAC_F64:
        ((double *)value)[i] = x;
        break;
    case TAC_I64:
        ((int64_t *)value)[i] = (int64_t)whole;
        break;
    case TAC_BOOL:
        ((bool *)value)[i] = x != 0;
        break;
    case TAC_I32:
    case TAC_ENUM:
        ((int32_t *)value)[i] = (int32_t)(int64_t)whole;
        break;
    }
}

tac_status tac__drive_start_with(tac_engine *e, tac__drive_value_fn *value, void *context,
                                 tac_error *err)
{
    for (size_t i = 0; i < e->plan->schema.count; i++) {
        const tac__signal *s = &e->plan->schema.signals[i];
        void *to = tac__block_at(&e->plan->block, s->offset);
        bool any = false;
        for (uint32_t k = 0; k < s->kind->type.count; k++) {
            double x;
            if (!value(context, s, k, &x))
                continue;
            put_number(s->kind->type.scalar, to, k, x);
            any = true;
        }
        if (any && s->history)
            tac__history_start(s->history, to);
    }
    TAC_TRY(tac__validate(e, false, err));
    tac__scratch_restart(e);
    e->err = err;
    const tac_status status = tac__drive_begin(e, false, 0);
    e->err = NULL;
    return status;
}
