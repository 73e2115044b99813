// state.h - what a server knows, and what the files of this folder do for each other.
#ifndef TAC_FEDERATION_SERVER_STATE_H
#define TAC_FEDERATION_SERVER_STATE_H

#include "base/arena.h"
#include "bus/link.h"
#include "federation/server.h"

typedef struct tac__fed_mail {
    tac_time sent_us, delivered_us;
    uint64_t sequence; // on its channel
    uint64_t order;    // among all messages of its sender
    uint64_t number;   // of its sender in the whole federation
    uint32_t sender, link, copy, size;
    uint8_t bytes[];
} tac__fed_mail;

typedef struct tac__fed_link {
    uint32_t from, to; // clients
    uint32_t channel, subscription;
    uint32_t number; // among those that lead to the same client
    tac_link_law law;
    tac__stream key;
    bool plain;
} tac__fed_link;

typedef struct tac__fed_channel {
    const char *name, *inlet, *type;
    const char *end; // name of this end of links
    uint64_t fingerprint;
    uint64_t sequence; // least that the next message may have
    uint64_t number;   // published: of the sender, among those of the whole federation
    uint32_t message_max;
    bool port;
    uint32_t *links; // that lead from here
    uint32_t link_count;
    TAC__CAPACITY(uint32_t) link_capacity;
} tac__fed_channel;

// A place in a list that is sorted by names.
typedef struct tac__fed_name {
    const char *text;
    uint32_t number;
} tac__fed_name;

typedef enum tac__fed_client_state {
    TAC__FED_ABSENT,
    TAC__FED_RUNNING, // authorised, or before its first poll
    TAC__FED_WAITING, // has polled
    TAC__FED_LEFT     // has finished
} tac__fed_client_state;

typedef struct tac__fed_client {
    const char *name;
    tac__arena arena; // what it has declared
    tac__fed_client_state state;
    int connection; // -1: none
    tac__fed_channel *published, *subscribed;
    tac__fed_name *by_name; // the published ones, sorted
    uint32_t published_count, subscribed_count;
    tac__wire_clock clock; // as stated last
    tac_time sent_us;      // of the last message
    tac_time granted_us;
    bool busy;            // authorised, with something to do before granted_us
    tac_time earliest_us; // E
    tac_time base_us;     // E without what may still be sent to it
    uint32_t *in;         // links that lead here
    uint32_t in_count;
    int limit;            // the client that keeps it from advancing, -1: none
    uint64_t order;       // of the next message that it sends
    tac__fed_mail **heap; // messages for it
    size_t heap_count, heap_capacity;
    uint64_t delivered; // messages handed to it
    tac_time *unknown;  // ring: delivery times of those that it may not know of
    size_t unknown_first, unknown_count, unknown_capacity;
    uint64_t trace;
    uint32_t place;    // in the heap, while E is worked out
    uint32_t results;  // handed in
    bool heard;        // since the last check
    uint64_t heard_ms; // when that was
    bool lost;         // before the start
    uint64_t lost_ms;  // when that was
    uint32_t beat_ms;  // how often it wants to hear from the server; 0: it does not
    uint64_t told_ms;  // when it last heard of nothing but that
} tac__fed_client;

typedef struct tac__fed_connection {
    tac__bytes in, out;
    int client; // -1: it has not said HELLO
    bool used, closing;
    uint64_t number, since_ms; // among all; when it was made
} tac__fed_connection;

typedef struct tac__fed_result {
    const char *name;
    uint64_t digest;
} tac__fed_result;

struct tac__server {
    tac__arena arena;
    const tac_allocator *allocator;
    tac_server_def def;
    tac__server_state state;
    bool started, ready; // asked to advance; something changed since the last turn
    tac_time target_us;
    tac__fed_client *clients;
    tac__fed_client **open, **waiting; // heap of clients whose E is not certain; clients that wait
    size_t open_count;
    size_t joined;
    tac__fed_link *links;
    size_t link_count;
    TAC__CAPACITY(tac__fed_link) link_capacity;
    tac_time least_us; // delay of any link
    tac__fed_connection **connections;
    size_t connection_count;
    TAC__CAPACITY(tac__fed_connection *) connection_capacity;
    uint64_t made; // connections
    tac__fed_result *results;
    size_t result_count;
    TAC__CAPACITY(tac__fed_result) result_capacity;
    tac_dispatch_info info;
    uint64_t queued_bytes;      // of messages in all heaps
    uint64_t now_ms, clock_ms;  // of the last turn: the wall clock, and time that counts
    uint64_t checked_ms;        // when it was looked who was heard
    uint64_t moved_ms, tell_ms; // when something moved last; for how long until it is told
    bool clocked;
    tac_error error;
};

// --- server.c -----------------------------------------------------------------------------------

// As `resize` of the allocator.
void *tac__fed_resize(const tac__server *s, void *old, size_t old_size, size_t size);
// End the federation: everyone who is left is told. Only the first failure counts.
void tac__fed_fail(tac__server *s, const char *who, tac_time t_us, const tac_error *why);
void tac__fed_fail_client(tac__server *s, const tac__fed_client *c, const tac_error *why);
void tac__fed_fail_memory(tac__server *s);
void tac__fed_log_text(const tac__server *s, const char *text);

// --- connections.c ------------------------------------------------------------------------------

// Take all whole frames that have come.
void tac__fed_take_input(tac__server *s, int at);

// --- join.c -------------------------------------------------------------------------------------

// Send the connection away with a reason.
void tac__fed_refuse(tac__fed_connection *k, const char *why);
void tac__fed_take_hello(tac__server *s, int at, tac__frame *f);
// Everyone has joined: make the links and tell everyone of them.
void tac__fed_start(tac__server *s);

// --- frames.c -----------------------------------------------------------------------------------

// A frame of a client that has joined. Failure ends the federation.
TAC_MUST_CHECK tac_status tac__fed_take(tac__server *s, tac__fed_client *c, tac__frame *f,
                                        tac_error *err);

// --- mail.c -------------------------------------------------------------------------------------

// Put a message on its way to the client of a link.
void tac__fed_queue(tac__server *s, const tac__fed_link *l, const tac__wire_mail *in,
                    uint64_t order, tac_time delivered_us, uint32_t copy);
// Hand the first message to its client; or only take it, which the caller then frees.
void tac__fed_deliver(tac__server *s, tac__fed_client *c);
tac__fed_mail *tac__fed_pop(tac__fed_client *c);
void tac__fed_free_mail(tac__server *s, tac__fed_mail *m);
// The client knows of so many messages.
void tac__fed_know(tac__fed_client *c, uint64_t received);

// --- advance.c ----------------------------------------------------------------------------------

// Authorise all that wait and can go on, from the earliest to the latest.
void tac__fed_dispatch(tac__server *s);

#endif
