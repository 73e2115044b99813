// summary.c - a graph in a few lines, for people and for programs.
#include "base/floats.h"
#include "base/json.h"
#include "graph/derive.h"
#include "graph/emit.h"
#include "graph/sparsity.h"

#include <tactus/graph.h>

typedef struct facts {
    size_t operations[TAC__SYM_OPS]; // terms that outputs need
    size_t terms, loops, tables;
    int32_t depth; // operations on the longest way from an input to an output
    tac__jacobian_facts jacobian;
    size_t entries;
} facts;

static int32_t deepest(const tac__loop *l, const int32_t *depth)
{
    int32_t most = 0;
    for (int k = 0; k < l->count; k++) {
        most = depth[l->initial[k]] > most ? depth[l->initial[k]] : most;
        most = depth[l->next[k]] > most ? depth[l->next[k]] : most;
    }
    return most;
}

static int32_t depth_of(const tac__terms *pool, const tac__term *t, const int32_t *depth)
{
    if (t->op == TAC__SYM_result)
        return 1 + deepest(&pool->loops[t->a], depth);
    int32_t most = -1;
    for (int k = 0; k < tac__op_operands((tac__sym_op)t->op); k++) {
        const int32_t of = depth[tac__term_operand(t, k)];
        most = of > most ? of : most;
    }
    return 1 + most;
}

static bool count_terms(const tac_graph *graph, tac__arena *arena, facts *f)
{
    const tac__terms *pool = tac__graph_pool(graph);
    const bool *live = tac__emit_live(graph, false, arena);
    int32_t *depth = tac__arena_array(arena, pool->count, sizeof *depth);
    bool *loops = tac__arena_array(arena, pool->loop_count, sizeof *loops);
    bool *tables = tac__arena_array(arena, pool->table_count, sizeof *tables);
    if (!live || !depth || !loops || !tables)
        return false;
    for (size_t i = 0; i < pool->count; i++) {
        const tac__term *t = &pool->terms[i];
        depth[i] = depth_of(pool, t, depth);
        if (!live[i])
            continue;
        f->operations[t->op]++;
        f->terms++;
        f->depth = depth[i] > f->depth ? depth[i] : f->depth;
        if (t->op == TAC__SYM_result && !loops[t->a])
            f->loops += loops[t->a] = true;
        if ((t->op == TAC__SYM_pick || t->op == TAC__SYM_segment) && !tables[t->b])
            f->tables += tables[t->b] = true;
    }
    return true;
}

static void print_group(const tac_graph_group *g, const char *way, tac__text *out)
{
    tac__text_add(out, "  %-7s %-8s %5zu", way, g->name, g->count);
    for (size_t i = 0; i < g->count && i < 3 && g->labels; i++)
        tac__text_add(out, "%s%s", i ? ", " : "  ", g->labels[i]);
    tac__text_add(out, "%s\n", g->count > 3 ? ", ..." : "");
}

static void print_text(const tac_graph *graph, const facts *f, bool jacobian, tac__text *out)
{
    char period[TAC_TIME_TEXT];
    tac_time_print(tac_graph_period(graph), period);
    tac__text_add(out, "%s%s%s:\n", tac_graph_name(graph), tac_graph_period(graph) ? " of " : "",
                  tac_graph_period(graph) ? period : "");
    for (size_t i = 0; i < tac_graph_in_count(graph); i++) {
        const tac_graph_group g = tac_graph_in(graph, i);
        print_group(&g, "input", out);
    }
    for (size_t i = 0; i < tac_graph_out_count(graph); i++) {
        const tac_graph_group g = tac_graph_out(graph, i);
        print_group(&g, "output", out);
    }
    tac__text_add(out, "%zu terms, %d deep, %zu loop%s, %zu table%s\n", f->terms, (int)f->depth,
                  f->loops, f->loops == 1 ? "" : "s", f->tables, f->tables == 1 ? "" : "s");
    for (int op = 0; op < TAC__SYM_OPS; op++) {
        if (f->operations[op])
            tac__text_add(out, "  %-10s %6zu\n", tac__op_name((tac__sym_op)op), f->operations[op]);
    }
    if (jacobian)
        tac__text_add(out, "Jacobian: %zu entries of %d x %d, %d sweep%s %s\n", f->entries,
                      f->jacobian.pattern.rows, f->jacobian.pattern.columns,
                      f->jacobian.colouring.colours, f->jacobian.colouring.colours == 1 ? "" : "s",
                      f->jacobian.by_rows ? "in reverse" : "forward");
}

static void add_texts(tac__json *json, const char *key, const char *const *texts, size_t count)
{
    tac__json_key(json, key);
    tac__json_compact(json);
    tac__json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        tac__json_text(json, texts[i]);
    tac__json_array_end(json);
}

