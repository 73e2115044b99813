// params.c - reading parameters.
#include "base/def.h"
#include "base/file.h"
#include "base/print.h"
#include "base/hash.h"
#include "base/node.h"
#include "engine/plan/warn.h"
#include "engine/plan/find.h"
#include "engine/plan/declare.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The value of a parameter: a list of scalars from the configuration or from the fallback.
typedef struct given {
    const tac_node *node; // NULL: from the fallback
    const char *fallback;
    size_t count;
    bool list;
} given;

#define WHOLE SIZE_MAX // instead of the index of an item

static const tac_place *place_of(const given *g, size_t i)
{
    if (!g->node)
        return NULL;
    return tac_node_place(g->list && i != WHOLE ? tac_node_item(g->node, i) : g->node);
}

// --- values in definitions ----------------------------------------------------------------------

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

enum { ITEM_TEXT = 128 }; // longer items are copied to the arena

// The i-th scalar as text.
static const char *text_of(tac_declare *d, const given *g, size_t i, char buffer[ITEM_TEXT])
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
    char *text = length < ITEM_TEXT ? buffer : tac__arena_alloc(d->meta, length + 1);
    if (!text) {
        tac__declare_no_memory(d);
        return "";
    }
    memcpy(text, item, length);
    text[length] = '\0';
    return text;
}

// "equations[3]" is an item of a list, "states.v" of a map.
const tac_node *tac__param_find(const tac_node *map, const char *path)
{
    const tac_node *node = tac_node_get(map, path);
    const size_t length = strcspn(path, ".[");
    if (node || !path[length])
        return node;
    char name[TAC_ERROR_NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    node = tac_node_get(map, name);
    if (!node || tac_node_kind_of(node) == TAC_NODE_SCALAR)
        return node; // a single text is a list of one
    if (path[length] == '[')
        return tac_node_item(node, (size_t)tac__digits_parse(path + length + 1, NULL, 10));
    return tac_node_kind_of(node) == TAC_NODE_MAP ? tac__param_find(node, path + length + 1) : NULL;
}

static const tac_node *node_of(const tac_declare *d, const char *param)
{
    const tac_node *map = d->scopes[d->depth].map;
    return map && param ? tac__param_find(map, param) : NULL;
}

const tac_node *tac_param_node(const tac_declare *d, const char *name)
{
    const tac_node *node = node_of(d, name);
    return tac_node_is_null(node) ? NULL : node;
}

const tac_place *tac__param_place(const tac_declare *d, const char *param)
{
    const tac_node *map = d->scopes[d->depth].map;
    const tac_node *node = node_of(d, param);
    if (node && tac_node_place(node)->line)
        return tac_node_place(node);
    return map && tac_node_place(map)->line ? tac_node_place(map) : &d->instance->place;
}

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80; // UTF-8
}

tac_place tac__place_inside(const tac_place *place, const char *part, uint32_t further)
{
    tac_place inside = *place;
    const char *c = place->line && place->excerpt ? place->excerpt : "";
    for (uint32_t column = 1; *c && column < place->column; column++) {
        c++;
        while (continues_character(*c))
            c++;
    }
    const char *found = *c && *part ? strstr(c, part) : NULL;
    if (!found)
        return inside;
    for (; c < found; c++)
        inside.column += !continues_character(*c);
    inside.column += further;
    return inside;
}

