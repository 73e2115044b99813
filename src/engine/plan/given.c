// given.c - see given.h.
#include "engine/plan/given.h"
#include "base/def.h"
#include "base/node.h"
#include "base/print.h"

#include <string.h>

// --- mistakes -----------------------------------------------------------------------------------

const tac_param_def *tac__param_known(tac_declare *d, const tac_param_def *p, tac_param_def *own)
{
    tac__declare_take(d, "tac_param_def", own, sizeof *own, p);
    if (!own->name)
        own->name = "?";
    const uint32_t unknown = own->flags & ~TAC__PARAM_PUBLIC;
    if (unknown) {
        tac_error err;
        tac__fail(&err, TAC_E_ABI,
                  "parameter '%s' has flags 0x%x, which this version of Tactus does not know",
                  own->name, unknown);
        tac__declare_keep(d, &err);
    }
    return own;
}

void tac__param_mistake(tac_declare *d, const tac_param_def *p, const tac_place *place,
                        tac_error *err)
{
    tac__error_place(err, place);
    tac__error_context(err, "reading parameter '%s' of '%s'", p->name, d->instance->name);
    if (d->failed)
        tac__declare_tell(d, err);
    tac__declare_keep(d, err);
}

void tac__param_fail(tac_declare *d, const tac_param_def *p, const tac_place *place,
                     tac_status status, const char *text)
{
    tac_error err;
    tac__fail_at(&err, status, place, "%s", text);
    tac__param_mistake(d, p, place, &err);
}

void tac__param_wrong_kind(tac_declare *d, const tac_param_def *p, const tac_node *node,
                           const char *what)
{
    tac_error err;
    tac__node_fail_kind(node, what, &err);
    tac__param_mistake(d, p, tac_node_place(node), &err);
}

static const tac_place *place_of(const tac__given *g, size_t i)
{
    if (!g->node)
        return NULL;
    return tac_node_place(g->list && i != TAC__GIVEN_WHOLE ? tac_node_item(g->node, i) : g->node);
}

void tac__given_wrong(tac_declare *d, const tac_param_def *p, const tac__given *g, size_t i,
                      tac_error *err)
{
    if (g->node) {
        tac__param_mistake(d, p, place_of(g, i), err);
        return;
    }
    tac__error_place(err, &d->instance->place);
    tac__error_context(err, "reading '%s', the default of parameter '%s' of '%s'", g->fallback,
                       p->name, d->instance->name);
    tac__declare_keep(d, err);
}

void tac__given_wrong_form(tac_declare *d, const tac_param_def *p, const tac__given *g, size_t i,
                           const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    tac_error err;
    tac__fail(&err, TAC_E_TYPE, "%s", text);
    tac__given_wrong(d, p, g, i, &err);
}

void tac__param_missing(tac_declare *d, const tac_param_def *p)
{
    if (!d->plan)
        return;
    const tac_node *map = tac__scope_of(d)->map;
    tac_error err;
    tac__fail_at(&err, TAC_E_CONFIG, map ? tac_node_place(map) : NULL,
                 "parameter '%s' is missing%s%s", p->name, p->doc ? ": " : "",
                 p->doc ? p->doc : "");
    tac__param_mistake(d, p, d->instance->place.line ? &d->instance->place : NULL, &err);
}

// --- defaults -----------------------------------------------------------------------------------

// A fallback is written as "1", "2 m" or "[1, 2, 3]". `*text` is inside the brackets of a list.
// Returns its next item, without spaces around it, and moves on behind it.
static const char *next_item(const char **text, size_t *length)
{
    const char *item = *text + strspn(*text, " ");
    size_t n = strcspn(item, ",[]");
    *text = item + n;
    while (n > 0 && item[n - 1] == ' ')
        n--;
    *length = n;
    return item;
}

// How many items a list has. False: it is not written as a list is.
static bool count_items(const char *list, size_t *count)
{
    const char *c = list; // the bracket or comma before an item
    size_t length;
    *count = 0;
    do {
        c++;
        next_item(&c, &length);
        *count += length > 0;
        if (length == 0 && (*count > 0 || *c != ']')) // only "[]" has no item
            return false;
    } while (*c == ',');
    return *c == ']' && !c[1 + strspn(c + 1, " ")];
}

const char *tac__given_text(tac_declare *d, const tac__given *g, size_t i,
                            char buffer[TAC__GIVEN_TEXT])
{
    if (g->node)
        return tac_node_text(g->list ? tac_node_item(g->node, i) : g->node);
    if (!g->list)
        return g->fallback + strspn(g->fallback, " ");
    const char *c = g->fallback + 1;
    size_t length;
    const char *item = next_item(&c, &length);
    for (; i > 0; i--) {
        c++; // the comma
        item = next_item(&c, &length);
    }
    char *text = length < TAC__GIVEN_TEXT ? buffer : tac__arena_alloc(d->meta, length + 1);
    if (!text) {
        tac__declare_no_memory(d);
        return "";
    }
    memcpy(text, item, length);
    text[length] = '\0';
    return text;
}

