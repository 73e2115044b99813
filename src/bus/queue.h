// queue.h - the queue of a message port: messages on their way, then messages waiting.
//
// On their way they are ordered by (delivery time, sender, sequence, copy), a total order, so what
// a receiver sees does not depend on who sent first. All memory is fixed when the run starts; a
// queue that is full is an error of the run, for nothing may be lost silently.
#ifndef TAC_BUS_QUEUE_H
#define TAC_BUS_QUEUE_H

#include "base/error.h"
#include "base/hash.h"

#include <stdbool.h>
#include <tactus/component.h>

typedef struct tac__queue_slot {
    tac_time sent_us, deliver_us;
    uint64_t sequence;
    uint32_t sender : 31, copy : 1; // copy 1: the second one of a link that duplicates
    uint32_t size;
} tac__queue_slot; // followed by max_bytes of content

typedef struct tac__queue_state {
    uint32_t flying;  // heap of messages on their way
    uint32_t waiting; // delivered, not yet received
    uint32_t first;   // ring index of the first one waiting
    uint32_t free;    // stack of free slots
} tac__queue_state;

typedef struct tac__queue {
    uint32_t capacity, max_bytes;
    // in the block of the run:
    tac__queue_state *state;
    uint32_t *heap, *ring, *stack; // `capacity` slot numbers each
    unsigned char *slots;
    uint64_t *freed; // in the block, or NULL; see tac__queue_post
    // By these keys digests know senders, from number 0 on; a sender beyond them is known by its
    // number.
    uint64_t *keys;
    uint32_t key_count;
} tac__queue;

size_t tac__queue_slot_size(uint32_t max_bytes);

void tac__queue_start(const tac__queue *queue);

// Put a message on its way. False when the queue is full.
bool tac__queue_send(const tac__queue *queue, const tac__queue_slot *head, const void *bytes);

// Put a message on its way that becomes known after it was sent, in a queue with `freed`. The
// message has had its place since head->sent_us. False when the queue has been full since then, as
// it would have been if the message had been known in time. `first`: the sender sends before the
// receiver takes messages at an instant that they share.
//
// freed[k] is the last moment before which more than k places were taken at once, 0: there was
// none. That is all of the past that matters here: a message in the past takes one place more from
// then until now, so numbers of places that were reached since then are reached by one place more.
// Values for places that are taken now have no meaning.
bool tac__queue_post(const tac__queue *queue, const tac__queue_slot *head, const void *bytes,
                     bool first);

// When the next message on its way arrives, or TAC_TIME_NEVER.
tac_time tac__queue_next(const tac__queue *queue);

// Is one with this delivery time, sender, sequence number and copy on its way?
bool tac__queue_holds(const tac__queue *queue, const tac__queue_slot *head);

// Deliver all messages due at or before `t_us`; mixes them into `*digest`: when they were sent and
// arrived, from whom, and what. Returns how many.
uint32_t tac__queue_deliver(const tac__queue *queue, tac_time t_us, uint64_t *digest);

// Whether the heap of messages on their way is in order. The last check of a restored queue: all
// slot numbers have been checked before.
bool tac__queue_ordered(const tac__queue *queue);

// Mix in all messages on their way, independent of their order in memory, and all that wait.
tac__hash tac__queue_mix(const tac__queue *queue, tac__hash h);

// Remove all messages on their way.
void tac__queue_recall(const tac__queue *queue);

// The i-th waiting message; it stays in the queue.
tac_message tac__queue_look(const tac__queue *queue, uint32_t i);

// Take the first waiting message at `t_us`. Its bytes stay valid until the next send to this queue.
bool tac__queue_receive(const tac__queue *queue, tac_time t_us, tac_message *message);

#endif
