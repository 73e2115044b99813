// write.c - the filling half of the writer: open chunks, one a channel, and what is handed
// over.
//
// Memory of chunks goes round: from the filler to the queue and back. A channel's chunk grows with
// its messages up to chunk_size, so that many slow channels cost little.
#include "base/error.h"
#include "base/file.h"
#include "record/mcap/append.h"
#include "record/mcap/crc32.h"
#include "record/mcap/queue.h"
#include "record/mcap/summary.h"

#include <errno.h>
#include <unistd.h>

typedef tac__mcap_job job;
typedef tac__mcap_place place;
typedef tac__mcap_slot slot;

enum { FIRST_CAPACITY = 8192, CHUNK_MIN = 256, PATH_SHOWN = 512 };

typedef struct attachment {
    struct attachment *next;
    tac__mcap_attachment_info info;
} attachment;

typedef struct metadata {
    struct metadata *next;
    const char *name;
    uint64_t offset, length;
} metadata;

struct tac__mcap_writer {
    tac__mcap_queue queue;
    const tac_allocator *allocator;
    tac__mcap_writer_def def;
    char *path;
    bool running;

    slot **channels;
    slot none; // has no room, and no chunk
    size_t channel_count, channel_capacity;
    uint16_t schema_count;
    job *free;        // chunks to be filled again
    uint64_t settled; // jobs up to the last tac__mcap_settle

    tac__arena arena; // what the summary tells of, in order of hand-over
    tac__mcap_summary summary;
    place *chunks, **last_chunk;
    attachment *attachments, **last_attachment;
    metadata *metadata, **last_metadata;
};

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

// --- memory --------------------------------------------------------------------------------------

static void *resize(tac__mcap_writer *w, void *old, size_t old_size, size_t size)
{
    return w->allocator->resize(w->allocator->context, old, old_size, size);
}

static void release(tac__mcap_writer *w, void *bytes, size_t size)
{
    if (bytes)
        resize(w, bytes, size, 0);
}

static void free_job(tac__mcap_writer *w, job *j)
{
    if (!j)
        return;
    release(w, j->bytes, j->capacity);
    release(w, j->out, j->out_capacity);
    release(w, j->notes, j->notes_capacity);
    release(w, j, sizeof *j);
}

static job *make_job(tac__mcap_writer *w, size_t capacity)
{
    job *j = resize(w, NULL, 0, sizeof *j);
    if (!j)
        return NULL;
    *j = (job){.capacity = capacity};
    j->bytes = resize(w, NULL, 0, capacity);
    if (!j->bytes) {
        release(w, j, sizeof *j);
        return NULL;
    }
    return j;
}

// Chunks that came back are filled again; records and chunks of unusual size are freed.
static void take_back(tac__mcap_writer *w)
{
    for (job *j = tac__mcap_take_back(&w->queue), *next; j; j = next) {
        next = j->next;
        if (!j->chunk || j->capacity > w->def.chunk_size) {
            free_job(w, j);
            continue;
        }
        j->next = w->free;
        w->free = j;
    }
}

// Memory for a chunk of a channel: as much as its last one came to have, so that it hardly grows.
static job *take_chunk(tac__mcap_writer *w, const slot *c)
{
    const size_t most = w->def.chunk_size;
    size_t wanted = c->usual < FIRST_CAPACITY ? FIRST_CAPACITY : c->usual;
    wanted = wanted < most ? wanted : most;
    take_back(w);
    job **at = &w->free, **best = NULL; // the best has notes where the channel has some, else none
    for (; *at && !(best && (*best)->notes_capacity == c->usual_notes); at = &(*at)->next) {
        if ((*at)->capacity >= wanted && (!best || (*at)->notes_capacity == c->usual_notes))
            best = at;
    }
    at = best ? best : at;
    job *j = *at;
    if (j)
        *at = j->next;
    else
        j = make_job(w, wanted);
    if (j)
        j->size = j->notes_size = 0;
    return j;
}

static void fail(tac__mcap_writer *w, tac_status status, const char *what)
{
    tac__mcap_queue_fail(&w->queue, status, 0, what);
}

static void fail_memory(tac__mcap_writer *w)
{
    fail(w, TAC_E_MEMORY, NULL);
}

// --- messages ------------------------------------------------------------------------------------

