// snapshot.c - the state of a run as bytes inside a recording, for a replay to go on from.
//
// A snapshot is a checkpoint without the texts about the model, which the recording has already. It
// begins with a header that says which engine it fits, then come the block and what opaque
// components of the plant saved.
#include "engine/run/nans.h"
#include "engine/run/checkpoint.h"
#include "engine/run/driven.h"
#include "engine/phases/phases.h"

#include <string.h>

typedef struct head {
    uint64_t manifest_hash, block_size, opaque_size;
} head;

tac_status tac__snapshot_take(tac_engine *e, tac__text *out, tac_error *err)
{
    const size_t start = out->length;
    head h = {tac__block_manifest_hash(&e->plan->block), e->plan->block.run_size, 0};
    tac__text_bytes(out, (const char *)&h, sizeof h);
    tac__block_complete(e);
    tac__text_bytes(out, (const char *)e->plan->block.bytes, e->plan->block.run_size);
    if (!out->failed)
        tac__stored_nans(e, (unsigned char *)out->chars + start + sizeof h);
    const size_t opaque = out->length;
    tac_error *outer = e->err;
    e->err = err;
    const tac_status status = tac__save_opaque(e, true, out);
    e->err = outer;
    TAC_TRY(status);
    if (out->failed)
        return tac__fail_memory(err);
    h.opaque_size = out->length - opaque;
    memcpy(out->chars + start, &h, sizeof h);
    return TAC_OK;
}

static tac_time next_multiple(tac_time t_us, tac_time period_us)
{
    return (t_us / period_us + 1) * period_us;
}

void tac__snapshot_every(tac_engine *e, tac__snapshot_timer *timer)
{
    timer->due_us = next_multiple(e->clock->t_us, timer->period_us);
    timer->next = e->snapshot_timers;
    e->snapshot_timers = timer;
    e->snapshot_us = timer->due_us < e->snapshot_us ? timer->due_us : e->snapshot_us;
}

// An instant that the run has even without observers.
static bool is_own_instant(const tac_engine *e, tac_time t_us)
{
    bool own = false;
    for (size_t i = 0; i < e->timeline.own && !own; i++)
        own = e->timeline.last[i] == t_us;
    return own;
}

void tac__watch_instant_end(tac_engine *e, tac__instant_watcher *watcher)
{
    if (watcher->asked)
        return;
    watcher->asked = true;
    watcher->next = e->instant_watchers;
    e->instant_watchers = watcher;
    e->snapshot_us = 0;
}

static void show_instant(tac_engine *e, tac_time t_us)
{
    tac__instant_watcher *watcher = e->instant_watchers;
    e->instant_watchers = NULL;
    while (watcher) {
        tac__instant_watcher *next = watcher->next;
        watcher->asked = false;
        watcher->show(watcher->context, e, t_us);
        watcher = next;
    }
}

void tac__snapshot_due(tac_engine *e, tac_time t_us)
{
    if (e->instant_watchers)
        show_instant(e, t_us);
    const bool own = e->snapshot_timers && is_own_instant(e, t_us);
    e->snapshot_us = TAC_TIME_NEVER;
    for (tac__snapshot_timer *timer = e->snapshot_timers; timer; timer = timer->next) {
        if (own && timer->due_us <= t_us) {
            timer->due_us = next_multiple(t_us, timer->period_us);
            timer->due(timer->context, e, t_us);
        }
        e->snapshot_us = timer->due_us < e->snapshot_us ? timer->due_us : e->snapshot_us;
    }
}

bool tac__snapshot_fits(const tac_engine *e, const void *bytes, size_t size)
{
    head h;
    if (size < sizeof h)
        return false;
    memcpy(&h, bytes, sizeof h);
    return h.manifest_hash == tac__block_manifest_hash(&e->plan->block) &&
           h.block_size == e->plan->block.run_size && h.block_size <= size - sizeof h &&
           h.opaque_size == size - sizeof h - h.block_size;
}

tac_status tac__snapshot_restore(tac_engine *e, const void *bytes, size_t size, bool same_model,
                                 bool other_method, tac_error *err)
{
    TAC_REQUIRE(e && e->life == TAC__PREPARED && !e->clock->started);
    if (!tac__snapshot_fits(e, bytes, size))
        return tac__fail(err, TAC_E_MISMATCH, "the stored state is that of another model");
    const char *block = (const char *)bytes + sizeof(head);
    tac_time *h_us = tac__arena_array(&e->memory, e->plan->island_count, sizeof *h_us);
    if (!h_us)
        return tac__fail_memory(err);
    for (size_t i = 0; i < e->plan->island_count; i++)
        h_us[i] = e->islands[i].state->h_us;
    e->err = err;
    tac_status status = tac__restore_block(e, block, same_model, other_method ? h_us : NULL, err);
    if (status == TAC_OK && e->clock->t_us > e->plan->def.end_us)
        status = tac__fail(err, TAC_E_RANGE, "the stored state lies after the end of this run");
    if (status == TAC_OK)
        status = tac__restore_opaque(e, block + e->plan->block.run_size,
                                     size - sizeof(head) - e->plan->block.run_size, err);
    if (status == TAC_OK && e->plan->driver)
        status = tac__drive_begin(e, e->clock->started, e->clock->t_us);
    if (status == TAC_OK && e->clock->started) // otherwise the boundary at 0 is still to come
        tac__timeline_set(&e->timeline, e->plan->start_end_source, e->plan->def.end_us);
    if (status == TAC_OK)
        status = tac__steps_again(e) == TAC_OK ? TAC_OK : tac__fail_memory(err);
    e->err = NULL;
    if (status != TAC_OK)
        e->life = TAC__FAILED;
    return status;
}
