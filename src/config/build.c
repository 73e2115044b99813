// build.c - from a checked document to calls of the engine's API.
#include "base/arena.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/names.h"
#include "base/patterns.h"
#include "base/text.h"
#include "config/config.h"
#include "config/format.h"
#include "engine/run/state.h"

#include <stdlib.h>
#include <string.h>

static tac_world read_world(const tac_node *node)
{
    const tac__spec *spec = &tac__format_world;
    const double degree = 0.017453292519943295;
    return (tac_world){
        .latitude_rad = degree * tac__get_number(node, spec, "latitude"),
        .longitude_rad = degree * tac__get_number(node, spec, "longitude"),
        .altitude_m = tac__get_number(node, spec, "altitude"),
        .geodesy = (tac_geodesy)tac__get_word(node, spec, "geodesy"),
        .gravity = (tac_gravity)tac__get_word(node, spec, "gravity"),
        .g_m_s2 = tac__get_number(node, spec, "g"),
        .ground_m = tac__get_number(node, spec, "ground"),
    };
}

static tac_integrator_def read_integrator(const tac_node *node)
{
    const tac__spec *spec = &tac__format_integrator;
    const double rtol = tac__get_number(node, spec, "rtol");
    return (tac_integrator_def){
        .kind = tac__get_text(node, spec, "kind"),
        .rtol = rtol,
        .atol = tac__get_node(node, "atol") ? tac__get_number(node, spec, "atol") : rtol,
        .h_min_us = tac__get_time(node, spec, "h_min"),
        .h_max_us = tac__get_time(node, spec, "h_max"),
        .max_substeps = (uint64_t)tac__get_int(node, spec, "max_substeps"),
    };
}

void tac_config_engine_def_sized(const tac_config *c, tac_engine_def *given, size_t size)
{
    TAC__FLOATS;
    tac_engine_def def = tac_engine_def_default();
    const tac_node *root = tac_document_root(c->doc);
    def.seed = (uint64_t)tac__get_int(root, &tac__format, "seed");
    def.end_us = tac__get_time(root, &tac__format, "duration");

    const tac_node *plant = tac__get_node(root, "plant");
    def.integrator = read_integrator(tac__get_node(plant, "integrator"));
    def.split = tac__get_word(plant, &tac__format_plant, "coupling") == 1;
    const size_t lanes = tac__get_word(plant, &tac__format_plant, "lanes");
    def.lanes = lanes ? (uint32_t)tac__digits_parse(tac__lanes_words[lanes], NULL, 10) : 0;
    def.physics_us =
        tac__get_period(tac__get_node(root, "timeline"), &tac__format_timeline, "physics");

    def.world = read_world(tac__get_node(root, "world"));

    def.strategy =
        (tac_strategy)tac__get_word(tac__get_node(root, "phases"), &tac__format_phases, "strategy");
    const tac_node *sync = tac__get_node(tac__get_node(root, "scheduler"), "synchronization");
    def.policy = (tac_policy)tac__get_word(sync, &tac__format_sync, "default_policy");
    def.allow_fast_sync = tac__get_bool(sync, &tac__format_sync, "allow_fast_sync");
    def.log_level =
        (tac_log_level)tac__get_word(tac__get_node(root, "log"), &tac__format_log, "level");
    def.untrusted = c->untrusted ? tac_node_place(root)->file : NULL;
    def.mistake = c->mistake;
    def.mistake_context = c->mistake_context;
    tac__def_give_sized(given, size, &def, sizeof def);
}

// --- a build under way --------------------------------------------------------------------------

// A component of the document, before it is added to the engine.
typedef struct entry {
    const char *entity, *name; // entity "" is the root
    char full[2 * TAC_ERROR_NAME];
    const tac_node *node;
    tac_place place;
    const char *group;
    const tac_node *group_item; // the item of the group's list that names it
    bool refused;               // it has a mistake, or needs a component that has one
} entry;

