// config.c - a configuration: a document made from a file, with entities made from templates.
#include "config/config.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/document.h"
#include "config/format.h"
#include "config/yaml.h"

#include <stdio.h>
#include <string.h>

// --- entities from templates --------------------------------------------------------------------

// Fail because a node is no map or list. Variables of a single value are expanded first, so that
// the error shows the value.
static tac_status fail_kind(tac_config *c, tac_node *node, const char *what, tac_error *err)
{
    if (tac_node_kind_of(node) == TAC_NODE_SCALAR)
        TAC_TRY(tac__expand(c->doc, node, &c->variables, err));
    return tac__node_fail_kind(node, what, err);
}

// How many instances of an entity to make; 0: one, without a number.
static tac_status read_count(tac_config *c, tac_node *entity, int64_t *count,
                             const tac_place **place, tac_error *err)
{
    *count = 0;
    tac_node *node = tac__node_get_mutable(entity, "count");
    *place = tac_node_place(node);
    if (tac_node_is_null(node))
        return TAC_OK;
    TAC_TRY(tac__expand(c->doc, node, &c->variables, err));
    TAC_TRY(tac__read_int(node, count, err));
    if (*count < 1 || *count > 100000)
        return tac__fail_at(err, TAC_E_RANGE, tac_node_place(node),
                            "count is out of range; expected a whole number from 1 to 100000");
    return TAC_OK;
}

// A template: what all its instances have in common, and what each of the first ones has in
// addition.
typedef struct template
{
    const char *name;
    const tac_place *place;
    tac_node *entity;     // without `each` and `count`
    const tac_node *each; // NULL: there is none
    int64_t count;
}
template;

tac_status tac__config_check_size(const tac_config *c, const tac_place *place, tac_error *err)
{
    const tac__document_size size = tac__document_size_of(c->doc);
    if (size.nodes > TAC__CONFIG_VALUES)
        return tac__fail_at(err, TAC_E_LIMIT, place,
                            "more than %d values in a configuration, those of all instances "
                            "included",
                            TAC__CONFIG_VALUES);
    if (size.bytes > TAC__YAML_TEXT)
        return tac__fail_at(err, TAC_E_LIMIT, place,
                            "more than %d MiB of text in a configuration, that of all instances "
                            "included",
                            TAC__YAML_TEXT >> 20);
    return TAC_OK;
}

// Count the instances of a template as if they were written out. Fails before any is made where
// they are too many; `components` is the sum of all templates so far.
static tac_status count_instances(tac_config *c, const tac_node *entity, const tac_place *place,
                                  size_t count, size_t *components, tac_error *err)
{
    const size_t each = tac_node_count(tac__get_node(entity, "components"));
    *components += each * count;
    if (*components > TAC__CONFIG_COMPONENTS)
        return tac__fail_at(err, TAC_E_LIMIT, place,
                            "%zu instances of %zu component%s make %zu components; a configuration "
                            "has at most %d",
                            count, each, each == 1 ? "" : "s", *components, TAC__CONFIG_COMPONENTS);
    const tac__node_extent extent = tac__node_measure(entity);
    tac__document_size size = tac__document_size_of(c->doc);
    size.nodes += extent.nodes * count;
    size.bytes += extent.bytes * count;
    tac__document_set_size(c->doc, size);
    return tac__config_check_size(c, place, err);
}

// Makes the i-th instance of a template, from 0, and merges its item of `each` into it.
static tac_status make_instance(tac_config *c, tac_node *table, const template *t, size_t i,
                                tac_error *err)
{
    char number[32], count[32], full[2 * TAC_ERROR_NAME];
    snprintf(number, sizeof number, "%zu", i + 1);
    snprintf(count, sizeof count, "%lld", (long long)t->count);
    snprintf(full, sizeof full, "%s%s", t->name, number);
    tac_node *copy = tac__node_instance(c->doc, t->entity);
    if (!copy)
        return tac__fail_memory(err);
    if (t->each && i < tac_node_count(t->each)) {
        tac_node *over = tac__node_copy(c->doc, c->doc, tac_node_item(t->each, i));
        if (!over)
            return tac__fail_memory(err);
        TAC_TRY(tac__merge(c->doc, copy, over, err));
    }
    const tac__variable table_of[] = {{"i", number}, {"n", count}};
    tac__variables variables = c->variables;
    variables.table = table_of;
    variables.count = 2;
    TAC_TRY(tac__expand(c->doc, copy, &variables, err));
    if (tac_node_get(table, full))
        return tac__fail_at(err, TAC_E_DUPLICATE, t->place, "entity '%s' exists already", full);
    return tac_node_set(c->doc, table, full, t->place, copy);
}

