// passage.c - names and envelopes of messages that pass through the server.
#include "federation/passage.h"

#include <stdio.h>
#include <stdlib.h>

void tac__passage_channel(const tac_passage *p, char name[TAC__PASSAGE_NAME])
{
    (void)snprintf(name, TAC__PASSAGE_NAME, "%s%c%s", p->channel, p->delivered ? ':' : '.',
                   p->delivered ? p->recipient : p->sender);
}

static uint64_t fnv_1a(const void *bytes, size_t count)
{
    const uint8_t *at = bytes;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < count; i++)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

tac_status tac__passage_envelope(const tac_passage *p, const char *channel, uint64_t number,
                                 tac__envelope_bytes *to, tac_error *err)
{
    const tac__lcm_envelope envelope = {
        .number = (int64_t)number,
        .sent_utime = (int64_t)p->sent_us,
        .delivered_utime = p->delivered ? (int64_t)p->delivered_us : -1,
        .sequence = (int64_t)p->sequence,
        .hash = (int64_t)fnv_1a(p->bytes, p->length),
        .size = (int32_t)p->length,
        .copy = (int32_t)p->copy,
        .channel = channel,
        .name = p->channel,
        .type = p->type,
        .sender = p->sender,
        .recipient = p->recipient,
        .inlet = p->inlet,
    };
    to->size = tac__lcm_envelope_size(&envelope);
    if (to->size > to->capacity) {
        uint8_t *bytes = realloc(to->bytes, 2 * to->size);
        if (!bytes)
            return tac__fail_memory(err);
        to->bytes = bytes;
        to->capacity = 2 * to->size;
    }
    tac__lcm_envelope_encode(&envelope, to->bytes);
    return TAC_OK;
}

void tac__envelope_bytes_fini(tac__envelope_bytes *b)
{
    free(b->bytes);
    *b = (tac__envelope_bytes){0};
}
