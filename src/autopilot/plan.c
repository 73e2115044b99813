// plan.c - missions as QGroundControl's .plan: JSON with the items under mission.items. Only simple
// items are understood. Surveys, corridors and the like are refused by name, and so are fences and
// rally points, which flight control would not obey. Keys that do not concern the flight are
// ignored.
#include "autopilot/mission.h"
#include "base/json_read.h"

#include <string.h>

#define FAIL(err, node, ...) tac__fail_at((err), TAC_E_CONFIG, tac_node_place(node), __VA_ARGS__)

// --- members ------------------------------------------------------------------------------------

static bool is_text(const tac_node *node, const char *text)
{
    return node && tac_node_quoted(node) && strcmp(tac_node_text(node), text) == 0;
}

static tac_status get(const tac_node *map, const char *key, const tac_node **value, tac_error *err)
{
    *value = tac_node_kind_of(map) == TAC_NODE_MAP ? tac_node_get(map, key) : NULL;
    return *value ? TAC_OK : FAIL(err, map, "expected an object with the key \"%s\"", key);
}

static tac_status get_list(const tac_node *map, const char *key, const tac_node **list,
                           tac_error *err)
{
    TAC_TRY(get(map, key, list, err));
    if (tac_node_kind_of(*list) != TAC_NODE_SEQUENCE)
        return FAIL(err, *list, "expected an array");
    return TAC_OK;
}

static tac_status read_number(const tac_node *node, bool open, double *value, tac_place *place,
                              tac_error *err)
{
    *place = *tac_node_place(node);
    *value = TAC__OPEN;
    if ((open && tac_node_is_null(node)) || tac__json_is_number(node, value))
        return TAC_OK;
    return FAIL(err, node, open ? "expected a number or null" : "expected a number");
}

// --- items --------------------------------------------------------------------------------------

static tac_status read_fields(const tac_node *item, tac__mission_fields *fields, tac_error *err)
{
    static const struct {
        const char *key;
        tac__mission_field field;
    } numbers[] = {{"command", TAC__FIELD_COMMAND}, {"frame", TAC__FIELD_FRAME}};
    const tac_node *node;
    for (size_t i = 0; i < 2; i++) {
        const tac__mission_field f = numbers[i].field;
        TAC_TRY(get(item, numbers[i].key, &node, err));
        TAC_TRY(read_number(node, false, &fields->value[f], &fields->place[f], err));
    }
    TAC_TRY(get_list(item, "params", &node, err));
    if (tac_node_count(node) != 7)
        return FAIL(err, node, "expected 7 parameters, found %zu", tac_node_count(node));
    for (size_t i = 0; i < 7; i++) {
        const size_t f = TAC__FIELD_PARAM + i;
        TAC_TRY(
            read_number(tac_node_item(node, i), true, &fields->value[f], &fields->place[f], err));
    }
    node = tac_node_get(item, "autoContinue");
    const char *text = node && !tac_node_quoted(node) ? tac_node_text(node) : NULL;
    if (node && !(text && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)))
        return FAIL(err, node, "expected true or false");
    fields->value[TAC__FIELD_CONTINUE] = !node || strcmp(text, "true") == 0;
    fields->place[TAC__FIELD_CONTINUE] = *tac_node_place(node ? node : item);
    return TAC_OK;
}

static tac_status read_item(const tac_node *item, const tac__mission_rules *rules,
                            tac__mission *mission, tac_error *err)
{
    const tac_node *type;
    TAC_TRY(get(item, "type", &type, err));
    if (is_text(type, "ComplexItem")) {
        const tac_node *which = tac_node_get(item, "complexItemType");
        const char *name = which ? tac_node_text(which) : NULL;
        return FAIL(err, which ? which : type,
                    "complex item '%.40s' is not supported: expected simple items only",
                    name ? name : "unknown");
    }
    if (!is_text(type, "SimpleItem"))
        return FAIL(err, type, "expected the type \"SimpleItem\"");
    tac__mission_fields fields;
    TAC_TRY(read_fields(item, &fields, err));
    return tac__mission_add(mission, &fields, rules, err);
}

// --- the file -----------------------------------------------------------------------------------

// Refuses keys that would restrict or change the flight and are not understood.
static tac_status check_absent(const tac_node *root, tac_error *err)
{
    static const char *const lists[][2] = {
        {"geoFence", "polygons"}, {"geoFence", "circles"}, {"rallyPoints", "points"}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const tac_node *group = tac_node_get(root, lists[i][0]);
        const tac_node *list = group && tac_node_kind_of(group) == TAC_NODE_MAP
                                   ? tac_node_get(group, lists[i][1])
                                   : NULL;
        if (list && tac_node_count(list) > 0)
            return FAIL(err, list, "%s.%s is not supported: expected an empty array", lists[i][0],
                        lists[i][1]);
    }
    return TAC_OK;
}

static tac_status read_plan(const tac_node *root, const tac__mission_rules *rules,
                            tac__mission *mission, tac_error *err)
{
    const tac_node *type, *part, *items;
    TAC_TRY(get(root, "fileType", &type, err));
    if (!is_text(type, "Plan"))
        return FAIL(err, type, "expected the file type \"Plan\"");
    TAC_TRY(get(root, "mission", &part, err));
    TAC_TRY(get_list(part, "items", &items, err));
    for (size_t i = 0; i < tac_node_count(items); i++) {
        const tac_status status = read_item(tac_node_item(items, i), rules, mission, err);
        if (status != TAC_OK) {
            tac__error_context(err, "reading mission.items[%zu]", i);
            return status;
        }
    }
    return check_absent(root, err);
}

tac_status tac__plan_parse(const char *name, const char *bytes, size_t size,
                           const tac__mission_rules *rules, tac__mission *mission, tac_error *err)
{
    tac_document *doc = tac_document_create(NULL);
    if (!doc)
        return tac__fail_memory(err);
    tac_node *root;
    tac_status status = tac__json_read(doc, name, bytes, size, &root, err);
    if (status == TAC_OK)
        status = read_plan(root, rules, mission, err);
    tac_document_destroy(doc);
    return status;
}
