// choose.c - finds the names that match patterns, and suggests the nearest one where none does.
#include "base/choose.h"
#include "base/text.h"

#include <string.h>

// A user may leave out the front of a name, as patterns allow, so the ends of names after each dot
// are compared, too.
const char *tac__choose_nearest(const tac__choices *from, const char *pattern)
{
    const char *name, *best = NULL;
    tac__nearest nearest = tac__nearest_begin(pattern);
    for (size_t i = 0; (name = from->at(from->context, i)); i++) {
        for (const char *tail = name; tail[0]; tail += tail[0] == '.') {
            tac__nearest_offer(&nearest, tail);
            if (nearest.best == tail)
                best = name;
            tail += strcspn(tail, ".");
        }
    }
    return best;
}

static tac_status choose_one(const tac__choices *from, const char *pattern, bool *chosen,
                             tac_error *err)
{
    bool any = false;
    const char *name;
    for (size_t i = 0; (name = from->at(from->context, i)); i++) {
        if (!tac__path_match(pattern, name))
            continue;
        any = true;
        if (chosen)
            chosen[i] = true;
    }
    if (any)
        return TAC_OK;
    tac__fail(err, TAC_E_NAME, "no %s matches '%s'", from->what, pattern);
    const char *best = tac__choose_nearest(from, pattern);
    if (best)
        tac__error_append(err, "; did you mean '%s'?", best);
    return TAC_E_NAME;
}

tac_status tac__choose(const tac__choices *from, const char *const *patterns, size_t count,
                       bool *chosen, tac_error *err)
{
    for (size_t i = 0; i < count; i++)
        TAC_TRY(choose_one(from, patterns[i], chosen, err));
    for (size_t i = 0; count == 0 && chosen && from->at(from->context, i); i++)
        chosen[i] = true;
    return TAC_OK;
}