// The definition with all fields, whichever version of the headers its author compiled with. A
// wrong definition is the author's mistake, and reported as all mistakes are.
static const tac_param_def *known(tac_declare *d, const tac_param_def *p, tac_param_def *own)
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
#define KNOWN(p)                                                                                   \
    tac_param_def p##_own;                                                                         \
    p = known(d, p, &p##_own)

static void mistake(tac_declare *d, const tac_param_def *p, const tac_place *place, tac_error *err)
{
    tac__error_place(err, place);
    tac__error_context(err, "reading parameter '%s' of '%s'", p->name, d->instance->name);
    tac__declare_keep(d, err);
}

// A mistake in a value. In a fallback it is one of the component type, or of the program that made
// the definition; the file can only name the component.
static void wrong_value(tac_declare *d, const tac_param_def *p, const given *g, size_t i,
                        tac_error *err)
{
    if (g->node) {
        mistake(d, p, place_of(g, i), err);
        return;
    }
    tac__error_place(err, &d->instance->place);
    tac__error_context(err, "reading '%s', the default of parameter '%s' of '%s'", g->fallback,
                       p->name, d->instance->name);
    tac__declare_keep(d, err);
}

static void fail_param(tac_declare *d, const tac_param_def *p, const tac_place *place,
                       tac_status status, const char *text)
{
    tac_error err;
    tac__fail_at(&err, status, place, "%s", text);
    mistake(d, p, place, &err);
}

// The node of a key of the present map, which is marked as used. NULL: absent.
static const tac_node *take(tac_declare *d, const char *name)
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

static void fail_missing(tac_declare *d, const tac_param_def *p)
{
    if (!d->plan)
        return;
    const tac_node *map = tac__scope_of(d)->map;
    tac_error err;
    tac__fail_at(&err, TAC_E_CONFIG, map ? tac_node_place(map) : NULL,
                 "parameter '%s' is missing%s%s", p->name, p->doc ? ": " : "",
                 p->doc ? p->doc : "");
    mistake(d, p, d->instance->place.line ? &d->instance->place : NULL, &err);
}

static void wrong_form(tac_declare *d, const tac_param_def *p, const given *g, size_t i,
                       const char *text)
{
    tac_error err;
    tac__fail(&err, TAC_E_TYPE, "%s", text);
    wrong_value(d, p, g, i, &err);
}

// The forms that a value may have: a single value, or a list of those.
static bool has_form(tac_declare *d, const tac_param_def *p, bool may_list, given *g)
{
    static const char *const no_list = "expected a single value, found a list";
    if (!g->node) {
        g->list = *g->fallback == '[';
        if (g->list && !may_list)
            wrong_form(d, p, g, WHOLE, no_list);
        else if (g->list && !count_items(g->fallback, &g->count))
            wrong_form(d, p, g, WHOLE, "expected a list as in '[1, 2, 3]'");
        else
            return true;
        return false;
    }
    const tac_node_kind kind = tac_node_kind_of(g->node);
    if (kind == TAC_NODE_SCALAR)
        return true;
    if (kind == TAC_NODE_MAP || !may_list) {
        wrong_form(d, p, g, WHOLE,
                   kind == TAC_NODE_MAP ? "expected a value, found a map" : no_list);
        return false;
    }
    g->list = true;
    g->count = tac_node_count(g->node);
    for (size_t i = 0; i < g->count; i++) {
        if (tac_node_kind_of(tac_node_item(g->node, i)) == TAC_NODE_SCALAR)
            continue;
        wrong_form(d, p, g, i, "expected a single value in the list");
        return false;
    }
    return true;
}

// Look a parameter up. False where there is nothing to read: missing, or not of the right form.
static bool look_up(tac_declare *d, const tac_param_def *p, bool may_list, given *g)
{
    *g = (given){.node = take(d, p->name), .count = 1, .fallback = p->fallback};
    if (g->node || g->fallback)
        return has_form(d, p, may_list, g);
    fail_missing(d, p);
    return false;
}

// Concatenates two texts, for names of parameters.
static char *join(tac__arena *arena, const char *a, const char *b)
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

// Remember the parameter as read, for listings and the model hash.
static void record(tac_declare *d, const tac_param_def *p, const char *kind, const char *value,
                   const char *const *choices)
{
    tac__component *c = d->instance;
    const tac__scope *scope = tac__scope_of(d);
    if (scope->peer)
        return;
    char *text = tac__arena_text(d->meta, value);
    char *name = join(d->meta, scope->prefix, p->name);
    size_t capacity = d->param_capacity;
    if (!text || !name || !TAC__ARENA_GROW(d->meta, d->params, c->param_count, capacity) ||
        !TAC__ARENA_GROW(d->meta, d->values, c->param_count, d->param_capacity)) {
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

// "(0, 1]" and the like. False when the value lies outside.
static bool in_range(const char *range, double value)
{
    if (!isfinite(value))
        return false;
    if (!range)
        return true;
    const char *end;
    const double low = tac__number_parse(range + 1, &end);
    const double high = tac__number_parse(end + 1, &end);
    while (*end == ' ')
        end++;
    return (*range == '[' ? value >= low : value > low) &&
           (*end == ']' ? value <= high : value < high);
}

// The number that a faulty parameter reads as. Authors size arrays by it before the mistake is
// reported.
static double fallback_number(const tac_param_def *p)
{
    double value = 0;
    if (!p->fallback || *p->fallback == '[' ||
        tac__quantity_parse(p->fallback, p->unit, &value, NULL) != TAC_OK)
        return 0;
    return value;
}

static double read_number(tac_declare *d, const tac_param_def *p, const given *g, size_t i)
{
    char buffer[ITEM_TEXT];
    const char *text = text_of(d, g, i, buffer);
    double value = 0;
    tac_error err;
    if (g->node && tac_node_quoted(g->list ? tac_node_item(g->node, i) : g->node) &&
        !strpbrk(text, "0123456789")) {
        wrong_form(d, p, g, i, "expected a number, found text");
        return fallback_number(p);
    }
    if (tac__quantity_parse(text, p->unit, &value, &err) != TAC_OK) {
        wrong_value(d, p, g, i, &err);
        return fallback_number(p);
    }
    if (!in_range(p->range, value)) {
        tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected %s%s%s%s", text,
                  p->range ? "a value in " : "a finite number", p->range ? p->range : "",
                  p->unit ? " " : "", p->unit ? p->unit : "");
        wrong_value(d, p, g, i, &err);
        return fallback_number(p);
    }
    return value;
}

static void record_numbers(tac_declare *d, const tac_param_def *p, const char *kind,
                           const double *values, size_t count, bool list)
{
    char number[TAC__NUMBER_TEXT];
    if (count == 1 && !list) { // most parameters
        tac__number_print(*values, number);
        record(d, p, kind, number, NULL);
        return;
    }
    tac__text text;
    tac__text_init(&text, d->arena->allocator);
    for (size_t i = 0; i < count; i++) {
        tac__number_print(values[i], number);
        tac__text_add(&text, "%s%s", i ? ", " : list ? "[" : "", number);
    }
    if (list)
        tac__text_add(&text, count ? "]" : "[]");
    if (text.failed || !text.chars)
        tac__declare_no_memory(d);
    else
        record(d, p, kind, text.chars, NULL);
    tac__text_fini(&text);
}

double tac_param_f64(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    given g;
    const double value = look_up(d, p, false, &g) ? read_number(d, p, &g, 0) : 0;
    record_numbers(d, p, "f64", &value, 1, false);
    return value;
}

void tac_param_array(tac_declare *d, const tac_param_def *p, double *values, size_t count)
{
    KNOWN(p);
    given g;
    memset(values, 0, count * sizeof *values);
    if (look_up(d, p, true, &g)) {
        if (g.list && g.count != count) {
            tac_error err;
            tac__fail(&err, TAC_E_TYPE, "expected %zu numbers, found %zu", count, g.count);
            wrong_value(d, p, &g, WHOLE, &err);
        } else {
            // A single value stands for all elements.
            for (size_t i = 0; i < count; i++)
                values[i] = read_number(d, p, &g, g.list ? i : 0);
        }
    }
    record_numbers(d, p, "array", values, count, true);
}

const double *tac_param_list(tac_declare *d, const tac_param_def *p, size_t max, size_t *count)
{
    KNOWN(p);
    given g;
    *count = 0;
    const bool found = look_up(d, p, true, &g);
    double *values =
        tac__arena_array(d->arena, found && g.count <= max ? g.count : 0, sizeof *values);
    if (!values)
        tac__declare_no_memory(d);
    if (values && found) {
        if (g.count > max) {
            tac_error err;
            tac__fail(&err, TAC_E_LIMIT, "expected at most %zu numbers, found %zu", max, g.count);
            wrong_value(d, p, &g, WHOLE, &err);
        } else {
            for (size_t i = 0; i < g.count; i++)
                values[i] = read_number(d, p, &g, i);
            *count = g.count;
        }
    }
    record_numbers(d, p, "list", values, *count, true);
    return values;
}

int64_t tac_param_int(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    given g;
    int64_t value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[ITEM_TEXT];
        const char *text = text_of(d, &g, 0, buffer);
        tac_error err;
        tac_error_clear(&err);
        const char *end;
        if (!tac__whole_parse(text, &end, &value))
            tac__fail(&err, TAC_E_RANGE, "'%s' is too large for a whole number", text);
        else if (end == text || *end)
            tac__fail(&err, TAC_E_TYPE, "'%s' is not a whole number", text);
        else if (!in_range(p->range, (double)value))
            tac__fail(&err, TAC_E_RANGE, "%s is out of range; expected a whole number in %s", text,
                      p->range);
        if (err.status != TAC_OK) {
            wrong_value(d, p, &g, 0, &err);
            value = 0;
            if (p->fallback)
                (void)tac__whole_parse(p->fallback, &end, &value);
        }
    }
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    record(d, p, "int", text, NULL);
    return value;
}

bool tac_param_bool(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    given g;
    bool value = false;
    if (look_up(d, p, false, &g)) {
        char buffer[ITEM_TEXT];
        const char *text = text_of(d, &g, 0, buffer);
        value = !strcmp(text, "true");
        if (!value && strcmp(text, "false"))
            wrong_form(d, p, &g, 0, "expected true or false");
    }
    record(d, p, "bool", value ? "true" : "false", NULL);
    return value;
}

tac_time tac_param_time(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    given g;
    tac_time value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[ITEM_TEXT];
        tac_error err;
        tac_error_clear(&err);
        if (tac_time_parse(text_of(d, &g, 0, buffer), &value, &err) == TAC_OK && p->range &&
            !in_range(p->range, (double)value / 1e6))
            tac__fail(&err, TAC_E_RANGE, "out of range; expected a time in %s s", p->range);
        if (err.status != TAC_OK) {
            wrong_value(d, p, &g, 0, &err);
            if (!p->fallback || tac_time_parse(p->fallback, &value, NULL) != TAC_OK)
                value = 0;
        }
    }
    char text[TAC_TIME_TEXT];
    tac_time_print(value, text);
    record(d, p, "time", text, NULL);
    return value;
}

