// schema.c - the JSON Schema of spec tables.
//
// A scalar may always be written with a variable, so wherever a number is expected a string with
// "${" in it is too. Each map may have `extends`. Specs become $defs, so that they may be shared
// and recursive. A key that is not required may be null, which means absent.
#include "base/text.h"
#include "config/spec_parts.h"

#include <math.h>
#include <string.h>

#define VARIABLE "[$][{]"
#define DIGITS   "[0-9][0-9_]*"
#define DECIMAL  "([.]" DIGITS "|" DIGITS "([.][0-9_]*)?)([eE][-+]?[0-9]+)?"
#define NUMBER   "([.][0-9]+|[0-9]+([.][0-9]*)?)([eE][-+]?[0-9]+)?"
#define NAME     "[A-Za-z_][A-Za-z0-9_]*"

// The JSON types of a scalar, and what its text must match where it is a string.
static const struct {
    const char *types[3], *pattern;
} forms[] = {
    [TAC__KIND_TEXT] = {{"string", "number", "boolean"}, NULL},
    [TAC__KIND_NAME] = {{"string"}, "^" NAME "$|" VARIABLE},
    [TAC__KIND_PATTERN] = {{"string"}, "^[^ \\t\\n]+$|" VARIABLE},
    [TAC__KIND_PATH] = {{"string"}, "."},
    [TAC__KIND_BOOL] = {{"boolean", "string"}, VARIABLE},
    [TAC__KIND_INTEGER] = {{"integer", "string"}, "^[-+]?0x[0-9a-fA-F]+$|" VARIABLE},
    [TAC__KIND_NUMBER] = {{"number", "string"}, VARIABLE},
    [TAC__KIND_TIME] = {{"string", "integer"},
                        "^ *[+]?" DECIMAL " *(us|µs|ms|s|min|h) *$|^ *0+ *$|" VARIABLE},
    [TAC__KIND_PERIOD] = {{"string"},
                          "^ *[+]?" DECIMAL " *(us|µs|ms|s|min|h|Hz|kHz|MHz) *$|" VARIABLE},
    [TAC__KIND_RATE] = {{"number", "string"}, "^[+]?" NUMBER " *k?Hz$|" VARIABLE},
};

static void begin_object(tac__json *json, const char *key, bool compact)
{
    tac__json_key(json, key);
    if (compact)
        tac__json_compact(json);
    tac__json_object_begin(json);
}

// "key": ["a", "b", "null"], on one line.
static void write_list(tac__json *json, const char *key, const char *const *texts, size_t count,
                       bool null)
{
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < count && texts[i]; i++)
        tac__json_text(json, texts[i]);
    if (null)
        tac__json_text(json, "null");
    tac__json_array_end(json);
}

static void write_type(tac__json *json, const char *type, bool null)
{
    write_list(json, "type", &type, 1, null);
}

static void write_ref(tac__json *json, const char *name)
{
    char ref[TAC_ERROR_NAME];
    tac__out out = tac__out_begin(ref, sizeof ref);
    tac__out_add(&out, "#/$defs/%s", name);
    tac__json_key_text(json, "$ref", ref);
}

static void write_bounds(tac__json *json, const tac__key *key, const char *min, const char *max)
{
    if (key->flags & TAC__POSITIVE || key->kind == TAC__KIND_RATE)
        tac__json_key_number(json, "exclusiveMinimum", 0.0);
    if (key->min == 0.0 && key->max == 0.0 && key->kind != TAC__KIND_TIME)
        return;
    if (isfinite(key->min))
        tac__json_key_number(json, min, key->min);
    if (isfinite(key->max))
        tac__json_key_number(json, max, key->max);
}

static void write_scalar(tac__json *json, const tac__key *key, bool null)
{
    write_list(json, "type", forms[key->kind].types, 3, null);
    if (key->unit) // a number that is followed by a unit is a string
        tac__json_key_text(json, "pattern", "^[-+]?" NUMBER " *([^-+0-9. ]|1/)|" VARIABLE);
    else if (forms[key->kind].pattern)
        tac__json_key_text(json, "pattern", forms[key->kind].pattern);
    write_bounds(json, key, "minimum", "maximum"); // a time without unit: from 0 to 0
}