typedef struct build {
    const tac_config *config;
    tac_engine *engine;
    tac__arena arena;
    entry *entries;
    size_t count;
    TAC__CAPACITY(entry) capacity;
    tac__names names;    // of entries, once a component was refused for lack of another
    bool group_mistakes; // some rate group has a mistake
    tac__mistakes mistakes;
    tac_error *err;
} build;

static tac_status add_entries(build *b, const char *entity, const tac_node *components)
{
    for (size_t i = 0; components && i < tac_node_count(components); i++) {
        if (b->count == TAC__CONFIG_COMPONENTS)
            return tac__fail_at(b->err, TAC_E_LIMIT, tac_node_key_place(components, i),
                                "more than %d components in a configuration",
                                TAC__CONFIG_COMPONENTS);
        if (!TAC__ARENA_GROW(&b->arena, b->entries, b->count, b->capacity))
            return tac__fail_memory(b->err);
        entry *e = &b->entries[b->count++];
        *e = (entry){.entity = entity,
                     .name = tac_node_key(components, i),
                     .node = tac_node_item(components, i),
                     .place = *tac_node_key_place(components, i)};
        tac__out out = tac__out_begin(e->full, sizeof e->full);
        tac__out_add(&out, "%s%s%s", entity, *entity ? "." : "", e->name);
    }
    return TAC_OK;
}

static tac_status add_entities(build *b)
{
    const tac_node *root = tac_document_root(b->config->doc);
    TAC_TRY(add_entries(b, "", tac__get_node(root, "components")));
    const tac_node *entities = tac__get_node(root, "entities");
    for (size_t i = 0; entities && i < tac_node_count(entities); i++) {
        const char *name = tac_node_key(entities, i);
        TAC_TRY(tac_engine_add_entity(b->engine, name, tac_node_key_place(entities, i), b->err));
        TAC_TRY(add_entries(b, name, tac__get_node(tac_node_item(entities, i), "components")));
    }
    if (b->count == 0)
        return tac__fail_at(b->err, TAC_E_CONFIG, tac_node_place(root),
                            "there is no component: nothing would run%s",
                            tac__get_node(root, "federation")
                                ? "; the processes of section 'federation' run by 'tactus federate'"
                                : "");
    return TAC_OK;
}

// --- rate groups --------------------------------------------------------------------------------

static const char *entry_name(const void *context, size_t i)
{
    const build *b = context;
    return i < b->count ? b->entries[i].full : NULL;
}

// An item of a rate group's list of components.
typedef struct member {
    const char *group;
    const tac_node *item;
    int pattern; // its place among the patterns
} member;

// What the components say of a pattern.
typedef struct seen {
    size_t member;      // the first one with this pattern
    const entry *first; // the first component that matches; NULL: there is none
    const entry *other; // the first one that is in another group than `first`; NULL: there is none
} seen;

static tac_status list_members(build *b, const tac_node *groups, tac__patterns *patterns,
                               member **members, size_t *count)
{
    TAC__CAPACITY(member) capacity = {0};
    for (size_t i = 0; i < tac_node_count(groups); i++) {
        const tac_node *group = tac_node_item(groups, i);
        const tac_node *components = tac__get_node(group, "components");
        for (size_t k = 0; k < tac_node_count(components); k++) {
            const tac_node *item = tac_node_item(components, k);
            const int pattern = tac__patterns_add(patterns, tac_node_text(item));
            if (pattern < 0 || !TAC__ARENA_GROW(&b->arena, *members, *count, capacity))
                return tac__fail_memory(b->err);
            (*members)[(*count)++] =
                (member){tac__get_text(group, &tac__format_group, "name"), item, pattern};
            if (!tac__patterns_allow(patterns, b->count))
                return tac__fail_at(b->err, TAC_E_LIMIT, tac_node_place(item),
                                    "%zu patterns with * or ? for %zu components: more than %zu "
                                    "comparisons",
                                    patterns->wild_count, b->count, TAC__PATTERNS_COMPARISONS);
        }
    }
    return TAC_OK;
}

