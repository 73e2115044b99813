// event.h - when something inside a step begins to hold.
#ifndef TAC_ODE_EVENT_H
#define TAC_ODE_EVENT_H

#include <stdbool.h>
#include <tactus/time.h>

typedef bool tac__holds_fn(void *context, tac_time t_us);

// The first whole microsecond at which it holds. It does not at a_us and does at b_us, and changes
// once between them: a condition that changes more often is found at one of its changes. Asked for
// at most 64 times, never at a_us or b_us.
tac_time tac__first_true(tac_time a_us, tac_time b_us, tac__holds_fn *holds, void *context);

#endif
