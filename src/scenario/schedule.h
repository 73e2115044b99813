// schedule.h - when an event happens: pure functions of its timing and of what has happened so far.
//
// The timing is fixed; what changes during a run is a slot of four whole numbers an event, which
// the engine owns and saves.
#ifndef TAC_SCENARIO_SCHEDULE_H
#define TAC_SCENARIO_SCHEDULE_H

#include <stdbool.h>
#include <tactus/time.h>

typedef enum tac__trigger {
    TAC__TRIGGER_TIME,      // at `at_us`, then every `every_us`
    TAC__TRIGGER_STEP,      // at the step with number `step`, counted from 0
    TAC__TRIGGER_CONDITION, // when a condition turns true, `after_us` later
} tac__trigger;

typedef struct tac__timing {
    tac__trigger trigger;
    tac_time at_us, every_us; // every_us 0: once
    uint64_t step;
    tac_time after_us;
    tac_time for_us; // 0: what it did is not undone
    uint64_t limit;  // so often at most; 0: no limit
} tac__timing;

typedef struct tac__slot {
    uint64_t fired;   // so often
    tac_time next_us; // the time it waits for
    tac_time undo_us; // when what it did ends
    uint64_t held;    // whether the condition held at the last look
} tac__slot;

enum { TAC__SLOT_WORDS = sizeof(tac__slot) / sizeof(uint64_t) };

// The instant that is being looked at.
typedef struct tac__instant {
    tac_time t_us;
    bool stepping; // a step of the rate group: conditions are looked at, steps counted
    uint64_t step; // its number
} tac__instant;

void tac__schedule_start(const tac__timing *timing, tac__slot *slot);

// Whether the condition has to be known at this instant.
bool tac__schedule_looks(const tac__timing *timing, const tac__slot *slot, const tac__instant *now);

// Whether the event happens at this instant; `holds` is its condition.
bool tac__schedule_fires(const tac__timing *timing, tac__slot *slot, const tac__instant *now,
                         bool holds);

// Whether what it did ends at this instant. To be asked before tac__schedule_fires.
bool tac__schedule_ends(tac__slot *slot, const tac__instant *now);

// The next instant, after this one, at which something may happen between steps.
tac_time tac__schedule_next(const tac__slot *slot);

#endif
