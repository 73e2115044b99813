// names.h - an index of names: from a text to a number, in constant time. It keeps pointers to the
// texts, which must outlive it; numbers are the caller's.
#ifndef TAC_BASE_NAMES_H
#define TAC_BASE_NAMES_H

#include "base/arena.h"

#include <stdint.h>

typedef struct tac__name {
    const char *text; // NULL: free
    uint32_t number;
} tac__name;

typedef struct tac__names {
    tac__name *table;
    size_t count, capacity; // capacity is 0 or a power of two
} tac__names;

// Give `text` a number; a text that is there already gets the new one.
tac_status tac__names_set(tac__names *names, tac__arena *arena, const char *text, uint32_t number);

// The one copy of a text among these names, made in the arena where there is none yet; its number
// is 0. NULL: no memory.
const char *tac__names_keep(tac__names *names, tac__arena *arena, const char *text);

// Add a name that is not among these: `text` itself or, where that is taken, `text`, `before` and
// the first free number from 2 on. The number of a text is then the last one that was put behind
// the text, so that very many of one kind do not take long. NULL: no memory.
const char *tac__names_add_new(tac__names *names, tac__arena *arena, const char *text,
                               const char *before);

// -1: unknown.
int tac__names_find(const tac__names *names, const char *text);

#endif
