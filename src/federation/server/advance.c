// advance.c - who may advance how far.
//
// The rule (docs/federation-proof.md proves it). Each client j has stated a time t it has reached,
// an unconditional promise P and a next own event N. Nothing can be sent by j before
//
//   E_j = max(P_j, min(N_j, A_j, min over links k -> j of E_k + d_kj))
//
// where A_j is the earliest delivery of messages for j that j did not know of when it stated N_j,
// and d the least delay of a link. So nothing can arrive at i before T_i, the least E_j + d_ji, and
// i may process everything before T_i.
#include "federation/server/state.h"

#include <stdlib.h>

enum {
    AHEAD_US = 1000000, // how far a client may be ahead of the last, where it matters
    // Messages handed over with one grant, and their bytes: what a client has to keep until it
    // comes to their delivery times.
    GRANT_MESSAGES = 1 << 16,
    GRANT_BYTES = 1 << 24,
};
#define SETTLED UINT32_MAX // instead of a place in the heap: E is certain

static tac_time add(tac_time a, tac_time b)
{
    return a >= TAC_TIME_NEVER - b ? TAC_TIME_NEVER : a + b;
}

// The earliest delivery of what the client did not know of when it stated its next own event.
static tac_time arriving(const tac__fed_client *c)
{
    tac_time t_us = c->unknown_count ? c->unknown[c->unknown_first] : TAC_TIME_NEVER;
    if (c->heap_count && c->heap[0]->delivered_us < t_us)
        t_us = c->heap[0]->delivered_us;
    return t_us;
}

static void find_bases(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        tac_time t_us = c->clock.next_us;
        const tac_time arriving_us = arriving(c);
        if (arriving_us < t_us)
            t_us = arriving_us;
        c->base_us = t_us > c->clock.promise_us ? t_us : c->clock.promise_us;
        c->earliest_us = c->base_us;
    }
}

// --- a heap of clients by E, while it is worked out ---

static void sift_up(tac__server *s, size_t i)
{
    tac__fed_client **heap = s->open;
    tac__fed_client *c = heap[i];
    for (; i && c->earliest_us < heap[(i - 1) / 2]->earliest_us; i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
        heap[i]->place = (uint32_t)i;
    }
    heap[i] = c;
    c->place = (uint32_t)i;
}

static tac__fed_client *take_earliest(tac__server *s)
{
    tac__fed_client **heap = s->open;
    tac__fed_client *first = heap[0], *last = heap[--s->open_count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < s->open_count; i = child) {
        if (child + 1 < s->open_count && heap[child + 1]->earliest_us < heap[child]->earliest_us)
            child++;
        if (heap[child]->earliest_us >= last->earliest_us)
            break;
        heap[i] = heap[child];
        heap[i]->place = (uint32_t)i;
    }
    heap[i] = last;
    last->place = (uint32_t)i;
    first->place = SETTLED;
    return first;
}

// What the client may send bounds when those that it leads to may send.
static void relax(tac__server *s, const tac__fed_client *c)
{
    for (uint32_t k = 0; k < c->published_count; k++) {
        const tac__fed_channel *out = &c->published[k];
        for (uint32_t i = 0; i < out->link_count; i++) {
            const tac__fed_link *l = &s->links[out->links[i]];
            tac__fed_client *to = &s->clients[l->to];
            tac_time t_us = add(c->earliest_us, tac__link_least_us(&l->law));
            if (t_us < to->clock.promise_us)
                t_us = to->clock.promise_us;
            if (to->place == SETTLED || t_us >= to->earliest_us)
                continue;
            to->earliest_us = t_us;
            sift_up(s, to->place);
        }
    }
}

// E of all clients, after find_bases. The earliest one is certain, as what is sent to it arrives
// later; then what it may send bounds the others, and so on (Dijkstra's algorithm). Nothing is sent
// to anyone for before `global_us`, so where no client's own bound is later, there is nothing to
// do.
static void find_earliest(tac__server *s, tac_time global_us)
{
    bool any = false;
    for (size_t i = 0; i < s->def.count; i++)
        any |= s->clients[i].base_us > global_us;
    if (!any)
        return;
    s->open_count = 0;
    for (size_t i = 0; i < s->def.count; i++) {
        s->open[s->open_count++] = &s->clients[i];
        sift_up(s, s->open_count - 1);
    }
    while (s->open_count && s->open[0]->earliest_us != TAC_TIME_NEVER)
        relax(s, take_earliest(s));
}

// The least E of all, and the client that has it.
static tac_time least_earliest(const tac__server *s, int *who)
{
    tac_time t_us = TAC_TIME_NEVER;
    *who = -1;
    for (size_t i = 0; i < s->def.count; i++) {
        if (s->clients[i].base_us < t_us) {
            t_us = s->clients[i].base_us;
            *who = (int)i;
        }
    }
    return t_us;
}

// Nothing is sent before the least E, and what waits to be delivered is known.
static void tell_settled(const tac__server *s, tac_time least_us)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->heap_count && c->heap[0]->delivered_us < least_us)
            least_us = c->heap[0]->delivered_us;
    }
    s->def.settled(s->def.context, least_us);
}

