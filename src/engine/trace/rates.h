// rates.h - the least common period of all rates: its boundaries, and what is due at each.
#ifndef TAC_ENGINE_TRACE_RATES_H
#define TAC_ENGINE_TRACE_RATES_H

#include "engine/trace/sim.h"

// A boundary of the period.
typedef struct tac__rate_boundary {
    int64_t since_us;         // the first one
    const uint64_t *items;    // bits of the items of the plan that are due
    const uint64_t *arriving; // bits of the islands that have a boundary
} tac__rate_boundary;

typedef struct tac__rate_period {
    tac_time period_us;
    tac_time origin_us; // the first boundary of each period is this long after a multiple of it
    tac__rate_boundary *boundaries;
    size_t count;
    bool without;    // nothing has a rate: the only boundary is none of the run
    int64_t *starts; // of each island: when the state is there that the period begins with, 0 or
                     // less: at its last boundary that is not after the first one of the period
} tac__rate_period;

// What happens in a period, by the axes of everything but observers. Memory of the arena. Fails
// with TAC_E_GRAPH where there is no period, or where it is too long.
tac_status tac__rate_period_make(const tac__plan *plan, tac__arena *arena, tac__rate_period *made,
                                 tac_error *err);

// How many steps an island takes in a period.
uint64_t tac__rate_steps(const tac__plan *plan, const tac__rate_period *period, size_t island);

// Does the item do anything in a graph? Observers, digests and hooks do not.
bool tac__rate_counts(const tac__plan *plan, const tac__item *item);

// The whole simulation from the first boundary of a period to that of the next.
tac_status tac__trace_rates(tac__sim *sim);

#endif
