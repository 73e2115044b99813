// write.c - a writer from its beginning to its end, and the records that are not messages; fill.c
// has those.
#include "record/mcap/writer.h"
#include "base/error.h"
#include "base/file.h"
#include "record/mcap/crc32.h"

#include <errno.h>
#include <unistd.h>

typedef tac__mcap_job job;
typedef tac__mcap_place place;
typedef tac__mcap_slot slot;
typedef tac__mcap_attachment_entry attachment;
typedef tac__mcap_metadata_entry metadata;

enum { CHUNK_MIN = 256, PATH_SHOWN = 512 };

tac__mcap_writer_def tac__mcap_writer_def_default(void)
{
    tac__compression best = TAC__COMPRESS_ZSTD;
    while (!tac__compression_built_in(best))
        best--;
    return (tac__mcap_writer_def){.compression = best,
                                  .level = 1,
                                  .chunk_size = 256 << 10,
                                  .memory = 64 << 20,
                                  .workers = 2,
                                  .replace = true,
                                  .library = "libtactus " TAC_VERSION};
}

// --- other records -------------------------------------------------------------------------------

// Hand a record over, in up to three parts.
static bool hand_record(tac__mcap_writer *w, const tac__text *head, const void *bytes, size_t size,
                        const void *tail, size_t tail_size, uint64_t *record_at)
{
    tac__mcap_reclaim(w);
    job *j = head->failed ? NULL : tac__mcap_make_job(w, head->length + size + tail_size);
    if (!j) {
        tac__mcap_fail_memory(w);
        return false;
    }
    j->size = j->capacity;
    j->record_at = record_at;
    unsigned char *at = mcap_put(j->bytes, head->chars, head->length);
    if (size)
        at = mcap_put(at, bytes, size);
    if (tail_size)
        mcap_put(at, tail, tail_size);
    tac__mcap_hand_over(&w->queue, j);
    return true;
}

uint16_t tac__mcap_schema(tac__mcap_writer *w, const char *name, const char *encoding,
                          const char *text)
{
    if (tac__mcap_failed(w))
        return 0;
    if (w->schema_count == UINT16_MAX) {
        tac__mcap_fail(w, TAC_E_LIMIT, "more than 65535 schemas");
        return 0;
    }
    const tac__mcap_schema_info info = {.id = (uint16_t)(w->schema_count + 1),
                                        .name = name,
                                        .encoding = encoding,
                                        .text = text,
                                        .size = strlen(text)};
    tac__text record;
    tac__text_init(&record, w->allocator);
    tac__mcap_put_schema(&record, &info);
    const bool handed = hand_record(w, &record, NULL, 0, NULL, 0, NULL);
    tac__text_fini(&record);
    if (!handed)
        return 0;
    tac__mcap_summary_schema(&w->summary, &info);
    return ++w->schema_count;
}

static bool add_channel(tac__mcap_writer *w)
{
    if (w->channel_count == w->channel_capacity) {
        const size_t capacity = w->channel_capacity ? w->channel_capacity * 2 : 16;
        slot **grown = tac__mcap_resize(w, w->channels, w->channel_capacity * sizeof *grown,
                                        capacity * sizeof *grown);
        if (!grown)
            return false;
        w->channels = grown;
        w->channel_capacity = capacity;
    }
    slot *c = tac__arena_alloc(&w->arena, sizeof *c);
    if (!c)
        return false;
    *c = (slot){.id = (uint16_t)w->channel_count, .writer = w, .most = w->def.chunk_size};
    w->channels[w->channel_count++] = c;
    return true;
}

uint16_t tac__mcap_channel(tac__mcap_writer *w, uint16_t schema, const char *topic,
                           const char *encoding, const tac__mcap_pair *pairs, size_t count)
{
    if (tac__mcap_failed(w))
        return UINT16_MAX;
    if (w->channel_count == UINT16_MAX) {
        tac__mcap_fail(w, TAC_E_LIMIT, "more than 65535 channels");
        return UINT16_MAX;
    }
    const tac__mcap_channel_info info = {.id = (uint16_t)w->channel_count,
                                         .schema = schema,
                                         .topic = topic,
                                         .encoding = encoding,
                                         .metadata = pairs,
                                         .count = count};
    tac__text record;
    tac__text_init(&record, w->allocator);
    tac__mcap_put_channel(&record, &info);
    const bool handed = hand_record(w, &record, NULL, 0, NULL, 0, NULL);
    tac__text_fini(&record);
    if (!handed)
        return UINT16_MAX;
    tac__mcap_summary_channel(&w->summary, &info);
    if (!add_channel(w)) {
        tac__mcap_fail_memory(w);
        return UINT16_MAX;
    }
    return info.id;
}

