// trace.c - see trace.h.
#include "engine/trace/trace.h"

#include <string.h>

tac_status tac__trace_begin(tac__trace *tr, tac_engine *engine, const tac_graph_def *def,
                            const char *name, tac_error *err)
{
    *tr = (tac__trace){.engine = engine, .def = def, .err = err, .at = ""};
    const tac_allocator *allocator = def->allocator ? def->allocator : tac_allocator_default();
    tac__arena_init(&tr->arena, allocator);
    TAC_TRY(tac__graph_create(allocator, name, def->fast, NULL, &tr->graph, err));
    tr->pool = tac__graph_pool(tr->graph);
    const tac__plan *plan = engine->plan;
    tr->signals = tac__arena_array(&tr->arena, plan->schema.count, sizeof *tr->signals);
    tr->outside = tac__arena_array(&tr->arena, plan->component_count, sizeof *tr->outside);
    tr->islands = tac__arena_array(&tr->arena, plan->island_count, sizeof *tr->islands);
    if (!tr->signals || !tr->outside || !tr->islands)
        return tac__fail_memory(err);
    return TAC_OK;
}

tac_status tac__trace_end(tac__trace *tr, tac_status status, tac_graph **graph)
{
    if (status == TAC_OK)
        status = tac__terms_status(tr->pool, tr->err);
    else if (status == TAC_E_MEMORY)
        tac__fail_memory(tr->err);
    if (status != TAC_OK) {
        tac__graph_destroy(tr->graph);
        tr->graph = NULL;
    }
    *graph = tr->graph;
    tac__trace_params_end(tr);
    tac__arena_fini(&tr->arena);
    return status;
}

// --- lists --------------------------------------------------------------------------------------

static bool append(tac__trace *tr, tac__trace_list *list, tac__trace_value value, uint32_t element,
                   int32_t term)
{
    char suffix[TAC_ELEMENT_TEXT];
    tac_element_print(value.type, element, suffix);
    const tac__traced item = {
        .term = term,
        .label = tac__arena_format(&tr->graph->arena, "%s%s%s", value.name, suffix, tr->at),
        // Elements of one value share the text of their unit.
        .unit = element > 0 ? list->items[list->count - 1].unit
                            : tac__arena_text(&tr->graph->arena, value.unit ? value.unit : "1"),
        .source = {.value = value.from,
                   .history = value.history,
                   .lag = value.lag,
                   .element = element,
                   .scalar = value.type->scalar,
                   .after = value.after,
                   .at_us = tr->at_us}};
    if (!item.label || !item.unit ||
        !TAC__ARENA_GROW(&tr->arena, list->items, list->count, list->capacity))
        return false;
    list->items[list->count++] = item;
    return true;
}

tac__sym_value *tac__trace_inputs(tac__trace *tr, tac__trace_list *list, tac__trace_value value)
{
    tac__sym_value *made = tac__arena_array(&tr->arena, value.type->count, sizeof *made);
    for (uint32_t i = 0; made && i < value.type->count; i++) {
        const int32_t term = tac__term_input(tr->pool);
        made[i] = tac__sym_of(tr->pool, term);
        if (!append(tr, list, value, i, term))
            return NULL;
    }
    return made;
}

tac_status tac__trace_outputs(tac__trace *tr, tac__trace_list *list, tac__trace_value value,
                              const tac__sym_value *symbols)
{
    for (uint32_t i = 0; i < value.type->count; i++) {
        if (!append(tr, list, value, i, tac__term_of(tr->pool, symbols[i])))
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status keep_sources(const tac__trace *tr, const tac__trace_list *list,
                               const tac__trace_source **kept)
{
    tac__trace_source *copy = tac__arena_array(tr->sources->arena, list->count, sizeof *copy);
    for (size_t i = 0; copy && i < list->count; i++)
        copy[i] = list->items[i].source;
    *kept = copy;
    return copy ? TAC_OK : TAC_E_MEMORY;
}

double tac__trace_read_one(const tac__trace_source *s, double t)
{
    const void *value = s->value;
    if (s->history) {
        const uint64_t entry = *s->history->writes - (s->lag - 1);
        value = s->history->values + entry % s->history->depth * s->history->words;
    }
    return value ? tac__scalar_f64(s->scalar, value, s->element) : t;
}

void tac__trace_read(const tac__trace_source *sources, size_t count, double t, double *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = tac__trace_read_one(&sources[i], t);
}

static tac_status complete(tac__trace *tr, tac__group *group, const tac__trace_list *list)
{
    if (!group)
        return TAC_E_MEMORY;
    const char **labels = tac__arena_array(&tr->graph->arena, list->count, sizeof *labels);
    const char **units = tac__arena_array(&tr->graph->arena, list->count, sizeof *units);
    if (!labels || !units)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < list->count; i++) {
        group->terms[i] = list->items[i].term;
        labels[i] = list->items[i].label;
        units[i] = list->items[i].unit;
    }
    group->labels = labels;
    group->units = units;
    return TAC_OK;
}

tac_status tac__trace_add_in(tac__trace *tr, const char *name, const tac__trace_list *list,
                             bool wanted)
{
    if (!list->count && !wanted)
        return TAC_OK;
    // Terms are given, though they are set below: else the group would make new ones.
    int32_t *terms = tac__arena_array(&tr->arena, list->count, sizeof *terms);
    if (!terms)
        return TAC_E_MEMORY;
    TAC_TRY(complete(tr, tac__graph_add_input(tr->graph, name, list->count, terms), list));
    const size_t i = tr->graph->in_count - 1;
    TAC_ASSERT(i < TAC__TRACE_GROUPS);
    return tr->sources ? keep_sources(tr, list, &tr->sources->in[i]) : TAC_OK;
}

tac_status tac__trace_add_out(tac__trace *tr, const char *name, const tac__trace_list *list)
{
    TAC_TRY(complete(tr, tac__graph_add_output(tr->graph, name, list->count, NULL), list));
    const size_t i = tr->graph->out_count - 1;
    TAC_ASSERT(i < TAC__TRACE_GROUPS);
    return tr->sources ? keep_sources(tr, list, &tr->sources->out[i]) : TAC_OK;
}

tac__sym_value *tac__trace_constants(tac__trace *tr, const tac_type *type, const void *value)
{
    tac__sym_value *values = tac__arena_array(&tr->arena, type->count, sizeof *values);
    for (uint32_t i = 0; values && i < type->count; i++)
        values[i] = (tac__sym_value){.value = tac__scalar_f64(type->scalar, value, i)};
    return values;
}
