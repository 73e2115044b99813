// server.c - who joins, who may advance how far, and which message arrives where and when.
//
// The rule (docs/federation.md proves it). Each client j has stated a time t it has reached, an
// unconditional promise P and a next own event N. Nothing can be sent by j before
//
//   E_j = max(P_j, min(N_j, A_j, min over links k -> j of E_k + d_kj))
//
// where A_j is the earliest delivery of messages for j that j did not know of when it stated N_j,
// and d the least delay of a link. So nothing can arrive at i before T_i, the least E_j + d_ji, and
// i may process everything before T_i.
//
// Messages for a client are kept in a heap by (delivery time, sender's number, order in which the
// sender handed them over, copy, link): a total order that does not depend on when they came.
#include "federation/server.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"
#include "bus/digest.h"
#include "bus/lcm_type.h"
#include "bus/link.h"

#include <stdlib.h>
#include <string.h>

enum {
    STANDSTILL_MS = 5000, // until it is told who waits for whom
    HELLO_MS = 10000,     // for a connection to say HELLO
    TURN_MS = 1000,       // longest time between two turns that counts
    CHECK_MS = 10,        // between two looks at who was heard
    STRANGERS_MAX = 64,   // connections that have not said HELLO
    HELLO_MAX = 1 << 22,  // bytes in a HELLO
    EARLY_MAX = 1 << 26,  // bytes of a client before the start
    CLIENTS_MAX = 4096,
    CHANNELS_MAX = 65536,
    LINKS_MAX = 1 << 22,
    RESULTS_MAX = 1 << 20, // of one client
    AHEAD_US = 1000000,    // how far a client may be ahead of the last, where it matters
};
#define SETTLED UINT32_MAX // instead of a place in the heap: E is certain

typedef struct mail {
    tac_time sent_us, delivered_us;
    uint64_t sequence; // on its channel
    uint64_t order;    // among all messages of its sender
    uint32_t sender, link, copy, size;
    uint8_t bytes[];
} mail;

typedef struct link {
    uint32_t from, to; // clients
    uint32_t channel, subscription;
    uint32_t number; // among those that lead to the same client
    tac_link_law law;
    tac__stream key;
    bool plain;
} link;

typedef struct channel {
    const char *name, *inlet, *type;
    const char *end; // name of this end of links
    uint64_t fingerprint;
    uint64_t sequence; // least that the next message may have
    uint32_t message_max;
    bool port;
    uint32_t *links; // that lead from here
    uint32_t link_count, link_capacity;
} channel;

typedef enum client_state {
    ABSENT,
    RUNNING, // authorised, or before its first poll
    WAITING, // has polled
    LEFT     // has finished
} client_state;

typedef struct client {
    const char *name;
    tac__arena arena; // what it has declared
    client_state state;
    int connection; // -1: none
    channel *published, *subscribed;
    uint32_t published_count, subscribed_count;
    tac__wire_clock clock; // as stated last
    tac_time sent_us;      // of the last message
    tac_time granted_us;
    tac_time earliest_us; // E
    tac_time base_us;     // E without what may still be sent to it
    uint32_t *in;         // links that lead here
    uint32_t in_count;
    int limit;      // the client that keeps it from advancing, -1: none
    uint64_t order; // of the next message that it sends
    mail **heap;    // messages for it
    size_t heap_count, heap_capacity;
    uint64_t delivered; // messages handed to it
    tac_time *unknown;  // ring: delivery times of those that it may not know of
    size_t unknown_first, unknown_count, unknown_capacity;
    uint64_t trace;
    uint32_t place;    // in the heap, while E is worked out
    uint32_t results;  // handed in
    bool heard;        // since the last check
    uint64_t heard_ms; // when that was
} client;

typedef struct connection {
    tac__bytes in, out;
    int client; // -1: it has not said HELLO
    bool used, closing;
    uint64_t number, since_ms; // among all; when it was made
} connection;

typedef struct result {
    const char *name;
    uint64_t digest;
} result;

struct tac__server {
    tac__arena arena;
    const tac_allocator *allocator;
    tac_server_def def;
    tac__server_state state;
    bool started, ready; // asked to advance; something changed since the last turn
    tac_time target_us;
    client *clients;
    client **open, **waiting; // heap of clients whose E is not certain; clients that wait
    size_t open_count;
    size_t joined;
    link *links;
    size_t link_count, link_capacity;
    tac_time least_us; // delay of any link
    connection **connections;
    size_t connection_count, connection_capacity;
    uint64_t made; // connections
    result *results;
    size_t result_count, result_capacity;
    tac_dispatch_info info;
    uint64_t queued_bytes;      // of messages in all heaps
    uint64_t now_ms, clock_ms;  // of the last turn: the wall clock, and time that counts
    uint64_t checked_ms;        // when it was looked who was heard
    uint64_t moved_ms, tell_ms; // when something moved last; for how long until it is told
    bool clocked;
    tac_error error;
};

// Times are shown exactly.
#define TIME(name, t_us)                                                                           \
    char name[TAC_TIME_TEXT];                                                                      \
    tac_time_print(t_us, name)

// --- making -------------------------------------------------------------------------------------

static tac_status check(const tac_server_def *def, tac_error *err)
{
    if (def->count < 1 || def->count > CLIENTS_MAX)
        return tac__fail(err, TAC_E_RANGE, "a federation has 1 to %d clients, not %zu",
                         (int)CLIENTS_MAX, def->count);
    for (size_t i = 0; i < def->count; i++) {
        if (!*def->names[i] || strlen(def->names[i]) > TAC__WIRE_NAME_MAX)
            return tac__fail(err, TAC_E_NAME, "the name of a client has 1 to %d bytes, not '%s'",
                             (int)TAC__WIRE_NAME_MAX, def->names[i]);
        for (size_t k = 0; k < i; k++) {
            if (!strcmp(def->names[i], def->names[k]))
                return tac__fail(err, TAC_E_DUPLICATE, "two clients are called '%s'",
                                 def->names[i]);
        }
    }
    if (def->end_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_RANGE, "the end lies after 2^62 us");
    return TAC_OK;
}

// A copy of all that the definition points to.
static tac_status keep(tac__server *s, const tac_server_def *def, tac_error *err)
{
    tac__arena *a = &s->arena;
    s->def = *def;
    const char **names = tac__arena_array(a, def->count, sizeof *names);
    s->clients = tac__arena_array(a, def->count, sizeof *s->clients);
    s->open = tac__arena_array(a, def->count, sizeof *s->open);
    s->waiting = tac__arena_array(a, def->count, sizeof *s->waiting);
    if (!names || !s->clients || !s->open || !s->waiting)
        return tac__fail_memory(err);
    for (size_t i = 0; i < def->count; i++) {
        names[i] = tac__arena_text(a, def->names[i]);
        if (!names[i])
            return tac__fail_memory(err);
        s->clients[i] = (client){.name = names[i],
                                 .arena = {.allocator = a->allocator},
                                 .connection = -1,
                                 .limit = -1,
                                 .trace = tac__hash_text(TAC__HASH_SEED, names[i])};
    }
    s->def.names = names;
    if (!s->def.message_max || s->def.message_max > TAC__WIRE_MESSAGE_MAX)
        s->def.message_max = TAC__WIRE_MESSAGE_MAX;
    if (!s->def.queue_max)
        s->def.queue_max = 1000000;
    if (!s->def.queue_bytes_max)
        s->def.queue_bytes_max = UINT64_C(1) << 30;
    return TAC_OK;
}

