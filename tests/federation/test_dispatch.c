// Federations of automata inside one process, hundreds of them drawn at random: the state of every
// automaton and the trace of every client are those of a simple simulation of all of them in one
// loop, whatever the order in which bytes move and clients run; a connection that is cut at any
// point ends everything with a message that names the client.
#include "base/text.h"
#include "bus/link.h"
#include "federation/client.h"
#include "federation/server.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NODES = 6, CHANNELS = 2, RULES = 4, SIZE = 40 };

// --- plans --------------------------------------------------------------------------------------

typedef struct node {
    bool engine;   // handles a message at its delivery time; else at its next own instant
    bool reactive; // answers some messages
    bool dawn;     // sends before its first poll
    bool promises; // states unconditional promises, too
    tac_time period_us, offset_us;
    bool hears[NODES]; // whose channels it subscribes to
} node;

// The law of all links whose ends match; the first rule that matches counts.
typedef struct rule {
    const char *from, *to; // patterns of "n0/c1_n0"
    tac_link_law law;
} rule;

typedef struct plan {
    size_t count;
    node nodes[NODES];
    char names[NODES][8];
    rule rules[RULES];
    tac_outage outage;
    bool numbered;                     // senders have numbers of their own
    uint64_t numbers[NODES][CHANNELS]; // two channels of a node may have the same
    uint64_t seed;
    tac_time end_us;
} plan;

static uint64_t next(uint64_t *x)
{
    *x += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *x;
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t below(uint64_t *x, uint64_t n)
{
    return next(x) % n;
}

static tac_link_law draw_law(uint64_t *x, const tac_outage *outage)
{
    tac_link_law law = tac_link_law_default();
    law.min_us = 1 + below(x, 40);
    switch (below(x, 4)) {
    case 0:
        law.delay = TAC_DELAY_UNIFORM;
        law.max_us = law.min_us + below(x, 100);
        law.loss = 0.2;
        law.duplicate = 0.3;
        break;
    case 1:
        law.down = outage;
        law.down_count = 1;
        break;
    default:
        break;
    }
    return law;
}

static void draw_plan(plan *p, uint64_t seed)
{
    static const char *const patterns[] = {"n0/*", "n1/*", "*", "*/c1*", "*"};
    uint64_t x = seed;
    memset(p, 0, sizeof *p);
    p->seed = next(&x);
    p->count = 2 + below(&x, NODES - 1);
    p->end_us = 100 + below(&x, 400);
    p->outage = (tac_outage){p->end_us / 3, p->end_us / 2};
    for (size_t i = 0; i < p->count; i++) {
        p->names[i][0] = 'n';
        p->names[i][1] = (char)('0' + i);
        node *n = &p->nodes[i];
        n->engine = below(&x, 3) > 0;
        n->reactive = below(&x, 2);
        n->dawn = below(&x, 2);
        n->promises = below(&x, 2);
        n->period_us = 1 + below(&x, 60);
        n->offset_us = n->engine ? below(&x, 60) : 0;
        for (size_t k = 0; k < p->count; k++)
            n->hears[k] = k != i && below(&x, 3) > 0;
    }
    p->numbered = below(&x, 2);
    for (size_t i = 0; i < p->count; i++) {
        const bool both = below(&x, 2); // numbers of nodes are 0 to 7, shuffled
        for (size_t k = 0; k < CHANNELS; k++)
            p->numbers[i][k] = (5 * i + 3) % 8 + (both ? 0 : 8 * k);
    }
    for (size_t i = 0; i < RULES; i++) {
        const bool last = i == RULES - 1;
        p->rules[i] = (rule){.from = last ? "*" : patterns[below(&x, 5)],
                             .to = last ? "*" : patterns[below(&x, 3)],
                             .law = draw_law(&x, &p->outage)};
    }
}

static void name_channel(const plan *p, size_t sender, uint32_t channel, char name[16])
{
    snprintf(name, 16, "c%u_%s", channel, p->names[sender]);
}

// --- automata -----------------------------------------------------------------------------------

typedef struct letter {
    tac_time sent_us, at_us;
    uint64_t sequence;
    uint64_t number, order;
    uint32_t sender, channel, copy, size;
    uint8_t bytes[SIZE];
} letter;

typedef struct actor {
    const node *n;
    size_t number;
    uint64_t state;
    uint64_t sequences[CHANNELS];
    tac_time own_us; // next own instant
    uint64_t taken;
} actor;

// What an automaton sends goes through here.
typedef struct post {
    void (*send)(void *context, actor *a, uint32_t channel, tac_time t_us, const uint8_t *bytes,
                 uint32_t size);
    void *context;
} post;

static void mix(actor *a, uint64_t word)
{
    a->state = (a->state ^ word) * UINT64_C(0xd6e8feb86659fd93);
    a->state ^= a->state >> 29;
}

static void send_one(actor *a, const post *p, uint32_t channel, tac_time t_us)
{
    uint8_t bytes[SIZE];
    const uint32_t size = (uint32_t)(a->state >> 40) % (SIZE + 1);
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)(a->state >> 8 * (i % 8));
    p->send(p->context, a, channel, t_us, bytes, size);
    a->sequences[channel]++;
}