const char *tac_param_text(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    given g;
    char buffer[ITEM_TEXT];
    const char *text = look_up(d, p, false, &g) ? text_of(d, &g, 0, buffer) : "";
    char *copy = tac__arena_text(d->arena, text);
    if (!copy)
        tac__declare_no_memory(d);
    record(d, p, "text", text, NULL);
    return copy ? copy : "";
}

static void record_words(tac_declare *d, const tac_param_def *p, const char *kind,
                         const char *const *words)
{
    tac__text text;
    tac__text_init(&text, d->arena->allocator);
    for (size_t i = 0; words[i]; i++)
        tac__text_add(&text, "%s%s", i ? ", " : "[", words[i]);
    tac__text_add(&text, words[0] ? "]" : "[]");
    if (text.failed)
        tac__declare_no_memory(d);
    else
        record(d, p, kind, text.chars, NULL);
    tac__text_fini(&text);
}

// An empty list with room for so many words of a parameter. Too many are a mistake, and then there
// is room for none.
static const char **make_words(tac_declare *d, const tac_param_def *p, const given *g, size_t max,
                               size_t *count)
{
    static const char *none[] = {NULL};
    if (*count > max) {
        tac_error err;
        tac__fail(&err, TAC_E_LIMIT, "expected at most %zu, found %zu", max, *count);
        wrong_value(d, p, g, WHOLE, &err);
        *count = 0;
    }
    const char **words = tac__arena_array(d->arena, *count + 1, sizeof *words);
    if (!words) {
        tac__declare_no_memory(d);
        *count = 0;
    }
    return words ? words : none;
}

