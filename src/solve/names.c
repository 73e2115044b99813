// names.c - the names of states, inputs and outputs of a plant.
#include "solve/plant.h"
#include "base/text.h"

#include <string.h>

const tac__quantity *tac__plant_list(const tac__plant *p, tac__quantity_kind kind, size_t *count)
{
    *count = kind == TAC__STATE ? p->x_count : kind == TAC__INPUT ? p->u_count : p->y_count;
    return kind == TAC__STATE ? p->x : kind == TAC__INPUT ? p->u : p->y;
}

static bool find_in(const tac__plant *p, const char *name, tac__range *range)
{
    for (int kind = TAC__STATE; kind <= TAC__OUTPUT; kind++) {
        size_t count;
        const tac__quantity *list = tac__plant_list(p, (tac__quantity_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            const bool whole = !strcmp(list[i].base, name);
            if (!whole && strcmp(list[i].name, name) != 0)
                continue;
            *range = (tac__range){(tac__quantity_kind)kind, i, whole ? list[i].type.count : 1};
            return true;
        }
    }
    return false;
}

bool tac__plant_find(const tac__plant *p, const char *name, tac__range *range)
{
    char local[2 * TAC_ERROR_NAME];
    tac__out out = tac__out_begin(local, sizeof local);
    tac__out_add(&out, "%s.%s", p->entity, name);
    return (*p->entity && find_in(p, local, range)) || find_in(p, name, range);
}

bool tac__quantity_matches(const char *pattern, const tac__quantity *q)
{
    return tac__path_match(pattern, q->base) || tac__path_match(pattern, q->name);
}

// Names in the plant's own entity are compared as they would be written there.
static void offer(const tac__plant *p, const char *name, tac__nearest *nearest)
{
    const size_t length = strlen(p->entity);
    if (length && !strncmp(name, p->entity, length) && name[length] == '.')
        tac__nearest_offer(nearest, name + length + 1);
    tac__nearest_offer(nearest, name);
}

tac_status tac__plant_fail_name(const tac__plant *p, const char *what, const char *name,
                                const tac_place *place, bool outputs, tac_error *err)
{
    tac__fail_at(err, TAC_E_NAME, place, "%s '%s' of '%s'", what, name, p->name);
    tac__nearest nearest = tac__nearest_begin(name);
    for (int kind = TAC__STATE; kind <= (outputs ? TAC__OUTPUT : TAC__INPUT); kind++) {
        size_t count;
        const tac__quantity *list = tac__plant_list(p, (tac__quantity_kind)kind, &count);
        for (size_t i = 0; i < count; i++) {
            offer(p, list[i].base, &nearest);
            offer(p, list[i].name, &nearest);
        }
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
    return TAC_E_NAME;
}
