// ahead.h - chunks that are read before they are needed, by a thread of their own.
//
// Reading, checking and decompressing the next chunk overlaps with whatever is done with the
// present one. What is read does not depend on it.
#ifndef TAC_RECORD_AHEAD_H
#define TAC_RECORD_AHEAD_H

#include "record/mcap/mcap.h"

typedef struct tac__ahead tac__ahead;

// One chunk on its way. Zero it before first use.
typedef struct tac__ahead_slot {
    size_t index; // of the chunk
    tac__mcap_chunk chunk;
    tac_status status; // of loading it
    tac_error err;
    bool wanted, done;
    struct tac__ahead_slot *next;
} tac__ahead_slot;

// `*ahead` is NULL where there can be no thread: everything works without.
TAC_MUST_CHECK tac_status tac__ahead_create(tac__mcap_reader *reader,
                                            const tac_allocator *allocator, tac__ahead **ahead);
void tac__ahead_destroy(tac__ahead *ahead); // all slots must have been waited for

// Takes the memory for it here, so that the allocator is used by one thread only.
TAC_MUST_CHECK tac_status tac__ahead_want(tac__ahead *ahead, tac__ahead_slot *slot, size_t index,
                                          tac_error *err);
// Wait until what was wanted is there.
tac_status tac__ahead_wait(tac__ahead *ahead, tac__ahead_slot *slot, tac_error *err);

#endif
