// federation.h - many processes, one simulation.
//
// A server owns the dispatch of messages, clients own simulators. Clients declare what they publish
// and what they subscribe to, join the server, and advance as far as it allows; messages arrive at
// times that do not depend on how fast any process is. docs/federation.md explains the rules,
// docs/federation-protocol.md the bytes, for clients in other languages.
//
// A server or client belongs to one thread at a time. Nothing here prints.
#ifndef TACTUS_FEDERATION_H
#define TACTUS_FEDERATION_H

#include <tactus/engine.h>
#include <tactus/link.h>

TAC_BEGIN_DECLS

// --- server ---------------------------------------------------------------------------------

// Up to where a client may advance; both give the same results.
#define TAC_LOOKAHEAD_TABLE(X)                                                                     \
    X(LINK, "link")     /* by what can reach this client over the links that lead to it */         \
    X(GLOBAL, "global") /* by the earliest promise of any client and the least delay of any link   \
                         */

typedef enum tac_lookahead {
#define TAC_LOOKAHEAD_ENUM(name, text) TAC_LOOKAHEAD_##name,
    TAC_LOOKAHEAD_TABLE(TAC_LOOKAHEAD_ENUM)
#undef TAC_LOOKAHEAD_ENUM
} tac_lookahead;

// Two ends between which messages travel: a channel that one client publishes, and an inlet at
// which another one has subscribed to it.
typedef struct tac_link_ends {
    size_t from, to; // numbers of the clients
    const char *channel, *inlet;
} tac_link_ends;

// A message on its way through the server, as watchers are told of it.
typedef struct tac_passage {
    bool delivered;             // to a client; else received from its sender
    const char *sender;         // client
    const char *channel, *type; // as the sender declared them
    const char *recipient;      // client; NULL where `delivered` is false
    const char *inlet;          // as the recipient declared it; NULL where `delivered` is false
    tac_time sent_us;           // when the sender handed it over
    tac_time delivered_us;      // TAC_TIME_NEVER where `delivered` is false
    uint64_t sequence;          // on its channel
    uint32_t copy;              // 1: the second copy
    const void *bytes; // valid until the function returns; names live as long as the server
    uint32_t length;
    uint32_t sender_number, recipient_number; // of the clients
    uint64_t order;                           // among all messages of the sender
} tac_passage;

typedef struct tac_server_def {
    uint32_t size; // sizeof(tac_server_def)
    tac_lookahead lookahead;
    const char *address;      // "127.0.0.1:0", "tcp://HOST:PORT", "unix://PATH", "shm://PATH"; port
                              // 0: any that is free
    const char *key_file;     // shared key; required for addresses that other hosts can reach
    const char *const *names; // of all clients; their order gives their numbers
    size_t count;
    uint64_t seed;     // of drawn delays and losses
    tac_time end_us;   // clients process the boundary there and end
    tac_time delay_us; // of links for which `law` gives none; 0: such a link is an error;
                       // TAC_TIME_NEVER: there is no such link
    // The law of a link, as it is made when the federation starts. NULL: there is none for this
    // one. What it points to must outlive the server. May be NULL itself.
    const tac_link_law *(*law)(void *context, const tac_link_ends *ends);
    uint32_t message_max;     // bytes in one message; 0: 16 MiB
    uint32_t queue_max;       // messages waiting for one client; 0: 1,000,000
    uint64_t queue_bytes_max; // bytes of messages waiting for all clients; 0: 1 GiB
    uint32_t timeout_ms;      // a client that does not respond for so long ends the federation; 0:
                              // wait for ever
    // Told of warnings, and of who waits for whom when nothing moved for 5 s; may be NULL.
    void (*log)(void *context, const char *text);
    // Told of every message; results do not depend on it. May be NULL.
    void (*watch)(void *context, const tac_passage *passage);
    // Called some ten times a second while the server works, with the time that every client has
    // reached. Returns NULL to go on, or a text: then the federation ends with it (TAC_E_STOPPED).
    // May be NULL.
    const char *(*look)(void *context, tac_time t_us);
    void *context;
    // Told that all passages before `t_us` have been told of: messages that were sent and those
    // that were delivered before then. May be NULL.
    void (*settled)(void *context, tac_time t_us);
    // A network of LCM, "udpm://239.255.76.67:7667?ttl=0", on which every message that the server
    // receives or delivers is published, for everyone to see; NULL: none. A message is left out, as
    // a whole, where `lcm_rate` or the network is too slow. docs/federation.md has the names of
    // channels.
    const char *lcm;
    // A file for the same messages, as an event log of LCM in the order of simulated time; NULL:
    // none. It has all of them, and the same bytes in every run.
    const char *lcm_log;
    bool lcm_log_replace; // a file that exists; else that is an error
    uint8_t reserved[7];  // 0
    // The number of the sender that publishes on a channel of a client, among all senders of the
    // federation: messages that reach a client together come in the order of these numbers, so that
    // their order need not depend on how senders are divided among clients. Called when a client
    // joins. NULL: the number of the client.
    uint64_t (*number)(void *context, size_t client, const char *channel);
    // Messages that are published on the network of LCM in a second of wall time, at most; one of
    // more than 2 KiB counts once for every 2 KiB begun. 0: 10,000.
    double lcm_rate;
} tac_server_def;

