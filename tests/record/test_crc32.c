// The CRC: its published check value, and both ways of computing it against a bit at a time.
#include "support/test.h"

#include "record/mcap/crc32.h"

#include <string.h>

enum { SIZE = 700 };

static unsigned char bytes[SIZE];

static uint32_t by_bits(uint32_t crc, const unsigned char *at, size_t size)
{
    crc = ~crc;
    for (size_t i = 0; i < size; i++) {
        crc ^= at[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ UINT32_C(0xedb88320) : crc >> 1;
    }
    return ~crc;
}

static void test_check_value(void **state)
{
    (void)state;
    assert_int_equal(tac__crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(tac__crc32_plain(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(tac__crc32(0, "", 0), 0);
}

// Every length, and every way of lying in memory.
static void test_lengths(void **state)
{
    (void)state;
    uint32_t x = 1;
    for (size_t i = 0; i < SIZE; i++) {
        x = x * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(x >> 24);
    }
    for (size_t from = 0; from < 17; from++) {
        for (size_t size = 0; size + from <= SIZE; size += from ? 13 : 1) {
            const uint32_t start = (uint32_t)(size * 0x9e3779b9u);
            const uint32_t expected = by_bits(start, bytes + from, size);
            assert_int_equal(tac__crc32_plain(start, bytes + from, size), expected);
            assert_int_equal(tac__crc32(start, bytes + from, size), expected);
        }
    }
}

// In two parts as in one.
static void test_parts(void **state)
{
    (void)state;
    const uint32_t whole = by_bits(0, bytes, SIZE);
    for (size_t cut = 0; cut <= SIZE; cut++)
        assert_int_equal(tac__crc32(tac__crc32(0, bytes, cut), bytes + cut, SIZE - cut), whole);
}

TEST_MAIN(cmocka_unit_test(test_check_value), cmocka_unit_test(test_lengths),
          cmocka_unit_test(test_parts))
