// Files that are cut, damaged, or written by others.
#include "mcap_rig.h"

#include "base/hash.h"
#include "record/mcap/reader.h"
#include "record/mcap/summary.h"
#include "support/allocator.h"

static char path[64], other[64];
static char *bytes;
static size_t size;

enum { MESSAGES = 60 };

static tac__mcap_writer_def small(tac__compression compression)
{
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.compression = compression;
    def.chunk_size = 600;
    def.library = "test";
    return def;
}

// All that a summary tells, in a number. Metadata and the header stand outside of it.
static uint64_t told(const tac__mcap_info *info)
{
    tac__hash h = tac__hash_word(TAC__HASH_SEED, info->messages);
    for (size_t i = 0; i < info->schema_count; i++) {
        const tac__mcap_schema_info *s = &info->schemas[i];
        h = tac__hash_text(tac__hash_text(tac__hash_word(h, s->id), s->name), s->encoding);
        h = tac__hash_bytes(h, s->text, s->size);
    }
    for (size_t i = 0; i < info->channel_count; i++) {
        const tac__mcap_channel_info *c = &info->channels[i];
        h = tac__hash_word(tac__hash_word(tac__hash_word(h, c->id), c->schema), c->messages);
        h = tac__hash_text(tac__hash_text(h, c->topic), c->encoding);
        for (size_t k = 0; k < c->count; k++)
            h = tac__hash_text(tac__hash_text(h, c->metadata[k].key), c->metadata[k].value);
    }
    for (size_t i = 0; i < info->chunk_count; i++)
        h = tac__hash_bytes(h, &info->chunks[i], offsetof(tac__mcap_chunk_info, compression));
    for (size_t i = 0; i < info->attachment_count; i++) {
        const tac__mcap_attachment_info *a = &info->attachments[i];
        h = tac__hash_text(tac__hash_text(h, a->name), a->media_type);
        h = tac__hash_word(tac__hash_word(tac__hash_word(h, a->time_ns), a->offset), a->size);
    }
    return h;
}

static uint64_t last_told; // of the file that was read last

// Open and read; the messages that come are the right ones. False: it could not be opened.
static bool open_and_read(const void *file, size_t length, rig_counts *counts, tac_status *reading,
                          tac__mcap_info *info)
{
    tac__mcap_reader *r;
    tac_error err;
    tac_error_clear(&err);
    *counts = (rig_counts){0};
    const tac_status status = tac__mcap_open_memory(file, length, NULL, &r, &err);
    if (status != TAC_OK) {
        assert_null(r);
        assert_int_equal(err.status, status);
        assert_non_null(strstr(err.text, "memory"));
        return false;
    }
    *reading = rig_read(r, counts, &err);
    *info = *tac__mcap_about(r); // numbers only: the rest goes with the reader
    last_told = told(info);
    tac__mcap_close(r);
    return true;
}

// --- cut -----------------------------------------------------------------------------------------

static void test_cut(void **state)
{
    (void)state;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        if (!tac__compression_built_in(c))
            continue;
        const tac__mcap_writer_def def = small(c);
        rig_make(path, &def, MESSAGES);
        bytes = rig_bytes(path, &size);
        rig_counts last = {0};
        bool opened = false;
        for (size_t length = 0; length < size; length++) {
            // Of its own memory, so that sanitizers see what lies behind.
            char *cut = malloc(length ? length : 1);
            memcpy(cut, bytes, length);
            rig_counts counts;
            tac_status reading;
            tac__mcap_info info;
            if (open_and_read(cut, length, &counts, &reading, &info)) {
                opened = true;
                assert_int_equal(reading, TAC_OK);
                assert_false(info.whole);
                assert_true(info.sound_size <= length);
                for (int k = 0; k < RIG_CHANNELS; k++)
                    assert_true(counts.read[k] >=
                                last.read[k]); // never fewer than of a shorter one
                last = counts;
            } else {
                assert_false(opened); // only a file without a whole header is refused
            }
            free(cut);
        }
        rig_check_all(&last, MESSAGES);
        tac__file_free(tac_allocator_default(), bytes, size);
    }
}

// --- damaged -------------------------------------------------------------------------------------

