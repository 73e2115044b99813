// arena.c - arenas and the default allocator.
#define _DEFAULT_SOURCE // madvise, MAP_ANONYMOUS
#include "base/arena.h"
#include "base/print.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *default_resize(void *context, void *old, size_t old_size, size_t size)
{
    (void)context;
    (void)old_size;
    if (size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, size);
}

const tac_allocator *tac_allocator_default(void)
{
    static const tac_allocator allocator = {default_resize, NULL};
    return &allocator;
}

// --- large blocks -------------------------------------------------------------------------------

// The data of many vehicles take more pages of 4 kB than the processor's TLB has entries: where
// they come from the default allocator, large blocks are pages of 2 MB, if the system has them. And
// they go back to the system when they are freed; malloc would keep them in its heap, which were 60
// MB of 540 with 10,000 vehicles.
enum { HUGE_PAGE = 2 << 20 };

static bool has_pages(const tac_allocator *allocator, size_t size)
{
    return allocator == tac_allocator_default() && size >= HUGE_PAGE;
}

static size_t whole_pages(size_t size)
{
    return (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
}

// Take one page more than needed, and give back what lies before the first and behind the last.
static void *map_pages(size_t size)
{
    size = whole_pages(size);
    char *all =
        mmap(NULL, size + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    const size_t before = (HUGE_PAGE - (uintptr_t)all % HUGE_PAGE) % HUGE_PAGE;
    if (before)
        (void)munmap(all, before);
    (void)munmap(all + before + size, HUGE_PAGE - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(all + before, size, MADV_HUGEPAGE);
#endif
    return all + before;
}

static void *alloc_block(const tac_allocator *allocator, size_t size)
{
    return has_pages(allocator, size) ? map_pages(size)
                                      : allocator->resize(allocator->context, NULL, 0, size);
}

static void free_block(const tac_allocator *allocator, void *block, size_t size)
{
    if (has_pages(allocator, size))
        (void)munmap(block, whole_pages(size));
    else
        allocator->resize(allocator->context, block, size, 0);
}

// --- arenas -------------------------------------------------------------------------------------

// An allocation of several cache lines begins on a cache line.
enum { ALIGNMENT = 16, LINE = 64, LARGE = 4 * LINE };
enum { FIRST_BLOCK = 1 << 10, LAST_SMALL = 128 << 10 }; // then a huge page each
enum { ALONE = 256 << 10 };                             // from here on: a block of its own

struct tac__arena_block {
    tac__arena_block *older;
    size_t size; // of the whole allocation
    bool alone;  // one thing is in it
};

void tac__arena_init(tac__arena *arena, const tac_allocator *allocator)
{
    *arena = (tac__arena){.allocator = allocator ? allocator : tac_allocator_default()};
}

void tac__arena_fini(tac__arena *arena)
{
    while (arena->blocks) {
        tac__arena_block *block = arena->blocks;
        arena->blocks = block->older;
        free_block(arena->allocator, block, block->size);
    }
    arena->used = arena->capacity = 0;
}

void tac__arena_clear(tac__arena *arena)
{
    tac__arena_block *newest = arena->blocks;
    if (!newest)
        return;
    tac__arena older = {.allocator = arena->allocator, .blocks = newest->older};
    tac__arena_fini(&older);
    newest->older = NULL;
    newest->alone = false;
    arena->used = sizeof *newest;
    arena->capacity = newest->size;
}

static size_t align_up(size_t n, size_t alignment)
{
    return (n + alignment - 1) & ~(alignment - 1);
}

static tac__arena_block *make_block(const tac__arena *arena, size_t capacity)
{
    tac__arena_block *block = alloc_block(arena->allocator, capacity);
    if (block)
        *block = (tac__arena_block){NULL, capacity, false};
    return block;
}

// Where memory begins that has a block of its own.
static char *start_of(tac__arena_block *block)
{
    const uintptr_t at = (uintptr_t)(block + 1);
    return (char *)block + sizeof *block + (align_up(at, LINE) - at);
}

// What is large has a block of its own, behind the newest one, which goes on to be filled.
static void *alloc_alone(tac__arena *arena, size_t size)
{
    tac__arena_block *block = make_block(arena, sizeof *block + LINE + size);
    if (!block)
        return NULL;
    block->alone = true;
    if (arena->blocks) {
        block->older = arena->blocks->older;
        arena->blocks->older = block;
    } else {
        arena->blocks = block;
        arena->used = arena->capacity = block->size;
    }
    return memset(start_of(block), 0, size);
}

void *tac__arena_alloc(tac__arena *arena, size_t size)
{
    // Alignment is of addresses, not offsets: the allocator promises no more than malloc does.
    if (size > SIZE_MAX / 4)
        return NULL;
    if (size >= ALONE)
        return alloc_alone(arena, size);
    if (size == 0)
        size = 1;
    const size_t alignment = size >= LARGE ? LINE : ALIGNMENT;
    uintptr_t at = (uintptr_t)arena->blocks + arena->used;
    size_t start = arena->blocks ? arena->used + (align_up(at, alignment) - at) : SIZE_MAX / 2;
    if (start + size > arena->capacity) {
        size_t capacity = arena->capacity ? arena->capacity * 2 : FIRST_BLOCK;
        if (capacity > LAST_SMALL)
            capacity = HUGE_PAGE;
        const size_t needed = sizeof(tac__arena_block) + alignment + size;
        if (capacity < needed)
            capacity = needed;
        tac__arena_block *block = make_block(arena, capacity);
        if (!block)
            return NULL;
        block->older = arena->blocks;
        arena->blocks = block;
        arena->capacity = capacity;
        at = (uintptr_t)block + sizeof *block;
        start = sizeof *block + (align_up(at, alignment) - at);
    }
    arena->used = start + size;
    return memset((char *)arena->blocks + start, 0, size);
}

void tac__arena_release(tac__arena *arena, const void *memory)
{
    for (tac__arena_block **at = &arena->blocks; *at; at = &(*at)->older) {
        tac__arena_block *block = *at;
        if (!block->alone || start_of(block) != memory)
            continue;
        if (at == &arena->blocks)
            arena->used = arena->capacity = block->older ? block->older->size : 0; // it is full
        *at = block->older;
        free_block(arena->allocator, block, block->size);
        return;
    }
}

void *tac__arena_array(tac__arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 4 / size)
        return NULL;
    return tac__arena_alloc(arena, count * size);
}

char *tac__arena_text(tac__arena *arena, const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = tac__arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *tac__arena_format(tac__arena *arena, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = tac__vprint(NULL, 0, format, args);
    va_end(args);
    char *text = n < 0 ? NULL : tac__arena_alloc(arena, (size_t)n + 1);
    if (text)
        tac__vprint(text, (size_t)n + 1, format, again);
    va_end(again);
    return text;
}

bool tac__arena_grow(tac__arena *arena, void *array, size_t count, void *capacity, size_t size)
{
    // Pointers to different types are read and written as bytes.
    TAC__CAPACITY(void) room;
    void *old;
    memcpy(&room, capacity, sizeof room);
    memcpy(&old, array, sizeof old);
    const bool owned = room.of == old;
    const size_t had = owned && room.count > count ? room.count : count;
    // Large arrays grow by a quarter: what they do not need is memory that nothing else gets.
    const bool large = had * size >= ALONE;
    room.count = large ? had + had / 4 : had ? had * 2 : 8;
    room.of = tac__arena_array(arena, room.count, size);
    if (!room.of)
        return false;
    if (count)
        memcpy(room.of, old, count * size);
    memcpy(array, &room.of, sizeof room.of);
    memcpy(capacity, &room, sizeof room);
    if (large && owned)
        tac__arena_release(arena, old);
    return true;
}
