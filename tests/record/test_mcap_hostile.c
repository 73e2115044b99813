// Files that were made to hurt: lengths that lie, bombs, indexes that lead astray.
#include "mcap_rig.h"

#include "record/mcap/crc32.h"
#include "record/mcap/reader.h"
#include "record/mcap/summary.h"
#include "support/allocator.h"

static char path[64];

static tac__text begin(void)
{
    tac__text file;
    tac__text_init(&file, NULL);
    tac__mcap_put_header(&file, "", "");
    tac__mcap_put_channel(&file, &(tac__mcap_channel_info){.id = 0, .topic = "t", .encoding = ""});
    return file;
}

static void put(tac__text *out, uint64_t value, size_t n)
{
    tac__text_bytes(out, (const char *)&value, n);
}

// What a chunk says of itself; `packed` is taken as it stands.
static void put_chunk(tac__text *out, uint64_t size, const char *compression, const void *packed,
                      size_t packed_size)
{
    put(out, MCAP_CHUNK, 1);
    put(out, 8 + 8 + 8 + 4 + 4 + strlen(compression) + 8 + packed_size, 8);
    put(out, 0, 8);
    put(out, UINT64_MAX, 8);
    put(out, size, 8);
    put(out, 0, 4);
    put(out, strlen(compression), 4);
    tac__text_bytes(out, compression, strlen(compression));
    put(out, packed_size, 8);
    tac__text_bytes(out, packed, packed_size);
}

// Open, read all; no more memory than `most` may be asked for.
static tac_status use(const tac__text *file, size_t most, rig_counts *counts)
{
    test_allocator a = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&a);
    tac__mcap_reader *r;
    tac_error err;
    tac_error_clear(&err);
    tac_status status = tac__mcap_open_memory(file->chars, file->length, &hook, &r, &err);
    if (status == TAC_OK) {
        status = rig_read(r, counts, &err);
        tac__mcap_close(r);
    }
    test_allocator_check_empty(&a);
    assert_true(a.peak_bytes <= most);
    return status;
}

static const uint64_t numbers[] = {0,
                                   1,
                                   8,
                                   9,
                                   22,
                                   255,
                                   65536,
                                   (uint64_t)1 << 31,
                                   UINT32_MAX,
                                   (uint64_t)1 << 40,
                                   INT64_MAX,
                                   (uint64_t)INT64_MAX + 1,
                                   UINT64_MAX - 9,
                                   UINT64_MAX - 8,
                                   UINT64_MAX};
enum { NUMBERS = sizeof numbers / sizeof *numbers };

// Every number of 8 and of 4 bytes in a whole file, replaced by each of these; with right CRCs too,
// so that what lies behind them is reached.
static void mend(char *file, size_t size)
{
    const size_t footer = size - MCAP_FOOTER_RECORD - MCAP_MAGIC_SIZE;
    uint64_t at;
    memcpy(&at, file + footer + MCAP_HEAD, 8);
    if (at >= footer)
        return;
    const uint32_t crc = tac__crc32(0, file + at, footer + MCAP_HEAD + 16 - at);
    memcpy(file + footer + MCAP_HEAD + 16, &crc, 4);
}

static void test_numbers(void **state)
{
    (void)state;
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.chunk_size = 300;
    def.compression = TAC__COMPRESS_NONE;
    def.library = "";
    rig_make(path, &def, 4);
    size_t size;
    char *whole = rig_bytes(path, &size), *changed = malloc(size);
    for (size_t at = 0; at + 8 <= size; at++) {
        for (int n = 0; n < NUMBERS * 2; n++) {
            memcpy(changed, whole, size);
            memcpy(changed + at, &numbers[n / 2], n % 2 ? 8 : 4);
            mend(changed, size);
            const tac__text file = {.chars = changed, .length = size};
            test_allocator a = test_allocator_make();
            const tac_allocator hook = test_allocator_hook(&a);
            tac__mcap_reader *r;
            if (tac__mcap_open_memory(file.chars, file.length, &hook, &r, NULL) == TAC_OK) {
                // What is read may be anything that was written; but it must be readable.
                const tac__mcap_info *info = tac__mcap_about(r);
                tac__mcap_chunk chunk = {0};
                for (size_t i = 0; i < info->chunk_count; i++) {
                    tac__mcap_message_info m;
                    bool more = tac__mcap_load(r, i, &chunk, NULL) == TAC_OK;
                    while (more && tac__mcap_next(&chunk, &m, &more, NULL) == TAC_OK && more)
                        assert_true(m.bytes + m.size <= chunk.bytes + chunk.size);
                }
                tac__mcap_chunk_fini(&chunk);
                for (size_t i = 0; i < info->attachment_count; i++) {
                    char *data;
                    size_t length;
                    if (tac__mcap_attachment_read(r, i, &data, &length, NULL) == TAC_OK)
                        tac__file_free(&hook, data, length);
                }
                tac__mcap_close(r);
            }
            test_allocator_check_empty(&a);
            assert_true(a.peak_bytes < 1 << 20);
        }
    }
    free(changed);
    tac__file_free(tac_allocator_default(), whole, size);
}

