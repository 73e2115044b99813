// describe.c - describes a component type, for people and for the JSON Schema, by declaring an
// instance that belongs to no engine.
#include "base/def.h"
#include "base/floats.h"
#include "base/json.h"
#include "config/format.h"
#include "engine/plan/declare.h"
#include "engine/phases/phases.h"
#include "engine/plan/guard.h"

#include <stdlib.h>
#include <string.h>

// An instance of a type with the default of every parameter; NULL: no memory.
static tac__component *probe(const tac_component_type *type, tac__arena *arena)
{
    tac__component *instance;
    tac_error err;
    if (tac__declare(NULL, arena, type, type->name, 0, NULL, NULL, &instance, &err) != TAC_OK)
        return NULL;
    if (type->close)
        type->close(instance->self);
    return instance;
}

enum { NAME_WIDTH = 20 };

// --- for people ---------------------------------------------------------------------------------

// A parameter inside another one is listed below it, indented, without the outer name.
static const char *own_name(const tac__component *c, const char *name, size_t *depth)
{
    const char *own = name;
    *depth = 0;
    for (size_t i = 0; i < c->param_count; i++) {
        const char *outer = c->params[i].name;
        const size_t n = strlen(outer);
        if (strncmp(name, outer, n) || name[n] != '.')
            continue;
        ++*depth;
        own = name + n + 1 > own ? name + n + 1 : own;
    }
    return own;
}

static size_t params_width(const tac__component *c)
{
    size_t width = NAME_WIDTH;
    for (size_t i = 0; i < c->param_count; i++) {
        size_t depth;
        const size_t own = strlen(own_name(c, c->params[i].name, &depth)), n = 2 * depth + own;
        width = n > width ? n : width;
    }
    return width;
}

static void text_params(const tac__component *c, tac__text *out)
{
    const size_t width = params_width(c);
    tac__text_add(out, "\nParameters:\n");
    if (c->param_count == 0)
        tac__text_add(out, "  none\n");
    for (size_t i = 0; i < c->param_count; i++) {
        const tac_param_def *p = &c->params[i].def;
        size_t depth;
        const char *own = own_name(c, c->params[i].name, &depth);
        tac__text_add(out, "  %*s%-*s %s", (int)(2 * depth), "", (int)(width - 2 * depth), own,
                      p->doc ? p->doc : "");
        tac__text_add(out, "%s", p->doc ? " (" : "(");
        tac__text_add(out, "%s", c->params[i].kind);
        if (p->unit)
            tac__text_add(out, ", %s", p->unit);
        if (p->range)
            tac__text_add(out, strcmp(c->params[i].kind, "folder") ? ", in %s" : " of *%s files",
                          p->range);
        for (size_t k = 0; c->params[i].choices && c->params[i].choices[k]; k++)
            tac__text_add(out, "%s %s", k ? " |" : ", one of", c->params[i].choices[k]);
        tac__text_add(out,
                      !p->fallback   ? ", required"
                      : *p->fallback ? ", default %s"
                                     : ", optional",
                      p->fallback);
        tac__text_add(out, "%s)\n", c->params[i].tunable ? ", tunable" : "");
    }
}

// A type is described without parameters, with which its lists would have a length: "f64[n]".
static void print_type(const tac_type *type, char *text, size_t size)
{
    tac_type_print(type, text, size);
    char *one = strstr(text, "[1]");
    if (one)
        one[1] = 'n';
}

static void text_ports(const char *title, const tac__ports *ports, tac__text *out)
{
    if (ports->count == 0)
        return;
    tac__text_add(out, "\n%s:\n", title);
    for (size_t i = 0; i < ports->count; i++) {
        const tac__port *p = &ports->items[i];
        char type[64];
        print_type(&p->type, type, sizeof type);
        tac__text_add(out, "  %-*s %s%s(%s, %s%s%s%s)\n", NAME_WIDTH, p->name, p->doc,
                      *p->doc ? " " : "", type, p->unit,
                      p->flags & TAC_PORT_OPTIONAL ? ", optional" : "", p->role ? ", role " : "",
                      p->role ? tac_role_name((tac_role)p->role) : "");
    }
}

