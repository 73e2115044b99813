// block.h - every mutable byte of a run, in one block described by one manifest.
//
// The manifest lists the parts of the block in order; then the block is allocated at once. Start,
// checkpoint, restore and comparison work on the block as a whole, so no part can be forgotten.
// Parts that are listed after the block was sealed belong to observers: they are not part of the
// run, and not in a checkpoint.
//
// All parts of a component lie one after another, and so do the components of a vehicle. What parts
// of many vehicles have in common is listed once: a vehicle has more than a hundred parts.
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
// "what owner", as in "clock of the run".
typedef struct tac__part_kind {
    const char *what, *port; // port NULL: none
    tac__part_check *check;  // is called after the block was restored
    const void *subject;     // object that the check is called for; NULL: that of the owner
    size_t number;           // of a signal among those of the owner
    size_t size;             // in bytes, whole words
} tac__part_kind;

// The parts of one owner.
typedef struct tac__part_list {
    const char *owner;
    const void *subject;
    const tac__part_kind *kinds; // shared by owners whose parts are alike
    size_t count, offset;
} tac__part_list;

struct tac__part {
    const tac__part_kind *kind;
    const char *owner;
    const void *subject;
    size_t offset, size;
};

typedef struct tac__block {
    tac__part_list *lists;
    size_t count;
    TAC__CAPACITY(tac__part_list) capacity;
    size_t size;
    size_t run_count, run_size; // lists and bytes of the run, set by tac__block_seal
    unsigned char *bytes;       // NULL until allocated
} tac__block;

enum { TAC__PART_NAME = 1024 };
const char *tac__part_name(const tac__part *part, char text[TAC__PART_NAME]); // returns `text`

// Append the parts of an owner; owner and kinds are kept by pointer. TAC_E_MEMORY.
tac_status tac__block_add(tac__block *block, tac__arena *arena, const char *owner,
                          const void *subject, const tac__part_kind *kinds, size_t count);
void tac__block_seal(tac__block *block);
tac_status tac__block_allocate(tac__block *block, tac__arena *arena);

// Goes through all parts of the run:
//     for (tac__part_walk w = {0}; tac__block_next(block, &w);) ... w.part ...
typedef struct tac__part_walk {
    tac__part part;
    size_t list, next; // where the next part is
} tac__part_walk;

bool tac__block_next(const tac__block *block, tac__part_walk *walk);

static inline void *tac__block_at(const tac__block *block, size_t offset)
{
    return block->bytes + offset;
}

// Hash of the names and sizes of all parts of the run: blocks with the same hash can be exchanged.
uint64_t tac__block_manifest_hash(const tac__block *block);

#endif
