// pick.h - signals of recordings and their elements, chosen by name: "vehicle.battery.*",
// "vehicle.position.z", "control.motor[2]".
#ifndef TAC_BASE_PICK_H
#define TAC_BASE_PICK_H

#include "base/arena.h"

#include <tactus/record.h>

enum { TAC__PICK_WHOLE = -1 };

// A list of signals: `at(context, i)` is the i-th, NULL after the last.
typedef struct tac__pick_from {
    const tac_recorded *(*at)(const void *context, size_t i);
    const void *context;
} tac__pick_from;

// Called for signal `i`: the whole signal (TAC__PICK_WHOLE) or one element of it.
typedef tac_status tac__pick_fn(void *context, size_t i, int element, tac_error *err);

// Call `take` for every signal that `pattern` matches as tac__path_match does. If there is none,
// the end of the pattern names an element (".z", "[2]") of all signals that the rest matches. A
// pattern that chooses nothing fails with TAC_E_NAME and the nearest name.
TAC_MUST_CHECK tac_status tac__pick(const tac__pick_from *from, const char *pattern,
                                    tac__pick_fn *take, void *context, tac_error *err);

// Make a signal of one element of a signal. Its values lie in the samples of the same channel.
// NULL: no memory.
const tac_recorded *tac__pick_element(tac__arena *arena, const tac_recorded *signal,
                                      uint32_t element);

#endif