static void take_letter(actor *a, const post *p, const letter *m, tac_time now_us)
{
    a->taken++;
    mix(a, m->at_us);
    mix(a, m->sent_us);
    mix(a, m->sequence << 16 | m->sender << 8 | m->channel << 4 | m->copy);
    for (uint32_t i = 0; i < m->size; i++)
        mix(a, m->bytes[i]);
    if (a->n->reactive && now_us != TAC_TIME_NEVER && a->state % 3 == 0)
        send_one(a, p, 0, now_us);
}

static void step(actor *a, const post *p, tac_time t_us)
{
    mix(a, t_us);
    for (uint32_t k = 0; k < CHANNELS; k++) {
        if ((a->state >> (20 + k)) % 4 != 0)
            send_one(a, p, k, t_us);
    }
    a->own_us = t_us + a->n->period_us;
}

static void begin(actor *a, const plan *p, size_t i)
{
    *a = (actor){.n = &p->nodes[i], .number = i, .state = 77 + i, .own_us = p->nodes[i].offset_us};
}

static int by_arrival(const void *a, const void *b)
{
    const letter *x = a, *y = b;
    if (x->at_us != y->at_us)
        return x->at_us < y->at_us ? -1 : 1;
    if (x->number != y->number)
        return x->number < y->number ? -1 : 1;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return (int)x->copy - (int)y->copy;
}

// --- the reference: all automata in one loop ----------------------------------------------------

typedef struct world {
    const plan *p;
    actor actors[NODES];
    uint64_t orders[NODES];
    letter *boxes[NODES];
    size_t counts[NODES], heads[NODES];
} world;

enum { BOX = 20000 };

static const tac_link_law *law_between(const plan *p, size_t from, const char *channel, size_t to,
                                       tac__stream *key)
{
    char ends[2][32];
    snprintf(ends[0], sizeof ends[0], "%s/%s", p->names[from], channel);
    snprintf(ends[1], sizeof ends[1], "%s/%s", p->names[to], channel);
    if (key)
        *key = tac__link_key(p->seed, ends[0], ends[1]);
    for (size_t i = 0; i < RULES; i++) {
        const rule *r = &p->rules[i];
        if (tac__glob_match(r->from, ends[0]) && tac__glob_match(r->to, ends[1]))
            return &r->law;
    }
    return NULL;
}

static const tac_link_law *give_law(void *context, const tac_link_ends *e)
{
    assert_string_equal(e->channel, e->inlet);
    return law_between(context, e->from, e->channel, e->to, NULL);
}