static tac_status check_each(tac_config *c, tac_node *each, int64_t count, tac_error *err)
{
    if (tac_node_kind_of(each) != TAC_NODE_SEQUENCE)
        return fail_kind(c, each, "each: expected a list of maps", err);
    if ((int64_t)tac_node_count(each) > count)
        return tac__fail_at(err, TAC_E_RANGE, tac_node_place(each),
                            "each has %zu items, but count is %lld", tac_node_count(each),
                            (long long)count);
    for (size_t i = 0; i < tac_node_count(each); i++) {
        if (tac_node_kind_of(tac_node_item(each, i)) != TAC_NODE_MAP)
            return fail_kind(c, tac__node_item_mutable(each, i), "each: expected a map", err);
    }
    return TAC_OK;
}

// Replace templates in `entities` by their instances.
static tac_status make_entities(tac_config *c, tac_error *err)
{
    tac_node *root = tac_document_root(c->doc);
    tac_node *entities = tac__node_get_mutable(root, "entities");
    if (!entities || tac_node_is_null(entities))
        return TAC_OK;
    if (tac_node_kind_of(entities) != TAC_NODE_MAP)
        return fail_kind(c, entities, "entities: expected a map of entities", err);
    tac_node *table = tac_node_map(c->doc, tac_node_place(entities));
    if (!table)
        return tac__fail_memory(err);
    size_t components = 0;
    for (size_t i = 0; i < tac_node_count(entities); i++) {
        const char *name = tac_node_key(entities, i);
        const tac_place *place = tac_node_key_place(entities, i), *count_place;
        tac_node *entity = tac__node_item_mutable(entities, i);
        if (tac_node_kind_of(entity) != TAC_NODE_MAP)
            return fail_kind(c, entity, "expected a map that describes the entity", err);
        int64_t count;
        TAC_TRY(read_count(c, entity, &count, &count_place, err));
        tac_node *each = tac__node_get_mutable(entity, "each");
        if (tac_node_is_null(each))
            each = NULL;
        if (each)
            TAC_TRY(check_each(c, each, count, err));
        if (count == 0) {
            if (tac_node_get(table, name))
                return tac__fail_at(err, TAC_E_DUPLICATE, place, "entity '%s' exists already",
                                    name);
            TAC_TRY(tac_node_set(c->doc, table, name, place, entity));
            continue;
        }
        tac__node_remove(entity, "each");
        tac__node_remove(entity, "count");
        TAC_TRY(count_instances(c, entity, count_place, (size_t)count, &components, err));
        const size_t values = tac__document_size_of(c->doc).nodes;
        const template t = {name, place, entity, each, count};
        for (size_t k = 0; k < (size_t)count; k++)
            TAC_TRY(make_instance(c, table, &t, k, err));
        tac__document_set_size(c->doc,
                               (tac__document_size){values, tac__document_size_of(c->doc).bytes});
    }
    tac__node_replace(root, tac__node_find(root, "entities"), table);
    return TAC_OK;
}

const char *tac__entity_name(const void *entities, size_t i)
{
    return tac_node_key(entities, i);
}

tac_status tac__fail_entity(const tac_node *pattern, const tac_node *entities, tac_error *err)
{
    const char *text = tac_node_text(pattern);
    tac__fail_at(err, TAC_E_NAME, tac_node_place(pattern), "no entity matches '%s'", text);
    tac__error_suggest(err, text, tac__entity_name, entities);
    return TAC_E_NAME;
}

// --- loading ------------------------------------------------------------------------------------

// In an untrusted configuration neither plugins nor `extends` are followed. The first plugin is
// remembered, so that an error about an unknown type can name it.
static void drop_extends(tac_node *node)
{
    if (tac_node_kind_of(node) == TAC_NODE_MAP)
        tac__node_remove(node, "extends");
    for (size_t i = 0; i < tac_node_count(node); i++)
        drop_extends(tac__node_item_mutable(node, i));
}

static void clean(void *context, tac_node *root)
{
    tac_config *c = context;
    const tac_node *plugins = tac_node_get(root, "plugins");
    const tac_node *first = plugins ? tac_node_item(plugins, 0) : NULL;
    if (first && tac_node_kind_of(first) == TAC_NODE_SCALAR)
        c->ignored_plugin = tac_node_text(first);
    tac__node_remove(root, "plugins");
    drop_extends(root);
}

// Whether a path lies below a folder, judged by its name.
static bool is_below(const char *path, const char *folder)
{
    const size_t length = folder ? strlen(folder) : 0;
    return length && !strncmp(path, folder, length) && path[length] == '/';
}

static tac_status load_plugins(tac_config *c, tac_error *err)
{
    const tac_node *plugins = tac__get_node(tac_document_root(c->doc), "plugins");
    for (size_t i = 0; plugins && i < tac_node_count(plugins); i++) {
        const tac_node *item = tac_node_item(plugins, i);
        const char *path = tac__node_path_beside(c->doc, item);
        if (!path)
            return tac__fail_memory(err);
        if (is_below(path, c->closed_folder))
            return tac__fail_at(err, TAC_E_FILE, tac_node_place(item),
                                "plugin '%s' is not loaded: it would come out of the recording",
                                tac_node_text(item));
        const tac_status status = tac_registry_load(c->registry, path, err);
        if (status != TAC_OK) {
            tac__error_place(err, tac_node_place(item));
            return status;
        }
    }
    return TAC_OK;
}

