// Files that are written are read back as they were, and are a function of the calls alone; what
// was written before a failure stays.
#include "mcap_rig.h"

#include "record/mcap/append.h"
#include "record/mcap/compress.h"
#include "support/allocator.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static char path[64], other[64];

static tac__mcap_writer_def small(tac__compression compression)
{
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = compression;
    def.chunk_size = 4096;
    return def;
}

// --- what was written is there -------------------------------------------------------------------

static void check_names(const tac__mcap_info *info, const tac__mcap_writer_def *def)
{
    assert_string_equal(info->profile, "ros2");
    assert_string_equal(info->library, def->library);
    assert_int_equal(info->schema_count, 1);
    assert_int_equal(info->schemas[0].id, 1);
    assert_string_equal(info->schemas[0].name, "tactus/A");
    assert_string_equal(info->schemas[0].encoding, "ros2msg");
    assert_string_equal(info->schemas[0].text, "float64 x\nfloat64 y\n");
    assert_int_equal(info->channel_count, RIG_CHANNELS);
    assert_string_equal(info->channels[1].topic, "/b/empty");
    assert_string_equal(info->channels[1].encoding, "cdr");
    assert_int_equal(info->channels[1].schema, 1);
    assert_int_equal(info->channels[2].count, 2);
    assert_string_equal(info->channels[2].metadata[0].value, "exact");
    assert_string_equal(info->channels[2].metadata[1].value, "");
    assert_int_equal(info->metadata_count, 1);
    assert_string_equal(info->metadata[0].name, "run");
    assert_int_equal(info->metadata[0].count, 2);
    assert_string_equal(info->metadata[0].pairs[1].key, "empty");
    assert_int_equal(info->attachment_count, 2);
    assert_string_equal(info->attachments[0].name, "config");
    assert_string_equal(info->attachments[0].media_type, "application/yaml");
    assert_int_equal(info->attachments[0].time_ns, 5);
}

static void check_attachments(tac__mcap_reader *r)
{
    char *bytes;
    size_t size;
    assert_int_equal(tac__mcap_attachment_read(r, 0, &bytes, &size, NULL), TAC_OK);
    assert_int_equal(size, 8);
    assert_string_equal(bytes, "seed: 1\n");
    tac__file_free(tac_allocator_default(), bytes, size);
    assert_int_equal(tac__mcap_attachment_read(r, 1, &bytes, &size, NULL), TAC_OK);
    assert_int_equal(size, 0);
    tac__file_free(tac_allocator_default(), bytes, size);
}

static void round_trip(tac__compression compression)
{
    const uint32_t n = 2000;
    const tac__mcap_writer_def def = small(compression);
    rig_make(path, &def, n);
    tac__mcap_reader *r = rig_open(path);
    const tac__mcap_info *info = tac__mcap_about(r);
    assert_true(info->whole);
    assert_int_equal(info->sound_size, info->file_size);
    check_names(info, &def);
    uint64_t all = 0;
    for (int c = 0; c < RIG_CHANNELS; c++) {
        assert_int_equal(info->channels[c].messages, rig_expected(c, n));
        all += rig_expected(c, n);
    }
    assert_int_equal(info->messages, all);
    for (size_t i = 0; i < info->chunk_count; i++) {
        assert_int_equal(info->chunks[i].channel_count, 1);
        assert_int_equal(info->chunks[i].compression, compression);
        assert_true(info->chunks[i].size <= def.chunk_size);
    }
    rig_counts counts;
    assert_int_equal(rig_read(r, &counts, NULL), TAC_OK);
    rig_check_all(&counts, n);
    check_attachments(r);
    tac__mcap_close(r);
}

static void test_round_trip(void **state)
{
    (void)state;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++)
        if (tac__compression_built_in(c))
            round_trip(c);
}

static void test_names(void **state)
{
    (void)state;
    tac_error err;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        tac__compression parsed;
        const tac_status status = tac__compression_parse(tac__compression_name(c), &parsed, &err);
        assert_int_equal(status, tac__compression_built_in(c) ? TAC_OK : TAC_E_NAME);
        assert_int_equal(parsed, c);
    }
    tac__compression none;
    assert_int_equal(tac__compression_parse("zst", &none, &err), TAC_E_NAME);
    assert_non_null(strstr(err.text, "did you mean 'zstd'?"));
    assert_int_equal(tac__compression_parse("", &none, &err), TAC_E_NAME);
}