static uint64_t number_of(const plan *p, size_t sender, uint32_t channel)
{
    return p->numbered ? p->numbers[sender][channel] : sender;
}

static uint64_t give_number(void *context, size_t client, const char *channel)
{
    return number_of(context, client, (uint32_t)(channel[1] - '0'));
}

static void send_in_world(void *context, actor *a, uint32_t channel, tac_time t_us,
                          const uint8_t *bytes, uint32_t size)
{
    world *w = context;
    const uint64_t order = w->orders[a->number]++;
    for (size_t to = 0; to < w->p->count; to++) {
        if (!w->p->nodes[to].hears[a->number])
            continue;
        tac__stream key;
        char name[16];
        name_channel(w->p, a->number, channel, name);
        const tac_link_law *law = law_between(w->p, a->number, name, to, &key);
        assert_non_null(law);
        const tac__fate fate = tac__link_fate(law, &key, t_us, a->sequences[channel]);
        for (uint32_t copy = 0; copy < fate.copies; copy++) {
            assert_true(w->counts[to] < BOX);
            letter *m = &w->boxes[to][w->counts[to]++];
            *m = (letter){.sent_us = t_us,
                          .at_us = t_us + fate.delay_us[copy],
                          .sequence = a->sequences[channel],
                          .number = number_of(w->p, a->number, channel),
                          .order = order,
                          .sender = (uint32_t)a->number,
                          .channel = channel,
                          .copy = copy,
                          .size = size};
            memcpy(m->bytes, bytes, size);
        }
    }
}

// The first letter of a box that has not been taken, by arrival.
static letter *first(world *w, size_t i)
{
    letter *box = w->boxes[i] + w->heads[i];
    const size_t n = w->counts[i] - w->heads[i];
    if (!n)
        return NULL;
    size_t least = 0;
    for (size_t k = 1; k < n; k++) {
        if (by_arrival(&box[k], &box[least]) < 0)
            least = k;
    }
    const letter m = box[least];
    box[least] = box[0];
    box[0] = m;
    return box;
}

static void reference(const plan *p, uint64_t states[NODES], uint64_t *taken)
{
    world w = {.p = p};
    const post out = {send_in_world, &w};
    *taken = 0;
    for (size_t i = 0; i < p->count; i++) {
        begin(&w.actors[i], p, i);
        w.boxes[i] = malloc(BOX * sizeof(letter));
    }
    for (size_t i = 0; i < p->count; i++) {
        if (p->nodes[i].dawn)
            send_one(&w.actors[i], &out, 1, 0);
    }
    for (tac_time t_us = 0; t_us <= p->end_us; t_us++) {
        for (size_t i = 0; i < p->count; i++) {
            actor *a = &w.actors[i];
            letter *m;
            const bool looks = a->n->engine || a->own_us == t_us;
            while (looks && (m = first(&w, i)) && m->at_us <= t_us) {
                w.heads[i]++;
                const letter copy = *m;
                take_letter(a, &out, &copy, t_us);
            }
            if (a->own_us == t_us)
                step(a, &out, t_us);
        }
    }
    for (size_t i = 0; i < p->count; i++) {
        letter *m;
        while ((m = first(&w, i))) { // on the way at the end
            w.heads[i]++;
            take_letter(&w.actors[i], &out, m, TAC_TIME_NEVER);
        }
        states[i] = w.actors[i].state;
        *taken += w.actors[i].taken;
        free(w.boxes[i]);
    }
}

// --- the federation -----------------------------------------------------------------------------

typedef struct way {
    uint64_t seed; // of the order of everything
    tac_lookahead lookahead;
    bool single;    // bytes move one at a time
    long cut_after; // the connection of client `cut` is cut after so many moves; -1: never
    size_t cut;
} way;

typedef struct member {
    actor a;
    tac__client *client;
    int connection;
    bool joined, polled, over, failed, open;
    tac_time now_us;  // of an application: its present poll
    tac_time told_us; // the last that it notified
    bool notified;    // and its poll there comes next
    letter *box;      // of an engine: messages that it was given and has not handled
    size_t count, head;
    tac_error err;
} member;

