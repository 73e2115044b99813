// choose.h - choosing names by patterns.
#ifndef TAC_BASE_CHOOSE_H
#define TAC_BASE_CHOOSE_H

#include "base/error.h"

#include <stdbool.h>

// Some names: `at(context, i)` is the i-th, NULL after the last; `what` says what they name, as in
// "signal".
typedef struct tac__choices {
    tac__candidate_fn *at;
    const void *context;
    const char *what;
} tac__choices;

// `chosen` (one a name; may be NULL) becomes true where a pattern matches as tac__path_match does,
// and stays as it was elsewhere; without patterns all are. A pattern that matches nothing fails
// with TAC_E_NAME and the nearest name.
TAC_MUST_CHECK tac_status tac__choose(const tac__choices *from, const char *const *patterns,
                                      size_t count, bool *chosen, tac_error *err);

#endif
