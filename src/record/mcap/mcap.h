// mcap.h - the MCAP container: writing it in the background, reading it by its index.
//
// Nothing here knows what a message means. The format is that of https://mcap.dev/spec, version 0;
// docs/recording.md says which parts of it are used.
#ifndef TAC_RECORD_MCAP_MCAP_H
#define TAC_RECORD_MCAP_MCAP_H

#include "base/arena.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum tac__compression {
    TAC__COMPRESS_NONE,
    TAC__COMPRESS_LZ4,
    TAC__COMPRESS_ZSTD
} tac__compression;

// "none", "lz4", "zstd". The parse fails with the nearest name, or says that this build lacks it.
const char *tac__compression_name(tac__compression compression);
tac_status tac__compression_parse(const char *name, tac__compression *compression, tac_error *err);

typedef struct tac__mcap_pair {
    const char *key, *value;
} tac__mcap_pair;

// --- writing -------------------------------------------------------------------------------------

// One thread fills, others compress and write. Every channel has chunks of its own, so that
// reading one reads only its chunks; what the file holds depends on the calls alone, never on how
// fast the threads are. Failures (a full disk) are sticky: the filling thread learns of them from
// tac__mcap_message returning NULL or from tac__mcap_failed, and close returns them.
typedef struct tac__mcap_writer tac__mcap_writer;

typedef struct tac__mcap_writer_def {
    const tac_allocator *allocator; // NULL: malloc; used by the filling thread only
    tac__compression compression;
    int level;           // of zstd
    size_t chunk_size;   // bytes of messages after which a chunk is closed
    size_t memory;       // bytes of chunks that may wait to be written before the filler waits
    int workers;         // threads that compress and write
    const char *library; // of the header record
    bool replace;        // a file that exists; else it is an error
    bool sync;           // what tac__mcap_settle and finish write is to be on the disk
} tac__mcap_writer_def;

tac__mcap_writer_def tac__mcap_writer_def_default(void); // zstd 1 if built in, 256 KiB, 64 MiB, 2,
                                                         // replace

// Creates the file, with a lock on it until the writer is finished.
TAC_MUST_CHECK tac_status tac__mcap_create(const char *path, const tac__mcap_writer_def *def,
                                           tac__mcap_writer **writer, tac_error *err);
// Ids count from 1 for schemas and from 0 for channels, in order of the calls. 0 / UINT16_MAX: no
// memory or too many; sticky.
uint16_t tac__mcap_schema(tac__mcap_writer *writer, const char *name, const char *encoding,
                          const char *text);
uint16_t tac__mcap_channel(tac__mcap_writer *writer, uint16_t schema, const char *topic,
                           const char *encoding, const tac__mcap_pair *metadata, size_t count);
// Append a message to the channel's open chunk; its `size` bytes are to be filled in by the caller
// before the next call. Sequence numbers count from 1 in each channel. NULL: the writer failed, or
// has no such channel.
void *tac__mcap_message(tac__mcap_writer *writer, uint16_t channel, uint64_t time_ns, size_t size);
// The channel itself, for append.h; valid as long as the writer. Of one that there is not: a slot
// that takes nothing.
typedef struct tac__mcap_slot tac__mcap_slot;
tac__mcap_slot *tac__mcap_slot_of(tac__mcap_writer *writer, uint16_t channel);
// A channel may store samples instead of messages: what its messages follow from, in less bytes or
// at hand. The thread that packs a chunk makes messages of its samples; `encode` may be called by
// several threads at once. The file is the same as if the messages had been appended.
typedef struct tac__mcap_samples {
    size_t size;         // of a sample, a multiple of 8; 0: the channel stores messages
    size_t message_size; // of every message
    void (*encode)(const void *context, const unsigned char *sample, unsigned char *message);
    const void *context;
} tac__mcap_samples;
// Before anything is stored; append.h takes the samples.
void tac__mcap_store_samples(tac__mcap_slot *slot, const tac__mcap_samples *samples);
// Close the open chunks of all channels and hand them over, in order of channel.
void tac__mcap_flush(tac__mcap_writer *writer);
// Flush, and wait until what was handed over by the last call of this is in the file; with `sync`
// on the disk.
void tac__mcap_settle(tac__mcap_writer *writer);
// Written behind all that was handed over before. The bytes are copied.
void tac__mcap_attachment(tac__mcap_writer *writer, const char *name, const char *media_type,
                          uint64_t time_ns, const void *bytes, size_t size);
void tac__mcap_metadata(tac__mcap_writer *writer, const char *name, const tac__mcap_pair *pairs,
                        size_t count);
bool tac__mcap_failed(const tac__mcap_writer *writer);
// Flush, wait, write the summary and footer, close. Frees the writer in any case; NULL is fine.
TAC_MUST_CHECK tac_status tac__mcap_finish(tac__mcap_writer *writer, tac_error *err);

// --- reading -------------------------------------------------------------------------------------

typedef struct tac__mcap_reader tac__mcap_reader;

typedef struct tac__mcap_schema_info {
    uint16_t id;
    const char *name, *encoding;
    const char *text; // NUL-terminated
    size_t size;
} tac__mcap_schema_info;

