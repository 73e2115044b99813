// random.c - Philox 4x32-10 and named streams.
#include "base/random.h"
#include "base/hash.h"

#ifdef __x86_64__
#include <immintrin.h>
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

tac__stream tac__stream_make_path(uint64_t seed, const char *const *parts, size_t count)
{
    // Two independent hashes of (seed, name): 128 bits, so that two names never share a stream.
    tac__hash a = tac__hash_word(TAC__HASH_SEED, seed), b = tac__hash_word(~TAC__HASH_SEED, seed);
    for (size_t i = 0; i < count; i++) {
        a = tac__hash_text(a, parts[i]);
        b = tac__hash_text(b, parts[i]);
    }
    a = tac__hash_end(a);
    b = tac__hash_end(b);
    tac__stream stream = {.high = {(uint32_t)b, (uint32_t)(b >> 32)}};
    tac__philox_keys((const uint32_t[2]){(uint32_t)a, (uint32_t)(a >> 32)}, stream.keys);
    return stream;
}

tac__stream tac__stream_make(uint64_t seed, const char *name)
{
    return tac__stream_make_path(seed, &name, 1);
}

void tac__stream_words(const tac__stream *stream, uint64_t index, uint32_t words[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), stream->high[0],
                                 stream->high[1]};
    tac__philox(counter, stream->keys, words);
}

static void words_one_by_one(const tac__stream *stream, uint64_t index,
                             uint32_t words[4][TAC__STREAM_WIDE])
{
    for (uint32_t i = 0; i < TAC__STREAM_WIDE; i++) {
        uint32_t w[4];
        tac__stream_words(stream, index + i, w);
        for (int k = 0; k < 4; k++)
            words[k][i] = w[k];
    }
}

#ifdef __x86_64__

#define AVX2 __attribute__((target("avx2")))

// The lower halves of four lanes.
AVX2 static inline void store(uint32_t *words, __m256i v)
{
    const __m256i lower = _mm256_permutevar8x32_epi32(v, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128((__m128i *)words, _mm256_castsi256_si128(lower));
}

// Each counter has a lane of 64 bits. Only the lower 32 bits are valid; the upper ones hold
// leftovers, which the 32-bit multiplication ignores. Saves 232 of 14,630 instructions a
// millisecond of flight, for wind and estimator (callgrind, examples/iris_mission.yaml from 5 s to
// 10 s).
AVX2 static void words_at_once(const tac__stream *stream, uint64_t index,
                               uint32_t words[4][TAC__STREAM_WIDE])
{
    const __m256i m0 = _mm256_set1_epi64x(INT64_C(0xD2511F53));
    const __m256i m1 = _mm256_set1_epi64x(INT64_C(0xCD9E8D57));
    const __m256i start = _mm256_set1_epi64x((int64_t)index);
    __m256i c0 = _mm256_add_epi64(start, _mm256_setr_epi64x(0, 1, 2, 3));
    __m256i c1 = _mm256_srli_epi64(c0, 32);
    __m256i c2 = _mm256_set1_epi32((int)stream->high[0]);
    __m256i c3 = _mm256_set1_epi32((int)stream->high[1]);
#pragma GCC unroll 10
    for (int round = 0; round < TAC__PHILOX_ROUNDS; round++) {
        const __m256i key0 = _mm256_set1_epi32((int)stream->keys[round][0]);
        const __m256i key1 = _mm256_set1_epi32((int)stream->keys[round][1]);
        const __m256i p0 = _mm256_mul_epu32(m0, c0), p1 = _mm256_mul_epu32(m1, c2);
        c0 = _mm256_xor_si256(_mm256_srli_epi64(p1, 32), _mm256_xor_si256(c1, key0));
        c2 = _mm256_xor_si256(_mm256_srli_epi64(p0, 32), _mm256_xor_si256(c3, key1));
        c1 = p1;
        c3 = p0;
    }
    store(words[0], c0);
    store(words[1], c1);
    store(words[2], c2);
    store(words[3], c3);
}

void tac__stream_words_wide(const tac__stream *stream, uint64_t index,
                            uint32_t words[4][TAC__STREAM_WIDE])
{
    if (__builtin_cpu_supports("avx2"))
        words_at_once(stream, index, words);
    else
        words_one_by_one(stream, index, words);
}

#else

void tac__stream_words_wide(const tac__stream *stream, uint64_t index,
                            uint32_t words[4][TAC__STREAM_WIDE])
{
    words_one_by_one(stream, index, words);
}

#endif

double tac__stream_uniform(const tac__stream *stream, uint64_t index)
{
    uint32_t w[4];
    tac__stream_words(stream, index, w);
    const uint64_t bits = (uint64_t)w[0] << 32 | w[1];
    return (double)(bits >> 11) * 0x1p-53;
}
