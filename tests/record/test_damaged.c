// What a recording says, changed byte by byte inside a container that is sound: replaying it fails
// with a sentence or comes to an end, and reads nothing that is not there (the sanitizers say so).
#include "support/test.h"
#include "base/file.h"
#include "record/mcap/mcap.h"
#include "support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tactus/tactus.h>

static const char model[] =
    "duration: 40 ms\n"
    "scheduler:\n"
    "  rate_groups:\n"
    "    - {name: g, period: 1 ms, components: [w, b, s]}\n"
    "phases:\n"
    "  names: [A, B]\n"
    "  initial: A\n"
    "  transitions: [{from: A, to: B, condition: 't > 0.011'}]\n"
    "components:\n"
    "  w: {type: noise, params: {unit: N}}\n"
    "  o: {type: oscillator, inputs: {force: {from: w.y, delay: 2 ms}}, active: [B]}\n"
    "  s: {type: counter}\n"
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"
    "  l: {type: listener, params: {unit: m}}\n"
    "links: [{from: b.tx, to: l.rx, delay: 7 ms}]\n";

static tac_registry *registry;
static tac_config *config;

static void must(tac_status status, const tac_error *err)
{
    if (status != TAC_OK)
        fail_msg("%s", err->text);
}

static tac_engine *make_engine(void)
{
    tac_engine *engine;
    tac_error err;
    const tac_engine_def def = tac_config_engine_def(config);
    must(tac_config_build_unprepared(config, &def, &engine, &err), &err);
    return engine;
}

static void record(const char *path)
{
    tac_error err;
    tac_engine *engine = make_engine();
    tac_recorder *recorder;
    tac_recorder_def def = tac_recorder_def_default();
    def.path = path;
    def.config = model;
    def.compression = "none";
    def.log_us = 4000;
    def.state_us = 9000;
    def.flush_us = 8000;
    must(tac_recorder_create(&def, engine, &recorder, &err), &err);
    must(tac_engine_prepare(engine, &err), &err);
    must(tac_recorder_begin(recorder, &err), &err);
    must(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    must(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
}

// Which byte of which message becomes what.
typedef struct change {
    size_t message, at;
    unsigned char value;
} change;

// Writes `from` again with one byte changed, or whole where `c` is NULL. Returns the size of that
// message, 0 where there is none.
static size_t rewrite(const char *from, const char *to, const change *c)
{
    tac__mcap_reader *in;
    tac__mcap_writer *out;
    tac_error err;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = TAC__COMPRESS_NONE;
    def.workers = 1;
    must(tac__mcap_open(from, NULL, &in, &err), &err);
    must(tac__mcap_create(to, &def, &out, &err), &err);
    const tac__mcap_info *about = tac__mcap_about(in);
    for (size_t i = 0; i < about->schema_count; i++)
        tac__mcap_schema(out, about->schemas[i].name, about->schemas[i].encoding,
                         about->schemas[i].text);
    for (size_t i = 0; i < about->channel_count; i++) {
        const tac__mcap_channel_info *channel = &about->channels[i];
        tac__mcap_channel(out, channel->schema, channel->topic, channel->encoding,
                          channel->metadata, channel->count);
    }
    for (size_t i = 0; i < about->metadata_count; i++)
        tac__mcap_metadata(out, about->metadata[i].name, about->metadata[i].pairs,
                           about->metadata[i].count);
    for (size_t i = 0; i < about->attachment_count; i++) {
        char *bytes;
        size_t size;
        must(tac__mcap_attachment_read(in, i, &bytes, &size, &err), &err);
        tac__mcap_attachment(out, about->attachments[i].name, "", 0, bytes, size);
        tac__file_free(tac_allocator_default(), bytes, size);
    }
    size_t number = 0, found = 0;
    tac__mcap_chunk chunk = {0};
    for (size_t i = 0; i < about->chunk_count; i++) {
        must(tac__mcap_load(in, i, &chunk, &err), &err);
        for (;; number++) {
            tac__mcap_message_info m;
            bool more;
            must(tac__mcap_next(&chunk, &m, &more, &err), &err);
            if (!more)
                break;
            unsigned char *bytes = tac__mcap_message(out, m.channel, m.log_ns, m.size);
            assert_non_null(bytes);
            memcpy(bytes, m.bytes, m.size);
            if (!c || c->message != number)
                continue;
            found = m.size;
            if (c->at < m.size)
                bytes[c->at] = c->value;
        }
    }
    tac__mcap_chunk_fini(&chunk);
    must(tac__mcap_finish(out, &err), &err);
    tac__mcap_close(in);
    return c ? found : number;
}

// Did it go well?
static bool replay(const char *path, tac_time from_us)
{
    tac_error err;
    tac_recording *recording;
    must(tac_recording_open(path, &recording, &err), &err);
    tac_engine *engine = make_engine();
    tac_replay *replay;
    const tac_replay_def def = TAC_DEF(tac_replay_def, .from_us = from_us);
    must(tac_replay_create(recording, engine, &def, &replay, &err), &err);
    must(tac_engine_prepare(engine, &err), &err);
    tac_error_clear(&err);
    tac_status status = tac_replay_begin(replay, &err);
    if (status == TAC_OK)
        status = tac_engine_run(engine, TAC_TIME_NEVER, &err);
    if (status == TAC_OK || status == TAC_E_STOPPED)
        status = tac_replay_end(replay, &err);
    if (status != TAC_OK)
        assert_true(err.status == status && err.text[0]);
    const bool good = status == TAC_OK && tac_replay_about(replay).hash_match;
    tac_replay_destroy(replay);
    tac_engine_destroy(engine);
    tac_recording_close(recording);
    return good;
}

// All bytes of small messages; of large ones the first and then some.
static void changed_bytes(void **state)
{
    (void)state;
    char whole[400], changed[400];
    snprintf(whole, sizeof whole, "%s", path_of("whole.mcap"));
    snprintf(changed, sizeof changed, "%s", path_of("changed.mcap"));
    record(whole);
    const size_t messages = rewrite(whole, changed, NULL);
    assert_true(replay(changed, 0) && replay(changed, 25000));
    size_t tried = 0, noticed = 0;
    for (size_t m = 0; m < messages; m++) {
        static const unsigned char values[] = {0xff, 0, 1, 0x80, 0x7f};
        const size_t size = rewrite(whole, changed, &(change){m, SIZE_MAX, 0});
        for (size_t at = 0; at < size; at += at < 40 ? 1 + m % 3 : 1 + size / 50) {
            rewrite(whole, changed, &(change){m, at, values[(m + at) % sizeof values]});
            const bool good = replay(changed, (m + at) % 2 ? 25000 : 0);
            tried++;
            noticed += !good;
        }
    }
    print_message("%zu messages, %zu changes, %zu noticed\n", messages, tried, noticed);
    assert_true(tried > 500 && noticed > tried / 10);
}

static int set_up(void **state)
{
    tac_error err;
    tac_config_def def = tac_config_def_default();
    must(tac_registry_create(NULL, &registry, &err), &err);
    def.registry = registry;
    must(tac_config_parse("model", model, strlen(model), &def, &config, &err), &err);
    return folder_set_up(state);
}

static int tear_down(void **state)
{
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    return folder_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_bytes)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
