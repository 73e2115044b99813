// block.c - the manifest and memory of a run.
#include "engine/plan/block.h"
#include "base/hash.h"

#include <stdint.h>
#include <string.h>

static char *append(char *at, const char *end, const char *text)
{
    const size_t length = strlen(text), room = (size_t)(end - at);
    const size_t taken = length < room ? length : room;
    memcpy(at, text, taken);
    return at + taken;
}

// Put together without a format: every state that is stored in a recording hashes all names. For
// bench/iris_mission.yaml that takes 35,000 instructions; with a format it took 215,000
// (callgrind).
const char *tac__part_name(const tac__part *part, char text[TAC__PART_NAME])
{
    const char *end = text + TAC__PART_NAME - 1, *port = part->kind->port;
    char *at = append(text, end, part->kind->what);
    at = append(at, end, " ");
    at = append(at, end, part->owner);
    if (port) {
        at = append(at, end, ".");
        at = append(at, end, port);
    }
    *at = '\0';
    return text;
}

tac_status tac__block_add(tac__block *block, tac__arena *arena, const char *owner,
                          const void *subject, const tac__part_kind *kinds, size_t count)
{
    if (!TAC__ARENA_GROW(arena, block->lists, block->count, block->capacity))
        return TAC_E_MEMORY;
    block->lists[block->count++] = (tac__part_list){owner, subject, kinds, count, block->size};
    for (size_t i = 0; i < count; i++) {
        if (kinds[i].size > SIZE_MAX / 4 - block->size)
            return TAC_E_MEMORY;
        block->size += kinds[i].size;
    }
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

bool tac__block_next(const tac__block *block, tac__part_walk *w)
{
    while (w->list < block->run_count && w->next == block->lists[w->list].count) {
        w->list++;
        w->next = 0;
    }
    if (w->list == block->run_count)
        return false;
    const tac__part_list *list = &block->lists[w->list];
    const tac__part_kind *kind = &list->kinds[w->next];
    w->part = (tac__part){.kind = kind,
                          .owner = list->owner,
                          .subject = kind->subject ? kind->subject : list->subject,
                          .offset = w->next ? w->part.offset + w->part.size : list->offset,
                          .size = kind->size};
    w->next++;
    return true;
}

uint64_t tac__block_manifest_hash(const tac__block *block)
{
    tac__hash h = TAC__HASH_SEED;
    for (tac__part_walk w = {0}; tac__block_next(block, &w);) {
        char name[TAC__PART_NAME];
        h = tac__hash_text(h, tac__part_name(&w.part, name));
        h = tac__hash_word(h, w.part.size);
    }
    return tac__hash_end(h);
}
