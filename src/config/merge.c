// merge.c - the three ways in which a tree changes between reading and checking: variables are
// expanded, files are extended, values are set from the command line.
#define _XOPEN_SOURCE 700 // realpath

#include "config/merge.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/yaml.h"
#include "expr/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- variables ------------------------------------------------------------------------------

enum { EXPANDED_MAX = 1 << 16 };

const char *tac__lookup_environment(void *context, const char *name)
{
    (void)context;
    return getenv(name);
}

static const char *find_variable(const tac__variables *variables, const char *name)
{
    for (size_t i = 0; i < variables->count; i++) {
        if (strcmp(variables->table[i].name, name) == 0)
            return variables->table[i].value;
    }
    if (!variables->lookup)
        return NULL;
    const char *value = variables->lookup(variables->context, name);
    (void)tac__floats_kept();
    return value;
}

// --- expressions of variables

typedef struct names {
    const char *const *items;
    size_t count;
} names;

// Names are those of `values`, in their order.
static bool find_value(const void *context, const char *name, tac__expr_signal *signal)
{
    const names *n = context;
    for (size_t i = 0; i < n->count; i++) {
        if (!strcmp(n->items[i], name)) {
            *signal = (tac__expr_signal){.index = (int)i, .type = TAC__EXPR_NUMBER};
            return true;
        }
    }
    return false;
}

static bool is_of_word(char c)
{
    return tac__is_alnum(c) || c == '_';
}

// Where a name stands in an expression, in characters.
static uint32_t find_word(const char *expression, const char *name)
{
    const size_t n = strlen(name);
    uint32_t at = 0;
    for (const char *c = expression; *c; c++) {
        if (!strncmp(c, name, n) && !is_of_word(c[n]) && (c == expression || !is_of_word(c[-1])))
            return at;
        at += ((unsigned char)*c & 0xC0) != 0x80;
    }
    return 0;
}

// The number that a name in an expression stands for.
static tac_status read_name(const tac_node *scalar, const char *expression, const char *name,
                            const tac__variables *variables, double *value, tac_error *err)
{
    const char *text = tac__name_valid(name) ? find_variable(variables, name) : NULL, *end = "";
    if (text)
        *value = tac__number_parse(text, &end);
    if (text && end != text && !*end)
        return TAC_OK;
    char excerpt[TAC_ERROR_NAME];
    const tac_place place =
        tac__node_place_of(scalar, expression, find_word(expression, name), excerpt);
    if (text)
        return tac__fail_at(err, TAC_E_TYPE, &place, "variable '%s' is '%s', not a number", name,
                            text);
    tac__fail_at(err, TAC_E_NAME, &place, "variable '%s' has no value", name);
    for (size_t i = 0; i < variables->count; i++)
        tac__error_append(err, "%s%s", i ? ", " : "; here there are ", variables->table[i].name);
    if (!variables->count)
        tac__error_append(err, "; i and n have one in an entity with a count");
    return TAC_E_NAME;
}

// An error in an expression has a column in its text: convert that to a place in the file.
static tac_status place_expression(const tac_node *scalar, const char *text, tac_status status,
                                   tac_error *err)
{
    if (!err)
        return status;
    char excerpt[TAC_ERROR_NAME];
    const tac_place place =
        tac__node_place_of(scalar, text, err->column ? err->column - 1 : 0, excerpt);
    err->column = 0;
    err->caret = 0;
    err->excerpt[0] = '\0';
    tac__error_place(err, &place);
    if (!strchr(text, '\n'))
        tac__error_context(err, "evaluating '%s'", text);
    return status;
}

