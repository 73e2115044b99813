// server.h - the server of a federation as a state machine: bytes of connections and a wall clock
// in, bytes out. No sockets, no threads: who owns it moves the bytes (serve.c, and tests).
//
//   joining      clients connect and say HELLO, until every name has joined
//   first tick   everyone was started; sends at time 0 are collected until all have polled at 0
//   advancing    clients are authorised as far as messages cannot surprise them
//   ending       everyone has processed the end: late messages, FINISH, results
//   ended        all have left, or the federation has failed
#ifndef TAC_FEDERATION_SERVER_H
#define TAC_FEDERATION_SERVER_H

#include "federation/wire.h"

#include <tactus/federation.h>

typedef enum tac__server_state {
    TAC__SERVER_JOINING,
    TAC__SERVER_FIRST_TICK,
    TAC__SERVER_ADVANCING,
    TAC__SERVER_ENDING,
    TAC__SERVER_ENDED,
    TAC__SERVER_FAILED
} tac__server_state;

typedef struct tac__server tac__server;

// The definition's address and key are not used here.
TAC_MUST_CHECK tac_status tac__server_create(const tac_allocator *allocator,
                                             const tac_server_def *def, tac__server **server,
                                             tac_error *err);
void tac__server_destroy(tac__server *server); // NULL is fine

// --- bytes --------------------------------------------------------------------------------------

// A connection was made; its number. -1: no memory.
int tac__server_connect(tac__server *server);
// Bytes have come, or the connection was closed (for the reason `why`, may be NULL). What follows
// from it is done by tac__server_turn, once for many inputs.
void tac__server_input(tac__server *server, int connection, const void *bytes, size_t count);
void tac__server_closed(tac__server *server, int connection, const char *why);
// Bytes to be written to a connection and taken off.
tac__bytes *tac__server_output(tac__server *server, int connection);
// Whether the connection is to be closed once its output is written.
bool tac__server_closing(const tac__server *server, int connection);

// Authorise whom it is possible to authorise. `now_ms` is any wall clock that only goes forward.
void tac__server_turn(tac__server *server, uint64_t now_ms);

// --- calls --------------------------------------------------------------------------------------

// Allow clients to advance to `to_us`. The first call starts the federation as soon as everyone has
// joined. Whether it is reached: tac__server_reached.
void tac__server_advance_to(tac__server *server, tac_time to_us);
// Once everyone has processed the end: end the federation.
void tac__server_finish(tac__server *server);
// End the federation now, with an error. `who`: the client whose fault it is, or "".
void tac__server_abort(tac__server *server, tac_status status, const char *who, const char *why);

// --- what is known ------------------------------------------------------------------------------

tac__server_state tac__server_state_of(const tac__server *server);
tac_time tac__server_time(const tac__server *server); // that every client has reached
// Whether every client has polled at `t_us` or later, or has left. One that has only notified may
// still be at work.
bool tac__server_reached(const tac__server *server, tac_time t_us);
tac_time tac__server_end(const tac__server *server);
// Why it failed; TAC_OK: it did not.
tac_status tac__server_error(const tac__server *server, tac_error *err);
tac_dispatch_info tac__server_info(const tac__server *server);
uint64_t tac__server_trace(const tac__server *server, size_t client);
// Who has not joined yet, or who waits for whom: one line for each client.
void tac__server_describe(const tac__server *server, char *text, size_t size);

#endif
