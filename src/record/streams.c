// streams.c - see streams.h. Messages are CDR, made in one scratch text.
#include "record/recorder.h"
#include "record/cdr.h"

static void put(tac__streams *s, uint16_t stream, tac_time t_us)
{
    if (s->scratch.failed)
        tac__recorder_fail(s->sampler->recorder);
    else
        s->sink->type->put(s->sink, stream, t_us, s->scratch.chars, s->scratch.length);
}

// --- digests ------------------------------------------------------------------------------------

static void put_digests(tac__digest_stream *d)
{
    tac__streams *s = d->streams;
    if (d->count == 0)
        return;
    tac__cdr_begin(&s->scratch);
    tac__cdr_u64s(&s->scratch, d->t_us, d->count);
    tac__cdr_u64s(&s->scratch, d->digest, d->count);
    put(s, d->id, d->t_us[d->count - 1]);
    d->count = 0;
}

static void put_all_digests(tac__streams *s)
{
    for (size_t i = 0; i < s->digest_count; i++)
        put_digests(&s->digests[i]);
}

static void take_digest(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac__digest_stream *d = context;
    d->t_us[d->count] = t_us;
    d->digest[d->count] = *d->value;
    if (++d->count == TAC__DIGEST_BATCH)
        put_digests(d);
}

static void ignore(void *context, tac_engine *e, tac_time t_us)
{
    (void)context, (void)e, (void)t_us;
}

static void set_taps(tac__streams *s, void (*show)(void *, tac_engine *, tac_time))
{
    for (size_t i = 0; i < s->digest_count; i++)
        s->digests[i].tap.show = show;
}

// --- instants, deliveries, states, the log ------------------------------------------------------

static void take_instants(void *context, tac_engine *e, tac_time t_us)
{
    tac__streams *s = context;
    const size_t count = tac__watch_instant_count(e);
    for (uint32_t i = 0; s->sink->open && i < count; i++) {
        if (!tac__watch_instant_at(e, i, t_us))
            continue;
        tac__cdr_begin(&s->scratch);
        tac__cdr_u32(&s->scratch, i);
        put(s, s->instants_id, t_us);
    }
}

static void take_delivery(void *context, tac_engine *e, size_t receiver, const tac_message *m)
{
    (void)e;
    tac__streams *s = context;
    if (!s->sink->open || s->delivery_ids[receiver] == UINT16_MAX)
        return;
    tac__cdr_begin(&s->scratch);
    tac__cdr_u64(&s->scratch, m->sent_us);
    tac__cdr_u64(&s->scratch, m->sequence);
    tac__cdr_u32(&s->scratch, m->sender);
    tac__cdr_bytes(&s->scratch, m->bytes, m->size);
    tac__cdr_u32(&s->scratch, (uint32_t)m->copy);
    put(s, s->delivery_ids[receiver], m->delivered_us);
}

static void take_fate(void *context, size_t drawn, tac_time sent_us, uint64_t sequence,
                      const tac__fate *fate)
{
    tac__streams *s = context;
    if (!s->sink->open)
        return;
    uint64_t delivered_us[2];
    for (uint32_t copy = 0; copy < fate->copies; copy++)
        delivered_us[copy] = sent_us + fate->delay_us[copy];
    tac__cdr_begin(&s->scratch);
    tac__cdr_u64(&s->scratch, sequence);
    tac__cdr_u64s(&s->scratch, delivered_us, fate->copies);
    tac__cdr_u32(&s->scratch, (uint32_t)drawn);
    tac__cdr_u8(&s->scratch, (uint8_t)fate->kind);
    put(s, s->fates_id, sent_us);
}

static tac_status put_state(tac__streams *s, tac_time t_us, tac_error *err)
{
    tac__cdr_begin(&s->scratch);
    tac__cdr_u32(&s->scratch, 0);
    TAC_TRY(tac__snapshot_take(s->sampler->engine, &s->scratch, err));
    const uint32_t size = (uint32_t)(s->scratch.length - TAC__CDR_HEADER - 4);
    memcpy(s->scratch.chars + TAC__CDR_HEADER, &size, sizeof size);
    put(s, s->state_id, t_us);
    return TAC_OK;
}

