// Random streams: the published vectors of Philox, and that streams are even and independent.
#include "support/test.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// kat_vectors of Random123 for philox4x32, 10 rounds.
static void test_published_vectors(void **state)
{
    (void)state;
    static const struct {
        uint32_t counter[4], key[2], words[4];
    } vectors[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
        uint32_t words[4];
        tac__philox(vectors[i].counter, vectors[i].key, words);
        assert_memory_equal(words, vectors[i].words, sizeof words);
    }
}

// These numbers are in every recorded run with noise in it: they may not change.
static void test_fixed_draws(void **state)
{
    (void)state;
    const tac__stream stream = tac__stream_make(7, "uav1.imu.gyro");
    uint32_t words[4];
    tac__stream_words(&stream, 3, words);
    static const uint32_t expected[4] = {0xcd08a78f, 0x7c74c765, 0xc5234121, 0x76b0ecd1};
    assert_memory_equal(words, expected, sizeof words);
    assert_true(tac__stream_uniform(&stream, 0) == 0x1.68638497488e8p-2);
    assert_true(tac__stream_uniform(&stream, UINT64_C(1) << 40) == 0x1.aec0b74b646a8p-3);
}

// Streams side by side are those same streams.
static void test_streams_of_lanes(void **state)
{
    (void)state;
    tac__stream_lanes streams;
    tac__stream each[TAC__STREAM_LANES];
    for (int lane = 0; lane < TAC__STREAM_LANES; lane++) {
        each[lane] = tac__stream_make((uint64_t)lane, "lane");
        tac__stream_lanes_set(&streams, lane, &each[lane]);
    }
    for (int lane = 0; lane < TAC__STREAM_LANES; lane++) {
        const tac__stream back = tac__stream_lanes_get(&streams, lane);
        assert_memory_equal(&back, &each[lane], sizeof back);
    }
}

// A stream has no state: any draw, in any order, as often as you like.
static void test_draws_by_index(void **state)
{
    (void)state;
    const tac__stream a = tac__stream_make(1, "x"), b = tac__stream_make(1, "x");
    double forward[100];
    for (uint64_t i = 0; i < 100; i++)
        forward[i] = tac__stream_uniform(&a, i);
    for (uint64_t i = 100; i-- > 0;)
        assert_true(tac__stream_uniform(&b, i) == forward[i]);
    // Both halves of the index count.
    assert_true(tac__stream_uniform(&a, 1) != tac__stream_uniform(&a, 1 + (UINT64_C(1) << 32)));
}

static void test_uniform(void **state)
{
    (void)state;
    enum { DRAWS = 1000000, BINS = 100 };
    static unsigned bins[BINS];
    memset(bins, 0, sizeof bins);
    const tac__stream stream = tac__stream_make(2026, "uniform");
    double sum = 0, squares = 0, neighbours = 0, last = 0.5, least = 1, most = 0;
    for (uint64_t i = 0; i < DRAWS; i++) {
        const double u = tac__stream_uniform(&stream, i);
        assert_true(u >= 0.0 && u < 1.0);
        bins[(int)(u * BINS)]++;
        sum += u;
        squares += u * u;
        neighbours += (u - 0.5) * (last - 0.5);
        last = u;
        least = fmin(least, u);
        most = fmax(most, u);
    }
    // Five sigma each: the draws are fixed, so this can only fail if the code changes.
    const double n = DRAWS;
    assert_true(fabs(sum / n - 0.5) < 5 * sqrt(1.0 / 12 / n));
    assert_true(fabs(squares / n - 1.0 / 3) < 5 * sqrt(4.0 / 45 / n));
    assert_true(fabs(neighbours / n) < 5 / 12.0 / sqrt(n));
    assert_true(least < 2e-5 && most > 1 - 2e-5);
    double chi2 = 0;
    for (int i = 0; i < BINS; i++)
        chi2 += pow(bins[i] - n / BINS, 2) / (n / BINS);
    assert_true(chi2 > 99 - 5 * sqrt(2 * 99.0) && chi2 < 99 + 5 * sqrt(2 * 99.0));
}

// All 53 bits are used, the lowest too.
static void test_resolution(void **state)
{
    (void)state;
    const tac__stream stream = tac__stream_make(3, "bits");
    unsigned ones[53] = {0};
    enum { DRAWS = 10000 };
    for (uint64_t i = 0; i < DRAWS; i++) {
        const uint64_t bits = (uint64_t)(tac__stream_uniform(&stream, i) * 0x1p53);
        for (int k = 0; k < 53; k++)
            ones[k] += (unsigned)(bits >> k & 1);
    }
    for (int k = 0; k < 53; k++)
        assert_true(ones[k] > DRAWS / 2 - 300 && ones[k] < DRAWS / 2 + 300);
}

static double correlation(tac__stream a, tac__stream b, uint64_t lag)
{
    enum { DRAWS = 20000 };
    double sum = 0;
    for (uint64_t i = 0; i < DRAWS; i++)
        sum += (tac__stream_uniform(&a, i) - 0.5) * (tac__stream_uniform(&b, i + lag) - 0.5);
    return sum / DRAWS * 12;
}

// Names or seeds that hardly differ give streams that have nothing to do with each other.
static void test_streams_are_independent(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        const char *name;
    } streams[] = {{1, "imu.x"}, {1, "imu.y"}, {1, "imu.x "}, {1, ""},
                   {2, "imu.x"}, {0, "imu.x"}, {1, "x.imu"},  {UINT64_MAX, "imu.x"}};
    enum { COUNT = sizeof streams / sizeof *streams };
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < i; j++) {
            const tac__stream a = tac__stream_make(streams[i].seed, streams[i].name);
            const tac__stream b = tac__stream_make(streams[j].seed, streams[j].name);
            assert_memory_not_equal(&a, &b, sizeof a);
            for (uint64_t lag = 0; lag < 3; lag++) {
                const double r = correlation(a, b, lag);
                if (fabs(r) > 5 / sqrt(20000.0))
                    fail_msg("streams %zu and %zu correlate by %g at lag %d", i, j, r, (int)lag);
            }
        }
    }
    // Ten thousand names, ten thousand keys.
    static uint64_t keys[10000];
    for (int i = 0; i < 10000; i++) {
        char name[32];
        snprintf(name, sizeof name, "uav%d.imu.noise", i);
        const tac__stream s = tac__stream_make(1, name);
        keys[i] = (uint64_t)s.key[0] << 32 | s.key[1];
        for (int j = 0; j < i; j++)
            assert_true(keys[j] != keys[i]);
    }
}

TEST_MAIN(cmocka_unit_test(test_published_vectors), cmocka_unit_test(test_fixed_draws),
          cmocka_unit_test(test_streams_of_lanes), cmocka_unit_test(test_draws_by_index),
          cmocka_unit_test(test_uniform), cmocka_unit_test(test_resolution),
          cmocka_unit_test(test_streams_are_independent))
