// append.h - appending messages or samples to a channel that is at hand, without a call while its
// chunk has room: for callers that append many.
#ifndef TAC_RECORD_MCAP_APPEND_H
#define TAC_RECORD_MCAP_APPEND_H

#include "record/mcap/format.h"
#include "record/mcap/mcap.h"

// A channel of a writer, and its open chunk. Only the first five are for this header.
struct tac__mcap_slot {
    unsigned char *at, *end; // of the open chunk: where the next record goes, and how far
    size_t stride;           // of samples: bytes of one with its time; `end` is a whole number
    uint64_t messages;       // so far; of samples only those in chunks that were handed over
    uint16_t id;
    tac__mcap_samples samples;
    size_t most; // bytes of a chunk, unless one record has more
    tac__mcap_writer *writer;
    struct tac__mcap_job *open; // NULL: none
    size_t usual;               // capacity that its chunks came to have
};

// --- messages ------------------------------------------------------------------------------------

// The same where there is no room, or no chunk. Only here is it seen that the writer failed.
void *tac__mcap_append_anew(tac__mcap_slot *slot, uint64_t time_ns, size_t size);

static inline bool tac__mcap_has_room(const tac__mcap_slot *slot, size_t size)
{
    const size_t room = (size_t)(slot->end - slot->at);
    return room >= MCAP_MESSAGE_HEAD && room - MCAP_MESSAGE_HEAD >= size;
}

// As tac__mcap_message, except that a failure of the writer may show only when the chunk is full.
static inline void *tac__mcap_append(tac__mcap_slot *slot, uint64_t time_ns, size_t size)
{
    if (!tac__mcap_has_room(slot, size))
        return tac__mcap_append_anew(slot, time_ns, size);
    unsigned char *at = mcap_put_message(slot->at, slot->id, ++slot->messages, time_ns, size);
    slot->at = at + size;
    return at;
}

// --- samples: the time, then `samples.size` bytes ------------------------------------------------

void *tac__mcap_sample_anew(tac__mcap_slot *slot, uint64_t time_ns);

static inline bool tac__mcap_has_sample_room(const tac__mcap_slot *slot)
{
    return slot->at != slot->end;
}

// Where there is room.
static inline void *tac__mcap_put_sample(tac__mcap_slot *slot, uint64_t time_ns)
{
    unsigned char *at = slot->at;
    slot->at = at + slot->stride;
    return mcap_put_u64(at, time_ns);
}

// Memory for a sample, to be filled in before the next call. NULL: the writer failed.
static inline void *tac__mcap_sample(tac__mcap_slot *slot, uint64_t time_ns)
{
    return tac__mcap_has_sample_room(slot) ? tac__mcap_put_sample(slot, time_ns)
                                           : tac__mcap_sample_anew(slot, time_ns);
}

#endif
