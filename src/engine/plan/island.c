// island.c - islands: continuous components that are coupled at every evaluation, integrated as one
// state vector with one right-hand side. This file finds which components belong to which island,
// and in which order they are evaluated; run/integrate.c integrates them.
#include "engine/plan/prepare.h"
#include "engine/plan/toposort.h"
#include "engine/plan/plan.h"

#include <string.h>

// --- forming ------------------------------------------------------------------------------------

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

// Insert a component among `count` components that are in order of name.
static void put_by_name(const tac__plan *plan, uint32_t *components, size_t count, uint32_t c)
{
    size_t at = count;
    for (; at > 0 &&
           strcmp(plan->components[components[at - 1]]->name, plan->components[c]->name) > 0;
         at--)
        components[at] = components[at - 1];
    components[at] = c;
}

static tac_status add_island(tac__plan *plan, uint32_t root, size_t components)
{
    tac__island_plan *island = &plan->islands[plan->island_count];
    *island = (tac__island_plan){.step_source = -1, .event_source = -1};
    island->components = tac__arena_array(&plan->arena, components, sizeof *island->components);
    if (!island->components)
        return TAC_E_MEMORY;
    plan->components[root]->island = (int)plan->island_count++;
    return TAC_OK;
}

// The states of an island lie in the order of their components' names, and the island is named
// after the first of them: neither its digest nor what is computed with the whole state vector
// depends on the order of declaration.
static tac_status lay_out(tac__plan *plan, tac__island_plan *island)
{
    island->name = plan->components[island->components[0]]->name;
    island->digest_name = tac__arena_format(&plan->arena, "%s#state", island->name);
    if (!island->digest_name)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->count; i++) {
        tac__component *c = plan->components[island->components[i]];
        c->x_offset = island->x_count;
        c->event_offset = island->event_count;
        island->x_count += c->x_count;
        island->event_count += c->event_count;
    }
    return TAC_OK;
}

// The root of an island is its component that was declared first, so it comes before the others.
static tac_status make_islands(tac__plan *plan, const uint32_t *root_of, uint32_t *sizes)
{
    size_t count = 0;
    for (uint32_t i = 0; i < plan->component_count; i++) {
        const bool continuous = tac__is_continuous(plan->components[i]->type);
        sizes[root_of[i]] += continuous;
        count += continuous && root_of[i] == i;
    }
    plan->islands = tac__arena_array(&plan->arena, count, sizeof *plan->islands);
    if (!plan->islands)
        return TAC_E_MEMORY;
    for (uint32_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[i];
        if (!tac__is_continuous(c->type))
            continue;
        if (root_of[i] == i)
            TAC_TRY(add_island(plan, i, sizes[i]));
        c->island = plan->components[root_of[i]]->island;
        tac__island_plan *island = &plan->islands[c->island];
        put_by_name(plan, island->components, island->count++, i);
    }
    for (size_t i = 0; i < plan->island_count; i++)
        TAC_TRY(lay_out(plan, &plan->islands[i]));
    return TAC_OK;
}

tac_status tac__islands_form(tac__plan *plan, tac_error *err)
{
    uint32_t *parent = tac__arena_array(&plan->arena, plan->component_count, sizeof *parent);
    uint32_t *sizes = tac__arena_array(&plan->arena, plan->component_count, sizeof *sizes);
    if (!parent || !sizes)
        return tac__fail_memory(err);
    for (uint32_t i = 0; i < plan->component_count; i++) {
        parent[i] = i;
        plan->components[i]->chained = plan->components[i]->type->flags & TAC_COMPONENT_CHAINED;
    }
    for (uint32_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->continuous.count && !c->type->kernels[TAC_NUMBERS].derive)
            return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                "'%s' has continuous states but its type '%s' has no derive",
                                c->name, c->type->name);
        if (c->event_count && !c->type->kernels[TAC_NUMBERS].detect)
            return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                "'%s' has events but its type '%s' has no detect", c->name,
                                c->type->name);
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (!c->in[k].coupled)
                continue;
            const tac__signal *s = &plan->schema.signals[c->in[k].signal];
            plan->components[s->component]->chained |= !s->kind->state;
            const uint32_t a = find_root(parent, i);
            const uint32_t b = find_root(parent, s->component);
            parent[a > b ? a : b] = a > b ? b : a; // the root is the one declared first
        }
    }
    for (uint32_t i = 0; i < plan->component_count; i++)
        parent[i] = find_root(parent, i);
    return make_islands(plan, parent, sizes);
}

