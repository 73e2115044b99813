// locate.h - instants inside a step at which a mode changes or a condition turns true.
#ifndef TAC_ENGINE_RUN_LOCATE_H
#define TAC_ENGINE_RUN_LOCATE_H

#include "engine/run/integrate.h"

#include <string.h>

static inline bool tac__locates(const tac__island_plan *island)
{
    return island->event_count | island->rise_count;
}

// A mode holds where the number of its event is positive. Do the modes differ from the present
// ones? Two are compared at a time: a multirotor has sixteen, and this is asked at the end of every
// step. One by one it took 70 instructions more, of 13,700 a step (callgrind,
// bench/iris_mission.yaml).
static inline bool tac__modes_differ(const tac__island *island, const double *numbers)
{
    typedef double pair __attribute__((vector_size(16)));
    typedef int64_t mask __attribute__((vector_size(16)));
    const double *present = island->mode;
    const size_t n = island->plan->event_count;
    mask any = {0, 0};
    size_t i = 0;
    for (; i + 1 < n; i += 2) {
        pair there, here;
        memcpy(&there, numbers + i, sizeof there);
        memcpy(&here, present + i, sizeof here);
        any |= (mask)(there > 0) ^ (mask)(here > 0);
    }
    return any[0] || any[1] || (i < n && (numbers[i] > 0) != (present[i] > 0));
}

// If a mode changes or a condition turns true inside the step that was taken, let the step end
// there. TAC__TAKEN: neither happens.
tac__outcome tac__locate(tac_engine *engine, tac__island *island);
// The step was cut short: does a condition turn true where it ends now?
bool tac__locate_cut(tac__island *island);
// Set the modes at a boundary of an island that has any.
tac_status tac__latch(tac_engine *engine, tac__island *island, tac_time t_us);
// At a boundary of an island with located conditions: count those that turned true there.
tac_status tac__count_turns(tac_engine *engine, tac__island *island, tac_time t_us);
// Plan boundaries for what was located at the end of the present step: an event at event_us (NEVER:
// none), and the conditions that turn true.
void tac__plan_located(tac_engine *engine, tac__island *island, tac_time event_us);

#endif
