// mail.c - messages for a client, from the time they are sent until they are handed over. They are
// kept in a heap by (delivery time, sender's number in the whole federation, order in which its
// client handed them over, copy, link): a total order that does not depend on when they came.
#include "federation/server/state.h"

#include "base/hash.h"

#include <string.h>

static bool before(const tac__fed_mail *a, const tac__fed_mail *b)
{
    if (a->delivered_us != b->delivered_us)
        return a->delivered_us < b->delivered_us;
    if (a->number != b->number)
        return a->number < b->number;
    if (a->sender != b->sender)
        return a->sender < b->sender;
    if (a->order != b->order)
        return a->order < b->order;
    if (a->copy != b->copy)
        return a->copy < b->copy;
    return a->link < b->link;
}

static bool tac__fed_grow(const tac__server *s, void **array, size_t count, size_t *capacity,
                          size_t size)
{
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *data = tac__fed_resize(s, *array, *capacity * size, more * size);
    if (!data)
        return false;
    *array = data;
    *capacity = more;
    return true;
}

static bool push(const tac__server *s, tac__fed_client *c, tac__fed_mail *m)
{
    if (!tac__fed_grow(s, (void **)&c->heap, c->heap_count, &c->heap_capacity,
                       sizeof(tac__fed_mail *)))
        return false;
    size_t i = c->heap_count++;
    for (; i && before(m, c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = m;
    return true;
}

tac__fed_mail *tac__fed_pop(tac__fed_client *c)
{
    tac__fed_mail *first = c->heap[0], *last = c->heap[--c->heap_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < c->heap_count; i = child) {
        if (child + 1 < c->heap_count && before(c->heap[child + 1], c->heap[child]))
            child++;
        if (!before(c->heap[child], last))
            break;
        c->heap[i] = c->heap[child];
    }
    c->heap[i] = last;
    return first;
}

static bool add_unknown(const tac__server *s, tac__fed_client *c, tac_time t_us)
{
    if (c->unknown_count == c->unknown_capacity) {
        const size_t old = c->unknown_capacity;
        if (!tac__fed_grow(s, (void **)&c->unknown, c->unknown_count, &c->unknown_capacity,
                           sizeof *c->unknown))
            return false;
        // The part of the ring that had wrapped around goes behind the rest.
        memcpy(c->unknown + old, c->unknown, c->unknown_first * sizeof *c->unknown);
    }
    c->unknown[(c->unknown_first + c->unknown_count++) % c->unknown_capacity] = t_us;
    return true;
}

// The client knows of so many messages.
void tac__fed_know(tac__fed_client *c, uint64_t received)
{
    const size_t n = (size_t)(received - (c->delivered - c->unknown_count));
    c->unknown_count -= n;
    c->unknown_first = c->unknown_count ? (c->unknown_first + n) % c->unknown_capacity : 0;
}

// Hand the first message to its client.
void tac__fed_deliver(tac__server *s, tac__fed_client *c)
{
    tac__fed_mail *m = tac__fed_pop(c);
    const tac__fed_link *l = &s->links[m->link];
    const tac__fed_channel *from = &s->clients[l->from].published[l->channel];
    const tac__wire_mail out = {.sent_us = m->sent_us,
                                .sequence = m->sequence,
                                .delivered_us = m->delivered_us,
                                .channel = l->number,
                                .copy = m->copy,
                                .bytes = m->bytes,
                                .size = m->size};
    tac__wire_put_mail(&s->connections[c->connection]->out, TAC__FRAME_DELIVERED_MESSAGE, &out);
    c->delivered++;
    s->info.delivered++;
    if (!add_unknown(s, c, m->delivered_us))
        tac__fed_fail_memory(s);
    tac__hash h = tac__hash_word(c->trace, m->delivered_us);
    h = tac__hash_word(h, m->sent_us);
    h = tac__hash_word(h, m->sequence);
    h = tac__hash_word(h, (uint64_t)m->sender << 32 | m->copy);
    c->trace = tac__hash_bytes(tac__hash_word(h, l->number), m->bytes, m->size);
    if (s->def.watch) {
        const tac_passage passage = {.delivered = true,
                                     .sender = s->clients[l->from].name,
                                     .channel = from->name,
                                     .type = from->type,
                                     .recipient = c->name,
                                     .inlet = c->subscribed[l->subscription].inlet,
                                     .sent_us = m->sent_us,
                                     .delivered_us = m->delivered_us,
                                     .sequence = m->sequence,
                                     .copy = m->copy,
                                     .bytes = m->bytes,
                                     .length = m->size,
                                     .sender_number = l->from,
                                     .recipient_number = l->to,
                                     .order = m->order};
        s->def.watch(s->def.context, &passage);
    }
    tac__fed_free_mail(s, m);
}

void tac__fed_queue(tac__server *s, const tac__fed_link *l, const tac__wire_mail *in,
                    uint64_t order, tac_time delivered_us, uint32_t copy)
{
    tac__fed_client *to = &s->clients[l->to];
    if (to->state == TAC__FED_LEFT) { // as on the way at the end
        s->info.late++;
        return;
    }
    if (to->heap_count >= s->def.queue_max) {
        const tac__fed_client *from = &s->clients[l->from];
        tac_error own;
        (void)tac__fail(&own, TAC_E_QUEUE,
                        "%zu messages wait for '%s', as many as are allowed, and '%s' sends one "
                        "more on '%s'",
                        to->heap_count, to->name, from->name, from->published[l->channel].name);
        tac__fed_fail_client(s, from, &own);
        return;
    }
    if (s->queued_bytes + sizeof(tac__fed_mail) + in->size > s->def.queue_bytes_max) {
        const tac__fed_client *from = &s->clients[l->from];
        tac_error own;
        (void)tac__fail(&own, TAC_E_QUEUE,
                        "messages of %llu bytes wait for all clients, and '%s' sends %u more on "
                        "'%s'; at most %llu are allowed",
                        (unsigned long long)s->queued_bytes, from->name, in->size,
                        from->published[l->channel].name,
                        (unsigned long long)s->def.queue_bytes_max);
        tac__fed_fail_client(s, from, &own);
        return;
    }
    tac__fed_mail *m = tac__fed_resize(s, NULL, 0, sizeof *m + in->size);
    if (!m) {
        tac__fed_fail_memory(s);
        return;
    }
    s->queued_bytes += sizeof *m + in->size;
    *m = (tac__fed_mail){.sent_us = in->sent_us,
                         .delivered_us = delivered_us,
                         .sequence = in->sequence,
                         .order = order,
                         .number = s->clients[l->from].published[l->channel].number,
                         .sender = l->from,
                         .link = (uint32_t)(l - s->links),
                         .copy = copy,
                         .size = in->size};
    if (in->size)
        memcpy(m->bytes, in->bytes, in->size);
    if (!push(s, to, m)) {
        tac__fed_free_mail(s, m);
        tac__fed_fail_memory(s);
    }
}

void tac__fed_free_mail(tac__server *s, tac__fed_mail *m)
{
    s->queued_bytes -= sizeof *m + m->size;
    tac__fed_resize(s, m, sizeof *m + m->size, 0);
}
