// recorder.c - a recorder watches an engine and writes what it sees.
//
// It follows components and islands as an observer does, so it adds no boundary and changes no bit.
// The engine's thread only copies values into chunks; others compress and write them. A recorder
// that cannot go on keeps its first error and asks the engine to stop.
#include "record/recorder.h"
#include "base/floats.h"
#include "record/cdr.h"
#include "record/mcap/append.h"

#include <string.h>

tac_recorder_def tac_recorder_def_default(void)
{
    return (tac_recorder_def){.name = "",
                              .config = "",
                              .tier = TAC_TIER_LOG,
                              .log_us = 10000,
                              .state_us = TAC_TIME_NEVER,
                              .flush_us = TAC_TIME_NEVER,
                              .compression = "zstd",
                              .level = -1,
                              .replace = true};
}

// --- sampling -----------------------------------------------------------------------------------

void tac__recorder_fail(tac_recorder *r)
{
    r->failed = true;
    tac_engine_stop(r->engine);
}

// Mostly a few doubles: not worth a call.
static inline void copy_value(unsigned char *to, const unsigned char *from, size_t bytes)
{
    for (; bytes >= 16; to += 16, from += 16, bytes -= 16)
        memcpy(to, from, 16);
    if (bytes & 8) {
        memcpy(to, from, 8);
        to += 8;
        from += 8;
    }
    if (bytes & 4) {
        memcpy(to, from, 4);
        to += 4;
        from += 4;
    }
    for (bytes &= 3; bytes; bytes--)
        *to++ = *from++;
}

static inline void move_values(const tac__feed *f, unsigned char *message)
{
    memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
    for (const tac__move *m = f->moves, *end = m + f->move_count; m < end; m++)
        copy_value(message + m->at, m->from, m->bytes);
}

// One by one: states between two boundaries of their island, and what cannot be evaluated, which is
// not a number.
static void look_at(const tac__copy *c, const tac__copy *end, tac_engine *e, tac_time t_us,
                    unsigned char *message)
{
    for (; c < end; c++) {
        const void *from = tac__watched_value(&c->from, e, t_us);
        if (from)
            memcpy(message + c->at, from, c->bytes);
        else
            memset(message + c->at, 0xff, c->bytes);
    }
}

static void fill_rows(const tac__feed *f, tac_engine *e, tac_time t_us, unsigned char *message)
{
    for (size_t i = 0; i < f->row_count; i++) {
        const tac__copy *c = f->copies + f->rows[i].first, *end = c + f->rows[i].count;
        const void *from = tac__watched_value(&c->from, e, t_us);
        if (from == c->from.bus) {
            for (; c < end; c++)
                copy_value(message + c->at, c->from.bus, c->bytes);
        } else if (from && from == c->from.scratch) {
            for (; c < end; c++)
                copy_value(message + c->at, c->from.scratch, c->bytes);
        } else {
            look_at(c, end, e, t_us, message);
        }
    }
}

void tac__feed_fill(const tac__feed *f, tac_engine *e, tac_time t_us, unsigned char *message)
{
    if (f->plant) {
        memcpy(message, tac__cdr_header, TAC__CDR_HEADER);
        fill_rows(f, e, t_us, message);
    } else {
        move_values(f, message);
    }
}

__attribute__((noinline)) static void sample_anew(const tac__feed *f, tac_engine *e, tac_time t_us)
{
    unsigned char *message = tac__mcap_append(f->slot, t_us * 1000, f->layout.message_size);
    if (message)
        tac__feed_fill(f, e, t_us, message);
    else
        tac__recorder_fail(f->recorder);
}

// What steps write goes straight into the open chunk while there is room in it: without a call.
static inline void sample(const tac__feed *f, tac_engine *e, tac_time t_us)
{
    if (f->plant || !tac__mcap_has_room(f->slot, f->layout.message_size))
        sample_anew(f, e, t_us);
    else
        move_values(f, tac__mcap_put_message(f->slot, t_us * 1000, f->layout.message_size));
}

// --- outputs of the plant, evaluated where they are packed ---------------------------------------

// A note: where in its chunk the message is, then what its outputs follow from.
enum { NOTE_HEAD = sizeof(uint64_t) };