static void add_group(tac__json *json, const tac_graph_group *g)
{
    tac__json_object_begin(json);
    tac__json_key_text(json, "name", g->name);
    tac__json_key_u64(json, "count", g->count);
    if (g->labels)
        add_texts(json, "labels", g->labels, g->count);
    if (g->units)
        add_texts(json, "units", g->units, g->count);
    tac__json_object_end(json);
}

static void print_json(const tac_graph *graph, const facts *f, bool jacobian, tac__text *out)
{
    tac__json json = tac__json_begin(out);
    tac__json_object_begin(&json);
    tac__json_key_text(&json, "of", tac_graph_name(graph));
    if (tac_graph_period(graph))
        tac__json_key_u64(&json, "period_us", tac_graph_period(graph));
    tac__json_key(&json, "inputs");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < tac_graph_in_count(graph); i++) {
        const tac_graph_group g = tac_graph_in(graph, i);
        add_group(&json, &g);
    }
    tac__json_array_end(&json);
    tac__json_key(&json, "outputs");
    tac__json_array_begin(&json);
    for (size_t i = 0; i < tac_graph_out_count(graph); i++) {
        const tac_graph_group g = tac_graph_out(graph, i);
        add_group(&json, &g);
    }
    tac__json_array_end(&json);
    tac__json_key_u64(&json, "terms", f->terms);
    tac__json_key_u64(&json, "depth", (uint64_t)f->depth);
    tac__json_key_u64(&json, "loops", f->loops);
    tac__json_key_u64(&json, "tables", f->tables);
    tac__json_key(&json, "operations");
    tac__json_array_begin(&json);
    for (int op = 0; op < TAC__SYM_OPS; op++) {
        if (!f->operations[op])
            continue;
        tac__json_compact(&json);
        tac__json_object_begin(&json);
        tac__json_key_text(&json, "operation", tac__op_name((tac__sym_op)op));
        tac__json_key_u64(&json, "count", f->operations[op]);
        tac__json_object_end(&json);
    }
    tac__json_array_end(&json);
    if (jacobian) {
        tac__json_key(&json, "jacobian");
        tac__json_object_begin(&json);
        tac__json_key_u64(&json, "rows", (uint64_t)f->jacobian.pattern.rows);
        tac__json_key_u64(&json, "columns", (uint64_t)f->jacobian.pattern.columns);
        tac__json_key_u64(&json, "entries", f->entries);
        tac__json_key_u64(&json, "colours", (uint64_t)f->jacobian.colouring.colours);
        tac__json_key_text(&json, "sweeps", f->jacobian.by_rows ? "reverse" : "forward");
        tac__json_object_end(&json);
    }
    tac__json_object_end(&json);
}

static tac_status fill(const tac_graph *graph, tac__arena *arena, bool jacobian, facts *f,
                       tac_error *err)
{
    if (!count_terms(graph, arena, f))
        return tac__fail_memory(err);
    if (!jacobian)
        return TAC_OK;
    TAC_TRY(tac__graph_pattern(arena, graph, NULL, NULL, &f->jacobian, err));
    f->entries = (size_t)tac__pattern_count(&f->jacobian.pattern);
    return TAC_OK;
}

// The text goes to the caller.
static tac_status give(tac__text *out, tac_status status, char **text, tac_error *err)
{
    if (status == TAC_OK && (out->failed || !out->chars))
        status = tac__fail_memory(err);
    *text = NULL;
    if (status == TAC_OK)
        *text = out->chars; // of tac_allocator_default, which tac_text_free frees
    else
        tac__text_fini(out);
    return status;
}

tac_status tac_graph_summary(const tac_graph *graph, tac_format format, bool jacobian, char **text,
                             tac_error *err)
{
    TAC__FLOATS;
    tac__arena arena;
    tac__arena_init(&arena, tac_allocator_default());
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    facts f = {.terms = 0};
    const tac_status status = fill(graph, &arena, jacobian, &f, err);
    if (status == TAC_OK && format == TAC_FORMAT_JSON)
        print_json(graph, &f, jacobian, &out);
    else if (status == TAC_OK)
        print_text(graph, &f, jacobian, &out);
    tac__arena_fini(&arena);
    return give(&out, status, text, err);
}

tac_status tac_graph_pattern(const tac_graph *graph, tac_format format, char **text, tac_error *err)
{
    TAC__FLOATS;
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    if (format == TAC_FORMAT_SVG)
        return give(&out, tac__sparsity_svg(graph, NULL, NULL, &out, err), text, err);
    tac__json json = tac__json_begin(&out);
    return give(&out, tac__sparsity_json(graph, NULL, NULL, &json, err), text, err);
}