typedef struct federation {
    const plan *p;
    tac__server *server;
    member members[NODES];
    uint64_t x;
} federation;

static void must(member *m, tac_status status)
{
    if (status != TAC_OK)
        m->failed = true;
}

static void send_in_federation(void *context, actor *a, uint32_t channel, tac_time t_us,
                               const uint8_t *bytes, uint32_t size)
{
    federation *f = context;
    member *m = &f->members[a->number];
    if (!m->failed)
        must(m, tac__client_send(m->client, channel, t_us, TAC_TIME_NEVER, a->sequences[channel],
                                 bytes, size, &m->err));
}

static letter to_letter(const federation *f, const tac_delivery *d)
{
    letter m = {.sent_us = d->sent_us,
                .at_us = d->delivered_us,
                .sequence = d->sequence,
                .channel = (uint32_t)(d->channel[1] - '0'),
                .copy = d->copy,
                .size = (uint32_t)d->length};
    while (strcmp(f->p->names[m.sender], d->sender) != 0)
        m.sender++;
    memcpy(m.bytes, d->bytes, d->length);
    return m;
}

static tac_time next_own(const member *m)
{
    const tac_time mail_us = m->head < m->count ? m->box[m->head].at_us : TAC_TIME_NEVER;
    return mail_us < m->a.own_us ? mail_us : m->a.own_us;
}

static void give_result(member *m)
{
    must(m, tac__client_result(m->client, tac__client_name(m->client), m->a.state, &m->err));
    if (!m->failed)
        must(m, tac__client_finish(m->client, &m->err));
    m->over = true;
}

// An engine that has been authorised: handle everything before the grant, or a part of it.
static void run_engine(federation *f, member *m)
{
    const post out = {send_in_federation, f};
    tac_delivery d;
    const bool over = tac__client_state_of(m->client) == TAC__CLIENT_OVER;
    while (tac__client_receive(m->client, TAC_TIME_NEVER, &d)) {
        assert_true(m->count < BOX);
        m->box[m->count++] = to_letter(f, &d);
    }
    if (over) {
        while (m->head < m->count) {
            const letter copy = m->box[m->head++];
            take_letter(&m->a, &out, &copy, TAC_TIME_NEVER);
        }
        give_result(m);
        return;
    }
    tac_time to_us = tac__client_info(m->client).granted_us;
    if (m->polled && to_us > m->now_us && below(&f->x, 3) == 0)
        to_us = m->now_us + below(&f->x, to_us - m->now_us + 1);
    for (tac_time t_us; (t_us = next_own(m)) < to_us && !m->failed;) {
        while (m->head < m->count && m->box[m->head].at_us == t_us) {
            const letter copy = m->box[m->head++];
            take_letter(&m->a, &out, &copy, t_us);
        }
        if (m->a.own_us == t_us)
            step(&m->a, &out, t_us);
    }
    m->now_us = to_us;
    if (m->failed)
        return;
    if (m->a.n->promises && !m->a.n->reactive && m->a.own_us >= to_us && m->polled)
        must(m, tac__client_promise(m->client, m->a.own_us, &m->err));
    if (m->failed)
        return;
    if (to_us < tac__client_info(m->client).granted_us) {
        if (below(&f->x, 2))
            must(m, tac__client_notify(m->client, to_us, next_own(m), &m->err));
        return;
    }
    m->polled = true;
    must(m, tac__client_poll(m->client, to_us, next_own(m), &m->err));
}