typedef struct tac__mcap_channel_info {
    uint16_t id, schema;
    const char *topic, *encoding;
    const tac__mcap_pair *metadata;
    size_t count;
    uint64_t messages; // as far as known: of a whole file from its statistics, else counted
} tac__mcap_channel_info;

typedef struct tac__mcap_chunk_info {
    uint64_t offset, length; // of the record in the file
    uint64_t first_ns, last_ns;
    uint64_t compressed, size;
    tac__compression compression;
    const uint16_t *channels; // that have messages in it, ascending
    size_t channel_count;
} tac__mcap_chunk_info;

typedef struct tac__mcap_attachment_info {
    const char *name, *media_type;
    uint64_t time_ns, offset, length, size;
} tac__mcap_attachment_info;

typedef struct tac__mcap_metadata_info {
    const char *name;
    const tac__mcap_pair *pairs;
    size_t count;
} tac__mcap_metadata_info;

typedef struct tac__mcap_info {
    bool whole; // closed properly: there is a footer, and what it tells of the file is sound
    uint64_t file_size;
    uint64_t sound_size; // bytes up to the end of the last whole record; file_size if whole
    const char *profile, *library;
    const tac__mcap_schema_info *schemas; // ordered by id
    size_t schema_count;
    const tac__mcap_channel_info *channels; // ordered by id
    size_t channel_count;
    const tac__mcap_chunk_info *chunks; // in order of the file
    size_t chunk_count;
    const tac__mcap_attachment_info *attachments;
    size_t attachment_count;
    const tac__mcap_metadata_info *metadata;
    size_t metadata_count;
    uint64_t messages;
} tac__mcap_info;

// Reads the summary; where there is none, walks the records and stops at the first that is not
// whole. Hostile files are refused within bounded memory and time.
TAC_MUST_CHECK tac_status tac__mcap_open(const char *path, const tac_allocator *allocator,
                                         tac__mcap_reader **reader, tac_error *err);
void tac__mcap_close(tac__mcap_reader *reader);
const tac__mcap_info *tac__mcap_about(const tac__mcap_reader *reader);

typedef struct tac__mcap_message_info {
    uint16_t channel;
    uint32_t sequence;
    uint64_t log_ns, publish_ns;
    const unsigned char *bytes;
    size_t size;
} tac__mcap_message_info;

// A chunk in memory. Zero it before first use; it is reused by later loads.
typedef struct tac__mcap_chunk {
    const tac_allocator *allocator;
    unsigned char *bytes, *packed; // packed: scratch
    size_t size, capacity, packed_capacity;
    size_t at; // of the next record
} tac__mcap_chunk;

// What unpacks chunks, and keeps memory for it. Zero it before first use.
typedef struct tac__unpacker {
    void *zstd, *lz4; // made on first use
} tac__unpacker;

void tac__unpacker_fini(tac__unpacker *unpacker);

// Read, check the CRC, decompress.
TAC_MUST_CHECK tac_status tac__mcap_load(tac__mcap_reader *reader, size_t chunk,
                                         tac__mcap_chunk *into, tac_error *err);
// Memory for a chunk, before it is loaded.
TAC_MUST_CHECK tac_status tac__mcap_reserve(tac__mcap_reader *reader, size_t chunk,
                                            tac__mcap_chunk *into, tac_error *err);
// The same with an unpacker of one's own: several threads may do so at once, each with its own
// unpacker and a chunk for which memory was reserved.
TAC_MUST_CHECK tac_status tac__mcap_load_with(tac__mcap_reader *reader, tac__unpacker *unpacker,
                                              size_t chunk, tac__mcap_chunk *into, tac_error *err);
// The next message of it in the order of the file; `*more` is false after the last.
TAC_MUST_CHECK tac_status tac__mcap_next(tac__mcap_chunk *chunk, tac__mcap_message_info *message,
                                         bool *more, tac_error *err);
void tac__mcap_chunk_fini(tac__mcap_chunk *chunk);

// The bytes of an attachment, checked; free with tac__file_free.
TAC_MUST_CHECK tac_status tac__mcap_attachment_read(tac__mcap_reader *reader, size_t i,
                                                    char **bytes, size_t *size, tac_error *err);

// Open a file for tac__mcap_recover only: it need not have more than a sound beginning or a sound
// end.
TAC_MUST_CHECK tac_status tac__mcap_open_damaged(const char *path, const tac_allocator *allocator,
                                                 tac__mcap_reader **reader, tac_error *err);

// Is the copy, which has not got its name yet, what is wanted?
typedef tac_status tac__mcap_accept_fn(void *context, const char *path, tac_error *err);

// Copy what is sound in `from` into a clean file with summary and footer: all whole records up to
// where it was cut off; of a file that is damaged in between, every record that can be checked and
// is sound, found by its summary where that is sound. What is lost is told in `lost`, one line
// each; NULL: not wanted. The copy is read again before it gets its name, and shown to `accept`;
// NULL: to nobody.
TAC_MUST_CHECK tac_status tac__mcap_recover(tac__mcap_reader *from, const char *path,
                                            tac__mcap_accept_fn *accept, void *context,
                                            tac__text *lost, tac_error *err);

#endif
