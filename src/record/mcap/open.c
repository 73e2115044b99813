// open.c - opening a file: header, footer, summary; where there is no use of that, a scan.
#include "record/mcap/crc32.h"
#include "base/error.h"
#include "record/mcap/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static tac_status malformed(tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT, "damaged: its summary is malformed");
}

// --- the summary ---------------------------------------------------------------------------------

typedef struct footer {
    bool there;
    uint64_t summary_at;
    uint32_t crc;
    uint64_t at; // of the footer
} footer;

typedef struct summary {
    tac__mcap_contents *contents;
    uint64_t at; // of the summary: what it points to lies before
    bool statistics;
    uint32_t chunks, attachments, metadata, channels;
    mcap_in counts; // of messages
    bool lacking;   // sound, but does not tell what is wanted
} summary;

static bool in_data(const summary *s, uint64_t offset, uint64_t length)
{
    return offset >= MCAP_MAGIC_SIZE && offset < s->at && length >= MCAP_HEAD &&
           length <= s->at - offset;
}

static int by_number(const void *a, const void *b)
{
    const uint16_t x = *(const uint16_t *)a, y = *(const uint16_t *)b;
    return x < y ? -1 : x > y;
}

static tac_status read_chunk_channels(summary *s, mcap_in *in, tac__mcap_chunk_info *info,
                                      tac_error *err)
{
    enum { ENTRY = 2 + 8 };
    mcap_in map = mcap_take_part(in, mcap_take_u32(in));
    if (map.failed || map.left % ENTRY)
        return malformed(err);
    info->channel_count = map.left / ENTRY;
    uint16_t *channels =
        tac__arena_array(&s->contents->arena, info->channel_count, sizeof *channels);
    if (!channels)
        return tac__fail_memory(err);
    for (size_t i = 0; i < info->channel_count; i++) {
        channels[i] = mcap_take_u16(&map);
        mcap_take_u64(&map); // where its messages are listed: every chunk is read as a whole
    }
    qsort(channels, info->channel_count, sizeof *channels, by_number);
    for (size_t i = 1; i < info->channel_count; i++)
        if (channels[i] == channels[i - 1])
            return malformed(err);
    info->channels = channels;
    return TAC_OK;
}

static tac_status read_chunk_index(summary *s, mcap_in in, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    tac__mcap_chunk_info info = {.first_ns = mcap_take_u64(&in), .last_ns = mcap_take_u64(&in)};
    info.offset = mcap_take_u64(&in);
    info.length = mcap_take_u64(&in);
    TAC_TRY(read_chunk_channels(s, &in, &info, err));
    mcap_take_u64(&in); // length of the message indexes
    TAC_TRY(tac__mcap_compression_of(&in, &info.compression, err));
    info.compressed = mcap_take_u64(&in);
    info.size = mcap_take_u64(&in);
    if (in.failed || !in_data(s, info.offset, info.length) || info.compressed > info.length)
        return malformed(err);
    if (!TAC__ARENA_GROW(&c->arena, c->chunks, c->chunk_count, c->chunk_capacity))
        return tac__fail_memory(err);
    c->chunks[c->chunk_count++] = info;
    return TAC_OK;
}

static tac_status read_attachment_index(summary *s, mcap_in in, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    tac__mcap_attachment_info info = {.offset = mcap_take_u64(&in), .length = mcap_take_u64(&in)};
    info.time_ns = mcap_take_u64(&in);
    mcap_take_u64(&in);
    info.size = mcap_take_u64(&in);
    info.name = tac__mcap_text(c, &in);
    info.media_type = tac__mcap_text(c, &in);
    if (in.failed || !in_data(s, info.offset, info.length) || info.size > info.length)
        return malformed(err);
    if (!info.name || !info.media_type ||
        !TAC__ARENA_GROW(&c->arena, c->attachments, c->attachment_count, c->attachment_capacity))
        return tac__fail_memory(err);
    c->attachments[c->attachment_count++] = info;
    return TAC_OK;
}