// With one bit wrong, messages are missing at worst: rig_read compares those that come.
static void test_flips(void **state)
{
    (void)state;
    for (tac__compression c = TAC__COMPRESS_NONE; c <= TAC__COMPRESS_ZSTD; c++) {
        if (!tac__compression_built_in(c))
            continue;
        const tac__mcap_writer_def def = small(c);
        rig_make(path, &def, 12);
        bytes = rig_bytes(path, &size);
        size_t silent = 0;
        rig_counts counts;
        tac_status reading;
        tac__mcap_info info;
        assert_true(open_and_read(bytes, size, &counts, &reading, &info));
        const uint64_t before = last_told;
        for (size_t bit = 0; bit < size * 8; bit++) {
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
            if (open_and_read(bytes, size, &counts, &reading, &info) && reading == TAC_OK &&
                info.whole) {
                rig_check_all(&counts, 12);
                assert_int_equal(last_told, before);
                silent++;
            }
            bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        }
        assert_true(silent < size * 8 * 3 / 4); // indexes of messages and doubled records only
        tac__file_free(tac_allocator_default(), bytes, size);
    }
}

// A walk finds out too: what is wrong in an attachment, and what only the CRC of all data tells.
static void test_walked(void **state)
{
    (void)state;
    const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    rig_make(path, &def, 12);
    bytes = rig_bytes(path, &size);
    tac__mcap_reader *r = rig_open(path);
    const tac__mcap_attachment_info a = tac__mcap_about(r)->attachments[1];
    tac__mcap_close(r);
    rig_counts counts;
    tac_status reading;
    tac__mcap_info info;
    // Without its summary, as the format allows: the footer says that there is none.
    char *footer = bytes + size - MCAP_FOOTER_RECORD - MCAP_MAGIC_SIZE + MCAP_HEAD;
    memset(footer, 0, MCAP_FOOTER_FIXED);
    assert_true(open_and_read(bytes, size, &counts, &reading, &info));
    assert_true(info.whole);
    bytes[MCAP_MAGIC_SIZE + MCAP_HEAD + 4] ^= 1; // the profile
    assert_true(open_and_read(bytes, size, &counts, &reading, &info));
    assert_false(info.whole);
    rig_check_all(&counts, 12);
    bytes[a.offset + MCAP_HEAD] ^= 1; // its time: only the CRC tells
    assert_true(open_and_read(bytes, size, &counts, &reading, &info));
    assert_false(info.whole);
    assert_int_equal(info.sound_size, a.offset);
    tac__file_free(tac_allocator_default(), bytes, size);
}

static void test_attachment_flips(void **state)
{
    (void)state;
    const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    rig_make(path, &def, 1);
    bytes = rig_bytes(path, &size);
    tac__mcap_reader *r;
    assert_int_equal(tac__mcap_open_memory(bytes, size, NULL, &r, NULL), TAC_OK);
    const tac__mcap_attachment_info a = tac__mcap_about(r)->attachments[0];
    for (uint64_t bit = a.offset * 8; bit < (a.offset + a.length) * 8; bit++) {
        char *read;
        size_t n;
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(tac__mcap_attachment_read(r, 0, &read, &n, NULL), TAC_E_FORMAT);
        assert_null(read);
        bytes[bit / 8] = (char)(bytes[bit / 8] ^ 1 << bit % 8);
    }
    tac__mcap_close(r);
    tac__file_free(tac_allocator_default(), bytes, size);
}

// --- recovered -----------------------------------------------------------------------------------

static void check_recovered(size_t length, const rig_counts *expected)
{
    rig_put(path, bytes, length);
    tac__mcap_reader *r = rig_open(path);
    assert_int_equal(tac__mcap_recover(r, other, NULL, NULL, NULL, NULL), TAC_OK);
    const tac__mcap_info *a = tac__mcap_about(r);
    tac__mcap_reader *clean = rig_open(other);
    const tac__mcap_info *b = tac__mcap_about(clean);
    assert_true(b->whole);
    assert_int_equal(clean->contents.tail_count, 0); // by its summary: nothing was walked
    assert_int_equal(a->channel_count, b->channel_count);
    assert_int_equal(a->chunk_count, b->chunk_count);
    assert_int_equal(a->attachment_count, b->attachment_count);
    assert_int_equal(a->metadata_count, b->metadata_count);
    assert_int_equal(a->messages, b->messages);
    for (size_t i = 0; i < a->channel_count; i++)
        assert_int_equal(a->channels[i].messages, b->channels[i].messages);
    for (size_t i = 0; i < b->chunk_count; i++)
        assert_int_equal(b->chunks[i].channel_count, 1);
    rig_counts counts;
    assert_int_equal(rig_read(clean, &counts, NULL), TAC_OK);
    assert_memory_equal(&counts, expected, sizeof counts);
    tac__mcap_close(clean);
    tac__mcap_close(r);
}

