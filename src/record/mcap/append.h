// append.h - appending messages to a channel that is at hand, without a call while its chunk has
// room: for callers that append many.
#ifndef TAC_RECORD_MCAP_APPEND_H
#define TAC_RECORD_MCAP_APPEND_H

#include "record/mcap/format.h"
#include "record/mcap/mcap.h"

// A channel of a writer, and its open chunk. Only `at`, `end` and `messages` are for this header.
struct tac__mcap_slot {
    unsigned char *at, *end; // of the open chunk: where the next message goes, and how far
    uint64_t messages;
    uint16_t id;
    tac__mcap_writer *writer;
    struct tac__mcap_job *open;      // NULL: none
    size_t usual, usual_notes;       // capacities that its chunks and their notes came to have
    tac__mcap_complete_fn *complete; // of messages that come incomplete, NULL: none do
    void *complete_context;
};

// The same where there is no room, or no chunk. Only here is it seen that the writer failed.
void *tac__mcap_append_anew(tac__mcap_slot *slot, uint64_t time_ns, size_t size);

static inline bool tac__mcap_has_room(const tac__mcap_slot *slot, size_t size)
{
    const size_t room = (size_t)(slot->end - slot->at);
    return room >= MCAP_MESSAGE_HEAD && room - MCAP_MESSAGE_HEAD >= size;
}

// Where there is room.
static inline void *tac__mcap_put_message(tac__mcap_slot *slot, uint64_t time_ns, size_t size)
{
    unsigned char *at = slot->at;
    at = mcap_put_head(at, MCAP_MESSAGE, MCAP_MESSAGE_FIXED + size);
    at = mcap_put_u16(at, slot->id);
    at = mcap_put_u32(at, (uint32_t)++slot->messages);
    at = mcap_put_u64(at, time_ns);
    at = mcap_put_u64(at, time_ns);
    slot->at = at + size;
    return at;
}

// As tac__mcap_message, except that a failure of the writer may show only when the chunk is full.
static inline void *tac__mcap_append(tac__mcap_slot *slot, uint64_t time_ns, size_t size)
{
    return tac__mcap_has_room(slot, size) ? tac__mcap_put_message(slot, time_ns, size)
                                          : tac__mcap_append_anew(slot, time_ns, size);
}

#endif