static void test_empty(void **state)
{
    (void)state;
    tac__mcap_writer *w;
    const tac__mcap_writer_def def = tac__mcap_writer_def_default();
    assert_int_equal(tac__mcap_create(path, &def, &w, NULL), TAC_OK);
    assert_int_equal(tac__mcap_finish(w, NULL), TAC_OK);
    assert_int_equal(tac__mcap_finish(NULL, NULL), TAC_OK);
    tac__mcap_reader *r = rig_open(path);
    assert_true(tac__mcap_about(r)->whole);
    assert_int_equal(tac__mcap_about(r)->messages, 0);
    tac__mcap_close(r);
}

// A message that is larger than a chunk has one of its own.
static void test_large_message(void **state)
{
    (void)state;
    enum { LARGE = 300000 };
    tac__mcap_writer *w;
    const tac__mcap_writer_def def = small(tac__mcap_writer_def_default().compression);
    assert_int_equal(tac__mcap_create(path, &def, &w, NULL), TAC_OK);
    const uint16_t c = tac__mcap_channel(w, 0, "/large", "", NULL, 0);
    for (int i = 0; i < 3; i++) {
        memset(tac__mcap_message(w, c, 1, 10), 'a', 10);
        memset(tac__mcap_message(w, c, 2, LARGE), 'b' + i, LARGE);
    }
    assert_null(tac__mcap_message(w, (uint16_t)(c + 1), 3, 10)); // no such channel
    assert_false(tac__mcap_failed(w));
    assert_int_equal(tac__mcap_finish(w, NULL), TAC_OK);
    tac__mcap_reader *r = rig_open(path);
    assert_int_equal(tac__mcap_about(r)->chunk_count, 6);
    tac__mcap_chunk chunk = {0};
    for (int i = 0; i < 3; i++) {
        tac__mcap_message_info m;
        bool more;
        assert_int_equal(tac__mcap_load(r, (size_t)i * 2 + 1, &chunk, NULL), TAC_OK);
        assert_int_equal(tac__mcap_next(&chunk, &m, &more, NULL), TAC_OK);
        assert_true(more);
        assert_int_equal(m.size, LARGE);
        assert_int_equal(m.bytes[0], 'b' + i);
        assert_int_equal(m.bytes[LARGE - 1], 'b' + i);
    }
    tac__mcap_chunk_fini(&chunk);
    tac__mcap_close(r);
}

// Flush hands over what is there, in order of channel.
static void test_flush(void **state)
{
    (void)state;
    tac__mcap_writer *w;
    const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    assert_int_equal(tac__mcap_create(path, &def, &w, NULL), TAC_OK);
    for (int i = 0; i < 3; i++)
        tac__mcap_channel(w, 0, "/x", "", NULL, 0);
    for (int i = 2; i >= 0; i--)
        assert_non_null(tac__mcap_message(w, (uint16_t)i, 7, 0));
    tac__mcap_flush(w);
    tac__mcap_flush(w); // nothing more
    assert_non_null(tac__mcap_message(w, 1, 9, 0));
    assert_int_equal(tac__mcap_finish(w, NULL), TAC_OK);
    tac__mcap_reader *r = rig_open(path);
    const tac__mcap_info *info = tac__mcap_about(r);
    assert_int_equal(info->chunk_count, 4);
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(info->chunks[i].channels[0], i < 3 ? i : 1);
    tac__mcap_close(r);
}

// --- the same calls, the same bytes --------------------------------------------------------------

static void test_same_bytes(void **state)
{
    (void)state;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        if (!tac__compression_built_in(c))
            continue;
        tac__mcap_writer_def def = small(c);
        def.workers = 1;
        rig_make(path, &def, 3000);
        size_t size, again;
        char *first = rig_bytes(path, &size);
        // One thread or several, with much memory, or for a few chunks, or so little that the
        // filler always waits.
        static const size_t memories[] = {64 << 20, 40000, 1};
        for (int i = 0; i < 24; i++) {
            def.workers = 1 + i % 8;
            def.memory = memories[i % 3];
            rig_make(other, &def, 3000);
            char *second = rig_bytes(other, &again);
            assert_int_equal(size, again);
            assert_memory_equal(first, second, size);
            tac__file_free(tac_allocator_default(), second, again);
        }
        tac__file_free(tac_allocator_default(), first, size);
    }
}

