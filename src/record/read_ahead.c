// read_ahead.c - see read_ahead.h. Slots wait in a list in the order in which they were wanted; one
// thread serves them.
#include "record/read_ahead.h"
#include "base/floats.h"

#include <pthread.h>

struct tac__read_ahead {
    const tac_allocator *allocator;
    tac__mcap_reader *reader;
    tac__unpacker unpacker; // the thread's
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wanted, done;
    tac__read_ahead_slot *first, *last;
    bool stop;
};

static tac__read_ahead_slot *next_slot(tac__read_ahead *a)
{
    pthread_mutex_lock(&a->lock);
    while (!a->first && !a->stop)
        pthread_cond_wait(&a->wanted, &a->lock);
    tac__read_ahead_slot *slot = a->stop ? NULL : a->first;
    if (slot) {
        a->first = slot->next;
        a->last = a->first ? a->last : NULL;
    }
    pthread_mutex_unlock(&a->lock);
    return slot;
}

static void *serve(void *context)
{
    TAC__FLOATS;
    tac__read_ahead *a = context;
    for (tac__read_ahead_slot *slot; (slot = next_slot(a));) {
        slot->status =
            tac__mcap_load_with(a->reader, &a->unpacker, slot->index, &slot->chunk, &slot->err);
        pthread_mutex_lock(&a->lock);
        slot->done = true;
        pthread_cond_broadcast(&a->done);
        pthread_mutex_unlock(&a->lock);
    }
    return NULL;
}

tac_status tac__read_ahead_create(tac__mcap_reader *reader, const tac_allocator *allocator,
                                  tac__read_ahead **read_ahead)
{
    *read_ahead = NULL;
    tac__read_ahead *a = allocator->resize(allocator->context, NULL, 0, sizeof *a);
    if (!a)
        return TAC_E_MEMORY;
    *a = (tac__read_ahead){.allocator = allocator, .reader = reader};
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->wanted, NULL);
    pthread_cond_init(&a->done, NULL);
    if (pthread_create(&a->thread, NULL, serve, a) == 0)
        *read_ahead = a;
    else
        allocator->resize(allocator->context, a, sizeof *a, 0);
    return TAC_OK;
}

void tac__read_ahead_destroy(tac__read_ahead *a)
{
    if (!a)
        return;
    pthread_mutex_lock(&a->lock);
    a->stop = true;
    pthread_cond_signal(&a->wanted);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    tac__unpacker_fini(&a->unpacker);
    pthread_cond_destroy(&a->wanted);
    pthread_cond_destroy(&a->done);
    pthread_mutex_destroy(&a->lock);
    a->allocator->resize(a->allocator->context, a, sizeof *a, 0);
}

tac_status tac__read_ahead_want(tac__read_ahead *a, tac__read_ahead_slot *slot, size_t index,
                                tac_error *err)
{
    TAC_TRY(tac__mcap_reserve(a->reader, index, &slot->chunk, err));
    slot->index = index;
    slot->done = false;
    slot->wanted = true;
    slot->next = NULL;
    pthread_mutex_lock(&a->lock);
    if (a->last)
        a->last->next = slot;
    else
        a->first = slot;
    a->last = slot;
    pthread_cond_signal(&a->wanted);
    pthread_mutex_unlock(&a->lock);
    return TAC_OK;
}

tac_status tac__read_ahead_wait(tac__read_ahead *a, tac__read_ahead_slot *slot, tac_error *err)
{
    pthread_mutex_lock(&a->lock);
    while (!slot->done)
        pthread_cond_wait(&a->done, &a->lock);
    pthread_mutex_unlock(&a->lock);
    slot->wanted = false;
    if (slot->status != TAC_OK && err)
        *err = slot->err;
    return slot->status;
}
