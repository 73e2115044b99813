// digest.c - digests of long values, and of those with a NaN in them.
#include "bus/digest.h"

uint64_t tac__digest_nans(uint64_t digest, tac_time t_us, const double *value, size_t words)
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

tac__hash tac__digest_mix(tac__hash h, const tac_type *type, const void *value)
{
    const size_t words = tac__type_words(type);
    for (size_t i = 0; i < words; i++) {
        if (type->scalar == TAC_F64)
            h = tac__hash_f64(h, ((const double *)value)[i]);
        else
            h = tac__hash_word(h, ((const uint64_t *)value)[i]);
    }
    return h;
}

uint64_t tac__digest_scan(uint64_t before, tac_time t_us, const double *value, size_t words,
                          bool *nan)
{
    const double *end = value + words, *at = value;
    tac__hash a = tac__hash_word(before, t_us);
    double sum = 0, more = 0;
    if (words >= TAC__DIGEST_WIDE) {
        tac__hash b = a + 1, c = a + 2, d = a + 3;
        for (; end - at >= 4; at += 4) {
            a = tac__hash_word(a, tac__digest_word_at(at, 0));
            b = tac__hash_word(b, tac__digest_word_at(at, 1));
            c = tac__hash_word(c, tac__digest_word_at(at, 2));
            d = tac__hash_word(d, tac__digest_word_at(at, 3));
            sum += at[0] + at[1];
            more += at[2] + at[3];
        }
        a = tac__hash_word(tac__hash_word(tac__hash_word(a, b), c), d);
    }
    for (; at < end; at++) {
        a = tac__hash_word(a, tac__digest_word_at(at, 0));
        sum += *at;
    }
    sum += more;
    *nan = sum != sum;
    return a;
}

uint64_t tac__digest_wide(uint64_t before, tac_time t_us, const double *value, size_t words)
{
    bool nan;
    const uint64_t digest = tac__digest_scan(before, t_us, value, words, &nan);
    return nan ? tac__digest_nans(before, t_us, value, words) : digest;
}