static void fill_outputs(const tac__feed *f, const void *stored, unsigned char *message)
{
    tac__deferred_values values;
    const bool good = tac__deferred_evaluate(&f->later, stored, &values) == TAC_OK;
    for (size_t i = 0; i < f->layout.count; i++) {
        const tac__copy *c = &f->copies[i];
        if (c->from.output < 0)
            continue;
        if (good)
            memcpy(message + c->at, values.out[c->from.output], c->bytes);
        else
            memset(message + c->at, 0xff, c->bytes);
    }
}

// Which NaN a value is, is up to the machine; in a recording they are one.
static void mend_nans(const tac__feed *f, unsigned char *message)
{
    for (size_t i = 0; i < f->layout.count; i++) {
        const tac__field *field = &f->layout.fields[i];
        if (field->signal.type.scalar == TAC_F64)
            tac__one_nan(message + field->at, field->bytes / sizeof(double));
    }
}

static void complete(void *context, unsigned char *chunk, size_t size, const unsigned char *notes,
                     size_t notes_size)
{
    const tac__feed *f = context;
    for (size_t i = 0; i < notes_size; i += f->note_size) {
        uint64_t at;
        memcpy(&at, notes + i, sizeof at);
        fill_outputs(f, notes + i + NOTE_HEAD, chunk + at);
    }
    // All messages of a feed have the same size.
    for (size_t at = MCAP_MESSAGE_HEAD; at < size; at += MCAP_MESSAGE_HEAD + f->layout.message_size)
        mend_nans(f, chunk + at);
}

void tac__feed_put_off(tac__feed *f)
{
    tac__mcap_completed_by(f->slot, complete, f);
    const tac__deferred later = tac__defer_outputs(f->recorder->engine, f->pick->component);
    bool any = false;
    for (size_t i = 0; i < f->layout.count; i++)
        any |= f->copies[i].from.output >= 0;
    if (!any || !later.component || f->pick->mode.kind != TAC__MODE_AXIS)
        return;
    f->later = later;
    f->note_size = NOTE_HEAD + later.size;
}

// States now, which are at hand; outputs later, where they are not at hand as well.
static void sample_later(const tac__feed *f, tac_engine *e, tac_time t_us)
{
    if (!tac__deferred_ready(&f->later, t_us)) {
        sample(f, e, t_us);
        return;
    }
    uint64_t at;
    unsigned char *message = tac__mcap_append(f->slot, t_us * 1000, f->layout.message_size);
    unsigned char *note = message ? tac__mcap_note(f->slot, message, f->note_size, &at) : NULL;
    if (!note) {
        tac__recorder_fail(f->recorder);
        return;
    }
    memcpy(note, &at, sizeof at);
    tac__deferred_store(&f->later, t_us, note + NOTE_HEAD);
    move_values(f, message);
}

void tac__feed_append(const tac__feed *f, tac_time t_us, const unsigned char *message)
{
    unsigned char *to = tac__mcap_append(f->slot, t_us * 1000, f->layout.message_size);
    if (to)
        memcpy(to, message, f->layout.message_size);
    else
        tac__recorder_fail(f->recorder);
}

static void sample_write(void *context, tac_engine *e, tac_time t_us)
{
    const tac__feed *f = context;
    if (f->recorder->writer)
        sample(f, e, t_us);
}

static void sample_change(void *context, tac_engine *e, tac_time t_us)
{
    tac__feed *f = context;
    if (!f->recorder->writer)
        return;
    unsigned char *fresh = f->last + f->layout.message_size;
    tac__feed_fill(f, e, t_us, fresh);
    mend_nans(f, fresh); // another NaN is no change
    if (f->begun && !memcmp(fresh, f->last, f->layout.message_size))
        return;
    f->begun = true;
    memcpy(f->last, fresh, f->layout.message_size);
    tac__feed_append(f, t_us, fresh);
}

static void sample_every(void *context, tac_engine *e, tac_time t_us)
{
    tac__feed *f = context;
    if (f->seen++ % f->pick->mode.every == 0 && f->recorder->writer)
        sample(f, e, t_us);
}

static void sample_window(void *context, tac_engine *e, tac_time t_us)
{
    tac__feed *f = context;
    if (f->recorder->writer)
        tac__window_sample(f, e, t_us);
}

