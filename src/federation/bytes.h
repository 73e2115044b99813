// bytes.h - a queue of bytes that grows: bytes are added at its end and taken from its front.
// Failure to grow is sticky and checked once, by who hands the bytes on.
#ifndef TAC_FEDERATION_BYTES_H
#define TAC_FEDERATION_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <tactus/memory.h>

typedef struct tac__bytes {
    const tac_allocator *allocator;
    uint8_t *data; // [first, end) are in the queue
    size_t first, end, capacity;
    bool failed;
} tac__bytes;

void tac__bytes_init(tac__bytes *bytes, const tac_allocator *allocator);
void tac__bytes_fini(tac__bytes *bytes);

// Room for `size` bytes at the end, which are then in the queue. NULL: no memory. The pointer is
// valid until the next call.
uint8_t *tac__bytes_add(tac__bytes *bytes, size_t size);
void tac__bytes_copy(tac__bytes *bytes, const void *from, size_t size);
void tac__bytes_take(tac__bytes *bytes, size_t size); // from the front
void tac__bytes_drop(tac__bytes *bytes, size_t size); // from the end

static inline size_t tac__bytes_count(const tac__bytes *bytes)
{
    return bytes->end - bytes->first;
}

static inline const uint8_t *tac__bytes_front(const tac__bytes *bytes)
{
    return bytes->data ? bytes->data + bytes->first : NULL;
}

#endif
