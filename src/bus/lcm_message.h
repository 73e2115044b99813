// lcm_message.h - messages of ports as messages of LCM: what engines send each other in a
// federation, readable by any program that speaks LCM.
//
//     package tactus;
//     struct numbers_t { int32_t count; double value[count]; }    a port that sends numbers
//     struct bytes_t { int32_t count; byte data[count]; }         any other port
//
// Encoded: the fingerprint of the type (8 bytes), the count (4), the content; all big-endian.
#ifndef TAC_BUS_LCM_MESSAGE_H
#define TAC_BUS_LCM_MESSAGE_H

#include "base/error.h"
#include "base/text.h"

typedef enum tac__lcm_message { TAC__LCM_NUMBERS, TAC__LCM_BYTES } tac__lcm_message;

enum { TAC__LCM_MESSAGE_EXTRA = 12 }; // bytes that a message is longer when encoded

const char *tac__lcm_message_type(tac__lcm_message kind); // "tactus.numbers_t"
uint64_t tac__lcm_message_fingerprint(tac__lcm_message kind);
// The struct in LCM's language, for a file whose package is tactus.
void tac__lcm_message_struct(tac__lcm_message kind, tac__text *out);

// A message as the port sent it, into `to`, which has room for `size` + TAC__LCM_MESSAGE_EXTRA
// bytes; doubles keep their bits. TAC_E_TYPE: not a whole number of doubles. TAC_E_LIMIT: more than
// a count can say.
TAC_MUST_CHECK tac_status tac__lcm_message_encode(tac__lcm_message kind, const void *message,
                                                  size_t size, uint8_t *to, tac_error *err);
// The way back, into `message`, which has room for `size` bytes; `*length` is what it took.
// TAC_E_FORMAT: no message of this type, or damaged.
TAC_MUST_CHECK tac_status tac__lcm_message_decode(tac__lcm_message kind, const void *bytes,
                                                  size_t size, void *message, size_t *length,
                                                  tac_error *err);

// --- envelopes ----------------------------------------------------------------------------------

// What a server tells of a message that passes through it, as a message of its own:
// tactus.envelope_t on channel TAC__LCM_ENVELOPE_CHANNEL, right before the message. Numbers, then
// texts, which may be NULL for "".
#define TAC__LCM_ENVELOPE_CHANNEL "TACTUS_ENVELOPE"
#define TAC__LCM_ENVELOPE_NUMBERS(X)                                                               \
    X(number, int64_t, "of this envelope, from 0; a gap: some were left out")                      \
    X(sent_utime, int64_t, "when the sender handed the message over, simulated microseconds")      \
    X(delivered_utime, int64_t, "when it arrives; -1: received from the sender")                   \
    X(sequence, int64_t, "number of the message on the sender's channel, from 0")                  \
    X(hash, int64_t, "FNV-1a of 64 bits over the bytes of the message")                            \
    X(size, int32_t, "bytes of the message")                                                       \
    X(copy, int32_t, "1: the second copy, which a link made")
#define TAC__LCM_ENVELOPE_TEXTS(X)                                                                 \
    X(channel, "on which the message is published here")                                           \
    X(name, "of the channel in the federation")                                                    \
    X(type, "of the message, as the sender declared it; may be empty")                             \
    X(sender, "client")                                                                            \
    X(recipient, "client; empty: received from the sender")                                        \
    X(inlet, "where it arrives at the recipient")

typedef struct tac__lcm_envelope {
#define TAC__LCM_ENVELOPE_NUMBER(name, type, doc) type name;
#define TAC__LCM_ENVELOPE_TEXT(name, doc)         const char *name;
    TAC__LCM_ENVELOPE_NUMBERS(TAC__LCM_ENVELOPE_NUMBER)
    TAC__LCM_ENVELOPE_TEXTS(TAC__LCM_ENVELOPE_TEXT)
#undef TAC__LCM_ENVELOPE_NUMBER
#undef TAC__LCM_ENVELOPE_TEXT
} tac__lcm_envelope;

uint64_t tac__lcm_envelope_fingerprint(void);
void tac__lcm_envelope_struct(tac__text *out); // in LCM's language, for package tactus
size_t tac__lcm_envelope_size(const tac__lcm_envelope *envelope); // encoded
void tac__lcm_envelope_encode(const tac__lcm_envelope *envelope, uint8_t *to);

#endif
