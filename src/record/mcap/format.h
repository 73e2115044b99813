// format.h - the bytes of MCAP: opcodes, sizes, and numbers in and out.
//
// A record is an opcode (1 byte), the length of its content (8) and the content. Numbers are
// little-endian and unaligned; a text is its length (4) and its bytes.
#ifndef TAC_RECORD_MCAP_FORMAT_H
#define TAC_RECORD_MCAP_FORMAT_H

#include "base/text.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are copied as they lie");

enum {
    MCAP_HEADER = 0x01,
    MCAP_FOOTER = 0x02,
    MCAP_SCHEMA = 0x03,
    MCAP_CHANNEL = 0x04,
    MCAP_MESSAGE = 0x05,
    MCAP_CHUNK = 0x06,
    MCAP_MESSAGE_INDEX = 0x07,
    MCAP_CHUNK_INDEX = 0x08,
    MCAP_ATTACHMENT = 0x09,
    MCAP_ATTACHMENT_INDEX = 0x0a,
    MCAP_STATISTICS = 0x0b,
    MCAP_METADATA = 0x0c,
    MCAP_METADATA_INDEX = 0x0d,
    MCAP_SUMMARY_OFFSET = 0x0e,
    MCAP_DATA_END = 0x0f
};

#define MCAP_MAGIC "\x89MCAP0\r\n"

enum {
    MCAP_MAGIC_SIZE = 8,
    MCAP_MAGIC_VERSION = 5,             // place of the version in it
    MCAP_HEAD = 9,                      // opcode and length
    MCAP_MESSAGE_FIXED = 2 + 4 + 8 + 8, // channel, sequence, two times
    MCAP_MESSAGE_HEAD = MCAP_HEAD + MCAP_MESSAGE_FIXED,
    MCAP_FOOTER_FIXED = 8 + 8 + 4, // the content: where, where, CRC
    MCAP_FOOTER_RECORD = MCAP_HEAD + MCAP_FOOTER_FIXED,
    MCAP_INDEX_ENTRY = 8 + 8,   // time, offset
    MCAP_CHUNK_CRC = 8 + 8 + 8, // place in the content of a chunk: behind times and size
    MCAP_CHUNK_FIXED = MCAP_CHUNK_CRC + 4 + 4 + 8 // up to the packed records, without the name of
                                                  // the compression
};

// More than this in one chunk or attachment is refused: by the writer too, so that what was written
// can be read.
#define MCAP_PIECE_MAX ((uint64_t)1 << 30)

// And so is what unpacks to more than anything real does: of one chunk, and of a scanned file.
#define MCAP_UNPACKED_MAX(packed) (((uint64_t)64 << 20) + 1000 * (packed))

// --- in ------------------------------------------------------------------------------------------

// Reading past the end gives zeros and says so once, at the end.
typedef struct mcap_in {
    const unsigned char *at;
    size_t left;
    bool failed;
} mcap_in;

static inline const unsigned char *mcap_take(mcap_in *in, uint64_t size)
{
    if (size > in->left) {
        in->failed = true;
        in->left = 0;
        return NULL;
    }
    const unsigned char *at = in->at;
    in->at += size;
    in->left -= (size_t)size;
    return at;
}

#define MCAP_TAKE_NUMBER(name, type)                                                               \
    static inline type name(mcap_in *in)                                                           \
    {                                                                                              \
        type value = 0;                                                                            \
        const unsigned char *at = mcap_take(in, sizeof value);                                     \
        if (at)                                                                                    \
            memcpy(&value, at, sizeof value);                                                      \
        return value;                                                                              \
    }
MCAP_TAKE_NUMBER(mcap_take_u8, uint8_t)
MCAP_TAKE_NUMBER(mcap_take_u16, uint16_t)
MCAP_TAKE_NUMBER(mcap_take_u32, uint32_t)
MCAP_TAKE_NUMBER(mcap_take_u64, uint64_t)
#undef MCAP_TAKE_NUMBER

// A piece of what is read, as in a map: `size` bytes in front of the rest.
static inline mcap_in mcap_take_part(mcap_in *in, uint64_t size)
{
    const unsigned char *at = mcap_take(in, size);
    return (mcap_in){.at = at, .left = at ? (size_t)size : 0, .failed = !at};
}

// --- out -----------------------------------------------------------------------------------------

static inline unsigned char *mcap_put(unsigned char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}
static inline unsigned char *mcap_put_u16(unsigned char *at, uint16_t value)
{
    return mcap_put(at, &value, sizeof value);
}
static inline unsigned char *mcap_put_u32(unsigned char *at, uint32_t value)
{
    return mcap_put(at, &value, sizeof value);
}
static inline unsigned char *mcap_put_u64(unsigned char *at, uint64_t value)
{
    return mcap_put(at, &value, sizeof value);
}
static inline unsigned char *mcap_put_head(unsigned char *at, uint8_t opcode, uint64_t length)
{
    *at = opcode;
    return mcap_put_u64(at + 1, length);
}
// The head of a message of `size` bytes.
static inline unsigned char *mcap_put_message(unsigned char *at, uint16_t channel,
                                              uint64_t sequence, uint64_t time_ns, size_t size)
{
    at = mcap_put_head(at, MCAP_MESSAGE, MCAP_MESSAGE_FIXED + size);
    at = mcap_put_u16(at, channel);
    at = mcap_put_u32(at, (uint32_t)sequence);
    at = mcap_put_u64(at, time_ns);
    return mcap_put_u64(at, time_ns);
}

#endif
