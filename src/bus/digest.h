// digest.h - running digests: what makes two runs comparable signal by signal.
//
// The digest of a signal covers its name, its value at the start and each write: time and bits.
#ifndef TAC_BUS_DIGEST_H
#define TAC_BUS_DIGEST_H

#include "base/hash.h"
#include <tactus/time.h>

#define TAC__DIGEST_INLINE static inline __attribute__((always_inline))

// From so many words on, a value is mixed in along four ways that do not wait for each other.
enum { TAC__DIGEST_WIDE = 8 };

// Mix in a write of any length.
uint64_t tac__digest_wide(uint64_t digest, tac_time t_us, const double *value, size_t words);

// Mix in any write in which there may be NaNs, which are all alike.
uint64_t tac__digest_nans(uint64_t digest, tac_time t_us, const double *value, size_t words);

static inline uint64_t tac__digest_word_at(const double *value, size_t i)
{
    uint64_t word;
    memcpy(&word, value + i, sizeof word);
    return word;
}

// Mix in `words` doubles, a constant. Whether there is a NaN among them is seen from their sum:
// that costs less than to look at each.
TAC__DIGEST_INLINE uint64_t tac__digest_few(uint64_t before, tac_time t_us, const double *value,
                                            size_t words)
{
    double sum = 0;
    tac__hash digest = tac__hash_word(before, t_us);
#pragma GCC unroll 8
    for (size_t i = 0; i < words; i++) {
        digest = tac__hash_word(digest, tac__digest_word_at(value, i));
        sum += value[i];
    }
    return sum == sum ? digest : tac__digest_nans(before, t_us, value, words);
}

// Mix in a write of `words` doubles. Most are numbers, vectors and quaternions.
TAC__DIGEST_INLINE uint64_t tac__digest_f64(uint64_t before, tac_time t_us, const double *value,
                                            size_t words)
{
    if (words == 3)
        return tac__digest_few(before, t_us, value, 3);
    if (words == 1)
        return tac__digest_few(before, t_us, value, 1);
    if (words == 4)
        return tac__digest_few(before, t_us, value, 4);
    return tac__digest_wide(before, t_us, value, words);
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

#endif
