// named_param.c - see named_param.h.
#include "engine/plan/named_param.h"
#include "base/text.h"

#include <string.h>
#include <tactus/outside.h>

// Is the component of this name meant by the beginning of `text`? Then what follows its name.
static const char *after_name(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(text, name, n) && text[n] == '.' ? text + n + 1 : NULL;
}

// The last part of a name: "vehicle" of "uav.vehicle".
static const char *short_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : name;
}

// The element that "name[3]" names, and the length of the name; a name without an index has
// element 0.
static size_t split_index(const char *text, size_t *element, bool *indexed)
{
    const size_t n = strlen(text);
    const char *open = strrchr(text, '[');
    *element = 0;
    *indexed = open && n && text[n - 1] == ']';
    if (!*indexed)
        return n;
    const char *end;
    *element = (size_t)tac__digits_parse(open + 1, &end, 10);
    *indexed = end == text + n - 1 && end > open + 1;
    return *indexed ? (size_t)(open - text) : n;
}

// The i-th number of "1.5" or "[1, 2, 3]".
static bool read_element(const char *value, size_t i, double *number)
{
    const char *c = value + (*value == '[');
    for (; i > 0; i--) {
        c = strchr(c, ',');
        if (!c)
            return false;
        c++;
    }
    const char *end;
    c += strspn(c, " ");
    *number = tac__number_parse(c, &end);
    return end > c;
}

static bool is_number(const tac_param_info *p)
{
    return !strcmp(p->kind, "f64") || !strcmp(p->kind, "array") || !strcmp(p->kind, "list");
}

static tac_status fail_kind(const char *text, const tac_param_info *p, tac_error *err)
{
    if (!strcmp(p->kind, "time"))
        return tac__fail(err, TAC_E_TYPE,
                         "'%s' is a time in whole microseconds, and no number that can be varied",
                         text);
    return tac__fail(err, TAC_E_TYPE, "'%s' is no number that can be varied", text);
}

// The parameter `name` of a component. `*known`: there is one of that name.
static tac_status find_in(tac__arena *arena, const tac_engine *e, size_t component,
                          const char *text, const char *name, tac_sensitivity_param *param,
                          bool *known, tac_error *err)
{
    size_t element;
    bool indexed;
    const size_t n = split_index(name, &element, &indexed);
    for (size_t i = 0; i < tac_engine_param_count(e, component); i++) {
        const tac_param_info p = tac_engine_param_info(e, component, i);
        const bool whole = !strcmp(p.name, name);
        const bool part = indexed && strlen(p.name) == n && !strncmp(p.name, name, n);
        if (!whole && !part)
            continue;
        *known = true;
        if (!is_number(&p))
            return fail_kind(text, &p, err);
        if (whole && strcmp(p.kind, "f64"))
            return tac__fail(err, TAC_E_TYPE, "'%s' is a list: name one of its numbers, as %s[0]",
                             text, text);
        const char *owner = tac_engine_component_info(e, component).name;
        param->unit = tac__arena_text(arena, p.unit);
        param->at = (tac_param_value){tac__arena_text(arena, owner), tac__arena_text(arena, p.name),
                                      whole ? 0 : element, 0};
        param->name = tac__arena_format(arena, "%s.%s", owner, name);
        if (!param->name || !param->unit || !param->at.component || !param->at.name)
            return tac__fail_memory(err);
        if (!read_element(p.value, param->at.element, &param->at.value))
            return tac__fail(err, TAC_E_RANGE, "'%s' is not there: '%s' is %s", text, p.name,
                             p.value);
        return TAC_OK;
    }
    return TAC_OK;
}

static void suggest(tac__arena *arena, const tac_engine *e, const char *text, tac_error *err)
{
    tac__nearest nearest = tac__nearest_begin(text);
    for (size_t c = 0; c < tac_engine_sizes(e).components; c++) {
        const char *owner = tac_engine_component_info(e, c).name;
        for (size_t i = 0; i < tac_engine_param_count(e, c); i++) {
            const tac_param_info p = tac_engine_param_info(e, c, i);
            const char *full =
                is_number(&p) ? tac__arena_format(arena, "%s.%s", owner, p.name) : NULL;
            if (full)
                tac__nearest_offer(&nearest, full);
        }
    }
    if (nearest.best)
        tac__error_append(err, "; did you mean '%s'?", nearest.best);
}

tac_status tac__param_by_name(tac__arena *arena, const tac_engine *e, const char *text,
                              tac_sensitivity_param *param, tac_error *err)
{
    const size_t count = tac_engine_sizes(e).components;
    bool known = false;
    size_t matches = 0;
    for (int whole = 1; whole >= 0 && !known; whole--) { // full names first
        for (size_t c = 0; c < count; c++) {
            const char *owner = tac_engine_component_info(e, c).name;
            const char *name = after_name(text, whole ? owner : short_name(owner));
            bool here = false;
            if (name)
                TAC_TRY(find_in(arena, e, c, text, name, param, &here, err));
            matches += here && !whole;
            known |= here;
        }
    }
    if (matches > 1)
        return tac__fail(err, TAC_E_NAME,
                         "'%s' is a parameter of %zu components: name the entity, too, as in '%s'",
                         text, matches, param->name);
    if (known)
        return TAC_OK;
    tac__fail(err, TAC_E_NAME, "no component has a parameter '%s'", text);
    suggest(arena, e, text, err);
    return TAC_E_NAME;
}
