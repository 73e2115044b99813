// solve.c - `initial`, `trim` and `optimize` of a document: states to begin with, and problems that
// are solved on the model.
#include "base/floats.h"
#include "base/text.h"
#include "base/unit.h"
#include "config/config.h"
#include "config/format.h"
#include "solve/linear.h"
#include "solve/trim.h"

#include <string.h>

// --- initial ------------------------------------------------------------------------------------

static const char *state_name(const void *context, size_t i)
{
    const tac_engine *e = context;
    for (size_t k = 0; k < tac_engine_signal_count(e); k++) {
        const tac_signal_info info = tac_engine_signal_info(e, (int)k);
        if (info.continuous && i-- == 0)
            return info.name;
    }
    return NULL;
}

// A number, or a list of them.
static tac_status read_numbers(const tac_node *node, const char *unit, tac__arena *arena,
                               double **values, size_t *count, tac_error *err)
{
    const bool list = tac_node_kind_of(node) == TAC_NODE_SEQUENCE;
    *count = list ? tac_node_count(node) : 1;
    *values = tac__arena_array(arena, *count, sizeof **values);
    if (!*values)
        return tac__fail_memory(err);
    for (size_t i = 0; i < *count; i++) {
        const tac_node *item = list ? tac_node_item(node, i) : node;
        const char *text = tac_node_text(item);
        if (!text)
            return tac__fail_at(err, TAC_E_TYPE, tac_node_place(item), "expected a number");
        const tac_status status = tac__quantity_parse(text, unit, &(*values)[i], err);
        if (status != TAC_OK) {
            tac__error_place(err, tac_node_place(item));
            return status;
        }
    }
    return TAC_OK;
}

tac_status tac__config_set_initials(tac_engine *e, const tac_node *initial, tac__arena *arena,
                                    tac_error *err)
{
    for (size_t i = 0; initial && i < tac_node_count(initial); i++) {
        const tac_node *node = tac_node_item(initial, i);
        const char *name = tac_node_key(initial, i);
        const tac_place *place = tac_node_key_place(initial, i);
        if (tac_node_is_null(node)) // taken away from what the file extends
            continue;
        const int signal = tac_engine_find_signal(e, name);
        if (signal < 0) {
            tac__fail_at(err, TAC_E_NAME, place, "unknown state '%s'", name);
            tac__error_suggest(err, name, state_name, e);
            return TAC_E_NAME;
        }
        double *values;
        size_t count;
        TAC_TRY(read_numbers(node, tac_engine_signal_info(e, signal).unit, arena, &values, &count,
                             err));
        TAC_TRY(tac_engine_set_initial(e, signal, values, count, place, err));
    }
    return TAC_OK;
}

// --- trim ---------------------------------------------------------------------------------------

// The entries of a table: values, or maps with bounds.
static tac_status read_items(tac_config *c, const tac_node *table, bool bounds,
                             const tac__trim_item **items, size_t *count)
{
    const size_t n = table ? tac_node_count(table) : 0;
    tac__trim_item *list = tac__arena_array(&c->arena, n, sizeof *list);
    if (!list)
        return TAC_E_MEMORY;
    *items = list;
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        const tac_node *node = tac_node_item(table, i);
        if (tac_node_is_null(node)) // taken away from what the file extends
            continue;
        tac__trim_item *item = &list[(*count)++];
        *item = (tac__trim_item){.name = tac_node_key(table, i),
                                 .place = *tac_node_key_place(table, i),
                                 .value = bounds ? NULL : node,
                                 .min = bounds ? tac__get_node(node, "min") : NULL,
                                 .max = bounds ? tac__get_node(node, "max") : NULL,
                                 .guess = bounds ? tac__get_node(node, "guess") : NULL};
    }
    return TAC_OK;
}

static tac_status read_list(tac_config *c, const tac_node *list, const tac_node *const **items,
                            size_t *count)
{
    *count = list ? tac_node_count(list) : 0;
    const tac_node **all = tac__arena_array(&c->arena, *count, sizeof *all);
    if (!all)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < *count; i++)
        all[i] = tac_node_item(list, i);
    *items = all;
    return TAC_OK;
}

static tac_status read_trim(tac_config *c, const tac_node *node, tac__trim_def *def)
{
    const tac__spec *spec = &tac__format_trim;
    const tac_node *component = tac__get_node(node, "component");
    *def = (tac__trim_def){.at_us = tac__get_time(node, spec, "at"),
                           .component = component ? tac_node_text(component) : NULL,
                           .place = *tac_node_place(node),
                           .component_place = *tac_node_place(component ? component : node),
                           .tolerance = tac__get_number(node, spec, "tolerance"),
                           .iterations = (int)tac__get_int(node, spec, "iterations")};
    TAC_TRY(read_items(c, tac__get_node(node, "set"), false, &def->set, &def->set_count));
    TAC_TRY(read_items(c, tac__get_node(node, "free"), true, &def->free, &def->free_count));
    TAC_TRY(read_list(c, tac__get_node(node, "drift"), &def->drift, &def->drift_count));
    return read_list(c, tac__get_node(node, "conditions"), &def->conditions, &def->condition_count);
}

tac_status tac_config_trim(tac_config *config, tac_engine *engine, tac_trim **trim, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(config && engine && trim);
    *trim = NULL;
    const tac_node *root = tac_document_root(config->doc);
    const tac_node *node = tac__get_node(root, "trim");
    if (!node)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(root),
                            "there is no section 'trim', which says what to look for");
    tac__trim_def def;
    if (read_trim(config, node, &def) != TAC_OK)
        return tac__fail_memory(err);
    return tac__trim_create(&def, engine, trim, err);
}

// --- linearize ----------------------------------------------------------------------------------

tac_status tac_config_linearize(tac_config *config, tac_engine *engine, const tac_trim *trim,
                                bool full, tac_linear **linear, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(config && engine && linear);
    *linear = NULL;
    const tac_node *root = tac_document_root(config->doc);
    const tac_node *node = tac__get_node(root, "linearize");
    const tac_node *component = tac__get_node(node, "component");
    tac__linear_def def = {.trim = trim,
                           .component = component ? tac_node_text(component) : NULL,
                           .place = *tac_node_place(component ? component : root),
                           .full = full};
    if (read_list(config, tac__get_node(node, "inputs"), &def.inputs, &def.input_count) != TAC_OK ||
        read_list(config, tac__get_node(node, "outputs"), &def.outputs, &def.output_count) !=
            TAC_OK)
        return tac__fail_memory(err);
    return tac__linear_create(&def, engine, linear, err);
}