static void test_recover(void **state)
{
    (void)state;
    const tac__mcap_writer_def def = small(tac__mcap_writer_def_default().compression);
    rig_make(path, &def, MESSAGES);
    bytes = rig_bytes(path, &size);
    for (size_t length = 100; length <= size; length += length + 61 < size ? 61 : 1) {
        rig_counts counts;
        tac_status reading;
        tac__mcap_info info;
        assert_true(open_and_read(bytes, length, &counts, &reading, &info));
        check_recovered(length, &counts);
    }
    // Of a whole file: the same bytes, all of them.
    size_t again;
    char *copy = rig_bytes(other, &again);
    assert_int_equal(again, size);
    assert_memory_equal(copy, bytes, size);
    tac__file_free(tac_allocator_default(), copy, again);
    // Over itself.
    rig_put(path, bytes, size / 2);
    tac__mcap_reader *r = rig_open(path);
    assert_int_equal(tac__mcap_recover(r, path, NULL, NULL, NULL, NULL), TAC_OK);
    tac__mcap_close(r);
    r = rig_open(path);
    assert_true(tac__mcap_about(r)->whole);
    tac_error err;
    assert_int_equal(tac__mcap_recover(r, "/nowhere/at.all", NULL, NULL, NULL, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "/nowhere/at.all"));
    tac__mcap_close(r);
    tac__file_free(tac_allocator_default(), bytes, size);
}

// --- by others -----------------------------------------------------------------------------------

static void put(tac__text *out, uint64_t value, size_t n)
{
    tac__text_bytes(out, (const char *)&value, n);
}

static void put_record(tac__text *out, uint8_t opcode, const tac__text *content)
{
    put(out, opcode, 1);
    put(out, content->length, 8);
    tac__text_bytes(out, content->length ? content->chars : "", content->length);
}

static void put_message(tac__text *out, uint16_t channel, uint32_t number)
{
    put(out, MCAP_MESSAGE, 1);
    put(out, MCAP_MESSAGE_FIXED + rig_size(channel, number), 8);
    put(out, channel, 2);
    put(out, number / (channel == 2 ? 10 : 1) + 1, 4);
    put(out, rig_time(number), 8);
    put(out, rig_time(number), 8);
    unsigned char payload[128];
    rig_fill(channel, number, payload);
    tac__text_bytes(out, (const char *)payload, rig_size(channel, number));
}

static void put_chunk(tac__text *out, const tac__text *records, uint64_t first, uint64_t last,
                      const char *compression)
{
    tac__text content;
    tac__text_init(&content, NULL);
    put(&content, first, 8);
    put(&content, last, 8);
    put(&content, records->length, 8);
    put(&content, 0, 4); // no CRC
    put(&content, strlen(compression), 4);
    tac__text_bytes(&content, compression, strlen(compression));
    put(&content, records->length, 8);
    tac__text_bytes(&content, records->chars, records->length);
    put_record(out, MCAP_CHUNK, &content);
    tac__text_fini(&content);
}

static void put_end(tac__text *out)
{
    put(out, MCAP_DATA_END, 1);
    put(out, 4, 8);
    put(out, 0, 4);
    put(out, MCAP_FOOTER, 1);
    put(out, MCAP_FOOTER_FIXED, 8);
    put(out, 0, 8);
    put(out, 0, 8);
    put(out, 0, 4);
    tac__text_bytes(out, MCAP_MAGIC, MCAP_MAGIC_SIZE);
}

// No summary, no CRCs, no indexes, schemas and channels inside of chunks, several channels in each,
// records that nobody knows.
static void put_foreign(tac__text *file, const char *compression)
{
    tac__text_init(file, NULL);
    tac__mcap_put_header(file, "", "someone else");
    tac__text none, records;
    tac__text_init(&none, NULL);
    tac__text_init(&records, NULL);
    put_record(file, 0x90, &none);
    tac__mcap_put_schema(&records, &(tac__mcap_schema_info){7, "s", "e", "text", 4});
    for (uint16_t c = 0; c < RIG_CHANNELS; c++)
        tac__mcap_put_channel(
            &records,
            &(tac__mcap_channel_info){.id = c, .schema = c ? 7 : 0, .topic = "t", .encoding = ""});
    put_record(&records, 0x55, &none);
    for (uint32_t n = 0; n < 20; n++)
        for (uint16_t c = 0; c < RIG_CHANNELS; c++)
            if (c != 2 || n % 10 == 0)
                put_message(&records, c, n);
    put_chunk(file, &records, rig_time(0), rig_time(19), compression);
    put_end(file);
    tac__text_fini(&records);
}