// A component is in the group of the first member that matches.
static void put_in_group(entry *e, const tac__patterns *patterns, const member *members, seen *of)
{
    size_t first = SIZE_MAX;
    tac__patterns_search search = {0};
    for (int k; (k = tac__patterns_next(patterns, e->full, &search)) >= 0;)
        first = of[k].member < first ? of[k].member : first;
    if (first == SIZE_MAX)
        return;
    e->group = members[first].group;
    e->group_item = members[first].item;
    search = (tac__patterns_search){0};
    for (int k; (k = tac__patterns_next(patterns, e->full, &search)) >= 0;) {
        if (!of[k].first)
            of[k].first = e;
        else if (!of[k].other && strcmp(of[k].first->group, e->group))
            of[k].other = e;
    }
}

static tac_status check_member(build *b, const member *m, const seen *of)
{
    const entry *e = of->first && !strcmp(of->first->group, m->group) ? of->other : of->first;
    if (e)
        return tac__fail_at(b->err, TAC_E_DUPLICATE, tac_node_place(m->item),
                            "component '%s' is in rate group '%s' already (line %u)", e->full,
                            e->group, tac_node_place(e->group_item)->line);
    if (of->first)
        return TAC_OK;
    const char *pattern = tac_node_text(m->item);
    tac__fail_at(b->err, TAC_E_NAME, tac_node_place(m->item),
                 "rate group '%s': no component matches '%s'", m->group, pattern);
    tac__error_suggest(b->err, pattern, entry_name, b);
    return TAC_E_NAME;
}

// Put the components into their groups. Components are the outer loop, so that very many names in
// the lists take no longer than there are names.
static tac_status put_in_groups(build *b, const tac_node *groups)
{
    tac__patterns patterns = {.arena = &b->arena};
    member *members = NULL;
    size_t count = 0;
    TAC_TRY(list_members(b, groups, &patterns, &members, &count));
    seen *of = tac__arena_array(&b->arena, patterns.count, sizeof *of);
    if (!of)
        return tac__fail_memory(b->err);
    for (size_t i = count; i-- > 0;)
        of[members[i].pattern].member = i;
    for (size_t i = 0; i < b->count; i++)
        put_in_group(&b->entries[i], &patterns, members, of);
    for (size_t i = 0; i < count; i++)
        TAC_TRY(tac__mistake(&b->mistakes, check_member(b, &members[i], &of[members[i].pattern]),
                             b->err));
    return TAC_OK;
}

static tac_status read_axis(build *b, const tac_node *node, tac_group_def *def)
{
    static const char *const keys[] = {"rate_hz", "rate", "period"};
    const char *used = NULL;
    for (size_t i = 0; i < 3; i++) {
        const tac_node *value = tac__get_node(node, keys[i]);
        if (!value)
            continue;
        if (used)
            return tac__fail_at(b->err, TAC_E_CONFIG, tac_node_place(value),
                                "rate group '%s' has both '%s' and '%s'; expected one of them",
                                def->name, used, keys[i]);
        used = keys[i];
        def->period_us = tac__get_period(node, &tac__format_group, keys[i]);
    }
    const tac_node *times = tac__get_node(node, "times"), *offset = tac__get_node(node, "offset");
    if (!used && !times)
        return tac__fail_at(b->err, TAC_E_CONFIG, tac_node_place(node),
                            "rate group '%s' has no rate; expected rate_hz, rate, period or times",
                            def->name);
    if (!times)
        return TAC_OK;
    if (!used && offset)
        return tac__fail_at(b->err, TAC_E_CONFIG, tac_node_place(offset),
                            "rate group '%s' has explicit times, which take no offset", def->name);
    def->times_count = tac_node_count(times);
    tac_time *values = tac__arena_array(&b->arena, def->times_count, sizeof *values);
    if (!values)
        return tac__fail_memory(b->err);
    for (size_t i = 0; i < def->times_count; i++)
        TAC_TRY(tac__read_time(tac_node_item(times, i), &values[i], b->err));
    def->times_us = values;
    return TAC_OK;
}

