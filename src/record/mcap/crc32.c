// crc32.c - sixteen bytes a step by tables, or sixty-four by carry-less multiplication where the
// machine has it. The tables are made when the library is loaded.
#include "record/mcap/crc32.h"

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

// --- by carry-less multiplication ----------------------------------------------------------------

// V. Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction",
// Intel, 2009. The message is a polynomial over GF(2); a part of it is moved on by n bits by
// multiplying it with x^n mod P. Constants are bit-reflected, as the CRC is.
#if defined(__x86_64__)
#include <immintrin.h>

#define CLMUL           __attribute__((target("pclmul,sse4.1")))
#define BOTH(high, low) _mm_set_epi64x(INT64_C(high), INT64_C(low))

CLMUL static inline __m128i move_on(__m128i part, __m128i by, __m128i next)
{
    const __m128i low = _mm_clmulepi64_si128(part, by, 0x00);
    const __m128i high = _mm_clmulepi64_si128(part, by, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

CLMUL static inline __m128i load(const unsigned char *at)
{
    return _mm_loadu_si128((const __m128i *)(const void *)at);
}

// The remainder of 128 bits: down to 64, then by Barrett's method.
CLMUL static uint32_t reduce(__m128i x)
{
    const __m128i low32 = _mm_setr_epi32(-1, 0, -1, 0);
    const __m128i by96_64 = BOTH(0x0ccaa009e, 0x1751997d0), by_64 = BOTH(0, 0x163cd6124);
    const __m128i polynomial = BOTH(0x1f7011641, 0x1db710641);
    x = _mm_xor_si128(_mm_srli_si128(x, 8), _mm_clmulepi64_si128(x, by96_64, 0x10));
    x = _mm_xor_si128(_mm_srli_si128(x, 4),
                      _mm_clmulepi64_si128(_mm_and_si128(x, low32), by_64, 0x00));
    __m128i q = _mm_clmulepi64_si128(_mm_and_si128(x, low32), polynomial, 0x10);
    q = _mm_clmulepi64_si128(_mm_and_si128(q, low32), polynomial, 0x00);
    return (uint32_t)_mm_extract_epi32(_mm_xor_si128(x, q), 1);
}

// Of whole blocks of 16 bytes, at least four.
CLMUL static uint32_t multiplied(uint32_t crc, const unsigned char *at, size_t size)
{
    const __m128i by_512 = BOTH(0x1c6e41596, 0x154442bd4), by_128 = BOTH(0x0ccaa009e, 0x1751997d0);
    __m128i a = _mm_xor_si128(load(at), _mm_cvtsi32_si128((int)~crc));
    __m128i b = load(at + 16), c = load(at + 32), d = load(at + 48);
    for (at += 64, size -= 64; size >= 64; at += 64, size -= 64) {
        a = move_on(a, by_512, load(at));
        b = move_on(b, by_512, load(at + 16));
        c = move_on(c, by_512, load(at + 32));
        d = move_on(d, by_512, load(at + 48));
    }
    a = move_on(a, by_128, b);
    a = move_on(a, by_128, c);
    a = move_on(a, by_128, d);
    for (; size >= 16; at += 16, size -= 16)
        a = move_on(a, by_128, load(at));
    return ~reduce(a);
}

uint32_t tac__crc32(uint32_t crc, const void *bytes, size_t size)
{
    const size_t blocks = size & ~(size_t)15;
    if (blocks < 64 || !__builtin_cpu_supports("pclmul") || !__builtin_cpu_supports("sse4.1"))
        return tac__crc32_plain(crc, bytes, size);
    crc = multiplied(crc, bytes, blocks);
    return tac__crc32_plain(crc, (const char *)bytes + blocks, size - blocks);
}

#else

uint32_t tac__crc32(uint32_t crc, const void *bytes, size_t size)
{
    return tac__crc32_plain(crc, bytes, size);
}

#endif
