// public.c - what <tactus/graph.h> shows of a graph.
#include "base/def.h"
#include "graph/graph.h"

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
