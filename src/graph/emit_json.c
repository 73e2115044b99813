// emit_json.c - a graph as data; docs/emitted.md describes the format.
#include "base/json.h"
#include "graph/emit.h"

#include <math.h>

typedef struct writer {
    const tac_graph *f;
    const tac__terms *pool;
    const tac__emit_input *inputs;
    int32_t *number, *table, *loop; // of terms, tables and loops: their places in the lists; or -1
    tac__json json;
} writer;

// --- numbering ----------------------------------------------------------------------------------

static int32_t *places(tac__arena *arena, size_t count)
{
    int32_t *made = tac__arena_array(arena, count + 1, sizeof *made);
    for (size_t i = 0; made && i < count; i++)
        made[i] = -1;
    return made;
}

static void note_uses(writer *w, const tac__term *t)
{
    if (t->op == TAC__SYM_pick || t->op == TAC__SYM_segment)
        w->table[t->b] = 0;
    if (t->op == TAC__SYM_variable || t->op == TAC__SYM_result)
        w->loop[t->a] = 0;
}

static void number_used(int32_t *place, size_t count)
{
    int32_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (place[i] >= 0)
            place[i] = used++;
    }
}

// Inputs of the graph are in the list even if nothing uses them.
static bool number_all(writer *w, tac__arena *arena)
{
    bool *live = tac__emit_live(w->f, true, arena);
    w->inputs = tac__emit_inputs(w->f, arena);
    w->number = places(arena, w->pool->count);
    w->table = places(arena, w->pool->table_count);
    w->loop = places(arena, w->pool->loop_count);
    if (!live || !w->inputs || !w->number || !w->table || !w->loop)
        return false;
    for (size_t g = 0; g < w->f->in_count; g++) {
        for (size_t i = 0; i < w->f->in[g].count; i++)
            live[w->f->in[g].terms[i]] = true;
    }
    for (size_t i = 0; i < w->pool->count; i++) {
        if (!live[i])
            continue;
        w->number[i] = 0;
        note_uses(w, &w->pool->terms[i]);
    }
    number_used(w->number, w->pool->count);
    number_used(w->table, w->pool->table_count);
    number_used(w->loop, w->pool->loop_count);
    return true;
}

// --- writing ------------------------------------------------------------------------------------

