// reader.h - what the files of the reader share: where bytes come from, and what was found.
#ifndef TAC_RECORD_MCAP_READER_H
#define TAC_RECORD_MCAP_READER_H

#include "record/mcap/compress.h"
#include "record/mcap/format.h"

// --- bytes of a file or of memory ----------------------------------------------------------------

enum { TAC__MCAP_WINDOW = 64 << 10 };

typedef struct tac__mcap_source {
    const tac_allocator *allocator;
    int fd;                      // -1: memory
    const unsigned char *memory; // not owned
    uint64_t size;
    unsigned char *window; // a part of the file, for small pieces
    uint64_t window_at;
    size_t window_size;
} tac__mcap_source;

// Fails with TAC_E_FORMAT where the range does not lie in the file.
TAC_MUST_CHECK tac_status tac__mcap_read(tac__mcap_source *source, uint64_t at, uint64_t size,
                                         void *into, tac_error *err);
// At most TAC__MCAP_WINDOW bytes, valid until the next call.
TAC_MUST_CHECK tac_status tac__mcap_peek(tac__mcap_source *source, uint64_t at, size_t size,
                                         const unsigned char **bytes, tac_error *err);
TAC_MUST_CHECK tac_status tac__mcap_crc(tac__mcap_source *source, uint64_t at, uint64_t size,
                                        uint32_t *crc, tac_error *err);

// Opcode and length of the content, which lies in the file.
TAC_MUST_CHECK tac_status tac__mcap_head(tac__mcap_source *source, uint64_t at, uint8_t *opcode,
                                         uint64_t *length, tac_error *err);

// The content of a record of known place: opcode and length must be those that are expected. From
// the allocator, `length - MCAP_HEAD` bytes.
TAC_MUST_CHECK tac_status tac__mcap_content(tac__mcap_source *source, uint64_t at, uint64_t length,
                                            uint8_t opcode, unsigned char **content,
                                            tac_error *err);

// --- what is in a file ---------------------------------------------------------------------------

// From ids to places in an array.
typedef struct tac__mcap_ids {
    uint32_t *page[256]; // place + 1
} tac__mcap_ids;

// The message indexes behind a chunk.
typedef struct tac__mcap_tail {
    uint64_t *index_at; // by channel, as in the chunk's info
    uint64_t index_length;
    size_t missing; // channels that have none
    bool odd;       // there is one too many
} tac__mcap_tail;

typedef struct tac__mcap_span {
    uint64_t offset, length;
} tac__mcap_span;

typedef struct tac__mcap_contents {
    tac__arena arena;
    tac__mcap_info info; // made whole by tac__mcap_contents_end
    tac__mcap_ids schema_ids, channel_ids;
    tac__mcap_schema_info *schemas;
    tac__mcap_channel_info *channels;
    tac__mcap_chunk_info *chunks;
    tac__mcap_tail *tails; // of the chunks; by a scan only
    tac__mcap_attachment_info *attachments;
    tac__mcap_metadata_info *metadata;
    tac__mcap_span *metadata_at;
    size_t schema_count, channel_count, chunk_count, tail_count, attachment_count, metadata_count,
        metadata_at_count;
    TAC__CAPACITY(tac__mcap_schema_info) schema_capacity;
    TAC__CAPACITY(tac__mcap_channel_info) channel_capacity;
    TAC__CAPACITY(tac__mcap_chunk_info) chunk_capacity;
    TAC__CAPACITY(tac__mcap_tail) tail_capacity;
    TAC__CAPACITY(tac__mcap_attachment_info) attachment_capacity;
    TAC__CAPACITY(tac__mcap_metadata_info) metadata_capacity;
    TAC__CAPACITY(tac__mcap_span) metadata_at_capacity;
    uint64_t data_start; // behind the header
    uint64_t data_end;   // by a scan: where the sound part of the data section ends
} tac__mcap_contents;

void tac__mcap_contents_init(tac__mcap_contents *contents, const tac_allocator *allocator);
void tac__mcap_contents_fini(tac__mcap_contents *contents);
// Order by id and fill in `info`. Fails where a channel has a schema that is not there.
TAC_MUST_CHECK tac_status tac__mcap_contents_end(tac__mcap_contents *contents, tac_error *err);

