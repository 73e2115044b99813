// validate.h - checks whether an engine can go on from a block that came from a file.
//
// Every part of the block is reserved together with a check (see block.h), for what the engine uses
// as an index, a count, a label, a mask or a time. A part without a check does not compile, so a
// new one cannot be forgotten. The checks read the block of the engine in place, in the order in
// which the parts were reserved.
#ifndef TAC_ENGINE_RUN_VALIDATE_H
#define TAC_ENGINE_RUN_VALIDATE_H

#include "engine/run/state.h"

// Check all parts, then have components check their own states. The error names the part. `exact`:
// the block was made by the same model, so that axes must agree to the microsecond; otherwise only
// values that could do harm are refused.
tac_status tac__validate(tac_engine *engine, bool exact, tac_error *err);

// Behind each: the type of its subject.
tac__part_check tac__check_any;        // any bits are harmless; NULL
tac__part_check tac__check_elsewhere;  // the check of another part covers this one; NULL
tac__part_check tac__check_clock;      // NULL
tac__part_check tac__check_due;        // NULL
tac__part_check tac__check_island;     // tac__island_plan
tac__part_check tac__check_modes;      // tac__island_plan
tac__part_check tac__check_next_modes; // tac__island_plan
tac__part_check tac__check_value;      // tac_type
tac__part_check tac__check_signal;     // tac__component; the part has the number of the signal
tac__part_check tac__check_writes;     // the same: how often it was written, by its history
tac__part_check tac__check_times;      // the same: times of its history
tac__part_check tac__check_turns;      // tac__component
tac__part_check tac__check_missed;     // tac__component
tac__part_check tac__check_flag;       // NULL: one word, 0 or 1
tac__part_check tac__check_queue;      // tac__receiver
tac__part_check tac__check_taken;      // NULL
tac__part_check tac__check_next;       // NULL

#endif
