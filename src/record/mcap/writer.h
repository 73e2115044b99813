// writer.h - the inside of a writer: what fill.c and write.c share.
#ifndef TAC_RECORD_MCAP_WRITER_H
#define TAC_RECORD_MCAP_WRITER_H

#include "record/mcap/append.h"
#include "record/mcap/queue.h"
#include "record/mcap/summary.h"

typedef struct tac__mcap_attachment_entry {
    struct tac__mcap_attachment_entry *next;
    tac__mcap_attachment_info info;
} tac__mcap_attachment_entry;

typedef struct tac__mcap_metadata_entry {
    struct tac__mcap_metadata_entry *next;
    const char *name;
    uint64_t offset, length;
} tac__mcap_metadata_entry;

struct tac__mcap_writer {
    tac__mcap_queue queue;
    const tac_allocator *allocator;
    tac__mcap_writer_def def;
    char *path;
    bool running;

    tac__mcap_slot **channels;
    tac__mcap_slot none; // has no room, and no chunk
    size_t channel_count, channel_capacity;
    uint16_t schema_count;
    tac__mcap_job *free; // chunks to be filled again
    uint64_t settled;    // jobs up to the last tac__mcap_settle

    tac__arena arena; // what the summary tells of, in order of hand-over
    tac__mcap_summary summary;
    tac__mcap_place *chunks, **last_chunk;
    tac__mcap_attachment_entry *attachments, **last_attachment;
    tac__mcap_metadata_entry *metadata, **last_metadata;
};

// --- fill.c ---
void *tac__mcap_resize(tac__mcap_writer *writer, void *old, size_t old_size, size_t size);
void tac__mcap_release(tac__mcap_writer *writer, void *bytes, size_t size);   // NULL is fine
tac__mcap_job *tac__mcap_make_job(tac__mcap_writer *writer, size_t capacity); // NULL: no memory
void tac__mcap_free_job(tac__mcap_writer *writer, tac__mcap_job *job);        // NULL is fine
// Take jobs back that are written.
void tac__mcap_reclaim(tac__mcap_writer *writer);
void tac__mcap_fail(tac__mcap_writer *writer, tac_status status, const char *what);
void tac__mcap_fail_memory(tac__mcap_writer *writer);

#endif
