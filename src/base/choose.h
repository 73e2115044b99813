// choose.h - choosing names by patterns.
#ifndef TAC_BASE_CHOOSE_H
#define TAC_BASE_CHOOSE_H

#include "base/error.h"

#include <stdbool.h>

// A list of names: `at(context, i)` is the i-th, NULL after the last; `what` says what they name,
// as in "signal".
typedef struct tac__choices {
    tac__candidate_fn *at;
    const void *context;
    const char *what;
} tac__choices;

// Sets `chosen[i]` (one a name; may be NULL) to true where a pattern matches name i as
// tac__path_match does, and leaves the others as they were. Without patterns all names are chosen.
// A pattern that matches nothing fails with TAC_E_NAME and the nearest name.
TAC_MUST_CHECK tac_status tac__choose(const tac__choices *from, const char *const *patterns,
                                      size_t count, bool *chosen, tac_error *err);

// Return the name that a pattern is nearest to, NULL if none is near. The front of the name may be
// missing in the pattern.
const char *tac__choose_nearest(const tac__choices *from, const char *pattern);

#endif