// --- bombs ---------------------------------------------------------------------------------------

#ifdef TACTUS_HAVE_ZSTD
#include <zstd.h>

static size_t pack_zeros(size_t size, char *out, size_t room)
{
    char *zeros = calloc(1, size);
    assert_non_null(zeros);
    const size_t n = ZSTD_compress(out, room, zeros, size, 19);
    free(zeros);
    assert_false(ZSTD_isError(n));
    return n;
}

static void test_bombs(void **state)
{
    (void)state;
    static char packed[1 << 16];
    rig_counts counts;
    const size_t n = pack_zeros((size_t)32 << 20, packed, sizeof packed);
    // It announces less than it unpacks to: nothing is read of it, and nothing past its end.
    tac__text file = begin();
    put_chunk(&file, 1000, "zstd", packed, n);
    assert_int_equal(use(&file, 1 << 20, &counts), TAC_OK);
    tac__text_fini(&file);
    // It announces more than anything real unpacks to.
    file = begin();
    put_chunk(&file, (uint64_t)1 << 30, "zstd", packed, 100);
    assert_int_equal(use(&file, 1 << 20, &counts), TAC_E_LIMIT);
    tac__text_fini(&file);
    file = begin();
    put_chunk(&file, UINT64_MAX, "zstd", packed, n);
    assert_int_equal(use(&file, 1 << 20, &counts), TAC_E_LIMIT);
    tac__text_fini(&file);
    // Many that are each within bounds: an unknown record fills each.
    const size_t size = (size_t)32 << 20;
    char *record = calloc(1, size);
    assert_non_null(record);
    const uint64_t content = size - MCAP_HEAD;
    record[0] = 0x77;
    memcpy(record + 1, &content, 8);
    const size_t each = ZSTD_compress(packed, sizeof packed, record, size, 3);
    assert_false(ZSTD_isError(each));
    free(record);
    file = begin();
    for (int i = 0; i < 1000; i++)
        put_chunk(&file, size, "zstd", packed, each);
    assert_int_equal(use(&file, size * 2, &counts), TAC_E_LIMIT);
    tac__text_fini(&file);
}
#else
static void test_bombs(void **state)
{
    (void)state;
    skip();
}
#endif

// What does not unpack to the size that is announced is not sound, also where there is no CRC.
static void test_wrong_sizes(void **state)
{
    (void)state;
    char record[500] = {0x77};
    const uint64_t content = sizeof record - MCAP_HEAD;
    memcpy(record + 1, &content, 8);
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        char packed[1000];
        tac__packer packer;
        if (!tac__compression_built_in(c))
            continue;
        assert_true(tac__packer_init(&packer, c, 1));
        assert_true(tac__pack_bound(c, sizeof record) < sizeof packed);
        const size_t n = tac__pack(&packer, record, sizeof record, packed, sizeof packed);
        tac__packer_fini(&packer);
        assert_true(n > 0);
        packed[n] = 0;
        for (int change = 0; change < 6; change++) {
            static const int by[] = {0, -1, 1, 0, 0, -491}; // in what is announced
            static const int cut[] = {0, 0, 0, 1, -1, 0};   // off what is there
            tac__text file = begin();
            tac__mcap_reader *r;
            put_chunk(&file, (uint64_t)((int)sizeof record + by[change]),
                      tac__mcap_compression_field(c), packed, (size_t)((int)n - cut[change]));
            assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL),
                             TAC_OK);
            assert_int_equal(tac__mcap_about(r)->chunk_count, change == 0);
            tac__mcap_close(r);
            tac__text_fini(&file);
        }
    }
}

// --- indexes -------------------------------------------------------------------------------------

// A whole file whose summary `change` has had in hand.
typedef void change_fn(tac__mcap_info *info);

