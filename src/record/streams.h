// streams.h - what is recorded besides signals, for sinks that take it: digests of states, instants
// that split islands, deliveries to the plant, fates of messages, stored states, the log, and
// marks.
#ifndef TAC_RECORD_STREAMS_H
#define TAC_RECORD_STREAMS_H

#include "record/sampler.h"

typedef struct tac__streams tac__streams;

// Digests of one island's state, gathered until there are enough for a message.
enum { TAC__DIGEST_BATCH = 128 };
typedef struct tac__digest_stream {
    tac__streams *streams;
    const uint64_t *value;
    size_t count;
    uint64_t t_us[TAC__DIGEST_BATCH], digest[TAC__DIGEST_BATCH];
    tac__tap tap;
    size_t island;
    const char *name; // of its first component
    uint16_t id;
} tac__digest_stream;

struct tac__streams {
    tac__sampler *sampler;
    tac__sink *sink;
    tac__digest_stream *digests;
    size_t digest_count;
    uint16_t instants_id, fates_id, state_id, log_id, mark_id;
    uint16_t *delivery_ids; // one a receiver, UINT16_MAX: not of the plant
    tac__listener listener;
    tac__fate_listener fate_listener;
    tac__snapshot_timer snapshots;
    tac__text scratch; // the message that is being made
};

void tac__streams_init(tac__streams *streams, tac__sampler *sampler);
void tac__streams_fini(tac__streams *streams);
// While the engine is resolved.
tac_status tac__streams_plan(tac__streams *streams, tac_error *err);
// Once the sink is open, and before any sample: announce the streams, store the state.
tac_status tac__streams_begin(tac__streams *streams, tac_error *err);
void tac__streams_end(tac__streams *streams);
void tac__streams_log(tac__streams *streams, const tac_log_entry *entry);

#endif