tac_status tac__server_create(const tac_allocator *allocator, const tac_server_def *def,
                              tac__server **server, tac_error *err)
{
    TAC_TRY(check(def, err));
    tac__arena arena;
    tac__arena_init(&arena, allocator ? allocator : tac_allocator_default());
    tac__server *s = tac__arena_alloc(&arena, sizeof *s);
    if (!s) {
        tac__arena_fini(&arena);
        return tac__fail_memory(err);
    }
    s->arena = arena;
    s->allocator = arena.allocator;
    s->info.clients = def->count;
    const tac_status status = keep(s, def, err);
    if (status != TAC_OK) {
        tac__server_destroy(s);
        return status;
    }
    *server = s;
    return TAC_OK;
}

static void *resize(const tac__server *s, void *old, size_t old_size, size_t size)
{
    return s->allocator->resize(s->allocator->context, old, old_size, size);
}

static void free_mail(tac__server *s, mail *m)
{
    s->queued_bytes -= sizeof *m + m->size;
    resize(s, m, sizeof *m + m->size, 0);
}

void tac__server_destroy(tac__server *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->clients && i < s->def.count; i++) {
        client *c = &s->clients[i];
        for (size_t k = 0; k < c->heap_count; k++)
            free_mail(s, c->heap[k]);
        resize(s, c->heap, c->heap_capacity * sizeof *c->heap, 0);
        resize(s, c->unknown, c->unknown_capacity * sizeof *c->unknown, 0);
        tac__arena_fini(&c->arena);
    }
    for (size_t i = 0; i < s->connection_count; i++) {
        tac__bytes_fini(&s->connections[i]->in);
        tac__bytes_fini(&s->connections[i]->out);
    }
    tac__arena arena = s->arena;
    tac__arena_fini(&arena);
}

// --- failure ------------------------------------------------------------------------------------

static void put_abort(tac__server *s, const char *who, tac_time t_us, const char *why)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        connection *k = s->connections[i];
        if (!k->used || k->closing)
            continue;
        // Those who have not said HELLO are refused: the same words, as an answer to HELLO.
        tac__wire_put_end(&k->out, k->client >= 0 ? TAC__FRAME_ABORT : TAC__FRAME_REFUSE, who, t_us,
                          why);
        k->closing = true;
    }
}

static void fail(tac__server *s, const char *who, tac_time t_us, const tac_error *why)
{
    if (s->state == TAC__SERVER_FAILED || s->state == TAC__SERVER_ENDED)
        return;
    s->state = TAC__SERVER_FAILED;
    s->error = *why;
    tac__error_run(&s->error, t_us, who);
    put_abort(s, who, t_us, why->text);
}

static void fail_client(tac__server *s, const client *c, const tac_error *why)
{
    fail(s, c->name, c->clock.t_us, why);
}

static void fail_memory(tac__server *s)
{
    tac_error own;
    (void)tac__fail_memory(&own);
    fail(s, "", tac__server_time(s), &own);
}

void tac__server_abort(tac__server *s, tac_status status, const char *who, const char *why)
{
    tac_error own;
    (void)tac__fail(&own, status, "%s", why);
    fail(s, who, tac__server_time(s), &own);
}

tac_status tac__server_error(const tac__server *s, tac_error *err)
{
    if (s->state != TAC__SERVER_FAILED)
        return TAC_OK;
    if (err)
        *err = s->error;
    return s->error.status;
}

static void log_text(const tac__server *s, const char *text)
{
    if (s->def.log)
        s->def.log(s->def.context, text);
}

// --- messages for a client ----------------------------------------------------------------------

static bool before(const mail *a, const mail *b)
{
    if (a->delivered_us != b->delivered_us)
        return a->delivered_us < b->delivered_us;
    if (a->sender != b->sender)
        return a->sender < b->sender;
    if (a->order != b->order)
        return a->order < b->order;
    if (a->copy != b->copy)
        return a->copy < b->copy;
    return a->link < b->link;
}

static bool grow(const tac__server *s, void **array, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity)
        return true;
    const size_t more = *capacity ? 2 * *capacity : 64;
    void *data = resize(s, *array, *capacity * size, more * size);
    if (!data)
        return false;
    *array = data;
    *capacity = more;
    return true;
}

static bool push(const tac__server *s, client *c, mail *m)
{
    if (!grow(s, (void **)&c->heap, c->heap_count, &c->heap_capacity, sizeof(mail *)))
        return false;
    size_t i = c->heap_count++;
    for (; i && before(m, c->heap[(i - 1) / 2]); i = (i - 1) / 2)
        c->heap[i] = c->heap[(i - 1) / 2];
    c->heap[i] = m;
    return true;
}

