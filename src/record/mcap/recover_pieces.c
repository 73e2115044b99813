// recover_pieces.c - a copy of a file that is damaged somewhere in the middle: each record that is
// sound goes over by itself.
//
// Where the summary is sound it says what there is and where: schemas and channels are taken from
// it, as their records in the data have no check sum of their own. Without a summary the records
// are walked; one whose content is not sound is left out, one whose length is not sound ends the
// walk. Message indexes are made anew.
#include "base/error.h"
#include "base/file.h"
#include "base/print.h"
#include "record/mcap/crc32.h"
#include "record/mcap/reader.h"
#include "record/mcap/summary.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

tac_status tac__mcap_put(tac__mcap_target *t, const void *bytes, size_t size, tac_error *err)
{
    if (!tac__write_all(t->fd, bytes, size))
        return tac__fail(err, TAC_E_FILE, "cannot write '%s': %s", t->path, tac__errno_text(errno));
    t->crc = tac__crc32(t->crc, bytes, size);
    t->at += size;
    return TAC_OK;
}

// --- pieces --------------------------------------------------------------------------------------

typedef struct piece {
    uint8_t opcode;
    uint64_t offset, length;
    const tac__mcap_chunk_info *chunk; // as the summary knows it; NULL: nobody does
    const char *name;                  // of an attachment, as the summary knows it
} piece;

typedef struct pieces {
    tac__mcap_reader *from;
    tac__mcap_target *to;
    tac__text *lost;
    piece *items;
    size_t count;
    TAC__CAPACITY(piece) capacity;
    tac__mcap_summary summary;
    tac__mcap_chunk chunk;
    tac__text record;
    uint64_t messages[65536];  // by channel
    uint64_t seen[65536 / 64]; // channels of the chunk at hand
} pieces;

static tac_status add_piece(pieces *p, piece item)
{
    if (!TAC__ARENA_GROW(&p->from->contents.arena, p->items, p->count, p->capacity))
        return TAC_E_MEMORY;
    p->items[p->count++] = item;
    return TAC_OK;
}

static int by_offset(const void *a, const void *b)
{
    const uint64_t x = ((const piece *)a)->offset, y = ((const piece *)b)->offset;
    return x < y ? -1 : x > y;
}

static tac_status list_by_summary(pieces *p)
{
    const tac__mcap_contents *c = &p->from->contents;
    for (size_t i = 0; i < c->chunk_count; i++)
        TAC_TRY(add_piece(
            p, (piece){MCAP_CHUNK, c->chunks[i].offset, c->chunks[i].length, &c->chunks[i], NULL}));
    for (size_t i = 0; i < c->attachment_count; i++)
        TAC_TRY(add_piece(p, (piece){MCAP_ATTACHMENT, c->attachments[i].offset,
                                     c->attachments[i].length, NULL, c->attachments[i].name}));
    for (size_t i = 0; i < c->metadata_at_count; i++)
        TAC_TRY(add_piece(p, (piece){MCAP_METADATA, c->metadata_at[i].offset,
                                     c->metadata_at[i].length, NULL, NULL}));
    if (p->count)
        qsort(p->items, p->count, sizeof *p->items, by_offset);
    return TAC_OK;
}

static void tell(const pieces *p, const char *format, ...) TAC_PRINTF(2, 3);
static void tell(const pieces *p, const char *format, ...)
{
    if (!p->lost)
        return;
    char text[400];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    tac__text_add(p->lost, "%s\n", text);
}

// Memory and files are not the file's fault; all else is damage.
static bool is_damage(tac_status status)
{
    return status != TAC_OK && status != TAC_E_MEMORY && status != TAC_E_FILE;
}

static tac_status walk_declaration(pieces *p, uint8_t opcode, uint64_t at, uint64_t length,
                                   tac_error *err)
{
    tac__mcap_reader *r = p->from;
    unsigned char *content;
    TAC_TRY(tac__mcap_content(&r->source, at, length, opcode, &content, err));
    const mcap_in in = {.at = content, .left = (size_t)length - MCAP_HEAD};
    const tac_status status = opcode == MCAP_SCHEMA ? tac__mcap_add_schema(&r->contents, in, err)
                                                    : tac__mcap_add_channel(&r->contents, in, err);
    const tac_allocator *a = r->source.allocator;
    a->resize(a->context, content, (size_t)length - MCAP_HEAD + 1, 0);
    if (!is_damage(status))
        return status;
    tell(p, "a %s at byte %" PRIu64 ": damaged", opcode == MCAP_SCHEMA ? "schema" : "channel", at);
    return TAC_OK;
}