static tac_status run_expression(tac__arena *arena, const tac_node *scalar, const char *text,
                                 const tac__variables *variables, tac__text *out, tac_error *err)
{
    tac__expr *expr;
    tac_status status = tac__expr_parse(arena, text, &expr, err);
    if (status != TAC_OK)
        return place_expression(scalar, text, status, err);
    names n;
    n.items = tac__expr_signals(expr, &n.count);
    double *values = tac__arena_array(arena, n.count, sizeof *values);
    const void **at = tac__arena_array(arena, n.count, sizeof *at);
    if (!values || !at)
        return tac__fail_memory(err);
    for (size_t i = 0; i < n.count; i++) {
        TAC_TRY(read_name(scalar, text, n.items[i], variables, &values[i], err));
        at[i] = &values[i];
    }
    char excerpt[TAC_ERROR_NAME];
    const tac_place place = tac__node_place_of(scalar, text, 0, excerpt);
    if (tac__expr_memory(expr))
        return tac__fail_at(err, TAC_E_CONFIG, &place,
                            "'%s' depends on what was before; here nothing was", text);
    tac__program *program;
    const tac__expr_scope scope = {.find = find_value, .context = &n};
    status = tac__expr_compile(arena, expr, TAC__EXPR_ANY, NULL, &scope, &program, err);
    if (status != TAC_OK)
        return place_expression(scalar, text, status, err);
    const bool truth = tac__expr_type_of(expr) == TAC__EXPR_BOOL;
    tac__unit bare;
    TAC_TRY(tac__unit_parse("1", &bare, err));
    if (!truth && !tac__unit_same(tac__expr_unit_of(expr), &bare))
        return tac__fail_at(err, TAC_E_UNIT, &place,
                            "'%s' has a unit; expected a bare number, with the unit behind it: "
                            "${= ...} m",
                            text);
    const tac__expr_result result = tac__program_run_at(program, 0, at);
    if (result.nan || !isfinite(result.value))
        return tac__fail_at(err, TAC_E_RANGE, &place, "'%s' is no finite number", text);
    char number[TAC__NUMBER_TEXT];
    tac__number_print(result.value, number);
    if (truth)
        tac__text_add(out, "%s", result.value != 0 ? "true" : "false");
    else
        tac__text_add(out, "%s", number);
    return TAC_OK;
}

// Evaluate what stands between "${=" and `close`.
static tac_status expand_expression(const tac_node *scalar, const char *from, const char *close,
                                    const tac__variables *variables, tac__text *out, tac_error *err)
{
    tac__arena arena;
    tac__arena_init(&arena, out->allocator);
    from += strspn(from, " ");
    const char *text = tac__arena_format(&arena, "%.*s", (int)(close - from), from);
    const tac_status status =
        text ? run_expression(&arena, scalar, text, variables, out, err) : tac__fail_memory(err);
    tac__arena_fini(&arena);
    return status;
}

// Expand the variable at `at` ("${NAME...") into `out`; *end is set to what follows it.
static tac_status expand_one(const tac_node *scalar, const char *at,
                             const tac__variables *variables, tac__text *out, const char **end,
                             tac_error *err)
{
    const char *name = at + 2, *close = strchr(name, '}');
    const size_t length = strcspn(name, ":}");
    char piece[TAC_ERROR_NAME], excerpt[TAC_ERROR_NAME];
    snprintf(piece, sizeof piece, "%.*s", close ? (int)(close + 1 - at) : (int)strlen(at), at);
    const tac_place place = tac__node_place_of(scalar, piece, 0, excerpt);
    if (!close)
        return tac__fail_at(err, TAC_E_SYNTAX, &place,
                            "'${' without '}'; write '$${' for the characters themselves");
    if (*name == '=') {
        TAC_TRY(expand_expression(scalar, name + 1, close, variables, out, err));
        *end = close + 1;
        return TAC_OK;
    }
    char word[TAC_ERROR_NAME] = "";
    if (length < sizeof word)
        memcpy(word, name, length);
    if (!tac__name_valid(word))
        return tac__fail_at(err, TAC_E_SYNTAX, &place, "'%.*s' is not the name of a variable",
                            (int)(length < sizeof word ? length : sizeof word), name);
    const char *value = find_variable(variables, word), *fallback = name + length + 1;
    if (value)
        tac__text_bytes(out, value, strlen(value));
    else if (name[length] == ':')
        tac__text_bytes(out, fallback, (size_t)(close - fallback));
    else if (variables->untrusted)
        return tac__fail_at(err, TAC_E_NAME, &place,
                            "variable '%s' is not looked up: this is data of others", word);
    else
        return tac__fail_at(err, TAC_E_NAME, &place,
                            "variable '%s' has no value; set it, or give a default: ${%s:...}",
                            word, word);
    *end = close + 1;
    return TAC_OK;
}

