// passage.h - messages that pass through the server, as messages of LCM for everyone to see: under
// which name, and in which envelope.
#ifndef TAC_FEDERATION_PASSAGE_H
#define TAC_FEDERATION_PASSAGE_H

#include "base/text.h"
#include "bus/lcm_message.h"

#include <tactus/federation.h>

enum { TAC__PASSAGE_NAME = 512 };

// "CHANNEL.SENDER" of a message that was received, "CHANNEL:RECIPIENT" of one that was delivered.
// LCM can carry it: the server has refused others on joining.
void tac__passage_channel(const tac_passage *passage, char name[TAC__PASSAGE_NAME]);

// The envelope, encoded, in memory that grows; `channel` as above. TAC_E_MEMORY.
typedef struct tac__envelope_bytes {
    uint8_t *bytes;
    size_t size, capacity;
} tac__envelope_bytes;

TAC_MUST_CHECK tac_status tac__passage_envelope(const tac_passage *passage, const char *channel,
                                                uint64_t number, tac__envelope_bytes *to,
                                                tac_error *err);
void tac__envelope_bytes_fini(tac__envelope_bytes *bytes);

#endif