static void describe_text(const tac_component_type *type, const tac__component *c, tac__text *out)
{
    tac__text_add(out, "%s: %s\n", type->name, type->summary ? type->summary : "");
    if (type == &tac__phases_type)
        tac__text_add(out,
                      "\nWhat stands under `phases:` of an entity, or of the root. Changes are "
                      "decided in stage\nevents and take effect in stage begin of the entity's "
                      "next boundary.\n");
    else if (type->kernels[TAC_NUMBERS].step)
        tac__text_add(out, "\nDiscrete, stage %s unless the configuration says otherwise.\n",
                      tac_stage_name(type->stage));
    if (tac__is_continuous(type))
        tac__text_add(out, "\nContinuous: part of the plant.\n");
    text_params(c, out);
    text_ports("Inputs", &c->inputs, out);
    text_ports("Outputs", &c->outputs, out);
    text_ports("Continuous states, readable as signals", &c->continuous, out);
    text_ports("Discrete states", &c->states, out);
    for (size_t i = 0; i < c->message_count; i++) {
        const tac__message_port *p = &c->messages[i];
        tac__text_add(out, "%s  %-*s %s%s(%s)\n", i ? "" : "\nMessage ports:\n", NAME_WIDTH,
                      p->name, p->doc, *p->doc ? " " : "", p->sends ? "sends" : "receives");
    }
}

// --- for programs -------------------------------------------------------------------------------

static void json_ports(const char *key, const tac__ports *ports, tac__json *json)
{
    tac__json_key(json, key);
    tac__json_array_begin(json);
    for (size_t i = 0; i < ports->count; i++) {
        const tac__port *p = &ports->items[i];
        char type[64];
        print_type(&p->type, type, sizeof type);
        tac__json_compact(json);
        tac__json_object_begin(json);
        tac__json_key_text(json, "name", p->name);
        tac__json_key_text(json, "type", type);
        tac__json_key_text(json, "unit", p->unit);
        tac__json_key_bool(json, "optional", p->flags & TAC_PORT_OPTIONAL);
        if (p->role)
            tac__json_key_text(json, "role", tac_role_name((tac_role)p->role));
        tac__json_key_text(json, "description", p->doc);
        tac__json_object_end(json);
    }
    tac__json_array_end(json);
}

static void describe_json(const tac_component_type *type, const tac__component *c, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "name", type->name);
    tac__json_key_text(&json, "version", type->version);
    tac__json_key_text(&json, "summary", type->summary);
    tac__json_key_text(&json, "stage",
                       type->kernels[TAC_NUMBERS].step ? tac_stage_name(type->stage) : NULL);
    tac__json_key_bool(&json, "continuous", tac__is_continuous(type));
    tac__json_key(&json, "parameters");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < c->param_count; i++) {
        const tac_param_def *p = &c->params[i].def;
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", p->name);
        tac__json_key_text(&json, "kind", c->params[i].kind);
        tac__json_key_text(&json, "unit", p->unit);
        tac__json_key_text(&json, "range", p->range);
        tac__json_key_text(&json, "default", p->fallback);
        tac__json_key_bool(&json, "tunable", c->params[i].tunable);
        tac__json_key_text(&json, "description", p->doc);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    json_ports("inputs", &c->inputs, &json);
    json_ports("outputs", &c->outputs, &json);
    json_ports("continuous_states", &c->continuous, &json);
    json_ports("discrete_states", &c->states, &json);
    tac__json_key(&json, "message_ports");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < c->message_count; i++) {
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "name", c->messages[i].name);
        tac__json_key_bool(&json, "sends", c->messages[i].sends);
        tac__json_key_text(&json, "description", c->messages[i].doc);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    tac__json_object_end(&json);
}

char *tac_type_describe(const tac_component_type *type, tac_format format)
{
    TAC__FLOATS;
    tac__arena arena;
    tac__text out;
    tac_component_type own;
    if (!(type->flags & TAC__COMPONENT_BUILTIN)) {
        if (tac__type_take(type, &own, NULL) != TAC_OK)
            return NULL;
        type = &own;
    }
    tac__arena_init(&arena, NULL);
    tac__text_init(&out, tac_allocator_default());
    const tac__component *c = probe(type, &arena);
    if (c && format == TAC_FORMAT_TEXT)
        describe_text(type, c, &out);
    else if (c && format == TAC_FORMAT_JSON)
        describe_json(type, c, &out);
    tac__arena_fini(&arena);
    if (out.failed)
        tac__text_fini(&out);
    return out.chars;
}

