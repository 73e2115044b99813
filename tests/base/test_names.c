#include "base/names.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// A search ends at a free entry soon.
static void check_half_full(const tac__names *names)
{
    assert_true(2 * (names->count - 1) < names->capacity);
    assert_true((names->capacity & (names->capacity - 1)) == 0);
}

static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    static char texts[COUNT][16];
    test_allocator counts = test_allocator_make();
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__names names = {0};
    tac__arena_init(&arena, &hook);
    assert_int_equal(tac__names_find(&names, "n0"), -1);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "n%u", i);
        assert_int_equal(tac__names_find(&names, texts[i]), -1);
        assert_int_equal(tac__names_set(&names, &arena, texts[i], i), TAC_OK);
        check_half_full(&names);
    }
    assert_int_equal(names.count, COUNT);
    // Large tables that were outgrown are given back.
    assert_true(counts.live_bytes < names.capacity * sizeof(tac__name) * 3 / 2);
    for (uint32_t i = 0; i < COUNT; i++) {
        char copy[16];
        snprintf(copy, sizeof copy, "n%u", i); // equal, but not the same pointer
        assert_int_equal(tac__names_find(&names, copy), i);
    }
    assert_int_equal(tac__names_find(&names, ""), -1);
    assert_int_equal(tac__names_find(&names, "n"), -1);
    assert_int_equal(tac__names_find(&names, "n200000"), -1);
    // A text that is there gets the new number.
    assert_int_equal(tac__names_set(&names, &arena, "n7", 70), TAC_OK);
    assert_int_equal(tac__names_find(&names, "n7"), 70);
    assert_int_equal(names.count, COUNT);
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

static void test_one_copy(void **state)
{
    (void)state;
    tac__arena arena;
    tac__names names = {0};
    tac__arena_init(&arena, NULL);
    const char *kept[100];
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 100; i++) {
            char text[16];
            snprintf(text, sizeof text, "t%d", i);
            const char *copy = tac__names_keep(&names, &arena, text);
            assert_string_equal(copy, text);
            assert_true(copy != text && (turn == 0 || copy == kept[i]));
            kept[i] = copy;
            assert_int_equal(tac__names_find(&names, text), 0);
            check_half_full(&names);
        }
    }
    assert_int_equal(names.count, 100);
    tac__arena_fini(&arena);
}

// Whichever allocation fails: what was there is there, what failed is not, and it can be tried
// again.
static void without_memory(bool keep)
{
    enum { COUNT = 300 };
    static char texts[COUNT][16];
    uint64_t n = 1;
    for (bool whole = false; !whole; n++) {
        test_allocator counts = test_allocator_make();
        counts.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&counts);
        tac__arena arena;
        tac__names names = {0};
        tac__arena_init(&arena, &hook);
        for (uint32_t i = 0; i < COUNT; i++) {
            snprintf(texts[i], sizeof texts[i], "a%u", i);
            const uint64_t failed = counts.failed;
            bool good = keep ? tac__names_keep(&names, &arena, texts[i]) != NULL
                             : tac__names_set(&names, &arena, texts[i], i) == TAC_OK;
            assert_true(good == (counts.failed == failed));
            assert_int_equal(tac__names_find(&names, texts[i]), !good ? -1 : keep ? 0 : (int)i);
            assert_int_equal(names.count, good ? i + 1 : i);
            if (!good)
                i--;
        }
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(tac__names_find(&names, texts[i]), keep ? 0 : (int)i);
        whole = counts.failed == 0;
        tac__arena_fini(&arena);
        test_allocator_check_empty(&counts);
    }
    assert_true(n > 3);
}

static void test_without_memory(void **state)
{
    (void)state;
    without_memory(false);
    without_memory(true);
}

static void test_add_new(void **state)
{
    (void)state;
    tac__arena arena;
    tac__names names = {0};
    tac__arena_init(&arena, tac_allocator_default());
    static const char *const asked[] = {"a", "a_3", "a", "a", "b", "a", "a_3", "a_2", "b"};
    static const char *const given[] = {"a",   "a_3",   "a_2",   "a_4", "b",
                                        "a_5", "a_3_2", "a_2_2", "b_2"};
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++)
        assert_string_equal(tac__names_add_new(&names, &arena, asked[i], "_"), given[i]);
    assert_int_equal(names.count, sizeof asked / sizeof *asked);
    tac__arena_fini(&arena);
}

TEST_MAIN(cmocka_unit_test(test_many), cmocka_unit_test(test_one_copy),
          cmocka_unit_test(test_without_memory), cmocka_unit_test(test_add_new))