// An application whose poll has returned.
static void run_application(federation *f, member *m)
{
    const post out = {send_in_federation, f};
    tac_delivery d;
    if (m->notified && tac__client_state_of(m->client) == TAC__CLIENT_RUNNING) {
        m->notified = false;
        must(m, tac__client_poll(m->client, m->now_us, m->now_us, &m->err));
        return;
    }
    const bool over = tac__client_state_of(m->client) == TAC__CLIENT_OVER;
    while (m->polled && tac__client_receive(m->client, over ? TAC_TIME_NEVER : m->now_us, &d)) {
        const letter l = to_letter(f, &d);
        take_letter(&m->a, &out, &l, over ? TAC_TIME_NEVER : m->now_us);
    }
    if (over) {
        give_result(m);
        return;
    }
    if (m->polled)
        step(&m->a, &out, m->now_us);
    m->polled = true;
    m->now_us = m->a.own_us;
    if (m->told_us != m->now_us && m->now_us && below(&f->x, 3) == 0) { // it has come so far
        m->told_us = m->now_us;
        m->notified = true;
        if (!m->failed)
            must(m, tac__client_notify(m->client, m->now_us, m->now_us, &m->err));
        return;
    }
    if (!m->failed)
        must(m, tac__client_poll(m->client, m->now_us, m->now_us, &m->err));
}

static void run_member(federation *f, member *m)
{
    const tac__client_state state = tac__client_state_of(m->client);
    const post out = {send_in_federation, f};
    if (m->failed || m->over)
        return;
    if (state == TAC__CLIENT_DECLARING) {
        must(m, tac__client_join(m->client, &m->err));
    } else if (state == TAC__CLIENT_RUNNING || state == TAC__CLIENT_OVER) {
        if (!m->joined && m->a.n->dawn)
            send_one(&m->a, &out, 1, 0);
        m->joined = true;
        if (m->a.n->engine)
            run_engine(f, m);
        else
            run_application(f, m);
    }
}

static size_t piece(federation *f, const way *how, size_t count)
{
    if (!count || how->single)
        return count ? 1 : 0;
    return 1 + below(&f->x, below(&f->x, 2) ? count : 64) % count;
}

static void move_up(federation *f, const way *how, member *m)
{
    tac__bytes *out = tac__client_output(m->client);
    const size_t n = piece(f, how, tac__bytes_count(out));
    if (!n)
        return;
    tac__server_input(f->server, m->connection, tac__bytes_front(out), n);
    tac__bytes_take(out, n);
}

static void move_down(federation *f, const way *how, member *m)
{
    tac__bytes *out = tac__server_output(f->server, m->connection);
    const size_t n = piece(f, how, tac__bytes_count(out));
    if (n && !m->failed) {
        uint8_t *copy = malloc(n); // so that reading beyond the piece is noticed
        memcpy(copy, tac__bytes_front(out), n);
        must(m, tac__client_input(m->client, copy, n, &m->err));
        free(copy);
    }
    tac__bytes_take(out, n);
    if (!tac__bytes_count(out) && tac__server_closing(f->server, m->connection)) {
        m->open = false;
        if (!m->failed)
            must(m, tac__client_closed(m->client, NULL, &m->err));
    }
}

static void declare(const plan *p, member *m, size_t i)
{
    tac_error err;
    uint32_t number;
    for (uint32_t k = 0; k < CHANNELS; k++) {
        for (size_t other = 0; other < p->count; other++) {
            char name[16];
            name_channel(p, other, k, name);
            tac_channel_def def = tac_channel_def_default();
            def.channel = name;
            def.type = "letter";
            if (other == i)
                assert_int_equal(tac__client_publish(m->client, &def, &number, &err), TAC_OK);
            else if (p->nodes[i].hears[other])
                assert_int_equal(tac__client_subscribe(m->client, &def, &number, &err), TAC_OK);
        }
    }
}

