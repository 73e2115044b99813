// connections.c - bytes of connections, and of those that have not said who they are.
#include "federation/server/state.h"

#include <string.h>

enum {
    STRANGERS_MAX = 64,  // connections that have not said HELLO
    HELLO_MAX = 1 << 22, // bytes in a HELLO
    EARLY_MAX = 1 << 26, // bytes of a client before the start
};

// Strangers are turned away, the one that has been silent for longest first: those that occupy the
// server must not keep clients out.
static void make_place(tac__server *s)
{
    size_t strangers = 0;
    tac__fed_connection *oldest = NULL;
    for (size_t i = 0; i < s->connection_count; i++) {
        tac__fed_connection *k = s->connections[i];
        if (!k->used || k->closing || k->client >= 0)
            continue;
        strangers++;
        if (!oldest || k->number < oldest->number)
            oldest = k;
    }
    if (strangers >= STRANGERS_MAX)
        tac__fed_refuse(oldest, "too many connections have not said HELLO");
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
        tac__fed_connection *k = tac__arena_alloc(&s->arena, sizeof *k);
        if (!k)
            return -1;
        tac__bytes_init(&k->in, s->allocator);
        tac__bytes_init(&k->out, s->allocator);
        s->connections[s->connection_count++] = k;
    }
    tac__fed_connection *k = s->connections[at];
    tac__bytes_take(&k->in, tac__bytes_count(&k->in));
    tac__bytes_take(&k->out, tac__bytes_count(&k->out));
    k->client = -1;
    k->used = true;
    k->closing = false;
    k->number = s->made++;
    k->since_ms = s->clock_ms;
    if (s->state == TAC__SERVER_ENDED || s->state == TAC__SERVER_FAILED)
        tac__fed_refuse(k, "the federation is over");
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
void tac__fed_take_input(tac__server *s, int at)
{
    tac__fed_connection *k = s->connections[at];
    tac_error own;
    tac_status status = k->in.failed ? tac__fail_memory(&own) : TAC_OK;
    while (status == TAC_OK && k->used && !k->closing) {
        if (k->client >= 0 && s->state == TAC__SERVER_JOINING) {
            if (tac__bytes_count(&k->in) > EARLY_MAX)
                status = tac__fail(&own, TAC_E_PROTOCOL,
                                   "'%s' sends more than %d bytes before the start",
                                   s->clients[k->client].name, (int)EARLY_MAX);
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
            tac__fed_take_hello(s, at, &f);
        } else {
            s->ready = true;
            status = tac__fed_take(s, &s->clients[k->client], &f, &own);
        }
        tac__bytes_take(&k->in, length);
    }
    if (k->closing)
        tac__bytes_take(&k->in, tac__bytes_count(&k->in));
    if (status == TAC_OK)
        return;
    if (k->client < 0)
        tac__fed_refuse(k, own.text);
    else
        tac__fed_fail_client(s, &s->clients[k->client], &own);
}

void tac__server_input(tac__server *s, int at, const void *bytes, size_t count)
{
    tac__fed_connection *k = s->connections[at];
    if (!k->used || s->state == TAC__SERVER_FAILED)
        return;
    tac__bytes_copy(&k->in, bytes, count);
    if (k->client >= 0)
        s->clients[k->client].heard = true;
    tac__fed_take_input(s, at);
}

void tac__server_closed(tac__server *s, int at, const char *why)
{
    tac__fed_connection *k = s->connections[at];
    if (!k->used)
        return;
    k->used = false;
    if (k->client < 0)
        return;
    tac__fed_client *c = &s->clients[k->client];
    c->connection = -1;
    if (s->state == TAC__SERVER_JOINING) { // it may come again
        tac__arena_fini(&c->arena);
        *c = (tac__fed_client){.name = c->name,
                               .arena = {.allocator = s->allocator},
                               .connection = -1,
                               .limit = -1,
                               .trace = c->trace,
                               .lost = true,
                               .lost_ms = s->clock_ms};
        s->joined--;
        return;
    }
    if (c->state == TAC__FED_LEFT || s->state == TAC__SERVER_ENDED ||
        s->state == TAC__SERVER_FAILED)
        return;
    tac_error own;
    (void)tac__fail(&own, TAC_E_NETWORK,
                    "the connection to '%s' was lost when it had come to %s%s%s; %zu messages for "
                    "it were not delivered",
                    c->name, TAC__SHOWN(c->clock.t_us), why ? ": " : "", why ? why : "",
                    c->heap_count + c->unknown_count);
    tac__fed_fail_client(s, c, &own);
}

tac__bytes *tac__server_output(tac__server *s, int at)
{
    return &s->connections[at]->out;
}

bool tac__server_closing(const tac__server *s, int at)
{
    return s->connections[at]->closing;
}