// --- JSON Schema --------------------------------------------------------------------------------

// The schema of files is that of format.c, except for components: there is one alternative a type,
// with its parameters and inputs. These tables are made here and live in an arena.

static const tac__key value_or_list[] = {
    {.kind = TAC__KIND_TEXT},
    {.kind = TAC__KIND_LIST, .of = &(const tac__key){.kind = TAC__KIND_TEXT}},
    {0},
};

// Bounds from an interval such as "(0, 1]", as far as inclusive bounds can express it.
static void set_range(tac__key *key, const char *range)
{
    if (!range)
        return;
    const char *end;
    key->min = tac__number_parse(range + 1, &end);
    key->max = tac__number_parse(end + 1, &end);
    if (*range == '(' && key->min == 0)
        key->flags |= TAC__POSITIVE;
}

static tac__key *copy_keys(tac__arena *arena, const tac__key *keys, size_t *count)
{
    for (*count = 0; keys[*count].kind; ++*count)
        continue;
    tac__key *copy = tac__arena_array(arena, *count + 1, sizeof *copy);
    if (copy)
        memcpy(copy, keys, *count * sizeof *copy);
    return copy;
}

static tac__key key_of_param(const tac__param *p, const char *name)
{
    tac__key key = {.name = name, .doc = p->def.doc, .fallback = p->def.fallback};
    if (!strcmp(p->kind, "f64")) {
        key.kind = TAC__KIND_NUMBER;
        key.unit = p->def.unit;
        set_range(&key, p->def.range);
    } else if (!strcmp(p->kind, "int")) {
        key.kind = TAC__KIND_INTEGER;
        set_range(&key, p->def.range);
    } else if (!strcmp(p->kind, "bool")) {
        key.kind = TAC__KIND_BOOL;
    } else if (!strcmp(p->kind, "time")) {
        key.kind = TAC__KIND_TIME;
    } else if (!strcmp(p->kind, "choice")) {
        key.kind = TAC__KIND_WORD;
        key.words = p->choices;
    } else if (!strcmp(p->kind, "array") || !strcmp(p->kind, "list") || !strcmp(p->kind, "words")) {
        key.kind = TAC__KIND_EITHER;
        key.of = value_or_list;
        key.fallback = NULL;
    } else {
        key.kind = TAC__KIND_TEXT;
    }
    if (!p->def.fallback)
        key.flags |= TAC__NEEDED;
    if (p->tunable)
        key.flags |= TAC__TUNABLE;
    return key;
}

static const tac__spec *spec_of_params(const tac__component *c, const char *prefix,
                                       tac__arena *arena);

// A parameter that contains others: a map, or a list of maps.
static bool key_of_maps(const tac__component *c, const tac__param *p, tac__arena *arena,
                        tac__key *key)
{
    const char *prefix = tac__arena_format(arena, "%s.", p->name);
    tac__key *forms = tac__arena_array(arena, 3, sizeof *forms);
    tac__key *item = tac__arena_alloc(arena, sizeof *item);
    const tac__spec *spec = prefix ? spec_of_params(c, prefix, arena) : NULL;
    if (!forms || !item || !spec)
        return false;
    *item = (tac__key){.kind = TAC__KIND_MAP, .spec = spec, .flags = TAC__WHOLE};
    forms[0] = (tac__key){.kind = TAC__KIND_MAP, .spec = spec};
    forms[1] = (tac__key){.kind = TAC__KIND_LIST, .of = item};
    key->kind = TAC__KIND_EITHER;
    key->fallback = NULL;
    key->of = forms;
    return true;
}

static const tac__param *find_param(const tac__component *c, const char *name)
{
    size_t i = 0;
    while (i < c->param_count && strcmp(c->params[i].name, name))
        i++;
    return i < c->param_count ? &c->params[i] : NULL;
}

