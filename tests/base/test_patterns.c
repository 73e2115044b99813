// Sets of patterns: what tac__path_match says, found by looking up.
#include "base/patterns.h"
#include "base/text.h"
#include "support/allocator.h"
#include "support/test.h"

#include <stdio.h>

static const char *const PATTERNS[] = {"a", "b.c", "*", "a*", "?.c", "c", "a.b.c", "x", "*.c", "a"};
static const char *const NAMES[] = {"a", "b.c", "a.b.c", "a.a", "ax", "c", "", "a..c", "*", "x.y"};
enum { PATTERN_COUNT = sizeof PATTERNS / sizeof *PATTERNS };

static void test_same_as_one_by_one(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__patterns p = {.arena = &arena};
    int places[PATTERN_COUNT];
    for (size_t i = 0; i < PATTERN_COUNT; i++) {
        places[i] = tac__patterns_add(&p, PATTERNS[i]);
        assert_true(places[i] >= 0);
    }
    assert_int_equal(p.count, PATTERN_COUNT - 1); // one stands there twice
    assert_int_equal(places[9], places[0]);
    assert_int_equal(p.wild_count, 4);
    for (size_t k = 0; k < sizeof NAMES / sizeof *NAMES; k++) {
        unsigned found[PATTERN_COUNT] = {0};
        tac__patterns_search search = {0};
        for (int at; (at = tac__patterns_next(&p, NAMES[k], &search)) >= 0;)
            found[at]++;
        for (size_t i = 0; i < PATTERN_COUNT; i++)
            assert_int_equal(found[places[i]], tac__path_match(PATTERNS[i], NAMES[k]));
    }
    tac__arena_fini(&arena);
}

static void test_limit(void **state)
{
    (void)state;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__patterns p = {.arena = &arena};
    assert_true(tac__patterns_add(&p, "plain") >= 0);
    assert_true(tac__patterns_allow(&p, SIZE_MAX)); // nothing is compared
    assert_true(tac__patterns_add(&p, "a*") >= 0 && tac__patterns_add(&p, "b*") >= 0);
    assert_true(tac__patterns_allow(&p, 0));
    assert_true(tac__patterns_allow(&p, TAC__PATTERNS_COMPARISONS / 2));
    assert_false(tac__patterns_allow(&p, TAC__PATTERNS_COMPARISONS / 2 + 1));
    tac__arena_fini(&arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    for (uint64_t n = 1;; n++) {
        test_allocator a = test_allocator_make();
        a.fail_at = n;
        const tac_allocator hook = test_allocator_hook(&a);
        tac__arena arena;
        tac__arena_init(&arena, &hook);
        tac__patterns p = {.arena = &arena};
        bool failed = false;
        char *text;
        for (int i = 0; i < 2000 && !failed; i++) {
            text = tac__arena_format(&arena, "*%d", i);
            failed = !text || tac__patterns_add(&p, text) < 0;
        }
        tac__arena_fini(&arena);
        test_allocator_check_empty(&a);
        if (!failed)
            break;
    }
}

TEST_MAIN(cmocka_unit_test(test_same_as_one_by_one), cmocka_unit_test(test_limit),
          cmocka_unit_test(test_no_memory))
