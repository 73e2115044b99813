// block.c - the manifest and memory of a run.
#include "engine/plan/block.h"
#include "base/hash.h"
#include "base/text.h"

#include <stdint.h>

const char *tac__part_name(const tac__part *part, char text[TAC__PART_NAME])
{
    tac__out out = tac__out_begin(text, TAC__PART_NAME);
    tac__out_add(&out, "%s %s%s%s", part->what, part->owner, part->port ? "." : "",
                 part->port ? part->port : "");
    return text;
}

tac_status tac__block_reserve(tac__block *block, tac__arena *arena, const tac__part *part,
                              size_t count, size_t size, size_t *offset)
{
    if ((size && count > SIZE_MAX / 4 / size) ||
        !TAC__ARENA_GROW(arena, block->parts, block->count, block->capacity))
        return TAC_E_MEMORY;
    const size_t bytes = (count * size + 7) / 8 * 8;
    tac__part *made = &block->parts[block->count++];
    *made = *part;
    made->offset = *offset = block->size;
    made->size = bytes;
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
        char name[TAC__PART_NAME];
        h = tac__hash_text(h, tac__part_name(&block->parts[i], name));
        h = tac__hash_word(h, block->parts[i].size);
    }
    return tac__hash_end(h);
}
