// digest.h - running digests: what makes two runs comparable signal by signal.
//
// The digest of a signal covers its name, its value at the start and each write: time and bits.
#ifndef TAC_BUS_DIGEST_H
#define TAC_BUS_DIGEST_H

#include "base/hash.h"
#include <tactus/time.h>

// Mix in a write of `words` doubles. NaNs are all alike.
static inline uint64_t tac__digest_f64(uint64_t digest, tac_time t_us, const double *value,
                                       size_t words)
{
    digest = tac__hash_word(digest, t_us);
    for (size_t i = 0; i < words; i++)
        digest = tac__hash_f64(digest, value[i]);
    return digest;
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
