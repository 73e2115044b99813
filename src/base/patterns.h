// patterns.h - many patterns against many names, as tac__path_match compares them: a pattern
// without
// * and ? is looked up in a table, only the others are compared with each name.
#ifndef TAC_BASE_PATTERNS_H
#define TAC_BASE_PATTERNS_H

#include "base/arena.h"
#include "base/names.h"

// Comparisons of one list of patterns with one list of names take a second or two; docs list it.
#define TAC__PATTERNS_COMPARISONS ((size_t)100000000)

typedef struct tac__patterns {
    tac__arena *arena;
    tac__names places;  // of texts
    const char **texts; // each different text once
    size_t count;
    TAC__CAPACITY(const char *) capacity;
    uint32_t *wild; // places of the texts with * or ?
    size_t wild_count;
    TAC__CAPACITY(uint32_t) wild_capacity;
} tac__patterns;

bool tac__pattern_is_wild(const char *pattern);

// The place of a pattern, which must outlive the set: a new one, or that of an equal text. -1: no
// memory.
int tac__patterns_add(tac__patterns *patterns, const char *pattern);

// Whether so many names may be compared with these patterns.
bool tac__patterns_allow(const tac__patterns *patterns, size_t names);

// A search begins with a zero of this.
typedef struct tac__patterns_search {
    const char *tail;
    size_t wild;
} tac__patterns_search;

// The place of the next pattern that matches the name; each comes once. -1: there are no more.
int tac__patterns_next(const tac__patterns *patterns, const char *name,
                       tac__patterns_search *search);

#endif
