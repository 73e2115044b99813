// back.c - going back: snapshots of a run in memory, and its start.
//
// The block is the whole state of a run, so a snapshot is a copy of it and of what opaque
// components save; everything else is scratch and is computed again. A snapshot is made and read by
// this library only, so unlike a checkpoint it is not checked part by part: it must be of the same
// model.
#include "base/floats.h"
#include "engine/run/loop.h"
#include "engine/run/checkpoint.h"
#include "engine/phases/phases.h"
#include "engine/run/driven.h"
#include "engine/run/outside.h"
#include "engine/watch.h"

#include <string.h>

struct tac_snapshot {
    const tac_allocator *allocator;
    tac__text bytes; // the block, then what opaque components saved, then riders
    uint64_t model_hash, manifest_hash;
    size_t block_size, opaque_size;
    tac_time t_us, open_us;
    bool finished;
};

void tac_snapshot_destroy(tac_snapshot *s)
{
    if (!s)
        return;
    tac__text_fini(&s->bytes);
    s->allocator->resize(s->allocator->context, s, sizeof *s, 0);
}

tac_time tac_snapshot_time(const tac_snapshot *s)
{
    return s ? s->t_us : 0;
}

size_t tac_snapshot_size(const tac_snapshot *s)
{
    return s ? s->bytes.length : 0;
}

void tac__engine_forward_only(tac_engine *e, bool begin)
{
    e->forward_only += begin ? 1 : (size_t)-1;
}

// --- checks -------------------------------------------------------------------------------------

static tac_status check_savable(const tac_engine *e, const char *what, tac_error *err)
{
    const tac__component *c = tac__unsavable(e);
    if (!c)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_UNSAVABLE, &c->place,
                        "component '%s' of type '%s' keeps something outside the engine and cannot "
                        "%s",
                        c->name, c->type->name, what);
}

// A run that has failed can go back, too: going back needs nothing of the present state.
static tac_status check_back(const tac_engine *e, tac_error *err)
{
    if (!e || e->life != TAC__FAILED || !e->clock || !e->clock->started)
        TAC_TRY(tac__outside_ready(e, err));
    if (e->plan->driver)
        return tac__fail(err, TAC_E_CALLER, "a replay cannot go back");
    if (e->forward_only)
        return tac__fail(err, TAC_E_CALLER,
                         "a recorder is at work, and a recording cannot go back: end it first");
    return TAC_OK;
}

// The model hash follows from the plan, so it is computed once.
static uint64_t model_hash(tac_engine *e)
{
    if (!e->model_hash)
        e->model_hash = tac_engine_model_hash(e);
    return e->model_hash;
}

// --- taking -------------------------------------------------------------------------------------

// What a snapshot has of a rider: this, then its bytes.
typedef struct ridden {
    const tac__rider *rider;
    size_t size;
} ridden;

void tac__engine_ride(tac_engine *e, tac__rider *rider)
{
    rider->next = e->riders;
    e->riders = rider;
}

static void save_riders(const tac_engine *e, tac__text *out)
{
    for (const tac__rider *rider = e->riders; rider; rider = rider->next) {
        const ridden head = {rider, rider->size};
        tac__text_bytes(out, (const char *)&head, sizeof head);
        const size_t at = out->length;
        tac__text_repeat(out, 0, rider->size);
        if (!out->failed)
            rider->save(rider->context, out->chars + at);
    }
}

// The bytes of a rider in a snapshot; NULL: it has none. `s` may be NULL.
static const char *find_rider(const tac_snapshot *s, const tac__rider *rider)
{
    size_t at = s ? s->block_size + s->opaque_size : 0;
    while (s && at < s->bytes.length) {
        ridden head;
        memcpy(&head, s->bytes.chars + at, sizeof head);
        at += sizeof head;
        if (head.rider == rider && head.size == rider->size)
            return s->bytes.chars + at;
        at += head.size;
    }
    return NULL;
}

static void restore_riders(tac_engine *e, const tac_snapshot *s)
{
    for (const tac__rider *rider = e->riders; rider; rider = rider->next)
        rider->restore(rider->context, e, find_rider(s, rider));
}

static tac_status take(tac_engine *e, tac_snapshot *s, tac_error *err)
{
    s->model_hash = model_hash(e);
    s->manifest_hash = tac__block_manifest_hash(&e->plan->block);
    s->block_size = e->plan->block.run_size;
    s->t_us = e->clock->t_us;
    s->open_us = e->open_us;
    s->finished = e->clock->finished;
    s->bytes.length = 0;
    tac__block_complete(e);
    tac__text_bytes(&s->bytes, (const char *)e->plan->block.bytes, s->block_size);
    e->life = TAC__RUNNING;
    e->err = err;
    const tac_status status = tac__save_opaque(e, false, &s->bytes);
    e->err = NULL;
    s->opaque_size = s->bytes.length - s->block_size;
    save_riders(e, &s->bytes);
    e->life = TAC__PREPARED; // the engine goes on even if it could not be saved
    if (status == TAC_OK && (s->bytes.failed || !s->model_hash))
        return tac__fail_memory(err);
    return status;
}