static tac_status expand_text(const tac_node *scalar, const tac__variables *variables,
                              tac__text *out, tac_error *err)
{
    for (const char *c = tac_node_text(scalar); *c;) {
        if (strncmp(c, "$${", 3) == 0) {
            tac__text_bytes(out, "${", 2);
            c += 3;
        } else if (strncmp(c, "${", 2) == 0) {
            TAC_TRY(expand_one(scalar, c, variables, out, &c, err));
            if (out->length > EXPANDED_MAX)
                return tac__fail_at(err, TAC_E_LIMIT, tac_node_place(scalar),
                                    "longer than %d bytes after expansion", EXPANDED_MAX);
        } else {
            const size_t n = 1 + strcspn(c + 1, "$");
            tac__text_bytes(out, c, n);
            c += n;
        }
    }
    return out->failed ? tac__fail_memory(err) : TAC_OK;
}

// Whether a text is one variable and nothing else.
static bool is_variable(const char *text)
{
    const char *close = strchr(text, '}');
    return strncmp(text, "${", 2) == 0 && close && !close[1];
}

// Count `n` bytes of text that a variable has made.
static tac_status count_text(tac_document *doc, const tac_node *scalar, size_t n, tac_error *err)
{
    tac__document_size size = tac__document_size_of(doc);
    size.bytes += n;
    tac__document_set_size(doc, size);
    if (size.bytes > TAC__YAML_TEXT)
        return tac__fail_at(err, TAC_E_LIMIT, tac_node_place(scalar),
                            "more than %d MiB of text in a configuration", TAC__YAML_TEXT >> 20);
    return TAC_OK;
}

static tac_status expand_scalar(tac_document *doc, tac_node *scalar,
                                const tac__variables *variables, tac_error *err)
{
    const char *text = tac_node_text(scalar);
    if (tac__node_expanded(scalar) || !strstr(text, "${"))
        return TAC_OK;
    tac__arena *arena = tac__document_arena(doc);
    tac__text out;
    tac__text_init(&out, arena->allocator);
    tac_status status = expand_text(scalar, variables, &out, err);
    if (status == TAC_OK)
        status = count_text(doc, scalar, out.length, err);
    if (status == TAC_OK) {
        const char *expanded = tac__arena_text(arena, out.chars ? out.chars : "");
        if (expanded)
            tac__node_set_expanded(scalar, expanded, tac_node_quoted(scalar) && !is_variable(text));
        else
            status = tac__fail_memory(err);
    }
    tac__text_fini(&out);
    return status;
}

tac_status tac__expand(tac_document *doc, tac_node *node, const tac__variables *variables,
                       tac_error *err)
{
    TAC_REQUIRE(doc && node && variables);
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR)
        return expand_scalar(doc, node, variables, err);
    for (size_t i = 0; i < tac_node_count(node); i++) {
        if (!tac__node_shared(node, i)) // what is shared has no variables
            TAC_TRY(tac__expand(doc, tac__node_item_mutable(node, i), variables, err));
    }
    return TAC_OK;
}

// --- inheritance ----------------------------------------------------------------------------

static bool is_map(const tac_node *node)
{
    return node && tac_node_kind_of(node) == TAC_NODE_MAP;
}

