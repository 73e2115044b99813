// recording.h - the inside of an open recording: what replay reads besides the signals.
#ifndef TAC_RECORD_RECORDING_H
#define TAC_RECORD_RECORDING_H

#include "base/names.h"
#include "record/read_ahead.h"
#include "record/layout.h"
#include "record/mcap/mcap.h"

// What a channel is for, as its metadata says under "kind".
#define TAC__CHANNEL_KINDS(X)                                                                      \
    X(SIGNALS, "signals")   /* samples of signals */                                               \
    X(DIGEST, "digest")     /* of an island's state, at each of its boundaries */                  \
    X(INSTANTS, "instants") /* wake-ups and deliveries that split islands */                       \
    X(DELIVERY, "delivery") /* messages to the plant */                                            \
    X(FATES, "fates")       /* what became of messages on links that have a law */                 \
    X(STATE, "state")       /* snapshots to go on from */                                          \
    X(LOG, "log")           /* what components said */                                             \
    X(MARK, "mark")         /* up to here every channel is in the file */

typedef enum tac__channel_kind {
#define TAC__KIND_ENUM(name, text) TAC__CHANNEL_##name,
    TAC__CHANNEL_KINDS(TAC__KIND_ENUM)
#undef TAC__KIND_ENUM
        TAC__CHANNEL_OTHER // of somebody else
} tac__channel_kind;

const char *tac__channel_kind_name(tac__channel_kind kind);

// A channel of the file, with the chunks that it is in.
typedef struct tac__track {
    uint16_t id;
    tac__channel_kind kind;
    const char *topic;
    const char *subject;                // component, island, receiver; "" where there is none
    const tac__mcap_channel_info *mcap; // for the rest of its metadata
    tac_channel_info info;              // of signals
    tac__layout layout;
    size_t *chunks; // in order of time
    size_t chunk_count;
} tac__track;

struct tac_recording {
    const tac_allocator *allocator;
    tac__arena arena;
    tac__mcap_reader *reader;
    tac_recording_info info;
    bool ended;         // it says how the run ended
    tac__track *tracks; // those of signals first, in order of their ids
    size_t track_count, channel_count;
    tac_recorded **signals;
    size_t signal_count;
    tac__names names;
    char *digests; // lines "name digest", cut into texts
    const char **digest_names;
    uint64_t *digest_values;
    size_t digest_count;
};

// As tac_recording_open, with memory from elsewhere.
tac_status tac__recording_open(const char *path, const tac_allocator *allocator,
                               tac_recording **recording, tac_error *err);

// Read everything in it. Fails where a message is out of order or not laid out as its channel says,
// and where not even the first instant is complete.
tac_status tac__recording_usable(tac_recording *recording, tac_error *err);

const char *tac__track_metadata(const tac__track *track, const char *key); // "" if absent

// The bytes of an attachment by name; NULL, and no failure, where there is none. Free with
// tac__file_free.
tac_status tac__recording_attachment(tac_recording *recording, const char *name, char **bytes,
                                     size_t *size, tac_error *err);

// Messages of one track in order of time.
typedef struct tac__track_reader {
    const tac_recording *recording;
    const tac__track *track;
    tac__mcap_chunk chunk;
    size_t next_chunk; // in the track's list
    bool loaded;
    tac__read_ahead *read_ahead; // NULL: chunks are read when they are needed
    tac__read_ahead_slot slot;
    tac_time from_us, to_us, last_us;
} tac__track_reader;

typedef struct tac__frame {
    tac_time t_us;
    const unsigned char *bytes; // valid until the reader moves
    size_t size;
} tac__frame;

void tac__track_reader_init(tac__track_reader *reader, const tac_recording *recording,
                            const tac__track *track, tac_time from_us, tac_time to_us);
void tac__track_reader_fini(tac__track_reader *reader);
// From now on read ahead; `read_ahead` must outlive the reader.
void tac__track_reader_read_ahead(tac__track_reader *reader, tac__read_ahead *read_ahead);
tac_status tac__track_reader_next(tac__track_reader *reader, tac__frame *frame, bool *more,
                                  tac_error *err);

#endif