static mail *pop(client *c)
{
    mail *first = c->heap[0], *last = c->heap[--c->heap_count];
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

static bool add_unknown(const tac__server *s, client *c, tac_time t_us)
{
    if (c->unknown_count == c->unknown_capacity) {
        const size_t old = c->unknown_capacity;
        if (!grow(s, (void **)&c->unknown, c->unknown_count, &c->unknown_capacity,
                  sizeof *c->unknown))
            return false;
        // The part of the ring that had wrapped around goes behind the rest.
        memcpy(c->unknown + old, c->unknown, c->unknown_first * sizeof *c->unknown);
    }
    c->unknown[(c->unknown_first + c->unknown_count++) % c->unknown_capacity] = t_us;
    return true;
}

// The client knows of so many messages.
static void know(client *c, uint64_t received)
{
    const size_t n = (size_t)(received - (c->delivered - c->unknown_count));
    c->unknown_count -= n;
    c->unknown_first = c->unknown_count ? (c->unknown_first + n) % c->unknown_capacity : 0;
}

// Hand the first message to its client.
static void deliver(tac__server *s, client *c)
{
    mail *m = pop(c);
    const link *l = &s->links[m->link];
    const channel *from = &s->clients[l->from].published[l->channel];
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
        fail_memory(s);
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
    free_mail(s, m);
}

static void queue(tac__server *s, const link *l, const tac__wire_mail *in, uint64_t order,
                  tac_time delivered_us, uint32_t copy)
{
    client *to = &s->clients[l->to];
    if (to->state == LEFT) { // as on the way at the end
        s->info.late++;
        return;
    }
    if (to->heap_count >= s->def.queue_max) {
        const client *from = &s->clients[l->from];
        tac_error own;
        (void)tac__fail(&own, TAC_E_QUEUE,
                        "%zu messages wait for '%s', as many as are allowed, and '%s' sends one "
                        "more on '%s'",
                        to->heap_count, to->name, from->name, from->published[l->channel].name);
        fail_client(s, from, &own);
        return;
    }
    if (s->queued_bytes + sizeof(mail) + in->size > s->def.queue_bytes_max) {
        const client *from = &s->clients[l->from];
        tac_error own;
        (void)tac__fail(&own, TAC_E_QUEUE,
                        "messages of %llu bytes wait for all clients, and '%s' sends %u more on "
                        "'%s'; at most %llu are allowed",
                        (unsigned long long)s->queued_bytes, from->name, in->size,
                        from->published[l->channel].name,
                        (unsigned long long)s->def.queue_bytes_max);
        fail_client(s, from, &own);
        return;
    }
    mail *m = resize(s, NULL, 0, sizeof *m + in->size);
    if (!m) {
        fail_memory(s);
        return;
    }
    s->queued_bytes += sizeof *m + in->size;
    *m = (mail){.sent_us = in->sent_us,
                .delivered_us = delivered_us,
                .sequence = in->sequence,
                .order = order,
                .sender = l->from,
                .link = (uint32_t)(l - s->links),
                .copy = copy,
                .size = in->size};
    if (in->size)
        memcpy(m->bytes, in->bytes, in->size);
    if (!push(s, to, m)) {
        free_mail(s, m);
        fail_memory(s);
    }
}

// --- joining ------------------------------------------------------------------------------------

static void refuse(connection *k, const char *why)
{
    tac__wire_put_end(&k->out, TAC__FRAME_REFUSE, "", 0, why);
    k->closing = true;
}

static int find_client(const tac__server *s, const char *name)
{
    for (size_t i = 0; i < s->def.count; i++) {
        if (!strcmp(s->clients[i].name, name))
            return (int)i;
    }
    return -1;
}

static const char *name_at(const void *context, size_t i)
{
    const tac__server *s = context;
    return i < s->def.count ? s->clients[i].name : NULL;
}

static tac_status read_channels(const tac__server *s, tac__arena *arena, tac__frame *f,
                                const char *name, bool inlets, channel **all, uint32_t *count,
                                tac_error *err)
{
    *count = tac__frame_u32(f);
    if (*count > CHANNELS_MAX ||
        *count > (size_t)(f->end - f->body) / 20) // bytes of each, at least
        f->bad = true;
    if (f->bad)
        return tac__frame_end(f, err);
    *all = tac__arena_array(arena, (size_t)*count + 1, sizeof **all);
    if (!*all)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < *count; i++) {
        char text[3][TAC__WIRE_NAME_MAX + 1];
        channel *k = &(*all)[i];
        k->port = tac__frame_u32(f) & 1;
        (void)tac__frame_text(f, text[0], sizeof text[0]);
        memcpy(text[1], text[0], sizeof text[1]);
        if (inlets)
            (void)tac__frame_text(f, text[1], sizeof text[1]);
        (void)tac__frame_text(f, text[2], sizeof text[2]);
        k->fingerprint = tac__frame_u64(f);
        k->message_max = tac__frame_u32(f);
        if (!f->bad && (!*text[0] || !*text[1]))
            f->bad = true;
        if (f->bad)
            return tac__frame_end(f, err);
        if (!k->message_max || k->message_max > s->def.message_max)
            k->message_max = s->def.message_max;
        k->name = tac__arena_text(arena, text[0]);
        k->inlet = tac__arena_text(arena, text[1]);
        k->type = tac__arena_text(arena, text[2]);
        k->end = k->port ? k->inlet : tac__arena_format(arena, "%s/%s", name, text[1]);
        if (!k->name || !k->inlet || !k->type || !k->end)
            return tac__fail_memory(err);
    }
    return TAC_OK;
}

// Whether a publisher and a subscriber mean the same by a channel.
static tac_status check_types(const client *from, const channel *out, const client *to,
                              const channel *in, tac_error *err)
{
    const bool types = *out->type && *in->type && strcmp(out->type, in->type) != 0;
    const bool prints = out->fingerprint && in->fingerprint && out->fingerprint != in->fingerprint;
    if (!types && !prints)
        return TAC_OK;
    return tac__fail(err, TAC_E_TYPE,
                     "'%s' publishes '%s' as %s (%016llx), but '%s' expects %s (%016llx)",
                     from->name, out->name, *out->type ? out->type : "any type",
                     (unsigned long long)out->fingerprint, to->name,
                     *in->type ? in->type : "any type", (unsigned long long)in->fingerprint);
}

// Whether LCM can carry the names under which messages are published for everyone.
static tac_status check_public(const tac__server *s, const client *of, const channel *k,
                               const client *named, tac_error *err)
{
    const size_t length = strlen(k->name), whole = length + 1 + strlen(named->name);
    if (whole <= TAC__LCM_CHANNEL_MAX || (!s->def.lcm && !s->def.lcm_log))
        return TAC_OK;
    return tac__fail(err, TAC_E_LIMIT,
                     "channel '%s' of '%s' has %zu characters, and %zu with '%s' behind it, as the "
                     "server publishes it with LCM, which allows %d",
                     k->name, of->name, length, whole, named->name, TAC__LCM_CHANNEL_MAX);
}

static tac_status check_pair(const tac__server *s, const client *from, const client *to,
                             tac_error *err)
{
    for (uint32_t i = 0; i < from->published_count; i++) {
        const channel *out = &from->published[i];
        for (uint32_t k = 0; k < to->subscribed_count; k++) {
            if (!tac__glob_match(to->subscribed[k].name, out->name))
                continue;
            TAC_TRY(check_types(from, out, to, &to->subscribed[k], err));
            TAC_TRY(check_public(s, from, out, to, err));
        }
        for (uint32_t k = 0; k < to->published_count; k++) {
            if ((out->port || to->published[k].port) && !strcmp(out->name, to->published[k].name))
                return tac__fail(err, TAC_E_DUPLICATE, "'%s' and '%s' both have the port '%s'",
                                 from->name, to->name, out->name);
        }
    }
    return TAC_OK;
}

// Whether a client fits in with those that are there.
static tac_status check_others(const tac__server *s, const client *c, tac_error *err)
{
    for (uint32_t i = 0; i < c->published_count; i++)
        TAC_TRY(check_public(s, c, &c->published[i], c, err));
    for (size_t i = 0; i < s->def.count; i++) {
        const client *other = &s->clients[i];
        if (other->state == ABSENT)
            continue;
        TAC_TRY(check_pair(s, other, c, err));
        TAC_TRY(check_pair(s, c, other, err));
    }
    return TAC_OK;
}

static tac_status find_place(const tac__server *s, const char *name, int *number, tac_error *err)
{
    *number = find_client(s, name);
    if (*number < 0) {
        (void)tac__fail(err, TAC_E_NAME, "this federation has no client '%s'", name);
        tac__error_suggest(err, name, name_at, s);
        return TAC_E_NAME;
    }
    if (s->state != TAC__SERVER_JOINING)
        return tac__fail(err, TAC_E_CALLER, "the federation has started: nobody can join any more");
    if (s->clients[*number].state != ABSENT)
        return tac__fail(err, TAC_E_DUPLICATE, "there is a client '%s' already", name);
    return TAC_OK;
}