static tac_status read_metadata_index(summary *s, mcap_in in, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    const tac__mcap_span span = {.offset = mcap_take_u64(&in), .length = mcap_take_u64(&in)};
    if (in.failed || !in_data(s, span.offset, span.length))
        return malformed(err);
    if (!TAC__ARENA_GROW(&c->arena, c->metadata_at, c->metadata_at_count, c->metadata_at_capacity))
        return tac__fail_memory(err);
    c->metadata_at[c->metadata_at_count++] = span;
    return TAC_OK;
}

static tac_status read_statistics(summary *s, mcap_in in, tac_error *err)
{
    s->contents->info.messages = mcap_take_u64(&in);
    mcap_take_u16(&in); // schemas
    s->channels = mcap_take_u32(&in);
    s->attachments = mcap_take_u32(&in);
    s->metadata = mcap_take_u32(&in);
    s->chunks = mcap_take_u32(&in);
    mcap_take_u64(&in);
    mcap_take_u64(&in);
    s->counts = mcap_take_part(&in, mcap_take_u32(&in));
    s->statistics = true;
    return in.failed ? malformed(err) : TAC_OK;
}

static tac_status read_record(summary *s, uint8_t opcode, mcap_in in, tac_error *err)
{
    switch (opcode) {
    case 0:
        return malformed(err);
    case MCAP_SCHEMA:
        return tac__mcap_add_schema(s->contents, in, err);
    case MCAP_CHANNEL:
        return tac__mcap_add_channel(s->contents, in, err);
    case MCAP_CHUNK_INDEX:
        return read_chunk_index(s, in, err);
    case MCAP_ATTACHMENT_INDEX:
        return read_attachment_index(s, in, err);
    case MCAP_METADATA_INDEX:
        return read_metadata_index(s, in, err);
    case MCAP_STATISTICS:
        return read_statistics(s, in, err);
    default:
        return TAC_OK;
    }
}

// --- what must hold of it ------------------------------------------------------------------------

// Chunks, attachments and places of metadata begin alike: by their place in the file.
#define BY_OFFSET(name, type)                                                                      \
    static int name(const void *a, const void *b)                                                  \
    {                                                                                              \
        const uint64_t x = ((const type *)a)->offset, y = ((const type *)b)->offset;               \
        return x < y ? -1 : x > y;                                                                 \
    }
BY_OFFSET(chunk_order, tac__mcap_chunk_info)
BY_OFFSET(attachment_order, tac__mcap_attachment_info)
BY_OFFSET(span_order, tac__mcap_span)

#define ORDER(array, count, order)                                                                 \
    do {                                                                                           \
        if (count)                                                                                 \
            qsort(array, count, sizeof *(array), order);                                           \
        for (size_t i_ = 1; i_ < (count); i_++)                                                    \
            if ((array)[i_].offset - (array)[i_ - 1].offset < (array)[i_ - 1].length)              \
                return malformed(err);                                                             \
    } while (0)

static tac_status order(tac__mcap_contents *c, tac_error *err)
{
    ORDER(c->chunks, c->chunk_count, chunk_order);
    ORDER(c->attachments, c->attachment_count, attachment_order);
    ORDER(c->metadata_at, c->metadata_at_count, span_order);
    return TAC_OK;
}

static tac_status take_counts(summary *s, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    uint64_t sum = 0;
    while (s->counts.left) {
        tac__mcap_channel_info *channel = tac__mcap_find_channel(c, mcap_take_u16(&s->counts));
        const uint64_t messages = mcap_take_u64(&s->counts);
        if (s->counts.failed || !channel || messages > UINT64_MAX - sum)
            return malformed(err);
        channel->messages = messages;
        sum += messages;
    }
    s->lacking |= sum != c->info.messages;
    return TAC_OK;
}

