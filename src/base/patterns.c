// patterns.c - see patterns.h.
#include "base/patterns.h"
#include "base/text.h"

#include <string.h>

bool tac__pattern_is_wild(const char *pattern)
{
    return strpbrk(pattern, "*?") != NULL;
}

int tac__patterns_add(tac__patterns *p, const char *pattern)
{
    const int found = tac__names_find(&p->places, pattern);
    if (found >= 0)
        return found;
    const uint32_t place = (uint32_t)p->count;
    if (!TAC__ARENA_GROW(p->arena, p->texts, p->count, p->capacity) ||
        !TAC__ARENA_GROW(p->arena, p->wild, p->wild_count, p->wild_capacity) ||
        tac__names_set(&p->places, p->arena, pattern, place) != TAC_OK)
        return -1;
    p->texts[p->count++] = pattern;
    if (tac__pattern_is_wild(pattern))
        p->wild[p->wild_count++] = place;
    return (int)place;
}

bool tac__patterns_allow(const tac__patterns *p, size_t names)
{
    return !names || p->wild_count <= TAC__PATTERNS_COMPARISONS / names;
}

int tac__patterns_next(const tac__patterns *p, const char *name, tac__patterns_search *s)
{
    // The whole name, then what follows each dot. A name with * or ? would be found as a text.
    for (const char *tail = s->tail ? s->tail : name; *tail;) {
        const int place = tac__names_find(&p->places, tail);
        const char *dot = strchr(tail, '.');
        s->tail = tail = dot ? dot + 1 : tail + strlen(tail);
        if (place >= 0 && !tac__pattern_is_wild(p->texts[place]))
            return place;
    }
    while (s->wild < p->wild_count) {
        const uint32_t place = p->wild[s->wild++];
        if (tac__path_match(p->texts[place], name))
            return (int)place;
    }
    return -1;
}