static tac_status resolve(tac_config *c, tac_error *err)
{
    TAC_TRY(make_entities(c, err));
    TAC_TRY(tac__expand(c->doc, tac_document_root(c->doc), &c->variables, err));
    tac__mistakes mistakes = {.tell = c->mistake, .context = c->mistake_context};
    TAC_TRY(tac__spec_check(tac_document_root(c->doc), &tac__format, &mistakes, err));
    TAC_TRY(tac__mistakes_end(&mistakes, err));
    TAC_TRY(load_plugins(c, err)); // before events, which look for a type that takes them
    TAC_TRY(tac__place_events(c, err));
    TAC_TRY(tac__place_phases(c, err));
    return tac__place_autopilot(c, err);
}

static tac_status create(const tac_config_def *def, tac_config **config, tac_error *err)
{
    const tac_allocator *allocator = def->allocator ? def->allocator : tac_allocator_default();
    *config = NULL;
    tac_config *c = allocator->resize(allocator->context, NULL, 0, sizeof *c);
    if (!c)
        return tac__fail_memory(err);
    *c = (tac_config){.allocator = allocator, .registry = def->registry};
    c->variables.lookup = def->variable ? def->variable : tac__lookup_environment;
    c->variables.context = def->variable_context;
    c->closed_folder = def->closed_folder;
    c->mistake = def->mistake;
    c->mistake_context = def->mistake_context;
    if (def->untrusted) {
        c->untrusted = true;
        c->variables.lookup = NULL;
        c->variables.untrusted = true;
    }
    tac__arena_init(&c->arena, allocator);
    *config = c;
    return TAC_OK;
}

static bool note_extended(void *context, const char *name)
{
    tac_config *c = context;
    if (!TAC__ARENA_GROW(&c->arena, c->extended, c->extended_count, c->extended_capacity))
        return false;
    c->extended[c->extended_count++] = name;
    return true;
}

static tac__load_def load_def(tac_config *c, const tac_config_def *def)
{
    tac__load_def load = tac__load_def_default();
    load.allocator = c->allocator;
    load.sets = def->sets;
    load.set_count = def->set_count;
    load.extends.variables = c->variables;
    load.extends.seen = note_extended;
    load.extends.seen_context = c;
    if (c->untrusted) {
        load.clean = clean;
        load.clean_context = c;
    }
    return load;
}

static tac_status finish(tac_config **config, tac_status status, tac_error *err)
{
    if (status == TAC_OK)
        status = resolve(*config, err);
    if (status != TAC_OK) {
        tac_config_destroy(*config);
        *config = NULL;
    }
    return status;
}

// Without `name:` the name is that of the file, without folder and ending.
static void set_file_name(tac_config *c, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(c->file_name, sizeof c->file_name, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(c->file_name, '.');
    if (dot && dot != c->file_name)
        *dot = '\0';
}

tac_status tac_config_load(const char *path, const tac_config_def *def, tac_config **config,
                           tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(path && def && config);
    TAC__DEF(tac_config_def, def, err);
    TAC_REQUIRE(def->registry);
    TAC_TRY(create(def, config, err));
    set_file_name(*config, path);
    const tac__load_def load = load_def(*config, def);
    return finish(config, tac__document_load(path, &load, &(*config)->doc, err), err);
}

tac_status tac_config_parse(const char *name, const char *text, size_t size,
                            const tac_config_def *def, tac_config **config, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(name && text && def && config);
    TAC__DEF(tac_config_def, def, err);
    TAC_REQUIRE(def->registry);
    TAC_TRY(create(def, config, err));
    set_file_name(*config, name);
    const tac__load_def load = load_def(*config, def);
    return finish(config, tac__document_parse(name, text, size, &load, &(*config)->doc, err), err);
}

void tac_config_destroy(tac_config *c)
{
    if (!c)
        return;
    tac_document_destroy(c->doc);
    tac__arena_fini(&c->arena);
    c->allocator->resize(c->allocator->context, c, sizeof *c, 0);
}

const char *tac_config_name(const tac_config *c)
{
    const char *name = tac__get_text(tac_document_root(c->doc), &tac__format, "name");
    return name ? name : c->file_name;
}

size_t tac_config_component_count(const tac_config *c, const char **entity)
{
    const tac_node *root = tac_document_root(c->doc), *entities = tac__get_node(root, "entities");
    size_t components = 0;
    if (tac__get_node(root, "components"))
        components = tac_node_count(tac__get_node(root, "components"));
    *entity = NULL;
    for (size_t i = 0; entities && i < tac_node_count(entities); i++) {
        const tac_node *own = tac__get_node(tac_node_item(entities, i), "components");
        components += own ? tac_node_count(own) : 0;
        *entity = own ? tac_node_key(entities, i) : *entity;
    }
    return components;
}