// A file may be whole without telling all that is asked for.
static void find_lacking(summary *s)
{
    const tac__mcap_contents *c = s->contents;
    s->lacking |= !s->statistics || s->chunks != c->chunk_count ||
                  s->attachments != c->attachment_count || s->metadata != c->metadata_at_count ||
                  s->channels != c->channel_count || (c->info.messages && !c->chunk_count);
    for (size_t i = 0; i < c->chunk_count && !s->lacking; i++) {
        const tac__mcap_chunk_info *info = &c->chunks[i];
        s->lacking |= !info->channel_count && c->info.messages;
        for (size_t k = 0; k < info->channel_count; k++)
            s->lacking |= !tac__mcap_find_channel(c, info->channels[k]);
    }
}

static tac_status read_metadata(tac__mcap_reader *r, tac_error *err)
{
    tac__mcap_contents *c = &r->contents;
    const tac_allocator *a = r->source.allocator;
    for (size_t i = 0; i < c->metadata_at_count; i++) {
        const tac__mcap_span span = c->metadata_at[i];
        unsigned char *content;
        TAC_TRY(
            tac__mcap_content(&r->source, span.offset, span.length, MCAP_METADATA, &content, err));
        const size_t size = (size_t)span.length - MCAP_HEAD;
        const tac_status status =
            tac__mcap_add_metadata(c, (mcap_in){.at = content, .left = size}, err);
        a->resize(a->context, content, size + 1, 0);
        TAC_TRY(status);
    }
    return TAC_OK;
}

static tac_status parse_summary(tac__mcap_reader *r, const footer *f, mcap_in in, bool *enough,
                                tac_error *err)
{
    summary s = {.contents = &r->contents, .at = f->summary_at};
    while (in.left) {
        const uint8_t opcode = mcap_take_u8(&in);
        const mcap_in content = mcap_take_part(&in, mcap_take_u64(&in));
        if (in.failed)
            return malformed(err);
        TAC_TRY(read_record(&s, opcode, content, err));
    }
    TAC_TRY(order(&r->contents, err));
    find_lacking(&s);
    if (!s.lacking)
        TAC_TRY(take_counts(&s, err));
    if (!s.lacking && !r->lenient)
        TAC_TRY(read_metadata(r, err));
    if (!s.lacking)
        TAC_TRY(tac__mcap_contents_end(&r->contents, err));
    *enough = !s.lacking;
    return TAC_OK;
}

static tac_status read_summary(tac__mcap_reader *r, const footer *f, bool *enough, tac_error *err)
{
    *enough = false;
    const uint64_t length = f->at - f->summary_at;
    if (length > MCAP_PIECE_MAX)
        return tac__fail(err, TAC_E_LIMIT, "its summary is larger than 1 GiB");
    // The CRC covers the footer up to itself.
    const size_t size = (size_t)length + MCAP_HEAD + 8 + 8;
    const tac_allocator *a = r->source.allocator;
    unsigned char *bytes = a->resize(a->context, NULL, 0, size);
    if (!bytes)
        return tac__fail_memory(err);
    tac_status status = tac__mcap_read(&r->source, f->summary_at, size, bytes, err);
    if (status == TAC_OK && f->crc && f->crc != tac__crc32(0, bytes, size))
        status = tac__fail(err, TAC_E_FORMAT, "damaged: the CRC of its summary does not agree");
    if (status == TAC_OK)
        status = parse_summary(r, f, (mcap_in){.at = bytes, .left = (size_t)length}, enough, err);
    a->resize(a->context, bytes, size, 0);
    return status;
}

// --- beginning and end of the file ---------------------------------------------------------------

static tac_status read_footer(tac__mcap_reader *r, footer *f, tac_error *err)
{
    enum { SIZE = MCAP_FOOTER_RECORD + MCAP_MAGIC_SIZE };
    *f = (footer){0};
    if (r->source.size < r->contents.data_start + SIZE)
        return TAC_OK;
    unsigned char bytes[SIZE];
    f->at = r->source.size - SIZE;
    TAC_TRY(tac__mcap_read(&r->source, f->at, SIZE, bytes, err));
    mcap_in in = {.at = bytes, .left = SIZE};
    const uint8_t opcode = mcap_take_u8(&in);
    const uint64_t length = mcap_take_u64(&in);
    f->summary_at = mcap_take_u64(&in);
    mcap_take_u64(&in);
    f->crc = mcap_take_u32(&in);
    f->there =
        opcode == MCAP_FOOTER && length == MCAP_FOOTER_FIXED &&
        !memcmp(in.at, MCAP_MAGIC, MCAP_MAGIC_SIZE) &&
        (f->summary_at == 0 || (f->summary_at >= r->contents.data_start && f->summary_at <= f->at));
    return TAC_OK;
}

