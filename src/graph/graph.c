// graph.c - see graph.h.
#include "graph/graph.h"

#include <string.h>

static tac__shared_terms *share(const tac_allocator *allocator, bool fast)
{
    tac__shared_terms *shared =
        allocator->resize(allocator->context, NULL, 0, sizeof(tac__shared_terms));
    if (!shared)
        return NULL;
    *shared = (tac__shared_terms){.allocator = allocator};
    tac__terms_init(&shared->terms, allocator, fast);
    return shared;
}

static void leave(tac__shared_terms *shared)
{
    if (--shared->users > 0)
        return;
    tac__terms_fini(&shared->terms);
    shared->allocator->resize(shared->allocator->context, shared, sizeof *shared, 0);
}

tac_status tac__graph_create(const tac_allocator *allocator, const char *name, bool fast,
                             const tac_graph *like, tac_graph **graph, tac_error *err)
{
    if (!allocator)
        allocator = tac_allocator_default();
    tac_graph *g = *graph = allocator->resize(allocator->context, NULL, 0, sizeof *g);
    if (!g)
        return tac__fail_memory(err);
    *g =
        (tac_graph){.allocator = allocator, .shared = like ? like->shared : share(allocator, fast)};
    tac__arena_init(&g->arena, allocator);
    if (g->shared)
        g->shared->users++;
    g->name = tac__arena_text(&g->arena, name);
    if (g->shared && g->name)
        return TAC_OK;
    tac__graph_destroy(g);
    *graph = NULL;
    return tac__fail_memory(err);
}

void tac__graph_destroy(tac_graph *graph)
{
    if (!graph)
        return;
    const tac_allocator *allocator = graph->allocator;
    if (graph->shared)
        leave(graph->shared);
    tac__arena_fini(&graph->arena);
    allocator->resize(allocator->context, graph, sizeof *graph, 0);
}

static tac__group *add(tac_graph *graph, tac__group **groups, size_t *groups_count,
                       tac__group_capacity *capacity, const char *name, size_t count,
                       const int32_t *terms)
{
    tac__arena *arena = &graph->arena;
    tac__group group = {.name = tac__arena_text(arena, name),
                        .count = count,
                        .terms = tac__arena_array(arena, count, sizeof *group.terms),
                        .rows = count,
                        .columns = 1};
    if (!group.name || !group.terms || !TAC__ARENA_GROW(arena, *groups, *groups_count, *capacity))
        return NULL;
    if (terms)
        memcpy(group.terms, terms, count * sizeof *terms);
    (*groups)[*groups_count] = group;
    return &(*groups)[(*groups_count)++];
}

tac__group *tac__graph_add_input(tac_graph *graph, const char *name, size_t count,
                                 const int32_t *terms)
{
    tac__group *group =
        add(graph, &graph->in, &graph->in_count, &graph->in_capacity, name, count, terms);
    for (size_t i = 0; group && !terms && i < count; i++)
        group->terms[i] = tac__term_input(tac__graph_pool(graph));
    return group;
}

tac__group *tac__graph_add_output(tac_graph *graph, const char *name, size_t count,
                                  const int32_t *terms)
{
    return add(graph, &graph->out, &graph->out_count, &graph->out_capacity, name, count, terms);
}