static void twice(tac__mcap_info *info)
{
    static tac__mcap_chunk_info chunks[64];
    memcpy(chunks, info->chunks, info->chunk_count * sizeof *chunks);
    chunks[1] = chunks[0];
    info->chunks = chunks;
}

static void overlap(tac__mcap_info *info)
{
    static tac__mcap_chunk_info chunks[64];
    memcpy(chunks, info->chunks, info->chunk_count * sizeof *chunks);
    chunks[0].length++;
    info->chunks = chunks;
}

static void backwards(tac__mcap_info *info)
{
    static tac__mcap_chunk_info chunks[64];
    for (size_t i = 0; i < info->chunk_count; i++)
        chunks[i] = info->chunks[info->chunk_count - 1 - i];
    info->chunks = chunks;
}

static void other_channel(tac__mcap_info *info)
{
    static tac__mcap_chunk_info chunks[64];
    static const uint16_t channels[] = {1, 2};
    memcpy(chunks, info->chunks, info->chunk_count * sizeof *chunks);
    for (size_t i = 0; i < info->chunk_count; i++)
        if (chunks[i].channels[0] == 0) {
            chunks[i].channels = channels;
            chunks[i].channel_count = 2;
        }
    info->chunks = chunks;
}

static void other_time(tac__mcap_info *info)
{
    static tac__mcap_chunk_info chunks[64];
    memcpy(chunks, info->chunks, info->chunk_count * sizeof *chunks);
    chunks[0].last_ns++;
    info->chunks = chunks;
}

static void nested(tac__mcap_info *info) // into the content of the first
{
    static tac__mcap_chunk_info chunks[64];
    memcpy(chunks, info->chunks, info->chunk_count * sizeof *chunks);
    chunks[0].offset += 9;
    chunks[0].length -= 20;
    info->chunks = chunks;
}

static tac_status with_summary(change_fn *change, rig_counts *counts, bool *whole)
{
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.chunk_size = 400;
    def.compression = TAC__COMPRESS_NONE;
    rig_make(path, &def, 30);
    size_t size;
    char *bytes = rig_bytes(path, &size);
    tac__mcap_reader *r = rig_open(path);
    tac__mcap_info info = *tac__mcap_about(r);
    uint64_t at;
    memcpy(&at, bytes + size - MCAP_FOOTER_RECORD - MCAP_MAGIC_SIZE + MCAP_HEAD, 8);
    at -= MCAP_HEAD + 4; // the end of the data
    change(&info);
    tac__mcap_summary summary;
    tac__mcap_summary_init(&summary, NULL);
    for (size_t i = 0; i < info.schema_count; i++)
        tac__mcap_summary_schema(&summary, &info.schemas[i]);
    for (size_t i = 0; i < info.channel_count; i++) {
        tac__mcap_summary_channel(&summary, &info.channels[i]);
        tac__mcap_summary_messages(&summary, info.channels[i].id, info.channels[i].messages);
    }
    static const uint64_t nowhere[2];
    for (size_t i = 0; i < info.chunk_count; i++)
        tac__mcap_summary_chunk(&summary, &info.chunks[i], nowhere, 0);
    for (size_t i = 0; i < info.attachment_count; i++)
        tac__mcap_summary_attachment(&summary, &info.attachments[i]);
    tac__text file;
    tac__text_init(&file, NULL);
    tac__text_bytes(&file, bytes, at);
    tac__text tail;
    tac__text_init(&tail, NULL);
    tac__mcap_summary_end(&summary, at, tac__crc32(0, bytes, at), &tail);
    tac__text_bytes(&file, tail.chars, tail.length);
    tac__text_fini(&tail);
    tac__mcap_summary_fini(&summary);
    tac__mcap_close(r);
    tac__file_free(tac_allocator_default(), bytes, size);

    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    *whole = tac__mcap_about(r)->whole;
    const tac_status status = rig_read(r, counts, NULL);
    tac__mcap_close(r);
    tac__text_fini(&file);
    return status;
}

static void unchanged(tac__mcap_info *info)
{
    (void)info;
}

static void test_indexes(void **state)
{
    (void)state;
    rig_counts counts;
    bool whole;
    assert_int_equal(with_summary(unchanged, &counts, &whole), TAC_OK);
    assert_true(whole);
    // In any order they are the same.
    assert_int_equal(with_summary(backwards, &counts, &whole), TAC_OK);
    assert_true(whole);
    rig_check_all(&counts, 30);
    // What cannot be is not believed: the file is walked instead.
    assert_int_equal(with_summary(twice, &counts, &whole), TAC_OK);
    assert_false(whole);
    rig_check_all(&counts, 30);
    // What can be is found out when the chunk is read.
    assert_int_equal(with_summary(nested, &counts, &whole), TAC_E_FORMAT);
    assert_int_equal(with_summary(overlap, &counts, &whole), TAC_E_FORMAT);
    assert_int_equal(with_summary(other_channel, &counts, &whole), TAC_E_FORMAT);
    assert_int_equal(with_summary(other_time, &counts, &whole), TAC_E_FORMAT);
}