const char *const *tac_param_words(tac_declare *d, const tac_param_def *p, size_t max,
                                   size_t *count)
{
    KNOWN(p);
    given g;
    *count = look_up(d, p, true, &g) ? g.count : 0;
    const char **words = make_words(d, p, &g, max, count);
    for (size_t i = 0; i < *count; i++) {
        char buffer[ITEM_TEXT];
        words[i] = tac__declare_own_text(d, text_of(d, &g, i, buffer));
    }
    record_words(d, p, "words", words);
    return words;
}

// While a type is only described, one name stands for all.
const char *const *tac_param_names(tac_declare *d, const tac_param_def *p, size_t max,
                                   size_t *count)
{
    KNOWN(p);
    const tac_node *node = take(d, p->name);
    if (node && tac_node_kind_of(node) != TAC_NODE_MAP) {
        fail_param(d, p, tac_node_place(node), TAC_E_TYPE, "expected a map of names");
        node = NULL;
    } else if (!node && !p->fallback) {
        fail_missing(d, p);
    }
    *count = d->plan ? tac_node_count(node) : 1;
    const char **names = make_words(d, p, &(given){.node = node}, max, count);
    const size_t keys = *count;
    *count = 0;
    for (size_t i = 0; i < keys; i++) {
        if (!d->plan)
            names[(*count)++] = "NAME";
        else if (!tac_node_is_null(tac_node_item(node, i)))
            names[(*count)++] = tac__declare_own_text(d, tac_node_key(node, i));
    }
    record_words(d, p, "names", names);
    return names;
}

