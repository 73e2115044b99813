// solve.c - `initial`, `trim` and `optimize` of a document: states to begin with, and problems that
// are solved on the model.
#include "base/floats.h"
#include "base/node.h"
#include "base/text.h"
#include "base/unit.h"
#include "config/config.h"
#include "config/format.h"
#include "solve/linear.h"
#include "solve/optimize.h"
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
            return tac__node_fail_kind(item, "expected a number", err);
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

// --- optimize -----------------------------------------------------------------------------------

static tac_status read_duration(const tac_node *node, tac__optimize_phase *p, tac_error *err)
{
    if (tac_node_kind_of(node) == TAC_NODE_MAP) {
        const tac__spec *spec = &tac__format_free_duration;
        p->least_s = tac__get_number(node, spec, "min");
        p->most_s = tac__get_number(node, spec, "max");
        p->guess_s = tac__get_number(node, spec, "guess");
        if (!(p->least_s >= 0 && p->least_s <= p->most_s && p->guess_s > 0))
            return tac__fail_at(err, TAC_E_RANGE, tac_node_place(node),
                                "expected 0 <= min <= max, and a guess above 0");
        return TAC_OK;
    }
    const tac_status status = tac__quantity_parse(tac_node_text(node), "s", &p->guess_s, err);
    if (status != TAC_OK) {
        tac__error_place(err, tac_node_place(node));
        return status;
    }
    p->least_s = p->most_s = p->guess_s;
    return TAC_OK;
}

static tac_status read_phase(tac_config *c, const char *name, const tac_node *node,
                             tac__optimize_phase *p, tac_error *err)
{
    *p = (tac__optimize_phase){
        .name = name,
        .intervals = (size_t)tac__get_int(node, &tac__format_optimize_phase, "intervals")};
    TAC_TRY(read_duration(tac__get_node(node, "duration"), p, err));
    if (read_items(c, tac__get_node(node, "set"), false, &p->set, &p->set_count) != TAC_OK ||
        read_items(c, tac__get_node(node, "free"), true, &p->free, &p->free_count) != TAC_OK ||
        read_list(c, tac__get_node(node, "path"), &p->path, &p->path_count) != TAC_OK ||
        read_list(c, tac__get_node(node, "start"), &p->start, &p->start_count) != TAC_OK ||
        read_list(c, tac__get_node(node, "end"), &p->end, &p->end_count) != TAC_OK)
        return tac__fail_memory(err);
    return TAC_OK;
}

static tac_status read_phases(tac_config *c, const tac_node *table, tac__optimize_def *def,
                              tac_error *err)
{
    tac__optimize_phase *list = tac__arena_array(&c->arena, tac_node_count(table), sizeof *list);
    if (!list)
        return tac__fail_memory(err);
    def->phases = list;
    for (size_t i = 0; i < tac_node_count(table); i++) {
        const tac_node *node = tac_node_item(table, i);
        if (!tac_node_is_null(node))
            TAC_TRY(read_phase(c, tac_node_key(table, i), node, &list[def->phase_count++], err));
    }
    if (def->phase_count)
        return TAC_OK;
    return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(table), "there are no phases");
}

static tac_status read_optimize(tac_config *c, const tac_node *node, tac__optimize_def *def,
                                tac_error *err)
{
    const tac__spec *spec = &tac__format_optimize;
    const tac_node *component = tac__get_node(node, "component");
    const tac_node *least = tac__get_node(node, "minimize"),
                   *most = tac__get_node(node, "maximize");
    *def = (tac__optimize_def){.at_us = tac__get_time(node, spec, "at"),
                               .component = component ? tac_node_text(component) : NULL,
                               .place = *tac_node_place(node),
                               .component_place = *tac_node_place(component ? component : node),
                               .objective = least ? least : most,
                               .integral = tac__get_node(node, "integral"),
                               .maximize = most != NULL,
                               .tolerance = tac__get_number(node, spec, "tolerance"),
                               .iterations = (int)tac__get_int(node, spec, "iterations"),
                               .linear = tac__get_word(node, spec, "inputs") == 0,
                               .smoothing = tac__get_number(node, spec, "smoothing"),
                               .refinements = (int)tac__get_int(node, spec, "refinements"),
                               .accuracy = tac__get_number(node, spec, "accuracy")};
    if (least && most)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(most),
                            "there is one of minimize and maximize");
    if (!def->objective && !def->integral)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(node),
                            "expected minimize, maximize or integral");
    if (read_items(c, tac__get_node(node, "set"), false, &def->set, &def->set_count) != TAC_OK ||
        read_list(c, tac__get_node(node, "open"), &def->open, &def->open_count) != TAC_OK)
        return tac__fail_memory(err);
    return read_phases(c, tac__get_node(node, "phases"), def, err);
}

// In a simulation of its own.
static tac_status fly(const tac_config *config, tac_optimum *optimum, tac_error *err)
{
    const tac_engine_def def = tac_config_engine_def(config);
    tac_engine *engine;
    TAC_TRY(tac_config_build_unprepared(config, &def, &engine, err));
    tac_status status = tac__optimum_begin(optimum, engine, err);
    if (status == TAC_OK)
        status = tac_engine_prepare(engine, err);
    if (status == TAC_OK)
        status = tac__optimum_fly(optimum, engine, err);
    if (status != TAC_OK)
        tac__error_context(err, "flying the solution");
    tac_engine_destroy(engine);
    return status;
}

tac_status tac_config_optimize(tac_config *config, tac_engine *engine, tac_optimum_fn *watch,
                               void *context, tac_optimum **optimum, tac_error *err)
{
    TAC__FLOATS;
    TAC_REQUIRE(config && engine && optimum);
    *optimum = NULL;
    const tac_node *root = tac_document_root(config->doc);
    const tac_node *node = tac__get_node(root, "optimize");
    if (!node)
        return tac__fail_at(err, TAC_E_CONFIG, tac_node_place(root),
                            "there is no section 'optimize', which says what to look for");
    tac__optimize_def def;
    TAC_TRY(read_optimize(config, node, &def, err));
    def.watch = watch;
    def.context = context;
    TAC_TRY(tac__optimum_create(&def, engine, optimum, err));
    const tac_status status = fly(config, *optimum, err);
    if (status != TAC_OK) {
        tac_optimum_destroy(*optimum);
        *optimum = NULL;
    }
    return status;
}
