// crc32.c - sixteen bytes a step by tables, which are made when the library is loaded.
#include "record/crc32.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "words are taken as they lie");

enum { SLICES = 16 };

// table[s][b]: what byte b does to the sum when s more bytes follow it in the step.
static uint32_t table[SLICES][256];

__attribute__((constructor)) static void make_tables(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
        table[0][b] = crc;
    }
    for (int s = 1; s < SLICES; s++)
        for (uint32_t b = 0; b < 256; b++)
            table[s][b] = table[s - 1][b] >> 8 ^ table[0][table[s - 1][b] & 255];
}

static uint32_t four(uint32_t word, int last)
{
    return table[last + 3][word & 255] ^ table[last + 2][word >> 8 & 255] ^
           table[last + 1][word >> 16 & 255] ^ table[last][word >> 24];
}

uint32_t tac__crc32_plain(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (; size >= SLICES; size -= SLICES, at += SLICES) {
        uint32_t word[4];
        memcpy(word, at, sizeof word);
        crc = four(word[0] ^ crc, 12) ^ four(word[1], 8) ^ four(word[2], 4) ^ four(word[3], 0);
    }
    for (; size > 0; size--, at++)
        crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
    return ~crc;
}

uint32_t tac__crc32(uint32_t crc, const void *bytes, size_t size)
{
    return tac__crc32_plain(crc, bytes, size);
}