static tac_status add_group(build *b, const tac_node *node, tac_group_def *def)
{
    TAC_TRY(read_axis(b, node, def));
    return tac_engine_add_group(b->engine, def, b->err);
}

static tac_status add_groups(build *b, const tac_node *scheduler)
{
    const tac_node *groups = tac__get_node(scheduler, "rate_groups");
    for (size_t i = 0; groups && i < tac_node_count(groups); i++) {
        const tac_node *node = tac_node_item(groups, i);
        tac_group_def def = tac_group_def_default();
        def.name = tac__get_text(node, &tac__format_group, "name");
        def.offset_us = tac__get_time(node, &tac__format_group, "offset");
        def.place = *tac_node_place(node);
        TAC_TRY(tac__mistake(&b->mistakes, add_group(b, node, &def), b->err));
    }
    TAC_TRY(put_in_groups(b, groups));
    b->group_mistakes = b->mistakes.first.status != TAC_OK;
    return TAC_OK;
}

// --- components and routes ----------------------------------------------------------------------

static const char *type_name(const void *context, size_t i)
{
    const tac_registry *r = context;
    return i < tac_registry_count(r) ? tac_registry_type(r, i)->name : NULL;
}

// Read one text or a list of texts. `*texts` stays as it is where the key is missing.
static tac_status read_texts(build *b, const tac_node *node, const char *key,
                             const char *const **texts, size_t *count)
{
    const tac_node *value = tac__get_node(node, key);
    if (!value)
        return TAC_OK;
    const bool list = tac_node_kind_of(value) == TAC_NODE_SEQUENCE;
    *count = list ? tac_node_count(value) : 1;
    const char **names = tac__arena_array(&b->arena, *count, sizeof *names);
    if (!names)
        return tac__fail_memory(b->err);
    for (size_t i = 0; i < *count; i++)
        names[i] = tac_node_text(list ? tac_node_item(value, i) : value);
    *texts = names;
    return TAC_OK;
}

static tac_status add_component(build *b, const entry *e)
{
    const tac_node *type = tac__get_node(e->node, "type");
    tac_component_def def = tac_component_def_default();
    def.entity = e->entity;
    def.name = e->name;
    def.type = tac_registry_find(b->config->registry, tac_node_text(type));
    if (!def.type) {
        tac__fail_at(b->err, TAC_E_NAME, tac_node_place(type), "unknown component type '%s'",
                     tac_node_text(type));
        tac__error_suggest(b->err, tac_node_text(type), type_name, b->config->registry);
        if (b->config->ignored_plugin)
            tac__error_append(b->err,
                              "; the plugin that is named here, '%s', is not loaded unless you "
                              "say so: --plugin, or --trust",
                              b->config->ignored_plugin);
        return TAC_E_NAME;
    }
    def.group = e->group;
    def.stage = tac__get_text(e->node, &tac__format_component, "stage");
    def.params = tac__get_node(e->node, "params");
    def.hold = tac__get_word(e->node, &tac__format_component, "inactive") == 1;
    def.place = e->place;
    TAC_TRY(read_texts(b, e->node, "active", &def.active, &def.active_count));
    TAC_TRY(read_texts(b, e->node, "accept", &def.accepts, &def.accept_count));
    return tac_engine_add_component(b->engine, &def, b->err);
}

// A value as one would write it in C: "2 m/s", or "[0, 0, 1]" for a list.
static tac_status read_rest(build *b, const tac_node *node, const char **text)
{
    if (!node || tac_node_kind_of(node) == TAC_NODE_SCALAR) {
        *text = node ? tac_node_text(node) : NULL;
        return TAC_OK;
    }
    const char *list = "[";
    for (size_t i = 0; list && i < tac_node_count(node); i++) {
        const char *item = tac_node_text(tac_node_item(node, i));
        if (tac_node_kind_of(node) == TAC_NODE_MAP || !item)
            return tac__fail_at(b->err, TAC_E_TYPE, tac_node_place(node),
                                "'rest': expected a value or a list of values");
        list = tac__arena_format(&b->arena, "%s%s%s", list, i ? ", " : "", item);
    }
    *text = list ? tac__arena_format(&b->arena, "%s]", list) : NULL;
    return *text ? TAC_OK : tac__fail_memory(b->err);
}

