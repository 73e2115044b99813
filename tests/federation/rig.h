// rig.h - a small federation in one process, for tests of what goes wrong: a server, and clients
// that poll with a period of their own, send at each poll and hear all the others. A test sees
// every frame on its way and may change it. The wall clock is the test's: it goes on while nothing
// moves.
#ifndef TAC_TESTS_FEDERATION_RIG_H
#define TAC_TESTS_FEDERATION_RIG_H

#include "federation/client.h"
#include "federation/server.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RIG_MAX = 3, RIG_STEPS = 20000 };

typedef struct rig rig;

typedef struct rig_node {
    const char *name;
    tac__client *client; // NULL: it could not be made
    int connection;
    bool open;   // connected
    bool frozen; // neither runs nor reads
    bool mute;   // sends nothing
    bool polled, over, failed;
    tac_time now_us, period_us;
    uint64_t state, taken;
    tac_error err;
} rig_node;

// What becomes of a frame: hand it on with rig_feed, changed or not.
typedef void rig_post(rig *r, rig_node *n, bool up, const uint8_t *frame, size_t length);

struct rig {
    tac__server *server; // NULL: it could not be made
    size_t count;
    rig_node nodes[RIG_MAX];
    uint64_t clock_ms;
    bool moved;
    size_t frames; // that were handed to `post`
    rig_post *post;
    void *context;
    char log[8192];
    tac_error err;
    tac_link_law law;
};

static inline void rig_log(void *context, const char *text)
{
    rig *r = context;
    const size_t n = strlen(r->log);
    snprintf(r->log + n, sizeof r->log - n, "%s\n", text);
}

// Draws delays, loses some messages and doubles others.
static inline const tac_link_law *rig_law(void *context, const tac_link_ends *ends)
{
    rig *r = context;
    (void)ends;
    return r->law.size ? &r->law : NULL;
}

static inline tac_server_def rig_def(void)
{
    static const char *const names[RIG_MAX] = {"alpha", "bravo", "carol"};
    tac_server_def def = tac_server_def_default();
    def.names = names;
    def.count = RIG_MAX;
    def.end_us = 6000;
    def.delay_us = 700;
    return def;
}

static inline void rig_channels(rig_node *n, const tac_server_def *def)
{
    for (size_t i = 0; i < def->count && !n->failed; i++) {
        char name[16];
        uint32_t number;
        tac_channel_def channel = tac_channel_def_default();
        snprintf(name, sizeof name, "OF_%s", def->names[i]);
        channel.channel = name;
        channel.type = "letter";
        n->failed |= (strcmp(def->names[i], n->name) != 0
                          ? tac__client_subscribe(n->client, &channel, &number, &n->err)
                          : tac__client_publish(n->client, &channel, &number, &n->err)) != TAC_OK;
    }
}

static inline void rig_connect(rig *r, rig_node *n)
{
    n->connection = r->server ? tac__server_connect(r->server) : -1;
    n->open = n->connection >= 0;
    if (!n->open && !n->failed) {
        n->failed = true;
        (void)tac__fail_memory(&n->err);
    }
}

// `clients`: the allocator of clients; both may be NULL. Failures are kept.
static inline void rig_open(rig *r, tac_server_def def, const tac_allocator *server,
                            const tac_allocator *clients)
{
    memset(r, 0, sizeof *r);
    def.log = rig_log;
    def.law = rig_law;
    def.context = r;
    r->count = def.count;
    r->clock_ms = 1000;
    (void)!tac__server_create(server, &def, &r->server, &r->err);
    if (r->server)
        tac__server_advance_to(r->server, def.end_us + 1);
    for (size_t i = 0; i < r->count; i++) {
        rig_node *n = &r->nodes[i];
        *n = (rig_node){
            .name = def.names[i], .connection = -1, .period_us = 900 + 370 * i, .state = 7 + i};
        n->failed = tac__client_create(clients, n->name, &n->client, &n->err) != TAC_OK;
        if (!n->failed)
            rig_channels(n, &def);
        rig_connect(r, n);
    }
}

static inline void rig_close(rig *r)
{
    for (size_t i = 0; i < r->count; i++)
        tac__client_destroy(r->nodes[i].client);
    tac__server_destroy(r->server);
}

static inline void rig_cut(rig *r, rig_node *n)
{
    if (!n->open)
        return;
    n->open = false;
    r->moved = true;
    tac__server_closed(r->server, n->connection, "cut by the test");
    if (n->client && !n->failed && !n->over)
        n->failed = tac__client_closed(n->client, "cut by the test", &n->err) != TAC_OK;
}

// Hand bytes on, in a piece of memory of their own: reading beyond it is noticed.
static inline void rig_feed(rig *r, rig_node *n, bool up, const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count + 1);
    memcpy(copy, bytes, count);
    if (up && n->open)
        tac__server_input(r->server, n->connection, copy, count);
    else if (!up && n->client && !n->failed)
        n->failed = tac__client_input(n->client, copy, count, &n->err) != TAC_OK;
    free(copy);
}

