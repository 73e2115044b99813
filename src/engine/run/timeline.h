// timeline.h - when the next instant is.
//
// A source is anything that asks for instants: an axis (a period with an offset, or explicit
// times), a message port, a timer, the end of an integration step. Each knows only its next time,
// so a timeline costs the same however long the run is. At each instant all that are due come out
// together.
#ifndef TAC_ENGINE_RUN_TIMELINE_H
#define TAC_ENGINE_RUN_TIMELINE_H

#include "engine/plan/block.h"
#include <stdbool.h>
#include <tactus/time.h>

typedef enum tac__source_kind {
    TAC__SOURCE_AXIS,      // period and offset
    TAC__SOURCE_TIMES,     // explicit times
    TAC__SOURCE_PORT,      // next delivery to a message port
    TAC__SOURCE_TIMER,     // a component's wake-up
    TAC__SOURCE_STEP,      // end of an island's integration step: an instant, but no boundary
    TAC__SOURCE_EVENT,     // a located event of an island
    TAC__SOURCE_CONDITION, // a located condition of a component
} tac__source_kind;

typedef struct tac__source {
    tac__source_kind kind;
    bool observer; // only observers run on it
    tac_time period_us, offset_us;
    const tac_time *times_us; // ascending
    size_t times_count;
    uint32_t index; // of the port, component or island
} tac__source;

// The sources of a plan.
typedef struct tac__sources {
    tac__source *sources;
    size_t count;
    TAC__CAPACITY(tac__source) capacity;
    size_t own; // sources of the run itself; axes of observers come behind them
} tac__sources;

typedef struct tac__timeline {
    const tac__source *sources;
    size_t count, own;
    // in the block of the run:
    uint64_t *taken; // of each source with explicit times: how many have passed
    tac_time *next;  // of each source, TAC_TIME_NEVER where nothing is planned
    // scratch, which follows from those:
    uint32_t *winner; // at each node of the tree the earlier source of the two below, which are
                      // nodes 2 i and 2 i + 1: winner[1] is the first of all; the leaves themselves
                      // begin at winner[count], whatever the count is
    tac_time *last;   // when each source was due last; valid for the present instant only
    tac_time *rest;   // no source but winner[1] is due before this
} tac__timeline;

// Add a source; an axis that is there already is shared. Returns its number, or -1: no memory.
int tac__timeline_add(tac__sources *sources, tac__arena *arena, const tac__source *source);

// `taken` and `next` lie in the block, one a source; scratch comes from the arena.
tac_status tac__timeline_wire(tac__timeline *timeline, const tac__sources *sources, uint64_t *taken,
                              tac_time *next, tac__arena *arena);
void tac__timeline_start(const tac__timeline *timeline);
// After the block was restored to the state of `t_us`: observers go on from there. NEVER: the run
// had not started.
void tac__timeline_resume(const tac__timeline *timeline, tac_time t_us);

static inline tac_time tac__timeline_next(const tac__timeline *timeline)
{
    return timeline->next[timeline->winner[1]];
}

// Give a source its next time; returns the earliest time of all sources. The winner so far is kept
// in registers: each comparison waits for the one before, but not for what that one has stored.
static inline tac_time tac__timeline_move(const tac__timeline *tl, size_t source, tac_time t_us)
{
    uint32_t *winner = tl->winner, first = (uint32_t)source;
    tac_time rest_us = TAC_TIME_NEVER;
    tl->next[source] = t_us;
    for (size_t place = tl->count + source; place > 1; place /= 2) {
        const uint32_t other = winner[place ^ 1];
        const tac_time other_us = tl->next[other];
        rest_us = other_us < rest_us ? other_us : rest_us;
        first = other_us < t_us ? other : first;
        t_us = other_us < t_us ? other_us : t_us;
        winner[place / 2] = first;
    }
    *tl->rest = rest_us; // if another source is the first, that is its time
    return t_us;
}

// Take a source that is due at the next instant and set it to its next time (a port, timer or step
// to TAC_TIME_NEVER). Returns its number, and in `*next_us` the instant that is the next one then.
static inline size_t tac__timeline_take(const tac__timeline *tl, tac_time *next_us)
{
    const size_t i = tl->winner[1];
    const tac_time t_us = tl->next[i];
    const tac__source *s = &tl->sources[i];
    tac_time next = TAC_TIME_NEVER;
    if (s->kind == TAC__SOURCE_AXIS)
        next = t_us + s->period_us;
    else if (s->kind == TAC__SOURCE_TIMES && ++tl->taken[i] < s->times_count)
        next = s->times_us[tl->taken[i]];
    tl->last[i] = t_us;
    // Mostly the fastest axis is the first again. Then the tree stays as it is: 2 to 5 ns less a
    // millisecond (bench/mission.c).
    if (next <= *tl->rest) {
        tl->next[i] = next;
        *next_us = next;
        return i;
    }
    *next_us = tac__timeline_move(tl, i, next);
    return i;
}

// Give a port, timer or step its next time.
void tac__timeline_set(const tac__timeline *timeline, int source, tac_time t_us);

#endif
