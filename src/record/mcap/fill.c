// fill.c - the filling half of the writer: open chunks, one a channel, and their memory.
//
// Memory of chunks goes round: from the filling thread to the queue and back. A channel's chunk
// grows with its messages up to chunk_size, so that many slow channels cost little.
#include "record/mcap/writer.h"

typedef tac__mcap_job job;
typedef tac__mcap_place place;
typedef tac__mcap_slot slot;

enum { FIRST_CAPACITY = 8192 };

// --- memory --------------------------------------------------------------------------------------

void *tac__mcap_resize(tac__mcap_writer *w, void *old, size_t old_size, size_t size)
{
    return w->allocator->resize(w->allocator->context, old, old_size, size);
}

void tac__mcap_release(tac__mcap_writer *w, void *bytes, size_t size)
{
    if (bytes)
        tac__mcap_resize(w, bytes, size, 0);
}

void tac__mcap_free_job(tac__mcap_writer *w, job *j)
{
    if (!j)
        return;
    tac__mcap_release(w, j->bytes, j->capacity);
    tac__mcap_release(w, j->out, j->out_capacity);
    tac__mcap_release(w, j, sizeof *j);
}

tac__mcap_job *tac__mcap_make_job(tac__mcap_writer *w, size_t capacity)
{
    job *j = tac__mcap_resize(w, NULL, 0, sizeof *j);
    if (!j)
        return NULL;
    *j = (job){.capacity = capacity};
    j->bytes = tac__mcap_resize(w, NULL, 0, capacity);
    if (!j->bytes) {
        tac__mcap_release(w, j, sizeof *j);
        return NULL;
    }
    return j;
}

// Chunks that came back are filled again; records and chunks of unusual size are freed.
void tac__mcap_reclaim(tac__mcap_writer *w)
{
    for (job *j = tac__mcap_take_back(&w->queue), *next; j; j = next) {
        next = j->next;
        if (!j->chunk || j->capacity > w->def.chunk_size) {
            tac__mcap_free_job(w, j);
            continue;
        }
        j->next = w->free;
        w->free = j;
    }
}

// Memory for a chunk of a channel: as much as its last one came to have, so that it hardly grows.
static job *take_chunk(tac__mcap_writer *w, const slot *c)
{
    size_t wanted = c->usual < FIRST_CAPACITY ? FIRST_CAPACITY : c->usual;
    wanted = wanted < c->most ? wanted : c->most;
    tac__mcap_reclaim(w);
    job **at = &w->free;
    while (*at && (*at)->capacity < wanted)
        at = &(*at)->next;
    job *j = *at;
    if (j)
        *at = j->next;
    else
        j = tac__mcap_make_job(w, wanted);
    return j;
}

void tac__mcap_fail(tac__mcap_writer *w, tac_status status, const char *what)
{
    tac__mcap_queue_fail(&w->queue, status, 0, what);
}

void tac__mcap_fail_memory(tac__mcap_writer *w)
{
    tac__mcap_fail(w, TAC_E_MEMORY, NULL);
}

// --- messages ------------------------------------------------------------------------------------

// Hand the open chunk over, if there is anything in it.
static bool close_chunk(tac__mcap_writer *w, slot *c)
{
    job *j = c->open;
    if (!j || c->at == j->bytes)
        return true;
    j->size = j->messages_size = (size_t)(c->at - j->bytes);
    j->samples = NULL;
    if (c->stride) {
        const size_t count = j->size / c->stride;
        j->samples = &c->samples;
        j->sequence = c->messages;
        j->messages_size = count * (MCAP_MESSAGE_HEAD + c->samples.message_size);
        c->messages += count;
    }
    c->usual = j->capacity;
    place *p = tac__arena_alloc(&w->arena, sizeof *p);
    const size_t bound = tac__mcap_out_bound(w->def.compression, j->messages_size);
    if (p && j->messages_size > w->def.chunk_size && j->out_capacity < bound) {
        tac__mcap_release(w, j->out, j->out_capacity); // of what was in the job before
        j->out = tac__mcap_resize(w, NULL, 0, bound);
        j->out_capacity = j->out ? bound : 0;
    }
    if (!p || (j->messages_size > w->def.chunk_size && !j->out)) {
        tac__mcap_fail_memory(w);
        return false;
    }
    p->channel = c->id;
    *w->last_chunk = p;
    w->last_chunk = &p->next;
    j->chunk = p;
    c->open = NULL;
    c->at = c->end = NULL;
    tac__mcap_hand_over(&w->queue, j);
    return true;
}

// Make room for a record of `record` bytes: in the open chunk while it may grow, else in a new one.
static bool make_room(tac__mcap_writer *w, slot *c, size_t record)
{
    const size_t most = c->most;
    if (c->open && (size_t)(c->at - c->open->bytes) + record > most && !close_chunk(w, c))
        return false;
    if (!c->open) {
        c->open = take_chunk(w, c);
        c->at = c->open ? c->open->bytes : NULL;
    }
    job *j = c->open;
    if (!j) {
        tac__mcap_fail_memory(w);
        return false;
    }
    const size_t used = (size_t)(c->at - j->bytes), needed = used + record;
    if (j->capacity < needed) {
        size_t capacity = j->capacity * 2 < most ? j->capacity * 2 : most;
        capacity = capacity < needed ? needed : capacity;
        unsigned char *bytes = tac__mcap_resize(w, j->bytes, j->capacity, capacity);
        if (!bytes) {
            tac__mcap_fail_memory(w);
            return false;
        }
        j->bytes = bytes;
        j->capacity = capacity;
    }
    const size_t room = j->capacity < most ? j->capacity : needed > most ? needed : most;
    c->at = j->bytes + used;
    c->end = j->bytes + (c->stride ? room - room % c->stride : room);
    return true;
}

static void too_large(tac__mcap_writer *w)
{
    tac__mcap_fail(w, TAC_E_LIMIT, "a message is larger than 1 GiB");
}

void *tac__mcap_append_anew(slot *c, uint64_t time_ns, size_t size)
{
    tac__mcap_writer *w = c->writer;
    if (c == &w->none || tac__mcap_failed(w))
        return NULL;
    if (size > MCAP_PIECE_MAX - MCAP_MESSAGE_HEAD) {
        too_large(w);
        return NULL;
    }
    return make_room(w, c, MCAP_MESSAGE_HEAD + size) ? tac__mcap_append(c, time_ns, size) : NULL;
}

void *tac__mcap_sample_anew(slot *c, uint64_t time_ns)
{
    tac__mcap_writer *w = c->writer;
    const bool room = c != &w->none && !tac__mcap_failed(w) && make_room(w, c, c->stride);
    return room ? tac__mcap_put_sample(c, time_ns) : NULL;
}

tac__mcap_slot *tac__mcap_slot_of(tac__mcap_writer *w, uint16_t id)
{
    return id < w->channel_count ? w->channels[id] : &w->none;
}

// A chunk is closed where it would be if it held the messages.
void tac__mcap_store_samples(slot *c, const tac__mcap_samples *samples)
{
    const size_t count = c->most / (MCAP_MESSAGE_HEAD + samples->message_size);
    if (samples->message_size > MCAP_PIECE_MAX - MCAP_MESSAGE_HEAD)
        too_large(c->writer);
    c->samples = *samples;
    c->stride = sizeof(uint64_t) + samples->size;
    c->most = (count ? count : 1) * c->stride;
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
    tac__mcap_reclaim(w);
    job *j = tac__mcap_make_job(w, 1);
    if (!j) {
        tac__mcap_fail_memory(w);
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