static tac_time link_limit(const tac__server *s, tac__fed_client *c)
{
    tac_time t_us = TAC_TIME_NEVER;
    c->limit = -1;
    for (uint32_t i = 0; i < c->in_count; i++) {
        const tac__fed_link *l = &s->links[c->in[i]];
        const tac_time limit_us = add(s->clients[l->from].earliest_us, tac__link_least_us(&l->law));
        if (limit_us < t_us) {
            t_us = limit_us;
            c->limit = (int)l->from;
        }
    }
    return t_us;
}

// Whether a client should wait because others do not keep up with what it sends.
static bool ahead(const tac__server *s, const tac__fed_client *c)
{
    if (s->queued_bytes > s->def.queue_bytes_max / 2)
        return c->published_count > 0;
    for (uint32_t k = 0; k < c->published_count; k++) {
        const tac__fed_channel *out = &c->published[k];
        for (uint32_t i = 0; i < out->link_count; i++) {
            if (s->clients[s->links[out->links[i]].to].heap_count > s->def.queue_max / 2)
                return true;
        }
    }
    return false;
}

static bool authorise(tac__server *s, tac__fed_client *c, tac_time t_us)
{
    if (t_us > s->target_us)
        t_us = s->target_us;
    if (t_us <= c->clock.t_us || t_us <= c->granted_us)
        return false;
    // All messages of an instant are handed over, so the client gets beyond the first of them.
    tac_time last_us = c->clock.t_us > c->granted_us ? c->clock.t_us : c->granted_us;
    size_t bytes = 0;
    for (uint32_t n = 0; c->heap_count && c->heap[0]->delivered_us < t_us; n++) {
        const tac__fed_mail *m = c->heap[0];
        bytes += sizeof *m + m->size;
        if ((n >= GRANT_MESSAGES || bytes > GRANT_BYTES) && m->delivered_us > last_us) {
            t_us = m->delivered_us;
            break;
        }
        last_us = m->delivered_us > last_us ? m->delivered_us : last_us;
        tac__fed_deliver(s, c);
    }
    tac__wire_put_time(&s->connections[c->connection]->out, TAC__FRAME_AUTHORIZE_ADVANCE, t_us);
    c->granted_us = t_us;
    c->state = TAC__FED_RUNNING;
    // With no event of its own and no message before `t_us` it only comes back with its next poll.
    c->busy = c->clock.next_us < t_us || (c->unknown_count && c->unknown[c->unknown_first] < t_us);
    return true;
}

// Count the clients that have something to do and may do it at the same time: those that were
// authorised now, and those that are still at work. A turn in which nobody got anything to do
// (`any` is false) does not count.
static void count_busy(tac__server *s, bool any)
{
    size_t busy = 0;
    for (size_t i = 0; i < s->def.count && any; i++)
        busy += s->clients[i].busy && s->clients[i].state == TAC__FED_RUNNING;
    s->info.busy += busy;
    s->info.busy_turns += any;
    if (busy > s->info.most_at_once)
        s->info.most_at_once = busy;
}

bool tac__server_reached(const tac__server *s, tac_time t_us)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const tac__fed_client *c = &s->clients[i];
        if (c->state != TAC__FED_LEFT && (c->state != TAC__FED_WAITING || c->clock.t_us < t_us))
            return false;
    }
    return true;
}

static int by_clock(const void *a, const void *b)
{
    const tac__fed_client *const *x = a, *const *y = b;
    return ((*x)->clock.t_us > (*y)->clock.t_us) - ((*x)->clock.t_us < (*y)->clock.t_us);
}

// Authorise all that wait and can go on, from the earliest to the latest.
void tac__fed_dispatch(tac__server *s)
{
    tac__fed_client **waiting = s->waiting;
    size_t count = 0;
    for (size_t i = 0; i < s->def.count; i++) {
        tac__fed_client *c = &s->clients[i];
        if (c->state == TAC__FED_WAITING && c->clock.t_us < s->target_us)
            waiting[count++] = c;
    }
    if (!count)
        return;
    qsort(waiting, count, sizeof *waiting, by_clock);
    find_bases(s);
    int slowest;
    const tac_time least_us = least_earliest(s, &slowest);
    const tac_time global_us = add(least_us, s->least_us);
    if (s->def.settled)
        tell_settled(s, least_us);
    if (s->def.lookahead == TAC_LOOKAHEAD_LINK)
        find_earliest(s, global_us);
    // A client that nobody sends to could run to the end at once, and what it sends would pile up.
    tac_time window_us = tac__server_time(s) + AHEAD_US;
    if (window_us < global_us)
        window_us = global_us;
    uint64_t granted = 0;
    bool any_busy = false;
    for (size_t i = 0; i < count && s->state == TAC__SERVER_ADVANCING; i++) {
        tac__fed_client *c = waiting[i];
        tac_time t_us = global_us;
        c->limit = slowest;
        if (s->def.lookahead == TAC_LOOKAHEAD_LINK) {
            t_us = link_limit(s, c);
            const tac_time most_us = ahead(s, c) ? global_us : window_us;
            if (t_us > most_us)
                t_us = most_us;
        }
        if (!authorise(s, c, t_us))
            continue;
        granted++;
        any_busy |= c->busy;
    }
    s->info.grants += granted;
    s->info.turns += granted > 0;
    count_busy(s, any_busy);
}