// A map whose names the user chooses: the spec of its values, which may be maps or short forms.
static bool key_of_names(const tac__component *c, const tac__param *p, tac__arena *arena,
                         tac__key *key)
{
    const char *prefix = tac__arena_format(arena, "%s.NAME.", p->name);
    const char *name = tac__arena_format(arena, "%s.NAME", p->name);
    const tac__param *inner = name ? find_param(c, name) : NULL;
    tac__key *forms = tac__arena_array(arena, 3, sizeof *forms);
    tac__key *item = tac__arena_alloc(arena, sizeof *item);
    if (!prefix || !name || !forms || !item)
        return false;
    *item = inner ? key_of_param(inner, NULL) : (tac__key){.kind = TAC__KIND_ANY};
    item->flags &= ~(unsigned)TAC__REQUIRED;
    if (inner && !strcmp(inner->kind, "maps")) {
        forms[0] = (tac__key){.kind = TAC__KIND_TEXT};
        forms[1] = (tac__key){.kind = TAC__KIND_MAP, .spec = spec_of_params(c, prefix, arena)};
        forms[1].flags = TAC__WHOLE;
        if (!forms[1].spec)
            return false;
        *item = (tac__key){.kind = TAC__KIND_EITHER, .of = forms};
    }
    key->kind = TAC__KIND_TABLE;
    key->flags |= TAC__FREE_KEYS;
    key->fallback = NULL;
    key->of = item;
    return true;
}

// The parameters whose names begin with `prefix`, up to the next dot.
static const tac__spec *spec_of_params(const tac__component *c, const char *prefix,
                                       tac__arena *arena)
{
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    tac__key *keys = tac__arena_array(arena, c->param_count + 1, sizeof *keys);
    char *name =
        tac__arena_format(arena, "params_%s%s%s", c->type->name, *prefix ? "." : "", prefix);
    if (!spec || !keys || !name)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < c->param_count; i++) {
        const tac__param *p = &c->params[i];
        const char *local = p->name + strlen(prefix);
        if (strncmp(p->name, prefix, strlen(prefix)) || strchr(local, '.'))
            continue;
        keys[count] = key_of_param(p, local);
        if (!strcmp(p->kind, "maps") && !key_of_maps(c, p, arena, &keys[count]))
            return NULL;
        if (!strcmp(p->kind, "names") && !key_of_names(c, p, arena, &keys[count]))
            return NULL;
        count++;
    }
    *spec = (tac__spec){name, c->type->summary, keys};
    return spec;
}

// Whether the user chooses the names of its ports.
static bool has_names(const tac__component *c)
{
    for (size_t i = 0; i < c->param_count; i++) {
        if (!strcmp(c->params[i].kind, "names"))
            return true;
    }
    return false;
}

// The spec of a type's inputs: one key each, of the form of routes.
static const tac__spec *spec_of_inputs(const tac__component *c, const tac__key *route,
                                       tac__arena *arena)
{
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    tac__key *keys = tac__arena_array(arena, c->inputs.count + 1, sizeof *keys);
    char *name = tac__arena_format(arena, "inputs_%s", c->type->name);
    if (!spec || !keys || !name)
        return NULL;
    for (size_t i = 0; i < c->inputs.count; i++) {
        keys[i] = *route;
        keys[i].name = c->inputs.items[i].name;
        keys[i].doc = c->inputs.items[i].doc;
        if (!(c->inputs.items[i].flags & TAC_PORT_OPTIONAL))
            keys[i].flags |= TAC__NEEDED;
    }
    *spec = (tac__spec){name, c->type->summary, keys};
    return spec;
}

static bool spec_of_component(const tac_component_type *type, tac__arena *arena, tac__key *form)
{
    tac__component *c = probe(type, arena);
    const char **words = tac__arena_array(arena, 2, sizeof *words);
    char *name = tac__arena_format(arena, "component_%s", type->name);
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    size_t count;
    tac__key *keys = copy_keys(arena, tac__format_component.keys, &count);
    if (!c || !words || !name || !spec || !keys)
        return false;
    words[0] = type->name;
    for (size_t i = 0; i < count; i++) {
        tac__key *key = &keys[i];
        if (!strcmp(key->name, "type")) {
            key->kind = TAC__KIND_WORD;
            key->words = words;
        } else if (!strcmp(key->name, "params")) {
            key->kind = TAC__KIND_MAP;
            key->flags |= TAC__WHOLE;
            key->spec = spec_of_params(c, "", arena);
            if (!key->spec)
                return false;
        } else if (!strcmp(key->name, "inputs") && !has_names(c)) {
            key->kind = TAC__KIND_MAP;
            key->flags |= TAC__WHOLE;
            key->spec = spec_of_inputs(c, key->of, arena);
            key->of = NULL;
            if (!key->spec)
                return false;
        }
    }
    *spec = (tac__spec){name, type->summary, keys};
    *form = (tac__key){.kind = TAC__KIND_MAP, .spec = spec};
    return true;
}