// The content of a file decides results, not where the file lies: the hash of the content is
// recorded. A file that cannot be read is reported by the code that needs it.
static void record_file(tac_declare *d, const tac_param_def *p, const char *path)
{
    enum { LIMIT = 1 << 28 };
    const tac_allocator *allocator = d->arena->allocator;
    char text[32] = "";
    char *bytes;
    size_t size;
    tac__shapes *shapes = d->plan ? &d->plan->shapes : NULL;
    // The vehicles of a swarm name the same file: it is read once.
    if (shapes && shapes->file && !strcmp(shapes->file, path)) {
        record(d, p, "path", shapes->file_hash, NULL);
        return;
    }
    if (d->plan && *path && tac__file_read(path, LIMIT, allocator, &bytes, &size, NULL) == TAC_OK) {
        const uint64_t hash = tac__hash_end(tac__hash_bytes(TAC__HASH_SEED, bytes, size));
        snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
        tac__file_free(allocator, bytes, size);
        shapes->file = path; // in the arena of the plan
        memcpy(shapes->file_hash, text, sizeof text);
    }
    record(d, p, "path", text, NULL);
}

// "files/1/table.csv": below the folder of the file in which it is written.
static bool leads_below(const char *name)
{
    if (*name == '/')
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += *part == '/';
        const size_t length = strcspn(part, "/");
        if (length == 2 && part[0] == '.' && part[1] == '.')
            return false;
    }
    return true;
}

static const char *path_of(tac_declare *d, const tac_param_def *p, bool tool)
{
    given g;
    char buffer[ITEM_TEXT];
    const char *text = look_up(d, p, false, &g) ? text_of(d, &g, 0, buffer) : "";
    const char *file = g.node ? tac_node_place(g.node)->file : NULL;
    const char *untrusted = d->plan ? d->plan->def.untrusted : NULL;
    if (untrusted && file && !strcmp(file, untrusted)) {
        if (tool)
            return "";
        if (!leads_below(text)) {
            (void)tac_declare_fail(d, p->name, "'%s' is not opened: it leads out of the recording",
                                   text);
            return "";
        }
    }
    const char *path = *text ? tac__path_beside(d->arena, file, text) : "";
    if (!path)
        tac__declare_no_memory(d);
    return path;
}

const char *tac_param_path(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    const char *path = path_of(d, p, false);
    if (path)
        record_file(d, p, path);
    return path ? path : "";
}

const char *tac_param_tool(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    const char *path = path_of(d, p, true);
    record(d, p, "tool", "", NULL);
    return path ? path : "";
}

int tac_param_input(tac_declare *d, const tac_param_def *p)
{
    KNOWN(p);
    p_own.flags |= TAC_PARAM_TUNABLE;
    const double value = tac_param_f64(d, p);
    const int i =
        tac_declare_input(d, TAC_PORT(.name = p->name, .type = TAC_TYPE_F64, .unit = p->unit,
                                      .doc = p->doc, .flags = TAC_PORT_OPTIONAL));
    if (!d->failed) {
        d->instance->inputs.items[i].has_rest = true;
        d->instance->inputs.items[i].rest = value;
        if (!tac__scope_of(d)->peer)
            d->params[d->instance->param_count - 1].input = i;
    }
    return i;
}