// --- looking a parameter up ---------------------------------------------------------------------

const tac_node *tac__param_take(tac_declare *d, const char *name)
{
    const tac__scope *scope = tac__scope_of(d);
    const size_t i = scope->map ? tac__node_find(scope->map, name) : SIZE_MAX;
    if (i == SIZE_MAX)
        return NULL;
    if (scope->used)
        scope->used[i] = true;
    const tac_node *node = tac_node_item(scope->map, i);
    return tac_node_is_null(node) ? NULL : node;
}

// The forms that a value may have: a single value, or a list of those.
static bool has_form(tac_declare *d, const tac_param_def *p, bool may_list, tac__given *g)
{
    static const char *const no_list = "expected a single value, found a list";
    if (!g->node) {
        g->list = *g->fallback == '[';
        if (g->list && !may_list)
            tac__given_wrong_form(d, p, g, TAC__GIVEN_WHOLE, "%s", no_list);
        else if (g->list && !count_items(g->fallback, &g->count))
            tac__given_wrong_form(d, p, g, TAC__GIVEN_WHOLE, "expected a list as in '[1, 2, 3]'");
        else
            return true;
        return false;
    }
    const tac_node_kind kind = tac_node_kind_of(g->node);
    if (kind == TAC_NODE_SCALAR)
        return true;
    if (kind == TAC_NODE_MAP || !may_list) {
        tac__given_wrong_form(d, p, g, TAC__GIVEN_WHOLE, "%s",
                              kind == TAC_NODE_MAP ? "expected a value, found a map" : no_list);
        return false;
    }
    g->list = true;
    g->count = tac_node_count(g->node);
    for (size_t i = 0; i < g->count; i++) {
        if (tac_node_kind_of(tac_node_item(g->node, i)) == TAC_NODE_SCALAR)
            continue;
        tac__given_wrong_form(d, p, g, i, "expected a single value in the list, found a %s",
                              tac_node_kind_of(tac_node_item(g->node, i)) == TAC_NODE_MAP ? "map"
                                                                                          : "list");
        return false;
    }
    return true;
}

bool tac__param_look_up(tac_declare *d, const tac_param_def *p, bool may_list, tac__given *g)
{
    *g = (tac__given){.node = tac__param_take(d, p->name), .count = 1, .fallback = p->fallback};
    if (g->node || g->fallback)
        return has_form(d, p, may_list, g);
    tac__param_missing(d, p);
    return false;
}

// --- remembering it -----------------------------------------------------------------------------

// For names of parameters.
static char *concatenate(tac__arena *arena, const char *a, const char *b)
{
    const size_t first = strlen(a), second = strlen(b) + 1;
    char *text = tac__arena_alloc(arena, first + second);
    if (!text)
        return NULL;
    memcpy(text, a, first);
    memcpy(text + first, b, second);
    return text;
}

// Only parameters that are a single value, or a list of values, can be tunable.
static bool can_tune(const char *kind)
{
    static const char *const kinds[] = {"f64",  "array",  "list", "int",  "bool",
                                        "time", "choice", "text", "words"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!strcmp(kind, kinds[i]))
            return true;
    }
    return false;
}

void tac__param_record(tac_declare *d, const tac_param_def *p, const char *kind, const char *value,
                       const char *const *choices)
{
    tac__component *c = d->instance;
    const tac__scope *scope = tac__scope_of(d);
    if (scope->peer || d->symbols) // another component's; or it has been recorded by `declare`
        return;
    char *text = tac__arena_text(d->meta, value);
    char *name = concatenate(d->meta, scope->prefix, p->name);
    if (!text || !name || !TAC__ARENA_GROW(d->meta, d->params, c->param_count, d->param_capacity) ||
        !TAC__ARENA_GROW(d->meta, d->values, c->param_count, d->value_capacity)) {
        tac__declare_no_memory(d);
        return;
    }
    const tac_param_def def = TAC_DEF(
        tac_param_def, .name = name, .unit = tac__declare_text(d, p->unit),
        .fallback = tac__declare_text(d, p->fallback), .range = tac__declare_text(d, p->range),
        .doc = tac__declare_text(d, p->doc), .flags = p->flags);
    const bool tunable = p->flags & TAC_PARAM_TUNABLE && can_tune(kind);
    d->values[c->param_count] = text;
    d->params[c->param_count++] = (tac__param){def.name, def, kind, choices, tunable, -1};
    c->params = d->params;
    c->values = d->values;
}
