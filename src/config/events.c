// events.c - `scenario:` in a document: its events become parameters of the components whose type
// takes events, after the events of their own.
#include "base/node.h"
#include "base/text.h"
#include "config/config.h"
#include "config/format.h"

// The node under `key`, to be changed; NULL where it is absent, or there is no memory.
static tac_node *own(tac_config *c, tac_node *map, const char *key)
{
    const size_t i = tac__node_find(map, key);
    return i == SIZE_MAX ? NULL : tac__node_own(c->doc, map, i);
}

// The map under `key`, to be changed, made where it is absent.
static tac_node *map_at(tac_config *c, tac_node *map, const char *key)
{
    if (tac__get_node(map, key))
        return own(c, map, key);
    tac_node *node = tac_node_map(c->doc, tac_node_place(map));
    return node && tac_node_set(c->doc, map, key, NULL, node) == TAC_OK ? node : NULL;
}

// The list of events in a scenario's parameters. A single event may stand there without a list.
static tac_node *events_of(tac_config *c, tac_node *params)
{
    tac_node *events = own(c, params, "events");
    if (!events && tac_node_get(params, "events"))
        return NULL;
    if (events && tac_node_kind_of(events) == TAC_NODE_SEQUENCE)
        return events;
    tac_node *list = tac_node_sequence(c->doc, tac_node_place(events ? events : params));
    if (!list)
        return NULL;
    if (events && !tac_node_is_null(events) && tac_node_append(c->doc, list, events) != TAC_OK)
        return NULL;
    return tac_node_set(c->doc, params, "events", NULL, list) == TAC_OK ? list : NULL;
}

// The component of an entity, or of the root, whose type takes events.
typedef struct taker {
    size_t at;    // its index among the components; SIZE_MAX: there is none
    bool unknown; // a component has a type that is not known, which building will report
} taker;

static tac_status find_taker(const tac_config *c, const tac_node *entity, const tac_node *event,
                             taker *t, tac_error *err)
{
    *t = (taker){.at = SIZE_MAX};
    const tac_node *components = tac__get_node(entity, "components");
    for (size_t i = 0; i < tac_node_count(components); i++) {
        const char *name = tac_node_text(tac_node_get(tac_node_item(components, i), "type"));
        const tac_component_type *type = name ? tac_registry_find(c->registry, name) : NULL;
        t->unknown |= !type;
        if (!type || !(type->flags & TAC_COMPONENT_EVENTS))
            continue;
        if (t->at != SIZE_MAX)
            return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(event),
                                "components '%s' and '%s' both take events; expected this one "
                                "among the parameters of one of them",
                                tac_node_key(components, t->at), tac_node_key(components, i));
        t->at = i;
    }
    return TAC_OK;
}

// Give the event to the component of the entity that takes events, if there is one.
static tac_status add_event(tac_config *c, tac_node *entity, const tac_node *event, bool *taken,
                            tac_error *err)
{
    taker t;
    TAC_TRY(find_taker(c, entity, event, &t, err));
    *taken |= t.unknown || t.at != SIZE_MAX;
    if (t.at == SIZE_MAX)
        return TAC_OK;
    tac_node *components = own(c, entity, "components");
    tac_node *scenario = components ? tac__node_own(c->doc, components, t.at) : NULL;
    tac_node *params = scenario ? map_at(c, scenario, "params") : NULL;
    if (params && tac_node_kind_of(params) != TAC_NODE_MAP)
        return tac__node_fail_kind(params, "params: expected a map of parameters", err);
    tac_node *events = params ? events_of(c, params) : NULL;
    tac_node *copy = events ? tac__node_copy(c->doc, c->doc, event) : NULL;
    if (!copy || tac_node_append(c->doc, events, copy) != TAC_OK)
        return tac__fail_memory(err);
    tac__node_remove(copy, "entity");
    return tac__config_check_size(c, tac_node_place(event), err);
}

// No component takes the event: say why, and which types would take it.
static tac_status fail_event(const tac_config *c, const tac_node *event, const tac_node *entities,
                             const char *pattern, bool matched, tac_error *err)
{
    const tac_node *entity = tac__get_node(event, "entity");
    const tac_place *place = tac_node_place(pattern ? entity : event);
    if (pattern && !matched)
        return tac__fail_entity(entity, entities, err);
    if (pattern)
        tac__fail_at(err, TAC_E_CONFIG, place, "entity '%s' has no component that takes events",
                     pattern);
    else
        tac__fail_at(err, TAC_E_CONFIG, place, "there is no component that takes events");
    const char *before = "; expected one of type";
    for (size_t i = 0; i < tac_registry_count(c->registry); i++) {
        const tac_component_type *type = tac_registry_type(c->registry, i);
        if (!(type->flags & TAC_COMPONENT_EVENTS))
            continue;
        tac__error_append(err, "%s '%s'", before, type->name);
        before = " or";
    }
    return TAC_E_CONFIG;
}

static tac_status place_event(tac_config *c, const tac_node *event, tac_error *err)
{
    if (tac_node_kind_of(event) != TAC_NODE_MAP)
        return tac__node_fail_kind(event, "scenario: expected a map that describes the event", err);
    tac_node *root = tac_document_root(c->doc);
    tac_node *entities = tac__node_get_mutable(root, "entities");
    const tac_node *entity = tac__get_node(event, "entity");
    const char *pattern = entity ? tac_node_text(entity) : NULL;
    if (entity && !pattern)
        return tac__node_fail_kind(entity, "entity: expected a name or a pattern", err);
    bool matched = false, taken = false;
    if (!pattern)
        TAC_TRY(add_event(c, root, event, &taken, err));
    for (size_t i = 0; i < tac_node_count(entities); i++) {
        if (pattern && !tac__glob_match(pattern, tac_node_key(entities, i)))
            continue;
        matched = true;
        TAC_TRY(add_event(c, tac__node_item_mutable(entities, i), event, &taken, err));
    }
    return taken ? TAC_OK : fail_event(c, event, entities, pattern, matched, err);
}

// Give the events under `scenario:` to the components that take events, of the entities they are
// for.
tac_status tac__place_events(tac_config *c, tac_error *err)
{
    tac_node *root = tac_document_root(c->doc);
    const tac_node *events = tac__get_node(root, "scenario");
    for (size_t i = 0; events && i < tac_node_count(events); i++)
        TAC_TRY(place_event(c, tac_node_item(events, i), err));
    tac__node_remove(root, "scenario");
    return TAC_OK;
}
