// load.c - chunks and attachments of an open file: read, unpacked, checked.
#include "base/file.h"
#include "record/mcap/crc32.h"
#include "record/mcap/reader.h"
#include "record/mcap/summary.h"

#include <inttypes.h>

// --- memory of a chunk ---------------------------------------------------------------------------

static bool reserve(const tac_allocator *allocator, unsigned char **bytes, size_t *capacity,
                    size_t size)
{
    size = size ? size : 1; // there is a place even for nothing
    if (size <= *capacity)
        return true;
    // What is there is not wanted any more: nothing is copied.
    if (*bytes)
        allocator->resize(allocator->context, *bytes, *capacity, 0);
    *bytes = allocator->resize(allocator->context, NULL, 0, size);
    *capacity = *bytes ? size : 0;
    return *bytes;
}

void tac__mcap_chunk_fini(tac__mcap_chunk *chunk)
{
    const tac_allocator *a = chunk->allocator;
    if (chunk->bytes)
        a->resize(a->context, chunk->bytes, chunk->capacity, 0);
    if (chunk->packed)
        a->resize(a->context, chunk->packed, chunk->packed_capacity, 0);
    *chunk = (tac__mcap_chunk){0};
}

// --- records in a chunk --------------------------------------------------------------------------

// The record at chunk->at; false: there is none, or it does not fit.
static bool take_record(tac__mcap_chunk *chunk, uint8_t *opcode, mcap_in *content)
{
    mcap_in in = {.at = chunk->bytes + chunk->at, .left = chunk->size - chunk->at};
    *opcode = mcap_take_u8(&in);
    *content = mcap_take_part(&in, mcap_take_u64(&in));
    if (in.failed)
        return false;
    chunk->at = chunk->size - in.left;
    return true;
}

static bool take_message(mcap_in in, tac__mcap_message_info *message)
{
    message->channel = mcap_take_u16(&in);
    message->sequence = mcap_take_u32(&in);
    message->log_ns = mcap_take_u64(&in);
    message->publish_ns = mcap_take_u64(&in);
    message->bytes = in.at;
    message->size = in.left;
    return !in.failed;
}

static tac_status malformed(tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT, "damaged: the records in a chunk are malformed");
}

tac_status tac__mcap_next(tac__mcap_chunk *chunk, tac__mcap_message_info *message, bool *more,
                          tac_error *err)
{
    *more = false;
    while (chunk->at < chunk->size) {
        uint8_t opcode;
        mcap_in content;
        if (!take_record(chunk, &opcode, &content))
            return malformed(err);
        if (opcode != MCAP_MESSAGE)
            continue;
        if (!take_message(content, message))
            return malformed(err);
        *more = true;
        return TAC_OK;
    }
    return TAC_OK;
}

tac_status tac__mcap_next_other(tac__mcap_chunk *chunk, uint8_t *opcode, mcap_in *content,
                                bool *more, tac_error *err)
{
    *more = chunk->at < chunk->size;
    return !*more || take_record(chunk, opcode, content) ? TAC_OK : malformed(err);
}

static bool has(const tac__mcap_chunk_info *info, uint16_t channel)
{
    size_t low = 0, high = info->channel_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (info->channels[middle] < channel)
            low = middle + 1;
        else
            high = middle;
    }
    return low < info->channel_count && info->channels[low] == channel;
}

// Everything in it can be read, and is what is said of it. Afterwards `at` is at the start.
static tac_status check_records(tac__mcap_chunk *chunk, const tac__mcap_chunk_info *info,
                                tac_error *err)
{
    int known = -1; // the channel that was found last
    for (chunk->at = 0; chunk->at < chunk->size;) {
        uint8_t opcode;
        mcap_in content;
        tac__mcap_message_info message;
        if (!take_record(chunk, &opcode, &content) || opcode == 0 || opcode == MCAP_CHUNK)
            return malformed(err);
        if (opcode != MCAP_MESSAGE)
            continue;
        if (!take_message(content, &message))
            return malformed(err);
        if (message.log_ns < info->first_ns || message.log_ns > info->last_ns)
            return tac__fail(err, TAC_E_FORMAT,
                             "damaged: a message lies outside the times of its chunk");
        if (!info->channels || message.channel == known)
            continue;
        if (!has(info, message.channel))
            return tac__fail(err, TAC_E_FORMAT,
                             "damaged: a chunk has messages of channel %u, which its index has not",
                             message.channel);
        known = message.channel;
    }
    chunk->at = 0;
    return TAC_OK;
}

// --- reading -------------------------------------------------------------------------------------

