// due.c - memory for what is due at an instant; see tac__due.
#include "engine/run/state.h"

#include <string.h>

// Number of words with one bit for each of `words` words.
static size_t words_of(size_t words)
{
    return (words + 63) / 64;
}

tac_status tac__due_wire(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    const size_t items = plan->item_words, islands = plan->island_words;
    tac__due *d = &e->due;
    d->rows = plan->due;
    d->items =
        tac__arena_array(&e->scratch, 3 * items + words_of(items) + islands + 2 * words_of(islands),
                         sizeof *d->items);
    d->list = tac__arena_array(&e->scratch, items, sizeof *d->list);
    if (!d->items || !d->list)
        return TAC_E_MEMORY;
    d->followers = d->items;
    d->items += items;
    d->done = d->items + items;
    d->item_words = d->done + items;
    d->arriving = d->item_words + words_of(items);
    d->arriving_words = d->arriving + islands;
    d->island_words = d->arriving_words + words_of(islands);
    return TAC_OK;
}

void tac__followers_add(tac__due *due, tac__followers *f, size_t item)
{
    const uint32_t word = (uint32_t)(item / 64);
    if (!f->count || f->words[f->count - 1].word != word)
        f->words[f->count++] = (tac__due_word){.word = word};
    f->words[f->count - 1].bits |= UINT64_C(1) << item % 64;
    due->followers[word] |= UINT64_C(1) << item % 64;
}

void tac__due_restored(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    tac__due *d = &e->due;
    const size_t islands = plan->island_words;
    memset(d->items, 0,
           (size_t)(d->island_words + words_of(islands) - d->items) * sizeof *d->items);
    for (size_t w = 0; w < islands; w++)
        d->island_words[w / 64] |= (uint64_t)(e->due_islands[w] != 0) << w % 64;
}
