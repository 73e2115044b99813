// locate.h - instants inside a step at which a mode changes or a condition turns true.
#ifndef TAC_ENGINE_RUN_LOCATE_H
#define TAC_ENGINE_RUN_LOCATE_H

#include "engine/run/integrate.h"

static inline bool tac__locates(const tac__island_plan *island)
{
    return island->event_count | island->rise_count;
}

// A mode holds where the number of its event is positive. Are some of `n` numbers positive where
// the others are not? With AVX2 four are compared at a time.
static inline bool tac__signs_differ(const double *a, const double *b, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
        any |= (a[i] > 0) != (b[i] > 0);
    return any;
}
bool tac__signs_differ_avx2(const double *a, const double *b, size_t n);

// Do the modes differ from the present ones? This is asked at the end of every step; a multirotor
// has sixteen. Two at a time, with SSE2, it took 44 instructions and 4 to 8 ns more a step
// (callgrind, bench/mission.c).
static inline bool tac__modes_differ(const tac__island *island, const double *numbers)
{
    const size_t n = island->plan->event_count;
#ifdef __x86_64__
    if (n >= 4 && __builtin_cpu_supports("avx2"))
        return tac__signs_differ_avx2(numbers, island->mode, n);
#endif
    return tac__signs_differ(numbers, island->mode, n);
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