static tac_status add_route(build *b, const entry *e, const char *input, const tac_place *place,
                            const tac_node *node)
{
    const char *to = tac__arena_format(&b->arena, "%s.%s", e->full, input);
    if (!to)
        return tac__fail_memory(b->err);
    tac_route_def def = tac_route_def_default();
    def.to = to;
    def.from = tac_node_text(node);
    def.place = *place;
    if (tac_node_kind_of(node) == TAC_NODE_MAP) {
        const tac__spec *spec = &tac__format_route;
        def.from = tac__get_text(node, spec, "from");
        def.place = *tac_node_place(tac__get_node(node, "from"));
        def.gain = tac__get_number(node, spec, "gain");
        def.offset = tac__get_number(node, spec, "offset");
        def.delay_us = tac__get_time(node, spec, "delay");
        def.delayed = tac__get_bool(node, spec, "delayed");
        def.convert = tac__get_bool(node, spec, "convert");
        def.has_policy = tac__get_node(node, "policy") != NULL;
        if (def.has_policy)
            def.policy = (tac_policy)tac__get_word(node, spec, "policy");
        def.pending = (uint32_t)tac__get_int(node, spec, "pending");
        TAC_TRY(read_rest(b, tac__get_node(node, "rest"), &def.rest));
    } else if (tac_node_place(node)->line) {
        def.place = *tac_node_place(node);
    }
    return tac_engine_add_route(b->engine, &def, b->err);
}

// The entry with this full name; NULL: there is none.
static tac_status find_entry(build *b, const char *full, const entry **found)
{
    *found = NULL;
    for (size_t i = b->names.count; i < b->count; i++) // in the first call
        TAC_TRY(tac__names_set(&b->names, &b->arena, b->entries[i].full, (uint32_t)i));
    const int i = tac__names_find(&b->names, full);
    if (i >= 0)
        *found = &b->entries[i];
    return TAC_OK;
}

// A component was refused. Set `*follows` where that only follows from a mistake that was reported
// before; complete the error where a component that it needs is missing.
static tac_status explain_refusal(build *b, bool *follows)
{
    const tac__lack *lack = &b->engine->building->lack;
    *follows = lack->group && b->group_mistakes;
    if (!lack->component)
        return TAC_OK;
    const entry *needed;
    TAC_TRY(find_entry(b, lack->component, &needed));
    *follows = needed && needed->refused;
    if (needed && !*follows)
        tac__error_append(b->err, "; it stands after it, in line %u", needed->place.line);
    else if (!needed && !strstr(b->err->text, "did you mean"))
        tac__error_suggest(b->err, lack->component, entry_name, b);
    return TAC_OK;
}

static tac_status try_component(build *b, entry *e)
{
    const tac_status status = add_component(b, e);
    if (status == TAC_OK)
        return TAC_OK;
    bool follows = false;
    e->refused = true;
    if (tac_status_exit_code(status) == 2 && explain_refusal(b, &follows) != TAC_OK)
        return tac__fail_memory(b->err);
    return follows ? TAC_OK : tac__mistake(&b->mistakes, status, b->err);
}

static tac_status add_components(build *b)
{
    for (size_t i = 0; i < b->count; i++)
        TAC_TRY(try_component(b, &b->entries[i]));
    if (b->mistakes.first.status != TAC_OK) // a component is missing: others would fail for that
        return TAC_OK;
    for (size_t i = 0; i < b->count; i++) {
        const entry *e = &b->entries[i];
        const tac_node *inputs = tac__get_node(e->node, "inputs");
        for (size_t k = 0; inputs && k < tac_node_count(inputs); k++) {
            const tac_node *node = tac_node_item(inputs, k);
            if (!tac_node_is_null(node))
                TAC_TRY(
                    add_route(b, e, tac_node_key(inputs, k), tac_node_key_place(inputs, k), node));
        }
    }
    return TAC_OK;
}

