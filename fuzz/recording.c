// recording.c - fuzzes what a recording says, inside a container that is sound.
//
// An input is a list of changes to a true recording: which of its texts, attachments and messages
// (one byte), where in it (two), to what (one). The file is written anew with them, opened, walked
// to the end, and replayed: stored states, digests and all.
#include "base/file.h"
#include "record/mcap/mcap.h"
#include <tactus/tactus.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char model[] =
    "duration: 20 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w, b]}]}\n"
    "components:\n"
    "  w: {type: noise, params: {unit: N}}\n"
    "  o: {type: oscillator, inputs: {force: w.y}}\n"
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"
    "  l: {type: listener, params: {unit: m}}\n"
    "links: [{from: b.tx, to: l.rx, delay: 7 ms}]\n";

static char original[64], path[64];
static tac_registry *registry;
static tac_config *config;

static void must(tac_status status)
{
    if (status != TAC_OK)
        abort();
}

static tac_engine *make_engine(void)
{
    tac_engine *engine;
    const tac_engine_def def = tac_config_engine_def(config);
    must(tac_config_build_unprepared(config, &def, &engine, NULL));
    return engine;
}

static void forget(void)
{
    remove(original);
    remove(path);
}

static void prepare(void)
{
    snprintf(original, sizeof original, "/tmp/tactus_fuzz_%d_true", (int)getpid());
    snprintf(path, sizeof path, "/tmp/tactus_fuzz_%d", (int)getpid());
    atexit(forget);
    must(tac_registry_create(NULL, &registry, NULL));
    tac_config_def def = tac_config_def_default();
    def.registry = registry;
    must(tac_config_parse("model", model, strlen(model), &def, &config, NULL));
    tac_engine *engine = make_engine();
    tac_recorder *recorder;
    tac_recorder_def record = tac_recorder_def_default();
    record.path = original;
    record.config = model;
    record.compression = "none";
    record.log_us = 4000;
    record.state_us = 9000;
    record.flush_us = 8000;
    must(tac_recorder_create(&record, engine, &recorder, NULL));
    must(tac_engine_prepare(engine, NULL));
    must(tac_recorder_begin(recorder, NULL));
    must(tac_engine_run(engine, TAC_TIME_NEVER, NULL));
    must(tac_recorder_end(recorder, NULL, NULL));
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
}

// --- changes ------------------------------------------------------------------------------------

typedef struct changes {
    const uint8_t *data;
    size_t size;
    unsigned item; // number of the next
} changes;

// The next item of the file; `*bytes` is malloced, with a NUL behind it.
static void change(changes *c, const void *from, size_t size, uint8_t **bytes)
{
    *bytes = malloc(size + 1);
    memcpy(*bytes, from, size);
    (*bytes)[size] = 0;
    for (size_t i = 0; i + 4 <= c->size; i += 4) {
        const uint8_t *d = c->data + i;
        const size_t at = d[1] | (size_t)d[2] << 8;
        if (d[0] == c->item % 256 && size)
            (*bytes)[at % size] = d[3];
    }
    c->item++;
}

static void copy_pairs(changes *c, const tac__mcap_pair *pairs, size_t count, tac__mcap_pair *to)
{
    for (size_t i = 0; i < count && i < 16; i++) {
        uint8_t *value;
        change(c, pairs[i].value, strlen(pairs[i].value), &value);
        to[i] = (tac__mcap_pair){pairs[i].key, (char *)value};
    }
}

static void free_pairs(tac__mcap_pair *pairs, size_t count)
{
    for (size_t i = 0; i < count && i < 16; i++)
        free((char *)pairs[i].value);
}

static void copy_messages(changes *c, tac__mcap_reader *in, tac__mcap_writer *out)
{
    const tac__mcap_info *about = tac__mcap_about(in);
    tac__mcap_chunk chunk = {0};
    for (size_t i = 0; i < about->chunk_count; i++) {
        must(tac__mcap_load(in, i, &chunk, NULL));
        for (;;) {
            tac__mcap_message_info m;
            bool more;
            must(tac__mcap_next(&chunk, &m, &more, NULL));
            if (!more)
                break;
            uint8_t *bytes;
            change(c, m.bytes, m.size, &bytes);
            void *to = tac__mcap_message(out, m.channel, m.log_ns, m.size);
            if (!to)
                abort();
            memcpy(to, bytes, m.size);
            free(bytes);
        }
    }
    tac__mcap_chunk_fini(&chunk);
}

