// summary.c - the bytes of records outside chunks, the groups of the summary and the footer.
#include "record/mcap/summary.h"
#include "record/mcap/crc32.h"

// --- records -------------------------------------------------------------------------------------

static void put(tac__text *out, const void *bytes, size_t size)
{
    if (size)
        tac__text_bytes(out, bytes, size);
}

static void put_u8(tac__text *out, uint8_t value)
{
    put(out, &value, sizeof value);
}

static void put_u16(tac__text *out, uint16_t value)
{
    put(out, &value, sizeof value);
}

static void put_u32(tac__text *out, uint32_t value)
{
    put(out, &value, sizeof value);
}

static void put_u64(tac__text *out, uint64_t value)
{
    put(out, &value, sizeof value);
}

// A text or bytes behind their length. What does not fit its 32 bits is refused as no memory is.
static void put_sized(tac__text *out, const void *bytes, size_t size)
{
    if (size > UINT32_MAX) {
        out->failed = true;
        return;
    }
    put_u32(out, (uint32_t)size);
    put(out, bytes, size);
}

static void put_string(tac__text *out, const char *text)
{
    put_sized(out, text, strlen(text));
}

// The length of a record is put in at its end.
static size_t begin(tac__text *out, uint8_t opcode)
{
    put_u8(out, opcode);
    put_u64(out, 0);
    return out->length;
}

static void end(tac__text *out, size_t start)
{
    const uint64_t length = out->length - start;
    if (!out->failed)
        memcpy(out->chars + start - sizeof length, &length, sizeof length);
}

static void put_pairs(tac__text *out, const tac__mcap_pair *pairs, size_t count)
{
    const size_t start = out->length;
    put_u32(out, 0);
    for (size_t i = 0; i < count; i++) {
        put_string(out, pairs[i].key);
        put_string(out, pairs[i].value);
    }
    const size_t size = out->length - start - 4;
    if (size > UINT32_MAX)
        out->failed = true;
    const uint32_t length = (uint32_t)size;
    if (!out->failed)
        memcpy(out->chars + start, &length, sizeof length);
}

void tac__mcap_put_header(tac__text *out, const char *profile, const char *library)
{
    put(out, MCAP_MAGIC, MCAP_MAGIC_SIZE);
    const size_t start = begin(out, MCAP_HEADER);
    put_string(out, profile);
    put_string(out, library);
    end(out, start);
}

void tac__mcap_put_schema(tac__text *out, const tac__mcap_schema_info *schema)
{
    const size_t start = begin(out, MCAP_SCHEMA);
    put_u16(out, schema->id);
    put_string(out, schema->name);
    put_string(out, schema->encoding);
    put_sized(out, schema->text, schema->size);
    end(out, start);
}

void tac__mcap_put_channel(tac__text *out, const tac__mcap_channel_info *channel)
{
    const size_t start = begin(out, MCAP_CHANNEL);
    put_u16(out, channel->id);
    put_u16(out, channel->schema);
    put_string(out, channel->topic);
    put_string(out, channel->encoding);
    put_pairs(out, channel->metadata, channel->count);
    end(out, start);
}

void tac__mcap_put_metadata(tac__text *out, const char *name, const tac__mcap_pair *pairs,
                            size_t count)
{
    const size_t start = begin(out, MCAP_METADATA);
    put_string(out, name);
    put_pairs(out, pairs, count);
    end(out, start);
}

void tac__mcap_put_attachment_head(tac__text *out, const tac__mcap_attachment_info *attachment)
{
    const size_t start = begin(out, MCAP_ATTACHMENT);
    put_u64(out, attachment->time_ns); // logged
    put_u64(out, 0);                   // created: not known
    put_string(out, attachment->name);
    put_string(out, attachment->media_type);
    put_u64(out, attachment->size);
    const uint64_t length = out->length - start + attachment->size + 4;
    if (!out->failed)
        memcpy(out->chars + start - sizeof length, &length, sizeof length);
}

const char *tac__mcap_compression_field(tac__compression compression)
{
    return compression == TAC__COMPRESS_NONE ? "" : tac__compression_name(compression);
}

// --- the summary ---------------------------------------------------------------------------------

enum { SCHEMAS, CHANNELS, STATISTICS, CHUNKS, ATTACHMENTS, METADATA };

static const uint8_t opcodes[TAC__MCAP_GROUPS] = {[SCHEMAS] = MCAP_SCHEMA,
                                                  [CHANNELS] = MCAP_CHANNEL,
                                                  [STATISTICS] = MCAP_STATISTICS,
                                                  [CHUNKS] = MCAP_CHUNK_INDEX,
                                                  [ATTACHMENTS] = MCAP_ATTACHMENT_INDEX,
                                                  [METADATA] = MCAP_METADATA_INDEX};

void tac__mcap_summary_init(tac__mcap_summary *summary, const tac_allocator *allocator)
{
    *summary = (tac__mcap_summary){0};
    for (int g = 0; g < TAC__MCAP_GROUPS; g++)
        tac__text_init(&summary->group[g], allocator);
    tac__text_init(&summary->counts, allocator);
}