static void take_hello(tac__server *s, int at, tac__frame *f)
{
    connection *k = s->connections[at];
    char name[TAC__WIRE_NAME_MAX + 1], program[TAC__WIRE_NAME_MAX + 1];
    const uint32_t magic = tac__frame_u32(f);
    const unsigned version = tac__frame_u16(f);
    tac_error own;
    if (f->bad || magic != TAC__WIRE_MAGIC) {
        refuse(k, "not a HELLO of the federation protocol");
        return;
    }
    if (version != TAC__WIRE_VERSION) {
        (void)tac__fail(&own, TAC_E_PROTOCOL,
                        "the client speaks version %u of the protocol, this server version %d",
                        version, (int)TAC__WIRE_VERSION);
        refuse(k, own.text);
        return;
    }
    (void)tac__frame_u16(f);
    (void)tac__frame_text(f, name, sizeof name);
    (void)tac__frame_text(f, program, sizeof program);
    int number = -1;
    client joined = {.connection = at, .limit = -1};
    tac__arena_init(&joined.arena, s->allocator);
    tac_status status = f->bad ? tac__frame_end(f, &own) : find_place(s, name, &number, &own);
    if (status == TAC_OK)
        status = read_channels(s, &joined.arena, f, name, false, &joined.published,
                               &joined.published_count, &own);
    if (status == TAC_OK)
        status = read_channels(s, &joined.arena, f, name, true, &joined.subscribed,
                               &joined.subscribed_count, &own);
    if (status == TAC_OK)
        status = tac__frame_end(f, &own);
    if (status == TAC_OK) {
        joined.name = s->clients[number].name;
        joined.trace = s->clients[number].trace;
        status = check_others(s, &joined, &own);
    }
    if (status != TAC_OK) {
        tac__arena_fini(&joined.arena);
        refuse(k, own.text);
        return;
    }
    joined.state = RUNNING;
    joined.heard = true;
    s->clients[number] = joined;
    k->client = number;
    s->joined++;
    s->ready = true;
    tac__wire w = tac__wire_begin(&k->out, TAC__FRAME_WELCOME);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_u32(&w, (uint32_t)number);
    tac__wire_u32(&w, (uint32_t)s->def.count);
    tac__wire_u32(&w, s->def.message_max);
    tac__wire_u64(&w, s->def.seed);
    tac__wire_u64(&w, s->def.end_us);
    tac__wire_end(&w);
}

// --- starting -----------------------------------------------------------------------------------

// The law of a link. `*none`: the two ends have nothing to do with each other.
static tac_status find_law(const tac__server *s, const link *l, tac_link_law *law, bool *none,
                           tac_error *err)
{
    const channel *out = &s->clients[l->from].published[l->channel];
    const channel *in = &s->clients[l->to].subscribed[l->subscription];
    const tac_link_ends ends = {
        .from = l->from, .to = l->to, .channel = out->name, .inlet = in->inlet};
    const tac_link_law *given = s->def.law ? s->def.law(s->def.context, &ends) : NULL;
    tac_link_law fallback = tac_link_law_default();
    *none = !given && s->def.delay_us == TAC_TIME_NEVER;
    if (*none)
        return TAC_OK;
    fallback.min_us = s->def.delay_us;
    if (!given && !s->def.delay_us)
        return tac__fail(err, TAC_E_CONFIG, "no delay is given for messages from '%s' to '%s'",
                         out->end, in->end);
    *law = given ? *given : fallback;
    const tac_status status = tac__link_check(law, NULL, err);
    if (status != TAC_OK)
        tac__error_context(err, "linking '%s' to '%s'", out->end, in->end);
    return status;
}

static tac_status add_link(tac__server *s, uint32_t from, uint32_t out, uint32_t to, uint32_t in,
                           tac_error *err)
{
    client *a = &s->clients[from], *b = &s->clients[to];
    channel *source = &a->published[out];
    link l = {.from = from, .to = to, .channel = out, .subscription = in, .number = b->in_count};
    bool none;
    TAC_TRY(find_law(s, &l, &l.law, &none, err));
    if (none)
        return TAC_OK;
    l.key = tac__link_key(s->def.seed, source->end, b->subscribed[in].end);
    l.plain = tac__link_plain(&l.law);
    if (s->link_count == LINKS_MAX)
        return tac__fail(err, TAC_E_LIMIT, "there are more than %d links", (int)LINKS_MAX);
    size_t links = source->link_count, capacity = source->link_capacity;
    if (!TAC__ARENA_GROW(&s->arena, s->links, s->link_count, s->link_capacity) ||
        !TAC__ARENA_GROW(&s->arena, source->links, links, capacity))
        return tac__fail_memory(err);
    source->links[links] = (uint32_t)s->link_count;
    source->link_count++;
    source->link_capacity = (uint32_t)capacity;
    b->in_count++;
    if (tac__link_least_us(&l.law) < s->least_us)
        s->least_us = tac__link_least_us(&l.law);
    s->links[s->link_count++] = l;
    return TAC_OK;
}

static tac_status make_links(tac__server *s, tac_error *err)
{
    s->least_us = TAC_TIME_NEVER;
    for (uint32_t to = 0; to < s->def.count; to++) {
        const client *b = &s->clients[to];
        for (uint32_t in = 0; in < b->subscribed_count; in++) {
            bool any = false;
            for (uint32_t from = 0; from < s->def.count; from++) {
                const client *a = &s->clients[from];
                for (uint32_t out = 0; from != to && out < a->published_count; out++) {
                    if (!tac__glob_match(b->subscribed[in].name, a->published[out].name))
                        continue;
                    any = true;
                    TAC_TRY(add_link(s, from, out, to, in, err));
                }
            }
            if (!any) {
                tac_error own;
                (void)tac__fail(&own, TAC_E_NAME,
                                "'%s' subscribes to '%s', which no other client publishes", b->name,
                                b->subscribed[in].name);
                log_text(s, own.text);
            }
        }
    }
    // The links that lead to each client, side by side.
    uint32_t *in = tac__arena_array(&s->arena, s->link_count + 1, sizeof *in);
    if (!in)
        return tac__fail_memory(err);
    for (size_t i = 0, used = 0; i < s->def.count; used += s->clients[i++].in_count)
        s->clients[i].in = in + used;
    for (uint32_t i = 0; i < s->link_count; i++)
        s->clients[s->links[i].to].in[s->links[i].number] = i;
    return TAC_OK;
}

static void start(tac__server *s)
{
    tac_error own;
    if (make_links(s, &own) != TAC_OK) {
        fail(s, "", 0, &own);
        return;
    }
    for (size_t i = 0; i < s->def.count; i++) {
        client *c = &s->clients[i];
        c->heard = true; // until now nothing was expected of it
        tac__bytes *out = &s->connections[c->connection]->out;
        const size_t before = tac__bytes_count(out);
        tac__wire w = tac__wire_begin(out, TAC__FRAME_START);
        tac__wire_u32(&w, c->in_count);
        for (uint32_t k = 0; k < c->in_count; k++) {
            const link *l = &s->links[c->in[k]];
            tac__wire_u32(&w, l->subscription);
            tac__wire_text(&w, s->clients[l->from].name);
            tac__wire_text(&w, s->clients[l->from].published[l->channel].name);
        }
        tac__wire_end(&w);
        if (tac__bytes_count(out) - before > TAC__WIRE_FRAME_MAX) {
            tac__bytes_drop(out, tac__bytes_count(out) - before);
            (void)tac__fail(&own, TAC_E_LIMIT, "%u links lead to '%s': too many for one frame",
                            c->in_count, c->name);
            fail(s, "", 0, &own);
            return;
        }
    }
    s->state = TAC__SERVER_FIRST_TICK;
}

