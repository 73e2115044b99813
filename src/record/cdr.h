// cdr.h - messages of variable size, as CDR: built in a text, read from bytes.
#ifndef TAC_RECORD_CDR_H
#define TAC_RECORD_CDR_H

#include "record/layout.h"

#include <string.h>

// --- writing: failure is the text's ---

static inline void tac__cdr_begin(tac__text *out)
{
    out->length = 0;
    tac__text_bytes(out, (const char *)tac__cdr_header, TAC__CDR_HEADER);
}

static inline void tac__cdr_align(tac__text *out, size_t width)
{
    const size_t over = (out->length - TAC__CDR_HEADER) % width;
    tac__text_repeat(out, '\0', over ? width - over : 0);
}

static inline void tac__cdr_u8(tac__text *out, uint8_t value)
{
    tac__text_bytes(out, (const char *)&value, 1);
}

static inline void tac__cdr_u32(tac__text *out, uint32_t value)
{
    tac__cdr_align(out, 4);
    tac__text_bytes(out, (const char *)&value, 4);
}

static inline void tac__cdr_u64(tac__text *out, uint64_t value)
{
    tac__cdr_align(out, 8);
    tac__text_bytes(out, (const char *)&value, 8);
}

static inline void tac__cdr_bytes(tac__text *out, const void *bytes, size_t size)
{
    tac__cdr_u32(out, (uint32_t)size);
    if (size)
        tac__text_bytes(out, bytes, size);
}

static inline void tac__cdr_string(tac__text *out, const char *text)
{
    tac__cdr_bytes(out, text, strlen(text) + 1);
}

// Elements are aligned; an empty array has no padding behind its length.
static inline void tac__cdr_u64s(tac__text *out, const uint64_t *values, size_t count)
{
    tac__cdr_u32(out, (uint32_t)count);
    if (count == 0)
        return;
    tac__cdr_align(out, 8);
    tac__text_bytes(out, (const char *)values, count * 8);
}

// --- reading: what is not there reads as zero, and `failed` says so ---

typedef struct tac__cdr {
    const unsigned char *bytes;
    size_t size, at;
    bool failed;
} tac__cdr;

static inline tac__cdr tac__cdr_open(const unsigned char *bytes, size_t size)
{
    tac__cdr c = {bytes, size, TAC__CDR_HEADER, false};
    c.failed = size < TAC__CDR_HEADER || memcmp(bytes, tac__cdr_header, TAC__CDR_HEADER);
    return c;
}

// The next `size` bytes, aligned; NULL where there are not so many.
static inline const unsigned char *tac__cdr_take(tac__cdr *c, size_t width, size_t size)
{
    if (c->failed)
        return NULL;
    const size_t over = (c->at - TAC__CDR_HEADER) % width;
    const size_t at = c->at + (over ? width - over : 0);
    c->failed = at > c->size || size > c->size - at;
    c->at = at + size;
    return c->failed ? NULL : c->bytes + at;
}

static inline uint32_t tac__cdr_read_u32(tac__cdr *c)
{
    uint32_t value = 0;
    const unsigned char *from = tac__cdr_take(c, 4, 4);
    if (from)
        memcpy(&value, from, 4);
    return value;
}

static inline uint64_t tac__cdr_read_u64(tac__cdr *c)
{
    uint64_t value = 0;
    const unsigned char *from = tac__cdr_take(c, 8, 8);
    if (from)
        memcpy(&value, from, 8);
    return value;
}

static inline const unsigned char *tac__cdr_read_bytes(tac__cdr *c, size_t *size)
{
    *size = tac__cdr_read_u32(c);
    return tac__cdr_take(c, 1, *size);
}

// `count` numbers of 8 bytes, not aligned in memory.
static inline const unsigned char *tac__cdr_read_u64s(tac__cdr *c, size_t *count)
{
    *count = tac__cdr_read_u32(c);
    const unsigned char *from = tac__cdr_take(c, *count ? 8 : 1, *count * 8);
    if (!from)
        *count = 0;
    return from;
}

#endif