static void rewrite(changes *c)
{
    tac__mcap_reader *in;
    tac__mcap_writer *out;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = TAC__COMPRESS_NONE;
    def.workers = 1;
    must(tac__mcap_open(original, NULL, &in, NULL));
    must(tac__mcap_create(path, &def, &out, NULL));
    const tac__mcap_info *about = tac__mcap_about(in);
    tac__mcap_pair pairs[16];
    for (size_t i = 0; i < about->schema_count; i++)
        tac__mcap_schema(out, about->schemas[i].name, about->schemas[i].encoding,
                         about->schemas[i].text);
    for (size_t i = 0; i < about->channel_count; i++) {
        const tac__mcap_channel_info *channel = &about->channels[i];
        copy_pairs(c, channel->metadata, channel->count, pairs);
        tac__mcap_channel(out, channel->schema, channel->topic, channel->encoding, pairs,
                          channel->count);
        free_pairs(pairs, channel->count);
    }
    for (size_t i = 0; i < about->metadata_count; i++) {
        const tac__mcap_metadata_info *m = &about->metadata[i];
        copy_pairs(c, m->pairs, m->count, pairs);
        tac__mcap_metadata(out, m->name, pairs, m->count);
        free_pairs(pairs, m->count);
    }
    for (size_t i = 0; i < about->attachment_count; i++) {
        char *bytes;
        size_t size;
        must(tac__mcap_attachment_read(in, i, &bytes, &size, NULL));
        uint8_t *changed;
        change(c, bytes, size, &changed);
        tac__mcap_attachment(out, about->attachments[i].name, "", 0, changed, size);
        free(changed);
        tac__file_free(tac_allocator_default(), bytes, size);
    }
    copy_messages(c, in, out);
    must(tac__mcap_finish(out, NULL));
    tac__mcap_close(in);
}

// --- reading ------------------------------------------------------------------------------------

static double walk(tac_recording *r)
{
    double sum = 0;
    tac_cursor *cursor;
    if (tac_cursor_open(r, NULL, 0, TAC_TIME_NEVER, &cursor, NULL) == TAC_OK) {
        tac_sample sample;
        for (bool more; tac_cursor_next(cursor, &sample, &more, NULL) == TAC_OK && more;)
            sum += (double)sample.t_us;
        tac_cursor_close(cursor);
    }
    for (size_t i = 0; i < tac_recording_signal_count(r); i++) {
        const tac_recorded *s = tac_recording_signal(r, i);
        if (tac_recording_find(r, s->name) != (int)i)
            abort();
        tac_series series;
        if (tac_recording_series(r, i, 0, TAC_TIME_NEVER, &series, NULL) != TAC_OK)
            continue;
        for (size_t k = 0; k < series.samples * series.count; k++)
            sum += series.values[k];
        tac_series_fini(&series);
    }
    uint64_t digest;
    for (size_t i = 0; tac_recording_digest(r, i, &digest); i++)
        sum += (double)digest;
    return sum + (double)tac_recording_hash(r, "*", NULL);
}

static void replay(tac_recording *r, bool force, tac_time from_us)
{
    tac_engine *engine = make_engine();
    tac_replay *replay;
    const tac_replay_def def = TAC_DEF(tac_replay_def, .from_us = from_us, .force_model = force);
    if (tac_replay_create(r, engine, &def, &replay, NULL) == TAC_OK) {
        if (tac_engine_prepare(engine, NULL) == TAC_OK && tac_replay_begin(replay, NULL) == TAC_OK)
            (void)!tac_engine_run(engine, TAC_TIME_NEVER, NULL);
        (void)!tac_replay_end(replay, NULL);
        (void)tac_replay_about(replay);
    }
    tac_replay_destroy(replay);
    tac_engine_destroy(engine);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!config)
        prepare();
    changes c = {data, size < 256 ? size : 256, 0};
    rewrite(&c);
    tac_recording *r;
    if (tac_recording_open(path, &r, NULL) != TAC_OK)
        return 0;
    if (walk(r) == 0.125) // so that nothing is left out
        abort();
    replay(r, false, 0);
    replay(r, true, 10000);
    tac_recording_close(r);
    return 0;
}