// Hand the open chunk over, if there is anything in it.
static bool close_chunk(tac__mcap_writer *w, slot *c)
{
    job *j = c->open;
    if (!j || c->at == j->bytes)
        return true;
    j->size = (size_t)(c->at - j->bytes);
    c->usual = j->capacity;
    place *p = tac__arena_alloc(&w->arena, sizeof *p);
    if (p && j->size > w->def.chunk_size) {
        j->out_capacity = tac__mcap_packed_bound(w->def.compression, j->size);
        j->out = resize(w, NULL, 0, j->out_capacity);
    }
    if (!p || (j->size > w->def.chunk_size && !j->out)) {
        j->out_capacity = 0;
        fail_memory(w);
        return false;
    }
    p->channel = c->id;
    j->complete = c->complete;
    j->complete_context = c->complete_context;
    *w->last_chunk = p;
    w->last_chunk = &p->next;
    j->chunk = p;
    c->open = NULL;
    c->at = c->end = NULL;
    tac__mcap_hand_over(&w->queue, j);
    return true;
}

// Make room for a record: in the open chunk while it may grow, else in a new one.
static bool make_room(tac__mcap_writer *w, slot *c, size_t size)
{
    if (size > MCAP_PIECE_MAX - MCAP_MESSAGE_HEAD) {
        fail(w, TAC_E_LIMIT, "a message is larger than 1 GiB");
        return false;
    }
    const size_t record = MCAP_MESSAGE_HEAD + size, most = w->def.chunk_size;
    if (c->open && (size_t)(c->at - c->open->bytes) + record > most && !close_chunk(w, c))
        return false;
    if (!c->open) {
        c->open = take_chunk(w, c);
        c->at = c->open ? c->open->bytes : NULL;
    }
    job *j = c->open;
    if (!j) {
        fail_memory(w);
        return false;
    }
    const size_t used = (size_t)(c->at - j->bytes), needed = used + record;
    if (j->capacity < needed) {
        size_t capacity = j->capacity * 2 < most ? j->capacity * 2 : most;
        capacity = capacity < needed ? needed : capacity;
        unsigned char *bytes = resize(w, j->bytes, j->capacity, capacity);
        if (!bytes) {
            fail_memory(w);
            return false;
        }
        j->bytes = bytes;
        j->capacity = capacity;
    }
    c->at = j->bytes + used;
    c->end = j->bytes + (j->capacity < most ? j->capacity : needed > most ? needed : most);
    return true;
}

void *tac__mcap_append_anew(slot *c, uint64_t time_ns, size_t size)
{
    tac__mcap_writer *w = c->writer;
    const bool room = c != &w->none && !tac__mcap_failed(w) && make_room(w, c, size);
    return room ? tac__mcap_append(c, time_ns, size) : NULL;
}

tac__mcap_slot *tac__mcap_slot_of(tac__mcap_writer *w, uint16_t id)
{
    return id < w->channel_count ? w->channels[id] : &w->none;
}

void tac__mcap_completed_by(slot *c, tac__mcap_complete_fn *complete, void *context)
{
    c->complete = complete;
    c->complete_context = context;
}

void *tac__mcap_note(slot *c, const void *message, size_t size, uint64_t *at)
{
    job *j = c->open;
    const size_t needed = j->notes_size + size;
    if (needed > j->notes_capacity) {
        const size_t doubled = 2 * j->notes_capacity;
        size_t capacity = needed > doubled ? needed : doubled;
        capacity = capacity > c->usual_notes ? capacity : c->usual_notes;
        unsigned char *notes = resize(c->writer, j->notes, j->notes_capacity, capacity);
        if (!notes) {
            fail_memory(c->writer);
            return NULL;
        }
        j->notes = notes;
        j->notes_capacity = c->usual_notes = capacity;
    }
    *at = (uint64_t)((const unsigned char *)message - j->bytes);
    unsigned char *note = j->notes + j->notes_size;
    j->notes_size = needed;
    return note;
}

void *tac__mcap_message(tac__mcap_writer *w, uint16_t id, uint64_t time_ns, size_t size)
{
    return tac__mcap_failed(w) ? NULL : tac__mcap_append(tac__mcap_slot_of(w, id), time_ns, size);
}

void tac__mcap_flush(tac__mcap_writer *w)
{
    for (size_t i = 0; i < w->channel_count && !tac__mcap_failed(w); i++)
        close_chunk(w, w->channels[i]);
}

