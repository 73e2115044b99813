// digest.h - running digests, by which two runs are compared signal by signal.
//
// The digest of a signal covers its name, its value at the start and each write: time and bits.
#ifndef TAC_BUS_DIGEST_H
#define TAC_BUS_DIGEST_H

#include "base/hash.h"
#include "bus/type.h"

#define TAC__DIGEST_INLINE static inline __attribute__((always_inline))

// From so many words on, a value is mixed in along four independent chains, which the processor
// computes in parallel.
enum { TAC__DIGEST_WIDE = 8 };

// Mix in a write of any length.
uint64_t tac__digest_wide(uint64_t digest, tac_time t_us, const double *value, size_t words);

// The same for values without a NaN. Where `*nan` becomes true there may be a NaN, and the result
// is void: call tac__digest_nans instead.
uint64_t tac__digest_scan(uint64_t digest, tac_time t_us, const double *value, size_t words,
                          bool *nan);

// The same by one way of several, for tests: at least TAC__DIGEST_WIDE words. False: this machine
// does not have such vector registers.
typedef enum tac__digest_way {
    TAC__DIGEST_WORDS,
    TAC__DIGEST_AVX2,
    TAC__DIGEST_AVX512
} tac__digest_way;
bool tac__digest_by(tac__digest_way way, uint64_t *digest, tac_time t_us, const double *value,
                    size_t words, bool *nan);

// Mix in a write that may contain NaNs; all NaNs count as equal.
uint64_t tac__digest_nans(uint64_t digest, tac_time t_us, const double *value, size_t words);

static inline uint64_t tac__digest_word_at(const double *value, size_t i)
{
    uint64_t word;
    memcpy(&word, value + i, sizeof word);
    return word;
}

// Whether there is a NaN among `words` doubles (a compile-time constant). Tested on their sum,
// which costs less than a test of each; infinities of both signs also give true.
TAC__DIGEST_INLINE bool tac__digest_nan(const double *value, size_t words)
{
    double sum = value[0];
#pragma GCC unroll 8
    for (size_t i = 1; i < words; i++)
        sum += value[i];
    return sum != sum;
}

// Mix in `words` doubles (a compile-time constant) without a NaN.
TAC__DIGEST_INLINE uint64_t tac__digest_numbers(uint64_t digest, tac_time t_us, const double *value,
                                                size_t words)
{
    digest = tac__hash_word(digest, t_us);
#pragma GCC unroll 8
    for (size_t i = 0; i < words; i++)
        digest = tac__hash_word(digest, tac__digest_word_at(value, i));
    return digest;
}

// As tac__digest_wide, with short values in line: that saves 52 of about 100 instructions for the
// six states of a point mass (callgrind, bench/engine.c).
static inline uint64_t tac__digest_doubles(uint64_t digest, tac_time t_us, const double *value,
                                           size_t words)
{
    if (words >= TAC__DIGEST_WIDE)
        return tac__digest_wide(digest, t_us, value, words);
    tac__hash h = tac__hash_word(digest, t_us);
    double sum = 0;
    for (size_t i = 0; i < words; i++) {
        h = tac__hash_word(h, tac__digest_word_at(value, i));
        sum += value[i];
    }
    return sum == sum ? h : tac__digest_nans(digest, t_us, value, words);
}

// Mix in a write of any other type; the padding is zero.
static inline uint64_t tac__digest_words(uint64_t digest, tac_time t_us, const void *value,
                                         size_t words)
{
    digest = tac__hash_word(digest, t_us);
    for (size_t i = 0; i < words; i++) {
        uint64_t word;
        memcpy(&word, (const char *)value + 8 * i, sizeof word);
        digest = tac__hash_word(digest, word);
    }
    return digest;
}

// Mix in a value without its time.
tac__hash tac__digest_mix(tac__hash h, const tac_type *type, const void *value);

// The final hash of `count` digests, which have been mixed into `h` one after another. 0 means that
// there are none, so no hash is 0.
static inline uint64_t tac__digest_whole(tac__hash h, size_t count)
{
    const uint64_t hash = tac__hash_end(h);
    return count == 0 ? 0 : hash ? hash : 1;
}

#endif