static const char *choice_name(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

int tac_param_choice(tac_declare *d, const tac_param_def *p, const char *const *names)
{
    KNOWN(p);
    given g;
    int value = 0;
    if (look_up(d, p, false, &g)) {
        char buffer[ITEM_TEXT];
        const char *text = text_of(d, &g, 0, buffer);
        while (names[value] && strcmp(names[value], text))
            value++;
        if (!names[value]) {
            tac_error err;
            tac__fail(&err, TAC_E_NAME, "unknown choice '%s'; expected one of", text);
            for (int i = 0; names[i]; i++)
                tac__error_append(&err, "%s %s", i ? "," : "", names[i]);
            tac__error_suggest(&err, text, choice_name, names);
            wrong_value(d, p, &g, 0, &err);
            value = 0;
        }
    }
    record(d, p, "choice", names[value], names);
    return value;
}

TAC_PRINTF(4, 0)
static tac_status fail_with(tac_declare *d, const char *param, const tac_place *place,
                            const char *format, va_list args)
{
    tac_error err;
    char text[512];
    tac__vprint(text, sizeof text, format, args);
    tac__fail_at(&err, TAC_E_CONFIG, place, "%s", text);
    if (param)
        tac__error_context(&err, "checking parameter '%s' of '%s'", param, d->instance->name);
    tac__declare_keep(d, &err);
    return TAC_E_CONFIG;
}

tac_status tac_declare_fail(tac_declare *d, const char *param, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const tac_status status = fail_with(d, param, tac__param_place(d, param), format, args);
    va_end(args);
    return status;
}

tac_status tac_declare_fail_at(tac_declare *d, const char *param, uint32_t column,
                               const char *format, ...)
{
    const char *text = tac_node_text(node_of(d, param));
    const tac_place place =
        tac__place_inside(tac__param_place(d, param), text ? text : "", column ? column - 1 : 0);
    va_list args;
    va_start(args, format);
    const tac_status status = fail_with(d, param, &place, format, args);
    va_end(args);
    return status;
}

void tac_declare_warn(tac_declare *d, const char *param, const char *format, ...)
{
    if (!d->plan)
        return;
    char text[512];
    va_list args;
    va_start(args, format);
    tac__vprint(text, sizeof text, format, args);
    va_end(args);
    const tac_place *place = tac__param_place(d, param);
    if (place->line)
        tac__warn(d->plan, place, "%s", text);
    else // made by a program: there is no file to point at
        tac__warn(d->plan, NULL, "component '%s': %s", d->instance->name, text);
}

// --- parameters inside parameters -------------------------------------------------------------

void tac__scope_begin(tac_declare *d, const tac_node *map, const char *prefix, bool peer)
{
    TAC_ASSERT(d->depth + 1 < TAC__SCOPES_MAX);
    tac__scope *scope = &d->scopes[++d->depth];
    *scope = (tac__scope){.map = map, .prefix = prefix, .peer = peer};
    if (!map || peer)
        return;
    scope->used = tac__arena_array(d->meta, tac_node_count(map), sizeof *scope->used);
    if (!scope->used)
        tac__declare_no_memory(d);
    // A key without a value counts as absent, so it need not be used.
    for (size_t i = 0; scope->used && i < tac_node_count(map); i++)
        scope->used[i] = tac_node_is_null(tac_node_item(map, i));
}

// The name of a parameter inside the present map; NULL where it belongs to another map.
static const char *local_name(const tac_declare *d, size_t i)
{
    const tac__scope *scope = &d->scopes[d->depth];
    const char *name = d->instance->params[i].name;
    const size_t prefix = strlen(scope->prefix);
    if (strncmp(name, scope->prefix, prefix) || strpbrk(name + prefix, ".["))
        return NULL;
    return name + prefix;
}

static void fail_unknown(tac_declare *d, const char *key, const tac_place *place)
{
    tac__nearest nearest = tac__nearest_begin(key);
    tac__fail_at(&d->error, TAC_E_NAME, place, "unknown parameter '%s' of type '%s'", key,
                 d->instance->type->name);
    for (size_t i = 0; i < d->instance->param_count; i++) {
        if (local_name(d, i))
            tac__nearest_offer(&nearest, local_name(d, i));
    }
    if (nearest.best)
        tac__error_append(&d->error, "; did you mean '%s'?", nearest.best);
    const char *comma = "; it has";
    for (size_t i = 0; !nearest.best && i < d->instance->param_count; i++) {
        if (!local_name(d, i))
            continue;
        tac__error_append(&d->error, "%s %s", comma, local_name(d, i));
        comma = ",";
    }
    if (!nearest.best && *comma == ';')
        tac__error_append(&d->error, "; it has none");
    d->failed = d->unknown = true;
}

// A key that does not exist is reported before a parameter that is missing or faulty: it is the
// likelier cause. Without memory, or after a definition that could not be read, the valid keys are
// not known.
void tac__scope_end(tac_declare *d)
{
    const tac__scope *scope = tac__scope_of(d);
    const bool lost =
        d->failed && (d->error.status == TAC_E_MEMORY || d->error.status == TAC_E_ABI);
    const size_t keys = scope->used && !lost && !d->unknown ? tac_node_count(scope->map) : 0;
    for (size_t i = 0; i < keys && !d->unknown; i++) {
        if (!scope->used[i])
            fail_unknown(d, tac_node_key(scope->map, i), tac_node_key_place(scope->map, i));
    }
    d->depth--;
}

// The i-th map under a parameter: its own one, or an item of a list.
static const tac_node *map_at(const tac_node *node, size_t i)
{
    return node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE ? tac_node_item(node, i) : node;
}

size_t tac_param_items(tac_declare *d, const tac_param_def *p, size_t max)
{
    KNOWN(p);
    const tac_node *node = take(d, p->name);
    const bool none = p->fallback && *p->fallback == '[';
    size_t count = none ? 0 : 1;
    if (node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE)
        count = tac_node_count(node);
    else if (node)
        count = 1;
    else if (!p->fallback)
        fail_missing(d, p);
    for (size_t i = 0; node && i < count; i++) {
        const tac_node *map = map_at(node, i);
        if (tac_node_kind_of(map) == TAC_NODE_MAP)
            continue;
        fail_param(d, p, tac_node_place(map), TAC_E_TYPE, "expected a map of parameters");
        count = 0;
    }
    if (count > max) {
        tac_error err;
        tac__fail(&err, TAC_E_LIMIT, "expected at most %zu, found %zu", max, count);
        mistake(d, p, tac_node_place(node), &err);
        count = max;
    }
    char text[32];
    snprintf(text, sizeof text, "%zu", count);
    record(d, p, "maps", text, NULL);
    return d->plan ? count : 1; // without a plan: one map, to list its keys
}

void tac_param_begin(tac_declare *d, const char *name, size_t i)
{
    const tac__scope *scope = tac__scope_of(d);
    const tac_node *node = scope->map ? tac_node_get(scope->map, name) : NULL;
    if (node && tac_node_is_null(node))
        node = NULL;
    const tac_node *map = map_at(node, i);
    if (map && tac_node_kind_of(map) != TAC_NODE_MAP)
        map = NULL;
    const bool list = node && tac_node_kind_of(node) == TAC_NODE_SEQUENCE;
    char number[32] = "";
    if (list)
        snprintf(number, sizeof number, "[%zu]", i);
    const char *prefix = tac__arena_format(d->meta, "%s%s%s.", scope->prefix, name, number);
    if (!prefix)
        tac__declare_no_memory(d);
    tac__scope_begin(d, map, prefix ? prefix : "", scope->peer);
}

void tac_param_end(tac_declare *d)
{
    TAC_ASSERT(d->depth > 0);
    tac__scope_end(d);
}

bool tac_param_peer_begin(tac_declare *d, const char *component)
{
    if (!d->plan) {
        tac__scope_begin(d, NULL, "", true);
        return true;
    }
    const char *entity = d->plan->entities[d->entity].name;
    char *full = tac__arena_format(d->meta, "%s%s%s", entity, *entity ? "." : "", component);
    const tac__component *peer = full ? tac__find_component(d->plan, full) : NULL;
    if (!full)
        tac__declare_no_memory(d);
    else if (!peer)
        (void)tac_declare_fail(
            d, NULL, "needs component '%s', which must stand before it in the file", full);
    if (peer)
        tac__scope_begin(d, peer->param_node, "", true);
    return peer != NULL;
}