static tac_status read_header(tac__mcap_reader *r, tac_error *err)
{
    char magic[MCAP_MAGIC_SIZE] = "";
    const uint64_t size = r->source.size < sizeof magic ? r->source.size : sizeof magic;
    TAC_TRY(tac__mcap_read(&r->source, 0, size, magic, err));
    if (memcmp(magic, MCAP_MAGIC, MCAP_MAGIC_VERSION))
        return tac__fail(err, TAC_E_FORMAT, "not an MCAP file");
    if (memcmp(magic, MCAP_MAGIC, sizeof magic))
        return tac__fail(err, TAC_E_FORMAT, "not an MCAP file of version 0");
    uint8_t opcode;
    uint64_t length;
    TAC_TRY(tac__mcap_head(&r->source, MCAP_MAGIC_SIZE, &opcode, &length, err));
    if (opcode != MCAP_HEADER || length > TAC__MCAP_WINDOW)
        return tac__fail(err, TAC_E_FORMAT, "damaged: it does not begin with a header");
    const unsigned char *bytes;
    TAC_TRY(tac__mcap_peek(&r->source, MCAP_MAGIC_SIZE + MCAP_HEAD, (size_t)length, &bytes, err));
    r->contents.data_start = MCAP_MAGIC_SIZE + MCAP_HEAD + length;
    return tac__mcap_add_header(&r->contents, (mcap_in){.at = bytes, .left = (size_t)length}, err);
}

// --- opening -------------------------------------------------------------------------------------

static tac_status read_all(tac__mcap_reader *r, tac_error *err)
{
    footer f;
    bool enough = false, damaged = false, ended;
    TAC_TRY(read_header(r, err));
    TAC_TRY(read_footer(r, &f, err));
    if (f.there && f.summary_at) {
        const tac_status status = read_summary(r, &f, &enough, err);
        if (status != TAC_OK && status != TAC_E_FORMAT)
            return status;
        damaged = status != TAC_OK;
    }
    if (enough) {
        r->contents.info.whole = true;
    } else {
        tac__mcap_contents_fini(&r->contents);
        tac__mcap_contents_init(&r->contents, r->source.allocator);
        TAC_TRY(read_header(r, err));
        TAC_TRY(tac__mcap_scan(r, &r->contents, &ended, err));
        TAC_TRY(tac__mcap_contents_end(&r->contents, err));
        r->contents.info.whole = f.there && ended && !damaged;
    }
    r->contents.info.file_size = r->source.size;
    if (r->contents.info.whole)
        r->contents.info.sound_size = r->source.size;
    return TAC_OK;
}

tac_status tac__mcap_read_leniently(tac__mcap_reader *r, tac_error *err)
{
    footer f;
    r->lenient = true;
    r->contents.data_start = MCAP_MAGIC_SIZE;
    const tac_status header = read_header(r, err);
    if (header != TAC_OK && header != TAC_E_FORMAT)
        return header;
    TAC_TRY(read_footer(r, &f, err));
    if (f.there && f.summary_at) {
        tac_error ignored;
        const tac_status status = read_summary(r, &f, &r->by_summary, &ignored);
        if (status != TAC_OK && status != TAC_E_FORMAT && status != TAC_E_NAME) {
            if (err)
                *err = ignored;
            return status;
        }
    }
    if (r->by_summary) {
        tac_error_clear(err);
        return TAC_OK;
    }
    const uint64_t start = r->contents.data_start;
    tac__mcap_contents_fini(&r->contents);
    tac__mcap_contents_init(&r->contents, r->source.allocator);
    r->contents.data_start = start;
    return header == TAC_OK ? read_header(r, err) : header;
}