static void sample_island(void *context, tac_engine *e, tac_time t_us)
{
    tac__feed *f = context;
    f->sampled_us = t_us + 1;
    sample_write(context, e, t_us);
}

static void sample_beat(void *context, tac_engine *e, tac_time t_us)
{
    const tac__beat *b = context;
    for (size_t i = 0; b->recorder->writer && i < b->count; i++) {
        if (b->feeds[i]->sampled_us == t_us + 1) // at a boundary of its island
            continue;
        if (b->feeds[i]->later.component)
            sample_later(b->feeds[i], e, t_us);
        else
            sample(b->feeds[i], e, t_us);
    }
}

static void sample_csv(void *context, tac_engine *e, tac_time t_us)
{
    const tac_recorder *r = context;
    if (r->csv)
        tac__live_csv_row(r->csv, e, t_us);
}

// --- what replay needs besides signals ----------------------------------------------------------

void tac__recorder_send(tac_recorder *r, uint16_t channel, tac_time t_us)
{
    void *message = r->scratch.failed
                        ? NULL
                        : tac__mcap_message(r->writer, channel, t_us * 1000, r->scratch.length);
    if (message)
        memcpy(message, r->scratch.chars, r->scratch.length);
    else
        tac__recorder_fail(r);
}

static void send_digests(tac__digester *d)
{
    tac_recorder *r = d->recorder;
    if (d->count == 0)
        return;
    tac__cdr_begin(&r->scratch);
    tac__cdr_u64s(&r->scratch, d->t_us, d->count);
    tac__cdr_u64s(&r->scratch, d->digest, d->count);
    tac__recorder_send(r, d->id, d->t_us[d->count - 1]);
    d->count = 0;
}

static void sample_digest(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac__digester *d = context;
    if (!d->recorder->writer)
        return;
    d->t_us[d->count] = t_us;
    d->digest[d->count++] = *d->value;
    if (d->count == TAC__DIGEST_BATCH)
        send_digests(d);
}

static void sample_instants(void *context, tac_engine *e, tac_time t_us)
{
    tac_recorder *r = context;
    const size_t count = tac__watch_instant_count(e);
    for (uint32_t i = 0; r->writer && i < count; i++) {
        if (!tac__watch_instant_at(e, i, t_us))
            continue;
        tac__cdr_begin(&r->scratch);
        tac__cdr_u32(&r->scratch, i);
        tac__recorder_send(r, r->instants_id, t_us);
    }
}

static void sample_delivery(void *context, tac_engine *e, size_t receiver, const tac_message *m)
{
    (void)e;
    tac_recorder *r = context;
    if (!r->writer || r->delivery_ids[receiver] == UINT16_MAX)
        return;
    tac__cdr_begin(&r->scratch);
    tac__cdr_u64(&r->scratch, m->sent_us);
    tac__cdr_u64(&r->scratch, m->sequence);
    tac__cdr_u32(&r->scratch, m->sender);
    tac__cdr_bytes(&r->scratch, m->bytes, m->size);
    tac__recorder_send(r, r->delivery_ids[receiver], m->delivered_us);
}

static tac_status send_state(tac_recorder *r, tac_time t_us, tac_error *err)
{
    tac__cdr_begin(&r->scratch);
    tac__cdr_u32(&r->scratch, 0);
    TAC_TRY(tac__snapshot_take(r->engine, &r->scratch, err));
    const uint32_t size = (uint32_t)(r->scratch.length - TAC__CDR_HEADER - 4);
    memcpy(r->scratch.chars + TAC__CDR_HEADER, &size, sizeof size);
    tac__recorder_send(r, r->state_id, t_us);
    return TAC_OK;
}

static void sample_state(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac_recorder *r = context;
    if (r->writer && send_state(r, t_us, &r->err) != TAC_OK)
        tac__recorder_fail(r);
}

// The phase in which a run begins is written by nobody: it is sampled at the start, so that readers
// know it before the first change.
static void sample_initial_phases(tac_recorder *r, tac_time t_us)
{
    for (size_t i = 0; i < r->picks.count; i++) {
        tac__feed *f = &r->feeds[i];
        if (f->pick->mode.kind == TAC__MODE_HOLD &&
            tac__watch_component(r->engine, f->pick->component).phases)
            sample_change(f, r->engine, t_us);
    }
}