void tac__mcap_attachment(tac__mcap_writer *w, const char *name, const char *media_type,
                          uint64_t time_ns, const void *bytes, size_t size)
{
    if (tac__mcap_failed(w))
        return;
    if (size > MCAP_PIECE_MAX / 2) {
        tac__mcap_fail(w, TAC_E_LIMIT, "an attachment is larger than 512 MiB");
        return;
    }
    attachment *a = tac__arena_alloc(&w->arena, sizeof *a);
    const char *own_name = tac__arena_text(&w->arena, name);
    const char *own_type = tac__arena_text(&w->arena, media_type);
    if (!a || !own_name || !own_type) {
        tac__mcap_fail_memory(w);
        return;
    }
    a->info = (tac__mcap_attachment_info){
        .name = own_name, .media_type = own_type, .time_ns = time_ns, .size = size};
    tac__text head;
    tac__text_init(&head, w->allocator);
    tac__mcap_put_attachment_head(&head, &a->info);
    if (!head.failed) {
        a->info.length = head.length + size + 4;
        uint32_t crc = tac__crc32(0, head.chars + MCAP_HEAD, head.length - MCAP_HEAD);
        crc = tac__crc32(crc, bytes, size);
        hand_record(w, &head, bytes, size, &crc, sizeof crc, &a->info.offset);
    } else {
        tac__mcap_fail_memory(w);
    }
    tac__text_fini(&head);
    *w->last_attachment = a;
    w->last_attachment = &a->next;
}

void tac__mcap_metadata(tac__mcap_writer *w, const char *name, const tac__mcap_pair *pairs,
                        size_t count)
{
    if (tac__mcap_failed(w))
        return;
    metadata *m = tac__arena_alloc(&w->arena, sizeof *m);
    const char *own_name = tac__arena_text(&w->arena, name);
    if (!m || !own_name) {
        tac__mcap_fail_memory(w);
        return;
    }
    tac__text record;
    tac__text_init(&record, w->allocator);
    tac__mcap_put_metadata(&record, name, pairs, count);
    m->name = own_name;
    m->length = record.length;
    hand_record(w, &record, NULL, 0, NULL, 0, &m->offset);
    tac__text_fini(&record);
    *w->last_metadata = m;
    w->last_metadata = &m->next;
}

// --- beginning and end ---------------------------------------------------------------------------

static tac_status tell(const tac__mcap_writer *w, tac_error *err)
{
    const tac__mcap_queue *q = &w->queue;
    if (q->status == TAC_E_MEMORY)
        return tac__fail_memory(err);
    return tac__fail(err, q->status, "cannot write '%.*s': %s", PATH_SHOWN, w->path,
                     q->what ? q->what : tac__errno_text(q->reason));
}

static bool make_outs(tac__mcap_writer *w, tac__mcap_worker *worker)
{
    for (int i = 0; i < TAC__MCAP_OUTS; i++) {
        worker->outs[i].bytes = tac__mcap_resize(w, NULL, 0, w->queue.out_capacity);
        if (!worker->outs[i].bytes)
            return false;
    }
    return true;
}

static void free_outs(tac__mcap_writer *w, tac__mcap_worker *worker)
{
    for (int i = 0; i < TAC__MCAP_OUTS; i++)
        tac__mcap_release(w, worker->outs[i].bytes, w->queue.out_capacity);
}

static void destroy(tac__mcap_writer *w)
{
    if (w->running)
        tac__mcap_queue_stop(&w->queue);
    if (w->queue.fd >= 0)
        close(w->queue.fd);
    tac__mcap_reclaim(w);
    for (job *j = w->free, *next; j; j = next) {
        next = j->next;
        tac__mcap_free_job(w, j);
    }
    for (size_t i = 0; i < w->channel_count; i++)
        tac__mcap_free_job(w, w->channels[i]->open);
    tac__mcap_release(w, w->channels, w->channel_capacity * sizeof *w->channels);
    for (int i = 0; i < TAC__MCAP_WORKERS; i++)
        free_outs(w, &w->queue.workers[i]);
    free_outs(w, &w->queue.own);
    tac__mcap_queue_fini(&w->queue);
    tac__mcap_summary_fini(&w->summary);
    tac__arena_fini(&w->arena);
    tac__mcap_release(w, w, sizeof *w);
}

