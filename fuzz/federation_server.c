// federation_server.c - fuzzes the server of a federation: three clients and a stranger say what
// the input makes them say, well-formed or not, at any moment, and the wall clock goes on. What the
// server writes are whole frames, it ends with a text where it fails, and it stays within its
// limits.
#include "federation/server.h"
#include "input.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CLIENTS = 3, PEERS = 4 };

static const char *const names[CLIENTS] = {"a", "b", "c"};

typedef struct world {
    tac__server *server;
    int connections[PEERS]; // -1: none
    uint64_t received[PEERS];
    uint64_t clock_ms;
} world;

static void drain(world *w, unsigned peer)
{
    tac__bytes *out = tac__server_output(w->server, w->connections[peer]);
    while (tac__bytes_count(out)) {
        tac__frame f;
        size_t length;
        check(tac__frame_next(tac__bytes_front(out), tac__bytes_count(out), TAC__FRAME_FROM_SERVER,
                              &f, &length, NULL) == TAC_OK &&
              length);
        w->received[peer] += f.type == TAC__FRAME_DELIVERED_MESSAGE;
        tac__bytes_take(out, length);
    }
    if (tac__server_closing(w->server, w->connections[peer])) {
        tac__server_closed(w->server, w->connections[peer], NULL);
        w->connections[peer] = -1;
    }
}

static void connect_peer(world *w, unsigned peer)
{
    if (w->connections[peer] >= 0)
        return;
    w->connections[peer] = tac__server_connect(w->server);
    w->received[peer] = 0;
    check(w->connections[peer] >= 0);
}

static void put_hello(tac__bytes *out, unsigned peer, unsigned how)
{
    tac__wire w = tac__wire_begin(out, TAC__FRAME_HELLO);
    tac__wire_u32(&w, TAC__WIRE_MAGIC);
    tac__wire_u16(&w, TAC__WIRE_VERSION);
    tac__wire_u16(&w, 0);
    tac__wire_text(&w, names[peer % CLIENTS]);
    tac__wire_text(&w, "fuzz");
    tac__wire_u32(&w, 1);
    tac__wire_u32(&w, how & 1);
    tac__wire_text(&w, names[peer % CLIENTS]);
    tac__wire_text(&w, how & 2 ? "type" : "");
    tac__wire_u64(&w, how & 4);
    tac__wire_u32(&w, how & 8);
    tac__wire_u32(&w, 2);
    for (unsigned i = 0; i < 2; i++) {
        tac__wire_u32(&w, how >> 4 & 1);
        tac__wire_text(&w, how & 32 ? "*" : names[(peer + 1 + i) % CLIENTS]);
        tac__wire_text(&w, i ? "in" : "inlet");
        tac__wire_text(&w, how & 64 ? "type" : "");
        tac__wire_u64(&w, 0);
        tac__wire_u32(&w, 0);
    }
    tac__wire_end(&w);
}

static void put_frame(world *w, tac__bytes *out, unsigned peer, unsigned what, input *in)
{
    switch (what) {
    case 0:
        put_hello(out, peer, byte(in));
        break;
    case 1:
    case 2:
        tac__wire_put_mail(out, what == 1 ? TAC__FRAME_SEND_MESSAGE : TAC__FRAME_QUEUED_MESSAGE,
                           &(tac__wire_mail){.sent_us = number(in),
                                             .sequence = number(in),
                                             .delivered_us = what == 2 ? number(in) : 0,
                                             .channel = byte(in) & 3 ? 0 : byte(in),
                                             .bytes = (const uint8_t *)names,
                                             .size = byte(in) % sizeof names});
        break;
    case 3:
    case 4: {
        tac__wire_clock clock = {.t_us = number(in), .received = w->received[peer]};
        clock.promise_us = clock.t_us + byte(in) % 8;
        clock.next_us = number(in);
        if (byte(in) == 255)
            clock.received = number(in);
        tac__wire_put_clock(out, what == 3 ? TAC__FRAME_POLL_WAIT : TAC__FRAME_NOTIFY_ADVANCE,
                            &clock);
        break;
    }
    case 5:
        tac__wire_put_time(out, TAC__FRAME_PROMISE_NO_SEND, number(in));
        break;
    case 6:
        tac__wire_put_time(out, TAC__FRAME_FINISH, number(in));
        break;
    case 7: {
        tac__wire r = tac__wire_begin(out, TAC__FRAME_RESULT);
        tac__wire_u64(&r, byte(in));
        tac__wire_text(&r, names[byte(in) % CLIENTS]);
        tac__wire_end(&r);
        break;
    }
    default:
        tac__wire_put_end(out, TAC__FRAME_ABORT, names[peer % CLIENTS], number(in), "fuzz");
        break;
    }
}

static void say(world *w, unsigned peer, unsigned what, input *in)
{
    tac__bytes out;
    tac__bytes_init(&out, NULL);
    put_frame(w, &out, peer, what, in);
    connect_peer(w, peer);
    tac__server_input(w->server, w->connections[peer], tac__bytes_front(&out),
                      tac__bytes_count(&out));
    tac__bytes_fini(&out);
}

static void say_bytes(world *w, unsigned peer, input *in)
{
    size_t n = byte(in);
    if (n > (size_t)(in->end - in->at))
        n = (size_t)(in->end - in->at);
    connect_peer(w, peer);
    tac__server_input(w->server, w->connections[peer], in->at, n);
    in->at += n;
}

static void turn(world *w, unsigned ms)
{
    w->clock_ms += ms;
    tac__server_turn(w->server, w->clock_ms);
    if (tac__server_state_of(w->server) == TAC__SERVER_ADVANCING)
        tac__server_finish(w->server);
    for (unsigned i = 0; i < PEERS; i++) {
        if (w->connections[i] >= 0)
            drain(w, i);
    }
}

static void act(world *w, input *in)
{
    const unsigned op = byte(in), peer = op & 3, what = op >> 2 & 15;
    if (what < 9)
        say(w, peer, what, in);
    else if (what < 12)
        turn(w, what == 9 ? 0 : 8 * byte(in));
    else if (what == 12)
        connect_peer(w, peer);
    else if (what == 13 && w->connections[peer] >= 0) {
        tac__server_closed(w->server, w->connections[peer], "gone");
        w->connections[peer] = -1;
    } else
        say_bytes(w, peer, in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, data + size};
    world w = {.connections = {-1, -1, -1, -1}};
    tac_server_def def = tac_server_def_default();
    const unsigned how = byte(&in);
    def.names = names;
    def.count = CLIENTS;
    def.end_us = 200;
    def.delay_us = 1 + how % 8;
    def.lookahead = how & 8 ? TAC_LOOKAHEAD_GLOBAL : TAC_LOOKAHEAD_LINK;
    def.timeout_ms = how & 16 ? 2000 : 0;
    def.queue_max = 20;
    def.queue_bytes_max = 4000;
    check(tac__server_create(NULL, &def, &w.server, NULL) == TAC_OK);
    tac__server_advance_to(w.server, def.end_us + 1);
    while (in.at < in.end)
        act(&w, &in);
    turn(&w, 1000);
    tac_error err;
    char text[2048];
    tac__server_describe(w.server, text, sizeof text);
    if (tac__server_error(w.server, &err) != TAC_OK)
        check(*err.text && err.status != TAC_E_MEMORY);
    check(tac__server_info(w.server).joined <= CLIENTS);
    tac__server_destroy(w.server);
    return 0;
}
