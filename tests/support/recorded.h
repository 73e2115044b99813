// recorded.h - a small simulation, a recording of it, the recording written again with changes, and
// its replay: for tests and fuzz targets of damaged recordings. Whatever should work and does not
// ends the program.
#ifndef TAC_TESTS_SUPPORT_RECORDED_H
#define TAC_TESTS_SUPPORT_RECORDED_H

#include "base/file.h"
#include "record/mcap/mcap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

// A noise that drives an oscillator, whose position is sent to a listener: states, digests,
// deliveries, wake-ups.
#define RECORDED_MODEL(duration)                                                                   \
    "duration: " duration "\n"                                                                     \
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w, b]}]}\n"                    \
    "components:\n"                                                                                \
    "  w: {type: noise, params: {unit: N}}\n"                                                      \
    "  o: {type: oscillator, inputs: {force: w.y}}\n"                                              \
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"                            \
    "  l: {type: listener, params: {unit: m}}\n"                                                   \
    "links: [{from: b.tx, to: l.rx, delay: 7 ms}]\n"

typedef struct recorded {
    const char *model;
    tac_registry *registry;
    tac_config *config;
} recorded;

static inline void recorded_must(tac_status status, const tac_error *err)
{
    if (status == TAC_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    abort();
}

static inline void recorded_init(recorded *r, const char *model)
{
    tac_error err;
    tac_config_def def = tac_config_def_default();
    r->model = model;
    recorded_must(tac_registry_create(NULL, &r->registry, &err), &err);
    def.registry = r->registry;
    recorded_must(tac_config_parse("model", model, strlen(model), &def, &r->config, &err), &err);
}

static inline void recorded_fini(recorded *r)
{
    tac_config_destroy(r->config);
    tac_registry_destroy(r->registry);
}

static inline tac_engine *recorded_engine(const recorded *r)
{
    tac_engine *engine;
    tac_error err;
    const tac_engine_def def = tac_config_engine_def(r->config);
    recorded_must(tac_config_build_unprepared(r->config, &def, &engine, &err), &err);
    return engine;
}

// Run the model and record it, with stored states and flushes on the way.
static inline void recorded_make(const recorded *r, const char *path, const char *compression,
                                 tac_time log_us)
{
    tac_error err;
    tac_engine *engine = recorded_engine(r);
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.config = r->model;
    def.compression = compression;
    def.log_us = log_us;
    def.state_us = 9000;
    def.flush_us = 8000;
    recorded_must(tac_recorder_create(&def, engine, &recorder, &err), &err);
    recorded_must(tac_engine_prepare(engine, &err), &err);
    recorded_must(tac_recorder_begin(recorder, &err), &err);
    recorded_must(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    recorded_must(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
}

// --- written again -------------------------------------------------------------------------------

// May change a part of the file: a value of metadata (`message` false), an attachment (false) or a
// message (true), in the order of the file.
typedef void recorded_change_fn(void *context, bool message, unsigned char *bytes, size_t size);

typedef struct recorded_copy {
    tac__mcap_reader *in;
    tac__mcap_writer *out;
    recorded_change_fn *change;
    void *context;
} recorded_copy;

// Malloced, with a NUL behind it.
static inline unsigned char *recorded_changed(const recorded_copy *c, bool message,
                                              const void *from, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    if (!bytes)
        abort();
    memcpy(bytes, from, size);
    bytes[size] = 0;
    c->change(c->context, message, bytes, size);
    return bytes;
}

enum { RECORDED_PAIRS = 16 };

static inline size_t recorded_pairs(const recorded_copy *c, const tac__mcap_pair *pairs,
                                    size_t count, tac__mcap_pair *to)
{
    count = count < RECORDED_PAIRS ? count : RECORDED_PAIRS;
    for (size_t i = 0; i < count; i++) {
        const char *value = pairs[i].value;
        to[i] = (tac__mcap_pair){pairs[i].key,
                                 (char *)recorded_changed(c, false, value, strlen(value))};
    }
    return count;
}

static inline void recorded_free_pairs(tac__mcap_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)pairs[i].value);
}

static inline void recorded_copy_texts(const recorded_copy *c)
{
    const tac__mcap_info *about = tac__mcap_about(c->in);
    tac__mcap_pair pairs[RECORDED_PAIRS];
    tac_error err;
    for (size_t i = 0; i < about->schema_count; i++)
        tac__mcap_schema(c->out, about->schemas[i].name, about->schemas[i].encoding,
                         about->schemas[i].text);
    for (size_t i = 0; i < about->channel_count; i++) {
        const tac__mcap_channel_info *m = &about->channels[i];
        const size_t count = recorded_pairs(c, m->metadata, m->count, pairs);
        tac__mcap_channel(c->out, m->schema, m->topic, m->encoding, pairs, count);
        recorded_free_pairs(pairs, count);
    }
    for (size_t i = 0; i < about->metadata_count; i++) {
        const tac__mcap_metadata_info *m = &about->metadata[i];
        const size_t count = recorded_pairs(c, m->pairs, m->count, pairs);
        tac__mcap_metadata(c->out, m->name, pairs, count);
        recorded_free_pairs(pairs, count);
    }
    for (size_t i = 0; i < about->attachment_count; i++) {
        char *bytes;
        size_t size;
        recorded_must(tac__mcap_attachment_read(c->in, i, &bytes, &size, &err), &err);
        unsigned char *changed = recorded_changed(c, false, bytes, size);
        tac__mcap_attachment(c->out, about->attachments[i].name, "", 0, changed, size);
        free(changed);
        tac__file_free(tac_allocator_default(), bytes, size);
    }
}

// Calls `take` for every message of a file, in its order; NULL: counts only. Returns how many there
// are; `*most`, where not NULL, are those of the chunk that has most.
static inline uint64_t recorded_messages(tac__mcap_reader *in,
                                         void (*take)(const recorded_copy *c,
                                                      const tac__mcap_message_info *m),
                                         const recorded_copy *c, uint64_t *most)
{
    const tac__mcap_info *about = tac__mcap_about(in);
    tac__mcap_chunk chunk = {.allocator = tac_allocator_default()};
    uint64_t all = 0;
    tac_error err;
    for (size_t i = 0; i < about->chunk_count; i++) {
        recorded_must(tac__mcap_load(in, i, &chunk, &err), &err);
        uint64_t n = 0;
        for (;; n++) {
            tac__mcap_message_info m;
            bool more;
            recorded_must(tac__mcap_next(&chunk, &m, &more, &err), &err);
            if (!more)
                break;
            if (take)
                take(c, &m);
        }
        all += n;
        if (most && n > *most)
            *most = n;
    }
    tac__mcap_chunk_fini(&chunk);
    return all;
}

static inline void recorded_copy_message(const recorded_copy *c, const tac__mcap_message_info *m)
{
    unsigned char *bytes = recorded_changed(c, true, m->bytes, m->size);
    void *to = tac__mcap_message(c->out, m->channel, m->log_ns, m->size);
    if (!to)
        abort();
    memcpy(to, bytes, m->size);
    free(bytes);
}

// Write `from` again as `to`, a sound file with changed contents. Returns the number of messages.
static inline uint64_t recorded_rewrite(const char *from, const char *to,
                                        recorded_change_fn *change, void *context)
{
    recorded_copy c = {.change = change, .context = context};
    tac_error err;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = TAC__COMPRESS_NONE;
    def.workers = 1;
    recorded_must(tac__mcap_open(from, NULL, &c.in, &err), &err);
    recorded_must(tac__mcap_create(to, &def, &c.out, &err), &err);
    recorded_copy_texts(&c);
    const uint64_t messages = recorded_messages(c.in, recorded_copy_message, &c, NULL);
    recorded_must(tac__mcap_finish(c.out, &err), &err);
    tac__mcap_close(c.in);
    return messages;
}

// --- replayed -----------------------------------------------------------------------------------

// Drive the model from a recording to its end, or until that fails, which `err` tells. `*match`:
// every state had the recorded bits.
static inline tac_status recorded_replay(const recorded *r, tac_recording *recording, bool force,
                                         tac_time from_us, bool *match, tac_error *err)
{
    tac_engine *engine = recorded_engine(r);
    tac_replay *replay = NULL;
    tac_replay_def def = tac_replay_def_default();
    def.from_us = from_us;
    def.force_model = force;
    tac_error_clear(err);
    tac_status status = tac_replay_create(recording, engine, &def, &replay, err);
    if (status == TAC_OK)
        status = tac_engine_prepare(engine, err);
    if (status == TAC_OK)
        status = tac_replay_begin(replay, err);
    if (status == TAC_OK)
        status = tac_engine_run(engine, TAC_TIME_NEVER, err);
    if (status == TAC_OK || status == TAC_E_STOPPED)
        status = tac_replay_end(replay, err);
    *match = status == TAC_OK && tac_replay_about(replay).hash_match;
    tac_replay_destroy(replay);
    tac_engine_destroy(engine);
    return status;
}

#endif
