// secure.h - a filter between a protocol and a byte stream: both sides prove to each other that
// they have the same key of 32 bytes, then every byte is encrypted and authenticated.
//
// It knows no sockets: bytes from the wire go in (feed), plain bytes come out (plain); plain bytes
// go in (seal), bytes for the wire come out (wire). docs/federation-protocol.md, "Keys", has every
// byte. A filter belongs to one connection and to one thread at a time. The first failure is final:
// every later call returns it again.
//
// Needs libsodium; without it tac__secure_create fails with a text.
#ifndef TAC_FEDERATION_SECURE_H
#define TAC_FEDERATION_SECURE_H

#include "base/error.h"
#include "federation/bytes.h"

enum {
    TAC__KEY_BYTES = 32,
    TAC__SECURE_HEADER = 8,            // of every message of the handshake
    TAC__SECURE_HELLO = 72,            // client hello and server hello
    TAC__SECURE_FINISH = 40,           // of the client
    TAC__SECURE_RECORD_MAX = 1 << 16,  // plain bytes in one record; more are several records
    TAC__SECURE_RECORD_EXTRA = 4 + 16, // length in front and authentication behind
    TAC__SECURE_WAITING_MAX = 1 << 20, // plain bytes that may wait for the end of the handshake
};

typedef enum tac__secure_role { TAC__SECURE_CLIENT, TAC__SECURE_SERVER } tac__secure_role;

typedef enum tac__secure_state {
    TAC__SECURE_HANDSHAKING,
    TAC__SECURE_OPEN,
    TAC__SECURE_FAILED,
} tac__secure_state;

typedef enum tac__secure_fault {
    TAC__SECURE_NO_FAULT,
    TAC__SECURE_PLAIN,     // the other side speaks the federation protocol without a key
    TAC__SECURE_GARBAGE,   // the other side speaks neither
    TAC__SECURE_OTHER_KEY, // the keys differ, or a message of the handshake was changed on its way
    TAC__SECURE_VERSION,   // the other side has another version of the handshake
    TAC__SECURE_DAMAGED,   // a record was changed, repeated, left out, or is too long
    TAC__SECURE_ENDED,     // the stream ended in the handshake or inside a record
    TAC__SECURE_MEMORY,
} tac__secure_fault;

typedef struct tac__secure_def {
    tac__secure_role role;
    const uint8_t *key; // TAC__KEY_BYTES, copied
    // Fills `bytes` with random bytes; NULL: those of libsodium. For tests.
    void (*random)(void *context, uint8_t *bytes, size_t count);
    void *context;
    const tac_allocator *allocator; // NULL: the default
} tac__secure_def;

typedef struct tac__secure tac__secure;

TAC_MUST_CHECK tac_status tac__secure_create(const tac__secure_def *def, tac__secure **secure,
                                             tac_error *err);
void tac__secure_destroy(tac__secure *secure); // overwrites all keys; NULL is fine

tac__secure_state tac__secure_state_of(const tac__secure *secure);
tac__secure_fault tac__secure_fault_of(const tac__secure *secure);

// Bytes from the wire, however they were split. On failure there may be bytes for the wire (a
// refusal, so that the other side can say why), and what was authenticated before stays in `plain`.
TAC_MUST_CHECK tac_status tac__secure_feed(tac__secure *secure, const void *bytes, size_t count,
                                           tac_error *err);
// The stream from the wire has ended. Fails in the handshake and inside a record. That a stream
// ends between two records is for the protocol above to judge.
TAC_MUST_CHECK tac_status tac__secure_end(tac__secure *secure, tac_error *err);
// Bytes to be sent. During the handshake they wait; TAC_E_LIMIT where too many do.
TAC_MUST_CHECK tac_status tac__secure_seal(tac__secure *secure, const void *bytes, size_t count,
                                           tac_error *err);

// The queues to take from with tac__bytes_take: plain bytes from the other side, and bytes for the
// wire. A client has its hello there from the start.
tac__bytes *tac__secure_plain(tac__secure *secure);
tac__bytes *tac__secure_wire(tac__secure *secure);

// Do these first bytes of a stream belong to a handshake? For a server or client without a key,
// to say that the other side has one. Needs no libsodium.
bool tac__secure_begins(const void *bytes, size_t count);

#endif
