// phases.c - flight phases in a document: `phases:` becomes a component `flight` of type `phases`,
// the last of its entity.
#include "base/node.h"
#include "config/config.h"
#include "config/format.h"
#include "engine/phases/phases.h"

#include <string.h>

static const char component_name[] = "flight";

static tac_status fail_map(const tac_node *node, tac_error *err)
{
    return tac__node_fail_kind(node, "phases: expected a map with names, initial and transitions",
                               err);
}

// Make the component of an entity, or of the root, from its phases.
static tac_status add_machine(tac_config *c, tac_node *entity, tac_node *phases, tac_error *err)
{
    if (tac_node_kind_of(phases) != TAC_NODE_MAP)
        return fail_map(phases, err);
    const tac_place *place = tac_node_place(phases);
    const size_t at = tac__node_find(entity, "components");
    tac_node *components = at == SIZE_MAX ? NULL : tac__node_own(c->doc, entity, at);
    if (at != SIZE_MAX && !components)
        return tac__fail_memory(err);
    if (!components || tac_node_is_null(components)) {
        components = tac_node_map(c->doc, place);
        if (!components || tac_node_set(c->doc, entity, "components", place, components) != TAC_OK)
            return tac__fail_memory(err);
    }
    if (tac_node_get(components, component_name))
        return tac__fail_at(err, TAC_E_DUPLICATE, place,
                            "phases become component '%s', and there is one of that name already",
                            component_name);
    tac_node *machine = tac_node_map(c->doc, place);
    tac_node *type = tac_node_scalar(c->doc, tac__phases_type.name, place);
    if (!machine || !type || tac_node_set(c->doc, machine, "type", place, type) != TAC_OK ||
        tac_node_set(c->doc, machine, "params", place, phases) != TAC_OK ||
        tac_node_set(c->doc, components, component_name, place, machine) != TAC_OK)
        return tac__fail_memory(err);
    return TAC_OK;
}

static tac_status find_owner(tac_node *root, const tac_node *name, tac_node **owner, tac_error *err)
{
    tac_node *entities = tac__node_get_mutable(root, "entities");
    const char *text = tac_node_text(name);
    if (!text)
        return tac__node_fail_kind(name, "entity: expected a name", err);
    *owner = entities ? tac__node_get_mutable(entities, text) : NULL;
    if (*owner)
        return TAC_OK;
    tac__fail_at(err, TAC_E_NAME, tac_node_place(name), "unknown entity '%s'", text);
    if (entities)
        tac__error_suggest(err, text, tac__entity_name, entities);
    else
        tac__error_append(err, ": there are no entities");
    return TAC_E_NAME;
}

// `phases:` at the root has the strategy; all other keys are the phases of one entity.
static tac_status place_root(tac_config *c, tac_node *root, tac_error *err)
{
    tac_node *phases = tac__node_get_mutable(root, "phases");
    if (!phases || tac_node_is_null(phases))
        return TAC_OK;
    if (tac_node_kind_of(phases) != TAC_NODE_MAP)
        return fail_map(phases, err);
    tac_node *machine = tac__node_copy(c->doc, c->doc, phases), *owner = root;
    if (!machine)
        return tac__fail_memory(err);
    tac__node_remove(machine, "strategy");
    const tac_node *entity = tac__get_node(machine, "entity");
    if (entity)
        TAC_TRY(find_owner(root, entity, &owner, err));
    tac__node_remove(machine, "entity");
    for (size_t i = tac_node_count(phases); i-- > 0;) {
        const char *key = tac_node_key(phases, i);
        if (strcmp(key, "strategy"))
            tac__node_remove(phases, key);
    }
    TAC_TRY(tac__spec_check(phases, &tac__format_phases, NULL, err));
    if (tac_node_count(machine) == 0 && !entity)
        return TAC_OK;
    if (owner != root && tac__get_node(owner, "phases"))
        return tac__fail_at(err, TAC_E_DUPLICATE, tac_node_place(machine),
                            "entity '%s' has phases of its own already", tac_node_text(entity));
    return add_machine(c, owner, machine, err);
}

tac_status tac__place_phases(tac_config *c, tac_error *err)
{
    tac_node *root = tac_document_root(c->doc);
    TAC_TRY(place_root(c, root, err));
    tac_node *entities = tac__node_get_mutable(root, "entities");
    for (size_t i = 0; entities && i < tac_node_count(entities); i++) {
        tac_node *entity = tac__node_item_mutable(entities, i);
        tac_node *phases = tac__node_get_mutable(entity, "phases");
        if (!phases || tac_node_is_null(phases))
            continue;
        tac_node *copy = tac__node_copy(c->doc, c->doc, phases);
        if (!copy)
            return tac__fail_memory(err);
        TAC_TRY(tac__config_check_size(c, tac_node_place(phases), err));
        TAC_TRY(add_machine(c, entity, copy, err));
        tac__node_remove(entity, "phases");
    }
    return TAC_OK;
}
