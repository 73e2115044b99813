// Recovering a damaged recording: with any bit flipped, the copy reads to its end or there is none
// and a sentence why; and nothing is lost but what the flipped bit was part of.
#include "support/test.h"
#include "base/file.h"
#include "record/mcap/mcap.h"
#include "support/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <tactus/tactus.h>

static const char model[] =
    "duration: 40 ms\n"
    "scheduler: {rate_groups: [{name: g, period: 1 ms, components: [w, b]}]}\n"
    "components:\n"
    "  w: {type: noise, params: {unit: N}}\n"
    "  o: {type: oscillator, inputs: {force: w.y}}\n"
    "  b: {type: beacon, params: {unit: m}, inputs: {u: o.position}}\n"
    "  l: {type: listener, params: {unit: m}}\n"
    "links: [{from: b.tx, to: l.rx, delay: 7 ms}]\n";

static char whole[400], damaged[400], copy[400];
static char *bytes;
static size_t size;

static void must(tac_status status, const tac_error *err)
{
    if (status != TAC_OK)
        fail_msg("%s", err->text);
}

static void record(void)
{
    tac_error err;
    tac_registry *registry;
    tac_config *config;
    tac_engine *engine;
    tac_recorder *recorder;
    tac_config_def config_def = tac_config_def_default();
    must(tac_registry_create(NULL, &registry, &err), &err);
    config_def.registry = registry;
    must(tac_config_parse("model", model, strlen(model), &config_def, &config, &err), &err);
    const tac_engine_def engine_def = tac_config_engine_def(config);
    must(tac_config_build_unprepared(config, &engine_def, &engine, &err), &err);
    tac_recorder_def def = tac_recorder_def_default();
    def.path = whole;
    def.config = model;
    def.log_us = 2000;
    def.state_us = 9000;
    def.flush_us = 8000;
    must(tac_recorder_create(&def, engine, &recorder, &err), &err);
    must(tac_engine_prepare(engine, &err), &err);
    must(tac_recorder_begin(recorder, &err), &err);
    must(tac_engine_run(engine, TAC_TIME_NEVER, &err), &err);
    must(tac_recorder_end(recorder, NULL, &err), &err);
    tac_recorder_destroy(recorder);
    tac_engine_destroy(engine);
    tac_config_destroy(config);
    tac_registry_destroy(registry);
    must(tac__file_read(whole, 1 << 26, tac_allocator_default(), &bytes, &size, &err), &err);
}

