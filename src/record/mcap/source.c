// source.c - bytes of a file or of memory, never from outside of it.
#include "record/mcap/crc32.h"
#include "base/error.h"
#include "record/mcap/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

static tac_status outside(const tac__mcap_source *source, uint64_t at, uint64_t size,
                          tac_error *err)
{
    return tac__fail(err, TAC_E_FORMAT,
                     "cut short or damaged: %" PRIu64 " bytes are expected at %" PRIu64
                     ", and it has %" PRIu64,
                     size, at, source->size);
}

static bool inside(const tac__mcap_source *source, uint64_t at, uint64_t size)
{
    return at <= source->size && size <= source->size - at;
}

tac_status tac__mcap_read(tac__mcap_source *source, uint64_t at, uint64_t size, void *into,
                          tac_error *err)
{
    if (!inside(source, at, size))
        return outside(source, at, size, err);
    if (source->fd < 0) {
        if (size)
            memcpy(into, source->memory + at, (size_t)size);
        return TAC_OK;
    }
    for (uint64_t done = 0; done < size;) {
        const ssize_t n =
            pread(source->fd, (char *)into + done, (size_t)(size - done), (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return tac__fail(err, TAC_E_FILE, "cannot read: %s", tac__errno_text(errno));
        if (n == 0) // it became shorter since it was opened
            return outside(source, at, size, err);
        done += (uint64_t)n;
    }
    return TAC_OK;
}

tac_status tac__mcap_peek(tac__mcap_source *source, uint64_t at, size_t size,
                          const unsigned char **bytes, tac_error *err)
{
    if (!inside(source, at, size) || size > TAC__MCAP_WINDOW)
        return outside(source, at, size, err);
    if (source->fd < 0) {
        *bytes = source->memory + at;
        return TAC_OK;
    }
    if (!source->window) {
        source->window =
            source->allocator->resize(source->allocator->context, NULL, 0, TAC__MCAP_WINDOW);
        if (!source->window)
            return tac__fail_memory(err);
    }
    if (at < source->window_at || at + size > source->window_at + source->window_size) {
        const uint64_t rest = source->size - at;
        const size_t n = rest < TAC__MCAP_WINDOW ? (size_t)rest : TAC__MCAP_WINDOW;
        source->window_size = 0;
        TAC_TRY(tac__mcap_read(source, at, n, source->window, err));
        source->window_at = at;
        source->window_size = n;
    }
    *bytes = source->window + (at - source->window_at);
    return TAC_OK;
}

tac_status tac__mcap_crc(tac__mcap_source *source, uint64_t at, uint64_t size, uint32_t *crc,
                         tac_error *err)
{
    *crc = 0;
    if (!inside(source, at, size))
        return outside(source, at, size, err);
    while (size) {
        const size_t n = size < TAC__MCAP_WINDOW ? (size_t)size : TAC__MCAP_WINDOW;
        const unsigned char *bytes;
        TAC_TRY(tac__mcap_peek(source, at, n, &bytes, err));
        *crc = tac__crc32(*crc, bytes, n);
        at += n;
        size -= n;
    }
    return TAC_OK;
}

tac_status tac__mcap_head(tac__mcap_source *source, uint64_t at, uint8_t *opcode, uint64_t *length,
                          tac_error *err)
{
    const unsigned char *bytes;
    TAC_TRY(tac__mcap_peek(source, at, MCAP_HEAD, &bytes, err));
    mcap_in in = {.at = bytes, .left = MCAP_HEAD};
    *opcode = mcap_take_u8(&in);
    *length = mcap_take_u64(&in);
    if (!inside(source, at + MCAP_HEAD, *length))
        return outside(source, at + MCAP_HEAD, *length, err);
    return TAC_OK;
}

tac_status tac__mcap_content(tac__mcap_source *source, uint64_t at, uint64_t length, uint8_t opcode,
                             unsigned char **content, tac_error *err)
{
    *content = NULL;
    uint8_t found;
    uint64_t size;
    TAC_TRY(tac__mcap_head(source, at, &found, &size, err));
    if (found != opcode || size != length - MCAP_HEAD)
        return tac__fail(err, TAC_E_FORMAT,
                         "damaged: there is no record of kind %d and %" PRIu64 " bytes at %" PRIu64,
                         opcode, length, at);
    if (size > MCAP_PIECE_MAX)
        return tac__fail(err, TAC_E_LIMIT, "the record at %" PRIu64 " is larger than 1 GiB", at);
    unsigned char *bytes =
        source->allocator->resize(source->allocator->context, NULL, 0, (size_t)size + 1);
    if (!bytes)
        return tac__fail_memory(err);
    const tac_status status = tac__mcap_read(source, at + MCAP_HEAD, size, bytes, err);
    if (status != TAC_OK) {
        source->allocator->resize(source->allocator->context, bytes, (size_t)size + 1, 0);
        return status;
    }
    *content = bytes;
    return TAC_OK;
}
