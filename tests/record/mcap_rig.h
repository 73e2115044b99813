// mcap_rig.h - for tests of the container: a file of known messages, and what was read of one.
#ifndef TAC_TESTS_RECORD_MCAP_RIG_H
#define TAC_TESTS_RECORD_MCAP_RIG_H

#include "support/test.h"
#include "base/file.h"
#include "record/mcap/mcap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RIG_CHANNELS = 3 };

// Bytes of a message follow from its channel and number.
static inline size_t rig_size(uint16_t channel, uint32_t number)
{
    return channel == 0 ? 24 : channel == 1 ? number % 7 * 5 : 100;
}

static inline void rig_fill(uint16_t channel, uint32_t number, unsigned char *bytes)
{
    const size_t size = rig_size(channel, number);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(channel * 31 + number * (i % 8 == 0) + i * 7);
}

static inline uint64_t rig_time(uint32_t number)
{
    return (uint64_t)number * 4000000;
}

static inline void rig_path(char path[64])
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, 64, "%.40s/tactus_mcap_XXXXXX", folder ? folder : "/tmp");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
}

// All that the rig writes, up to but without the end. False: the writer failed.
static inline bool rig_write(tac__mcap_writer *w, uint32_t messages)
{
    static const tac__mcap_pair pairs[] = {{"trace", "exact"}, {"empty", ""}};
    const uint16_t schema = tac__mcap_schema(w, "tactus/A", "ros2msg", "float64 x\nfloat64 y\n");
    for (int i = 0; i < RIG_CHANNELS; i++) {
        static const char *const topics[] = {"/a", "/b/empty", "/c"};
        if (tac__mcap_channel(w, schema, topics[i], "cdr", pairs, (size_t)i) != i)
            return false;
    }
    tac__mcap_attachment(w, "config", "application/yaml", 5, "seed: 1\n", 8);
    tac__mcap_metadata(w, "run", pairs, 2);
    for (uint32_t n = 0; n < messages; n++) {
        for (uint16_t c = 0; c < RIG_CHANNELS; c++) {
            if (c == 2 && n % 10)
                continue;
            unsigned char *bytes = tac__mcap_message(w, c, rig_time(n), rig_size(c, n));
            if (!bytes)
                return false;
            rig_fill(c, n, bytes);
        }
        if (n == messages / 2)
            tac__mcap_attachment(w, "middle", "", rig_time(n), "", 0);
    }
    return !tac__mcap_failed(w);
}

static inline void rig_make(const char *path, const tac__mcap_writer_def *def, uint32_t messages)
{
    tac__mcap_writer *w;
    tac_error err;
    tac_error_clear(&err);
    assert_int_equal(tac__mcap_create(path, def, &w, &err), TAC_OK);
    assert_true(rig_write(w, messages));
    const tac_status status = tac__mcap_finish(w, &err);
    if (status != TAC_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, TAC_OK);
}

// Numbers of messages read, by channel.
typedef struct rig_counts {
    uint32_t read[RIG_CHANNELS];
} rig_counts;

// Every message is the next of its channel, byte for byte. Returns the first failure.
static inline tac_status rig_read(tac__mcap_reader *r, rig_counts *counts, tac_error *err)
{
    *counts = (rig_counts){0};
    const tac__mcap_info *info = tac__mcap_about(r);
    tac__mcap_chunk chunk = {0};
    tac_status status = TAC_OK;
    for (size_t i = 0; i < info->chunk_count && status == TAC_OK; i++) {
        status = tac__mcap_load(r, i, &chunk, err);
        for (bool more = status == TAC_OK; more;) {
            tac__mcap_message_info m;
            status = tac__mcap_next(&chunk, &m, &more, err);
            if (status != TAC_OK || !more)
                break;
            assert_true(m.channel < RIG_CHANNELS);
            const uint32_t n = counts->read[m.channel]++ * (m.channel == 2 ? 10 : 1);
            unsigned char expected[128];
            rig_fill(m.channel, n, expected);
            assert_int_equal(m.sequence, counts->read[m.channel]);
            assert_int_equal(m.log_ns, rig_time(n));
            assert_int_equal(m.publish_ns, rig_time(n));
            assert_int_equal(m.size, rig_size(m.channel, n));
            assert_memory_equal(m.bytes, expected, m.size);
        }
    }
    tac__mcap_chunk_fini(&chunk);
    return status;
}

// Of a file that must be in order.
static inline tac__mcap_reader *rig_open(const char *path)
{
    tac__mcap_reader *r;
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = tac__mcap_open(path, NULL, &r, &err);
    if (status != TAC_OK)
        print_error("%s\n", err.text);
    assert_int_equal(status, TAC_OK);
    return r;
}

static inline char *rig_bytes(const char *path, size_t *size)
{
    char *bytes;
    assert_int_equal(tac__file_read(path, 1 << 30, tac_allocator_default(), &bytes, size, NULL),
                     TAC_OK);
    return bytes;
}

static inline void rig_put(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

static inline uint32_t rig_expected(int channel, uint32_t messages)
{
    return channel == 2 ? (messages + 9) / 10 : messages;
}

static inline void rig_check_all(const rig_counts *counts, uint32_t messages)
{
    for (int c = 0; c < RIG_CHANNELS; c++)
        assert_int_equal(counts->read[c], rig_expected(c, messages));
}

#endif