tac_status tac__merge(tac_document *doc, tac_node *base, tac_node *over, tac_error *err)
{
    TAC_REQUIRE(doc && is_map(base) && is_map(over));
    for (size_t k = 0; k < tac_node_count(over); k++) {
        const char *key = tac_node_key(over, k);
        tac_node *value = tac__node_item_mutable(over, k);
        if (is_map(value)) {
            // A new map is merged, too, so that its nulls are removed.
            const size_t i = tac__node_find(base, key);
            tac_node *inner = i != SIZE_MAX && is_map(tac_node_item(base, i))
                                  ? tac__node_own(doc, base, i)
                                  : tac_node_map(doc, NULL);
            if (!inner)
                return tac__fail_memory(err);
            TAC_TRY(tac__merge(doc, inner, value, err));
            tac__node_set_place(inner, tac_node_place(value));
            value = inner;
        }
        if (tac_node_set(doc, base, key, tac_node_key_place(over, k), value) != TAC_OK)
            return tac__fail_memory(err);
    }
    tac__node_remove_nulls(base);
    return TAC_OK;
}

const char *tac__node_path_beside(tac_document *doc, const tac_node *scalar)
{
    return tac__path_beside(tac__document_arena(doc), tac_node_place(scalar)->file,
                            tac_node_text(scalar));
}

// A file being read, and the file that extends it.
typedef struct origin {
    const struct origin *outer;
    const char *name, *identity;
} origin;

typedef struct resolver {
    tac_document *doc;
    const tac__extends_def *def;
    tac_error *err;
    unsigned files;
} resolver;

static void print_chain(tac_error *err, const origin *at)
{
    if (at->outer)
        print_chain(err, at->outer);
    tac__error_append(err, "%s -> ", at->name);
}

static tac_status check_chain(const resolver *r, const tac_node *scalar, const origin *at)
{
    const tac_place *place = tac_node_place(scalar);
    unsigned depth = 0;
    for (const origin *outer = at->outer; outer; outer = outer->outer) {
        if (strcmp(outer->identity, at->identity) == 0) {
            tac__fail_at(r->err, TAC_E_CYCLE, place, "'%s' extends itself: ", at->name);
            print_chain(r->err, at->outer);
            tac__error_append(r->err, "%s", at->name);
            return TAC_E_CYCLE;
        }
        if (++depth > TAC__EXTENDS_DEPTH)
            return tac__fail_at(r->err, TAC_E_LIMIT, place,
                                "more than %d files extend each other in a row",
                                TAC__EXTENDS_DEPTH);
    }
    return TAC_OK;
}

static tac_status resolve(resolver *r, tac_node *node, const origin *at, unsigned depth);

static tac_status read_origin(resolver *r, const tac_node *scalar, const origin *at, unsigned depth,
                              tac_node **base)
{
    TAC_TRY(check_chain(r, scalar, at));
    if (++r->files > TAC__EXTENDS_FILES)
        return tac__fail_at(r->err, TAC_E_LIMIT, tac_node_place(scalar),
                            "more than %d files are extended", TAC__EXTENDS_FILES);
    const tac__extends_def *def = r->def;
    if (def->seen && !def->seen(def->seen_context, at->name))
        return tac__fail_memory(r->err);
    tac_status status = def->read ? def->read(def->context, r->doc, at->name, depth, base, r->err)
                                  : tac__yaml_read_file(r->doc, at->name, depth, base, r->err);
    if (status == TAC_OK && !is_map(*base))
        status = tac__fail_at(r->err, TAC_E_TYPE, tac_node_place(*base),
                              "a file that is extended must hold a map");
    if (status == TAC_OK)
        status = resolve(r, *base, at, depth);
    if (status != TAC_OK && status != TAC_E_CYCLE && r->err) {
        const tac_place *place = tac_node_place(scalar);
        tac__error_place(r->err, place); // a file that cannot be read has no place of its own
        if (place->line && strcmp(r->err->file, place->file) != 0)
            tac__error_context(r->err, "reading '%s', extended at %s:%u:%u", at->name, place->file,
                               place->line, place->column);
    }
    return status;
}

