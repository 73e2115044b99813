// digest.h - running digests: what makes two runs comparable signal by signal.
//
// The digest of a signal covers its name, its value at the start and each write: time and bits.
#ifndef TAC_BUS_DIGEST_H
#define TAC_BUS_DIGEST_H

#include "base/hash.h"
#include <tactus/time.h>

// From so many words on, a value is mixed in along four ways that do not wait for each other.
enum { TAC__DIGEST_WIDE = 8 };

// Mix in a write of `words` doubles. NaNs are all alike.
static inline uint64_t tac__digest_f64(uint64_t digest, tac_time t_us, const double *value,
                                       size_t words)
{
    size_t i = 0;
    digest = tac__hash_word(digest, t_us);
    if (words >= TAC__DIGEST_WIDE) {
        tac__hash b = digest + 1, c = digest + 2, d = digest + 3;
        for (; i + 4 <= words; i += 4) {
            digest = tac__hash_f64(digest, value[i]);
            b = tac__hash_f64(b, value[i + 1]);
            c = tac__hash_f64(c, value[i + 2]);
            d = tac__hash_f64(d, value[i + 3]);
        }
        digest = tac__hash_word(tac__hash_word(tac__hash_word(digest, b), c), d);
    }
    for (; i < words; i++)
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