// --- the rest -----------------------------------------------------------------------------------

static tac_status add_policies(build *b, const tac_node *scheduler)
{
    const tac_node *rules = tac__get_node(tac__get_node(scheduler, "synchronization"), "overrides");
    for (size_t i = 0; rules && i < tac_node_count(rules); i++) {
        const tac_node *node = tac_node_item(rules, i);
        const tac__spec *spec = &tac__format_sync_rule;
        TAC_TRY(tac_engine_add_policy(b->engine, tac__get_text(node, spec, "pattern"),
                                      (tac_policy)tac__get_word(node, spec, "policy"),
                                      tac_node_place(node), b->err));
    }
    return TAC_OK;
}

static tac_status set_order(build *b, const tac_node *scheduler)
{
    const tac_node *order = tac__get_node(scheduler, "order");
    if (!order)
        return TAC_OK;
    const size_t n = tac_node_count(order);
    const char **names = tac__arena_array(&b->arena, n, sizeof *names);
    if (!names)
        return tac__fail_memory(b->err);
    for (size_t i = 0; i < n; i++)
        names[i] = tac_node_text(tac_node_item(order, i));
    return tac_engine_set_order(b->engine, names, n, tac_node_place(order), b->err);
}

static tac_status add_links(build *b, const tac_node *links)
{
    for (size_t i = 0; links && i < tac_node_count(links); i++)
        TAC_TRY(tac__config_add_link(b->engine, tac_node_item(links, i), &b->arena, b->err));
    return TAC_OK;
}

static tac_status fill(build *b)
{
    const tac_node *root = tac_document_root(b->config->doc);
    const tac_node *scheduler = tac__get_node(root, "scheduler");
    TAC_TRY(add_entities(b));
    TAC_TRY(add_groups(b, scheduler));
    TAC_TRY(add_components(b));
    TAC_TRY(tac__mistakes_end(&b->mistakes, b->err));
    TAC_TRY(add_policies(b, scheduler));
    TAC_TRY(set_order(b, scheduler));
    TAC_TRY(tac__config_set_initials(b->engine, tac__get_node(root, "initial"), &b->arena, b->err));
    return add_links(b, tac__get_node(root, "links"));
}

tac_status tac_config_build_unprepared(const tac_config *config, const tac_engine_def *def,
                                       tac_engine **engine, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(config && def && engine);
    *engine = NULL;
    build b = {.config = config, .err = err};
    TAC__DEF(tac_engine_def, def, err);
    b.mistakes = (tac__mistakes){.tell = def->mistake, .context = def->mistake_context};
    if (config->untrusted) // whatever the caller has changed in it
        def_known.untrusted = tac_node_place(tac_document_root(config->doc))->file;
    const tac_status created = tac_engine_create(def, &b.engine, err);
    if (created != TAC_OK) {
        const tac_node *plant = tac__get_node(tac_document_root(config->doc), "plant");
        const tac_node *integrator = tac__get_node(plant, "integrator");
        if (integrator && created != TAC_E_MEMORY)
            tac__error_place(err, tac_node_place(integrator));
        return created;
    }
    tac__arena_init(&b.arena, config->allocator);
    const tac_status status = fill(&b);
    tac__arena_fini(&b.arena);
    if (status != TAC_OK) {
        tac_engine_destroy(b.engine);
        return status;
    }
    *engine = b.engine;
    return TAC_OK;
}

tac_status tac_config_build(const tac_config *config, const tac_engine_def *def,
                            tac_engine **engine, tac_error *err)
{
    TAC__FLOATS;
    TAC_TRY(tac_config_build_unprepared(config, def, engine, err));
    const tac_status status = tac_engine_prepare(*engine, err);
    if (status != TAC_OK) {
        tac_engine_destroy(*engine);
        *engine = NULL;
    }
    return status;
}