static void open_all(federation *f, const plan *p, const way *how)
{
    const char *names[NODES];
    for (size_t i = 0; i < p->count; i++)
        names[i] = p->names[i];
    tac_server_def def = tac_server_def_default();
    def.names = names;
    def.count = p->count;
    def.seed = p->seed;
    def.end_us = p->end_us;
    def.law = give_law;
    def.number = p->numbered ? give_number : NULL;
    def.context = (void *)(uintptr_t)p;
    def.lookahead = how->lookahead;
    tac_error err;
    *f = (federation){.p = p, .x = how->seed};
    assert_int_equal(tac__server_create(NULL, &def, &f->server, &err), TAC_OK);
    tac__server_advance_to(f->server, p->end_us + 1);
    for (size_t i = 0; i < p->count; i++) {
        member *m = &f->members[i];
        begin(&m->a, p, i);
        m->box = malloc(BOX * sizeof *m->box);
        assert_int_equal(tac__client_create(NULL, p->names[i], &m->client, &err), TAC_OK);
        declare(p, m, i);
        m->connection = tac__server_connect(f->server);
        assert_true(m->connection >= 0);
        m->open = true;
    }
}

static void close_all(federation *f)
{
    for (size_t i = 0; i < f->p->count; i++) {
        tac__client_destroy(f->members[i].client);
        free(f->members[i].box);
    }
    tac__server_destroy(f->server);
}

static void cut(federation *f, member *m)
{
    m->open = false;
    tac__server_closed(f->server, m->connection, "cut by the test");
    if (!m->failed)
        must(m, tac__client_closed(m->client, "cut by the test", &m->err));
}

static bool is_over(const federation *f)
{
    bool over = true;
    for (size_t i = 0; i < f->p->count; i++)
        over &= !f->members[i].open;
    return over;
}

static void pump_once(federation *f, const way *how)
{
    member *m = &f->members[below(&f->x, f->p->count)];
    if (m->failed && m->open) // as a process that ends
        cut(f, m);
    switch (m->open ? below(&f->x, 4) : 3) {
    case 0:
        run_member(f, m);
        break;
    case 1:
        move_up(f, how, m);
        break;
    case 2:
        move_down(f, how, m);
        break;
    default:
        tac__server_turn(f->server, 0);
        tac__server_finish(f->server); // as soon as everyone has come to the end
        break;
    }
}

// Run until every connection is closed. Whatever happens must happen within so many moves: else
// everyone waits for everyone.
static long pump(federation *f, const way *how)
{
    long moves = 0, quiet = 0;
    for (; !is_over(f); moves++) {
        if (moves == how->cut_after && f->members[how->cut].open) {
            const bool early = tac__server_state_of(f->server) == TAC__SERVER_JOINING;
            cut(f, &f->members[how->cut]);
            if (early) // a client may leave before the start: the others would wait for another
                tac__server_abort(f->server, TAC_E_STOPPED, f->p->names[how->cut],
                                  "cut by the test");
        }
        const uint64_t before = tac__server_info(f->server).grants;
        pump_once(f, how);
        quiet = tac__server_info(f->server).grants == before ? quiet + 1 : 0;
        if (quiet > (how->single ? 2000000 : 100000)) {
            char text[2048];
            tac__server_describe(f->server, text, sizeof text);
            fail_msg("a standstill:\n%s", text);
        }
    }
    tac__server_turn(f->server, 0);
    return moves;
}

// --- tests --------------------------------------------------------------------------------------

static long compare(uint64_t seed, const way *how, const uint64_t states[NODES], const plan *p,
                    uint64_t traces[NODES])
{
    federation f;
    open_all(&f, p, how);
    const long moves = pump(&f, how);
    tac_error err;
    if (tac__server_error(f.server, &err) != TAC_OK)
        fail_msg("plan %llu: %s", (unsigned long long)seed, err.text);
    for (size_t i = 0; i < p->count; i++) {
        if (f.members[i].failed)
            fail_msg("plan %llu: %s", (unsigned long long)seed, f.members[i].err.text);
        if (f.members[i].a.state != states[i])
            fail_msg("plan %llu, order %llu: %s differs", (unsigned long long)seed,
                     (unsigned long long)how->seed, p->names[i]);
        const uint64_t trace = tac__server_trace(f.server, i);
        if (traces[i] && traces[i] != trace)
            fail_msg("plan %llu: the trace of %s differs", (unsigned long long)seed, p->names[i]);
        traces[i] = trace;
    }
    assert_int_equal(tac__server_state_of(f.server), TAC__SERVER_ENDED);
    close_all(&f);
    return moves;
}