static void take_state(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac__streams *s = context;
    tac_recorder *r = s->sampler->recorder;
    if (s->sink->open && put_state(s, t_us, &r->err) != TAC_OK)
        tac__recorder_fail(r);
}

static uint8_t ros_level(tac_log_level level)
{
    return (uint8_t)(10 * ((int)level + 1)); // DEBUG 10, INFO 20, WARN 30, ERROR 40
}

// As rcl_interfaces/msg/Log.
void tac__streams_log(tac__streams *s, const tac_log_entry *entry)
{
    if (!s->sink || !s->sink->open)
        return;
    tac__cdr_begin(&s->scratch);
    tac__cdr_u32(&s->scratch, (uint32_t)(entry->t_us / 1000000));
    tac__cdr_u32(&s->scratch, (uint32_t)(entry->t_us % 1000000 * 1000));
    tac__cdr_u8(&s->scratch, ros_level(entry->level));
    tac__cdr_string(&s->scratch, entry->component);
    tac__cdr_string(&s->scratch, entry->text);
    tac__cdr_string(&s->scratch, "");
    tac__cdr_string(&s->scratch, "");
    tac__cdr_u32(&s->scratch, 0);
    put(s, s->log_id, entry->t_us);
}

// --- marks --------------------------------------------------------------------------------------

// All that was sampled so far goes out, then a mark: a reader that finds the mark in what a crash
// left behind knows that every channel is there up to its time. The last mark is in the file before
// the run goes on, so that at most two flushes are lost however slow the disk is.
static void flush(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac__streams *s = context;
    if (!s->sink->open)
        return;
    if (t_us == 0)
        tac__sampler_start(s->sampler, t_us);
    put_all_digests(s);
    s->sink->type->flush(s->sink, false);
    tac__cdr_begin(&s->scratch);
    tac__cdr_u64(&s->scratch, t_us);
    put(s, s->mark_id, t_us);
    s->sink->type->flush(s->sink, true);
}

// --- planning and beginning ---------------------------------------------------------------------

void tac__streams_init(tac__streams *s, tac__sampler *sampler)
{
    *s = (tac__streams){.sampler = sampler, .sink = sampler->sink};
    tac__text_init(&s->scratch, sampler->recorder->allocator);
}

void tac__streams_fini(tac__streams *s)
{
    if (s->sink)
        tac__text_fini(&s->scratch);
}

static tac_status plan_digests(tac__streams *s, tac_error *err)
{
    tac_engine *e = s->sampler->engine;
    const size_t count = tac__watch_run(e).digests ? tac__watch_island_count(e) : 0;
    s->digests = tac__arena_array(&s->sampler->recorder->arena, count, sizeof *s->digests);
    if (!s->digests)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const tac__island_facts island = tac__watch_island(e, i);
        if (!island.states)
            continue;
        tac__digest_stream *d = &s->digests[s->digest_count++];
        d->streams = s;
        d->island = i;
        d->name = island.name;
        d->tap = (tac__tap){.show = ignore, .context = d};
        tac__tap_digests(e, i, &d->tap);
    }
    return TAC_OK;
}

tac_status tac__streams_plan(tac__streams *s, tac_error *err)
{
    tac_engine *e = s->sampler->engine;
    TAC_TRY(plan_digests(s, err));
    s->listener = (tac__listener){.show = take_delivery, .context = s};
    tac__engine_listen(e, &s->listener);
    s->fate_listener = (tac__fate_listener){.show = take_fate, .context = s};
    tac__engine_listen_fates(e, &s->fate_listener);
    tac_observer_def def = tac_observer_def_default();
    def.name = "recorder";
    def.context = s;
    def.follow = TAC_FOLLOW_INSTANTS;
    def.observe = take_instants;
    TAC_TRY(tac_engine_add_observer(e, &def, err));
    // The last, so that what was sampled at the same instant goes out with it.
    def.follow = TAC_FOLLOW_AXIS;
    def.period_us = s->sampler->recorder->def.flush_us;
    def.observe = flush;
    return tac_engine_add_observer(e, &def, err);
}