// Read one file that is extended, with all that it extends itself.
static tac_status read_base(resolver *r, tac_node *scalar, const origin *outer, unsigned depth,
                            tac_node **base)
{
    const tac_place *place = tac_node_place(scalar);
    if (tac_node_kind_of(scalar) != TAC_NODE_SCALAR || tac_node_is_null(scalar))
        return tac__fail_at(r->err, TAC_E_TYPE, place,
                            "'extends' expects the name of a file or a list of names");
    TAC_TRY(expand_scalar(r->doc, scalar, &r->def->variables, r->err));
    if (!*tac_node_text(scalar))
        return tac__fail_at(r->err, TAC_E_CONFIG, place, "'extends' has an empty name of a file");
    const char *name = tac__node_path_beside(r->doc, scalar);
    if (!name)
        return tac__fail_memory(r->err);
    char *real = r->def->read ? NULL : realpath(name, NULL);
    const tac_status status =
        read_origin(r, scalar, &(origin){outer, name, real ? real : name}, depth, base);
    free(real);
    return status;
}

// `depth` counts the maps and lists around `map`.
static tac_status resolve_map(resolver *r, tac_node *map, const origin *at, unsigned depth)
{
    tac_node *extends = tac__node_get_mutable(map, "extends");
    if (!extends)
        return TAC_OK;
    tac__node_remove(map, "extends");
    if (tac_node_is_null(extends))
        return TAC_OK;
    const bool list = tac_node_kind_of(extends) == TAC_NODE_SEQUENCE;
    const size_t count = list ? tac_node_count(extends) : 1;
    tac_node *base = NULL;
    for (size_t i = 0; i < count; i++) {
        tac_node *next;
        TAC_TRY(
            read_base(r, list ? tac__node_item_mutable(extends, i) : extends, at, depth, &next));
        if (base)
            TAC_TRY(tac__merge(r->doc, base, next, r->err));
        else
            base = next;
    }
    if (!base)
        return TAC_OK;
    TAC_TRY(tac__merge(r->doc, base, map, r->err));
    tac__node_take(map, base);
    return TAC_OK;
}

static tac_status resolve(resolver *r, tac_node *node, const origin *at, unsigned depth)
{
    for (size_t i = 0; i < tac_node_count(node); i++) {
        const char *key = tac_node_key(node, i);
        if (!key || strcmp(key, "extends") != 0)
            TAC_TRY(resolve(r, tac__node_item_mutable(node, i), at, depth + 1));
    }
    return is_map(node) ? resolve_map(r, node, at, depth) : TAC_OK;
}

tac_status tac__extends_resolve(tac_document *doc, tac_node *root, const tac__extends_def *def,
                                tac_error *err)
{
    TAC_REQUIRE(doc && root && def);
    const char *file = tac_node_place(root)->file, *name = file ? file : "(no file)";
    resolver r = {.doc = doc, .def = def, .err = err};
    char *real = file && !def->read ? realpath(file, NULL) : NULL;
    const tac_status status = resolve(&r, root, &(origin){NULL, name, real ? real : name}, 0);
    free(real);
    return status;
}

// --- overrides ------------------------------------------------------------------------------

typedef struct step {
    const char *key; // digits or "+" where `position`
    bool position;   // written as [3], or as [+] for a new item at the end
    tac_place place;
} step;

typedef struct setter {
    tac_document *doc;
    const char *argument, *excerpt; // kept in the document; the excerpt is the first line
    step steps[TAC__YAML_DEPTH];
    size_t count;
    tac_error *err;
} setter;

static tac_place place_in(const setter *s, const char *at)
{
    uint32_t column = 1;
    for (const char *c = s->argument; c < at; c++)
        column += ((unsigned char)*c & 0xC0) != 0x80;
    return (tac_place){"--set", 1, column, s->excerpt};
}

