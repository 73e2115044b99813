// public.c - what <tactus/graph.h> shows of a graph.
#include "base/def.h"
#include "base/floats.h"
#include "graph/derive.h"
#include "graph/emit.h"
#include "graph/tape.h"

#include <string.h>
#include <tactus/graph.h>

void tac_graph_destroy(tac_graph *graph)
{
    tac__graph_destroy(graph);
}

const char *tac_graph_name(const tac_graph *graph)
{
    return graph->name;
}

tac_time tac_graph_period(const tac_graph *graph)
{
    return graph->period_us;
}

size_t tac_graph_in_count(const tac_graph *graph)
{
    return graph->in_count;
}

size_t tac_graph_out_count(const tac_graph *graph)
{
    return graph->out_count;
}

static void give(const tac__group *groups, size_t count, size_t i, tac_graph_group *info,
                 size_t size)
{
    tac_graph_group known = {.name = ""};
    if (i < count) {
        const tac__group *g = &groups[i];
        known = (tac_graph_group){.name = g->name,
                                  .count = g->count,
                                  .labels = g->labels,
                                  .units = g->units,
                                  .rows = g->rows,
                                  .columns = g->columns,
                                  .starts = g->starts,
                                  .row_of = g->row_of};
    }
    tac__def_give(info, size, &known, sizeof known);
}

void tac_graph_in_sized(const tac_graph *graph, size_t group, tac_graph_group *info, size_t size)
{
    give(graph->in, graph->in_count, group, info, size);
}

void tac_graph_out_sized(const tac_graph *graph, size_t group, tac_graph_group *info, size_t size)
{
    give(graph->out, graph->out_count, group, info, size);
}

static int find(const tac__group *groups, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(groups[i].name, name))
            return (int)i;
    }
    return -1;
}

int tac_graph_find_in(const tac_graph *graph, const char *name)
{
    return find(graph->in, graph->in_count, name);
}

int tac_graph_find_out(const tac_graph *graph, const char *name)
{
    return find(graph->out, graph->out_count, name);
}

// --- values -------------------------------------------------------------------------------------

static tac_status make_tape(tac_graph *g, tac_error *err)
{
    TAC_TRY(tac__tape_make(&g->arena, g, &g->tape, err));
    g->work = tac__arena_array(&g->arena, tac__tape_work(g->tape), sizeof *g->work);
    if (g->work)
        return TAC_OK;
    g->tape = NULL;
    return tac__fail_memory(err);
}

tac_status tac_graph_evaluate(tac_graph *graph, const double *const *in, double *const *out,
                              tac_error *err)
{
    TAC__FLOATS;
    if (!graph->tape)
        TAC_TRY(make_tape(graph, err));
    tac__tape_run(graph->tape, in, out, graph->work);
    return TAC_OK;
}

// --- derivatives --------------------------------------------------------------------------------

tac_status tac_graph_jvp(const tac_graph *graph, const char *out, const char *in, tac_graph **made,
                         tac_error *err)
{
    TAC__FLOATS;
    return tac__graph_jvp(graph, out, in, made, err);
}

tac_status tac_graph_vjp(const tac_graph *graph, const char *out, const char *in, tac_graph **made,
                         tac_error *err)
{
    TAC__FLOATS;
    return tac__graph_vjp(graph, out, in, made, err);
}

tac_status tac_graph_jacobian(const tac_graph *graph, const char *out, const char *in,
                              tac_graph **made, tac_error *err)
{
    TAC__FLOATS;
    return tac__graph_jacobian(graph, out, in, made, err);
}

tac_status tac_graph_hessian(const tac_graph *graph, const char *out, const char *in, bool lower,
                             tac_graph **made, tac_error *err)
{
    TAC__FLOATS;
    return tac__graph_hessian(graph, out, in, lower ? TAC__TRIANGLE_LOWER : TAC__TRIANGLE_BOTH,
                              made, err);
}

tac_status tac_graph_lagrangian(const tac_graph *graph, const char *out, const char *in, bool lower,
                                tac_graph **made, tac_error *err)
{
    TAC__FLOATS;
    return tac__graph_lagrangian(graph, out, in, lower ? TAC__TRIANGLE_LOWER : TAC__TRIANGLE_BOTH,
                                 made, err);
}

// --- texts --------------------------------------------------------------------------------------

tac_status tac_graph_emit(const tac_graph *graph, const tac_graph_emit_def *def, char **text,
                          tac_error *err)
{
    static const tac__emit_format formats[] = {[TAC_GRAPH_C] = TAC__EMIT_c,
                                               [TAC_GRAPH_DOT] = TAC__EMIT_dot,
                                               [TAC_GRAPH_SVG] = TAC__EMIT_svg,
                                               [TAC_GRAPH_JSON] = TAC__EMIT_json};
    TAC__FLOATS;
    *text = NULL;
    TAC__DEF(tac_graph_emit_def, def, err);
    if ((unsigned)def->format >= sizeof formats / sizeof *formats)
        return tac__fail(err, TAC_E_CALLER, "there is no such format of graphs");
    const tac__emit_options options = {.format = formats[def->format],
                                       .name = def->name,
                                       .title = def->title,
                                       .file = def->file,
                                       .deterministic = def->deterministic,
                                       .second = def->second,
                                       .hessian = def->hessian};
    tac__text out;
    tac__text_init(&out, tac_allocator_default());
    tac_status status = tac__graph_emit(graph, def->jacobian, &options, &out, err);
    if (status == TAC_OK && (out.failed || !out.chars))
        status = tac__fail_memory(err);
    if (status == TAC_OK)
        *text = out.chars; // tac_text_free frees what tac_allocator_default allocated
    else
        tac__text_fini(&out);
    return status;
}
