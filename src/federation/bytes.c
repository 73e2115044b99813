// bytes.c - a queue of bytes in one piece of memory. Bytes that were taken leave a gap in front;
// when there is no room behind the last byte, the rest moves to the front before memory grows.
#include "federation/bytes.h"

#include <string.h>

enum { LEAST = 4096 };

void tac__bytes_init(tac__bytes *b, const tac_allocator *allocator)
{
    *b = (tac__bytes){.allocator = allocator ? allocator : tac_allocator_default()};
}

void tac__bytes_fini(tac__bytes *b)
{
    if (b->data)
        b->allocator->resize(b->allocator->context, b->data, b->capacity, 0);
    *b = (tac__bytes){.allocator = b->allocator};
}

static bool make_room(tac__bytes *b, size_t size)
{
    const size_t count = tac__bytes_count(b);
    if (b->failed || size > SIZE_MAX / 4 - count)
        return false;
    // Moving is worth it only where the gap is at least as long as what moves: then each byte moves
    // once on average.
    if (b->first >= count && b->capacity - count >= size) {
        if (count)
            memcpy(b->data, b->data + b->first, count);
        b->first = 0;
        b->end = count;
        return true;
    }
    size_t capacity = b->capacity ? b->capacity : LEAST;
    while (capacity < b->end + size)
        capacity *= 2;
    uint8_t *data = b->allocator->resize(b->allocator->context, b->data, b->capacity, capacity);
    if (!data)
        return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

uint8_t *tac__bytes_add(tac__bytes *b, size_t size)
{
    if (b->capacity - b->end < size && !make_room(b, size)) {
        b->failed = true;
        return NULL;
    }
    uint8_t *at = b->data + b->end;
    b->end += size;
    return at;
}

void tac__bytes_copy(tac__bytes *b, const void *from, size_t size)
{
    uint8_t *at = size ? tac__bytes_add(b, size) : NULL;
    if (at)
        memcpy(at, from, size);
}

void tac__bytes_take(tac__bytes *b, size_t size)
{
    b->first += size;
    if (b->first == b->end)
        b->first = b->end = 0;
}

void tac__bytes_drop(tac__bytes *b, size_t size)
{
    b->end -= size;
}