static inline void rig_move(rig *r, rig_node *n, bool up)
{
    tac__bytes *out = up ? (n->client ? tac__client_output(n->client) : NULL)
                         : tac__server_output(r->server, n->connection);
    while (out && tac__bytes_count(out) && !out->failed && n->open) {
        const uint8_t *at = tac__bytes_front(out);
        const size_t length = TAC__WIRE_HEADER + (at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 |
                                                  (size_t)at[3] << 24);
        assert_true(length <= tac__bytes_count(out)); // frames are written whole
        uint8_t *frame = malloc(length);
        memcpy(frame, at, length);
        tac__bytes_take(out, length);
        r->frames++;
        r->moved = true;
        if (r->post)
            r->post(r, n, up, frame, length);
        else
            rig_feed(r, n, up, frame, length);
        free(frame);
    }
}

static inline void rig_step(rig_node *n)
{
    uint8_t bytes[24];
    memcpy(bytes, &n->state, 8);
    memset(bytes + 8, (int)n->state & 0xff, 16);
    n->failed = tac__client_send(n->client, 0, n->now_us, TAC_TIME_NEVER,
                                 tac__client_sequence(n->client, 0), bytes,
                                 1 + n->state % sizeof bytes, &n->err) != TAC_OK;
}

static inline void rig_take(rig_node *n)
{
    tac_delivery d;
    while (tac__client_receive(n->client, tac__client_polled(n->client), &d)) {
        n->taken++;
        assert_true(d.subscription < RIG_MAX - 1 && d.copy < 2);
        n->state = (n->state ^ d.delivered_us ^ d.copy) * UINT64_C(0xd6e8feb86659fd93);
        for (size_t i = 0; i < d.length; i++)
            n->state = (n->state ^ ((const uint8_t *)d.bytes)[i]) * UINT64_C(0x100000001b3);
    }
}

static inline void rig_run_node(rig *r, rig_node *n)
{
    if (!n->client || n->failed || n->over || n->frozen)
        return;
    const tac__client_state state = tac__client_state_of(n->client);
    if (state == TAC__CLIENT_DECLARING) {
        n->failed = tac__client_join(n->client, &n->err) != TAC_OK;
    } else if (state == TAC__CLIENT_OVER) {
        rig_take(n);
        n->over = true;
        n->failed = tac__client_result(n->client, n->name, n->state, &n->err) != TAC_OK ||
                    tac__client_finish(n->client, &n->err) != TAC_OK;
    } else if (state == TAC__CLIENT_RUNNING) {
        if (n->polled) {
            rig_take(n);
            if (!n->mute)
                rig_step(n);
            n->now_us += n->period_us;
        }
        n->polled = true;
        if (!n->failed)
            n->failed = tac__client_poll(n->client, n->now_us, n->now_us, &n->err) != TAC_OK;
    } else {
        return;
    }
    r->moved = true;
}

static inline bool rig_is_over(const rig *r)
{
    const tac__server_state state =
        r->server ? tac__server_state_of(r->server) : TAC__SERVER_FAILED;
    bool open = false;
    for (size_t i = 0; i < r->count; i++)
        open |= r->nodes[i].open;
    return !open && (state == TAC__SERVER_ENDED || state == TAC__SERVER_FAILED);
}

// Everyone has a turn.
static inline void rig_turn(rig *r)
{
    r->moved = false;
    for (size_t i = 0; i < r->count; i++) {
        rig_node *n = &r->nodes[i];
        rig_run_node(r, n);
        if (n->open && !n->frozen)
            rig_move(r, n, true);
        if (n->failed && n->open) // as a process that ends
            rig_cut(r, n);
        // Whoever cannot join any more leaves the others waiting for another one of its name.
        if (n->failed && tac__server_state_of(r->server) == TAC__SERVER_JOINING)
            tac__server_abort(r->server, TAC_E_STOPPED, n->name, "a client cannot join");
    }
    tac__server_turn(r->server, r->clock_ms);
    if (tac__server_state_of(r->server) == TAC__SERVER_ADVANCING &&
        tac__server_reached(r->server, tac__server_end(r->server) + 1))
        tac__server_finish(r->server);
    for (size_t i = 0; i < r->count; i++) {
        rig_node *n = &r->nodes[i];
        const bool closing = n->open && tac__server_closing(r->server, n->connection);
        if (n->open && !n->frozen)
            rig_move(r, n, false);
        if (closing && n->open && !n->frozen)
            rig_cut(r, n);
    }
    if (!r->moved)
        r->clock_ms += 500;
}

// To the end, whatever that is; it must come.
static inline void rig_run(rig *r)
{
    for (int i = 0; !rig_is_over(r); i++) {
        if (!r->server)
            return;
        rig_turn(r);
        if (i == RIG_STEPS) {
            char text[2048];
            tac__server_describe(r->server, text, sizeof text);
            fail_msg("no end comes:\n%s", text);
        }
    }
}

#endif