static inline tac_server_def tac_server_def_default(void)
{
    tac_server_def def = TAC_ZERO;
    def.size = sizeof def;
    def.address = "127.0.0.1:0";
    def.seed = 1;
    def.end_us = 1000000;
    def.timeout_ms = 60000;
    return def;
}

typedef struct tac_server tac_server;

// Listens at the address.
TAC_API TAC_MUST_CHECK tac_status tac_server_create(const tac_server_def *def, tac_server **server,
                                                    tac_error *err);
TAC_API void tac_server_destroy(tac_server *server); // NULL is fine; clients that are left are told

TAC_API const char *tac_server_address(const tac_server *server); // with the port that was chosen

// Let all clients advance to just before `to_us`. The first call waits until every client has
// joined; from then on none may. Returns when every client has reached `to_us`.
TAC_API TAC_MUST_CHECK tac_status tac_server_advance_to(tac_server *server, tac_time to_us,
                                                        tac_error *err);
// The same through the boundary at the end; then every client is told that the federation is over,
// hands in its results and leaves.
TAC_API TAC_MUST_CHECK tac_status tac_server_finish(tac_server *server, tac_error *err);

TAC_API tac_time tac_server_time(const tac_server *server); // reached by every client

// What came of it. Counts are of the whole run.
typedef struct tac_dispatch_info {
    size_t clients, joined;
    uint64_t received, delivered; // messages
    uint64_t lost, duplicated;    // by the laws of links
    uint64_t late;                // still on their way at the end
    uint64_t grants;              // AUTHORIZE_ADVANCE frames
    uint64_t turns;               // how often at least one client was authorised
    uint64_t most_at_once;        // clients that could be at work at the same time
    double wall_s;                // from the first grant to the last client's end
    uint64_t hash;                // over the digests that clients handed in; 0: none
    uint64_t published, left_out; // messages on the network of LCM
    // Turns in which a client was authorised that had an event of its own or a message before its
    // grant, and the sum over these turns of such clients at work: busy / busy_turns work at once.
    uint64_t busy_turns, busy;
} tac_dispatch_info;

TAC_API void tac_server_info_sized(const tac_server *server, tac_dispatch_info *info, size_t size);
static inline tac_dispatch_info tac_server_info(const tac_server *server)
{
    tac_dispatch_info info;
    tac_server_info_sized(server, &info, sizeof info);
    return info;
}

// Why nothing is published on the network of LCM: liblcm is not installed, or the network refuses.
// NULL: it is published, or was not asked for.
TAC_API const char *tac_server_lcm_error(const tac_server *server);
// The i-th channel of the network of LCM on which messages were left out, and how many; in the
// order in which that began. NULL: no more. The text lives as long as the server.
TAC_API const char *tac_server_lcm_left_out(const tac_server *server, size_t i, uint64_t *count);

// Digest over all messages delivered to a client, in their order. 0: no such client.
TAC_API uint64_t tac_server_trace(const tac_server *server, size_t client);

// --- keys -----------------------------------------------------------------------------------

