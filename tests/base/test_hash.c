// The content hash: fixed values, the same on every machine, and that it tells things apart.
#include "support/test.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t of_bytes(const void *bytes, size_t n)
{
    return tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, bytes, n));
}

// The definition once more, in other words: little-endian words, padded with zeros, then the
// length.
static uint64_t by_definition(const unsigned char *bytes, size_t n)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);
    for (size_t word = 0; word <= (n + 7) / 8; word++) {
        uint64_t w = 0;
        for (size_t k = 8; k-- > 0;)
            w = w << 8 | (8 * word + k < n ? bytes[8 * word + k] : 0);
        if (word == (n + 7) / 8)
            w = n;
        h ^= w;
        h *= UINT64_C(0xd6e8feb86659fd93);
        h ^= h >> 32;
    }
    h = (h ^ (h >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ (h >> 32)) * UINT64_C(0x94d049bb133111eb);
    return h ^ (h >> 31);
}

static void test_definition(void **state)
{
    (void)state;
    unsigned char bytes[200];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 151 + 7);
    for (size_t offset = 0; offset < 9; offset++) { // whatever its alignment
        for (size_t n = 0; n + offset <= sizeof bytes; n++)
            assert_true(of_bytes(bytes + offset, n) == by_definition(bytes + offset, n));
    }
}

// These values are in recordings and golden files: they may not change.
static void test_fixed(void **state)
{
    (void)state;
    assert_true(of_bytes("", 0) == UINT64_C(0xd1c287ce6e088b88));
    assert_true(of_bytes("a", 1) == UINT64_C(0xb2053df3d0370af4));
    assert_true(of_bytes("Nav.position", 12) == UINT64_C(0x296991670855831d));
    assert_true(tac__hash_end(tac__hash_word(TAC__HASH_SEED, 0)) == UINT64_C(0xd1c287ce6e088b88));
    assert_true(tac__hash_end(tac__hash_f64(TAC__HASH_SEED, 1.5)) == UINT64_C(0xb444d915237e8daf));
}

static void test_text(void **state)
{
    (void)state;
    assert_true(tac__hash_text(1, "Nav.position") == tac__hash_bytes(1, "Nav.position", 12));
    assert_true(tac__hash_text(1, "") == tac__hash_bytes(1, "x", 0));
    assert_true(tac__hash_text(1, "") != 1);
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Zeros of any number, any one byte in any place, chains of words: all different.
static void test_distinct(void **state)
{
    (void)state;
    enum { ZEROS = 300, PLACES = 40, WORDS = 5000 };
    static uint64_t seen[ZEROS + PLACES * 255 + WORDS];
    static const unsigned char zeros[ZEROS];
    size_t n = 0;
    for (size_t i = 0; i < ZEROS; i++)
        seen[n++] = of_bytes(zeros, i); // the length alone distinguishes
    for (size_t place = 0; place < PLACES; place++) {
        for (int value = 1; value < 256; value++) {
            unsigned char bytes[PLACES] = {0};
            bytes[place] = (unsigned char)value;
            seen[n++] = of_bytes(bytes, sizeof bytes);
        }
    }
    tac__hash h = 1;
    for (uint64_t i = 0; i < WORDS; i++) {
        h = tac__hash_word(h, i);
        seen[n++] = tac__hash_end(h);
    }
    qsort(seen, n, sizeof *seen, compare);
    for (size_t i = 1; i < n; i++)
        assert_true(seen[i - 1] != seen[i]);

    // "ab" + "c" is not "a" + "bc", and order matters.
    assert_true(tac__hash_text(tac__hash_text(1, "ab"), "c") !=
                tac__hash_text(tac__hash_text(1, "a"), "bc"));
    assert_true(tac__hash_word(tac__hash_word(1, 2), 3) != tac__hash_word(tac__hash_word(1, 3), 2));
}

// Flipping one bit of the input flips about half of the 64 bits of the result.
static void test_avalanche(void **state)
{
    (void)state;
    enum { LENGTH = 24, TRIALS = 200 };
    static unsigned flips[LENGTH * 8][64];
    memset(flips, 0, sizeof flips);
    uint64_t random = 42;
    for (int trial = 0; trial < TRIALS; trial++) {
        unsigned char bytes[LENGTH];
        for (size_t i = 0; i < LENGTH; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            bytes[i] = (unsigned char)(random >> 56);
        }
        const uint64_t before = of_bytes(bytes, LENGTH);
        for (size_t bit = 0; bit < LENGTH * 8; bit++) {
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            const uint64_t changed = before ^ of_bytes(bytes, LENGTH);
            bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
            for (int k = 0; k < 64; k++)
                flips[bit][k] += (unsigned)(changed >> k & 1);
        }
    }
    // 200 fair coins give 100 +- 7; 6 sigma over 12288 of them.
    for (size_t bit = 0; bit < LENGTH * 8; bit++) {
        for (int k = 0; k < 64; k++) {
            if (flips[bit][k] < 58 || flips[bit][k] > 142)
                fail_msg("input bit %zu flips bit %d in %u of %d", bit, k, flips[bit][k], TRIALS);
        }
    }
}

static void test_doubles(void **state)
{
    (void)state;
    // Every NaN is alike: sign and payload are up to the compiler.
    uint64_t odd_bits = UINT64_C(0xfff8dead0000beef);
    double odd;
    memcpy(&odd, &odd_bits, sizeof odd);
    assert_true(tac__hash_f64(1, (double)NAN) == tac__hash_f64(1, -(double)NAN));
    assert_true(tac__hash_f64(1, (double)NAN) == tac__hash_f64(1, odd));
    // Everything else by its bits.
    assert_true(tac__hash_f64(1, 0.0) != tac__hash_f64(1, -0.0));
    assert_true(tac__hash_f64(1, 1.0) != tac__hash_f64(1, nextafter(1.0, 2.0)));
    assert_true(tac__hash_f64(1, (double)INFINITY) != tac__hash_f64(1, (double)NAN));
    assert_true(tac__hash_f64(1, 1.0) == tac__hash_word(1, UINT64_C(0x3ff0000000000000)));
}

// The last step can be undone.
static void test_reopen(void **state)
{
    (void)state;
    tac__hash h = TAC__HASH_SEED;
    for (uint64_t i = 0; i < 1000; i++, h = tac__hash_word(h, i))
        assert_true(tac__hash_reopen(tac__hash_end(h)) == h);
    assert_true(tac__hash_reopen(tac__hash_end(0)) == 0);
    assert_true(tac__hash_reopen(tac__hash_end(UINT64_MAX)) == UINT64_MAX);
}

TEST_MAIN(cmocka_unit_test(test_reopen), cmocka_unit_test(test_definition),
          cmocka_unit_test(test_fixed), cmocka_unit_test(test_text),
          cmocka_unit_test(test_distinct), cmocka_unit_test(test_avalanche),
          cmocka_unit_test(test_doubles))
