// Rings in shared memory: what is written is read, and a peer that forges counters does no harm.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "federation/peers.h"
#include "federation/ring.h"

enum { SIZE = 4096 };

// A ring whose bytes lie between two pages that cannot be touched.
typedef struct bench {
    unsigned char *pages;
    tac__ring *ring;
    tac__ring_end reader, writer;
} bench;

static bench set_up(uint64_t start)
{
    bench b = {.pages = mmap(NULL, 3 * SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)};
    assert_true(b.pages != MAP_FAILED);
    assert_int_equal(mprotect(b.pages + SIZE, SIZE, PROT_READ | PROT_WRITE), 0);
    b.ring = shared(sizeof *b.ring);
    b.ring->put = b.ring->taken = start;
    b.reader = b.writer = (tac__ring_end){
        .ring = b.ring, .bytes = b.pages + SIZE, .size = SIZE, .own = start, .other = start};
    return b;
}

static void tear_down(bench *b)
{
    munmap(b->pages, 3 * SIZE);
    munmap(b->ring, sizeof *b->ring);
}

static uint64_t seed = 1;

static size_t any(size_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(seed >> 33) % below;
}

// Against a count of what must be in the ring, also where the counters overflow.
static void test_stream(void **state)
{
    (void)state;
    static const uint64_t starts[] = {0, SIZE - 1, UINT64_MAX - 20000};
    for (size_t k = 0; k < sizeof starts / sizeof *starts; k++) {
        bench b = set_up(starts[k]);
        uint64_t put = 0, taken = 0;
        for (int i = 0; i < 20000; i++) {
            unsigned char bytes[2 * SIZE];
            const size_t n = 1 + any(any(4) ? 100 : 2 * SIZE);
            assert_int_equal(tac__ring_filled(&b.reader), put - taken);
            assert_int_equal(tac__ring_free(&b.writer), SIZE - (put - taken));
            if (any(2)) {
                for (size_t j = 0; j < n; j++)
                    bytes[j] = byte_at(3, put + j);
                const size_t room = SIZE - (size_t)(put - taken);
                const size_t done = tac__ring_write(&b.writer, bytes, n);
                assert_int_equal(done, n < room ? n : room);
                put += done;
            } else {
                const size_t done = tac__ring_read(&b.reader, bytes, n);
                assert_int_equal(done, n < put - taken ? n : put - taken);
                for (size_t j = 0; j < done; j++)
                    assert_int_equal(bytes[j], byte_at(3, taken + j));
                taken += done;
            }
        }
        assert_true(taken > 20000); // past the overflow
        tear_down(&b);
    }
}

// The other side's counter has any value: either it is refused, or it is one that an honest peer
// could have told and only bytes of the ring are touched.
static void test_forged(void **state)
{
    (void)state;
    static const uint64_t near[] = {0, SIZE, 2 * SIZE, 1u << 31, (uint64_t)1 << 63, UINT64_MAX};
    for (int i = 0; i < 5000; i++) {
        bench b = set_up(any(3) ? any(3 * SIZE) : UINT64_MAX - any(100));
        unsigned char bytes[3 * SIZE] = {0};
        tac__ring_write(&b.writer, bytes, any(SIZE + 1));
        tac__ring_read(&b.reader, bytes, any(SIZE));
        const uint64_t off = near[any(sizeof near / sizeof *near)] + any(5) - 2;
        uint64_t forged = any(2) ? b.reader.own + off : b.writer.own - off;
        b.ring->put = b.ring->taken = forged;
        const bool can_read = forged - b.reader.own <= SIZE,
                   can_write = b.writer.own - forged <= SIZE;
        tac__ring_end reader = b.reader, writer = b.writer;
        assert_int_equal(tac__ring_filled(&reader), can_read ? forged - b.reader.own : SIZE_MAX);
        assert_int_equal(tac__ring_free(&writer),
                         can_write ? SIZE - (b.writer.own - forged) : SIZE_MAX);
        // Reading and writing as much as can be asked for.
        const size_t got = tac__ring_read(&b.reader, bytes, sizeof bytes);
        assert_int_equal(got, can_read ? forged - reader.own : SIZE_MAX);
        b.ring->taken = forged;
        const size_t wrote = tac__ring_write(&b.writer, bytes, sizeof bytes);
        assert_int_equal(wrote, can_write ? SIZE - (writer.own - forged) : SIZE_MAX);
        tear_down(&b);
    }
}

static void test_sleep(void **state)
{
    (void)state;
    bench b = set_up(0);
    unsigned char byte = 7;
    assert_int_equal(tac__ring_write(&b.writer, &byte, 1), 1);
    assert_false(tac__ring_wakes_reader(&b.writer));
    tac__ring_reader_sleeps(&b.reader, true);
    assert_false(tac__ring_wakes_writer(&b.reader));
    assert_true(tac__ring_wakes_reader(&b.writer));
    assert_false(tac__ring_wakes_reader(&b.writer)); // once
    tac__ring_writer_sleeps(&b.writer, true);
    tac__ring_writer_sleeps(&b.writer, false);
    assert_false(tac__ring_wakes_writer(&b.reader)); // woken by something else meanwhile
    tear_down(&b);
}

TEST_MAIN(cmocka_unit_test(test_stream), cmocka_unit_test(test_forged),
          cmocka_unit_test(test_sleep))
