// golden_math.h - golden values hold for the elementary functions with which they were made: all
// versions of SLEEF from 3.5.1 to 3.9.0 have the same. A test that finds others skips, aloud.
#ifndef TAC_TESTS_SUPPORT_GOLDEN_MATH_H
#define TAC_TESTS_SUPPORT_GOLDEN_MATH_H

#include "support/test.h"

#include <stdbool.h>
#include <tactus/math.h>

#define GOLDEN_MATH UINT64_C(0x6360842a860e4b6e)

static inline bool is_golden_math(void)
{
    if (tac_math_fingerprint() == GOLDEN_MATH)
        return true;
    print_message(
        "SKIPPED: golden values do not hold here. The elementary functions (%s, or what was "
        "loaded in its place) have the fingerprint %016llx, not %016llx\n",
        tac_math_version(), (unsigned long long)tac_math_fingerprint(),
        (unsigned long long)GOLDEN_MATH);
    return false;
}

#endif
