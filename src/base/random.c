// random.c - Philox 4x32-10 and named streams.
#include "base/random.h"
#include "base/hash.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

#ifdef __SSE2__

// Two counters: of each lane of 64 bits the lower half is a word, the upper half whatever is left
// over, which the multiplication does not see.
typedef struct pair {
    __m128i c0, c1, c2, c3;
} pair;

static inline pair next_round(pair p, __m128i key0, __m128i key1)
{
    const __m128i p0 = _mm_mul_epu32(_mm_set1_epi64x(INT64_C(0xD2511F53)), p.c0);
    const __m128i p1 = _mm_mul_epu32(_mm_set1_epi64x(INT64_C(0xCD9E8D57)), p.c2);
    return (pair){_mm_xor_si128(_mm_srli_epi64(p1, 32), _mm_xor_si128(p.c1, key0)), p1,
                  _mm_xor_si128(_mm_srli_epi64(p0, 32), _mm_xor_si128(p.c3, key1)), p0};
}

// The lower halves of four lanes.
static inline void store(uint32_t *words, __m128i a, __m128i b)
{
    const __m128 all = _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88);
    _mm_storeu_si128((__m128i *)words, _mm_castps_si128(all));
}

void tac__stream_words_wide(const tac__stream *stream, uint64_t index,
                            uint32_t words[4][TAC__STREAM_WIDE])
{
    const __m128i start = _mm_set1_epi64x((int64_t)index);
    const __m128i first = _mm_add_epi64(start, _mm_set_epi64x(1, 0));
    const __m128i second = _mm_add_epi64(start, _mm_set_epi64x(3, 2));
    const __m128i high0 = _mm_set1_epi32((int)stream->high[0]);
    const __m128i high1 = _mm_set1_epi32((int)stream->high[1]);
    pair a = {first, _mm_srli_epi64(first, 32), high0, high1};
    pair b = {second, _mm_srli_epi64(second, 32), high0, high1};
#pragma GCC unroll 10
    for (int round = 0; round < TAC__PHILOX_ROUNDS; round++) {
        const __m128i key0 = _mm_set1_epi32((int)stream->keys[round][0]);
        const __m128i key1 = _mm_set1_epi32((int)stream->keys[round][1]);
        a = next_round(a, key0, key1);
        b = next_round(b, key0, key1);
    }
    store(words[0], a.c0, b.c0);
    store(words[1], a.c1, b.c1);
    store(words[2], a.c2, b.c2);
    store(words[3], a.c3, b.c3);
}

#else

void tac__stream_words_wide(const tac__stream *stream, uint64_t index,
                            uint32_t words[4][TAC__STREAM_WIDE])
{
    for (uint32_t i = 0; i < TAC__STREAM_WIDE; i++) {
        uint32_t w[4];
        tac__stream_words(stream, index + i, w);
        for (int k = 0; k < 4; k++)
            words[k][i] = w[k];
    }
}

#endif

double tac__stream_uniform(const tac__stream *stream, uint64_t index)
{
    uint32_t w[4];
    tac__stream_words(stream, index, w);
    const uint64_t bits = (uint64_t)w[0] << 32 | w[1];
    return (double)(bits >> 11) * 0x1p-53;
}