// --- order of evaluation ------------------------------------------------------------------------

static bool is_evaluated(const tac__component *c, size_t output)
{
    return c->type->kernels[TAC_NUMBERS].output && (c->outputs.items[output].flags & TAC_PORT_EVAL);
}

// Does an output need, through this input, another output of the same island at the same instant?
static bool needs_output(const tac__plan *plan, const tac__component *c, size_t output,
                         size_t input)
{
    const tac__input *in = &c->in[input];
    if (!in->coupled || plan->schema.signals[in->signal].kind->state ||
        (c->inputs.items[input].flags & TAC_PORT_DERIVE_ONLY) || !is_evaluated(c, output))
        return false;
    const tac__port *port = &c->outputs.items[output];
    bool direct = !port->direct;
    for (size_t i = 0; port->direct && i < port->direct_count; i++)
        direct |= port->direct[i] == (int)input;
    return direct;
}

static tac_status add_edge(tac__plan *plan, tac__precedence *g, uint32_t from, uint32_t to,
                           int signal)
{
    if (!TAC__ARENA_GROW(&plan->arena, g->edges, g->count, g->capacity))
        return TAC_E_MEMORY;
    g->edges[g->count++] = (tac__edge){from, to, signal};
    return TAC_OK;
}

static uint32_t place_of(const tac__island_plan *island, uint32_t component)
{
    uint32_t i = 0;
    while (island->components[i] != component)
        i++;
    return i;
}

// Edges between components: `output` of a reader runs after `output` of the writer.
static tac_status join_components(tac__plan *plan, const tac__island_plan *island,
                                  tac__precedence *g)
{
    for (uint32_t i = 0; i < island->count; i++) {
        const tac__component *c = plan->components[island->components[i]];
        for (size_t k = 0; k < c->inputs.count; k++) {
            bool needs = false;
            for (size_t o = 0; !needs && o < c->outputs.count; o++)
                needs = needs_output(plan, c, o, k);
            if (!needs)
                continue;
            const int signal = c->in[k].signal;
            const uint32_t from = place_of(island, plan->schema.signals[signal].component);
            TAC_TRY(add_edge(plan, g, from, i, signal));
        }
    }
    return TAC_OK;
}

// Edges between single outputs. The outputs of the i-th component begin at node `first[i]`.
static tac_status join_outputs(tac__plan *plan, const tac__island_plan *island,
                               const uint32_t *first, tac__precedence *g)
{
    for (uint32_t i = 0; i < island->count; i++) {
        const tac__component *c = plan->components[island->components[i]];
        for (uint32_t o = 0; o < c->outputs.count; o++) {
            for (size_t k = 0; k < c->inputs.count; k++) {
                if (!needs_output(plan, c, o, k))
                    continue;
                const int signal = c->in[k].signal;
                const uint32_t writer = plan->schema.signals[signal].component;
                const uint32_t from = first[place_of(island, writer)] +
                                      (uint32_t)tac__signal_place(plan->components[writer], signal);
                TAC_TRY(add_edge(plan, g, from, first[i] + o, signal));
            }
        }
    }
    return TAC_OK;
}

static tac_status fail_loop(const tac__plan *plan, const tac__island_plan *island,
                            const uint32_t *first, const uint32_t *loop, size_t count,
                            tac_error *err)
{
    const char *names[2] = {NULL, NULL}; // the first output, and the present one
    for (size_t n = 0; n <= count; n++) {
        const uint32_t node = loop[n % count];
        uint32_t i = 0;
        while (i + 1 < island->count && first[i + 1] <= node)
            i++;
        const tac__component *c = plan->components[island->components[i]];
        names[n > 0] = plan->schema.signals[tac__signal_at(c, node - first[i])].name;
        if (n == 0)
            tac__fail_at(err, TAC_E_CYCLE, &c->place,
                         "algebraic loop: outputs of the plant depend on each other at the same "
                         "instant: %s",
                         names[0]);
        else
            tac__error_append(err, " -> %s", names[1]);
    }
    return TAC_E_CYCLE;
}