// --- frames from clients ------------------------------------------------------------------------

static tac_status unexpected(const tac__frame *f, const client *c, tac_error *err)
{
    return tac__fail(err, TAC_E_PROTOCOL, "'%s' sent %s at the wrong moment", c->name,
                     tac__frame_name(f->type));
}

static tac_status check_sent(const tac__server *s, const client *c, const tac__wire_mail *m,
                             tac_error *err)
{
    if (m->channel >= c->published_count)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' has no channel number %u", c->name, m->channel);
    const channel *k = &c->published[m->channel];
    TIME(at, m->sent_us);
    if (m->sent_us < c->clock.promise_us) {
        TIME(promise, c->clock.promise_us);
        return tac__fail(err, TAC_E_PROMISE,
                         "'%s' sends on '%s' at %s, but has promised to send nothing before %s",
                         c->name, k->name, at, promise);
    }
    if (m->sent_us < c->earliest_us) {
        TIME(earliest, c->earliest_us);
        return tac__fail(err, TAC_E_PROMISE,
                         "'%s' sends on '%s' at %s, but has stated that nothing will make it send "
                         "before %s",
                         c->name, k->name, at, earliest);
    }
    if (m->sent_us < c->sent_us || m->sent_us > TAC_TIME_MAX)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends on '%s' at %s, which is out of order",
                         c->name, k->name, at);
    if (s->state == TAC__SERVER_FIRST_TICK && m->sent_us)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends on '%s' at %s before its first poll",
                         c->name, k->name, at);
    if (m->size > k->message_max)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends %u bytes on '%s'; at most %u are allowed",
                         c->name, m->size, k->name, k->message_max);
    if (m->sequence < k->sequence)
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' sends number %llu on '%s' again", c->name,
                         (unsigned long long)m->sequence, k->name);
    return TAC_OK;
}

// A delivery time that the sender gave itself.
static tac_status check_queued(const tac__server *s, const client *c, const tac__wire_mail *m,
                               const link *l, tac_error *err)
{
    const tac_time least_us = tac__link_least_us(&l->law);
    if (m->delivered_us <= TAC_TIME_MAX && m->delivered_us >= m->sent_us + least_us)
        return TAC_OK;
    TIME(at, m->delivered_us);
    TIME(sent, m->sent_us);
    TIME(least, least_us);
    return tac__fail(err, TAC_E_PROTOCOL,
                     "'%s' wants a message on '%s', sent at %s, to reach '%s' at %s, but that "
                     "takes at least %s",
                     c->name, c->published[l->channel].name, sent, s->clients[l->to].name, at,
                     least);
}

static tac_status take_sent(tac__server *s, client *c, tac__frame *f, tac_error *err)
{
    const tac__wire_mail m = tac__frame_mail(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != RUNNING)
        return unexpected(f, c, err);
    TAC_TRY(check_sent(s, c, &m, err));
    channel *k = &c->published[m.channel];
    k->sequence = m.sequence + 1;
    c->sent_us = m.sent_us;
    s->info.received++;
    const uint64_t order = c->order++;
    if (s->def.watch) {
        const tac_passage passage = {.sender = c->name,
                                     .channel = k->name,
                                     .type = k->type,
                                     .sent_us = m.sent_us,
                                     .delivered_us = TAC_TIME_NEVER,
                                     .sequence = m.sequence,
                                     .bytes = m.bytes,
                                     .length = m.size,
                                     .sender_number = (uint32_t)(c - s->clients),
                                     .order = order};
        s->def.watch(s->def.context, &passage);
    }
    for (uint32_t i = 0; i < k->link_count && s->state != TAC__SERVER_FAILED; i++) {
        const link *l = &s->links[k->links[i]];
        if (f->type == TAC__FRAME_QUEUED_MESSAGE) {
            TAC_TRY(check_queued(s, c, &m, l, err));
            queue(s, l, &m, order, m.delivered_us, 0);
        } else if (l->plain) {
            queue(s, l, &m, order, m.sent_us + l->law.min_us, 0);
        } else {
            const tac__fate fate = tac__link_fate(&l->law, &l->key, m.sent_us, m.sequence);
            s->info.lost += fate.copies == 0;
            s->info.duplicated += fate.copies == 2;
            for (uint32_t copy = 0; copy < fate.copies; copy++)
                queue(s, l, &m, order, m.sent_us + fate.delay_us[copy], copy);
        }
    }
    return TAC_OK;
}

static tac_status take_promise(client *c, tac__frame *f, tac_error *err)
{
    const tac_time t_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != RUNNING)
        return unexpected(f, c, err);
    if (t_us > c->clock.promise_us)
        c->clock.promise_us = t_us;
    return TAC_OK;
}

// Whether what a client states fits in with what it has stated and sent before.
static tac_status check_clock(const client *c, const tac__wire_clock *k, tac_error *err)
{
    TIME(at, k->t_us);
    if (k->t_us < c->clock.t_us || k->t_us > TAC_TIME_MAX) {
        TIME(before, c->clock.t_us);
        return tac__fail(err, TAC_E_PROTOCOL, "'%s' cannot go from %s to %s", c->name, before, at);
    }
    if (k->t_us < c->sent_us) {
        TIME(sent, c->sent_us);
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' says that it has come to %s, after a message that it sent at %s",
                         c->name, at, sent);
    }
    if (k->promise_us < k->t_us || k->promise_us < c->clock.promise_us) {
        TIME(promise, k->promise_us);
        TIME(least, k->t_us > c->clock.promise_us ? k->t_us : c->clock.promise_us);
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' promises at %s to send nothing before %s; it must be %s at least",
                         c->name, at, promise, least);
    }
    const uint64_t known = c->delivered - c->unknown_count;
    if (k->received < known || k->received > c->delivered)
        return tac__fail(err, TAC_E_PROTOCOL,
                         "'%s' says at %s that it knows %llu messages; it was sent %llu, and has "
                         "known %llu before",
                         c->name, at, (unsigned long long)k->received,
                         (unsigned long long)c->delivered, (unsigned long long)known);
    return TAC_OK;
}

static tac_status take_clock(tac__server *s, client *c, tac__frame *f, tac_error *err)
{
    const tac__wire_clock k = tac__frame_clock(f);
    TAC_TRY(tac__frame_end(f, err));
    if (c->state != RUNNING || s->state == TAC__SERVER_ENDING)
        return unexpected(f, c, err);
    TAC_TRY(check_clock(c, &k, err));
    if (s->state <= TAC__SERVER_FIRST_TICK && k.t_us) {
        TIME(at, k.t_us);
        return tac__fail(err, TAC_E_PROTOCOL, "the first poll of '%s' is at %s; it must be at 0",
                         c->name, at);
    }
    know(c, k.received);
    c->clock = k;
    if (f->type == TAC__FRAME_POLL_WAIT)
        c->state = WAITING;
    return TAC_OK;
}

