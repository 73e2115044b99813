// passage_log.c - events are held back in a heap until no earlier one can come.
#include "federation/passage_log.h"

#include "record/lcm_log.h"

#include <stdlib.h>
#include <string.h>

typedef struct event {
    tac_time t_us;
    uint64_t added; // in this order; what is told of one recipient comes in order
    tac_passage passage;
    uint8_t bytes[];
} event;

struct tac__passage_log {
    tac__lcm_file file;
    event **heap;
    size_t count, capacity;
    uint64_t added, written;
    tac__envelope_bytes envelope;
    bool failed; // no memory
};

tac_status tac__passage_log_open(const char *path, bool replace, tac__passage_log **log,
                                 tac_error *err)
{
    tac__passage_log *l = calloc(1, sizeof *l);
    *log = NULL;
    if (!l)
        return tac__fail_memory(err);
    const tac_status status = tac__lcm_file_open(&l->file, path, replace, err);
    if (status != TAC_OK) {
        free(l);
        return status;
    }
    *log = l;
    return TAC_OK;
}

static bool before(const event *a, const event *b)
{
    const tac_passage *p = &a->passage, *q = &b->passage;
    if (a->t_us != b->t_us)
        return a->t_us < b->t_us;
    if (p->delivered != q->delivered)
        return q->delivered;
    if (p->sender_number != q->sender_number)
        return p->sender_number < q->sender_number;
    if (p->order != q->order)
        return p->order < q->order;
    if (p->recipient_number != q->recipient_number)
        return p->recipient_number < q->recipient_number;
    return a->added < b->added;
}

static bool push(tac__passage_log *l, event *e)
{
    if (l->count == l->capacity) {
        const size_t capacity = l->capacity ? 2 * l->capacity : 256;
        event **heap = realloc(l->heap, capacity * sizeof *heap);
        if (!heap)
            return false;
        l->heap = heap;
        l->capacity = capacity;
    }
    size_t i = l->count++;
    for (; i && before(e, l->heap[(i - 1) / 2]); i = (i - 1) / 2)
        l->heap[i] = l->heap[(i - 1) / 2];
    l->heap[i] = e;
    return true;
}

static event *pop(tac__passage_log *l)
{
    event *first = l->heap[0], *last = l->heap[--l->count];
    size_t i = 0;
    for (size_t child; (child = 2 * i + 1) < l->count; i = child) {
        if (child + 1 < l->count && before(l->heap[child + 1], l->heap[child]))
            child++;
        if (!before(l->heap[child], last))
            break;
        l->heap[i] = l->heap[child];
    }
    l->heap[i] = last;
    return first;
}

void tac__passage_log_add(tac__passage_log *l, const tac_passage *p)
{
    event *e = l->failed ? NULL : malloc(sizeof *e + p->length);
    if (e) {
        e->t_us = p->delivered ? p->delivered_us : p->sent_us;
        e->added = l->added++;
        e->passage = *p;
        e->passage.bytes = e->bytes;
        if (p->length)
            memcpy(e->bytes, p->bytes, p->length);
    }
    if (!e || !push(l, e)) {
        free(e);
        l->failed = true;
    }
}

static void write_event(tac__passage_log *l, const event *e)
{
    char channel[TAC__PASSAGE_NAME];
    tac__passage_channel(&e->passage, channel);
    if (l->failed ||
        tac__passage_envelope(&e->passage, channel, l->written++, &l->envelope, NULL) != TAC_OK) {
        l->failed = true;
        return;
    }
    // A failure is kept by the log and told when it is closed.
    (void)(tac__lcm_log_event(&l->file.log, e->t_us, TAC__LCM_ENVELOPE_CHANNEL, l->envelope.bytes,
                              l->envelope.size) &&
           tac__lcm_log_event(&l->file.log, e->t_us, channel, e->bytes, e->passage.length));
}

void tac__passage_log_settle(tac__passage_log *l, tac_time t_us)
{
    while (l->count && l->heap[0]->t_us < t_us) {
        event *e = pop(l);
        write_event(l, e);
        free(e);
    }
}

tac_status tac__passage_log_close(tac__passage_log *l, tac_error *err)
{
    if (!l)
        return TAC_OK;
    tac__passage_log_settle(l, TAC_TIME_NEVER);
    tac_status status = tac__lcm_file_close(&l->file, err);
    if (status == TAC_OK && l->failed)
        status = tac__fail_memory(err);
    tac__envelope_bytes_fini(&l->envelope);
    free(l->heap);
    free(l);
    return status;
}
