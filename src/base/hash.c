// hash.c - hashing of bytes and text. Bytes are taken as little-endian words, the last one padded
// with zeros; the length is mixed in so that padding cannot be confused with content.
#include "base/hash.h"

// `n` bytes as a little-endian word, whatever the machine is.
static uint64_t load_word(const unsigned char *b, size_t n)
{
    uint64_t word = 0;
    memcpy(&word, b, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

tac__hash tac__hash_part(tac__hash h, const void *bytes, size_t n)
{
    const unsigned char *b = bytes;
    const size_t whole = n / 8 * 8;
    for (size_t i = 0; i < whole; i += 8)
        h = tac__hash_word(h, load_word(b + i, 8));
    if (whole < n)
        h = tac__hash_word(h, load_word(b + whole, n - whole));
    return h;
}

tac__hash tac__hash_bytes(tac__hash h, const void *bytes, size_t n)
{
    return tac__hash_word(tac__hash_part(h, bytes, n), n);
}

tac__hash tac__hash_text(tac__hash h, const char *text)
{
    return tac__hash_bytes(h, text, strlen(text));
}

uint64_t tac__hash_end(tac__hash h)
{
    h ^= h >> 29;
    h *= UINT64_C(0xbf58476d1ce4e5b9);
    h ^= h >> 32;
    h *= UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

// h ^ (h >> n) undone.
static uint64_t unshift(uint64_t h, unsigned n)
{
    uint64_t x = h;
    for (unsigned known = n; known < 64; known += n)
        x = h ^ (x >> n);
    return x;
}

tac__hash tac__hash_reopen(uint64_t hash)
{
    uint64_t h = unshift(hash, 31) * UINT64_C(0x319642b2d24d8ec3); // inverses modulo 2^64
    h = unshift(h, 32) * UINT64_C(0x96de1b173f119089);
    return unshift(h, 29);
}
