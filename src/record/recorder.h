// recorder.h - the inside of a recorder: its channels and what fills them.
#ifndef TAC_RECORD_RECORDER_H
#define TAC_RECORD_RECORDER_H

#include "record/mcap/mcap.h"
#include "record/select.h"

typedef struct tac__copy { // from the bus into a message
    tac__watched from;
    size_t at, bytes;
} tac__copy;

// Copies that lie side by side on the bus and in the message, as one.
typedef struct tac__move {
    const void *from;
    size_t at, bytes;
} tac__move;

// Copies in a row whose signals are all on the bus at an instant, or all where a look puts them: it
// is enough to ask for the first.
typedef struct tac__row {
    size_t first, count;
} tac__row;

typedef struct tac__window tac__window;

// A channel of signals.
typedef struct tac__feed {
    tac_recorder *recorder;
    const tac__pick *pick;
    const char *component;
    tac__mcap_slot *slot;
    tac__layout layout;
    tac__copy *copies;
    tac__move *moves; // of what is not evaluated: states and what steps write
    size_t move_count;
    bool plant; // it has signals of the plant: these are where a look at them says
    tac__row *rows;
    size_t row_count;
    tac__deferred later; // outputs that the compressor's threads evaluate; component NULL: none
    size_t note_size;    // of what that takes
    unsigned char *last; // hold: the last message, once `begun`
    bool begun;
    tac__tap tap;
    uint32_t seen;       // every: steps since the last sample
    tac_time sampled_us; // island: 1 us after the last sample at a boundary; 0: none
    tac__window *window;
} tac__feed;

// All feeds on one axis.
typedef struct tac__beat {
    tac_recorder *recorder;
    tac_time period_us;
    tac__feed **feeds;
    size_t count, capacity;
} tac__beat;

// Digests of one island's state, gathered until there are enough for a message.
enum { TAC__DIGEST_BATCH = 128 };
typedef struct tac__digester {
    tac_recorder *recorder;
    size_t island;
    const uint64_t *value; // of a prepared engine
    const char *name;      // of its first component
    tac__tap tap;
    uint16_t id;
    size_t count;
    uint64_t t_us[TAC__DIGEST_BATCH], digest[TAC__DIGEST_BATCH];
} tac__digester;

typedef struct tac__live_csv tac__live_csv;

struct tac_recorder {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_recorder_def def;
    tac_engine *engine;
    tac__mcap_writer *writer; // NULL: none, or it is closed
    tac__live_csv *csv;
    tac__picks picks;
    tac__feed *feeds; // one a pick
    tac__beat *beats;
    size_t beat_count, beat_capacity;
    tac__digester *digesters;
    size_t digester_count;
    uint16_t instants_id, state_id, log_id, mark_id;
    tac__listener listener;
    tac__snapshot_timer snapshots;
    uint16_t *delivery_ids; // one a receiver, UINT16_MAX: not of the plant
    tac__text scratch;      // of messages of variable size
    tac_error err;          // the first failure, with `failed`
    bool failed;
};

// What went wrong stops the run; the first counts.
void tac__recorder_fail(tac_recorder *recorder);

// Fill a message with the values of a feed as they are now.
void tac__feed_fill(const tac__feed *feed, tac_engine *engine, tac_time t_us,
                    unsigned char *message);
// Have its outputs of the plant evaluated by who packs them, if they may be. Once it has a slot.
void tac__feed_put_off(tac__feed *feed);
// Append a message that is filled already.
void tac__feed_append(const tac__feed *feed, tac_time t_us, const unsigned char *message);

// Messages of variable size: what stands in the scratch.
void tac__recorder_send(tac_recorder *recorder, uint16_t channel, tac_time t_us);

// --- describe.c: schemas, channels, metadata and attachments ---
tac_status tac__recorder_describe(tac_recorder *recorder, tac_error *err);
void tac__recorder_conclude(tac_recorder *recorder, const char *failure);

// --- window.c: samples round an event ---
tac_status tac__window_create(tac__feed *feed, tac_error *err);
void tac__window_sample(tac__feed *feed, tac_engine *engine, tac_time t_us);
void tac__window_destroy(tac__feed *feed);

// --- live_csv.c ---
tac_status tac__live_csv_open(tac_recorder *recorder, tac_error *err);
void tac__live_csv_row(tac__live_csv *csv, tac_engine *engine, tac_time t_us);
tac_status tac__live_csv_close(tac__live_csv *csv, tac_error *err);

#endif