static void put_damaged(size_t length)
{
    FILE *f = fopen(damaged, "wb");
    assert_true(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
}

// All messages of a recording, counted while all of them are read.
static uint64_t count(const char *path)
{
    tac_error err;
    tac__mcap_reader *r;
    must(tac__mcap_open(path, NULL, &r, &err), &err);
    const tac__mcap_info *about = tac__mcap_about(r);
    assert_true(about->whole);
    tac__mcap_chunk chunk = {0};
    uint64_t n = 0;
    for (size_t i = 0; i < about->chunk_count; i++) {
        must(tac__mcap_load(r, i, &chunk, &err), &err);
        for (bool more = true;; n++) {
            tac__mcap_message_info m;
            must(tac__mcap_next(&chunk, &m, &more, &err), &err);
            if (!more)
                break;
        }
    }
    assert_int_equal(n, about->messages);
    if (chunk.allocator)
        tac__mcap_chunk_fini(&chunk);
    tac__mcap_close(r);
    return n;
}

// The most messages that one flipped bit can cost: those of one chunk.
static uint64_t largest_chunk(void)
{
    tac_error err;
    tac__mcap_reader *r;
    must(tac__mcap_open(whole, NULL, &r, &err), &err);
    const tac__mcap_info *about = tac__mcap_about(r);
    tac__mcap_chunk chunk = {0};
    uint64_t most = 0;
    for (size_t i = 0; i < about->chunk_count; i++) {
        uint64_t n = 0;
        must(tac__mcap_load(r, i, &chunk, &err), &err);
        for (bool more = true;; n++) {
            tac__mcap_message_info m;
            must(tac__mcap_next(&chunk, &m, &more, &err), &err);
            if (!more)
                break;
        }
        most = n > most ? n : most;
    }
    tac__mcap_chunk_fini(&chunk);
    tac__mcap_close(r);
    return most;
}

static bool in_chunk(const tac__mcap_info *about, size_t at)
{
    for (size_t i = 0; i < about->chunk_count; i++) {
        if (at >= about->chunks[i].offset && at < about->chunks[i].offset + about->chunks[i].length)
            return true;
    }
    return false;
}

// Bytes apart: some, in odd places; TACTUS_FLIPS=1: all of them.
static size_t step(size_t at)
{
    return getenv("TACTUS_FLIPS") ? 1 : 1 + at % 17;
}

// Every byte in turn has one bit flipped.
static void flipped_bits(void **state)
{
    (void)state;
    record();
    const uint64_t all = count(whole), most = largest_chunk();
    tac_error err;
    tac__mcap_reader *r;
    must(tac__mcap_open(whole, NULL, &r, &err), &err);
    const tac__mcap_info *about = tac__mcap_about(r);
    size_t same = 0, fewer = 0, refused = 0;
    for (size_t at = 0; at < size; at += step(at)) {
        bytes[at] = (char)(bytes[at] ^ 1 << (at * 5 + at / 7) % 8);
        put_damaged(size);
        tac_recovered what;
        tac_error_clear(&err);
        remove(copy);
        const tac_status status = tac_recording_recover(damaged, copy, &what, &err);
        bytes[at] = (char)(bytes[at] ^ 1 << (at * 5 + at / 7) % 8);
        struct stat there;
        if (status != TAC_OK) {
            assert_true(err.status == status && err.text[0]);
            assert_true(stat(copy, &there) != 0);
            refused++;
            fail_msg("byte %zu: %s", at, err.text); // each can be recovered
        }
        const uint64_t got = count(copy);
        assert_int_equal(got, what.messages);
        tac_recording *reads;
        must(tac_recording_open(copy, &reads, &err), &err);
        tac_recording_close(reads);
        // Outside of chunks no message is lost, inside at most one chunk. What is lost is told.
        if (got != all) {
            if (!in_chunk(about, at) || got > all || all - got > most)
                fail_msg("byte %zu: %llu messages of %llu; lost: %s", at, (unsigned long long)got,
                         (unsigned long long)all, what.lost);
            assert_non_null(strstr(what.lost, "channel '"));
        }
        same += got == all;
        fewer += got != all;
        tac_text_free(what.lost);
    }
    print_message("%zu bytes: %zu times all messages, %zu times a chunk less, %zu refused\n", size,
                  same, fewer, refused);
    tac__mcap_close(r);
}

// The same without the end, as after a crash.
static void flipped_and_cut(void **state)
{
    (void)state;
    size_t kept = 0, tried = 0;
    const size_t length = size * 6 / 10;
    for (size_t at = 0; at < length; at += 1 + at % 29) {
        bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
        put_damaged(length);
        bytes[at] = (char)(bytes[at] ^ 1 << at % 8);
        tac_recovered what;
        tac_error err;
        tac_error_clear(&err);
        remove(copy);
        const tac_status status = tac_recording_recover(damaged, copy, &what, &err);
        struct stat there;
        tried++;
        if (status != TAC_OK) {
            assert_true(err.status == status && err.text[0]);
            assert_true(stat(copy, &there) != 0);
            continue;
        }
        kept++;
        assert_int_equal(count(copy), what.messages);
        assert_true(what.lost[0]);
        tac_text_free(what.lost);
    }
    print_message("%zu of %zu recovered\n", kept, tried);
    assert_true(kept > tried / 2);
}

// A whole file: the same bytes, and nothing lost.
static void whole_file(void **state)
{
    (void)state;
    tac_recovered what;
    tac_error err;
    char *again;
    size_t n;
    must(tac_recording_recover(whole, copy, &what, &err), &err);
    assert_string_equal(what.lost, "");
    must(tac__file_read(copy, 1 << 26, tac_allocator_default(), &again, &n, &err), &err);
    assert_int_equal(n, size);
    assert_memory_equal(again, bytes, n);
    tac__file_free(tac_allocator_default(), again, n);
    tac_text_free(what.lost);
}

static int set_up(void **state)
{
    const int failed = folder_set_up(state);
    snprintf(whole, sizeof whole, "%s", path_of("whole.mcap"));
    snprintf(damaged, sizeof damaged, "%s", path_of("damaged.mcap"));
    snprintf(copy, sizeof copy, "%s", path_of("copy.mcap"));
    return failed;
}

static int tear_down(void **state)
{
    tac__file_free(tac_allocator_default(), bytes, size);
    return folder_tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flipped_bits),
        cmocka_unit_test(flipped_and_cut),
        cmocka_unit_test(whole_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
