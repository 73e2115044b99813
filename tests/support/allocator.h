// allocator.h - an allocator for tests: counts everything, and can be told to fail.
//
// The usual hostile test runs an operation with fail_at = 1, 2, 3, ... until it succeeds, and each
// time checks that it failed cleanly and that nothing is left:
//
//     for (uint64_t n = 1;; n++) {
//         test_allocator a = test_allocator_make();
//         a.fail_at = n;
//         tac_allocator hook = test_allocator_hook(&a);
//         const tac_status st = operation(&hook);
//         test_allocator_check_empty(&a);
//         if (st == TAC_OK)
//             break;
//         assert_int_equal(st, TAC_E_MEMORY);
//     }
//
// Wrong old sizes, double frees and writes past the end are failures of the test that made them.
#ifndef TAC_TESTS_SUPPORT_ALLOCATOR_H
#define TAC_TESTS_SUPPORT_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <tactus/memory.h>

typedef struct test_allocator {
    uint64_t calls;       // requests for memory (new blocks and changes of size), failed ones too
    uint64_t frees;       // blocks given back
    uint64_t failed;      // requests that were refused
    uint64_t live_blocks; // not given back yet
    size_t live_bytes, peak_bytes;
    uint64_t fail_at;  // number of the request that is refused, counting from 1; 0: none
    bool fail_after;   // refuse all later requests too
    bool fail_shrinks; // count requests for less memory too; else they always succeed
} test_allocator;

test_allocator test_allocator_make(void);
tac_allocator test_allocator_hook(test_allocator *counts);

// Fails the running test if anything is still allocated.
void test_allocator_check_empty(const test_allocator *counts);

#endif