static tac_status list_by_walk(pieces *p, tac_error *err)
{
    tac__mcap_source *source = &p->from->source;
    uint64_t at = p->from->contents.data_start;
    for (;;) {
        uint8_t opcode;
        uint64_t length;
        tac_error ignored;
        const tac_status status = tac__mcap_head(source, at, &opcode, &length, &ignored);
        if (status == TAC_OK && (opcode == MCAP_DATA_END || opcode == MCAP_FOOTER))
            return TAC_OK;
        if (is_damage(status) || opcode == 0) {
            tell(p, "all behind byte %" PRIu64 ": %" PRIu64 " bytes", at, source->size - at);
            return TAC_OK;
        }
        TAC_TRY(status);
        length += MCAP_HEAD;
        if (opcode == MCAP_MESSAGE)
            return tac__fail(err, TAC_E_NAME,
                             "it has messages outside of chunks, which are not read here");
        if (opcode == MCAP_SCHEMA || opcode == MCAP_CHANNEL)
            TAC_TRY(walk_declaration(p, opcode, at, length, err));
        else if (opcode == MCAP_CHUNK || opcode == MCAP_ATTACHMENT || opcode == MCAP_METADATA)
            TAC_TRY(add_piece(p, (piece){opcode, at, length, NULL, NULL}));
        at += length;
    }
}

// --- chunks --------------------------------------------------------------------------------------

static bool has_seen(const pieces *p, uint16_t id)
{
    return p->seen[id >> 6] >> (id & 63) & 1;
}

// Times and channels as the messages have them.
static tac_status survey(pieces *p, tac__mcap_chunk_info *info, tac_error *err)
{
    memset(p->seen, 0, sizeof p->seen);
    info->channel_count = 0;
    bool any = false;
    for (p->chunk.at = 0;;) {
        tac__mcap_message_info m;
        bool more;
        TAC_TRY(tac__mcap_next(&p->chunk, &m, &more, err));
        if (!more)
            return TAC_OK;
        if (!tac__mcap_find_channel(&p->from->contents, m.channel))
            return tac__fail(err, TAC_E_FORMAT, "channel %u is not there", m.channel);
        info->first_ns = !any || m.log_ns < info->first_ns ? m.log_ns : info->first_ns;
        info->last_ns = !any || m.log_ns > info->last_ns ? m.log_ns : info->last_ns;
        any = true;
        info->channel_count += !has_seen(p, m.channel);
        p->seen[m.channel >> 6] |= UINT64_C(1) << (m.channel & 63);
    }
}

static tac_status load_piece(pieces *p, const piece *item, tac__mcap_chunk_info *info,
                             tac_error *err)
{
    if (item->chunk) {
        *info = *item->chunk;
        TAC_TRY(tac__mcap_read_known(p->from, info, &p->chunk, err));
    } else {
        TAC_TRY(tac__mcap_read_chunk(p->from, &p->from->unpacker, item->offset, item->length, NULL,
                                     &p->chunk, info, err));
    }
    return survey(p, info, err);
}

static tac_status put_index(pieces *p, uint16_t channel, tac_error *err)
{
    p->record.length = 0;
    for (p->chunk.at = 0;;) {
        tac__mcap_message_info m;
        bool more;
        TAC_TRY(tac__mcap_next(&p->chunk, &m, &more, err));
        if (!more)
            break;
        if (m.channel != channel)
            continue;
        unsigned char entry[MCAP_INDEX_ENTRY];
        mcap_put_u64(mcap_put_u64(entry, m.log_ns),
                     (uint64_t)(m.bytes - p->chunk.bytes) - MCAP_MESSAGE_HEAD);
        tac__text_bytes(&p->record, (const char *)entry, sizeof entry);
    }
    if (p->record.failed)
        return tac__fail_memory(err);
    p->messages[channel] += p->record.length / MCAP_INDEX_ENTRY;
    unsigned char head[MCAP_HEAD + 2 + 4];
    unsigned char *at = mcap_put_head(head, MCAP_MESSAGE_INDEX, 2 + 4 + p->record.length);
    mcap_put_u32(mcap_put_u16(at, channel), (uint32_t)p->record.length);
    TAC_TRY(tac__mcap_put(p->to, head, sizeof head, err));
    return tac__mcap_put(p->to, p->record.chars, p->record.length, err);
}

