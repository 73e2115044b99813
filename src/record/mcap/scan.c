// scan.c - what is in a file without a summary: every record is looked at, every chunk
// unpacked. The walk stops at the first record that is not whole or not sound.
#include "record/mcap/crc32.h"
#include "record/mcap/reader.h"

#include <inttypes.h>

typedef struct scan {
    tac__mcap_reader *reader;
    tac__mcap_contents *contents;
    tac__mcap_chunk chunk;
    uint64_t unpacked;
    uint64_t messages;
    uint64_t seen[65536 / 64]; // channels of the chunk at hand, a bit each
    size_t seen_count;
    bool behind_chunk; // message indexes are the last chunk's
    bool ended;
} scan;

// --- chunks --------------------------------------------------------------------------------------

static tac_status count_message(scan *s, uint16_t id, tac_error *err)
{
    tac__mcap_channel_info *channel = tac__mcap_find_channel(s->contents, id);
    if (!channel)
        return tac__fail(err, TAC_E_NAME,
                         "there are messages of channel %u, which is not declared before them", id);
    channel->messages++;
    s->messages++;
    const uint64_t bit = UINT64_C(1) << (id & 63);
    s->seen_count += !(s->seen[id >> 6] & bit);
    s->seen[id >> 6] |= bit;
    return TAC_OK;
}

static tac_status take_records(scan *s, tac_error *err)
{
    memset(s->seen, 0, sizeof s->seen);
    s->seen_count = 0;
    s->chunk.at = 0;
    for (;;) {
        uint8_t opcode;
        mcap_in content;
        bool more;
        TAC_TRY(tac__mcap_next_other(&s->chunk, &opcode, &content, &more, err));
        if (!more)
            return TAC_OK;
        if (opcode == MCAP_SCHEMA)
            TAC_TRY(tac__mcap_add_schema(s->contents, content, err));
        else if (opcode == MCAP_CHANNEL)
            TAC_TRY(tac__mcap_add_channel(s->contents, content, err));
        else if (opcode == MCAP_MESSAGE)
            TAC_TRY(count_message(s, mcap_take_u16(&content), err));
    }
}

static void list_seen(const scan *s, uint16_t *channels)
{
    for (size_t word = 0, n = 0; n < s->seen_count; word++)
        for (uint64_t bits = s->seen[word]; bits; bits &= bits - 1)
            channels[n++] = (uint16_t)(word * 64 + (size_t)__builtin_ctzll(bits));
}

static tac_status scan_chunk(scan *s, uint64_t at, uint64_t length, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    tac__mcap_chunk_info info;
    TAC_TRY(tac__mcap_read_chunk(s->reader, &s->reader->unpacker, at, length, NULL, &s->chunk,
                                 &info, err));
    s->unpacked += info.size;
    if (s->unpacked > MCAP_UNPACKED_MAX(s->reader->source.size))
        return tac__fail(err, TAC_E_LIMIT,
                         "its chunks unpack to more than a thousand times its size");
    TAC_TRY(take_records(s, err));
    info.channel_count = s->seen_count;
    uint16_t *channels = tac__arena_array(&c->arena, info.channel_count, sizeof *channels);
    uint64_t *index_at = tac__arena_array(&c->arena, info.channel_count, sizeof *index_at);
    if (!channels || !index_at ||
        !TAC__ARENA_GROW(&c->arena, c->chunks, c->chunk_count, c->chunk_capacity) ||
        !TAC__ARENA_GROW(&c->arena, c->tails, c->tail_count, c->tail_capacity))
        return tac__fail_memory(err);
    list_seen(s, channels);
    info.channels = channels;
    c->chunks[c->chunk_count++] = info;
    c->tails[c->tail_count++] =
        (tac__mcap_tail){.index_at = index_at, .missing = info.channel_count};
    return TAC_OK;
}

static size_t place_in(const tac__mcap_chunk_info *info, uint16_t channel)
{
    size_t i = 0;
    while (i < info->channel_count && info->channels[i] != channel)
        i++;
    return i;
}

static tac_status scan_index(scan *s, uint64_t at, uint64_t length, tac_error *err)
{
    if (!s->behind_chunk || length < MCAP_HEAD + 2)
        return TAC_OK;
    tac__mcap_contents *c = s->contents;
    const tac__mcap_chunk_info *info = &c->chunks[c->chunk_count - 1];
    tac__mcap_tail *tail = &c->tails[c->tail_count - 1];
    const unsigned char *bytes;
    TAC_TRY(tac__mcap_peek(&s->reader->source, at + MCAP_HEAD, 2, &bytes, err));
    mcap_in in = {.at = bytes, .left = 2};
    const size_t i = place_in(info, mcap_take_u16(&in));
    tail->index_length += length;
    if (i == info->channel_count || tail->index_at[i]) {
        tail->odd = true;
        return TAC_OK;
    }
    tail->index_at[i] = at;
    tail->missing--;
    return TAC_OK;
}

// --- other records -------------------------------------------------------------------------------

typedef tac_status add_fn(tac__mcap_contents *contents, mcap_in in, tac_error *err);

static tac_status scan_content(scan *s, uint64_t at, uint64_t length, uint8_t opcode, add_fn *add,
                               tac_error *err)
{
    tac__mcap_source *source = &s->reader->source;
    unsigned char *content;
    TAC_TRY(tac__mcap_content(source, at, length, opcode, &content, err));
    const size_t size = (size_t)length - MCAP_HEAD;
    const tac_status status = add(s->contents, (mcap_in){.at = content, .left = size}, err);
    source->allocator->resize(source->allocator->context, content, size + 1, 0);
    return status;
}

