// schedule.h - when an event happens: pure functions of its timing and of what has happened so far.
//
// The timing of an event is fixed. What changes during a run is a slot of four whole numbers for
// each event: a discrete state of the scenario.
#ifndef TAC_SCENARIO_SCHEDULE_H
#define TAC_SCENARIO_SCHEDULE_H

#include <stdbool.h>
#include <tactus/time.h>

typedef enum tac__trigger {
    TAC__TRIGGER_TIME,      // at `at_us`, then every `every_us`
    TAC__TRIGGER_STEP,      // at step number `step` of the rate group, counted from 0
    TAC__TRIGGER_CONDITION, // `after_us` after a condition turned true
} tac__trigger;

typedef struct tac__timing {
    tac__trigger trigger;
    tac_time at_us, every_us; // every_us 0: once
    uint64_t step;
    tac_time after_us;
    tac_time for_us; // the fault ends after this time; 0: it stays
    uint64_t limit;  // the event happens at most this often; 0: no limit
} tac__timing;

typedef struct tac__slot {
    uint64_t fired;   // how often the event has happened
    tac_time next_us; // when it happens next; TAC_TIME_NEVER: not known
    tac_time undo_us; // when its fault ends; TAC_TIME_NEVER: it does not, or there is none
    uint64_t held;    // value of the condition when it was evaluated last
} tac__slot;

enum { TAC__SLOT_WORDS = sizeof(tac__slot) / sizeof(uint64_t) };

// The present instant.
typedef struct tac__instant {
    tac_time t_us;
    bool stepping; // a step of the rate group: conditions are evaluated, steps are counted
    uint64_t step; // number of that step
} tac__instant;

void tac__schedule_start(const tac__timing *timing, tac__slot *slot);

// Must the condition of the event be evaluated at this instant?
bool tac__schedule_needs_condition(const tac__timing *timing, const tac__slot *slot,
                                   const tac__instant *now);

// Does the event happen at this instant? `holds` is the value of its condition.
bool tac__schedule_fires(const tac__timing *timing, tac__slot *slot, const tac__instant *now,
                         bool holds);

// Does the fault of the event end at this instant? To be called before tac__schedule_fires.
bool tac__schedule_ends(tac__slot *slot, const tac__instant *now);

// The next time of the event that is known: it happens, or its fault ends.
tac_time tac__schedule_next(const tac__slot *slot);

#endif