static const tac_component_type *type_with(const tac_registry *registry, uint32_t flag)
{
    for (size_t i = 0; i < tac_registry_count(registry); i++) {
        if (tac_registry_type(registry, i)->flags & flag)
            return tac_registry_type(registry, i);
    }
    return NULL;
}

// An event under `scenario:` has the keys of the events of the type that takes them, the built-in
// one where there are several, and `entity`.
static bool spec_of_event(const tac_registry *registry, tac__arena *arena, tac__key *item)
{
    const tac_component_type *type = type_with(registry, TAC_COMPONENT_EVENTS);
    const tac__component *c = type ? probe(type, arena) : NULL;
    const tac__spec *events = c ? spec_of_params(c, "events.", arena) : NULL;
    size_t own, count = 0;
    tac__key *keys = copy_keys(arena, tac__format_event.keys, &own);
    while (events && events->keys[count].kind)
        count++;
    tac__key *all = tac__arena_array(arena, own + count + 1, sizeof *all);
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    if (!events || !keys || !all || !spec)
        return false;
    memcpy(all, keys, own * sizeof *all);
    memcpy(all + own, events->keys, count * sizeof *all);
    *spec = (tac__spec){tac__format_event.name, tac__format_event.doc, all};
    *item = (tac__key){.kind = TAC__KIND_MAP, .spec = spec, .flags = TAC__WHOLE};
    return true;
}

// A component without a type lays parameters on one in another file: those of any type, of which
// none is required, and any inputs. It comes last among `forms`, of which there are `n` others.
static bool spec_of_overlay(tac__key *forms, size_t n, tac__arena *arena)
{
    size_t count;
    tac__key *keys = copy_keys(arena, tac__format_component.keys, &count);
    tac__key *params = tac__arena_array(arena, n + 1, sizeof *params);
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    if (!keys || !params || !spec)
        return false;
    for (size_t i = 0; i < n; i++) {
        for (const tac__key *key = forms[i].spec->keys; key->kind; key++) {
            if (!strcmp(key->name, "params"))
                params[i] = (tac__key){.kind = TAC__KIND_MAP, .spec = key->spec};
        }
    }
    for (size_t i = 0; i < count; i++) {
        keys[i].flags &= ~(unsigned)TAC__REQUIRED;
        if (!strcmp(keys[i].name, "params")) {
            keys[i].kind = TAC__KIND_EITHER;
            keys[i].of = params;
        }
    }
    *spec = (tac__spec){tac__format_component.name, tac__format_component.doc, keys};
    forms[n] = (tac__key){.kind = TAC__KIND_MAP, .spec = spec};
    return true;
}

// The spec of a type's parameters, as used in its alternative: each spec must exist once.
static const tac__spec *params_of(const tac__key *forms, const char *type)
{
    for (; forms->kind; forms++) {
        const tac__spec *params = NULL;
        bool found = false;
        for (const tac__key *key = forms->spec->keys; key->kind; key++) {
            found |= !strcmp(key->name, "type") && key->words && !strcmp(key->words[0], type);
            params = !strcmp(key->name, "params") ? key->spec : params;
        }
        if (found)
            return params;
    }
    return NULL;
}

// `phases:` at the root has the parameters of the type and the keys of the format. None is
// required, because it may hold a strategy only.
static const tac__spec *spec_of_phases(const tac__spec *params, tac__arena *arena)
{
    size_t own, count;
    tac__key *keys = copy_keys(arena, tac__format_phases.keys, &own);
    tac__key *more = copy_keys(arena, params->keys, &count);
    tac__key *all = more && keys ? tac__arena_array(arena, own + count + 1, sizeof *all) : NULL;
    tac__spec *spec = tac__arena_alloc(arena, sizeof *spec);
    if (!all || !spec)
        return NULL;
    memcpy(all, keys, own * sizeof *all);
    memcpy(all + own, more, count * sizeof *all);
    for (size_t i = 0; i < own + count; i++)
        all[i].flags &= ~(unsigned)(TAC__REQUIRED | TAC__NEEDED);
    *spec = (tac__spec){tac__format_phases.name, tac__format_phases.doc, all};
    return spec;
}