// One key or position, from `at` up to `end`.
static tac_status add_step(setter *s, const char *at, const char *end, bool position)
{
    const tac_place place = place_in(s, at);
    if (end == at)
        return tac__fail_at(s->err, TAC_E_USAGE, &place, "expected %s",
                            position ? "a position in a list" : "a key");
    const size_t length = (size_t)(end - at);
    if (position && strspn(at, "0123456789") < length && !(length == 1 && *at == '+'))
        return tac__fail_at(s->err, TAC_E_USAGE, &place,
                            "a position in a list is a number, or + for a new item at the end");
    if (s->count == TAC__YAML_DEPTH)
        return tac__fail_at(s->err, TAC_E_LIMIT, &place, "a path has at most %d parts",
                            TAC__YAML_DEPTH);
    const char *key = tac__arena_format(tac__document_arena(s->doc), "%.*s", (int)(end - at), at);
    if (!key)
        return tac__fail_memory(s->err);
    s->steps[s->count++] = (step){key, position, place};
    return TAC_OK;
}

// Split "a.b[0]=value" into steps; *value is set to what follows the '='.
static tac_status split_path(setter *s, const char **value)
{
    for (const char *c = s->argument;; c++) {
        const char *at = c, *end;
        if (*at == '"') {
            at++;
            end = strchr(at, '"');
            c = end ? end + 1 : c;
        } else {
            end = c += strcspn(c, ".[=");
            if (*c == '=' && end > at + 1 && end[-1] == '+') {
                const tac_place plus = place_in(s, end - 1);
                return tac__fail_at(s->err, TAC_E_USAGE, &plus,
                                    "to append to the list '%.*s', write %.*s[+]=value",
                                    (int)(end - 1 - at), at, (int)(end - 1 - at), at);
            }
        }
        const tac_place place = place_in(s, at);
        if (!end)
            return tac__fail_at(s->err, TAC_E_USAGE, &place, "the quote is not closed");
        TAC_TRY(add_step(s, at, end, false));
        while (*c == '[') {
            at = c + 1;
            end = strchr(at, ']');
            const tac_place bracket = place_in(s, c);
            if (!end)
                return tac__fail_at(s->err, TAC_E_USAGE, &bracket, "the bracket is not closed");
            TAC_TRY(add_step(s, at, end, true));
            c = end + 1;
        }
        if (*c == '=') {
            *value = c + 1;
            return TAC_OK;
        }
        const tac_place after = place_in(s, c);
        if (!*c)
            return tac__fail_at(s->err, TAC_E_USAGE, &after, "expected path=value");
        if (*c != '.')
            return tac__fail_at(s->err, TAC_E_USAGE, &after, "expected '.', '[' or '='");
    }
}

static tac_status read_value(setter *s, const char *value, tac_node **node)
{
    if (!value[strspn(value, " \t")]) {
        const tac_place place = place_in(s, value);
        return tac__fail_at(s->err, TAC_E_USAGE, &place,
                            "no value; write '' for an empty text, ~ to remove the key");
    }
    const tac__yaml_source source = {.name = "--set",
                                     .bytes = s->argument,
                                     .length = strlen(s->argument),
                                     .start = (size_t)(value - s->argument),
                                     .depth = (unsigned)s->count};
    return tac__yaml_read_text(s->doc, &source, node, s->err);
}

static bool appends(const step *at)
{
    return at->position && *at->key == '+';
}

// Make the empty map or list into which a step leads.
static tac_node *make_for(const setter *s, const step *into)
{
    return appends(into) ? tac_node_sequence(s->doc, &into->place)
                         : tac_node_map(s->doc, &into->place);
}

