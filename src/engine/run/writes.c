// writes.c - digests and histories of what a component has written.
#include "engine/run/writes.h"
#include "bus/digest.h"

#include <string.h>

tac_status tac__writes_init(tac__writes *w, tac__arena *arena, size_t count, size_t kept)
{
    static tac__write none; // never written: adding to a null pointer, even 0, is not defined
    *w = (tac__writes){.items = count ? tac__arena_array(arena, count, sizeof *w->items) : &none,
                       .kept = kept ? tac__arena_array(arena, kept, sizeof *w->kept) : NULL};
    return (w->items || !count) && (w->kept || !kept) ? TAC_OK : TAC_E_MEMORY;
}

static tac__write_kind kind_of(const tac_type *type, size_t words)
{
    if (type->scalar != TAC_F64)
        return words == 1 ? TAC__WRITE_WORD : TAC__WRITE_WORDS;
    switch (words) {
    case 1:
        return TAC__WRITE_NUMBER;
    case 3:
        return TAC__WRITE_VECTOR;
    case 4:
        return TAC__WRITE_QUATERNION;
    default:
        return TAC__WRITE_DOUBLES;
    }
}

void tac__writes_add(tac__writes *w, uint32_t signal, const tac_type *type, const void *value,
                     uint64_t *digest, const tac__history *history)
{
    const size_t words = tac__type_words(type);
    if (history)
        w->kept[w->kept_count++] = (tac__kept){value, history};
    if (!digest)
        return;
    const tac__write_kind kind = kind_of(type, words);
    tac__write *at = w->items + w->ends[kind];
    memmove(at + 1, at, (w->ends[TAC__WRITE_KINDS - 1] - w->ends[kind]) * sizeof *at);
    *at = (tac__write){value, digest, (uint32_t)words, signal};
    for (int k = (int)kind; k < TAC__WRITE_KINDS; k++)
        w->ends[k]++;
}

__attribute__((cold, noinline)) static void write_nan(const tac__writes *writes,
                                                      const tac__write *w, tac_time t_us)
{
    *w->digest = tac__digest_nans(*w->digest, t_us, w->value, w->words);
    if (writes->nan)
        writes->nan(writes->nan_context, w->signal, w->value, w->words, t_us);
}

// Loops over the writes of one kind.
#define EACH(kind) for (const tac__write *end = items + writes->ends[kind]; w < end; w++)

// Digests of all writes of one kind, which have `words` doubles, a constant.
#define MIX_NUMBERS(kind, words)                                                                   \
    EACH(kind)                                                                                     \
    {                                                                                              \
        if (tac__digest_nan(w->value, words))                                                      \
            write_nan(writes, w, t_us);                                                            \
        else                                                                                       \
            *w->digest = tac__digest_numbers(*w->digest, t_us, w->value, words);                   \
    }

static void mix_doubles(const tac__writes *writes, const tac__write *w, tac_time t_us)
{
    bool nan;
    const uint64_t digest = tac__digest_scan(*w->digest, t_us, w->value, w->words, &nan);
    if (nan)
        write_nan(writes, w, t_us);
    else
        *w->digest = digest;
}

// Finish all writes from `w` on, then the histories.
__attribute__((noinline)) static void rest_done(const tac__writes *writes, const tac__write *w,
                                                tac_time t_us)
{
    const tac__write *items = writes->items;
    MIX_NUMBERS(TAC__WRITE_VECTOR, 3)
    MIX_NUMBERS(TAC__WRITE_NUMBER, 1)
    MIX_NUMBERS(TAC__WRITE_QUATERNION, 4)
    EACH(TAC__WRITE_WORD)
    *w->digest = tac__digest_words(*w->digest, t_us, w->value, 1);
    EACH(TAC__WRITE_DOUBLES)
    mix_doubles(writes, w, t_us);
    EACH(TAC__WRITE_WORDS)
    *w->digest = tac__digest_words(*w->digest, t_us, w->value, w->words);
    for (uint32_t i = 0; i < writes->kept_count; i++)
        tac__history_push(writes->kept[i].history, t_us, writes->kept[i].value);
}

// Vectors and numbers without a NaN are by far the most frequent kinds, and many components have no
// others: they are done here without a call. That saves 73,000 of the 667,000 instructions that it
// would take otherwise over the flight of writes.h.
void tac__writes_done(const tac__writes *writes, tac_time t_us)
{
    const tac__write *w = writes->items, *vectors = w + writes->ends[TAC__WRITE_VECTOR];
    const tac__write *numbers = w + writes->ends[TAC__WRITE_NUMBER];
    for (; w < vectors && !tac__digest_nan(w->value, 3); w++)
        *w->digest = tac__digest_numbers(*w->digest, t_us, w->value, 3);
    for (; w >= vectors && w < numbers && !tac__digest_nan(w->value, 1); w++)
        *w->digest = tac__digest_numbers(*w->digest, t_us, w->value, 1);
    if (w < writes->items + writes->ends[TAC__WRITE_KINDS - 1] || writes->kept_count)
        rest_done(writes, w, t_us);
}