static void test_foreign(void **state)
{
    (void)state;
    tac__text file;
    put_foreign(&file, "");
    rig_counts counts;
    tac_status reading;
    tac__mcap_info info;
    assert_true(open_and_read(file.chars, file.length, &counts, &reading, &info));
    assert_int_equal(reading, TAC_OK);
    rig_check_all(&counts, 20);
    assert_true(info.whole);
    assert_int_equal(info.schema_count, 1);
    // Not so without its end.
    assert_true(open_and_read(file.chars, file.length - 1, &counts, &reading, &info));
    assert_false(info.whole);
    rig_check_all(&counts, 20);
    tac__text_fini(&file);
}

static void refused(const tac__text *file, tac_status status, const char *word)
{
    tac__mcap_reader *r;
    tac_error err;
    assert_int_equal(tac__mcap_open_memory(file->chars, file->length, NULL, &r, &err), status);
    assert_non_null(strstr(err.text, word));
}

static void test_refused(void **state)
{
    (void)state;
    tac__text file;
    put_foreign(&file, "br");
    refused(&file, TAC_E_NAME, "packed with 'br'");
    tac__text_fini(&file);
    // Messages outside of chunks.
    tac__mcap_put_header(&file, "", "");
    tac__mcap_put_channel(&file, &(tac__mcap_channel_info){.id = 0, .topic = "t", .encoding = ""});
    put_message(&file, 0, 0);
    put_end(&file);
    refused(&file, TAC_E_NAME, "outside of chunks");
    // Other versions, other files.
    file.chars[MCAP_MAGIC_VERSION] = '1';
    refused(&file, TAC_E_FORMAT, "version 0");
    file.chars[1] = 'm';
    refused(&file, TAC_E_FORMAT, "not an MCAP file");
    tac__text_fini(&file);
    tac__text_bytes(&file, "", 0);
    refused(&file, TAC_E_FORMAT, "not an MCAP file");
    tac__text_fini(&file);
    tac__mcap_reader *r;
    tac_error err;
    assert_int_equal(tac__mcap_open("/nowhere/at.all", NULL, &r, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "/nowhere/at.all"));
    assert_int_equal(tac__mcap_open("/tmp", NULL, &r, &err), TAC_E_FILE);
    assert_int_equal(tac__mcap_open("/dev/null", NULL, &r, &err), TAC_E_FILE);
}

// --- no memory -----------------------------------------------------------------------------------

static tac_status use(const tac_allocator *hook)
{
    tac__mcap_reader *r;
    tac_status status = tac__mcap_open(path, hook, &r, NULL);
    if (status != TAC_OK)
        return status;
    rig_counts counts;
    status = rig_read(r, &counts, NULL);
    char *data = NULL;
    size_t n = 0;
    if (status == TAC_OK)
        status = tac__mcap_attachment_read(r, 0, &data, &n, NULL);
    tac__file_free(hook, data, n);
    if (status == TAC_OK)
        status = tac__mcap_recover(r, other, NULL, NULL, NULL, NULL);
    tac__mcap_close(r);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    const tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    rig_make(path, &def, MESSAGES);
    bytes = rig_bytes(path, &size);
    for (int cut = 0; cut < 2; cut++) { // by its summary, and by a scan
        rig_put(path, bytes, size - (cut ? 60 : 0));
        for (uint64_t n = 1;; n++) {
            test_allocator a = test_allocator_make();
            a.fail_at = n;
            const tac_allocator hook = test_allocator_hook(&a);
            const tac_status status = use(&hook);
            test_allocator_check_empty(&a);
            if (status == TAC_OK) {
                assert_true(n > 10);
                break;
            }
            assert_int_equal(status, TAC_E_MEMORY);
        }
    }
    tac__file_free(tac_allocator_default(), bytes, size);
}

// Opening a large file reads little of it, whatever is in between.
static void test_sparse(void **state)
{
    (void)state;
    tac__mcap_writer_def def = small(TAC__COMPRESS_NONE);
    def.chunk_size = 1 << 20;
    tac__mcap_writer *w;
    assert_int_equal(tac__mcap_create(path, &def, &w, NULL), TAC_OK);
    const uint16_t c = tac__mcap_channel(w, 0, "/x", "", NULL, 0);
    for (uint64_t i = 0; i < 4000; i++)
        memset(tac__mcap_message(w, c, i, 1000), 0, 1000);
    assert_int_equal(tac__mcap_finish(w, NULL), TAC_OK);
    test_allocator a = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&a);
    tac__mcap_reader *r;
    assert_int_equal(tac__mcap_open(path, &hook, &r, NULL), TAC_OK);
    assert_true(tac__mcap_about(r)->file_size > 4000000);
    assert_true(a.peak_bytes < 100000);
    tac__mcap_close(r);
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
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cut),     cmocka_unit_test(test_flips),
        cmocka_unit_test(test_walked),  cmocka_unit_test(test_attachment_flips),
        cmocka_unit_test(test_recover), cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_sparse)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