// The position in `list` that a step names.
static tac_status find_item(const setter *s, const step *at, const tac_node *list, size_t *i)
{
    const size_t digits = strspn(at->key, "0123456789"), count = tac_node_count(list);
    if (at->key[digits])
        return tac__fail_at(s->err, TAC_E_USAGE, &at->place,
                            "a list of %zu stands here: expected a position, not '%s'", count,
                            at->key);
    *i = digits < 10 ? tac__digits_parse(at->key, NULL, 10) : SIZE_MAX;
    if (*i >= count)
        return tac__fail_at(s->err, TAC_E_RANGE, &at->place,
                            "no item %s in a list of %zu; the first is 0", at->key, count);
    return TAC_OK;
}

// Append to `list` the item that `at` stands for: `value` where it is the last step, otherwise what
// the step after it needs. `*item` is the new item.
static tac_status append(setter *s, const step *at, tac_node *list, tac_node *value,
                         tac_node **item)
{
    const bool last = at + 1 == s->steps + s->count;
    *item = last ? value : make_for(s, at + 1);
    return *item && tac_node_append(s->doc, list, *item) == TAC_OK ? TAC_OK
                                                                   : tac__fail_memory(s->err);
}

// Put `value` where the steps lead from `node`.
static tac_status put(setter *s, tac_node *node, tac_node *value)
{
    for (size_t k = 0;; k++) {
        const step *at = &s->steps[k];
        const bool last = k + 1 == s->count;
        tac_node *next;
        if (tac_node_kind_of(node) == TAC_NODE_SEQUENCE && appends(at)) {
            TAC_TRY(append(s, at, node, value, &next));
        } else if (tac_node_kind_of(node) == TAC_NODE_SEQUENCE) {
            size_t i = 0;
            TAC_TRY(find_item(s, at, node, &i));
            next = tac__node_item_mutable(node, i);
            if (last)
                tac__node_replace(node, i, value);
        } else if (is_map(node) && !at->position) {
            next = tac__node_get_mutable(node, at->key);
            if (last || tac_node_is_null(next)) {
                // Nothing to remove, or the path to it does not exist: done.
                if (tac_node_is_null(value)) {
                    tac__node_remove(node, at->key);
                    return TAC_OK;
                }
                next = last ? value : make_for(s, at + 1);
                if (!next || tac_node_set(s->doc, node, at->key, &at->place, next) != TAC_OK)
                    return tac__fail_memory(s->err);
            }
        } else {
            return tac__fail_at(s->err, TAC_E_TYPE, &at->place, "%s stands here, not a %s",
                                is_map(node) ? "a map" : "a plain value",
                                at->position ? "list" : "map");
        }
        if (last)
            return TAC_OK;
        node = next;
    }
}

// An item of a list cannot be removed by its absence: ~ is nothing to append.
static tac_status check_appended(const setter *s, const tac_node *value)
{
    for (size_t k = 0; tac_node_is_null(value) && k < s->count; k++) {
        if (appends(&s->steps[k]))
            return tac__fail_at(s->err, TAC_E_USAGE, &s->steps[k].place,
                                "there is nothing to append: the value is ~");
    }
    return TAC_OK;
}

tac_status tac__set(tac_document *doc, const char *argument, tac_error *err)
{
    TAC_REQUIRE(doc && argument);
    setter s = {.doc = doc, .err = err};
    s.argument = tac__arena_text(tac__document_arena(doc), argument);
    s.excerpt = tac__arena_format(tac__document_arena(doc), "%.*s", (int)strcspn(argument, "\r\n"),
                                  argument);
    if (!s.argument || !s.excerpt)
        return tac__fail_memory(err);
    const char *text = NULL;
    tac_node *value = NULL;
    TAC_TRY(split_path(&s, &text));
    TAC_TRY(read_value(&s, text, &value));
    TAC_TRY(check_appended(&s, value));
    if (!tac_document_root(doc))
        tac_document_set_root(doc, tac_node_map(doc, NULL));
    if (!tac_document_root(doc))
        return tac__fail_memory(err);
    return put(&s, tac_document_root(doc), value);
}