static tac_status announce_instants(tac__streams *s)
{
    const tac_engine *e = s->sampler->engine;
    tac__text names;
    tac__text_init(&names, s->sampler->recorder->allocator);
    const size_t count = tac__watch_instant_count(e);
    for (size_t i = 0; i < count; i++)
        tac__text_add(&names, "%s\n", tac__watch_instant(e, i));
    if (count && !names.failed)
        s->instants_id = s->sink->type->stream(s->sink, TAC__CHANNEL_INSTANTS, "", names.chars);
    const bool failed = names.failed;
    tac__text_fini(&names);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

// Links by number: "uav1.radio.tx uav2.radio.rx", one a line.
static tac_status announce_fates(tac__streams *s)
{
    const tac_engine *e = s->sampler->engine;
    tac__text names;
    tac__text_init(&names, s->sampler->recorder->allocator);
    const size_t count = tac__watch_drawn_count(e);
    for (size_t i = 0; i < count; i++) {
        const tac__drawn_facts link = tac__watch_drawn(e, i);
        tac__text_add(&names, "%s %s\n", link.from, link.to);
    }
    if (count && !names.failed)
        s->fates_id = s->sink->type->stream(s->sink, TAC__CHANNEL_FATES, "", names.chars);
    const bool failed = names.failed;
    tac__text_fini(&names);
    return failed ? TAC_E_MEMORY : TAC_OK;
}

static tac_status announce(tac__streams *s)
{
    const tac_engine *e = s->sampler->engine;
    uint16_t (*const stream)(tac__sink *, tac__channel_kind, const char *, const char *) =
        s->sink->type->stream;
    s->log_id = stream(s->sink, TAC__CHANNEL_LOG, "", NULL);
    s->state_id = stream(s->sink, TAC__CHANNEL_STATE, "", NULL);
    s->mark_id = stream(s->sink, TAC__CHANNEL_MARK, "", NULL);
    TAC_TRY(announce_instants(s));
    TAC_TRY(announce_fates(s));
    for (size_t i = 0; i < s->digest_count; i++) {
        tac__digest_stream *d = &s->digests[i];
        d->value = tac__watch_digest(e, d->island);
        d->id = stream(s->sink, TAC__CHANNEL_DIGEST, d->name, NULL);
    }
    const size_t count = tac__watch_receiver_count(e);
    s->delivery_ids =
        tac__arena_array(&s->sampler->recorder->arena, count, sizeof *s->delivery_ids);
    if (!s->delivery_ids)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < count; i++) {
        bool plant;
        const char *name = tac__watch_receiver(e, i, &plant);
        s->delivery_ids[i] =
            plant ? stream(s->sink, TAC__CHANNEL_DELIVERY, name, NULL) : UINT16_MAX;
    }
    return TAC_OK;
}

tac_status tac__streams_begin(tac__streams *s, tac_error *err)
{
    tac_engine *e = s->sampler->engine;
    const tac_recorder_def *def = &s->sampler->recorder->def;
    if (announce(s) != TAC_OK)
        return tac__fail_memory(err);
    TAC_TRY(put_state(s, tac_engine_time(e), err));
    if (tac__watch_run(e).started)
        tac__sampler_resume(s->sampler);
    if (def->state_us) {
        s->snapshots =
            (tac__snapshot_timer){.due = take_state, .context = s, .period_us = def->state_us};
        tac__snapshot_every(e, &s->snapshots);
    }
    set_taps(s, take_digest);
    s->sink->type->flush(s->sink, false);
    return TAC_OK;
}

void tac__streams_end(tac__streams *s)
{
    if (!s->sink || !s->sink->open)
        return;
    put_all_digests(s);
    set_taps(s, ignore);
}
