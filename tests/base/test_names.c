#include "base/names.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static void test_many(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static char texts[COUNT][16];
    tac__arena arena;
    tac__names names = {0};
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__names_find(&names, "n0"), -1);
    for (uint32_t i = 0; i < COUNT; i++) {
        snprintf(texts[i], sizeof texts[i], "n%u", i);
        assert_int_equal(tac__names_find(&names, texts[i]), -1);
        assert_int_equal(tac__names_set(&names, &arena, texts[i], i), TAC_OK);
    }
    assert_int_equal(names.count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char copy[16];
        snprintf(copy, sizeof copy, "n%u", i); // equal, but not the same pointer
        assert_int_equal(tac__names_find(&names, copy), i);
    }
    assert_int_equal(tac__names_find(&names, ""), -1);
    assert_int_equal(tac__names_find(&names, "n"), -1);
    assert_int_equal(tac__names_find(&names, "n5000"), -1);
    // A text that is there gets the new number.
    assert_int_equal(tac__names_set(&names, &arena, "n7", 70), TAC_OK);
    assert_int_equal(tac__names_find(&names, "n7"), 70);
    assert_int_equal(names.count, COUNT);
    tac__arena_fini(&arena);
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
        }
    }
    assert_int_equal(names.count, 100);
    tac__arena_fini(&arena);
}

static void test_without_memory(void **state)
{
    (void)state;
    test_allocator counts = test_allocator_make();
    counts.fail_at = 1;
    const tac_allocator hook = test_allocator_hook(&counts);
    tac__arena arena;
    tac__names names = {0};
    tac__arena_init(&arena, &hook);
    assert_int_equal(tac__names_set(&names, &arena, "a", 1), TAC_E_MEMORY);
    assert_int_equal(tac__names_find(&names, "a"), -1);
    tac__arena_fini(&arena);
    test_allocator_check_empty(&counts);
}

TEST_MAIN(cmocka_unit_test(test_many), cmocka_unit_test(test_one_copy),
          cmocka_unit_test(test_without_memory))
