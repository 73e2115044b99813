// Digests of values: one definition for all lengths, whatever is in them.
#include "support/test.h"

#include "bus/digest.h"

#include <math.h>

// The definition, word by word: from 8 words on along four ways, and every NaN is the same word.
static uint64_t define(uint64_t digest, tac_time t_us, const double *value, size_t words)
{
    uint64_t way[4];
    size_t i = 0;
    digest = tac__hash_word(digest, t_us);
    for (uint64_t k = 0; k < 4; k++)
        way[k] = digest + k;
    for (; words >= 8 && i < words / 4 * 4; i++)
        way[i % 4] = tac__hash_f64(way[i % 4], value[i]);
    digest = way[0];
    for (size_t k = 1; words >= 8 && k < 4; k++)
        digest = tac__hash_word(digest, way[k]);
    for (; i < words; i++)
        digest = tac__hash_f64(digest, value[i]);
    return digest;
}

enum { MOST = 21 };

static uint64_t digest(const double *value, size_t words)
{
    const uint64_t wide = tac__digest_wide(5, 1000, value, words);
    const uint64_t nans = tac__digest_nans(5, 1000, value, words);
    assert_true(nans == wide);
    if (words == 1 && !tac__digest_nan(value, 1))
        assert_true(tac__digest_numbers(5, 1000, value, 1) == wide);
    if (words == 3 && !tac__digest_nan(value, 3))
        assert_true(tac__digest_numbers(5, 1000, value, 3) == wide);
    if (words == 4 && !tac__digest_nan(value, 4))
        assert_true(tac__digest_numbers(5, 1000, value, 4) == wide);
    return wide;
}

static void check(const double *value, size_t words)
{
    assert_true(digest(value, words) == define(5, 1000, value, words));
}

static void test_numbers(void **state)
{
    (void)state;
    double value[MOST];
    for (size_t i = 0; i < MOST; i++)
        value[i] = 0.3 + (double)i;
    for (size_t words = 0; words <= MOST; words++)
        check(value, words);
    // What the definition gives is in every recorded hash.
    assert_true(digest(value, 3) == UINT64_C(0x54bbc3e3da8ca29d));
    assert_true(digest(value, 19) == UINT64_C(0xeff6dd3b09fe468a));
}

// A NaN at any place, of any payload; infinities whose sum is one.
static void test_nans(void **state)
{
    (void)state;
    for (size_t words = 1; words <= MOST; words++) {
        for (size_t at = 0; at < words; at++) {
            double a[MOST] = {0}, b[MOST] = {0};
            a[at] = (double)NAN;
            b[at] = -nan("77");
            check(a, words);
            check(b, words);
            assert_true(digest(a, words) == digest(b, words));
            a[at] = (double)INFINITY;
            a[(at + 1) % words] = -(double)INFINITY;
            check(a, words);
        }
    }
}

// Every way to mix in a long value gives what the definition says, wherever the value lies; and
// finds a NaN at any place.
static void check_way(tac__digest_way way, const char *name)
{
    double memory[MOST + 4];
    for (size_t at = 0; at < 4; at++) {
        double *value = memory + at;
        for (size_t words = TAC__DIGEST_WIDE; words <= MOST; words++) {
            for (size_t i = 0; i < words; i++)
                value[i] = (i % 3 ? -1e3 : 1e-3) * (0.3 + (double)(i + at));
            uint64_t digest = 5;
            bool nan;
            if (!tac__digest_by(way, &digest, 1000, value, words, &nan)) {
                print_message("%s: not on this machine\n", name);
                return;
            }
            assert_false(nan);
            assert_true(digest == define(5, 1000, value, words));
            for (size_t i = 0; i < words; i++) {
                const double kept = value[i];
                value[i] = (double)NAN;
                assert_true(tac__digest_by(way, &digest, 1000, value, words, &nan));
                assert_true(nan);
                value[i] = kept;
            }
        }
    }
    print_message("%s: ran\n", name);
}

static void test_ways(void **state)
{
    (void)state;
    check_way(TAC__DIGEST_WORDS, "word by word");
    check_way(TAC__DIGEST_AVX2, "AVX2");
    check_way(TAC__DIGEST_AVX512, "AVX-512");
}

TEST_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_nans), cmocka_unit_test(test_ways))
