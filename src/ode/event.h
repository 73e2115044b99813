// event.h - when a condition becomes true inside a step.
#ifndef TAC_ODE_EVENT_H
#define TAC_ODE_EVENT_H

#include <stdbool.h>
#include <tactus/time.h>

typedef bool tac__holds_fn(void *context, tac_time t_us);

// The first whole microsecond at which `holds` is true. It is false at a_us and true at b_us. If it
// changes more than once between them, the result is one of the changes to true. Calls `holds` at
// most 64 times, never at a_us or b_us.
tac_time tac__first_true(tac_time a_us, tac_time b_us, tac__holds_fn *holds, void *context);

#endif
