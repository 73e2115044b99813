// summary.h - records outside chunks, and all that stands behind the data: data end, summary,
// footer. What is added is collected as the bytes of its group; nothing is known of files here.
#ifndef TAC_RECORD_MCAP_SUMMARY_H
#define TAC_RECORD_MCAP_SUMMARY_H

#include "record/mcap/mcap.h"
#include "record/mcap/format.h"

// --- records, appended to a text -----------------------------------------------------------------

void tac__mcap_put_header(tac__text *out, const char *profile, const char *library);
void tac__mcap_put_schema(tac__text *out, const tac__mcap_schema_info *schema);
void tac__mcap_put_channel(tac__text *out, const tac__mcap_channel_info *channel);
void tac__mcap_put_metadata(tac__text *out, const char *name, const tac__mcap_pair *pairs,
                            size_t count);
// All but the data and the CRC, which follow it.
void tac__mcap_put_attachment_head(tac__text *out, const tac__mcap_attachment_info *attachment);

// The field of a chunk that names its compression.
const char *tac__mcap_compression_field(tac__compression compression);

// --- the summary ---------------------------------------------------------------------------------

enum { TAC__MCAP_GROUPS = 6 };

typedef struct tac__mcap_summary {
    tac__text group[TAC__MCAP_GROUPS]; // records of one opcode each
    tac__text counts;                  // of messages by channel: part of the statistics
    uint64_t messages;
    uint32_t schemas, channels, chunks, attachments, metadata;
    uint64_t first_ns, last_ns; // of all messages
    bool timed;                 // there are any
} tac__mcap_summary;

void tac__mcap_summary_init(tac__mcap_summary *summary, const tac_allocator *allocator);
void tac__mcap_summary_fini(tac__mcap_summary *summary);

void tac__mcap_summary_schema(tac__mcap_summary *summary, const tac__mcap_schema_info *schema);
void tac__mcap_summary_channel(tac__mcap_summary *summary, const tac__mcap_channel_info *channel);
void tac__mcap_summary_messages(tac__mcap_summary *summary, uint16_t channel, uint64_t messages);
// `index_at`: where the message index of each of its channels lies; they take `index_length` bytes.
void tac__mcap_summary_chunk(tac__mcap_summary *summary, const tac__mcap_chunk_info *chunk,
                             const uint64_t *index_at, uint64_t index_length);
void tac__mcap_summary_attachment(tac__mcap_summary *summary,
                                  const tac__mcap_attachment_info *attachment);
void tac__mcap_summary_metadata(tac__mcap_summary *summary, const char *name, uint64_t offset,
                                uint64_t length);

// What follows the data section of a file, which ends at `at` and has `crc`: fails only for lack of
// memory, by `out->failed`.
void tac__mcap_summary_end(tac__mcap_summary *summary, uint64_t at, uint32_t crc, tac__text *out);

#endif