tac_status tac_engine_take_snapshot(tac_engine *e, tac_snapshot **snapshot, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(snapshot);
    TAC_TRY(tac__outside_ready(e, err));
    TAC_TRY(check_savable(e, "be part of a snapshot", err));
    tac_snapshot *s = *snapshot;
    if (!s) {
        s = e->allocator->resize(e->allocator->context, NULL, 0, sizeof *s);
        if (!s)
            return tac__fail_memory(err);
        memset(s, 0, sizeof *s);
        s->allocator = e->allocator;
        tac__text_init(&s->bytes, e->allocator);
    }
    const tac_status status = take(e, s, err);
    if (status != TAC_OK) {
        if (!*snapshot)
            tac_snapshot_destroy(s);
        else
            s->block_size = 0; // a snapshot that is half written is of no use
        return status;
    }
    *snapshot = s;
    return TAC_OK;
}

// --- going back ---------------------------------------------------------------------------------

// Forget a checkpoint and a stop that were asked for since: after going back those calls never
// happened.
static void forget(tac_engine *e)
{
    if (e->checkpoint_path) {
        e->checkpoint_path = NULL;
        e->checkpoint_us = TAC_TIME_NEVER;
        tac__text_fini(&e->checkpoint_opaque);
    }
    atomic_store(&e->stop, false);
}

static tac_status go_back(tac_engine *e, const tac_snapshot *s, tac_error *err)
{
    forget(e);
    memcpy(e->plan->block.bytes, s->bytes.chars, s->block_size);
    tac__scratch_restart(e);
    TAC_TRY(tac__restore_opaque(e, s->bytes.chars + s->block_size, s->opaque_size, err));
    if (e->clock->started && !e->clock->finished) // another engine may have another end
        tac__timeline_set(&e->timeline, e->plan->start_end_source, e->plan->def.end_us);
    e->open_us = s->open_us;
    if (tac__steps_again(e) != TAC_OK)
        return tac__fail_memory(err);
    restore_riders(e, s);
    return TAC_OK;
}

static tac_status check_fits(tac_engine *e, const tac_snapshot *s, tac_error *err)
{
    if (!s->block_size)
        return tac__fail(err, TAC_E_CALLER, "the snapshot could not be taken");
    if (s->block_size != e->plan->block.run_size || s->model_hash != model_hash(e) ||
        s->manifest_hash != tac__block_manifest_hash(&e->plan->block))
        return tac__fail(err, TAC_E_MISMATCH, "the snapshot was taken of another model");
    if (s->finished ? s->t_us != e->plan->def.end_us : s->t_us >= e->plan->def.end_us)
        return tac__fail(err, TAC_E_RANGE,
                         "the snapshot was taken at or after the end of this run");
    return TAC_OK;
}

static void begin_back(tac_engine *e, tac_error *err)
{
    e->life = TAC__RUNNING;
    e->err = err;
    tac_error_clear(err);
}

static tac_status end_back(tac_engine *e, tac_status status)
{
    e->err = NULL;
    e->life = status == TAC_OK ? TAC__PREPARED : TAC__FAILED;
    return status;
}

tac_status tac_engine_restore_snapshot(tac_engine *e, const tac_snapshot *s, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(s);
    TAC_TRY(check_back(e, err));
    TAC_TRY(check_savable(e, "be restored from a snapshot", err));
    TAC_TRY(check_fits(e, s, err));
    begin_back(e, err);
    return end_back(e, go_back(e, s, err));
}

// --- the start ----------------------------------------------------------------------------------

static bool has_opaque(const tac_engine *e)
{
    bool any = false;
    for (size_t i = 0; i < e->plan->component_count && !any; i++)
        any = e->plan->components[i]->type->flags & TAC_COMPONENT_OPAQUE;
    return any;
}

// Where components keep something outside the engine, `init` alone cannot set the start again: a
// snapshot of the start is kept.
tac_status tac__keep_start(tac_engine *e, tac_error *err)
{
    if (!has_opaque(e) || tac__unsavable(e) || e->plan->driver)
        return TAC_OK;
    return tac_engine_take_snapshot(e, &e->start, err);
}

tac_status tac_engine_reset(tac_engine *e, tac_error *err)
{
    TAC__FLOATS;
    TAC_TRY(check_back(e, err));
    TAC_TRY(check_savable(e, "be reset", err));
    if (e->start)
        return tac_engine_restore_snapshot(e, e->start, err);
    begin_back(e, err);
    forget(e);
    e->open_us = 0;
    const tac_status status = tac__start(e);
    tac__scratch_restart(e);
    if (status == TAC_OK)
        restore_riders(e, NULL);
    return end_back(e, status);
}