// --- samples -------------------------------------------------------------------------------------

enum { SAMPLED = 3000, WIDE = 900 }; // a message of WIDE bytes does not fit into the smallest chunk

// The number of a message is enough to make it.
static void encode_number(const void *context, const unsigned char *sample, unsigned char *message)
{
    uint64_t number;
    memcpy(&number, sample, sizeof number);
    for (size_t i = 0; i < *(const size_t *)context; i++)
        message[i] = (unsigned char)(number * (i % 8 == 0) + i * 7);
}

// Two channels, sampled or written as messages, flushed now and then.
static void make_sampled(const char *to, const tac__mcap_writer_def *def, bool sampled)
{
    static const size_t sizes[] = {24, WIDE};
    tac__mcap_writer *w;
    assert_int_equal(tac__mcap_create(to, def, &w, NULL), TAC_OK);
    for (uint16_t c = 0; c < 2; c++) {
        assert_int_equal(tac__mcap_channel(w, 0, c ? "/wide" : "/a", "cdr", NULL, 0), c);
        const tac__mcap_samples samples = {
            .size = 8, .message_size = sizes[c], .encode = encode_number, .context = &sizes[c]};
        if (sampled)
            tac__mcap_store_samples(tac__mcap_slot_of(w, c), &samples);
    }
    for (uint64_t n = 0; n < SAMPLED; n++) {
        for (uint16_t c = 0; c < 2; c++) {
            unsigned char *to_fill = sampled ? tac__mcap_sample(tac__mcap_slot_of(w, c), n * 1000)
                                             : tac__mcap_message(w, c, n * 1000, sizes[c]);
            assert_non_null(to_fill);
            if (sampled)
                memcpy(to_fill, &n, sizeof n);
            else
                encode_number(&sizes[c], (const unsigned char *)&n, to_fill);
        }
        if (n % 1000 == 700)
            tac__mcap_flush(w);
    }
    assert_int_equal(tac__mcap_finish(w, NULL), TAC_OK);
}

// A file of samples has the bytes of the file of their messages.
static void test_samples(void **state)
{
    (void)state;
    static const size_t chunk_sizes[] = {256, 4096, 64 << 10};
    for (int i = 0; i < 9; i++) {
        tac__mcap_writer_def def = small((tac__compression)(i % 3));
        def.chunk_size = chunk_sizes[i / 3];
        if (!tac__compression_built_in(def.compression))
            continue;
        make_sampled(path, &def, false);
        make_sampled(other, &def, true);
        size_t size, again;
        char *first = rig_bytes(path, &size), *second = rig_bytes(other, &again);
        assert_int_equal(size, again);
        assert_memory_equal(first, second, size);
        tac__file_free(tac_allocator_default(), first, size);
        tac__file_free(tac_allocator_default(), second, again);
    }
}

// --- failures ------------------------------------------------------------------------------------

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
        def.allocator = &hook;
        tac__mcap_writer *w;
        tac_status status = tac__mcap_create(path, &def, &w, NULL);
        if (status == TAC_OK) {
            rig_write(w, 300);
            status = tac__mcap_finish(w, NULL);
        }
        test_allocator_check_empty(&a);
        if (status == TAC_OK) {
            assert_true(n > 20); // it did allocate
            break;
        }
        assert_int_equal(status, TAC_E_MEMORY);
    }
    tac__mcap_reader *r = rig_open(path);
    assert_true(tac__mcap_about(r)->whole);
    tac__mcap_close(r);
}

static void test_no_place(void **state)
{
    (void)state;
    tac__mcap_writer *w;
    tac_error err;
    const tac__mcap_writer_def def = tac__mcap_writer_def_default();
    assert_int_equal(tac__mcap_create("/nowhere/at/all.mcap", &def, &w, &err), TAC_E_FILE);
    assert_null(w);
    assert_non_null(strstr(err.text, "/nowhere/at/all.mcap"));
    if (access("/dev/full", W_OK) == 0) {
        assert_int_equal(tac__mcap_create("/dev/full", &def, &w, &err), TAC_E_FILE);
        assert_non_null(strstr(err.text, strerror(ENOSPC)));
    }
}

