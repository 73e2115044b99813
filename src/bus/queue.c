// queue.c - a heap of messages on their way and a ring of those delivered, over one pool of slots.
#include "bus/queue.h"

#include <string.h>

size_t tac__queue_slot_size(uint32_t max_bytes)
{
    return sizeof(tac__queue_slot) + ((size_t)max_bytes + 7) / 8 * 8;
}

static tac__queue_slot *slot(const tac__queue *q, uint32_t i)
{
    return (tac__queue_slot *)(void *)(q->slots + i * tac__queue_slot_size(q->max_bytes));
}

static bool before(const tac__queue *q, uint32_t a, uint32_t b)
{
    const tac__queue_slot *x = slot(q, a), *y = slot(q, b);
    if (x->deliver_us != y->deliver_us)
        return x->deliver_us < y->deliver_us;
    if (x->sender != y->sender)
        return x->sender < y->sender;
    return x->sequence != y->sequence ? x->sequence < y->sequence : x->copy < y->copy;
}

void tac__queue_start(const tac__queue *q)
{
    *q->state = (tac__queue_state){.free = q->capacity};
    for (uint32_t i = 0; i < q->capacity; i++)
        q->stack[i] = q->capacity - 1 - i;
}

bool tac__queue_send(const tac__queue *q, const tac__queue_slot *head, const void *bytes)
{
    if (q->state->free == 0)
        return false;
    const uint32_t fresh = q->stack[--q->state->free];
    tac__queue_slot *s = slot(q, fresh);
    *s = *head;
    // The rest of the slot is cleared, so that equal runs have equal memory.
    memset(s + 1, 0, tac__queue_slot_size(q->max_bytes) - sizeof *s);
    if (head->size)
        memcpy(s + 1, bytes, head->size);
    uint32_t i = q->state->flying++;
    q->heap[i] = fresh;
    while (i > 0 && before(q, fresh, q->heap[(i - 1) / 2])) {
        q->heap[i] = q->heap[(i - 1) / 2];
        i = (i - 1) / 2;
        q->heap[i] = fresh;
    }
    return true;
}

// Two moments an instant: a sender may send before or after the receiver takes messages.
static uint64_t taking(tac_time t_us)
{
    return 2 * t_us + 1;
}

bool tac__queue_post(const tac__queue *q, const tac__queue_slot *head, const void *bytes,
                     bool first)
{
    const uint64_t sent = 2 * head->sent_us + !first;
    const uint32_t taken = q->capacity - q->state->free;
    uint32_t most = taken; // places taken at once since the message was sent
    while (most < q->capacity && q->freed[most] > sent)
        most++;
    if (most == q->capacity)
        return false;
    memmove(q->freed + taken + 1, q->freed + taken, (most - taken) * sizeof *q->freed);
    return tac__queue_send(q, head, bytes);
}

tac_time tac__queue_next(const tac__queue *q)
{
    return q->state->flying ? slot(q, q->heap[0])->deliver_us : TAC_TIME_NEVER;
}

bool tac__queue_holds(const tac__queue *q, const tac__queue_slot *head)
{
    bool holds = false;
    for (uint32_t i = 0; i < q->state->flying && !holds; i++) {
        const tac__queue_slot *s = slot(q, q->heap[i]);
        holds = s->deliver_us == head->deliver_us && s->sender == head->sender &&
                s->sequence == head->sequence && s->copy == head->copy;
    }
    return holds;
}

static uint32_t pop(const tac__queue *q)
{
    const uint32_t top = q->heap[0];
    const uint32_t n = --q->state->flying, moved = q->heap[n];
    uint32_t i = 0;
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n)
            break;
        if (child + 1 < n && before(q, q->heap[child + 1], q->heap[child]))
            child++;
        if (!before(q, q->heap[child], moved))
            break;
        q->heap[i] = q->heap[child];
        i = child;
    }
    q->heap[i] = moved;
    return top;
}

static tac__hash mix(const tac__queue *q, tac__hash h, const tac__queue_slot *s)
{
    h = tac__hash_word(h, s->deliver_us);
    h = tac__hash_word(h, s->sent_us);
    h = tac__hash_word(h, s->sender < q->key_count ? q->keys[s->sender] : s->sender);
    h = tac__hash_word(h, s->sequence);
    if (s->copy) // the first copy has the digest of a message on a link that never duplicates
        h = tac__hash_word(h, s->copy);
    return tac__hash_bytes(h, s + 1, s->size);
}

// The position of a message in the heap depends on the order of sending; a sum over the messages
// does not.
tac__hash tac__queue_mix(const tac__queue *q, tac__hash h)
{
    uint64_t flying = 0;
    for (uint32_t i = 0; i < q->state->flying; i++)
        flying += tac__hash_end(mix(q, TAC__HASH_SEED, slot(q, q->heap[i])));
    h = tac__hash_word(tac__hash_word(h, q->state->flying), flying);
    h = tac__hash_word(h, q->state->waiting);
    for (uint32_t i = 0; i < q->state->waiting; i++)
        h = mix(q, h, slot(q, q->ring[(q->state->first + i) % q->capacity]));
    return h;
}

uint32_t tac__queue_deliver(const tac__queue *q, tac_time t_us, uint64_t *digest)
{
    uint32_t n = 0;
    while (tac__queue_next(q) <= t_us) {
        const uint32_t arrived = pop(q);
        const tac__queue_slot *s = slot(q, arrived);
        q->ring[(q->state->first + q->state->waiting++) % q->capacity] = arrived;
        *digest = mix(q, *digest, s);
        n++;
    }
    return n;
}

bool tac__queue_ordered(const tac__queue *q)
{
    bool good = true;
    for (uint32_t i = 1; i < q->state->flying; i++)
        good &= !before(q, q->heap[i], q->heap[(i - 1) / 2]);
    return good;
}

void tac__queue_recall(const tac__queue *q)
{
    while (q->state->flying)
        q->stack[q->state->free++] = q->heap[--q->state->flying];
}

tac_message tac__queue_look(const tac__queue *q, uint32_t i)
{
    const tac__queue_slot *s = slot(q, q->ring[(q->state->first + i) % q->capacity]);
    return (tac_message){s->sent_us, s->deliver_us, s->sender, s->sequence,
                         s + 1,      s->size,       s->copy};
}

bool tac__queue_receive(const tac__queue *q, tac_time t_us, tac_message *message)
{
    if (q->state->waiting == 0)
        return false;
    if (q->freed)
        q->freed[q->capacity - q->state->free - 1] = taking(t_us);
    const uint32_t i = q->ring[q->state->first];
    *message = tac__queue_look(q, 0);
    q->state->first = (q->state->first + 1) % q->capacity;
    q->state->waiting--;
    q->stack[q->state->free++] = i;
    return true;
}
