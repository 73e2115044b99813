// federation.c - reads section `federation` of a document: its settings, and which process has
// which entities. See federation.h.
#include "config/federation.h"
#include "base/def.h"
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "config/format.h"

#include <string.h>

static const tac_node *entities_of(const tac_config *c)
{
    return tac__get_node(tac_document_root(c->doc), "entities");
}

size_t tac__federation_owner(const tac_config *c, const char *entity)
{
    const tac_node *entities = entities_of(c);
    const size_t i = entities && *entity ? tac__node_find(entities, entity) : SIZE_MAX;
    return i == SIZE_MAX ? TAC__EVERY : c->federation->owner[i];
}

// --- processes ----------------------------------------------------------------------------------

static tac_status add_process(tac_config *c, const tac_process_info *info, tac_error *err)
{
    tac__federation *f = c->federation;
    for (size_t i = 0; i < f->count; i++) {
        if (!strcmp(f->processes[i].name, info->name))
            return tac__fail_at(err, TAC_E_DUPLICATE, &info->place,
                                "there are two processes '%s' (line %u)", info->name,
                                f->processes[i].place.line);
    }
    if (!TAC__ARENA_GROW(&c->arena, f->processes, f->count, f->capacity))
        return tac__fail_memory(err);
    f->processes[f->count++] = *info;
    return TAC_OK;
}

static size_t pattern_count(const tac_node *patterns)
{
    return tac_node_kind_of(patterns) == TAC_NODE_SEQUENCE ? tac_node_count(patterns) : 1;
}

static const tac_node *pattern_at(const tac_node *patterns, size_t i)
{
    return tac_node_kind_of(patterns) == TAC_NODE_SEQUENCE ? tac_node_item(patterns, i) : patterns;
}

static bool matches_any(const tac_node *patterns, const char *entity)
{
    for (size_t i = 0; i < pattern_count(patterns); i++) {
        if (tac__glob_match(tac_node_text(pattern_at(patterns, i)), entity))
            return true;
    }
    return false;
}

static tac_status check_patterns(const tac_config *c, const tac_node *patterns, tac_error *err)
{
    const tac_node *entities = entities_of(c);
    const char *name;
    for (size_t i = 0; i < pattern_count(patterns); i++) {
        const tac_node *pattern = pattern_at(patterns, i);
        bool any = false;
        for (size_t k = 0; (name = tac__entity_name(entities, k)); k++)
            any |= tac__glob_match(tac_node_text(pattern), name);
        if (!any)
            return tac__fail_entity(pattern, entities, err);
    }
    return TAC_OK;
}

static tac_status take_entity(tac_config *c, size_t entity, size_t process, const tac_node *by,
                              tac_error *err)
{
    tac__federation *f = c->federation;
    if (f->owner[entity] != TAC__EVERY)
        return tac__fail_at(err, TAC_E_DUPLICATE, tac_node_place(by),
                            "entity '%s' is in process '%s' already (line %u)",
                            tac__entity_name(entities_of(c), entity),
                            f->processes[f->owner[entity]].name,
                            f->processes[f->owner[entity]].place.line);
    f->owner[entity] = process;
    return TAC_OK;
}

// One process for all entities that match, or one for each.
static tac_status add_entities(tac_config *c, const tac_process_info *info,
                               const tac_node *patterns, bool each, tac_error *err)
{
    tac__federation *f = c->federation;
    const tac_node *entities = entities_of(c);
    TAC_TRY(check_patterns(c, patterns, err));
    if (!each)
        TAC_TRY(add_process(c, info, err));
    const char *name;
    for (size_t i = 0; (name = tac__entity_name(entities, i)); i++) {
        if (!matches_any(patterns, name))
            continue;
        tac_process_info own = *info;
        own.name = name;
        if (each)
            TAC_TRY(add_process(c, &own, err));
        TAC_TRY(take_entity(c, i, f->count - 1, patterns, err));
    }
    return TAC_OK;
}

static tac_status read_command(tac_config *c, const tac_node *list, tac_process_info *info,
                               tac_error *err)
{
    info->command_count = tac_node_count(list);
    const char **words = tac__arena_array(&c->arena, info->command_count, sizeof *words);
    if (!words)
        return tac__fail_memory(err);
    for (size_t i = 0; i < info->command_count; i++)
        words[i] = tac_node_text(tac_node_item(list, i));
    info->command = words;
    return TAC_OK;
}