// Before memory is taken for it.
static tac_status check_size(tac__compression compression, uint64_t size, uint64_t packed,
                             tac_error *err)
{
    if (compression == TAC__COMPRESS_NONE && size != packed)
        return tac__fail(err, TAC_E_FORMAT, "damaged: a chunk has not the size it announces");
    if (size <= MCAP_PIECE_MAX && size <= MCAP_UNPACKED_MAX(packed))
        return TAC_OK;
    return tac__fail(err, TAC_E_LIMIT, "a chunk of %" PRIu64 " bytes claims to unpack to %" PRIu64,
                     packed, size);
}

static tac_status check_index(const tac__mcap_chunk_info *found, const tac__mcap_chunk_info *known,
                              tac_error *err)
{
    if (found->first_ns == known->first_ns && found->last_ns == known->last_ns &&
        found->size == known->size && found->compressed == known->compressed &&
        found->compression == known->compression)
        return TAC_OK;
    return tac__fail(err, TAC_E_FORMAT,
                     "damaged: the chunk at %" PRIu64 " and its index do not agree", known->offset);
}

// The source's window is not used, as it belongs to one thread; nor is the allocator, once there is
// memory for what the index announces.
tac_status tac__mcap_read_chunk(tac__mcap_reader *reader, tac__unpacker *unpacker, uint64_t offset,
                                uint64_t length, const tac__mcap_chunk_info *known,
                                tac__mcap_chunk *into, tac__mcap_chunk_info *info, tac_error *err)
{
    into->allocator = reader->source.allocator;
    into->size = into->at = 0;
    unsigned char head[MCAP_HEAD];
    TAC_TRY(tac__mcap_read(&reader->source, offset, sizeof head, head, err));
    mcap_in start = {.at = head, .left = sizeof head};
    const uint8_t opcode = mcap_take_u8(&start);
    const uint64_t size = mcap_take_u64(&start);
    if (opcode != MCAP_CHUNK || size + MCAP_HEAD != length)
        return tac__fail(err, TAC_E_FORMAT,
                         "damaged: there is no chunk of %" PRIu64 " bytes at %" PRIu64, length,
                         offset);
    if (size > MCAP_PIECE_MAX * 2)
        return tac__fail(err, TAC_E_LIMIT, "the chunk at %" PRIu64 " is larger than 2 GiB", offset);
    if (!reserve(into->allocator, &into->packed, &into->packed_capacity, (size_t)size))
        return tac__fail_memory(err);
    TAC_TRY(tac__mcap_read(&reader->source, offset + MCAP_HEAD, size, into->packed, err));
    mcap_in in = {.at = into->packed, .left = (size_t)size};
    *info = (tac__mcap_chunk_info){.offset = offset, .length = length};
    info->first_ns = mcap_take_u64(&in);
    info->last_ns = mcap_take_u64(&in);
    info->size = mcap_take_u64(&in);
    const uint32_t crc = mcap_take_u32(&in);
    TAC_TRY(tac__mcap_compression_of(&in, &info->compression, err));
    info->compressed = mcap_take_u64(&in);
    const mcap_in packed = mcap_take_part(&in, info->compressed);
    if (in.failed)
        return tac__fail(err, TAC_E_FORMAT, "damaged: the chunk at %" PRIu64 " is malformed",
                         offset);
    TAC_TRY(check_size(info->compression, info->size, info->compressed, err));
    if (known)
        TAC_TRY(check_index(info, known, err));
    if (!reserve(into->allocator, &into->bytes, &into->capacity, (size_t)info->size))
        return tac__fail_memory(err);
    TAC_TRY(tac__unpack(unpacker, info->compression, packed.at, packed.left, into->bytes,
                        (size_t)info->size, err));
    if (crc && crc != tac__crc32(0, into->bytes, (size_t)info->size))
        return tac__fail(err, TAC_E_FORMAT,
                         "damaged: the CRC of the chunk at %" PRIu64 " does not agree", offset);
    into->size = (size_t)info->size;
    return check_records(into, info, err);
}

tac_status tac__mcap_read_known(tac__mcap_reader *reader, const tac__mcap_chunk_info *known,
                                tac__mcap_chunk *into, tac_error *err)
{
    const uint64_t head =
        MCAP_CHUNK_FIXED + strlen(tac__mcap_compression_field(known->compression));
    into->allocator = reader->source.allocator;
    into->size = into->at = 0;
    TAC_TRY(check_size(known->compression, known->size, known->compressed, err));
    if (known->length - MCAP_HEAD < head || known->length - MCAP_HEAD - head < known->compressed)
        return malformed(err);
    if (!reserve(into->allocator, &into->packed, &into->packed_capacity,
                 (size_t)(head + known->compressed)) ||
        !reserve(into->allocator, &into->bytes, &into->capacity, (size_t)known->size))
        return tac__fail_memory(err);
    TAC_TRY(tac__mcap_read(&reader->source, known->offset + MCAP_HEAD, head + known->compressed,
                           into->packed, err));
    mcap_in in = {.at = into->packed + MCAP_CHUNK_CRC, .left = sizeof(uint32_t)};
    const uint32_t crc = mcap_take_u32(&in);
    TAC_TRY(tac__unpack(&reader->unpacker, known->compression, into->packed + head,
                        (size_t)known->compressed, into->bytes, (size_t)known->size, err));
    if (crc && crc != tac__crc32(0, into->bytes, (size_t)known->size))
        return tac__fail(err, TAC_E_FORMAT,
                         "damaged: the CRC of the chunk at %" PRIu64 " does not agree",
                         known->offset);
    into->size = (size_t)known->size;
    return check_records(into, known, err);
}

