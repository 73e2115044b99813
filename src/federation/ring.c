// ring.c - see ring.h.
#include "federation/ring.h"

#include <string.h>

size_t tac__ring_filled(tac__ring_end *r)
{
    const uint64_t put = atomic_load_explicit(&r->ring->put, memory_order_acquire);
    if (put - r->own > r->size)
        return SIZE_MAX;
    r->other = put;
    return (size_t)(put - r->own);
}

size_t tac__ring_free(tac__ring_end *w)
{
    const uint64_t taken = atomic_load_explicit(&w->ring->taken, memory_order_acquire);
    if (w->own - taken > w->size)
        return SIZE_MAX;
    w->other = taken;
    return (size_t)(w->size - (w->own - taken));
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t tac__ring_read(tac__ring_end *r, void *bytes, size_t size)
{
    size_t n = (size_t)(r->other - r->own);
    if (n < size && (n = tac__ring_filled(r)) == SIZE_MAX)
        return SIZE_MAX;
    n = smaller(n, size);
    if (n == 0)
        return 0;
    const size_t at = (size_t)(r->own & (r->size - 1)), first = smaller(n, (size_t)r->size - at);
    memcpy(bytes, r->bytes + at, first);
    memcpy((unsigned char *)bytes + first, r->bytes, n - first);
    r->own += n;
    atomic_store_explicit(&r->ring->taken, r->own, memory_order_release);
    return n;
}

size_t tac__ring_write(tac__ring_end *w, const void *bytes, size_t size)
{
    // The reader's counter is in the reader's cache: it is asked for only when needed.
    size_t n = (size_t)(w->size - (w->own - w->other));
    if (n < size && (n = tac__ring_free(w)) == SIZE_MAX)
        return SIZE_MAX;
    n = smaller(n, size);
    if (n == 0)
        return 0;
    const size_t at = (size_t)(w->own & (w->size - 1)), first = smaller(n, (size_t)w->size - at);
    memcpy(w->bytes + at, bytes, first);
    memcpy(w->bytes, (const unsigned char *)bytes + first, n - first);
    w->own += n;
    atomic_store_explicit(&w->ring->put, w->own, memory_order_release);
    return n;
}

void tac__ring_reader_sleeps(tac__ring_end *r, bool sleeps)
{
    atomic_store_explicit(&r->ring->reader_sleeps, sleeps, memory_order_relaxed);
    if (sleeps)
        atomic_thread_fence(memory_order_seq_cst);
}

void tac__ring_writer_sleeps(tac__ring_end *w, bool sleeps)
{
    atomic_store_explicit(&w->ring->writer_sleeps, sleeps, memory_order_relaxed);
    if (sleeps)
        atomic_thread_fence(memory_order_seq_cst);
}

static bool wakes(_Atomic uint32_t *sleeps)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(sleeps, memory_order_relaxed))
        return false;
    atomic_store_explicit(sleeps, 0, memory_order_relaxed);
    return true;
}

bool tac__ring_wakes_reader(tac__ring_end *w)
{
    return wakes(&w->ring->reader_sleeps);
}

bool tac__ring_wakes_writer(tac__ring_end *r)
{
    return wakes(&r->ring->writer_sleeps);
}