static tac_status read_process(tac_config *c, const char *name, const tac_place *place,
                               const tac_node *node, tac_error *err)
{
    static const char *const kinds[] = {"entities", "config", "command"};
    tac_process_info info = {.name = name, .place = *place};
    const tac_node *given = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const tac_node *found = tac__get_node(node, kinds[i]);
        if (found && given)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(found),
                                "a process has one of entities, config and command");
        given = found ? found : given;
    }
    if (!given)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "process '%s' needs one of entities, config and command", name);
    const tac_node *each = tac__get_node(node, "each");
    const tac_node *entities = tac__get_node(node, "entities");
    if (each && !entities)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(each), "'each' needs 'entities'");
    static const char *const lists[] = {"publish", "subscribe"};
    const bool alone = each && tac__get_bool(node, &tac__format_process, "each");
    for (size_t i = 0; i < 2; i++) {
        const tac_node *list = tac__get_node(node, lists[i]);
        if (list && tac__get_node(node, "command"))
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(list),
                                "'%s' is for engines: program '%s' declares its channels itself",
                                lists[i], name);
        if (list && alone)
            return tac__fail_at(
                err, TAC_E_CONFIG, tac_node_place(list),
                "'%s' names signals or inputs of one process, but with 'each' there "
                "are several",
                lists[i]);
    }
    if (entities) {
        TAC_TRY(add_entities(c, &info, entities, alone, err));
        return alone ? TAC_OK : tac__federation_read_groups(c, node, c->federation->count - 1, err);
    }
    const tac_node *config = tac__get_node(node, "config");
    if (config) {
        info.config =
            tac__path_beside(&c->arena, tac_node_place(config)->file, tac_node_text(config));
        if (!info.config)
            return tac__fail_memory(err);
        TAC_TRY(add_process(c, &info, err));
        return tac__federation_read_groups(c, node, c->federation->count - 1, err);
    }
    const char *file = tac_node_place(tac_document_root(c->doc))->file;
    const char *slash = file ? strrchr(file, '/') : NULL;
    info.folder = tac__arena_format(
        &c->arena, "%.*s", slash ? (int)(slash - file + !(slash - file)) : 1, slash ? file : ".");
    if (!info.folder)
        return tac__fail_memory(err);
    TAC_TRY(read_command(c, tac__get_node(node, "command"), &info, err));
    return add_process(c, &info, err);
}

// Each process with entities lists them, in the order of the document.
static tac_status list_entities(tac_config *c, tac_error *err)
{
    tac__federation *f = c->federation;
    const tac_node *entities = entities_of(c);
    const char *name;
    for (size_t i = 0; (name = tac__entity_name(entities, i)); i++) {
        if (f->owner[i] == TAC__EVERY)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_key_place(entities, i),
                                "entity '%s' is in no process of section 'federation'", name);
        f->processes[f->owner[i]].entity_count++;
    }
    for (size_t p = 0; p < f->count; p++) {
        tac_process_info *info = &f->processes[p];
        if (!info->entity_count)
            continue;
        const char **names = tac__arena_array(&c->arena, info->entity_count, sizeof *names);
        if (!names)
            return tac__fail_memory(err);
        size_t n = 0;
        for (size_t i = 0; (name = tac__entity_name(entities, i)); i++) {
            if (f->owner[i] == p)
                names[n++] = name;
        }
        info->entities = names;
        f->divided++;
    }
    const tac_node *components = tac__get_node(tac_document_root(c->doc), "components");
    if (components && tac_node_count(components) && !f->divided)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(components),
                            "components of no entity run in the processes that have entities, and "
                            "section 'federation' has no such process");
    return TAC_OK;
}

// --- the section --------------------------------------------------------------------------------

static tac_status read_settings(tac_config *c, tac_error *err)
{
    tac__federation *f = c->federation;
    tac_link_law *law = tac__arena_alloc(&c->arena, sizeof *law);
    if (!law)
        return tac__fail_memory(err);
    *law = tac_link_law_default();
    law->min_us = tac__get_time(f->node, &tac__format_federation, "delay");
    f->delay = law;
    if (law->min_us == 0)
        return tac__fail_at(err, TAC_E_RANGE, tac_node_place(tac__get_node(f->node, "delay")),
                            "a link needs a delay of at least 1 us: processes could not advance "
                            "without waiting for each other for ever");
    if (tac__get_time(f->node, &tac__format_federation, "timeout") == 0)
        return tac__fail_at(err, TAC_E_RANGE, tac_node_place(tac__get_node(f->node, "timeout")),
                            "a timeout of 0 leaves a process no time to respond");
    return TAC_OK;
}