// All that was sampled so far goes out, then a mark: whoever finds it in what a crash left behind
// knows that every channel is there up to its time. The last mark is in the file before the run
// goes on, so that at most two flushes are lost however slow the disk is.
static void flush(void *context, tac_engine *e, tac_time t_us)
{
    (void)e;
    tac_recorder *r = context;
    if (!r->writer)
        return;
    if (t_us == 0)
        sample_initial_phases(r, t_us);
    for (size_t i = 0; i < r->digester_count; i++)
        send_digests(&r->digesters[i]);
    tac__mcap_flush(r->writer);
    tac__cdr_begin(&r->scratch);
    tac__cdr_u64(&r->scratch, t_us);
    tac__recorder_send(r, r->mark_id, t_us);
    tac__mcap_settle(r->writer);
    if (tac__mcap_failed(r->writer))
        tac__recorder_fail(r);
}

static uint8_t ros_level(tac_log_level level)
{
    return (uint8_t)(10 * ((int)level + 1)); // DEBUG 10, INFO 20, WARN 30, ERROR 40
}

// As rcl_interfaces/msg/Log.
void tac_recorder_log(tac_recorder *r, const tac_log_entry *entry)
{
    TAC__FLOATS;
    if (!r || !r->writer)
        return;
    tac__cdr_begin(&r->scratch);
    tac__cdr_u32(&r->scratch, (uint32_t)(entry->t_us / 1000000));
    tac__cdr_u32(&r->scratch, (uint32_t)(entry->t_us % 1000000 * 1000));
    tac__cdr_u8(&r->scratch, ros_level(entry->level));
    tac__cdr_string(&r->scratch, entry->component);
    tac__cdr_string(&r->scratch, entry->text);
    tac__cdr_string(&r->scratch, "");
    tac__cdr_string(&r->scratch, "");
    tac__cdr_u32(&r->scratch, 0);
    tac__recorder_send(r, r->log_id, entry->t_us);
}

// --- planning: while the engine is prepared -----------------------------------------------------

static tac_status observe(tac_recorder *r, tac_follow follow, const char *component, bool outputs,
                          tac_time period_us,
                          void (*fn)(void *context, tac_engine *engine, tac_time t_us),
                          void *context, tac_error *err)
{
    tac_observer_def def = tac_observer_def_default();
    def.name = "recorder";
    def.follow = follow;
    def.component = component;
    def.outputs = outputs;
    def.period_us = period_us;
    def.ends = fn != flush;
    def.observe = fn;
    def.context = context;
    return tac_engine_add_observer(r->engine, &def, err);
}

static tac_status join_beat(tac_recorder *r, tac__feed *f, tac_time period_us, tac_error *err)
{
    tac__beat *beat = NULL;
    for (size_t i = 0; i < r->beat_count && !beat; i++) {
        if (r->beats[i].period_us == period_us)
            beat = &r->beats[i];
    }
    if (!beat) {
        if (!TAC__ARENA_GROW(&r->arena, r->beats, r->beat_count, r->beat_capacity))
            return tac__fail_memory(err);
        beat = &r->beats[r->beat_count++];
        *beat = (tac__beat){.recorder = r, .period_us = period_us};
    }
    if (!TAC__ARENA_GROW(&r->arena, beat->feeds, beat->count, beat->capacity))
        return tac__fail_memory(err);
    beat->feeds[beat->count++] = f;
    return TAC_OK;
}

static tac_status watch_feed(tac_recorder *r, tac__feed *f, tac_error *err)
{
    const tac__mode *mode = &f->pick->mode;
    if (mode->kind == TAC__MODE_AXIS)
        return join_beat(r, f, mode->period_us, err);
    void (*const fns[])(void *, tac_engine *, tac_time) = {
        [TAC__MODE_WRITES] = sample_write,  [TAC__MODE_HOLD] = sample_change,
        [TAC__MODE_EVERY] = sample_every,   [TAC__MODE_ISLAND] = sample_island,
        [TAC__MODE_WINDOW] = sample_window,
    };
    if (mode->kind == TAC__MODE_WINDOW)
        TAC_TRY(tac__window_create(f, err));
    if (mode->kind == TAC__MODE_ISLAND) // one that nobody reads has few boundaries, or none
        TAC_TRY(join_beat(r, f, r->def.log_us, err));
    if (mode->kind == TAC__MODE_WRITES || mode->kind == TAC__MODE_HOLD) {
        f->tap = (tac__tap){.show = fns[mode->kind], .context = f};
        tac__tap_steps(r->engine, f->pick->component, &f->tap);
        return TAC_OK;
    }
    return observe(r, mode->boundaries ? TAC_FOLLOW_ISLAND : TAC_FOLLOW_STEPS, f->component,
                   mode->boundaries, 0, fns[mode->kind], f, err);
}

