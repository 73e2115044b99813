// hold.h - a recording instant by instant: the samples of one instant together, every channel
// holding its last one.
#ifndef TAC_RECORD_EXPORT_HOLD_H
#define TAC_RECORD_EXPORT_HOLD_H

#include "base/arena.h"

#include <tactus/record.h>

typedef struct tac__held {
    tac_sample sample; // values NULL until its first
    bool fresh;        // has a sample at this instant
} tac__held;

typedef struct tac__hold {
    tac_time t_us;    // of this instant
    tac_time next_us; // of the next, TAC_TIME_NEVER after the last
    tac__held *held;  // by channel
    // private
    void **values; // by channel: where its sample is kept
    tac_recording *recording;
    tac_cursor *cursor;
    tac_sample next; // the cursor's, not taken in yet
    bool any_next, started;
    tac_time from_us;
    size_t count;
} tac__hold;

// From `from_us` to `to_us` over the wanted channels. What was sampled before is held from the
// start; a channel that has a sample wherever it changes is fresh at `from_us`, so that what is
// written of the window stands on its own. Memory is from `arena`.
TAC_MUST_CHECK tac_status tac__hold_open(tac__hold *hold, tac_recording *recording,
                                         const bool *wanted, tac_time from_us, tac_time to_us,
                                         tac__arena *arena, tac_error *err);
// `*more` is false after the last.
TAC_MUST_CHECK tac_status tac__hold_next(tac__hold *hold, bool *more, tac_error *err);
void tac__hold_close(tac__hold *hold);

#endif