static tac_status read_section(tac_config *c, tac_error *err)
{
    tac__federation *f = c->federation;
    const size_t n = tac_node_count(entities_of(c));
    f->owner = tac__arena_array(&c->arena, n + 1, sizeof *f->owner);
    if (!f->owner)
        return tac__fail_memory(err);
    for (size_t i = 0; i < n; i++)
        f->owner[i] = TAC__EVERY;
    TAC_TRY(read_settings(c, err));
    const tac_node *processes = tac__get_node(f->node, "processes");
    for (size_t i = 0; i < tac_node_count(processes); i++) {
        if (!tac_node_is_null(tac_node_item(processes, i)))
            TAC_TRY(read_process(c, tac_node_key(processes, i), tac_node_key_place(processes, i),
                                 tac_node_item(processes, i), err));
    }
    if (f->count == 0)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(processes),
                            "section 'federation' has no process");
    return list_entities(c, err);
}

tac_status tac__federation_read(tac_config *c, tac_error *err)
{
    if (c->federation)
        return TAC_OK;
    const tac_node *root = tac_document_root(c->doc);
    const tac_node *node = tac__get_node(root, "federation");
    if (!node)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(root),
                            "there is no section 'federation', which says what runs in which "
                            "process");
    c->federation = tac__arena_alloc(&c->arena, sizeof *c->federation);
    if (!c->federation)
        return tac__fail_memory(err);
    c->federation->node = node;
    c->group_count = 0; // of an attempt that failed
    const tac_status status = read_section(c, err);
    if (status != TAC_OK)
        c->federation = NULL;
    return status;
}

bool tac_config_federates(const tac_config *c)
{
    return c && tac__get_node(tac_document_root(c->doc), "federation");
}

tac_status tac_config_federation_sized(tac_config *c, tac_federation_info *info, size_t size,
                                       tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(c && info);
    const tac_federation_info none = {.transport = "", .lookahead = ""};
    tac__def_give(info, size, &none, sizeof none);
    TAC_TRY(tac__federation_read(c, err));
    const tac__spec *spec = &tac__format_federation;
    const tac__federation *f = c->federation;
    const char *lcm = tac__get_text(f->node, spec, "lcm");
    tac_federation_info own;
    memset(&own, 0, sizeof own); // the padding, too
    own.transport = tac__get_text(f->node, spec, "transport");
    own.address = tac__get_text(f->node, spec, "address");
    own.lookahead = tac__get_text(f->node, spec, "lookahead");
    own.delay_us = f->delay->min_us;
    own.timeout_us = tac__get_time(f->node, spec, "timeout");
    own.process_count = f->count;
    own.lcm = strcmp(lcm, "off") != 0 ? lcm : NULL;
    own.lcm_given = tac__get_node(f->node, "lcm") != NULL;
    own.lcm_rate = tac__get_number(f->node, spec, "lcm_rate");
    tac__def_give(info, size, &own, sizeof own);
    return TAC_OK;
}

void tac_config_process_info_sized(const tac_config *c, size_t process, tac_process_info *info,
                                   size_t size)
{
    const tac_process_info none = {.name = ""};
    const bool found = c && c->federation && process < c->federation->count;
    tac__def_give(info, size, found ? &c->federation->processes[process] : &none, sizeof none);
}

static const char *process_name(const void *context, size_t i)
{
    const tac__federation *f = context;
    return i < f->count ? f->processes[i].name : NULL;
}

int tac_config_find_process(tac_config *c, const char *name, tac_error *err)
{
    if (!c || !name) {
        (void)tac__fail(err, TAC_E_CALLER, "no name of a process");
        return -1;
    }
    if (tac__federation_read(c, err) != TAC_OK)
        return -1;
    for (size_t i = 0; i < c->federation->count; i++) {
        if (!strcmp(c->federation->processes[i].name, name))
            return (int)i;
    }
    tac__fail_at(err, TAC_E_NAME, tac_node_place(tac__get_node(c->federation->node, "processes")),
                 "there is no process '%s'", name);
    tac__error_suggest(err, name, process_name, c->federation);
    return -1;
}