static tac_status plan_feeds(tac_recorder *r, tac_error *err)
{
    TAC_TRY(tac__select(&r->def, r->engine, &r->arena, &r->picks, err));
    r->feeds = tac__arena_array(&r->arena, r->picks.count, sizeof *r->feeds);
    if (!r->feeds)
        return tac__fail_memory(err);
    for (size_t i = 0; i < r->picks.count; i++) {
        tac__feed *f = &r->feeds[i];
        f->recorder = r;
        f->pick = &r->picks.items[i];
        f->component = tac__watch_component(r->engine, f->pick->component).name;
        TAC_TRY(watch_feed(r, f, err));
    }
    // Beats have found their places: observers may point to them.
    for (size_t i = 0; i < r->beat_count; i++)
        TAC_TRY(observe(r, TAC_FOLLOW_AXIS, NULL, false, r->beats[i].period_us, sample_beat,
                        &r->beats[i], err));
    return TAC_OK;
}

static tac_status plan_digests(tac_recorder *r, tac_error *err)
{
    tac_engine *e = r->engine;
    const size_t count = tac__watch_run(e).digests ? tac__watch_island_count(e) : 0;
    r->digesters = tac__arena_array(&r->arena, count, sizeof *r->digesters);
    if (!r->digesters)
        return tac__fail_memory(err);
    for (size_t i = 0; i < count; i++) {
        const tac__island_facts island = tac__watch_island(e, i);
        if (!island.states)
            continue;
        tac__digester *d = &r->digesters[r->digester_count++];
        d->recorder = r;
        d->island = i;
        d->name = island.name;
        d->tap = (tac__tap){.show = sample_digest, .context = d};
        tac__tap_digests(e, i, &d->tap);
    }
    return TAC_OK;
}

static tac_status plan(void *context, tac_engine *e, tac_error *err)
{
    tac_recorder *r = context;
    if (r->def.path) {
        TAC_TRY(plan_feeds(r, err));
        TAC_TRY(plan_digests(r, err));
        TAC_TRY(observe(r, TAC_FOLLOW_INSTANTS, NULL, false, 0, sample_instants, r, err));
        r->listener = (tac__listener){.show = sample_delivery, .context = r};
        tac__engine_listen(e, &r->listener);
    }
    if (r->def.csv)
        TAC_TRY(observe(r, TAC_FOLLOW_AXIS, NULL, false, r->def.log_us, sample_csv, r, err));
    // The last, so that what was sampled at the same instant goes with it.
    return r->def.path ? observe(r, TAC_FOLLOW_AXIS, NULL, false, r->def.flush_us, flush, r, err)
                       : TAC_OK;
}

// As often as is of use, but not more than so many times in a run: what a long one stores besides
// its samples stays small. Loss by a crash is then a small part of the run, too.
enum { STATES_MAX = 1000, FLUSHES_MAX = 2000, STATE_US = 10000000 };

static void choose_periods(tac_recorder_def *def, tac_time end_us)
{
    const tac_time state_us = end_us / STATES_MAX, flush_us = end_us / FLUSHES_MAX;
    if (def->state_us == TAC_TIME_NEVER)
        def->state_us = state_us > STATE_US ? state_us : STATE_US;
    if (def->flush_us == TAC_TIME_NEVER)
        def->flush_us = flush_us > TAC_FLUSH_US ? flush_us : TAC_FLUSH_US;
}

// --- from outside -------------------------------------------------------------------------------

