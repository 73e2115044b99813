// writes.c - digests and histories of what a component has written.
#include "engine/writes.h"
#include "bus/digest.h"

#include <string.h>

tac_status tac__writes_init(tac__writes *w, tac__arena *arena, size_t count)
{
    *w = (tac__writes){.items = tac__arena_array(arena, count, sizeof *w->items),
                       .kept = tac__arena_array(arena, count, sizeof *w->kept)};
    return w->items && w->kept ? TAC_OK : TAC_E_MEMORY;
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

void tac__writes_add(tac__writes *w, const tac_type *type, const void *value, uint64_t *digest,
                     const tac__history *history)
{
    const size_t words = tac__type_words(type);
    if (history)
        w->kept[w->kept_count++] = (tac__kept){value, history};
    if (!digest)
        return;
    const tac__write_kind kind = kind_of(type, words);
    tac__write *at = w->items + w->ends[kind];
    memmove(at + 1, at, (w->ends[TAC__WRITE_KINDS - 1] - w->ends[kind]) * sizeof *at);
    *at = (tac__write){value, digest, words};
    for (int k = (int)kind; k < TAC__WRITE_KINDS; k++)
        w->ends[k]++;
}

// The digests of one kind: `mix` is one of those in bus/digest.h, with the number of words where it
// is the same for all.
#define MIX(kind, mix, words)                                                                      \
    for (const tac__write *end = writes->items + writes->ends[kind]; w < end; w++)                 \
    *w->digest = mix(*w->digest, t_us, w->value, (words))

// All from `w` on.
__attribute__((noinline)) static void rest_done(const tac__writes *writes, const tac__write *w,
                                                tac_time t_us)
{
    MIX(TAC__WRITE_VECTOR, tac__digest_few, 3);
    MIX(TAC__WRITE_NUMBER, tac__digest_few, 1);
    MIX(TAC__WRITE_QUATERNION, tac__digest_few, 4);
    MIX(TAC__WRITE_WORD, tac__digest_words, 1);
    MIX(TAC__WRITE_DOUBLES, tac__digest_wide, w->words);
    MIX(TAC__WRITE_WORDS, tac__digest_words, w->words);
    for (uint32_t i = 0; i < writes->kept_count; i++)
        tac__history_push(writes->kept[i].history, t_us, writes->kept[i].value);
}

// Vectors and numbers without a NaN are the most frequent by far, and for many components all there
// is: they need no call.
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