static tac_status scan_metadata(scan *s, uint64_t at, uint64_t length, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    if (!TAC__ARENA_GROW(&c->arena, c->metadata_at, c->metadata_at_count, c->metadata_at_capacity))
        return tac__fail_memory(err);
    TAC_TRY(scan_content(s, at, length, MCAP_METADATA, tac__mcap_add_metadata, err));
    c->metadata_at[c->metadata_at_count++] = (tac__mcap_span){at, length};
    return TAC_OK;
}

// The names must lie in the first window; the data are only summed.
static tac_status scan_attachment(scan *s, uint64_t at, uint64_t length, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    const uint64_t size = length - MCAP_HEAD;
    const size_t head = size < TAC__MCAP_WINDOW ? (size_t)size : TAC__MCAP_WINDOW;
    const unsigned char *bytes;
    TAC_TRY(tac__mcap_peek(&s->reader->source, at + MCAP_HEAD, head, &bytes, err));
    mcap_in in = {.at = bytes, .left = head};
    tac__mcap_attachment_info info = {.offset = at, .length = length};
    info.time_ns = mcap_take_u64(&in);
    mcap_take_u64(&in);
    info.name = tac__mcap_text(c, &in);
    info.media_type = tac__mcap_text(c, &in);
    info.size = mcap_take_u64(&in);
    const uint64_t names = head - in.left;
    if (in.failed || size - names < 4 || info.size > size - names - 4)
        return tac__fail(err, TAC_E_FORMAT, "damaged: the attachment at %" PRIu64 " is malformed",
                         at);
    if (!info.name || !info.media_type ||
        !TAC__ARENA_GROW(&c->arena, c->attachments, c->attachment_count, c->attachment_capacity))
        return tac__fail_memory(err);
    uint32_t sum, stored;
    const uint64_t end = at + MCAP_HEAD + names + info.size;
    TAC_TRY(tac__mcap_read(&s->reader->source, end, sizeof stored, &stored, err));
    TAC_TRY(tac__mcap_crc(&s->reader->source, at + MCAP_HEAD, names + info.size, &sum, err));
    if (stored && stored != sum)
        return tac__fail(err, TAC_E_FORMAT,
                         "damaged: the CRC of the attachment at %" PRIu64 " does not agree", at);
    c->attachments[c->attachment_count++] = info;
    return TAC_OK;
}

static tac_status scan_data_end(scan *s, uint64_t at, uint64_t length, tac_error *err)
{
    uint32_t stored = 0, sum = 0;
    if (length >= MCAP_HEAD + sizeof stored)
        TAC_TRY(tac__mcap_read(&s->reader->source, at + MCAP_HEAD, sizeof stored, &stored, err));
    if (stored)
        TAC_TRY(tac__mcap_crc(&s->reader->source, 0, at, &sum, err));
    s->ended = stored == sum && length == MCAP_HEAD + sizeof stored;
    return TAC_OK;
}

static tac_status scan_record(scan *s, uint64_t at, uint64_t length, uint8_t opcode, tac_error *err)
{
    switch (opcode) {
    case MCAP_SCHEMA:
        return scan_content(s, at, length, opcode, tac__mcap_add_schema, err);
    case MCAP_CHANNEL:
        return scan_content(s, at, length, opcode, tac__mcap_add_channel, err);
    case MCAP_MESSAGE:
        return tac__fail(err, TAC_E_NAME,
                         "it has messages outside of chunks, which are not read here");
    case MCAP_CHUNK:
        return scan_chunk(s, at, length, err);
    case MCAP_MESSAGE_INDEX:
        return scan_index(s, at, length, err);
    case MCAP_ATTACHMENT:
        return scan_attachment(s, at, length, err);
    case MCAP_METADATA:
        return scan_metadata(s, at, length, err);
    default: // unknown ones are for others
        return opcode ? TAC_OK : tac__fail(err, TAC_E_FORMAT, "damaged: a record of kind 0");
    }
}

// --- the walk ------------------------------------------------------------------------------------

static tac_status walk(scan *s, uint64_t at, tac_error *err)
{
    tac__mcap_contents *c = s->contents;
    for (;;) {
        uint8_t opcode;
        uint64_t length;
        c->data_end = c->info.sound_size = at;
        TAC_TRY(tac__mcap_head(&s->reader->source, at, &opcode, &length, err));
        length += MCAP_HEAD;
        if (opcode == MCAP_FOOTER) { // one elsewhere is some other record, damaged
            s->ended = at + MCAP_FOOTER_RECORD + MCAP_MAGIC_SIZE == s->reader->source.size;
            return TAC_OK;
        }
        if (opcode == MCAP_DATA_END) {
            TAC_TRY(scan_data_end(s, at, length, err));
            c->info.sound_size = at + length;
            return TAC_OK;
        }
        TAC_TRY(scan_record(s, at, length, opcode, err));
        s->behind_chunk = opcode == MCAP_CHUNK || (opcode == MCAP_MESSAGE_INDEX && s->behind_chunk);
        at += length;
    }
}

tac_status tac__mcap_scan(tac__mcap_reader *reader, tac__mcap_contents *contents, bool *ended,
                          tac_error *err)
{
    scan s = {.reader = reader, .contents = contents};
    tac_status status = walk(&s, contents->data_start, err);
    if (s.chunk.allocator)
        tac__mcap_chunk_fini(&s.chunk);
    // What is not sound ends the walk; it is not a failure.
    if (status == TAC_E_FORMAT)
        status = TAC_OK;
    contents->info.messages = s.messages;
    *ended = s.ended;
    return status;
}
