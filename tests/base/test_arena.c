// Arenas: alignment, zeros, no overlap, and every way of running out of memory.
#include "support/allocator.h"
#include "support/test.h"

#include "base/arena.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static void test_default_allocator(void **state)
{
    (void)state;
    const tac_allocator *a = tac_allocator_default();
    char *p = a->resize(a->context, NULL, 0, 10);
    assert_non_null(p);
    memcpy(p, "012345678", 10);
    p = a->resize(a->context, p, 10, 100000);
    assert_non_null(p);
    assert_string_equal(p, "012345678");
    assert_null(a->resize(a->context, p, 100000, 0));
    assert_null(a->resize(a->context, NULL, 0, 0));

    tac__arena arena;
    tac__arena_init(&arena, NULL);
    assert_ptr_equal(arena.allocator, a);
    assert_non_null(tac__arena_alloc(&arena, 1));
    tac__arena_fini(&arena);
}

// The most that this process had in memory, and has now.
static size_t resident(void)
{
    unsigned long all, now;
    FILE *f = fopen("/proc/self/statm", "r");
    assert_non_null(f);
    assert_int_equal(fscanf(f, "%lu %lu", &all, &now), 2);
    fclose(f);
    return now * 4096;
}

// Large blocks hold what was asked for and keep it, whatever is beside them, and go back to the
// system when they are freed.
static void test_large_blocks(void **state)
{
    (void)state;
    enum { COUNT = 12 };
    unsigned char *at[COUNT];
    size_t size[COUNT];
    const size_t before = resident();
    for (int turn = 0; turn < 3; turn++) {
        tac__arena arena;
        tac__arena_init(&arena, NULL);
        for (int i = 0; i < COUNT; i++) {
            size[i] = (2 << 20) + (size_t)i * 700001;
            at[i] = tac__arena_alloc(&arena, size[i]);
            assert_non_null(at[i]);
            assert_int_equal((uintptr_t)at[i] % 64, 0);
            assert_true(at[i][0] == 0 && at[i][size[i] - 1] == 0);
            memset(at[i], i + 1, size[i]);
            if (i % 4 == 1)
                tac__arena_release(&arena, at[i]);
        }
        for (int i = 0; i < COUNT; i++) {
            if (i % 4 == 1)
                continue;
            for (size_t k = 0; k < size[i]; k += 997)
                assert_int_equal(at[i][k], i + 1);
            assert_int_equal(at[i][size[i] - 1], i + 1);
        }
        assert_true(resident() > before + (16 << 20));
        tac__arena_fini(&arena);
        assert_true(resident() < before + (8 << 20));
    }
}

enum { PIECES = 2000 };

// Many sizes, each filled with its own pattern: zeroed before, aligned, intact at the end.
static void use_many_sizes(const tac_allocator *allocator)
{
    static struct {
        unsigned char *at;
        size_t size;
    } pieces[PIECES];
    tac__arena arena;
    tac__arena_init(&arena, allocator);
    uint32_t random = 1;
    for (size_t i = 0; i < PIECES; i++) {
        random = random * 1664525u + 1013904223u;
        const size_t size = i % 97 == 0   ? (random >> 8) % 100000
                            : i % 31 == 0 ? 250 + (random >> 24) % 12
                                          : (random >> 24) % 70;
        unsigned char *at = tac__arena_alloc(&arena, size);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % (size >= 256 ? 64 : 16), 0);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(at[k], 0);
        memset(at, (int)(i % 255 + 1), size);
        pieces[i].at = at;
        pieces[i].size = size;
    }
    for (size_t i = 0; i < PIECES; i++) {
        for (size_t k = 0; k < pieces[i].size; k++)
            assert_int_equal(pieces[i].at[k], i % 255 + 1);
    }
    tac__arena_fini(&arena);
    tac__arena_fini(&arena); // twice is harmless
}

// An allocator that keeps to what malloc promises on small machines: multiples of 8.
static void *resize_8(void *context, void *old, size_t old_size, size_t size)
{
    const tac_allocator *inner = context;
    char *base = old ? (char *)old - 8 : NULL;
    char *got = inner->resize(inner->context, base, old ? old_size + 8 : 0, size ? size + 8 : 0);
    return got ? got + 8 : NULL;
}

