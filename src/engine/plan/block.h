// block.h - every mutable byte of a run, in one block described by one manifest.
//
// Parts are reserved by name while the plan is made; then the block is allocated at once. Start,
// checkpoint, restore and comparison work on the block as a whole, so no part can be forgotten.
// Parts that are reserved after the block was sealed belong to observers: they are not part of the
// run, and not in a checkpoint.
#ifndef TAC_ENGINE_PLAN_BLOCK_H
#define TAC_ENGINE_PLAN_BLOCK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <tactus/engine.h>

typedef struct tac__part tac__part;
// Can the engine go on from what the block holds in this part? See validate.h.
typedef tac_status tac__part_check(const tac_engine *engine, const tac__part *part, bool exact,
                                   tac_error *err);

// A part has the name "what owner.port", as in "discrete state uav1.control.words"; without a port
// "what owner", as in "signal Nav.position". The name is put together on request (tac__part_name),
// not stored: a swarm has more than a hundred parts for each vehicle.
struct tac__part {
    const char *what, *owner, *port; // port NULL: none
    size_t offset, size;
    tac__part_check *check;
    const void *subject; // object that the check is called for
};

typedef struct tac__block {
    tac__part *parts;
    size_t count, capacity;
    size_t size;
    size_t run_count, run_size; // parts and bytes of the run, set by tac__block_seal
    unsigned char *bytes;       // NULL until allocated
} tac__block;

enum { TAC__PART_NAME = 1024 };
const char *tac__part_name(const tac__part *part, char text[TAC__PART_NAME]); // returns `text`

// Reserve `count` elements of `size` bytes for a part (what, owner, port, check, subject; the texts
// are kept by pointer), zeroed at the start, aligned to 8. The offset comes back through `*offset`.
// The check is called after the block was restored.
tac_status tac__block_reserve(tac__block *block, tac__arena *arena, const tac__part *part,
                              size_t count, size_t size, size_t *offset);
void tac__block_seal(tac__block *block);
tac_status tac__block_allocate(tac__block *block, tac__arena *arena);

static inline void *tac__block_at(const tac__block *block, size_t offset)
{
    return block->bytes + offset;
}

// Hash of the names and sizes of all parts of the run: blocks with the same hash can be exchanged.
uint64_t tac__block_manifest_hash(const tac__block *block);

#endif