// A disk that is full after so many bytes: the error is told, what came before is whole.
static void test_full_disk(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (rlim_t limit = 1000; limit < 60000; limit += 5077) {
        const struct rlimit tight = {.rlim_cur = limit, .rlim_max = before.rlim_max};
        tac__mcap_writer *w;
        tac_error err;
        tac_error_clear(&err);
        tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
        def.memory = 1 << 20; // the filler has to wait for the threads, so it learns of the failure
        assert_int_equal(tac__mcap_create(path, &def, &w, &err), TAC_OK);
        setrlimit(RLIMIT_FSIZE, &tight);
        const bool written = rig_write(w, 100000);
        const tac_status status = tac__mcap_finish(w, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_false(written);
        assert_int_equal(status, TAC_E_FILE);
        assert_non_null(strstr(err.text, path));
        assert_non_null(strstr(err.text, strerror(EFBIG)));
        // The filler's SIGXFSZ would have ended this program; the threads block it.
        tac__mcap_reader *r = rig_open(path);
        const tac__mcap_info *info = tac__mcap_about(r);
        assert_false(info->whole);
        assert_int_equal(info->sound_size, info->file_size); // nothing torn
        assert_true(info->file_size <= limit);
        rig_counts counts;
        assert_int_equal(rig_read(r, &counts, NULL), TAC_OK);
        assert_true(limit < 10000 || counts.read[0] > 0);
        tac__mcap_close(r);
    }
}

// Full where the file ends: at each of its last bytes, which the filler writes itself.
static void test_full_disk_at_the_end(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    rlim_t size = RLIM_INFINITY;
    for (rlim_t less = 0; less < 40; less++) {
        const struct rlimit tight = {.rlim_cur = less ? size - less : before.rlim_cur,
                                     .rlim_max = before.rlim_max};
        tac__mcap_writer *w;
        tac_error err;
        assert_int_equal(tac__mcap_create(path, &def, &w, &err), TAC_OK);
        assert_true(rig_write(w, 300));
        setrlimit(RLIMIT_FSIZE, &tight);
        const tac_status status = tac__mcap_finish(w, &err);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, less ? TAC_E_FILE : TAC_OK);
        tac__mcap_reader *r = rig_open(path);
        assert_int_equal(tac__mcap_about(r)->whole, !less);
        if (!less)
            size = tac__mcap_about(r)->file_size;
        tac__mcap_close(r);
    }
}

// What did not fit is not followed by what would: there are no gaps.
static void test_full_disk_gap(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    for (int i = 0; i < 20; i++) {
        const struct rlimit tight = {.rlim_cur = 6000, .rlim_max = before.rlim_max};
        static const size_t sizes[] = {3000, 4000, 100};
        tac__mcap_writer *w;
        const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
        assert_int_equal(tac__mcap_create(path, &def, &w, NULL), TAC_OK);
        for (uint16_t c = 0; c < 3; c++) {
            tac__mcap_channel(w, 0, "/x", "", NULL, 0);
            memset(tac__mcap_message(w, c, 1, sizes[c]), 0, sizes[c]);
        }
        setrlimit(RLIMIT_FSIZE, &tight);
        tac__mcap_flush(w);
        const tac_status status = tac__mcap_finish(w, NULL);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_int_equal(status, TAC_E_FILE);
        tac__mcap_reader *r = rig_open(path);
        assert_int_equal(tac__mcap_about(r)->chunk_count, 1);
        tac__mcap_close(r);
    }
}