static tac_status open_file(tac__mcap_reader *r, tac_error *err)
{
    struct stat about;
    r->source.fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a pipe would wait
    if (r->source.fd < 0 || fstat(r->source.fd, &about) != 0)
        return tac__fail(err, TAC_E_FILE, "%s", tac__errno_text(errno));
    if (!S_ISREG(about.st_mode))
        return tac__fail(err, TAC_E_FILE, "not a regular file");
    r->source.size = (uint64_t)about.st_size;
    return TAC_OK;
}

static tac_status make(const char *path, const tac_allocator *allocator, tac__mcap_reader **reader,
                       tac_error *err)
{
    *reader = NULL;
    allocator = allocator ? allocator : tac_allocator_default();
    tac__mcap_reader *r = allocator->resize(allocator->context, NULL, 0, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    *r = (tac__mcap_reader){.source = {.allocator = allocator, .fd = -1},
                            .path_size = strlen(path) + 1};
    tac__mcap_contents_init(&r->contents, allocator);
    *reader = r;
    r->path = allocator->resize(allocator->context, NULL, 0, r->path_size);
    if (!r->path)
        return tac__fail_memory(err);
    memcpy(r->path, path, r->path_size);
    return TAC_OK;
}

static tac_status finish(tac__mcap_reader **reader, tac_status status, bool lenient, tac_error *err)
{
    if (status == TAC_OK)
        status = lenient ? tac__mcap_read_leniently(*reader, err) : read_all(*reader, err);
    if (status == TAC_OK)
        return TAC_OK;
    if (*reader)
        tac__mcap_named(*reader, status, err);
    tac__mcap_close(*reader);
    *reader = NULL;
    return status;
}

tac_status tac__mcap_open(const char *path, const tac_allocator *allocator,
                          tac__mcap_reader **reader, tac_error *err)
{
    tac_status status = make(path, allocator, reader, err);
    if (status == TAC_OK)
        status = open_file(*reader, err);
    return finish(reader, status, false, err);
}

tac_status tac__mcap_open_damaged(const char *path, const tac_allocator *allocator,
                                  tac__mcap_reader **reader, tac_error *err)
{
    tac_status status = make(path, allocator, reader, err);
    if (status == TAC_OK)
        status = open_file(*reader, err);
    return finish(reader, status, true, err);
}

tac_status tac__mcap_open_memory(const void *bytes, size_t size, const tac_allocator *allocator,
                                 tac__mcap_reader **reader, tac_error *err)
{
    const tac_status status = make("memory", allocator, reader, err);
    if (status == TAC_OK) {
        (*reader)->source.memory = bytes;
        (*reader)->source.size = size;
    }
    return finish(reader, status, false, err);
}

void tac__mcap_close(tac__mcap_reader *r)
{
    if (!r)
        return;
    const tac_allocator *a = r->source.allocator;
    if (r->source.fd >= 0)
        close(r->source.fd);
    if (r->source.window)
        a->resize(a->context, r->source.window, TAC__MCAP_WINDOW, 0);
    tac__mcap_contents_fini(&r->contents);
    tac__unpacker_fini(&r->unpacker);
    if (r->path)
        a->resize(a->context, r->path, r->path_size, 0);
    a->resize(a->context, r, sizeof *r, 0);
}

const tac__mcap_info *tac__mcap_about(const tac__mcap_reader *r)
{
    return &r->contents.info;
}

tac_status tac__mcap_named(const tac__mcap_reader *r, tac_status status, tac_error *err)
{
    enum { PATH_SHOWN = 512 };
    if (status == TAC_OK || status == TAC_E_MEMORY || status == TAC_E_CALLER || !err)
        return status;
    char text[sizeof err->text];
    memcpy(text, err->text, sizeof text);
    return tac__fail(err, status, "cannot read '%.*s': %s", PATH_SHOWN, r->path, text);
}