// --- many small things ---------------------------------------------------------------------------

// Time and memory follow from the size of the file.
static void test_many_records(void **state)
{
    (void)state;
    tac__text file = begin();
    for (int i = 0; i < 300000; i++) {
        put(&file, 0x80 + (uint64_t)i % 100, 1);
        put(&file, 0, 8);
    }
    rig_counts counts;
    rig_put(path, file.chars, file.length);
    tac__mcap_reader *r = rig_open(path); // through a window, not a read for each
    assert_int_equal(tac__mcap_about(r)->sound_size, file.length);
    tac__mcap_close(r);
    assert_int_equal(use(&file, 200000, &counts), TAC_OK);
    tac__text_fini(&file);
    // All channels that there can be, from the last to the first.
    tac__text_init(&file, NULL);
    tac__mcap_put_header(&file, "", "");
    for (uint32_t i = 0; i <= UINT16_MAX; i++)
        tac__mcap_put_channel(&file, &(tac__mcap_channel_info){.id = (uint16_t)(UINT16_MAX - i),
                                                               .topic = "t",
                                                               .encoding = ""});
    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    const tac__mcap_info *info = tac__mcap_about(r);
    assert_int_equal(info->channel_count, 65536);
    for (uint32_t i = 0; i <= UINT16_MAX; i++)
        assert_int_equal(info->channels[i].id, i);
    tac__mcap_close(r);
    tac__text_fini(&file);
}

// The same id for two things, channels without their schema, messages without their channel.
static void test_contradictions(void **state)
{
    (void)state;
    rig_counts counts;
    tac__mcap_reader *r;
    tac__text file = begin();
    const size_t sound = file.length;
    tac__mcap_put_channel(&file, &(tac__mcap_channel_info){.topic = "t", .encoding = ""});
    const size_t again = file.length;
    tac__mcap_put_channel(&file, &(tac__mcap_channel_info){.topic = "u", .encoding = ""});
    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    assert_int_equal(tac__mcap_about(r)->sound_size, again);
    assert_int_equal(tac__mcap_about(r)->channel_count, 1);
    tac__mcap_close(r);
    file.length = sound;
    tac__mcap_put_channel(
        &file, &(tac__mcap_channel_info){.id = 1, .schema = 9, .topic = "u", .encoding = ""});
    assert_int_equal(use(&file, 1 << 20, &counts), TAC_E_FORMAT);
    file.length = sound;
    char message[MCAP_MESSAGE_HEAD] = {MCAP_MESSAGE, MCAP_MESSAGE_FIXED};
    message[MCAP_HEAD] = 5; // channel
    put_chunk(&file, sizeof message, "", message, sizeof message);
    assert_int_equal(use(&file, 1 << 20, &counts), TAC_E_NAME);
    // A message outside of the times that its chunk tells.
    file.length = sound;
    message[MCAP_HEAD] = 0;
    put_chunk(&file, sizeof message, "", message, sizeof message);
    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    assert_int_equal(tac__mcap_about(r)->chunk_count, 1);
    tac__mcap_close(r);
    file.chars[sound + MCAP_HEAD] = 1; // the earliest
    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    assert_int_equal(tac__mcap_about(r)->chunk_count, 0);
    tac__mcap_close(r);
    // A chunk in a chunk.
    file.length = sound;
    message[0] = MCAP_CHUNK;
    put_chunk(&file, sizeof message, "", message, sizeof message);
    assert_int_equal(tac__mcap_open_memory(file.chars, file.length, NULL, &r, NULL), TAC_OK);
    assert_int_equal(tac__mcap_about(r)->chunk_count, 0);
    assert_int_equal(tac__mcap_about(r)->sound_size, sound);
    tac__mcap_close(r);
    tac__text_fini(&file);
}

static int set_up(void **state)
{
    (void)state;
    rig_path(path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_bombs),
        cmocka_unit_test(test_wrong_sizes),  cmocka_unit_test(test_indexes),
        cmocka_unit_test(test_many_records), cmocka_unit_test(test_contradictions)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
