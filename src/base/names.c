// names.c - a hash table with linear probing, at most half full.
#include "base/names.h"
#include "base/hash.h"

#include <stdbool.h>
#include <string.h>

// The entry that holds a text, or the free entry where the text belongs.
static tac__name *place_of(tac__name *table, size_t capacity, const char *text)
{
    size_t i = tac__hash_end(tac__hash_text(TAC__HASH_SEED, text)) & (capacity - 1);
    while (table[i].text && strcmp(table[i].text, text))
        i = (i + 1) & (capacity - 1);
    return &table[i];
}

static bool grow(tac__names *names, tac__arena *arena)
{
    const size_t capacity = names->capacity ? 2 * names->capacity : 64;
    tac__name *table = tac__arena_array(arena, capacity, sizeof *table);
    if (!table)
        return false;
    for (size_t i = 0; i < names->capacity; i++) {
        if (names->table[i].text)
            *place_of(table, capacity, names->table[i].text) = names->table[i];
    }
    tac__arena_release(arena, names->table);
    names->table = table;
    names->capacity = capacity;
    return true;
}

tac_status tac__names_set(tac__names *names, tac__arena *arena, const char *text, uint32_t number)
{
    if (2 * names->count >= names->capacity && !grow(names, arena))
        return TAC_E_MEMORY;
    tac__name *place = place_of(names->table, names->capacity, text);
    names->count += !place->text;
    *place = (tac__name){text, number};
    return TAC_OK;
}

const char *tac__names_keep(tac__names *names, tac__arena *arena, const char *text)
{
    if (2 * names->count >= names->capacity && !grow(names, arena))
        return NULL;
    tac__name *place = place_of(names->table, names->capacity, text);
    if (!place->text) {
        const char *copy = tac__arena_text(arena, text);
        if (!copy)
            return NULL;
        *place = (tac__name){copy, 0};
        names->count++;
    }
    return place->text;
}

const char *tac__names_add_new(tac__names *names, tac__arena *arena, const char *text,
                               const char *before)
{
    int n = tac__names_find(names, text);
    const char *name = text;
    while (name && tac__names_find(names, name) >= 0)
        name = tac__arena_format(arena, "%s%s%d", text, before, ++n);
    if (!name || (n > 0 && tac__names_set(names, arena, text, (uint32_t)n) != TAC_OK))
        return NULL;
    return tac__names_set(names, arena, name, 1) == TAC_OK ? name : NULL;
}

int tac__names_find(const tac__names *names, const char *text)
{
    if (names->count == 0)
        return -1;
    const tac__name *place = place_of(names->table, names->capacity, text);
    return place->text ? (int)place->number : -1;
}