// Makes a random key for a server and its clients, and writes it to a new file that only its owner
// can read. A file that exists is left alone: TAC_E_FILE. Needs libsodium.
TAC_API TAC_MUST_CHECK tac_status tac_key_make(const char *path, tac_error *err);

// --- client ---------------------------------------------------------------------------------

typedef struct tac_client_def {
    uint32_t size;        // sizeof(tac_client_def)
    uint32_t patience_ms; // how long to try while nobody listens at the address yet
    const char *name;     // one of the server's
    const char *address;  // of the server
    const char *key_file; // shared key, or NULL
    // Called some ten times a second while the client waits, and between pieces of work of
    // tac_client_run. Returns false to end the call that waits (TAC_E_STOPPED). May be NULL.
    bool (*look)(void *context);
    void *context;
    uint32_t timeout_ms; // a server that says nothing for so long is lost; 0: no limit. A server
                         // says that it is alive inside its calls only
    uint32_t reserved;   // 0
} tac_client_def;

static inline tac_client_def tac_client_def_default(void)
{
    tac_client_def def = TAC_ZERO;
    def.size = sizeof def;
    def.patience_ms = 10000;
    def.timeout_ms = 60000;
    return def;
}

typedef struct tac_client tac_client;

TAC_API TAC_MUST_CHECK tac_status tac_client_create(const tac_client_def *def, tac_client **client,
                                                    tac_error *err);
// A client that has not finished leaves the federation with an error. NULL is fine.
TAC_API void tac_client_destroy(tac_client *client);

typedef struct tac_channel_def {
    uint32_t size;        // sizeof(tac_channel_def)
    bool port;            // the name is that of a port, and no other client has it; else several
                          // clients may publish on one channel
    const char *channel;  // subscriptions: may be a pattern, with * and ?
    const char *inlet;    // subscriptions: where messages arrive, a name of the client's choice;
                          // NULL: the channel
    const char *type;     // name of the type of its messages, or NULL: any
    uint64_t fingerprint; // of the type; 0: any
    uint32_t message_max; // longest message; 0: what the server allows
    uint32_t reserved;    // 0
} tac_channel_def;