// A registry made by a host program may lack the type: then anything is allowed there.
static bool set_phases(tac__key *key, const tac__key *forms, tac__arena *arena, bool root)
{
    const tac__spec *params = params_of(forms, tac__phases_type.name);
    if (!params)
        return true;
    key->kind = TAC__KIND_MAP;
    key->flags |= TAC__WHOLE;
    key->spec = root ? spec_of_phases(params, arena) : params;
    return key->spec != NULL;
}

// The format with `component` replaced by one alternative a type, at the root and in entities.
static const tac__spec *spec_of_all(const tac_registry *registry, tac__arena *arena)
{
    const size_t n = tac_registry_count(registry);
    tac__key *forms = tac__arena_array(arena, n + 2, sizeof *forms);
    tac__key *component = tac__arena_alloc(arena, sizeof *component);
    tac__key *entity_item = tac__arena_alloc(arena, sizeof *entity_item);
    tac__key *event_item = tac__arena_alloc(arena, sizeof *event_item);
    tac__spec *entity = tac__arena_alloc(arena, sizeof *entity);
    tac__spec *root = tac__arena_alloc(arena, sizeof *root);
    size_t root_count, entity_count;
    tac__key *root_keys = copy_keys(arena, tac__format.keys, &root_count);
    tac__key *entity_keys = copy_keys(arena, tac__format_entity.keys, &entity_count);
    if (!forms || !component || !entity_item || !event_item || !entity || !root || !root_keys ||
        !entity_keys || !spec_of_event(registry, arena, event_item))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        if (!spec_of_component(tac_registry_type(registry, i), arena, &forms[i]))
            return NULL;
    }
    if (!spec_of_overlay(forms, n, arena))
        return NULL;
    *component = (tac__key){.kind = TAC__KIND_EITHER, .of = forms, .by = "type"};
    for (size_t i = 0; i < entity_count; i++) {
        if (!strcmp(entity_keys[i].name, "components"))
            entity_keys[i].of = component;
        else if (!strcmp(entity_keys[i].name, "phases") &&
                 !set_phases(&entity_keys[i], forms, arena, false))
            return NULL;
    }
    *entity = (tac__spec){tac__format_entity.name, tac__format_entity.doc, entity_keys};
    *entity_item = (tac__key){.kind = TAC__KIND_MAP, .spec = entity};
    for (size_t i = 0; i < root_count; i++) {
        if (!strcmp(root_keys[i].name, "components"))
            root_keys[i].of = component;
        else if (!strcmp(root_keys[i].name, "entities"))
            root_keys[i].of = entity_item;
        else if (!strcmp(root_keys[i].name, "scenario"))
            root_keys[i].of = event_item;
        else if (!strcmp(root_keys[i].name, "plugins"))
            root_keys[i].flags |= TAC__BRINGS;
        else if (!strcmp(root_keys[i].name, "duration")) // a file that others extend has none
            root_keys[i].flags &= ~(unsigned)TAC__REQUIRED;
        else if (!strcmp(root_keys[i].name, "phases") &&
                 !set_phases(&root_keys[i], forms, arena, true))
            return NULL;
    }
    *root = (tac__spec){tac__format.name, tac__format.doc, root_keys};
    return root;
}

char *tac_config_schema(const tac_registry *registry)
{
    TAC__FLOATS;
    tac__arena arena;
    tac__text out;
    tac__arena_init(&arena, NULL);
    tac__text_init(&out, tac_allocator_default());
    const tac__spec *spec = spec_of_all(registry, &arena);
    tac__json json = tac__json_begin(&out);
    const bool done = spec && tac__spec_json_schema(spec, false, &json) == TAC_OK && !out.failed;
    tac__arena_fini(&arena);
    if (!done)
        tac__text_fini(&out);
    return out.chars;
}
