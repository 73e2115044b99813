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

#endif