static tac_status take_result(tac__server *s, client *c, tac__frame *f, tac_error *err)
{
    char name[1024];
    const uint64_t digest = tac__frame_u64(f);
    (void)tac__frame_text(f, name, sizeof name);
    TAC_TRY(tac__frame_end(f, err));
    if (c->results++ >= RESULTS_MAX)
        return tac__fail(err, TAC_E_LIMIT, "'%s' hands in more than %d results", c->name,
                         (int)RESULTS_MAX);
    if (!TAC__ARENA_GROW(&s->arena, s->results, s->result_count, s->result_capacity))
        return tac__fail_memory(err);
    result *r = &s->results[s->result_count];
    *r = (result){tac__arena_text(&s->arena, name), digest};
    if (!r->name)
        return tac__fail_memory(err);
    s->result_count++;
    return TAC_OK;
}

static tac_status take_finish(tac__server *s, client *c, tac__frame *f, tac_error *err)
{
    const tac_time t_us = tac__frame_u64(f);
    TAC_TRY(tac__frame_end(f, err));
    if (s->state == TAC__SERVER_JOINING || (c->state != RUNNING && s->state != TAC__SERVER_ENDING))
        return unexpected(f, c, err);
    c->state = LEFT;
    if (t_us > c->clock.t_us)
        c->clock.t_us = t_us;
    c->clock.promise_us = c->clock.next_us = TAC_TIME_NEVER;
    for (; c->heap_count; s->info.late++)
        free_mail(s, pop(c));
    s->connections[c->connection]->closing = true;
    return TAC_OK;
}

static tac_status take_abort(client *c, tac__frame *f, tac_error *err)
{
    char who[TAC__WIRE_NAME_MAX + 1], why[TAC_ERROR_TEXT];
    const tac_time t_us = tac__frame_u64(f);
    (void)tac__frame_text(f, who, sizeof who);
    (void)tac__frame_text(f, why, sizeof why);
    TAC_TRY(tac__frame_end(f, err));
    if (t_us > c->clock.t_us)
        c->clock.t_us = t_us;
    return tac__fail(err, TAC_E_FEDERATION, "%s", why);
}

static tac_status take(tac__server *s, client *c, tac__frame *f, tac_error *err)
{
    switch (f->type) {
    case TAC__FRAME_SEND_MESSAGE:
    case TAC__FRAME_QUEUED_MESSAGE:
        return take_sent(s, c, f, err);
    case TAC__FRAME_PROMISE_NO_SEND:
        return take_promise(c, f, err);
    case TAC__FRAME_NOTIFY_ADVANCE:
    case TAC__FRAME_POLL_WAIT:
        return take_clock(s, c, f, err);
    case TAC__FRAME_RESULT:
        return take_result(s, c, f, err);
    case TAC__FRAME_FINISH:
        return take_finish(s, c, f, err);
    case TAC__FRAME_ABORT:
        return take_abort(c, f, err);
    default:
        return unexpected(f, c, err);
    }
}

// --- connections --------------------------------------------------------------------------------

// Strangers are turned away, the one that has been silent for longest first: those that occupy the
// server must not keep clients out.
static void make_place(tac__server *s)
{
    size_t strangers = 0;
    connection *oldest = NULL;
    for (size_t i = 0; i < s->connection_count; i++) {
        connection *k = s->connections[i];
        if (!k->used || k->closing || k->client >= 0)
            continue;
        strangers++;
        if (!oldest || k->number < oldest->number)
            oldest = k;
    }
    if (strangers >= STRANGERS_MAX)
        refuse(oldest, "too many connections have not said HELLO");
}

int tac__server_connect(tac__server *s)
{
    size_t at = 0;
    make_place(s);
    while (at < s->connection_count && s->connections[at]->used)
        at++;
    if (at == s->connection_count) {
        if (!TAC__ARENA_GROW(&s->arena, s->connections, s->connection_count,
                             s->connection_capacity))
            return -1;
        connection *k = tac__arena_alloc(&s->arena, sizeof *k);
        if (!k)
            return -1;
        tac__bytes_init(&k->in, s->allocator);
        tac__bytes_init(&k->out, s->allocator);
        s->connections[s->connection_count++] = k;
    }
    connection *k = s->connections[at];
    tac__bytes_take(&k->in, tac__bytes_count(&k->in));
    tac__bytes_take(&k->out, tac__bytes_count(&k->out));
    k->client = -1;
    k->used = true;
    k->closing = false;
    k->number = s->made++;
    k->since_ms = s->clock_ms;
    if (s->state == TAC__SERVER_ENDED || s->state == TAC__SERVER_FAILED)
        refuse(k, "the federation is over");
    return (int)at;
}

// What begins a connection is HELLO: the header tells, and no more is kept of what is none.
static tac_status check_stranger(const tac__bytes *in, tac_error *err)
{
    const size_t count = tac__bytes_count(in);
    if (count >= TAC__WIRE_HEADER && tac__bytes_front(in)[4] != TAC__FRAME_HELLO)
        return tac__fail(err, TAC_E_PROTOCOL, "the first frame of a client is HELLO");
    if (count > TAC__WIRE_HEADER + HELLO_MAX)
        return tac__fail(err, TAC_E_LIMIT, "a HELLO has at most %d bytes", (int)HELLO_MAX);
    return TAC_OK;
}

// Take all whole frames. What a client sends before the start waits: links are not known yet.
static void take_input(tac__server *s, int at)
{
    connection *k = s->connections[at];
    tac_error own;
    tac_status status = k->in.failed ? tac__fail_memory(&own) : TAC_OK;
    while (status == TAC_OK && k->used && !k->closing) {
        if (k->client >= 0 && s->state == TAC__SERVER_JOINING) {
            if (tac__bytes_count(&k->in) > EARLY_MAX)
                status = tac__fail(&own, TAC_E_LIMIT, "'%s' sends too much before the start",
                                   s->clients[k->client].name);
            break;
        }
        tac__frame f;
        size_t length;
        status = tac__frame_next(tac__bytes_front(&k->in), tac__bytes_count(&k->in),
                                 TAC__FRAME_FROM_CLIENT, &f, &length, &own);
        if (status == TAC_OK && k->client < 0)
            status = check_stranger(&k->in, &own);
        if (status != TAC_OK || !length)
            break;
        if (k->client < 0) {
            take_hello(s, at, &f);
        } else {
            s->ready = true;
            status = take(s, &s->clients[k->client], &f, &own);
        }
        tac__bytes_take(&k->in, length);
    }
    if (k->closing)
        tac__bytes_take(&k->in, tac__bytes_count(&k->in));
    if (status == TAC_OK)
        return;
    if (k->client < 0)
        refuse(k, own.text);
    else
        fail_client(s, &s->clients[k->client], &own);
}

void tac__server_input(tac__server *s, int at, const void *bytes, size_t count)
{
    connection *k = s->connections[at];
    if (!k->used || s->state == TAC__SERVER_FAILED)
        return;
    tac__bytes_copy(&k->in, bytes, count);
    if (k->client >= 0)
        s->clients[k->client].heard = true;
    take_input(s, at);
}