static tac_status put_chunk(pieces *p, tac__mcap_chunk_info *info, tac_error *err)
{
    const char *name = tac__mcap_compression_field(info->compression);
    const size_t name_size = strlen(name), fixed = MCAP_CHUNK_FIXED + name_size;
    unsigned char head[MCAP_HEAD + MCAP_CHUNK_FIXED + 8];
    info->offset = p->to->at;
    info->length = MCAP_HEAD + fixed + info->compressed;
    unsigned char *at = mcap_put_head(head, MCAP_CHUNK, info->length - MCAP_HEAD);
    at = mcap_put_u64(at, info->first_ns);
    at = mcap_put_u64(at, info->last_ns);
    at = mcap_put_u64(at, info->size);
    at = mcap_put_u32(at, tac__crc32(0, p->chunk.bytes, p->chunk.size));
    at = mcap_put_u32(at, (uint32_t)name_size);
    at = mcap_put(at, name, name_size);
    at = mcap_put_u64(at, info->compressed);
    TAC_TRY(tac__mcap_put(p->to, head, (size_t)(at - head), err));
    TAC_TRY(tac__mcap_put(p->to, p->chunk.packed + fixed, (size_t)info->compressed, err));
    tac__arena *arena = &p->from->contents.arena;
    uint16_t *channels = tac__arena_array(arena, info->channel_count, sizeof *channels);
    uint64_t *index_at = tac__arena_array(arena, info->channel_count, sizeof *index_at);
    if (!channels || !index_at)
        return tac__fail_memory(err);
    const uint64_t indexes = p->to->at;
    size_t n = 0;
    for (uint32_t id = 0; n < info->channel_count; id++) {
        if (!has_seen(p, (uint16_t)id))
            continue;
        channels[n] = (uint16_t)id;
        index_at[n++] = p->to->at;
        TAC_TRY(put_index(p, (uint16_t)id, err));
    }
    info->channels = channels;
    tac__mcap_summary_chunk(&p->summary, info, index_at, p->to->at - indexes);
    return TAC_OK;
}

static void tell_chunk(const pieces *p, const piece *item)
{
    const tac__mcap_chunk_info *known = item->chunk;
    if (!known) {
        tell(p, "a chunk at byte %" PRIu64 ": damaged", item->offset);
        return;
    }
    for (size_t i = 0; i < known->channel_count; i++) {
        const tac__mcap_channel_info *channel =
            tac__mcap_find_channel(&p->from->contents, known->channels[i]);
        tell(p, "channel '%.200s' from %.6f s to %.6f s: damaged", channel ? channel->topic : "?",
             (double)known->first_ns / 1e9, (double)known->last_ns / 1e9);
    }
}

static tac_status copy_chunk(pieces *p, const piece *item, tac_error *err)
{
    tac__mcap_chunk_info info;
    tac_error why;
    tac_error_clear(&why);
    const tac_status status = load_piece(p, item, &info, &why);
    if (is_damage(status)) {
        tell_chunk(p, item);
        return TAC_OK;
    }
    if (status == TAC_OK)
        return put_chunk(p, &info, err);
    if (err)
        *err = why;
    return status;
}

// --- attachments and metadata --------------------------------------------------------------------

// An attachment is sound where its CRC says so.
static bool parse_attachment(mcap_in in, tac__mcap_contents *c, tac__mcap_attachment_info *info)
{
    const unsigned char *start = in.at;
    info->time_ns = mcap_take_u64(&in);
    mcap_take_u64(&in);
    info->name = tac__mcap_text(c, &in);
    info->media_type = tac__mcap_text(c, &in);
    info->size = mcap_take_u64(&in);
    mcap_take(&in, info->size);
    const size_t checked = in.failed ? 0 : (size_t)(in.at - start);
    const uint32_t crc = mcap_take_u32(&in);
    return !in.failed && (crc == 0 || crc == tac__crc32(0, start, checked));
}

static bool parse(pieces *p, const piece *item, mcap_in in)
{
    tac__mcap_contents *c = &p->from->contents;
    if (item->opcode == MCAP_ATTACHMENT) {
        tac__mcap_attachment_info info = {.offset = p->to->at, .length = item->length};
        if (!parse_attachment(in, c, &info) || !info.name || !info.media_type)
            return false;
        tac__mcap_summary_attachment(&p->summary, &info);
        return true;
    }
    tac_error ignored;
    if (tac__mcap_add_metadata(c, in, &ignored) != TAC_OK)
        return false;
    tac__mcap_summary_metadata(&p->summary, c->metadata[c->metadata_count - 1].name, p->to->at,
                               item->length);
    return true;
}