static void test_as_one_simulation(void **state)
{
    (void)state;
    uint64_t all = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        plan p;
        uint64_t states[NODES], taken, traces[NODES] = {0};
        draw_plan(&p, seed);
        reference(&p, states, &taken);
        all += taken;
        for (uint64_t order = 1; order <= 4; order++) {
            const way how = {.seed = 100 * seed + order,
                             .lookahead = order % 2 ? TAC_LOOKAHEAD_LINK : TAC_LOOKAHEAD_GLOBAL,
                             .single = order == 4 && seed % 20 == 0,
                             .cut_after = -1};
            compare(seed, &how, states, &p, traces);
        }
    }
    assert_true(all > 25000); // automata that say nothing prove nothing
}

// A connection that is cut anywhere: the server and all clients that had not left end with an error
// that names the client, in a bounded number of moves.
static void test_cut_anywhere(void **state)
{
    (void)state;
    size_t cuts = 0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        plan p;
        draw_plan(&p, seed);
        p.end_us = 60;
        for (long at = 0; at < 4000; at += 1 + (long)(seed * 37 % 211)) {
            federation f;
            const way how = {.seed = seed, .cut_after = at, .cut = seed % p.count};
            open_all(&f, &p, &how);
            tac_error err = {0};
            pump(&f, &how);
            if (tac__server_error(f.server, &err) != TAC_OK) {
                cuts++;
                assert_string_equal(err.component, p.names[how.cut]);
                assert_non_null(strstr(err.text, "cut by the test"));
                for (size_t i = 0; i < p.count; i++) {
                    const member *m = &f.members[i];
                    if (m->over && !m->failed) // had left already
                        continue;
                    assert_true(m->failed);
                    if (!strstr(m->err.text, p.names[how.cut]))
                        fail_msg("%s: %s", p.names[i], m->err.text);
                }
            }
            close_all(&f);
        }
    }
    assert_true(cuts > 300);
}

// A client that nobody sends to is not let run to the end while others have not begun: what it
// sends would pile up. It goes on as the others do.
static void test_not_far_ahead(void **state)
{
    (void)state;
    plan p = {.count = 2, .seed = 1, .end_us = 10000000, .names = {"n0", "n1"}};
    p.nodes[0] = p.nodes[1] = (node){.engine = true, .period_us = 50000};
    p.nodes[1].hears[0] = true;
    for (size_t i = 0; i < RULES; i++)
        p.rules[i] = (rule){.from = "*", .to = "*", .law = tac_link_law_default()};
    const way how = {.seed = 5, .cut_after = -1};
    federation f;
    open_all(&f, &p, &how);
    const member *source = &f.members[0], *sink = &f.members[1];
    tac_time most_us = 0;
    for (long moves = 0; !is_over(&f) && moves < 1000000; moves++) {
        pump_once(&f, &how);
        const tac_time granted_us = tac__client_info(source->client).granted_us;
        const tac_time reached_us = tac__client_info(sink->client).reached_us;
        if (granted_us > reached_us && granted_us - reached_us > most_us)
            most_us = granted_us - reached_us;
    }
    assert_true(is_over(&f) && !source->failed && !sink->failed);
    assert_true(most_us >= 1000000 && most_us <= 1100000);
    close_all(&f);
}

TEST_MAIN(cmocka_unit_test(test_not_far_ahead), cmocka_unit_test(test_as_one_simulation),
          cmocka_unit_test(test_cut_anywhere))
