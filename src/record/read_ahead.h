// read_ahead.h - chunks that are read before they are needed, by a thread of their own.
//
// Reading, checking and decompressing the next chunk overlaps with whatever is done with the
// present one. What is read does not depend on it.
#ifndef TAC_RECORD_READ_AHEAD_H
#define TAC_RECORD_READ_AHEAD_H

#include "record/mcap/mcap.h"

typedef struct tac__read_ahead tac__read_ahead;

// One chunk on its way. Zero it before first use.
typedef struct tac__read_ahead_slot {
    size_t index; // of the chunk
    tac__mcap_chunk chunk;
    tac_status status; // of loading it
    tac_error err;
    bool wanted, done;
    struct tac__read_ahead_slot *next;
} tac__read_ahead_slot;

// `*read_ahead` is NULL where there can be no thread: everything works without.
TAC_MUST_CHECK tac_status tac__read_ahead_create(tac__mcap_reader *reader,
                                                 const tac_allocator *allocator,
                                                 tac__read_ahead **read_ahead);
void tac__read_ahead_destroy(tac__read_ahead *read_ahead); // all slots must have been waited for

// Takes the memory for it here, so that the allocator is used by one thread only.
TAC_MUST_CHECK tac_status tac__read_ahead_want(tac__read_ahead *read_ahead,
                                               tac__read_ahead_slot *slot, size_t index,
                                               tac_error *err);
// Wait until what was wanted is there.
tac_status tac__read_ahead_wait(tac__read_ahead *read_ahead, tac__read_ahead_slot *slot,
                                tac_error *err);

#endif