void tac__server_closed(tac__server *s, int at, const char *why)
{
    connection *k = s->connections[at];
    if (!k->used)
        return;
    k->used = false;
    if (k->client < 0)
        return;
    client *c = &s->clients[k->client];
    c->connection = -1;
    if (s->state == TAC__SERVER_JOINING) { // it may come again
        tac__arena_fini(&c->arena);
        *c = (client){.name = c->name,
                      .arena = {.allocator = s->allocator},
                      .connection = -1,
                      .limit = -1,
                      .trace = c->trace};
        s->joined--;
        return;
    }
    if (c->state == LEFT || s->state == TAC__SERVER_ENDED || s->state == TAC__SERVER_FAILED)
        return;
    tac_error own;
    TIME(t, c->clock.t_us);
    (void)tac__fail(&own, TAC_E_NETWORK,
                    "the connection to '%s' was lost when it had come to %s%s%s; %zu messages for "
                    "it were not delivered",
                    c->name, t, why ? ": " : "", why ? why : "", c->heap_count + c->unknown_count);
    fail_client(s, c, &own);
}

tac__bytes *tac__server_output(tac__server *s, int at)
{
    return &s->connections[at]->out;
}

bool tac__server_closing(const tac__server *s, int at)
{
    return s->connections[at]->closing;
}

// --- who may advance how far --------------------------------------------------------------------

static tac_time add(tac_time a, tac_time b)
{
    return a >= TAC_TIME_NEVER - b ? TAC_TIME_NEVER : a + b;
}

// The earliest delivery of what the client did not know of when it stated its next own event.
static tac_time arriving(const client *c)
{
    tac_time t_us = c->unknown_count ? c->unknown[c->unknown_first] : TAC_TIME_NEVER;
    if (c->heap_count && c->heap[0]->delivered_us < t_us)
        t_us = c->heap[0]->delivered_us;
    return t_us;
}

static void find_bases(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        client *c = &s->clients[i];
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
    client **heap = s->open;
    client *c = heap[i];
    for (; i && c->earliest_us < heap[(i - 1) / 2]->earliest_us; i = (i - 1) / 2) {
        heap[i] = heap[(i - 1) / 2];
        heap[i]->place = (uint32_t)i;
    }
    heap[i] = c;
    c->place = (uint32_t)i;
}

static client *take_earliest(tac__server *s)
{
    client **heap = s->open;
    client *first = heap[0], *last = heap[--s->open_count];
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
static void relax(tac__server *s, const client *c)
{
    for (uint32_t k = 0; k < c->published_count; k++) {
        const channel *out = &c->published[k];
        for (uint32_t i = 0; i < out->link_count; i++) {
            const link *l = &s->links[out->links[i]];
            client *to = &s->clients[l->to];
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
        const client *c = &s->clients[i];
        if (c->heap_count && c->heap[0]->delivered_us < least_us)
            least_us = c->heap[0]->delivered_us;
    }
    s->def.settled(s->def.context, least_us);
}

static tac_time link_limit(const tac__server *s, client *c)
{
    tac_time t_us = TAC_TIME_NEVER;
    c->limit = -1;
    for (uint32_t i = 0; i < c->in_count; i++) {
        const link *l = &s->links[c->in[i]];
        const tac_time limit_us = add(s->clients[l->from].earliest_us, tac__link_least_us(&l->law));
        if (limit_us < t_us) {
            t_us = limit_us;
            c->limit = (int)l->from;
        }
    }
    return t_us;
}

// Whether a client should wait because others do not keep up with what it sends.
static bool ahead(const tac__server *s, const client *c)
{
    if (s->queued_bytes > s->def.queue_bytes_max / 2)
        return c->published_count > 0;
    for (uint32_t k = 0; k < c->published_count; k++) {
        const channel *out = &c->published[k];
        for (uint32_t i = 0; i < out->link_count; i++) {
            if (s->clients[s->links[out->links[i]].to].heap_count > s->def.queue_max / 2)
                return true;
        }
    }
    return false;
}

static bool authorise(tac__server *s, client *c, tac_time t_us)
{
    if (t_us > s->target_us)
        t_us = s->target_us;
    if (t_us <= c->clock.t_us || t_us <= c->granted_us)
        return false;
    while (c->heap_count && c->heap[0]->delivered_us < t_us)
        deliver(s, c);
    tac__wire_put_time(&s->connections[c->connection]->out, TAC__FRAME_AUTHORIZE_ADVANCE, t_us);
    c->granted_us = t_us;
    c->state = RUNNING;
    return true;
}

bool tac__server_reached(const tac__server *s, tac_time t_us)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const client *c = &s->clients[i];
        if (c->state != LEFT && (c->state != WAITING || c->clock.t_us < t_us))
            return false;
    }
    return true;
}

static int by_clock(const void *a, const void *b)
{
    const client *const *x = a, *const *y = b;
    return ((*x)->clock.t_us > (*y)->clock.t_us) - ((*x)->clock.t_us < (*y)->clock.t_us);
}

// Authorise all that wait and can go on, from the earliest to the latest.
static void dispatch(tac__server *s)
{
    client **waiting = s->waiting;
    size_t count = 0;
    for (size_t i = 0; i < s->def.count; i++) {
        client *c = &s->clients[i];
        if (c->state == WAITING && c->clock.t_us < s->target_us)
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
    for (size_t i = 0; i < count && s->state == TAC__SERVER_ADVANCING; i++) {
        client *c = waiting[i];
        tac_time t_us = global_us;
        c->limit = slowest;
        if (s->def.lookahead == TAC_LOOKAHEAD_LINK) {
            t_us = link_limit(s, c);
            const tac_time most_us = ahead(s, c) ? global_us : window_us;
            if (t_us > most_us)
                t_us = most_us;
        }
        granted += authorise(s, c, t_us);
    }
    s->info.grants += granted;
    s->info.turns += granted > 0;
    if (granted > s->info.most_at_once)
        s->info.most_at_once = granted;
}

// --- the end ------------------------------------------------------------------------------------

static void begin_end(tac__server *s)
{
    s->state = TAC__SERVER_ENDING;
    for (size_t i = 0; i < s->def.count; i++) {
        client *c = &s->clients[i];
        if (c->state == LEFT)
            continue;
        while (c->heap_count) {
            s->info.late++;
            deliver(s, c);
        }
        c->state = RUNNING;
        tac__wire_put_time(&s->connections[c->connection]->out, TAC__FRAME_FINISH, s->def.end_us);
    }
}

static int by_name(const void *a, const void *b)
{
    const result *x = a, *y = b;
    return strcmp(x->name, y->name);
}

// The hash over all digests, each once: as that of one engine that has them all.
static void add_up(tac__server *s)
{
    if (!s->result_count)
        return;
    qsort(s->results, s->result_count, sizeof *s->results, by_name);
    uint64_t *digests = tac__arena_array(&s->arena, s->result_count, sizeof *digests);
    if (!digests) {
        fail_memory(s);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < s->result_count; i++) {
        const result *r = &s->results[i];
        if (i && !strcmp(r->name, r[-1].name)) {
            if (r->digest == r[-1].digest) // a component that every process has
                continue;
            tac_error own;
            (void)tac__fail(&own, TAC_E_DIFFERENT, "two clients have '%s' with different digests",
                            r->name);
            fail(s, "", s->def.end_us, &own);
            return;
        }
        digests[n++] = r->digest;
    }
    s->info.hash = tac_digests_hash(digests, n);
}

static void end(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        if (s->clients[i].state != LEFT)
            return;
    }
    add_up(s);
    if (s->state == TAC__SERVER_FAILED)
        return;
    s->state = TAC__SERVER_ENDED;
    for (size_t i = 0; i < s->connection_count; i++) {
        if (s->connections[i]->used && !s->connections[i]->closing)
            refuse(s->connections[i], "the federation is over");
    }
}

