// random.c - Philox 4x32-10 and named streams.
#include "base/random.h"
#include "base/hash.h"

void tac__philox_keys(const uint32_t key[2], uint32_t keys[TAC__PHILOX_ROUNDS][2])
{
    for (uint32_t round = 0; round < TAC__PHILOX_ROUNDS; round++) {
        keys[round][0] = key[0] + round * UINT32_C(0x9E3779B9);
        keys[round][1] = key[1] + round * UINT32_C(0xBB67AE85);
    }
}

void tac__philox(const uint32_t counter[4], const uint32_t keys[TAC__PHILOX_ROUNDS][2],
                 uint32_t words[4])
{
    uint32_t c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];
#pragma GCC unroll 10
    for (int round = 0; round < TAC__PHILOX_ROUNDS; round++) {
        const uint64_t p0 = UINT64_C(0xD2511F53) * c0, p1 = UINT64_C(0xCD9E8D57) * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ keys[round][0];
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ keys[round][1];
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
    }
    words[0] = c0;
    words[1] = c1;
    words[2] = c2;
    words[3] = c3;
}

tac__stream tac__stream_make(uint64_t seed, const char *name)
{
    // Two independent hashes of (seed, name): 128 bits, so that two names never share a stream.
    const uint64_t a = tac__hash_end(tac__hash_text(tac__hash_word(TAC__HASH_SEED, seed), name));
    const uint64_t b = tac__hash_end(tac__hash_text(tac__hash_word(~TAC__HASH_SEED, seed), name));
    tac__stream stream = {.high = {(uint32_t)b, (uint32_t)(b >> 32)}};
    tac__philox_keys((const uint32_t[2]){(uint32_t)a, (uint32_t)(a >> 32)}, stream.keys);
    return stream;
}

void tac__stream_words(const tac__stream *stream, uint64_t index, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream->high[0],
                                 stream->high[1]};
    tac__philox(counter, stream->keys, words);
}

double tac__stream_uniform(const tac__stream *stream, uint64_t index)
{
    uint32_t w[4];
    tac__stream_words(stream, index, w);
    const uint64_t bits = (uint64_t)w[0] << 32 | w[1];
    return (double)(bits >> 11) * 0x1p-53;
}