// Contents of records, each without its head. The same schema or channel may come again.
TAC_MUST_CHECK tac_status tac__mcap_add_header(tac__mcap_contents *contents, mcap_in in,
                                               tac_error *err);
TAC_MUST_CHECK tac_status tac__mcap_add_schema(tac__mcap_contents *contents, mcap_in in,
                                               tac_error *err);
TAC_MUST_CHECK tac_status tac__mcap_add_channel(tac__mcap_contents *contents, mcap_in in,
                                                tac_error *err);
TAC_MUST_CHECK tac_status tac__mcap_add_metadata(tac__mcap_contents *contents, mcap_in in,
                                                 tac_error *err);
// A text of the file: a copy with a NUL behind it. NULL: no memory, or `in` is too short.
char *tac__mcap_text(tac__mcap_contents *contents, mcap_in *in);
// "", "lz4" or "zstd".
TAC_MUST_CHECK tac_status tac__mcap_compression_of(mcap_in *in, tac__compression *compression,
                                                   tac_error *err);
tac__mcap_channel_info *tac__mcap_find_channel(const tac__mcap_contents *contents, uint16_t id);

// --- the reader ----------------------------------------------------------------------------------

struct tac__mcap_reader {
    bool lenient; // see tac__mcap_open_damaged
    bool by_summary;
    tac__mcap_source source;
    char *path;
    size_t path_size;
    tac__mcap_contents contents;
    tac__unpacker unpacker;
};

// As tac__mcap_open. `bytes` must live as long as the reader.
TAC_MUST_CHECK tac_status tac__mcap_open_memory(const void *bytes, size_t size,
                                                const tac_allocator *allocator,
                                                tac__mcap_reader **reader, tac_error *err);

// Read the chunk record at `offset`, which has `length` bytes with its head; unpack and check it.
// `*info` tells what it says of itself; its channels are not filled in. It must agree with `known`,
// where that is not NULL.
TAC_MUST_CHECK tac_status tac__mcap_read_chunk(tac__mcap_reader *reader, tac__unpacker *unpacker,
                                               uint64_t offset, uint64_t length,
                                               const tac__mcap_chunk_info *known,
                                               tac__mcap_chunk *into, tac__mcap_chunk_info *info,
                                               tac_error *err);

// The same where the summary is believed rather than what the record says of itself; `known` has
// its channels.
TAC_MUST_CHECK tac_status tac__mcap_read_known(tac__mcap_reader *reader,
                                               const tac__mcap_chunk_info *known,
                                               tac__mcap_chunk *into, tac_error *err);

// The next record in a chunk, of any kind.
TAC_MUST_CHECK tac_status tac__mcap_next_other(tac__mcap_chunk *chunk, uint8_t *opcode,
                                               mcap_in *content, bool *more, tac_error *err);

// What the summary of a damaged file tells, if it is sound: it is believed whatever the header and
// the metadata have become, which are not read then. Without one only the header is read.
TAC_MUST_CHECK tac_status tac__mcap_read_leniently(tac__mcap_reader *reader, tac_error *err);

// --- recover_pieces.c ---
typedef struct tac__mcap_target {
    int fd;
    const char *path;
    uint64_t at;
    uint32_t crc;
} tac__mcap_target;

TAC_MUST_CHECK tac_status tac__mcap_put(tac__mcap_target *target, const void *bytes, size_t size,
                                        tac_error *err);
// The copy of a file that is damaged in the middle: record by record, each that is sound. `from`
// was read leniently. What is lost is told in `lost`, a line each.
TAC_MUST_CHECK tac_status tac__mcap_copy_pieces(tac__mcap_reader *from, tac__mcap_target *target,
                                                tac__text *lost, tac_error *err);

// Say in an error which file it is about. Returns `status`.
tac_status tac__mcap_named(const tac__mcap_reader *reader, tac_status status, tac_error *err);

// Walk the records from the first behind the header. `*ended`: the data section has an end, and
// what can be checked of it is sound.
TAC_MUST_CHECK tac_status tac__mcap_scan(tac__mcap_reader *reader, tac__mcap_contents *contents,
                                         bool *ended, tac_error *err);

#endif