// Have all outputs been evaluated that this output needs?
static bool is_ready(const tac__precedence *g, const bool *there, uint32_t node)
{
    bool ready = true;
    for (size_t i = 0; ready && i < g->count; i++)
        ready = g->edges[i].to != node || there[g->edges[i].from];
    return ready;
}

// Components need each other, but no output needs itself: some components are called for a part of
// their outputs before they are called for all. `calls` is the whole sequence, `order` the sequence
// of the last call of each component.
static tac_status call_in_parts(tac__plan *plan, tac__island_plan *island, const tac__precedence *g,
                                const uint32_t *first, uint32_t *order)
{
    bool *there = tac__arena_array(&plan->arena, g->nodes, sizeof *there);
    bool *done = tac__arena_array(&plan->arena, island->count, sizeof *done);
    uint32_t *calls = tac__arena_array(&plan->arena, g->nodes + island->count, sizeof *calls);
    if (!there || !done || !calls)
        return TAC_E_MEMORY;
    size_t count = 0, placed = 0;
    while (placed < island->count) {
        // Prefer a component all of whose outputs can be evaluated; else take one with at least
        // one.
        uint32_t next = UINT32_MAX;
        for (uint32_t i = 0; i < island->count; i++) {
            const tac__component *c = plan->components[island->components[i]];
            size_t missing = 0, gives = 0;
            for (uint32_t k = 0; !done[i] && k < c->outputs.count; k++) {
                const bool ready = is_ready(g, there, first[i] + k);
                missing += !ready;
                gives += ready && !there[first[i] + k];
            }
            if (done[i] || (missing && (!gives || next != UINT32_MAX)))
                continue;
            next = i;
            if (!missing)
                break;
        }
        const tac__component *c = plan->components[island->components[next]];
        bool all = true;
        for (uint32_t k = 0; k < c->outputs.count; k++)
            all &= there[first[next] + k] |= is_ready(g, there, first[next] + k);
        calls[count++] = island->components[next];
        done[next] = all;
        if (all)
            order[placed++] = next;
        else
            island->early_count = count;
    }
    island->early = calls;
    return TAC_OK;
}

static tac_status order_outputs(tac__plan *plan, tac__island_plan *island, uint32_t *order,
                                tac_error *err)
{
    tac__precedence g = {0};
    uint32_t *first = tac__arena_array(&plan->arena, island->count, sizeof *first);
    if (!first)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->count; i++) {
        first[i] = (uint32_t)g.nodes;
        g.nodes += plan->components[island->components[i]]->outputs.count;
    }
    TAC_TRY(join_outputs(plan, island, first, &g));
    uint32_t *sorted = tac__arena_array(&plan->arena, g.nodes, sizeof *sorted);
    if (!sorted)
        return TAC_E_MEMORY;
    size_t count;
    const tac_status status = tac__toposort(&g, &plan->arena, sorted, &count);
    if (status == TAC_E_CYCLE)
        return fail_loop(plan, island, first, sorted, count, err);
    TAC_TRY(status);
    return call_in_parts(plan, island, &g, first, order);
}

// Inside one evaluation, `output` functions run in an order in which none reads an output before it
// is evaluated. Mostly each function runs once.
static tac_status order_island(tac__plan *plan, tac__island_plan *island, tac_error *err)
{
    tac__precedence g = {.nodes = island->count};
    TAC_TRY(join_components(plan, island, &g));
    uint32_t *order = tac__arena_array(&plan->arena, island->count, sizeof *order);
    uint32_t *sorted = tac__arena_array(&plan->arena, island->count, sizeof *sorted);
    if (!order || !sorted)
        return TAC_E_MEMORY;
    size_t count;
    tac_status status = tac__toposort(&g, &plan->arena, order, &count);
    if (status == TAC_E_CYCLE)
        status = order_outputs(plan, island, order, err);
    TAC_TRY(status);
    for (size_t i = 0; i < island->count; i++)
        sorted[i] = island->components[order[i]];
    island->components = sorted;
    return TAC_OK;
}

tac_status tac__islands_order(tac__plan *plan, tac_error *err)
{
    for (size_t i = 0; i < plan->island_count; i++) {
        const tac_status status = order_island(plan, &plan->islands[i], err);
        if (status != TAC_OK)
            return status == TAC_E_MEMORY ? tac__fail_memory(err) : status;
    }
    return TAC_OK;
}