void tac__mcap_summary_fini(tac__mcap_summary *summary)
{
    for (int g = 0; g < TAC__MCAP_GROUPS; g++)
        tac__text_fini(&summary->group[g]);
    tac__text_fini(&summary->counts);
}

void tac__mcap_summary_schema(tac__mcap_summary *summary, const tac__mcap_schema_info *schema)
{
    tac__mcap_put_schema(&summary->group[SCHEMAS], schema);
    summary->schemas++;
}

void tac__mcap_summary_channel(tac__mcap_summary *summary, const tac__mcap_channel_info *channel)
{
    tac__mcap_put_channel(&summary->group[CHANNELS], channel);
    summary->channels++;
}

void tac__mcap_summary_messages(tac__mcap_summary *summary, uint16_t channel, uint64_t messages)
{
    put_u16(&summary->counts, channel);
    put_u64(&summary->counts, messages);
    summary->messages += messages;
}

void tac__mcap_summary_chunk(tac__mcap_summary *summary, const tac__mcap_chunk_info *chunk,
                             const uint64_t *index_at, uint64_t index_length)
{
    tac__text *out = &summary->group[CHUNKS];
    const size_t start = begin(out, MCAP_CHUNK_INDEX);
    put_u64(out, chunk->first_ns);
    put_u64(out, chunk->last_ns);
    put_u64(out, chunk->offset);
    put_u64(out, chunk->length);
    put_u32(out, (uint32_t)chunk->channel_count * 10);
    for (size_t i = 0; i < chunk->channel_count; i++) {
        put_u16(out, chunk->channels[i]);
        put_u64(out, index_at[i]);
    }
    put_u64(out, index_length);
    put_string(out, tac__mcap_compression_field(chunk->compression));
    put_u64(out, chunk->compressed);
    put_u64(out, chunk->size);
    end(out, start);
    // A chunk without messages has no times.
    if (chunk->channel_count) {
        if (!summary->timed || chunk->first_ns < summary->first_ns)
            summary->first_ns = chunk->first_ns;
        summary->timed = true;
        if (chunk->last_ns > summary->last_ns)
            summary->last_ns = chunk->last_ns;
    }
    summary->chunks++;
}

void tac__mcap_summary_attachment(tac__mcap_summary *summary,
                                  const tac__mcap_attachment_info *attachment)
{
    tac__text *out = &summary->group[ATTACHMENTS];
    const size_t start = begin(out, MCAP_ATTACHMENT_INDEX);
    put_u64(out, attachment->offset);
    put_u64(out, attachment->length);
    put_u64(out, attachment->time_ns);
    put_u64(out, 0);
    put_u64(out, attachment->size);
    put_string(out, attachment->name);
    put_string(out, attachment->media_type);
    end(out, start);
    summary->attachments++;
}

void tac__mcap_summary_metadata(tac__mcap_summary *summary, const char *name, uint64_t offset,
                                uint64_t length)
{
    tac__text *out = &summary->group[METADATA];
    const size_t start = begin(out, MCAP_METADATA_INDEX);
    put_u64(out, offset);
    put_u64(out, length);
    put_string(out, name);
    end(out, start);
    summary->metadata++;
}

static void put_statistics(tac__mcap_summary *summary)
{
    tac__text *out = &summary->group[STATISTICS];
    const size_t start = begin(out, MCAP_STATISTICS);
    put_u64(out, summary->messages);
    put_u16(out, (uint16_t)summary->schemas);
    put_u32(out, summary->channels);
    put_u32(out, summary->attachments);
    put_u32(out, summary->metadata);
    put_u32(out, summary->chunks);
    put_u64(out, summary->first_ns);
    put_u64(out, summary->last_ns);
    put_sized(out, summary->counts.chars, summary->counts.length);
    end(out, start);
    out->failed |= summary->counts.failed;
}

void tac__mcap_summary_end(tac__mcap_summary *summary, uint64_t at, uint32_t crc, tac__text *out)
{
    put_statistics(summary);
    size_t start = begin(out, MCAP_DATA_END);
    put_u32(out, crc);
    end(out, start);
    const size_t summary_start = out->length;
    uint64_t where[TAC__MCAP_GROUPS];
    for (int g = 0; g < TAC__MCAP_GROUPS; g++) {
        where[g] = at + out->length;
        put(out, summary->group[g].chars, summary->group[g].length);
        out->failed |= summary->group[g].failed;
    }
    const uint64_t offsets = at + out->length;
    for (int g = 0; g < TAC__MCAP_GROUPS; g++) {
        if (summary->group[g].length == 0)
            continue;
        start = begin(out, MCAP_SUMMARY_OFFSET);
        put_u8(out, opcodes[g]);
        put_u64(out, where[g]);
        put_u64(out, summary->group[g].length);
        end(out, start);
    }
    put_u8(out, MCAP_FOOTER);
    put_u64(out, MCAP_FOOTER_FIXED);
    put_u64(out, at + summary_start);
    put_u64(out, offsets);
    if (!out->failed)
        put_u32(out, tac__crc32(0, out->chars + summary_start, out->length - summary_start));
    put(out, MCAP_MAGIC, MCAP_MAGIC_SIZE);
}