tac_status tac__mcap_load(tac__mcap_reader *reader, size_t chunk, tac__mcap_chunk *into,
                          tac_error *err)
{
    return tac__mcap_load_with(reader, &reader->unpacker, chunk, into, err);
}

tac_status tac__mcap_load_with(tac__mcap_reader *reader, tac__unpacker *unpacker, size_t chunk,
                               tac__mcap_chunk *into, tac_error *err)
{
    TAC_REQUIRE(chunk < reader->contents.info.chunk_count);
    const tac__mcap_chunk_info *known = &reader->contents.info.chunks[chunk];
    tac__mcap_chunk_info found;
    tac_status status = tac__mcap_read_chunk(reader, unpacker, known->offset, known->length, known,
                                             into, &found, err);
    if (status == TAC_OK)
        status = check_records(into, known, err);
    if (status != TAC_OK)
        into->size = into->at = 0;
    return tac__mcap_named(reader, status, err);
}

tac_status tac__mcap_reserve(tac__mcap_reader *reader, size_t chunk, tac__mcap_chunk *into,
                             tac_error *err)
{
    TAC_REQUIRE(chunk < reader->contents.info.chunk_count);
    const tac__mcap_chunk_info *known = &reader->contents.info.chunks[chunk];
    into->allocator = reader->source.allocator;
    TAC_TRY(check_size(known->compression, known->size, known->compressed, err));
    if (known->length > MCAP_PIECE_MAX * 2 || known->length > reader->source.size)
        return tac__fail(err, TAC_E_LIMIT, "the chunk at %" PRIu64 " is too large", known->offset);
    if (!reserve(into->allocator, &into->packed, &into->packed_capacity, (size_t)known->length) ||
        !reserve(into->allocator, &into->bytes, &into->capacity, (size_t)known->size))
        return tac__fail_memory(err);
    return TAC_OK;
}

// --- attachments ---------------------------------------------------------------------------------

static tac_status read_attachment(tac__mcap_reader *reader, const tac__mcap_attachment_info *info,
                                  char **bytes, size_t *size, tac_error *err)
{
    const tac_allocator *a = reader->source.allocator;
    unsigned char *content;
    TAC_TRY(tac__mcap_content(&reader->source, info->offset, info->length, MCAP_ATTACHMENT,
                              &content, err));
    const size_t length = (size_t)info->length - MCAP_HEAD;
    mcap_in in = {.at = content, .left = length};
    mcap_take(&in, 8 + 8);
    mcap_take(&in, mcap_take_u32(&in));
    mcap_take(&in, mcap_take_u32(&in));
    const mcap_in data = mcap_take_part(&in, mcap_take_u64(&in));
    const size_t checked = length - in.left;
    const uint32_t crc = mcap_take_u32(&in);
    char *kept = NULL;
    tac_status status = TAC_OK;
    if (in.failed || data.left != info->size) {
        status = tac__fail(err, TAC_E_FORMAT, "damaged: attachment '%s' is malformed", info->name);
    } else if (crc && crc != tac__crc32(0, content, checked)) {
        status = tac__fail(err, TAC_E_FORMAT, "damaged: the CRC of attachment '%s' does not agree",
                           info->name);
    } else {
        kept = a->resize(a->context, NULL, 0, data.left + 1);
        if (!kept)
            status = tac__fail_memory(err);
    }
    if (kept) {
        memcpy(kept, data.at, data.left);
        kept[data.left] = '\0';
        *bytes = kept;
        *size = data.left;
    }
    a->resize(a->context, content, length + 1, 0);
    return status;
}

tac_status tac__mcap_attachment_read(tac__mcap_reader *reader, size_t i, char **bytes, size_t *size,
                                     tac_error *err)
{
    *bytes = NULL;
    *size = 0;
    TAC_REQUIRE(i < reader->contents.info.attachment_count);
    return tac__mcap_named(
        reader, read_attachment(reader, &reader->contents.info.attachments[i], bytes, size, err),
        err);
}