// Behind all that was handed over so far; it writes nothing itself.
static void hand_sync(tac__mcap_writer *w)
{
    take_back(w);
    job *j = make_job(w, 1);
    if (!j) {
        fail_memory(w);
        return;
    }
    j->size = 0;
    j->sync = true;
    tac__mcap_hand_over(&w->queue, j);
}

void tac__mcap_settle(tac__mcap_writer *w)
{
    tac__mcap_flush(w);
    if (w->def.sync && !tac__mcap_failed(w))
        hand_sync(w);
    tac__mcap_queue_wait(&w->queue, w->settled);
    w->settled = w->queue.handed;
}

bool tac__mcap_failed(const tac__mcap_writer *w)
{
    return atomic_load_explicit(&w->queue.failed, memory_order_relaxed);
}

// --- other records -------------------------------------------------------------------------------

// Hand a record over, in up to three parts.
static bool hand_record(tac__mcap_writer *w, const tac__text *head, const void *bytes, size_t size,
                        const void *tail, size_t tail_size, uint64_t *record_at)
{
    take_back(w);
    job *j = head->failed ? NULL : make_job(w, head->length + size + tail_size);
    if (!j) {
        fail_memory(w);
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
        fail(w, TAC_E_LIMIT, "more than 65535 schemas");
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
        slot **grown =
            resize(w, w->channels, w->channel_capacity * sizeof *grown, capacity * sizeof *grown);
        if (!grown)
            return false;
        w->channels = grown;
        w->channel_capacity = capacity;
    }
    slot *c = tac__arena_alloc(&w->arena, sizeof *c);
    if (!c)
        return false;
    *c = (slot){.id = (uint16_t)w->channel_count, .writer = w};
    w->channels[w->channel_count++] = c;
    return true;
}

uint16_t tac__mcap_channel(tac__mcap_writer *w, uint16_t schema, const char *topic,
                           const char *encoding, const tac__mcap_pair *pairs, size_t count)
{
    if (tac__mcap_failed(w))
        return UINT16_MAX;
    if (w->channel_count == UINT16_MAX) {
        fail(w, TAC_E_LIMIT, "more than 65535 channels");
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
        fail_memory(w);
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
        fail(w, TAC_E_LIMIT, "an attachment is larger than 512 MiB");
        return;
    }
    attachment *a = tac__arena_alloc(&w->arena, sizeof *a);
    const char *own_name = tac__arena_text(&w->arena, name);
    const char *own_type = tac__arena_text(&w->arena, media_type);
    if (!a || !own_name || !own_type) {
        fail_memory(w);
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
        fail_memory(w);
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
        fail_memory(w);
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
        worker->outs[i].bytes = resize(w, NULL, 0, w->queue.out_capacity);
        if (!worker->outs[i].bytes)
            return false;
    }
    return true;
}

static void free_outs(tac__mcap_writer *w, tac__mcap_worker *worker)
{
    for (int i = 0; i < TAC__MCAP_OUTS; i++)
        release(w, worker->outs[i].bytes, w->queue.out_capacity);
}

static void destroy(tac__mcap_writer *w)
{
    if (w->running)
        tac__mcap_queue_stop(&w->queue);
    if (w->queue.fd >= 0)
        close(w->queue.fd);
    take_back(w);
    for (job *j = w->free, *next; j; j = next) {
        next = j->next;
        free_job(w, j);
    }
    for (size_t i = 0; i < w->channel_count; i++)
        free_job(w, w->channels[i]->open);
    release(w, w->channels, w->channel_capacity * sizeof *w->channels);
    for (int i = 0; i < TAC__MCAP_WORKERS; i++)
        free_outs(w, &w->queue.workers[i]);
    free_outs(w, &w->queue.own);
    tac__mcap_queue_fini(&w->queue);
    tac__mcap_summary_fini(&w->summary);
    tac__arena_fini(&w->arena);
    release(w, w, sizeof *w);
}

static tac_status start(tac__mcap_writer *w, tac_error *err)
{
    tac__mcap_queue *q = &w->queue;
    q->compression = w->def.compression;
    q->memory = w->def.memory;
    q->out_capacity = tac__mcap_packed_bound(w->def.compression, w->def.chunk_size);
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
            fail_memory(w);
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
