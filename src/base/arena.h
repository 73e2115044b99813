// arena.h - memory that is freed all at once. What is set up together lives and dies together:
// a document, a plan. Nothing is freed one by one, so clean-up after a failure is one call.
#ifndef TAC_BASE_ARENA_H
#define TAC_BASE_ARENA_H

#include "base/error.h"
#include <tactus/memory.h>

#include <stdbool.h>

typedef struct tac__arena_block tac__arena_block;

typedef struct tac__arena {
    const tac_allocator *allocator;
    tac__arena_block *blocks; // newest first
    size_t used, capacity;    // of the newest block
} tac__arena;

void tac__arena_init(tac__arena *arena, const tac_allocator *allocator);
void tac__arena_fini(tac__arena *arena);

// Begin anew: what was allocated is gone, the newest block stays for what comes.
void tac__arena_clear(tac__arena *arena);

// Zeroed memory, aligned for any type (16 bytes), from 256 bytes on to a cache line (64). NULL when
// there is none.
void *tac__arena_alloc(tac__arena *arena, size_t size);
void *tac__arena_array(tac__arena *arena, size_t count, size_t size);
char *tac__arena_text(tac__arena *arena, const char *text);
TAC_PRINTF(2, 3) char *tac__arena_format(tac__arena *arena, const char *format, ...);

// Give memory back before the end, if it is so large that it has a block of its own (256 kB).
void tac__arena_release(tac__arena *arena, const void *memory);

// The capacity of one growable array of elements of type T, zero at first. It has the type of the
// array and remembers which array it measures: for any other array it is 0. So an array with a
// capacity that is not its own is copied before it grows, and nothing is written past its end.
#define TAC__CAPACITY(T)                                                                           \
    struct {                                                                                       \
        T *of;                                                                                     \
        size_t count;                                                                              \
    }

// Grow an array that lives in an arena so that one more element fits: doubles its capacity, or adds
// a quarter to one of more than 256 kB. The old copy of a small one stays in the arena until the
// end, that of a large one is released: pointers into it are void. Returns false when there is no
// memory. An array and a capacity of different types do not compile.
#define TAC__ARENA_GROW(arena, array, elements, capacity)                                          \
    (((capacity).of == (array) && (elements) < (capacity).count) ||                                \
     tac__arena_grow((arena), &(array), (elements), &(capacity), sizeof *(array)))
// `array` is the address of a pointer, `capacity` of a TAC__CAPACITY.
bool tac__arena_grow(tac__arena *arena, void *array, size_t count, void *capacity, size_t size);

#endif
