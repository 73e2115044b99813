// island.c - islands: continuous components that are coupled at every evaluation, integrated as one
// state vector with one right-hand side. Who belongs to which, and in which order they are
// evaluated; advance.c integrates them.
#include "engine/graph.h"
#include "engine/plan.h"

#include <string.h>

// --- forming ------------------------------------------------------------------------------------

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Put a component among `count` that are in order of name.
static void put_by_name(const tac_engine *e, uint32_t *components, size_t count, uint32_t c)
{
    size_t at = count;
    for (; at > 0 && strcmp(e->components[components[at - 1]]->name, e->components[c]->name) > 0;
         at--)
        components[at] = components[at - 1];
    components[at] = c;
}

// Its states lie in the order of their components' names, and its own name is the first of those:
// neither its digest nor what is computed with the whole state vector depends on the order of
// declaration.
static tac_status add_island(tac_engine *e, uint32_t root, const uint32_t *parent)
{
    tac__island *island = &e->islands[e->island_count];
    *island = (tac__island){.step_source = -1,
                            .event_source = -1,
                            .peeked_us = TAC_TIME_NEVER,
                            .kept_us = TAC_TIME_NEVER,
                            .engine = e};
    for (uint32_t i = root; i < e->component_count; i++)
        island->count += parent[i] == root && tac__is_continuous(e->components[i]->type);
    island->components = tac__arena_array(&e->arena, island->count, sizeof *island->components);
    if (!island->components)
        return TAC_E_MEMORY;
    size_t k = 0;
    for (uint32_t i = root; i < e->component_count; i++) {
        if (parent[i] == root && tac__is_continuous(e->components[i]->type))
            put_by_name(e, island->components, k++, i);
    }
    island->name = e->components[island->components[0]]->name;
    island->digest_name = tac__arena_format(&e->arena, "%s#state", island->name);
    if (!island->digest_name)
        return TAC_E_MEMORY;
    for (k = 0; k < island->count; k++) {
        tac_instance *c = e->components[island->components[k]];
        c->island = (int)e->island_count;
        c->x_offset = island->x_count;
        c->event_offset = island->event_count;
        island->x_count += c->x_count;
        island->event_count += c->event_count;
    }
    e->island_count++;
    return TAC_OK;
}

tac_status tac__islands_form(tac_engine *e, tac_error *err)
{
    uint32_t *parent = tac__arena_array(&e->arena, e->component_count, sizeof *parent);
    e->islands = tac__arena_array(&e->arena, e->component_count, sizeof *e->islands);
    if (!parent || !e->islands)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < e->component_count; i++) {
        parent[i] = i;
        e->components[i]->chained = e->components[i]->type->flags & TAC_COMPONENT_CHAINED;
    }
    for (uint32_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->continuous.count && !c->type->derive)
            return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                "'%s' has continuous states but its type '%s' has no derive",
                                c->name, c->type->name);
        if (c->event_count && !c->type->detect)
            return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                "'%s' has events but its type '%s' has no detect", c->name,
                                c->type->name);
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (!c->in[k].coupled)
                continue;
            const tac__signal *s = &e->schema.signals[c->in[k].signal];
            e->components[s->component]->chained |= !s->state;
            const uint32_t a = find_root(parent, i);
            const uint32_t b = find_root(parent, s->component);
            parent[a > b ? a : b] = a > b ? b : a; // the root is the one declared first
        }
    }
    for (uint32_t i = 0; i < e->component_count; i++)
        parent[i] = find_root(parent, i);
    for (uint32_t i = 0; i < e->component_count; i++) {
        if (parent[i] == i && tac__is_continuous(e->components[i]->type))
            TAC_TRY(add_island(e, i, parent));
    }
    return TAC_OK;
}

// --- order of evaluation ------------------------------------------------------------------------

// Inside one evaluation `output` functions run so that none reads what is not yet there.
static tac_status order_island(tac_engine *e, tac__island *island, tac_error *err)
{
    tac__graph g = {.nodes = island->count};
    for (uint32_t i = 0; i < island->count; i++) {
        const tac_instance *c = e->components[island->components[i]];
        for (size_t k = 0; c->type->output && k < c->inputs.count; k++) {
            const tac__input *in = &c->in[k];
            if (!in->coupled || e->schema.signals[in->signal].state ||
                (c->inputs.items[k].flags & TAC_PORT_DERIVE_ONLY))
                continue;
            uint32_t from = 0;
            while (island->components[from] != e->schema.signals[in->signal].component)
                from++;
            if (!TAC__ARENA_GROW(&e->arena, g.edges, g.count, g.capacity))
                return tac__fail_memory(err);
            g.edges[g.count++] = (tac__edge){from, i, in->signal};
        }
    }
    uint32_t *order = tac__arena_array(&e->arena, island->count, sizeof *order);
    uint32_t *sorted = tac__arena_array(&e->arena, island->count, sizeof *sorted);
    if (!order || !sorted)
        return tac__fail_memory(err);
    size_t count;
    const tac_status status = tac__graph_sort(&g, &e->arena, order, &count);
    if (status == TAC_E_CYCLE) {
        const tac_instance *first = e->components[island->components[order[0]]];
        tac__fail_at(err, TAC_E_CYCLE, &first->place,
                     "algebraic loop: outputs of the plant depend on each other at the same "
                     "instant: ");
        for (size_t i = 0; i < count; i++) {
            const int signal = tac__graph_signal(&g, order[i], order[(i + 1) % count]);
            tac__error_append(err, "%s -> (%s) -> ",
                              e->components[island->components[order[i]]]->name,
                              e->schema.signals[signal].name);
        }
        tac__error_append(err, "%s", first->name);
        return TAC_E_CYCLE;
    }
    TAC_TRY(status);
    for (size_t i = 0; i < island->count; i++)
        sorted[i] = island->components[order[i]];
    island->components = sorted;
    return TAC_OK;
}

tac_status tac__islands_order(tac_engine *e, tac_error *err)
{
    for (size_t i = 0; i < e->island_count; i++)
        TAC_TRY(order_island(e, &e->islands[i], err));
    return TAC_OK;
}
