// Recovering a damaged recording: with any bit flipped, the copy reads to its end or there is none
// and a sentence why; and nothing is lost but what the flipped bit was part of.
#include "support/test.h"
#include "support/folder.h"
#include "support/recorded.h"

#include <sys/stat.h>

static char whole[400], damaged[400], copy[400];
static char *bytes;
static size_t size;

static void record(void)
{
    tac_error err;
    recorded rig;
    recorded_init(&rig, RECORDED_MODEL("40 ms"));
    recorded_make(&rig, whole, "zstd", 2000);
    recorded_fini(&rig);
    recorded_must(tac__file_read(whole, 1 << 26, tac_allocator_default(), &bytes, &size, &err),
                  &err);
}

static void put_damaged(size_t length)
{
    FILE *f = fopen(damaged, "wb");
    assert_true(f && fwrite(bytes, 1, length, f) == length && fclose(f) == 0);
}

// All messages of a recording, counted while all of them are read. `*most`: of one chunk, which is
// what one flipped bit can cost; may be NULL.
static uint64_t count(const char *path, uint64_t *most)
{
    tac_error err;
    tac__mcap_reader *r;
    recorded_must(tac__mcap_open(path, NULL, &r, &err), &err);
    assert_true(tac__mcap_about(r)->whole);
    const uint64_t n = recorded_messages(r, NULL, NULL, most);
    assert_int_equal(n, tac__mcap_about(r)->messages);
    tac__mcap_close(r);
    return n;
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
    uint64_t most = 0;
    const uint64_t all = count(whole, &most);
    tac_error err;
    tac__mcap_reader *r;
    recorded_must(tac__mcap_open(whole, NULL, &r, &err), &err);
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
        const uint64_t got = count(copy, NULL);
        assert_int_equal(got, what.messages);
        tac_recording *reads;
        recorded_must(tac_recording_open(copy, &reads, &err), &err);
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
        assert_int_equal(count(copy, NULL), what.messages);
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
    recorded_must(tac_recording_recover(whole, copy, &what, &err), &err);
    assert_string_equal(what.lost, "");
    recorded_must(tac__file_read(copy, 1 << 26, tac_allocator_default(), &again, &n, &err), &err);
    assert_int_equal(n, size);
    assert_memory_equal(again, bytes, n);
    tac__file_free(tac_allocator_default(), again, n);
    tac_text_free(what.lost);
}

// Try to recover the damaged file; a copy can be read as export and replay read it.
static tac_status recover(tac_error *err)
{
    tac_recovered what;
    tac_recording *r;
    tac_cursor *cursor;
    struct stat there;
    tac_error_clear(err);
    remove(copy);
    const tac_status status = tac_recording_recover(damaged, copy, &what, err);
    if (status != TAC_OK) {
        assert_true(stat(copy, &there) != 0);
        return status;
    }
    tac_text_free(what.lost);
    assert_true(what.messages > 0);
    recorded_must(tac_recording_open(copy, &r, err), err);
    recorded_must(tac_cursor_open(r, NULL, 0, TAC_TIME_NEVER, &cursor, err), err);
    tac_sample sample;
    bool more = true;
    while (more)
        recorded_must(tac_cursor_next(cursor, &sample, &more, err), err);
    tac_cursor_close(cursor);
    recorded rig;
    recorded_init(&rig, RECORDED_MODEL("40 ms"));
    tac_engine *engine = recorded_engine(&rig);
    const tac_replay_def def = tac_replay_def_default();
    tac_replay *replay;
    recorded_must(tac_replay_create(r, engine, &def, &replay, err), err);
    recorded_must(tac_engine_prepare(engine, err), err);
    recorded_must(tac_replay_begin(replay, err), err);
    recorded_must(tac_engine_run(engine, tac_recording_about(r)->complete_us, err), err);
    tac_replay_destroy(replay);
    tac_engine_destroy(engine);
    recorded_fini(&rig);
    tac_recording_close(r);
    return TAC_OK;
}

// A program that was killed anywhere: at first, while it prepares the run, there is nothing to
// save.
static void cut_anywhere(void **state)
{
    (void)state;
    tac_error err;
    size_t refused = 0, made = 0;
    for (size_t at = 0; at < size; at += 1 + size / 400) {
        put_damaged(at);
        const tac_status status = recover(&err);
        assert_true(status == TAC_OK || err.text[0]);
        assert_true(status == TAC_OK || !made); // what can be saved once can be saved later
        made += status == TAC_OK;
        refused += status != TAC_OK;
        if (status != TAC_OK && at > 200)
            assert_non_null(strstr(err.text, "before its first instant was complete: there is "
                                             "nothing to save"));
    }
    assert_true(refused > 5 && made > 100);
}

// The end of a file written twice, as by a copy that was continued at the wrong place.
static void chunk_twice(void **state)
{
    (void)state;
    tac_error err;
    tac__mcap_reader *r;
    recorded_must(tac__mcap_open(whole, NULL, &r, &err), &err);
    const tac__mcap_info *about = tac__mcap_about(r);
    size_t tried = 0;
    for (size_t i = 0; i < about->chunk_count; i++) {
        const tac__mcap_chunk_info *c = &about->chunks[i];
        if (c->first_ns == c->last_ns)
            continue; // messages of one time may be twice there
        const size_t end = (size_t)(c->offset + c->length);
        FILE *f = fopen(damaged, "wb");
        assert_true(f && fwrite(bytes, 1, end, f) == end);
        assert_true(fwrite(bytes + c->offset, 1, (size_t)c->length, f) == c->length);
        assert_int_equal(fclose(f), 0);
        if (recover(&err) != TAC_OK) {
            assert_int_equal(err.status, TAC_E_FORMAT);
            tried += strstr(err.text, "is not in order of time") != NULL;
        }
    }
    assert_true(tried > 0);
    tac__mcap_close(r);
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
        cmocka_unit_test(flipped_bits), cmocka_unit_test(flipped_and_cut),
        cmocka_unit_test(whole_file),   cmocka_unit_test(cut_anywhere),
        cmocka_unit_test(chunk_twice),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
