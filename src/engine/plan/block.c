// block.c - the manifest and memory of a run.
#include "engine/plan/block.h"
#include "base/hash.h"

#include <stdint.h>

tac_status tac__block_reserve(tac__block *block, tac__arena *arena, const char *name, size_t count,
                              size_t size, tac__part_check *check, const void *subject,
                              size_t *offset)
{
    if (!name || (size && count > SIZE_MAX / 4 / size) ||
        !TAC__ARENA_GROW(arena, block->parts, block->count, block->capacity))
        return TAC_E_MEMORY;
    const size_t bytes = (count * size + 7) / 8 * 8;
    block->parts[block->count++] = (tac__part){name, block->size, bytes, check, subject};
    *offset = block->size;
    block->size += bytes;
    return TAC_OK;
}

void tac__block_seal(tac__block *block)
{
    block->run_count = block->count;
    block->run_size = block->size;
}

tac_status tac__block_allocate(tac__block *block, tac__arena *arena)
{
    block->bytes = tac__arena_alloc(arena, block->size);
    return block->bytes ? TAC_OK : TAC_E_MEMORY;
}

uint64_t tac__block_manifest_hash(const tac__block *block)
{
    tac__hash h = TAC__HASH_SEED;
    for (size_t i = 0; i < block->run_count; i++) {
        h = tac__hash_text(h, block->parts[i].name);
        h = tac__hash_word(h, block->parts[i].size);
    }
    return tac__hash_end(h);
}