// A process that is killed leaves all whole chunks behind.
static void test_killed(void **state)
{
    (void)state;
    for (int i = 0; i < 8; i++) {
        remove(path);
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            tac__mcap_writer *w;
            const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
            if (tac__mcap_create(path, &def, &w, NULL) != TAC_OK)
                _exit(1);
            rig_write(w, UINT32_MAX);
            _exit(1);
        }
        // Until there is something, and then some.
        struct timespec pause = {.tv_nsec = 1000000};
        for (int k = 0; k < 5000; k++) {
            nanosleep(&pause, NULL);
            FILE *f = fopen(path, "rb");
            if (!f)
                continue;
            fseek(f, 0, SEEK_END);
            const long size = ftell(f);
            fclose(f);
            if (size > 100000 * (i + 1))
                break;
        }
        kill(child, SIGKILL);
        int how;
        assert_int_equal(waitpid(child, &how, 0), child);
        assert_true(WIFSIGNALED(how) && WTERMSIG(how) == SIGKILL);
        tac__mcap_reader *r = rig_open(path);
        const tac__mcap_info *info = tac__mcap_about(r);
        assert_false(info->whole);
        assert_true(info->file_size - info->sound_size < 3 * 4096 + 2000);
        rig_counts counts;
        assert_int_equal(rig_read(r, &counts, NULL), TAC_OK);
        assert_true(counts.read[0] > 100);
        for (int c = 0; c < RIG_CHANNELS; c++)
            assert_int_equal(counts.read[c], info->channels[c].messages);
        tac__mcap_close(r);
    }
}

// --- for other readers: tests/record/mcap_node.sh ------------------------------------------------

static void list(const char *folder, const char *name, const rig_counts *counts)
{
    char file[512];
    snprintf(file, sizeof file, "%s/%s.txt", folder, name);
    FILE *out = fopen(file, "w");
    if (!out)
        exit(1);
    for (uint16_t c = 0; c < RIG_CHANNELS; c++)
        for (uint32_t i = 0; i < counts->read[c]; i++) {
            const uint32_t n = i * (c == 2 ? 10 : 1);
            unsigned char bytes[128];
            rig_fill(c, n, bytes);
            fprintf(out, "%u %u %" PRIu64, c, i + 1, rig_time(n));
            for (size_t k = 0; k < rig_size(c, n); k++)
                fprintf(out, "%s%02x", k ? "" : " ", bytes[k]);
            fprintf(out, "\n");
        }
    fclose(out);
}

static int write_for_others(const char *folder)
{
    enum { MESSAGES = 700 };
    char file[512], cut[512];
    rig_counts counts;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        const tac__mcap_writer_def def = small(c);
        snprintf(file, sizeof file, "%s/%s.mcap", folder, tac__compression_name(c));
        remove(file);
        if (!tac__compression_built_in(c))
            continue;
        rig_make(file, &def, MESSAGES);
        for (int k = 0; k < RIG_CHANNELS; k++)
            counts.read[k] = rig_expected(k, MESSAGES);
        list(folder, tac__compression_name(c), &counts);
    }
    // One that was cut within the message index of a chunk.
    snprintf(file, sizeof file, "%s/none.mcap", folder);
    snprintf(cut, sizeof cut, "%s/cut.mcap", folder);
    size_t size;
    char *bytes = rig_bytes(file, &size);
    tac__mcap_reader *r = rig_open(file);
    const tac__mcap_info *info = tac__mcap_about(r);
    const tac__mcap_chunk_info middle = info->chunks[info->chunk_count * 2 / 3];
    tac__mcap_close(r);
    rig_put(cut, bytes, middle.offset + middle.length + 20);
    tac__file_free(tac_allocator_default(), bytes, size);
    r = rig_open(cut);
    snprintf(file, sizeof file, "%s/recovered.mcap", folder);
    const bool done = rig_read(r, &counts, NULL) == TAC_OK && counts.read[0] > 100 &&
                      tac__mcap_recover(r, file, NULL, NULL, NULL, NULL) == TAC_OK;
    tac__mcap_close(r);
    list(folder, "recovered", &counts);
    return done ? 0 : 1;
}

static int set_up(void **state)
{
    (void)state;
    rig_path(path);
    rig_path(other);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove(path);
    remove(other);
    return 0;
}

int main(void)
{
    const char *folder = getenv("TEST_WRITE_TO"); // files for readers of others
    if (folder)
        return write_for_others(folder);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),    cmocka_unit_test(test_names),
        cmocka_unit_test(test_empty),         cmocka_unit_test(test_large_message),
        cmocka_unit_test(test_flush),         cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_samples),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_no_place),      cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_full_disk_gap), cmocka_unit_test(test_full_disk_at_the_end),
        cmocka_unit_test(test_killed)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
