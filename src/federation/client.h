// client.h - a client of a federation as a state machine: calls and bytes in, bytes out. No
// sockets, no clock, no threads: who owns it moves the bytes (join.c, and tests).
#ifndef TAC_FEDERATION_CLIENT_H
#define TAC_FEDERATION_CLIENT_H

#include "federation/wire.h"

#include <tactus/federation.h>

typedef enum tac__client_state {
    TAC__CLIENT_DECLARING, // channels are declared
    TAC__CLIENT_JOINING,   // HELLO is written, WELCOME awaited
    TAC__CLIENT_RUNNING,   // the present poll, if there was one, has returned
    TAC__CLIENT_WAITING,   // POLL_WAIT is written, a grant awaited
    TAC__CLIENT_OVER,      // the server has ended the federation: results, then FINISH
    TAC__CLIENT_DONE,      // FINISH is written
    TAC__CLIENT_FAILED
} tac__client_state;

typedef struct tac__client tac__client;

TAC_MUST_CHECK tac_status tac__client_create(const tac_allocator *allocator, const char *name,
                                             tac__client **client, tac_error *err);
void tac__client_destroy(tac__client *client); // NULL is fine

// --- calls of the application: as the public functions of these names, but none blocks ----------

TAC_MUST_CHECK tac_status tac__client_publish(tac__client *client, const tac_channel_def *def,
                                              uint32_t *channel, tac_error *err);
TAC_MUST_CHECK tac_status tac__client_subscribe(tac__client *client, const tac_channel_def *def,
                                                uint32_t *subscription, tac_error *err);
// Before it joins: how often it wants to hear from the server, in tenths of a second; 0, the
// default: it does not.
void tac__client_want_beat(tac__client *client, uint16_t tenths);
TAC_MUST_CHECK tac_status tac__client_join(tac__client *client, tac_error *err);
// `delivered_us`: TAC_TIME_NEVER, and the law of the link decides. `sequence`: the message's number
// on its channel, greater than that of the last.
TAC_MUST_CHECK tac_status tac__client_send(tac__client *client, uint32_t channel, tac_time t_us,
                                           tac_time delivered_us, uint64_t sequence,
                                           const void *bytes, size_t length, tac_error *err);
uint64_t tac__client_sequence(const tac__client *client, uint32_t channel); // of the next message
TAC_MUST_CHECK tac_status tac__client_promise(tac__client *client, tac_time t_us, tac_error *err);
// Tell the server how far the client has come, without waiting.
TAC_MUST_CHECK tac_status tac__client_notify(tac__client *client, tac_time t_us, tac_time next_us,
                                             tac_error *err);
TAC_MUST_CHECK tac_status tac__client_poll(tac__client *client, tac_time t_us, tac_time next_us,
                                           tac_error *err);
// The next message with a delivery time of at most `until_us`.
bool tac__client_receive(tac__client *client, tac_time until_us, tac_delivery *delivery);
// When the first message arrives that has not been taken; TAC_TIME_NEVER: none is known.
tac_time tac__client_next_mail(const tac__client *client);
TAC_MUST_CHECK tac_status tac__client_result(tac__client *client, const char *name, uint64_t digest,
                                             tac_error *err);
TAC_MUST_CHECK tac_status tac__client_finish(tac__client *client, tac_error *err);
void tac__client_abort(tac__client *client, const char *why);

// --- bytes --------------------------------------------------------------------------------------

// Bytes have come from the server. Fails, once and for all, when these end the client.
TAC_MUST_CHECK tac_status tac__client_input(tac__client *client, const void *bytes, size_t count,
                                            tac_error *err);
// The connection was closed, or broke for the reason `why` (may be NULL).
TAC_MUST_CHECK tac_status tac__client_closed(tac__client *client, const char *why, tac_error *err);
// Bytes for the server: to be written and taken off.
tac__bytes *tac__client_output(tac__client *client);

// --- what is known ------------------------------------------------------------------------------

tac__client_state tac__client_state_of(const tac__client *client);
const char *tac__client_name(const tac__client *client);
// Up to when messages are taken: the time of the last poll; TAC_TIME_NEVER: the federation is over.
tac_time tac__client_polled(const tac__client *client);
// The i-th channel that another client publishes and this one hears, once the federation has
// started. False: no more.
bool tac__client_source(const tac__client *client, uint32_t i, const char **sender,
                        const char **channel);
tac_membership tac__client_info(const tac__client *client);
// Whether the server will be heard as often as was wanted. Until it has answered, it should.
bool tac__client_has_beat(const tac__client *client);
// Why it failed; TAC_OK: it did not.
tac_status tac__client_error(const tac__client *client, tac_error *err);

#endif
