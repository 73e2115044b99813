// validate.h - is a block that came from outside one that the engine can go on from?
//
// Every part of the block is reserved together with a check (see block.h): what the engine uses as
// an index, a count, a label, a mask or a time is looked at there. A part without a check does not
// compile, so a new one cannot be forgotten. The checks look at the block of the engine as it
// stands, in the order in which the parts were reserved.
#ifndef TAC_ENGINE_RUN_VALIDATE_H
#define TAC_ENGINE_RUN_VALIDATE_H

#include "engine/run/state.h"

// All parts, then what components say about their own states. The error names the part. `exact`:
// the block was made by the same model, so that axes must agree to the microsecond; else only what
// could do harm is refused.
tac_status tac__validate(tac_engine *engine, bool exact, tac_error *err);

// What the subject of each is stands behind it.
tac__part_check tac__check_any;        // whatever the bits are, nothing is led astray; NULL
tac__part_check tac__check_elsewhere;  // another part's check looks at this one, too; NULL
tac__part_check tac__check_clock;      // NULL
tac__part_check tac__check_due;        // NULL
tac__part_check tac__check_island;     // tac__island
tac__part_check tac__check_modes;      // tac__island
tac__part_check tac__check_next_modes; // tac__island
tac__part_check tac__check_value;      // tac_type
tac__part_check tac__check_signal;     // tac__signal
tac__part_check tac__check_writes;     // tac__history: how many there were
tac__part_check tac__check_times;      // tac__history
tac__part_check tac__check_turns;      // tac__component
tac__part_check tac__check_missed;     // tac__component
tac__part_check tac__check_flag;       // NULL: one word, 0 or 1
tac__part_check tac__check_queue;      // tac__receiver
tac__part_check tac__check_taken;      // NULL
tac__part_check tac__check_next;       // NULL

#endif