// --- turns --------------------------------------------------------------------------------------

// Note who was heard. Only a short time between two turns counts: a server that was held up itself
// has heard nobody.
static void check_heard(tac__server *s, uint64_t now_ms)
{
    if (!s->clocked)
        s->now_ms = now_ms;
    const uint64_t step_ms = now_ms - s->now_ms;
    const bool first = !s->clocked;
    s->clock_ms += step_ms < TURN_MS ? step_ms : TURN_MS;
    s->now_ms = now_ms;
    s->clocked = true;
    if (first || s->ready) {
        s->moved_ms = s->clock_ms;
        s->tell_ms = STANDSTILL_MS;
    }
    if (!first && s->clock_ms - s->checked_ms < CHECK_MS)
        return;
    s->checked_ms = s->clock_ms;
    for (size_t i = 0; i < s->def.count; i++) {
        client *c = &s->clients[i];
        if (c->heard)
            c->heard_ms = s->clock_ms;
        c->heard = false;
    }
}

static void refuse_silent(tac__server *s)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        connection *k = s->connections[i];
        if (k->used && !k->closing && k->client < 0 && s->clock_ms - k->since_ms >= HELLO_MS)
            refuse(k, "no HELLO came");
    }
}

// After 5 s, then after twice as long each time.
static void tell_standstill(tac__server *s)
{
    char text[4096], who[3584];
    const uint64_t still_ms = s->clock_ms - s->moved_ms;
    if (still_ms < s->tell_ms)
        return;
    s->tell_ms = 2 * still_ms;
    tac__server_describe(s, who, sizeof who);
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "nothing has moved for %llu s:\n%s", (unsigned long long)still_ms / 1000,
                 who);
    log_text(s, text);
}

static void end_hanging(tac__server *s)
{
    for (size_t i = 0; i < s->def.count; i++) {
        const client *c = &s->clients[i];
        if (c->state == WAITING || c->state == LEFT || c->heard ||
            s->clock_ms - c->heard_ms < s->def.timeout_ms)
            continue;
        tac_error own;
        TIME(at, c->clock.t_us);
        (void)tac__fail(&own, TAC_E_HANG, "'%s' has not responded for %.3g s since it came to %s",
                        c->name, 1e-3 * s->def.timeout_ms, at);
        const size_t unread = tac__bytes_count(&s->connections[c->connection]->out);
        if (unread)
            tac__error_append(&own, "; it has not read %zu bytes", unread);
        if (c->heap_count + c->unknown_count)
            tac__error_append(&own, "; %zu messages for it may be lost",
                              c->heap_count + c->unknown_count);
        fail_client(s, c, &own);
        return;
    }
}

static void watch_clock(tac__server *s, uint64_t now_ms)
{
    check_heard(s, now_ms);
    if (s->clock_ms != s->checked_ms)
        return; // nothing new since the last look
    refuse_silent(s);
    const bool under_way = s->state >= TAC__SERVER_FIRST_TICK && s->state <= TAC__SERVER_ENDING;
    if (s->state == TAC__SERVER_JOINING ? s->started
                                        : under_way && !tac__server_reached(s, s->target_us))
        tell_standstill(s);
    if (under_way && s->def.timeout_ms && !tac__server_reached(s, s->target_us))
        end_hanging(s);
}

void tac__server_turn(tac__server *s, uint64_t now_ms)
{
    for (size_t i = 0; i < s->connection_count; i++) {
        if (s->connections[i]->out.failed || s->connections[i]->in.failed) {
            fail_memory(s);
            return;
        }
    }
    if (s->ready) {
        const bool just_started =
            s->state == TAC__SERVER_JOINING && s->started && s->joined == s->def.count;
        if (just_started)
            start(s);
        for (int i = 0; just_started && i < (int)s->connection_count; i++)
            take_input(s, i);
        if (s->state == TAC__SERVER_FIRST_TICK && tac__server_reached(s, 0))
            s->state = TAC__SERVER_ADVANCING;
        if (s->state == TAC__SERVER_ADVANCING)
            dispatch(s);
        if (s->state == TAC__SERVER_ENDING)
            end(s);
    }
    watch_clock(s, now_ms);
    s->ready = false;
}

void tac__server_advance_to(tac__server *s, tac_time to_us)
{
    s->started = s->ready = true;
    if (to_us > s->def.end_us)
        to_us = s->def.end_us + 1; // clients process the end and nothing after it
    if (to_us > s->target_us)
        s->target_us = to_us;
}

void tac__server_finish(tac__server *s)
{
    s->ready = true;
    if (s->state == TAC__SERVER_ADVANCING && tac__server_reached(s, s->def.end_us + 1))
        begin_end(s);
}

// --- what is known ------------------------------------------------------------------------------

tac__server_state tac__server_state_of(const tac__server *s)
{
    return s->state;
}

tac_time tac__server_time(const tac__server *s)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < s->def.count; i++) {
        const client *c = &s->clients[i];
        if (c->state != LEFT && c->clock.t_us < t_us)
            t_us = c->clock.t_us;
    }
    return t_us == TAC_TIME_NEVER ? s->target_us : t_us;
}

tac_time tac__server_end(const tac__server *s)
{
    return s->def.end_us;
}

tac_dispatch_info tac__server_info(const tac__server *s)
{
    tac_dispatch_info info = s->info;
    info.joined = s->joined;
    return info;
}

uint64_t tac__server_trace(const tac__server *s, size_t i)
{
    return i < s->def.count ? tac__hash_end(s->clients[i].trace) : 0;
}

void tac__server_describe(const tac__server *s, char *text, size_t size)
{
    tac__out out = tac__out_begin(text, size);
    for (size_t i = 0; i < s->def.count; i++) {
        const client *c = &s->clients[i];
        TIME(at, c->clock.t_us);
        if (c->state == ABSENT)
            tac__out_add(&out, "  '%s' has not joined\n", c->name);
        else if (c->state == RUNNING && s->state != TAC__SERVER_JOINING)
            tac__out_add(&out, "  '%s' is at work since %s\n", c->name, at);
        else if (c->state == WAITING && s->state == TAC__SERVER_ADVANCING && c->limit >= 0)
            tac__out_add(&out, "  '%s' waits at %s for '%s'\n", c->name, at,
                         s->clients[c->limit].name);
        else if (c->state == WAITING)
            tac__out_add(&out, "  '%s' waits at %s\n", c->name, at);
    }
}