// The summary is believed where the head of the record is damaged.
static tac_status copy_other(pieces *p, const piece *item, tac_error *err)
{
    tac__mcap_source *source = &p->from->source;
    const tac_allocator *a = source->allocator;
    const size_t size = (size_t)item->length;
    if (item->length > MCAP_PIECE_MAX)
        return tac__fail(err, TAC_E_LIMIT, "the record at %" PRIu64 " is larger than 1 GiB",
                         item->offset);
    unsigned char *bytes = a->resize(a->context, NULL, 0, size);
    if (!bytes)
        return tac__fail_memory(err);
    tac_status status = tac__mcap_read(source, item->offset, size, bytes, err);
    mcap_put_head(bytes, item->opcode, size - MCAP_HEAD);
    const mcap_in content = {.at = bytes + MCAP_HEAD, .left = size - MCAP_HEAD};
    if (status == TAC_OK && parse(p, item, content))
        status = tac__mcap_put(p->to, bytes, size, err);
    else if (status == TAC_OK && item->name)
        tell(p, "attachment '%.200s': damaged", item->name);
    else if (status == TAC_OK)
        tell(p, "%s at byte %" PRIu64 ": damaged",
             item->opcode == MCAP_ATTACHMENT ? "an attachment" : "metadata", item->offset);
    a->resize(a->context, bytes, size, 0);
    return status;
}

// --- all of it -----------------------------------------------------------------------------------

// Magic, header, schemas, channels. A channel whose schema is lost has none.
static tac_status put_front(pieces *p, tac_error *err)
{
    tac__mcap_contents *c = &p->from->contents;
    if (!p->from->by_summary) {
        for (size_t i = 0; i < c->channel_count; i++) {
            bool there = c->channels[i].schema == 0;
            for (size_t k = 0; k < c->schema_count && !there; k++)
                there = c->schemas[k].id == c->channels[i].schema;
            if (!there) {
                tell(p, "the schema of channel '%.200s'", c->channels[i].topic);
                c->channels[i].schema = 0;
            }
        }
        TAC_TRY(tac__mcap_contents_end(c, err));
    }
    p->record.length = 0;
    tac__mcap_put_header(&p->record, c->info.profile ? c->info.profile : "",
                         c->info.library ? c->info.library : "");
    for (size_t i = 0; i < c->info.schema_count; i++) {
        tac__mcap_put_schema(&p->record, &c->info.schemas[i]);
        tac__mcap_summary_schema(&p->summary, &c->info.schemas[i]);
    }
    for (size_t i = 0; i < c->info.channel_count; i++) {
        tac__mcap_put_channel(&p->record, &c->info.channels[i]);
        tac__mcap_summary_channel(&p->summary, &c->info.channels[i]);
    }
    return p->record.failed ? tac__fail_memory(err)
                            : tac__mcap_put(p->to, p->record.chars, p->record.length, err);
}

static tac_status copy_all(pieces *p, tac_error *err)
{
    const tac_status listed = p->from->by_summary ? list_by_summary(p) : list_by_walk(p, err);
    if (listed == TAC_E_MEMORY)
        return tac__fail_memory(err);
    TAC_TRY(listed);
    TAC_TRY(put_front(p, err));
    for (size_t i = 0; i < p->count; i++)
        TAC_TRY(p->items[i].opcode == MCAP_CHUNK ? copy_chunk(p, &p->items[i], err)
                                                 : copy_other(p, &p->items[i], err));
    const tac__mcap_info *info = &p->from->contents.info;
    for (size_t i = 0; i < info->channel_count; i++)
        tac__mcap_summary_messages(&p->summary, info->channels[i].id,
                                   p->messages[info->channels[i].id]);
    tac__text tail;
    tac__text_init(&tail, p->from->source.allocator);
    tac__mcap_summary_end(&p->summary, p->to->at, p->to->crc, &tail);
    const tac_status status =
        tail.failed ? tac__fail_memory(err) : tac__mcap_put(p->to, tail.chars, tail.length, err);
    tac__text_fini(&tail);
    return status;
}

tac_status tac__mcap_copy_pieces(tac__mcap_reader *from, tac__mcap_target *to, tac__text *lost,
                                 tac_error *err)
{
    const tac_allocator *a = from->source.allocator;
    pieces *p = a->resize(a->context, NULL, 0, sizeof *p);
    if (!p)
        return tac__fail_memory(err);
    *p = (pieces){.from = from, .to = to, .lost = lost};
    tac__mcap_summary_init(&p->summary, a);
    tac__text_init(&p->record, a);
    const size_t before = lost ? lost->length : 0;
    tac_status status = copy_all(p, err);
    if (status == TAC_OK && lost && lost->length == before)
        tell(p, "nothing that is known of; its data have another check sum than they should");
    tac__mcap_summary_fini(&p->summary);
    tac__text_fini(&p->record);
    if (p->chunk.allocator)
        tac__mcap_chunk_fini(&p->chunk);
    a->resize(a->context, p, sizeof *p, 0);
    return status;
}