static void test_many_sizes(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    use_many_sizes(&hook);
    test_allocator_check_empty(&counts);
    assert_int_equal(counts.calls, counts.frees);

    tac_allocator inner = hook, odd = {resize_8, &inner};
    use_many_sizes(&odd);
    test_allocator_check_empty(&counts);
}

static void test_few_blocks(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    assert_int_equal(counts.calls, 0); // nothing before it is needed
    for (int i = 0; i < 100000; i++)
        assert_non_null(tac__arena_alloc(&arena, 16));
    assert_true(counts.calls <= 9); // blocks double up to 128 kB, then they have 2 MB
    assert_true(counts.live_bytes < 3 * 1600000);
    // Nothing has size 0 and the address of something else.
    void *a = tac__arena_alloc(&arena, 0), *b = tac__arena_alloc(&arena, 0);
    assert_non_null(a);
    assert_ptr_not_equal(a, b);
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

// The first block, as an allocator gave it.
typedef struct first_block {
    const tac_allocator *inner;
    char *at;
    size_t size, blocks;
} first_block;

static void *resize_first(void *context, void *old, size_t old_size, size_t size)
{
    first_block *f = context;
    char *got = f->inner->resize(f->inner->context, old, old_size, size);
    if (!old && f->blocks++ == 0) {
        f->at = got;
        f->size = size;
    }
    return got;
}

// Blocks are filled to the last byte and no further: something has a new block if and only if it
// does not fit behind what was there before.
static void test_full_blocks(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator inner = test_allocator_hook(&counts);
    for (size_t size = 1; size <= 400; size++) {
        first_block first = {.inner = &inner};
        const tac_allocator hook = {resize_first, &first};
        tac__arena arena;
        tac__arena_init(&arena, &hook);
        const size_t alignment = size >= 256 ? 64 : 16;
        uintptr_t end = 0;
        for (bool inside = true; inside;) {
            const uintptr_t at = (uintptr_t)tac__arena_alloc(&arena, size);
            const uintptr_t limit = (uintptr_t)first.at + first.size;
            if (end) { // where it would begin
                const uintptr_t begin = (end + alignment - 1) / alignment * alignment;
                inside = begin + size <= limit;
                assert_true(inside == (at == begin));
                assert_int_equal(first.blocks, inside ? 1 : 2);
            }
            assert_int_equal(at % alignment, 0);
            memset((void *)at, 0xff, size);
            end = at + size;
        }
        tac__arena_fini(&arena);
    }
    test_allocator_check_empty(&counts);
}

// After its end an arena is a new one.
static void test_again(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    size_t bytes = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 1000; i++)
            assert_non_null(tac__arena_alloc(&arena, 100));
        assert_true(turn == 0 || counts.live_bytes == bytes);
        bytes = counts.live_bytes;
        tac__arena_fini(&arena);
        test_allocator_check_empty(&counts);
    }
}