static inline tac_channel_def tac_channel_def_default(void)
{
    tac_channel_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// Declare, before tac_client_join, what the client will publish and what it wants. The number
// counts from 0, for each of the two.
TAC_API TAC_MUST_CHECK tac_status tac_client_publish(tac_client *client, const tac_channel_def *def,
                                                     uint32_t *channel, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_client_subscribe(tac_client *client,
                                                       const tac_channel_def *def,
                                                       uint32_t *subscription, tac_error *err);

// Connect and join; nothing more can be declared. Returns when the server has accepted the client.
TAC_API TAC_MUST_CHECK tac_status tac_client_join(tac_client *client, tac_error *err);

// Hand a message over, at the client's time `t_us`: at or after its last poll. Refused, with both
// times: a time before a promise, or before the `next_us` of a poll unless a message has arrived
// since (TAC_E_PROMISE); a time other than 0 before the first poll, or before that of the last
// message (TAC_E_RANGE). The server is told nothing of a message that is refused, and the client
// goes on.
TAC_API TAC_MUST_CHECK tac_status tac_client_send(tac_client *client, uint32_t channel,
                                                  tac_time t_us, const void *bytes, size_t length,
                                                  tac_error *err);
// The same with a delivery time of the client's own, at least the least delay of every link later.
TAC_API TAC_MUST_CHECK tac_status tac_client_send_at(tac_client *client, uint32_t channel,
                                                     tac_time t_us, tac_time delivered_us,
                                                     const void *bytes, size_t length,
                                                     tac_error *err);

// Promise that nothing will be sent before `t_us`, whatever arrives.
TAC_API TAC_MUST_CHECK tac_status tac_client_promise(tac_client *client, tac_time t_us,
                                                     tac_error *err);

// Say that the client has come to `t_us`, and wait until every message that arrives up to and
// including `t_us` is there. `next_us`: before this time nothing will be sent unless something
// arrives; `t_us` where that is not known. At which times a client polls must not depend on how far
// it was allowed to advance. The first poll is at 0.
// `*over` becomes true where the federation has ended: call tac_client_finish.
TAC_API TAC_MUST_CHECK tac_status tac_client_poll(tac_client *client, tac_time t_us,
                                                  tac_time next_us, bool *over, tac_error *err);

// A message that has arrived.
typedef struct tac_delivery {
    uint32_t subscription;
    uint32_t copy;       // 1: the second copy
    const char *sender;  // client
    const char *channel; // as the sender declared it
    tac_time sent_us, delivered_us;
    uint64_t sequence; // on its channel
    const void *bytes; // valid until the next call
    size_t length;
} tac_delivery;

// The next message that had arrived at the last poll, in the order (delivery time, sender's number,
// order of sending, copy); the server gives senders their numbers. False: no more.
TAC_API bool tac_client_receive_sized(tac_client *client, tac_delivery *delivery, size_t size);
static inline bool tac_client_receive(tac_client *client, tac_delivery *delivery)
{
    return tac_client_receive_sized(client, delivery, sizeof *delivery);
}

// Hand in a result: a name and a digest, part of the federation's hash.
TAC_API TAC_MUST_CHECK tac_status tac_client_result(tac_client *client, const char *name,
                                                    uint64_t digest, tac_error *err);
// Leave in peace: when the federation is over, or earlier; then nothing more is sent or received.
TAC_API TAC_MUST_CHECK tac_status tac_client_finish(tac_client *client, tac_error *err);
// Leave with an error: the whole federation ends, and everyone is told why.
TAC_API void tac_client_abort(tac_client *client, const char *why);

typedef struct tac_membership {
    uint32_t number, clients; // of this client, and how many there are
    uint64_t seed;            // of the federation
    tac_time end_us;
    tac_time reached_us, granted_us, promise_us;
    uint64_t sent, received;
} tac_membership;

TAC_API void tac_client_info_sized(const tac_client *client, tac_membership *info, size_t size);
static inline tac_membership tac_client_info(const tac_client *client)
{
    tac_membership info;
    tac_client_info_sized(client, &info, sizeof info);
    return info;
}

// --- an engine as a client ------------------------------------------------------------------

// Declare a channel for each link of the engine that leads to or from outside (before
// tac_client_join). The engine stays the caller's and must outlive the client; from now on only
// tac_client_run runs it.
TAC_API TAC_MUST_CHECK tac_status tac_client_add_engine(tac_client *client, tac_engine *engine,
                                                        tac_error *err);

// Signals that are published together, or inputs that are written together, as a message of LCM: a
// struct of int64_t utime and one member for each, in their order, as 'tactus info FILE --lcm'
// shows types. docs/federation.md has the layout.
typedef struct tac_lcm_group_def {
    uint32_t size;              // sizeof(tac_lcm_group_def)
    uint32_t reserved;          // 0
    const char *channel;        // at most 63 characters
    const char *const *names;   // of signals or inputs, in full
    const char *const *members; // their names in the struct; NULL, or NULL for one: the name of the
                                // signal or input without its component
    size_t count;
    tac_time period_us, offset_us; // publishing: sampled at offset_us and every period_us after it
} tac_lcm_group_def;

static inline tac_lcm_group_def tac_lcm_group_def_default(void)
{
    tac_lcm_group_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// Publish signals of the engine (after tac_client_add_engine, before tac_client_join). A sample has
// the values after everything of its instant, which is its utime, and is sent at that instant. The
// engine's results do not depend on it.
TAC_API TAC_MUST_CHECK tac_status tac_client_publish_signals(tac_client *client,
                                                             const tac_lcm_group_def *def,
                                                             tac_error *err);
// Take messages into inputs that are declared `from: outside` (at the same moment). Values count
// from the delivery time on. A publisher whose type has another fingerprint is refused when it
// joins; a message with another one ends the run.
TAC_API TAC_MUST_CHECK tac_status tac_client_subscribe_inputs(tac_client *client,
                                                              const tac_lcm_group_def *def,
                                                              tac_error *err);
// Run the engine to the end of the federation, hand in its digests and leave. TAC_E_CONFIG: the run
// of the engine would end earlier.
TAC_API TAC_MUST_CHECK tac_status tac_client_run(tac_client *client, tac_error *err);

TAC_END_DECLS
#endif
