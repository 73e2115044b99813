// mcap.c - fuzzes MCAP files: opened, read to the end, recovered, and read again.
//
// An input that begins with 'P' is a list of changes (place in two bytes, value in one) to a true
// file, the CRC of whose summary is put right afterwards, so that what lies behind it is reached.
// Any other input is a file as it stands.
#include "base/file.h"
#include "record/mcap/crc32.h"
#include "record/mcap/format.h"
#include "record/mcap/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];
static char *original;
static size_t original_size;

static void forget(void)
{
    remove(path);
}

// Small, with a bit of everything.
static void prepare(void)
{
    static const tac__mcap_pair pairs[] = {{"key", "value"}, {"", ""}};
    snprintf(path, sizeof path, "/tmp/tactus_fuzz_%d", (int)getpid());
    atexit(forget);
    tac__mcap_writer_def def = tac__mcap_writer_def_default();
    def.chunk_size = 300;
    def.compression = TAC__COMPRESS_NONE;
    tac__mcap_writer *w;
    if (tac__mcap_create(path, &def, &w, NULL) != TAC_OK)
        abort();
    const uint16_t schema = tac__mcap_schema(w, "a", "ros2msg", "float64 x");
    for (uint16_t i = 0; i < 2; i++)
        tac__mcap_channel(w, schema, "/a", "cdr", pairs, i);
    tac__mcap_attachment(w, "config", "text/plain", 1, "text", 4);
    tac__mcap_metadata(w, "run", pairs, 2);
    for (uint64_t i = 0; i < 20; i++)
        memset(tac__mcap_message(w, (uint16_t)(i % 2), i, 12), (int)i, 12);
    if (tac__mcap_finish(w, NULL) != TAC_OK ||
        tac__file_read(path, 1 << 20, tac_allocator_default(), &original, &original_size, NULL) !=
            TAC_OK)
        abort();
}

static void mend(uint8_t *bytes, size_t size)
{
    const size_t footer = size - MCAP_FOOTER_RECORD - MCAP_MAGIC_SIZE;
    uint64_t at;
    memcpy(&at, bytes + footer + MCAP_HEAD, sizeof at);
    if (at >= footer)
        return;
    const uint32_t crc = tac__crc32(0, bytes + at, footer + MCAP_HEAD + 8 + 8 - (size_t)at);
    memcpy(bytes + footer + MCAP_HEAD + 8 + 8, &crc, sizeof crc);
}

// Every byte that is given out is looked at.
static uint64_t look_text(const char *text)
{
    return (unsigned char)text[0] + strlen(text);
}

static uint64_t look_pairs(const tac__mcap_pair *pairs, size_t count)
{
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++)
        sum += look_text(pairs[i].key) + look_text(pairs[i].value);
    return sum;
}

static uint64_t look(const tac__mcap_info *info)
{
    uint64_t sum = look_text(info->profile) + look_text(info->library);
    for (size_t i = 0; i < info->schema_count; i++)
        sum += look_text(info->schemas[i].name) +
               (uint64_t)info->schemas[i].text[info->schemas[i].size];
    for (size_t i = 0; i < info->channel_count; i++)
        sum += look_text(info->channels[i].topic) +
               look_pairs(info->channels[i].metadata, info->channels[i].count);
    for (size_t i = 0; i < info->metadata_count; i++)
        sum += look_text(info->metadata[i].name) +
               look_pairs(info->metadata[i].pairs, info->metadata[i].count);
    return sum;
}

// Messages that can be read; UINT64_MAX: not all chunks can.
static uint64_t read_all(tac__mcap_reader *r, uint64_t *sum)
{
    const tac__mcap_info *info = tac__mcap_about(r);
    tac__mcap_chunk chunk = {0};
    uint64_t messages = 0;
    *sum = 0;
    for (size_t i = 0; i < info->chunk_count && messages != UINT64_MAX; i++) {
        if (tac__mcap_load(r, i, &chunk, NULL) != TAC_OK) {
            messages = UINT64_MAX;
            break;
        }
        for (bool more = true;;) {
            tac__mcap_message_info m;
            if (tac__mcap_next(&chunk, &m, &more, NULL) != TAC_OK)
                abort(); // load has checked it
            if (!more)
                break;
            messages++;
            *sum = (*sum ^ m.channel) * 31 + tac__crc32(0, m.bytes, m.size);
        }
    }
    tac__mcap_chunk_fini(&chunk);
    for (size_t i = 0; i < info->attachment_count; i++) {
        char *bytes;
        size_t size;
        if (tac__mcap_attachment_read(r, i, &bytes, &size, NULL) == TAC_OK)
            tac__file_free(tac_allocator_default(), bytes, size);
    }
    return messages;
}

// A clean copy is whole and can be read to its end. Of a file that was merely cut off it has what
// can be read of that; of a damaged one it may have more, as it goes on behind what is damaged.
static void recover(tac__mcap_reader *r, uint64_t messages, uint64_t sum)
{
    tac__text lost;
    tac__text_init(&lost, tac_allocator_default());
    const tac_status status = tac__mcap_recover(r, path, NULL, NULL, &lost, NULL);
    const bool cut = lost.chars && strstr(lost.chars, "cut off");
    tac__text_fini(&lost);
    if (status != TAC_OK)
        return;
    tac__mcap_reader *copy;
    uint64_t again;
    if (tac__mcap_open(path, NULL, &copy, NULL) != TAC_OK || !tac__mcap_about(copy)->whole)
        abort();
    const uint64_t count = read_all(copy, &again);
    if (count == UINT64_MAX || (cut && (count != messages || again != sum)))
        abort();
    tac__mcap_close(copy);
}

static void try_file(const uint8_t *bytes, size_t size)
{
    tac__mcap_reader *r;
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = tac__mcap_open_memory(bytes, size, NULL, &r, &err);
    if (status != TAC_OK) {
        if (r || err.status != status || !err.text[0])
            abort();
        return;
    }
    uint64_t sum;
    volatile uint64_t told = look(tac__mcap_about(r));
    (void)told;
    const uint64_t messages = read_all(r, &sum);
    // What a walk has found can be read.
    if (!tac__mcap_about(r)->whole &&
        (messages == UINT64_MAX || messages != tac__mcap_about(r)->messages))
        abort();
    if (tac__crc32(0, bytes, size) % 4 == 0) // files are slow: not always
        recover(r, messages, sum);
    tac__mcap_close(r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!original)
        prepare();
    if (size > 1 << 16)
        return 0;
    if (!size || data[0] != 'P') {
        try_file(data, size);
        return 0;
    }
    uint8_t *bytes = malloc(original_size);
    if (!bytes)
        return 0;
    memcpy(bytes, original, original_size);
    for (size_t i = 1; i + 3 <= size; i += 3)
        bytes[((size_t)data[i] | (size_t)data[i + 1] << 8) % original_size] = data[i + 2];
    mend(bytes, original_size);
    try_file(bytes, original_size);
    free(bytes);
    return 0;
}
