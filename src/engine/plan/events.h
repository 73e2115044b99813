// events.h - lists of events in the parameters of a component, and what becomes of them when a run
// goes on from a checkpoint with other events.
//
// A component that calls tac__declare_events keeps the state of its events in discrete states of
// its own. When the engine goes on from a checkpoint of a model with other events, those states are
// not copied: the component's `carry` function makes them from what the checkpoint holds. The
// engine tells `carry` which events are the same in both.
#ifndef TAC_ENGINE_PLAN_EVENTS_H
#define TAC_ENGINE_PLAN_EVENTS_H

#include "base/arena.h"
#include <tactus/component.h>

enum { TAC__NO_EVENT = -1 };

// A component as it was in the checkpoint. Valid inside `carry`.
typedef struct tac__past tac__past;

// Fill the discrete states of the component for its present events, and give the wake-up that it
// waits for (TAC_TIME_NEVER: none). Inputs in `s` are those of the checkpoint; outputs are NULL.
// Changes that are impossible are refused with tac__past_refuse.
typedef tac_status tac__carry_fn(tac_step *s, const void *self, tac__past *past, tac_time *wake_us);

// In `declare`: the items of parameter `param`, which is read with tac_param_items, are events. The
// name is kept by pointer.
void tac__declare_events(tac_declare *d, const char *param, tac__carry_fn *carry);

tac_time tac__past_time(const tac__past *past);     // of the checkpoint
tac__arena *tac__past_arena(const tac__past *past); // scratch
size_t tac__past_count(const tac__past *past);      // events in the checkpoint
// The number that an event of the checkpoint has in the present list, and the other way round;
// TAC__NO_EVENT where the other list has no event with exactly the same keys.
int tac__past_now(const tac__past *past, size_t event);
int tac__past_then(const tac__past *past, size_t event);
// The event of the present list that replaces an event of the checkpoint; TAC__NO_EVENT: none.
int tac__past_instead(const tac__past *past, size_t event);
// A key of an event of the checkpoint, as it is written in listings; "" where it has none.
const char *tac__past_value(const tac__past *past, size_t event, const char *key);
// The same event in one line: "{at: 20 s, do: arm}".
const char *tac__past_text(const tac__past *past, size_t event);
// A copy of a discrete state by its name, and how many words it has; NULL where there is none.
TAC_MUST_CHECK tac_status tac__past_state(const tac__past *past, const char *name,
                                          const uint64_t **words, size_t *count);
// Fail, with the place of an event of the present list, or of the first one (TAC__NO_EVENT).
TAC_PRINTF(3, 4)
tac_status tac__past_refuse(tac__past *past, int event, const char *format, ...);

#endif
