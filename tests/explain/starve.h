// starve.h - texts of an engine without memory: whichever allocation fails, there is no text and
// nothing is left.
#ifndef TAC_TESTS_EXPLAIN_STARVE_H
#define TAC_TESTS_EXPLAIN_STARVE_H

#include "support/allocator.h"
#include "support/test.h"

#include <tactus/tactus.h>

// `make` gives text number `what` of an engine that allocates with `counts`.
static inline void starve(test_allocator *counts, const tac_engine *e, int what,
                          char *(*make)(const tac_engine *e, int what))
{
    const uint64_t live = counts->live_blocks;
    for (uint64_t n = 1;; n++) {
        counts->fail_at = counts->calls + n;
        char *text = make(e, what);
        assert_int_equal(counts->live_blocks, live);
        assert_int_equal(text == NULL, counts->calls >= counts->fail_at);
        tac_text_free(text);
        if (text) {
            assert_true(n > 1);
            break;
        }
    }
    counts->fail_at = 0;
}

#endif
