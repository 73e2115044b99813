// pick.c - see pick.h.
#include "base/pick.h"
#include "base/choose.h"
#include "base/text.h"

#include <string.h>

enum { PATTERN_MAX = 512 };

// A pattern, cut before the part that may name an element: "position" and ".z".
typedef struct cut {
    char base[PATTERN_MAX];
    const char *suffix; // The part, or "".
} cut;

static cut cut_pattern(const char *pattern)
{
    cut c = {.suffix = ""};
    const char *dot = strrchr(pattern, '.'), *bracket = strrchr(pattern, '[');
    const char *at = bracket > dot || !dot ? bracket : dot;
    const size_t length = at ? (size_t)(at - pattern) : 0;
    if (length == 0 || length >= sizeof c.base)
        return c;
    memcpy(c.base, pattern, length);
    c.suffix = at;
    return c;
}

// Return the element that a suffix names, or -1. Vectors and quaternions take numbers, too.
static int find_element(const tac_type *type, const char *suffix)
{
    if (type->shape == TAC_SINGLE)
        return -1;
    if (suffix[0] == '[' && tac__is_digit(suffix[1])) {
        const char *end;
        const uint64_t i = tac__digits_parse(suffix + 1, &end, 10);
        return i < type->count && !strcmp(end, "]") ? (int)i : -1;
    }
    for (uint32_t i = 0; type->shape != TAC_ARRAY && i < type->count; i++) {
        char text[TAC_ELEMENT_TEXT];
        tac_element_print(type, i, text);
        if (!strcmp(text, suffix))
            return (int)i;
    }
    return -1;
}

// Bytes of an element in a sample, as tac_engine_read returns it.
static const size_t element_size[] = {
    [TAC_F64] = 8, [TAC_I32] = 4, [TAC_I64] = 8, [TAC_BOOL] = 1, [TAC_ENUM] = 4,
};

const tac_recorded *tac__pick_element(tac__arena *arena, const tac_recorded *signal,
                                      uint32_t element)
{
    char suffix[TAC_ELEMENT_TEXT];
    tac_element_print(&signal->type, element, suffix);
    tac_recorded *made = tac__arena_alloc(arena, sizeof *made);
    const char *name = tac__arena_format(arena, "%s%s", signal->name, suffix);
    if (!made || !name)
        return NULL;
    *made = *signal;
    made->name = name;
    made->type.shape = TAC_SINGLE;
    made->type.count = 1;
    made->offset += element * element_size[signal->type.scalar];
    return made;
}

// --- errors -------------------------------------------------------------------------------------

static const char *name_at(const void *context, size_t i)
{
    const tac__pick_from *from = context;
    const tac_recorded *s = from->at(from->context, i);
    return s ? s->name : NULL;
}

// Append the elements of a signal to an error, and the element nearest to the one asked for.
static void list_elements(const tac_recorded *s, const char *asked, tac_error *err)
{
    char first[TAC_ELEMENT_TEXT], last[TAC_ELEMENT_TEXT];
    tac_element_print(&s->type, 0, first);
    tac_element_print(&s->type, s->type.count - 1, last);
    const char *end;
    const bool beyond = asked[0] == '[' && tac__is_digit(asked[1]) &&
                        tac__digits_parse(asked + 1, &end, 10) >= s->type.count && *end == ']';
    if (s->type.shape == TAC_SINGLE) {
        tac__error_append(err, "it is a single value; did you mean '%s'?", s->name);
        return;
    }
    if (s->type.count > 1)
        tac__error_append(err, "it has '%s' to '%s'", first, last);
    else
        tac__error_append(err, "it has only '%s'", first);
    tac__error_append(err, "; did you mean '%s%s'?", s->name, beyond ? last : first);
}

// Fail with the name that is nearest to the pattern: of an element if there is one, else of a
// signal.
static tac_status fail_none(const tac__pick_from *from, const char *pattern, const cut *c,
                            tac_error *err)
{
    const tac__choices names = {name_at, from, "signal"};
    const tac_recorded *s;
    for (size_t i = 0; *c->suffix && (s = from->at(from->context, i)); i++) {
        if (!tac__path_match(c->base, s->name))
            continue;
        tac__fail(err, TAC_E_NAME, "no signal matches '%s': '%s' has no element '%s', ", pattern,
                  s->name, c->suffix);
        list_elements(s, c->suffix, err);
        return TAC_E_NAME;
    }
    tac__fail(err, TAC_E_NAME, "no signal matches '%s'", pattern);
    const char *near = *c->suffix ? tac__choose_nearest(&names, c->base) : NULL;
    for (size_t i = 0; near && (s = from->at(from->context, i)); i++) {
        const int element = strcmp(s->name, near) ? -1 : find_element(&s->type, c->suffix);
        if (element < 0)
            continue;
        char text[TAC_ELEMENT_TEXT];
        tac_element_print(&s->type, (uint32_t)element, text);
        tac__error_append(err, "; did you mean '%s%s'?", near, text);
        return TAC_E_NAME;
    }
    near = tac__choose_nearest(&names, pattern);
    if (near)
        tac__error_append(err, "; did you mean '%s'?", near);
    return TAC_E_NAME;
}

// --- picking ------------------------------------------------------------------------------------

tac_status tac__pick(const tac__pick_from *from, const char *pattern, tac__pick_fn *take,
                     void *context, tac_error *err)
{
    const tac_recorded *s;
    const cut c = cut_pattern(pattern);
    bool any = false;
    for (int elements = 0; elements < 2 && !any; elements++) {
        const char *wanted = elements ? c.base : pattern;
        for (size_t i = 0; *wanted && (s = from->at(from->context, i)); i++) {
            const int element = elements ? find_element(&s->type, c.suffix) : TAC__PICK_WHOLE;
            if (!tac__path_match(wanted, s->name) || (elements && element < 0))
                continue;
            any = true;
            TAC_TRY(take(context, i, element, err));
        }
    }
    return any ? TAC_OK : fail_none(from, pattern, &c, err);
}