tac_status tac_recorder_create(const tac_recorder_def *def, tac_engine *engine,
                               tac_recorder **recorder, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(def && engine && recorder && tac__engine_is_building(engine) && def->log_us &&
                def->flush_us);
    *recorder = NULL;
    const tac__run_facts run = tac__watch_run(engine);
    const tac_allocator *a = run.allocator;
    tac__compression compression;
    TAC_TRY(tac__compression_parse(def->compression, &compression, err));
    tac_recorder *r = a->resize(a->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac_recorder){.allocator = a, .def = *def, .engine = engine};
    choose_periods(&r->def, run.end_us);
    tac__arena_init(&r->arena, a);
    tac__text_init(&r->scratch, a);
    if (tac__engine_when_resolved(engine, plan, r) != TAC_OK) {
        tac_recorder_destroy(r);
        return tac__fail_memory(err);
    }
    *recorder = r;
    return TAC_OK;
}

// A run that goes on from a checkpoint: what holds by now may not be written again for long.
static void sample_held(tac_recorder *r)
{
    const bool started = tac__watch_run(r->engine).started;
    for (size_t i = 0; started && i < r->picks.count; i++) {
        if (r->feeds[i].pick->mode.kind == TAC__MODE_HOLD)
            sample_change(&r->feeds[i], r->engine, tac_engine_time(r->engine));
    }
}

static tac_status open_file(tac_recorder *r, tac_error *err)
{
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    TAC_TRY(tac__compression_parse(r->def.compression, &def.compression, err));
    def.level = r->def.level;
    def.sync = r->def.sync;
    def.replace = r->def.replace;
    def.library = "tactus " TAC_VERSION;
    def.chunk_size = 64 << 10; // little is left to do when the run is over
    TAC_TRY(tac__mcap_create(r->def.path, &def, &r->writer, err));
    TAC_TRY(tac__recorder_describe(r, err));
    tac_engine *e = r->engine;
    TAC_TRY(send_state(r, tac_engine_time(e), err));
    sample_held(r);
    if (r->def.state_us) {
        r->snapshots =
            (tac__snapshot_timer){.due = sample_state, .context = r, .period_us = r->def.state_us};
        tac__snapshot_every(e, &r->snapshots);
    }
    tac__mcap_flush(r->writer);
    return TAC_OK;
}

tac_status tac_recorder_begin(tac_recorder *r, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(r && tac__engine_is_prepared(r->engine));
    if (r->def.path) {
        const tac_status status = open_file(r, err);
        if (status != TAC_OK) {
            tac__error_context(err, "beginning recording '%s'", r->def.path);
            return status;
        }
    }
    return r->def.csv ? tac__live_csv_open(r, err) : TAC_OK;
}

bool tac_recorder_failed(const tac_recorder *r)
{
    return r && r->failed;
}

tac_status tac_recorder_end(tac_recorder *r, const char *failure, tac_error *err)
{
    TAC__FLOATS;
    tac_status status = TAC_OK;
    if (r->writer) {
        for (size_t i = 0; i < r->digester_count; i++)
            send_digests(&r->digesters[i]);
        tac__recorder_conclude(r, failure ? failure : "");
        tac__mcap_writer *writer = r->writer;
        r->writer = NULL;
        status = tac__mcap_finish(writer, err);
    }
    if (status == TAC_OK && r->err.status != TAC_OK) {
        if (err)
            *err = r->err;
        status = r->err.status;
    }
    if (status == TAC_OK && r->scratch.failed)
        status = tac__fail_memory(err);
    if (status != TAC_OK && r->def.path)
        tac__error_context(err, "writing recording '%s'", r->def.path);
    if (r->csv) {
        const tac_status closed = tac__live_csv_close(r->csv, status == TAC_OK ? err : NULL);
        r->csv = NULL;
        status = status == TAC_OK ? closed : status;
    }
    return status;
}

void tac_recorder_destroy(tac_recorder *r)
{
    TAC__FLOATS;
    if (!r)
        return;
    if (r->writer || r->csv) {
        tac_error ignored;
        (void)!tac_recorder_end(r, "abandoned", &ignored);
    }
    for (size_t i = 0; r->feeds && i < r->picks.count; i++)
        tac__window_destroy(&r->feeds[i]);
    tac__text_fini(&r->scratch);
    tac__arena_fini(&r->arena);
    r->allocator->resize(r->allocator->context, r, sizeof *r, 0);
}