// JSON has no word for what is not finite, and readers take -0 for a whole number without a sign.
static void add_number(tac__json *json, double value)
{
    if (value == 0 && signbit(value))
        tac__json_raw(json, "-0.0");
    else if (isfinite(value))
        tac__json_number(json, value);
    else
        tac__json_text(json, isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

static void add_whole(writer *w, const char *key, int64_t value)
{
    tac__json_key(&w->json, key);
    tac__json_i64(&w->json, value);
}

static void add_terms(writer *w, const char *key, const int32_t *terms, size_t count)
{
    tac__json_key(&w->json, key);
    tac__json_compact(&w->json);
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        tac__json_i64(&w->json, w->number[terms[i]]);
    tac__json_array_end(&w->json);
}

static void add_ints(writer *w, const char *key, const int *values, size_t count)
{
    tac__json_key(&w->json, key);
    tac__json_compact(&w->json);
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        tac__json_i64(&w->json, values[i]);
    tac__json_array_end(&w->json);
}

static void add_texts(writer *w, const char *key, const char *const *texts, size_t count)
{
    if (!texts)
        return;
    tac__json_key(&w->json, key);
    tac__json_compact(&w->json);
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < count; i++)
        tac__json_text(&w->json, texts[i]);
    tac__json_array_end(&w->json);
}

static void add_group(writer *w, const tac__group *g)
{
    tac__json_object_begin(&w->json);
    tac__json_key_text(&w->json, "name", g->name);
    tac__json_key_u64(&w->json, "rows", g->rows);
    tac__json_key_u64(&w->json, "columns", g->columns);
    if (g->starts) {
        add_ints(w, "starts", g->starts, g->columns + 1);
        add_ints(w, "row_of", g->row_of, g->count);
    } else {
        add_texts(w, "labels", g->labels, g->count);
        add_texts(w, "units", g->units, g->count);
    }
    add_terms(w, "terms", g->terms, g->count);
    tac__json_object_end(&w->json);
}

static void add_groups(writer *w, const char *key, const tac__group *groups, size_t count)
{
    tac__json_key(&w->json, key);
    tac__json_array_begin(&w->json);
    for (size_t g = 0; g < count; g++)
        add_group(w, &groups[g]);
    tac__json_array_end(&w->json);
}

static void add_operands(writer *w, const tac__term *t)
{
    const int operands = tac__op_operands((tac__sym_op)t->op);
    const int32_t terms[] = {t->a, operands > 1 ? t->b : 0, operands > 2 ? t->c : 0};
    if (operands > 0)
        add_terms(w, "of", terms, (size_t)operands);
}

static void add_term(writer *w, const tac__term *t)
{
    tac__json *json = &w->json;
    tac__json_compact(json);
    tac__json_object_begin(json);
    tac__json_key_text(json, "op", tac__op_name((tac__sym_op)t->op));
    add_operands(w, t);
    switch (t->op) {
    case TAC__SYM_constant:
        tac__json_key(json, "value");
        add_number(json, t->value);
        break;
    case TAC__SYM_input:
        add_whole(w, "group", w->inputs[t->a].group);
        add_whole(w, "element", w->inputs[t->a].element);
        break;
    case TAC__SYM_pick:
    case TAC__SYM_segment:
        add_whole(w, "table", w->table[t->b]);
        break;
    case TAC__SYM_variable:
    case TAC__SYM_result:
        add_whole(w, "loop", w->loop[t->a]);
        add_whole(w, "which", t->b);
        break;
    default:
        break;
    }
    tac__json_object_end(json);
}

static void add_table(writer *w, const tac__sym_table *table)
{
    tac__json_compact(&w->json);
    tac__json_array_begin(&w->json);
    for (int i = 0; i < table->count; i++)
        add_number(&w->json, table->data[i]);
    tac__json_array_end(&w->json);
}

static void add_loop(writer *w, const tac__loop *loop)
{
    const size_t count = (size_t)loop->count;
    tac__json_object_begin(&w->json);
    add_whole(w, "rounds", loop->rounds);
    add_terms(w, "initial", loop->initial, count);
    add_terms(w, "variables", loop->variable, count);
    add_terms(w, "next", loop->next, count);
    add_whole(w, "settled", w->number[loop->settled]);
    add_whole(w, "residual", w->number[loop->residual]);
    add_terms(w, "exports", loop->exported, (size_t)loop->exports);
    tac__json_object_end(&w->json);
}

static void add_lists(writer *w)
{
    tac__json_key(&w->json, "terms");
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < w->pool->count; i++) {
        if (w->number[i] >= 0)
            add_term(w, &w->pool->terms[i]);
    }
    tac__json_array_end(&w->json);
    tac__json_key(&w->json, "tables");
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < w->pool->table_count; i++) {
        if (w->table[i] >= 0)
            add_table(w, &w->pool->tables[i]);
    }
    tac__json_array_end(&w->json);
    tac__json_key(&w->json, "loops");
    tac__json_array_begin(&w->json);
    for (size_t i = 0; i < w->pool->loop_count; i++) {
        if (w->loop[i] >= 0)
            add_loop(w, &w->pool->loops[i]);
    }
    tac__json_array_end(&w->json);
}

tac_status tac__emit_json(const tac_graph *f, const tac__emit_options *options, tac__arena *arena,
                          tac__text *out, tac_error *err)
{
    writer w = {.f = f, .pool = tac__graph_pool(f), .json = tac__json_begin(out)};
    if (!number_all(&w, arena))
        return tac__fail_memory(err);
    tac__json_object_begin(&w.json);
    tac__json_key_text(&w.json, "format", "tactus-graph");
    add_whole(&w, "version", 1);
    tac__json_key_text(&w.json, "name", options->name ? options->name : f->name);
    if (options->title)
        tac__json_key_text(&w.json, "title", options->title);
    add_groups(&w, "inputs", f->in, f->in_count);
    add_groups(&w, "outputs", f->out, f->out_count);
    add_lists(&w);
    tac__json_object_end(&w.json);
    return TAC_OK;
}