static void test_impossible_sizes(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    assert_non_null(tac__arena_alloc(&arena, 1));
    assert_null(tac__arena_alloc(&arena, SIZE_MAX));
    assert_null(tac__arena_alloc(&arena, SIZE_MAX / 2));
    assert_null(tac__arena_array(&arena, SIZE_MAX / 8, 16));
    assert_null(tac__arena_array(&arena, SIZE_MAX, SIZE_MAX));
    assert_null(tac__arena_array(&arena, (size_t)1 << 33, (size_t)1 << 33)); // 2^66 wraps to 4
    assert_int_equal(counts.calls, 1); // refused without asking
    assert_non_null(tac__arena_array(&arena, 0, 16));
    assert_non_null(tac__arena_array(&arena, 16, 0));
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

static void test_texts(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    char source[] = "Nav.position";
    char *copy = tac__arena_text(&arena, source), *empty = tac__arena_text(&arena, "");
    source[0] = '#';
    assert_string_equal(copy, "Nav.position");
    assert_string_equal(empty, "");
    assert_string_equal(tac__arena_format(&arena, "%s[%d]", copy, 42), "Nav.position[42]");
    // Each text ends where it should, also when others have come behind it.
    static const char *wide[4200];
    for (int width = 1; width < 4200; width++) {
        wide[width] = tac__arena_format(&arena, "%*d", width, 7);
        assert_non_null(wide[width]);
    }
    for (int width = 1; width < 4200; width++) {
        assert_int_equal(strlen(wide[width]), width);
        assert_int_equal(wide[width][width - 1], '7');
    }
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

static void test_grow(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    struct pair {
        int i;
        double x;
    } *pairs = NULL, *first = NULL;
    size_t count = 0;
    TAC__CAPACITY(struct pair) capacity = {0};
    for (int i = 0; i < 1000; i++) {
        assert_true(TAC__ARENA_GROW(&arena, pairs, count, capacity));
        assert_true(count < capacity.count);
        if (!first)
            first = pairs;
        pairs[count++] = (struct pair){i, i * 0.5};
    }
    for (int i = 0; i < 1000; i++)
        assert_true(pairs[i].i == i && pairs[i].x == i * 0.5);
    assert_ptr_not_equal(first, pairs);
    assert_int_equal(first[7].i, 7); // stale, but never dangling
    tac__arena_fini(&arena);
}

// A capacity says nothing about another array, even of the same type, so arrays that share one (a
// mistake) and arrays that no capacity has measured (copies) still have room for every element. The
// sizes lie on both sides of the one from which arrays grow by a quarter.
static void test_capacity_of_another_array(void **state)
{
    (void)state;
    typedef struct large {
        uint64_t words[11];
    } large;
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    large *a = NULL, *b = NULL, *c = NULL;
    TAC__CAPACITY(large) shared = {0};
    TAC__CAPACITY(large) own = {0};
    enum { COUNT = 4000 };
    for (size_t n = 0; n < COUNT; n++) {
        assert_true(TAC__ARENA_GROW(&arena, c, n, own));
        c[n].words[10] = n;
        if (n % 400)
            continue;
        assert_true(TAC__ARENA_GROW(&arena, a, n / 400, shared));
        a[n / 400] = (large){{n}};
        assert_true(TAC__ARENA_GROW(&arena, b, n / 400, shared));
        b[n / 400] = (large){{~(uint64_t)n}};
        // A copy that fits exactly.
        large *exact = tac__arena_array(&arena, n + 1, sizeof *exact);
        assert_non_null(exact);
        memcpy(exact, c, (n + 1) * sizeof *exact);
        c = exact;
    }
    for (size_t n = 0; n < COUNT; n++) {
        assert_int_equal(c[n].words[10], n);
        if (n % 400 == 0)
            assert_true(a[n / 400].words[0] == n && b[n / 400].words[0] == ~(uint64_t)n);
    }
    tac__arena_fini(&arena);
}

// A bit of everything; true if there was memory for it.
static bool build(tac__arena *arena)
{
    int *numbers = NULL;
    size_t count = 0;
    TAC__CAPACITY(int) capacity = {0};
    for (int i = 0; i < 3000; i++) {
        if (!TAC__ARENA_GROW(arena, numbers, count, capacity))
            return false;
        numbers[count++] = i;
        if (i % 100 == 0 && (!tac__arena_text(arena, "text") ||
                             !tac__arena_format(arena, "%d", i) || !tac__arena_alloc(arena, 5000)))
            return false;
    }
    return numbers[2999] == 2999;
}

static void test_every_allocation_fails_once(void **state)
{
    (void)state;
    uint64_t n = 1;
    for (bool built = false; !built; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__arena arena;
        tac__arena_init(&arena, &hook);
        built = build(&arena);
        assert_int_equal(counts.failed, built ? 0 : 1);
        // After a failure the arena is as good as before it.
        if (!built)
            assert_non_null(tac__arena_alloc(&arena, 100000));
        tac__arena_fini(&arena);
        test_allocator_check_empty(&counts);
    }
    assert_true(n > 5);
}

// An array that grows large leaves no copies behind, and small things go on where they were.
static void test_large_arrays(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    uint64_t *array = NULL, *other = NULL;
    size_t n = 0, m = 0;
    TAC__CAPACITY(uint64_t) capacity = {0};
    TAC__CAPACITY(uint64_t) room = {0};
    enum { COUNT = (1 << 20) + 5 }; // not the capacity of an array that doubles
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(TAC__ARENA_GROW(&arena, array, n, capacity));
        assert_true(array[n] == 0);
        array[n++] = i;
        assert_true(capacity.count <= 65536 || capacity.count <= n + n / 4 + 1);
        if (i % 3)
            continue;
        assert_true(TAC__ARENA_GROW(&arena, other, m, room));
        other[m++] = ~(uint64_t)i;
    }
    for (size_t i = 0; i < n; i++)
        assert_true(array[i] == i && (i % 3 || other[i / 3] == ~(uint64_t)i));
    assert_true(counts.live_bytes < sizeof(uint64_t) * (n + m) * 3 / 2);
    tac__arena_release(&arena, other);
    assert_true(counts.live_bytes < sizeof(uint64_t) * n * 3 / 2);
    tac__arena_release(&arena, array + 1); // not what was allocated: nothing happens
    assert_true(array[7] == 7);
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

// From 256 kB on memory can be given back, wherever it stands in the arena; what is smaller, or was
// cleared, stays.
static void test_release(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    enum { PARTS = 6, ALONE = 256 << 10 };
    for (int order = 0; order < 2 * PARTS; order++) {
        tac__arena arena;
        tac__arena_init(&arena, &hook);
        unsigned char *large[PARTS];
        unsigned char *small = order % 2 ? tac__arena_alloc(&arena, 100) : NULL;
        for (int i = 0; i < PARTS; i++) {
            large[i] = tac__arena_alloc(&arena, ALONE + (size_t)i);
            memset(large[i], i, ALONE + (size_t)i);
        }
        for (int i = 0; i < PARTS; i++) {
            const int k = (i + order / 2) % PARTS;
            const size_t before = counts.live_bytes;
            assert_true(large[k][0] == k && large[k][ALONE + k - 1] == k);
            tac__arena_release(&arena, large[k]);
            assert_true(counts.live_bytes <= before - ALONE);
            memset(tac__arena_alloc(&arena, 100), 0xff, 100);
        }
        unsigned char *less = tac__arena_alloc(&arena, ALONE - 1);
        const size_t before = counts.live_bytes;
        tac__arena_release(&arena, less);
        tac__arena_release(&arena, small);
        tac__arena_release(&arena, NULL);
        assert_int_equal(counts.live_bytes, before);
        tac__arena_fini(&arena);
        test_allocator_check_empty(&counts);
    }
    // A large block that is used for others after a clear is not given back with the first of them.
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    tac__arena_alloc(&arena, ALONE);
    tac__arena_clear(&arena);
    unsigned char *first = tac__arena_alloc(&arena, 256), *second = tac__arena_alloc(&arena, 256);
    assert_int_equal(counts.live_blocks, 1);
    memset(second, 3, 256);
    tac__arena_release(&arena, first);
    assert_int_equal(counts.live_blocks, 1);
    assert_int_equal(second[255], 3);
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

// What comes after it takes the memory of what was before it, zeroed.
static void test_clear(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__arena_init(&arena, &hook);
    tac__arena_clear(&arena);
    size_t taken = 0;
    for (int turn = 0; turn < 50; turn++) {
        for (int i = 0; i < 100; i++) {
            const size_t size = i % 2 ? 500 : 20;
            unsigned char *bytes = tac__arena_alloc(&arena, size);
            for (size_t k = 0; k < size; k++)
                assert_int_equal(bytes[k], 0);
            memset(bytes, 0xff, size);
        }
        tac__arena_clear(&arena);
        if (turn == 5)
            taken = counts.live_bytes;
        assert_true(turn < 5 || counts.live_bytes == taken);
    }
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

TEST_MAIN(cmocka_unit_test(test_clear), cmocka_unit_test(test_large_arrays),
          cmocka_unit_test(test_default_allocator), cmocka_unit_test(test_large_blocks),
          cmocka_unit_test(test_many_sizes), cmocka_unit_test(test_few_blocks),
          cmocka_unit_test(test_full_blocks), cmocka_unit_test(test_again),
          cmocka_unit_test(test_release), cmocka_unit_test(test_impossible_sizes),
          cmocka_unit_test(test_texts), cmocka_unit_test(test_grow),
          cmocka_unit_test(test_capacity_of_another_array),
          cmocka_unit_test(test_every_allocation_fails_once))