static bool is_whole(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

static void write_words(tac__json *json, const tac__key *key, bool null)
{
    tac__json_key(json, "anyOf");
    tac__json_array_begin(json);
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key(json, "enum");
    tac__json_array_begin(json);
    for (size_t i = 0; key->words[i]; i++) {
        tac__json_text(json, key->words[i]);
        if (is_whole(key->words[i])) // 4 may be written without quotes
            tac__json_i64(json, (int64_t)tac__digits_parse(key->words[i], NULL, 10));
    }
    tac__json_array_end(json);
    tac__json_object_end(json);
    tac__json_compact(json);
    tac__json_object_begin(json);
    write_type(json, "string", null);
    tac__json_key_text(json, "pattern", VARIABLE);
    tac__json_object_end(json);
    tac__json_array_end(json);
}

static void write_default(tac__json *json, const tac__key *key)
{
    tac__parsed v;
    if (!key->fallback)
        return;
    tac__json_key(json, "default");
    const bool known = tac__spec_scalar(key->kind) &&
                       tac__spec_parse(key, key->fallback, false, &v, NULL) == TAC_OK;
    if (known && key->kind == TAC__KIND_BOOL)
        tac__json_bool(json, v.boolean);
    else if (known && key->kind == TAC__KIND_INTEGER)
        tac__json_i64(json, v.integer);
    else if (known && key->kind == TAC__KIND_NUMBER && isfinite(v.number))
        tac__json_number(json, v.number);
    else
        tac__json_text(json, key->fallback);
}

static void write_extends(tac__json *json)
{
    begin_object(json, "extends", true);
    write_ref(json, "extends");
    tac__json_object_end(json);
}

static void write_key(tac__json *json, const tac__key *key);

static void write_table(tac__json *json, const tac__key *key, bool null)
{
    write_type(json, "object", null);
    if (!(key->flags & TAC__FREE_KEYS)) {
        begin_object(json, "propertyNames", true);
        tac__json_key_text(json, "pattern", "^" NAME "$");
        tac__json_object_end(json);
    }
    begin_object(json, "properties", false);
    write_extends(json);
    tac__json_object_end(json);
    tac__json_key(json, "additionalProperties");
    write_key(json, key->of);
}

static void write_required(tac__json *json, const tac__spec *spec, unsigned flags);

static bool has_required(const tac__spec *spec, unsigned flags)
{
    for (const tac__key *key = spec->keys; key->name; key++) {
        if (key->flags & flags)
            return true;
    }
    return false;
}

// {"properties": {"type": {"const": "gain"}}, "required": ["type"]}
static void write_condition(tac__json *json, const char *by, const char *word)
{
    begin_object(json, "if", true);
    begin_object(json, "properties", true);
    begin_object(json, by, true);
    tac__json_key_text(json, "const", word);
    tac__json_object_end(json);
    tac__json_object_end(json);
    write_list(json, "required", &by, 1, false);
    tac__json_object_end(json);
}

static void write_then(tac__json *json, const tac__spec *spec)
{
    begin_object(json, "then", true);
    write_ref(json, spec->name);
    tac__json_object_end(json);
}

// A word that is none of these may be a plugin's: see write_known.
static void write_choice(tac__json *json, const tac__key *key)
{
    tac__json_key(json, "anyOf");
    tac__json_array_begin(json);
    for (const tac__key *option = key->of; option->kind != TAC__KIND_END; option++) {
        const tac__key *by = tac__spec_key(option->spec, key->by);
        if (by->kind != TAC__KIND_WORD)
            continue;
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "const", by->words[0]);
        tac__json_key_text(json, "description", option->spec->doc);
        tac__json_object_end(json);
    }
}

