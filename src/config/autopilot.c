// autopilot.c - `autopilot:` in a document: its settings for a component type become parameters of
// every component of that type, unless the component sets them itself.
#include "base/node.h"
#include "config/config.h"
#include "config/format.h"

#include <string.h>

static bool is_of(const tac_node *component, const char *type)
{
    const char *own = tac_node_text(tac_node_get(component, "type"));
    return own && !strcmp(own, type);
}

static tac_status hand_over(tac_config *c, tac_node *component, const tac_node *common,
                            tac_error *err)
{
    tac_node *own = tac__node_get_mutable(component, "params");
    if (own && !tac_node_is_null(own) && tac_node_kind_of(own) != TAC_NODE_MAP)
        return tac__node_fail_kind(own, "params: expected a map of parameters", err);
    tac_node *all = tac__node_copy(c->doc, c->doc, common);
    if (own && !tac_node_is_null(own)) // it may be shared, and merging moves its contents
        own = tac__node_copy(c->doc, c->doc, own);
    if (!all || (tac_node_get(component, "params") && !own))
        return tac__fail_memory(err);
    if (own && !tac_node_is_null(own))
        TAC_TRY(tac__merge(c->doc, all, own, err));
    return tac_node_set(c->doc, component, "params", NULL, all) == TAC_OK ? TAC_OK
                                                                          : tac__fail_memory(err);
}

static tac_status hand_over_all(tac_config *c, tac_node *owner, const char *type,
                                const tac_node *common, tac_error *err)
{
    const size_t at = tac__node_find(owner, "components");
    const tac_node *shown = tac_node_get(owner, "components");
    for (size_t i = 0; i < tac_node_count(shown); i++) {
        if (!is_of(tac_node_item(shown, i), type))
            continue;
        tac_node *components = tac__node_own(c->doc, owner, at);
        tac_node *component = components ? tac__node_own(c->doc, components, i) : NULL;
        if (!component)
            return tac__fail_memory(err);
        TAC_TRY(hand_over(c, component, common, err));
        TAC_TRY(tac__config_check_size(c, tac_node_place(common), err));
    }
    return TAC_OK;
}

static const char *type_name(const void *registry, size_t i)
{
    const tac_component_type *type = tac_registry_type(registry, i);
    return type ? type->name : NULL;
}

static tac_status hand_out(tac_config *c, const char *type, const tac_place *place,
                           const tac_node *common, tac_error *err)
{
    tac_node *root = tac_document_root(c->doc);
    if (!tac_registry_find(c->registry, type)) {
        tac__fail_at(err, TAC_E_NAME, place, "unknown component type '%s'", type);
        tac__error_suggest(err, type, type_name, c->registry);
        return TAC_E_NAME;
    }
    TAC_TRY(hand_over_all(c, root, type, common, err));
    tac_node *entities = tac__node_get_mutable(root, "entities");
    for (size_t i = 0; entities && i < tac_node_count(entities); i++)
        TAC_TRY(hand_over_all(c, tac__node_item_mutable(entities, i), type, common, err));
    return TAC_OK;
}

tac_status tac__place_autopilot(tac_config *c, tac_error *err)
{
    tac_node *root = tac_document_root(c->doc);
    const tac_node *all = tac__get_node(root, "autopilot");
    for (size_t i = 0; i < tac_node_count(all); i++) {
        if (!tac_node_is_null(tac_node_item(all, i)))
            TAC_TRY(hand_out(c, tac_node_key(all, i), tac_node_key_place(all, i),
                             tac_node_item(all, i), err));
    }
    tac__node_remove(root, "autopilot");
    return TAC_OK;
}
