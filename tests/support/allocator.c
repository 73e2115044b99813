// allocator.c - each block carries a header with its size and a guard word behind its end.
#include "support/allocator.h"
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

// Blocks begin on a cache line: how much an arena leaves free for alignment is then the same for
// every run of a test.
enum { HEADER = 64, LINE = 64 };
#define ALIVE UINT64_C(0xa11fe0000000a11f)
#define FREED UINT64_C(0xdeadf4eedeadf4ee)
#define GUARD UINT64_C(0x6a4d6a4d6a4d6a4d)

typedef struct header {
    uint64_t mark, size;
} header;

_Static_assert(sizeof(header) <= HEADER, "the header fits in front of a block");

static header *header_of(void *block)
{
    return (header *)(void *)((char *)block - HEADER);
}

static void check_block(void *block, size_t old_size)
{
    const header *h = header_of(block);
    if (h->mark == FREED)
        fail_msg("a block was used after it was freed");
    if (h->mark != ALIVE)
        fail_msg("a block does not come from this allocator");
    if (h->size != old_size)
        fail_msg("a block of %zu bytes was passed back with old_size %zu", (size_t)h->size,
                 old_size);
    uint64_t guard;
    memcpy(&guard, (char *)block + h->size, sizeof guard);
    if (guard != GUARD)
        fail_msg("something wrote past the end of a block of %zu bytes", (size_t)h->size);
}

static void *resize(void *context, void *old, size_t old_size, size_t size)
{
    test_allocator *counts = context;
    if (old)
        check_block(old, old_size);
    else if (old_size != 0)
        fail_msg("no old block, but old_size is %zu", old_size);
    if (size == 0) {
        if (old) {
            header *h = header_of(old);
            counts->frees++;
            counts->live_blocks--;
            counts->live_bytes -= old_size;
            memset(old, 0xdd, old_size);
            h->mark = FREED;
            free(h);
        }
        return NULL;
    }
    if (!old || size > old_size || counts->fail_shrinks) {
        counts->calls++;
        if (counts->fail_at != 0 && (counts->calls == counts->fail_at ||
                                     (counts->fail_after && counts->calls > counts->fail_at))) {
            counts->failed++;
            return NULL;
        }
    }
    // Always a new block, so that a caller who keeps the old pointer is found out.
    header *h = aligned_alloc(LINE, (HEADER + size + sizeof(uint64_t) + LINE - 1) / LINE * LINE);
    if (!h)
        fail_msg("the test itself is out of memory");
    *h = (header){ALIVE, size};
    char *block = (char *)h + HEADER;
    memset(block, 0xcd, size);
    const uint64_t guard = GUARD;
    memcpy(block + size, &guard, sizeof guard);
    counts->live_bytes += size;
    counts->live_blocks++;
    if (old) {
        memcpy(block, old, old_size < size ? old_size : size);
        memset(old, 0xdd, old_size);
        header_of(old)->mark = FREED;
        free(header_of(old));
        counts->live_blocks--;
        counts->live_bytes -= old_size;
    }
    if (counts->live_bytes > counts->peak_bytes)
        counts->peak_bytes = counts->live_bytes;
    return block;
}

test_allocator test_allocator_make(void)
{
    return (test_allocator){0};
}

tac_allocator test_allocator_hook(test_allocator *counts)
{
    return (tac_allocator){resize, counts};
}

void test_allocator_check_empty(const test_allocator *counts)
{
    if (counts->live_blocks != 0)
        fail_msg("%llu blocks with %zu bytes were not freed",
                 (unsigned long long)counts->live_blocks, counts->live_bytes);
}