static void write_dispatch(tac__json *json, const tac__key *key)
{
    write_type(json, "object", true);
    begin_object(json, "properties", false);
    begin_object(json, key->by, false);
    tac__json_key_text(json, "description", tac__spec_key(key->of->spec, key->by)->doc);
    write_choice(json, key);
    tac__json_compact(json);
    tac__json_object_begin(json);
    write_type(json, "string", true);
    tac__json_key_text(json, "pattern", "^" NAME "$|" VARIABLE);
    tac__json_object_end(json);
    tac__json_array_end(json);
    tac__json_object_end(json);
    tac__json_object_end(json);
    tac__json_key(json, "allOf");
    tac__json_array_begin(json);
    for (const tac__key *option = key->of; option->kind != TAC__KIND_END; option++) {
        const tac__key *by = tac__spec_key(option->spec, key->by);
        tac__json_object_begin(json);
        if (by->kind == TAC__KIND_WORD) {
            write_condition(json, key->by, by->words[0]);
        } else {
            begin_object(json, "if", true);
            begin_object(json, "not", true);
            write_list(json, "required", &key->by, 1, false);
            tac__json_object_end(json);
            tac__json_object_end(json);
        }
        write_then(json, option->spec);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void write_either(tac__json *json, const tac__key *key, bool null)
{
    if (key->by) {
        write_dispatch(json, key);
        return;
    }
    tac__json_key(json, "anyOf");
    tac__json_array_begin(json);
    for (const tac__key *option = key->of; option->kind != TAC__KIND_END; option++)
        write_key(json, option);
    if (null) {
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "type", "null");
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void write_kind(tac__json *json, const tac__key *key, bool null)
{
    switch (key->kind) {
    case TAC__KIND_ANY:
        break;
    case TAC__KIND_WORD:
        write_words(json, key, null);
        break;
    case TAC__KIND_LIST:
        write_type(json, "array", null);
        write_bounds(json, key, "minItems", "maxItems");
        tac__json_key(json, "items");
        write_key(json, key->of);
        break;
    case TAC__KIND_TABLE:
        write_table(json, key, null);
        break;
    case TAC__KIND_MAP:
        write_ref(json, key->spec->name);
        if ((key->flags & TAC__WHOLE) && has_required(key->spec, TAC__NEEDED))
            write_required(json, key->spec, TAC__NEEDED);
        break;
    case TAC__KIND_EITHER:
        write_either(json, key, null);
        break;
    default:
        write_scalar(json, key, null);
        break;
    }
}

static void write_key(tac__json *json, const tac__key *key)
{
    tac__json_object_begin(json);
    if (key->doc) {
        char doc[TAC_ERROR_TEXT];
        tac__out out = tac__out_begin(doc, sizeof doc);
        tac__out_add(&out, "%s", key->doc);
        if (key->unit && strcmp(key->unit, "1"))
            tac__out_add(&out, " [%s]", key->unit);
        if (key->flags & TAC__TUNABLE)
            tac__out_add(&out, " (tunable)");
        tac__json_key_text(json, "description", doc);
    }
    write_kind(json, key, key->name && !(key->flags & TAC__REQUIRED));
    write_default(json, key);
    tac__json_object_end(json);
}

// A required key may come from a file that is extended.
static void write_required(tac__json *json, const tac__spec *spec, unsigned flags)
{
    static const char *const extends[] = {"extends"};
    begin_object(json, "if", true);
    begin_object(json, "not", true);
    write_list(json, "required", extends, 1, false);
    tac__json_object_end(json);
    tac__json_object_end(json);
    begin_object(json, "then", true);
    tac__json_key(json, "required");
    tac__json_array_begin(json);
    for (const tac__key *key = spec->keys; key->name; key++) {
        if (key->flags & flags)
            tac__json_text(json, key->name);
    }
    tac__json_array_end(json);
    tac__json_object_end(json);
}

static void write_spec(tac__json *json, const tac__spec *spec, bool part)
{
    begin_object(json, spec->name, false);
    if (spec->doc)
        tac__json_key_text(json, "description", spec->doc);
    write_type(json, "object", true);
    begin_object(json, "properties", false);
    write_extends(json);
    for (const tac__key *key = spec->keys; key->name; key++) {
        tac__json_key(json, key->name);
        write_key(json, key);
    }
    tac__json_object_end(json);
    tac__json_key_bool(json, "additionalProperties", false);
    if (!part && has_required(spec, TAC__REQUIRED))
        write_required(json, spec, TAC__REQUIRED);
    tac__json_object_end(json);
}

static void write_extends_def(tac__json *json)
{
    static const char *const types[] = {"string", "array"};
    begin_object(json, "extends", false);
    tac__json_key_text(json, "description",
                       "File or files whose content this map is laid on: maps merge key by key, "
                       "lists and values replace, null removes.");
    write_list(json, "type", types, 2, true);
    begin_object(json, "items", true);
    tac__json_key_text(json, "type", "string");
    tac__json_object_end(json);
    tac__json_object_end(json);
}

// {"properties": {"type": {"anyOf": [{"enum": ["gain", ...]}, variable]}}}
static void write_known_choice(tac__json *json, const tac__key *either)
{
    begin_object(json, "properties", true);
    begin_object(json, either->by, true);
    tac__json_key(json, "anyOf");
    tac__json_array_begin(json);
    tac__json_object_begin(json);
    tac__json_key(json, "enum");
    tac__json_array_begin(json);
    for (const tac__key *option = either->of; option->kind != TAC__KIND_END; option++) {
        const tac__key *by = tac__spec_key(option->spec, either->by);
        if (by->kind == TAC__KIND_WORD)
            tac__json_text(json, by->words[0]);
    }
    tac__json_array_end(json);
    tac__json_object_end(json);
    tac__json_object_begin(json);
    write_type(json, "string", true);
    tac__json_key_text(json, "pattern", VARIABLE);
    tac__json_object_end(json);
    tac__json_array_end(json);
    tac__json_object_end(json);
    tac__json_object_end(json);
}

// Is this a table of maps among which a word chooses?
static bool chooses(const tac__key *key)
{
    return key->kind == TAC__KIND_TABLE && key->of->kind == TAC__KIND_EITHER && key->of->by;
}

// Is this a table of maps in which there is such a table?
static bool has_choice(const tac__key *key)
{
    if (key->kind != TAC__KIND_TABLE || key->of->kind != TAC__KIND_MAP)
        return false;
    for (const tac__key *inner = key->of->spec->keys; inner->name; inner++) {
        if (chooses(inner))
            return true;
    }
    return false;
}

// {"properties": {"components": {"additionalProperties": ...}}}, for each table that has a choice.
static void write_known_words(tac__json *json, const tac__spec *spec)
{
    begin_object(json, "properties", true);
    for (const tac__key *key = spec->keys; key->name; key++) {
        if (!chooses(key) && !has_choice(key))
            continue;
        begin_object(json, key->name, true);
        begin_object(json, "additionalProperties", true);
        if (chooses(key))
            write_known_choice(json, key->of);
        else
            write_known_words(json, key->of->spec);
        tac__json_object_end(json);
        tac__json_object_end(json);
    }
    tac__json_object_end(json);
}

// Words are refused that are not known, unless a key is there that brings others.
static void write_known(tac__json *json, const tac__spec *root)
{
    for (const tac__key *key = root->keys; key->name; key++) {
        if (!(key->flags & TAC__BRINGS))
            continue;
        begin_object(json, "if", true);
        begin_object(json, "not", true);
        write_list(json, "required", &key->name, 1, false);
        tac__json_object_end(json);
        tac__json_object_end(json);
        begin_object(json, "then", true);
        write_known_words(json, root);
        tac__json_object_end(json);
    }
}

tac_status tac__spec_json_schema(const tac__spec *spec, bool part, tac__json *json)
{
    TAC_REQUIRE(spec && json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    tac__json_key_text(json, "title", spec->name);
    write_ref(json, spec->name);
    write_known(json, spec);
    begin_object(json, "$defs", false);
    write_extends_def(json);
    tac__spec_set set = {.specs = {spec}, .count = 1};
    for (size_t i = 0; i < set.count; i++) {
        for (const tac__key *key = set.specs[i]->keys; key->name; key++)
            TAC_TRY(tac__spec_add(&set, key));
        write_spec(json, set.specs[i], part);
    }
    tac__json_object_end(json);
    tac__json_object_end(json);
    return json->text->failed ? TAC_E_MEMORY : TAC_OK;
}