static tac_status start(tac__mcap_writer *w, tac_error *err)
{
    tac__mcap_queue *q = &w->queue;
    q->compression = w->def.compression;
    q->memory = w->def.memory;
    q->out_capacity = tac__mcap_out_bound(w->def.compression, w->def.chunk_size);
    bool memory = make_outs(w, &q->own);
    for (int i = 0; i < w->def.workers; i++)
        memory = memory && make_outs(w, &q->workers[i]);
    if (!memory)
        return tac__fail_memory(err);
    tac__text header;
    tac__text_init(&header, w->allocator);
    tac__mcap_put_header(&header, "ros2", w->def.library ? w->def.library : "");
    const tac_status status = header.failed
                                  ? tac__fail_memory(err)
                                  : tac__file_create(w->path, w->def.replace, &q->fd, err);
    if (status == TAC_OK)
        tac__mcap_queue_write(q, header.chars, header.length);
    tac__text_fini(&header);
    if (status != TAC_OK)
        return status;
    if (tac__mcap_failed(w))
        return tell(w, err);
    w->running = true;
    if (!tac__mcap_queue_start(q, w->def.workers, w->def.level))
        return tac__fail(err, TAC_E_MEMORY, "cannot start threads to write '%.*s'", PATH_SHOWN,
                         w->path);
    return TAC_OK;
}

tac_status tac__mcap_create(const char *path, const tac__mcap_writer_def *def,
                            tac__mcap_writer **writer, tac_error *err)
{
    *writer = NULL;
    TAC_REQUIRE(path && def && tac__compression_built_in(def->compression));
    const tac_allocator *allocator = def->allocator ? def->allocator : tac_allocator_default();
    tac__mcap_writer *w = allocator->resize(allocator->context, NULL, 0, sizeof *w);
    if (!w)
        return tac__fail_memory(err);
    *w = (tac__mcap_writer){.allocator = allocator, .def = *def, .queue.fd = -1};
    w->none.writer = w;
    w->last_chunk = &w->chunks;
    w->last_attachment = &w->attachments;
    w->last_metadata = &w->metadata;
    if (w->def.chunk_size < CHUNK_MIN)
        w->def.chunk_size = CHUNK_MIN;
    if (w->def.chunk_size > MCAP_PIECE_MAX)
        w->def.chunk_size = MCAP_PIECE_MAX;
    if (w->def.workers < 1)
        w->def.workers = 1;
    if (w->def.workers > TAC__MCAP_WORKERS)
        w->def.workers = TAC__MCAP_WORKERS;
    tac__arena_init(&w->arena, allocator);
    tac__mcap_summary_init(&w->summary, allocator);
    tac__mcap_queue_init(&w->queue);
    w->path = tac__arena_text(&w->arena, path);
    const tac_status status = w->path ? start(w, err) : tac__fail_memory(err);
    if (status != TAC_OK) {
        destroy(w);
        return status;
    }
    *writer = w;
    return TAC_OK;
}

static void put_summary(tac__mcap_writer *w, tac__text *out)
{
    tac__mcap_summary *s = &w->summary;
    for (size_t i = 0; i < w->channel_count; i++)
        tac__mcap_summary_messages(s, (uint16_t)i, w->channels[i]->messages);
    for (place *p = w->chunks; p; p = p->next) {
        const uint64_t index_at = p->info.offset + p->info.length;
        p->info.channels = &p->channel;
        p->info.channel_count = 1;
        tac__mcap_summary_chunk(s, &p->info, &index_at, p->index_length);
    }
    for (attachment *a = w->attachments; a; a = a->next)
        tac__mcap_summary_attachment(s, &a->info);
    for (metadata *m = w->metadata; m; m = m->next)
        tac__mcap_summary_metadata(s, m->name, m->offset, m->length);
    tac__mcap_summary_end(s, w->queue.position, w->queue.crc, out);
}

// A file of which something is missing gets no footer, which readers notice.
tac_status tac__mcap_finish(tac__mcap_writer *w, tac_error *err)
{
    if (!w)
        return TAC_OK;
    tac__mcap_flush(w);
    tac__mcap_queue_stop(&w->queue);
    w->running = false;
    if (!tac__mcap_failed(w)) {
        tac__text tail;
        tac__text_init(&tail, w->allocator);
        put_summary(w, &tail);
        if (tail.failed)
            tac__mcap_fail_memory(w);
        else
            tac__mcap_queue_write(&w->queue, tail.chars, tail.length);
        tac__text_fini(&tail);
    }
    if (w->def.sync && !tac__mcap_failed(w))
        tac__mcap_queue_sync(&w->queue);
    // Some file systems tell of a full disk only now.
    if (close(w->queue.fd) != 0)
        tac__mcap_queue_fail(&w->queue, TAC_E_FILE, errno, NULL);
    w->queue.fd = -1;
    const tac_status status = tac__mcap_failed(w) ? tell(w, err) : TAC_OK;
    destroy(w);
    return status;
}
