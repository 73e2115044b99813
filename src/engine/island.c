// island.c - islands: continuous components that are coupled at every evaluation, integrated as one
// state vector with one right-hand side.
//
// x is the state at from_us, y the tentative state at to_us, the end of the integration step under
// way. A step never begins before the clock has reached its start, so of all that was integrated
// only this last step can ever have to be undone: when a boundary turns up inside it, it is taken
// again from x, shorter. What was integrated before that instant and what comes after it are the
// same as if the boundary had been known from the start.
#include "engine/graph.h"
#include "engine/plan.h"

#include <math.h>
#include <string.h>

// --- forming ------------------------------------------------------------------------------------

static uint32_t find_root(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i)
        i = parent[i] = parent[parent[i]];
    return i;
}

static tac_status add_island(tac_engine *e, uint32_t root, const uint32_t *parent)
{
    tac__island *island = &e->islands[e->island_count];
    *island = (tac__island){.name = e->components[root]->name,
                            .digest_name =
                                tac__arena_format(&e->arena, "%s#state", e->components[root]->name),
                            .step_source = -1,
                            .peeked_us = TAC_TIME_NEVER,
                            .engine = e};
    for (uint32_t i = root; i < e->component_count; i++)
        island->count += parent[i] == root && tac__is_continuous(e->components[i]->type);
    island->components = tac__arena_array(&e->arena, island->count, sizeof *island->components);
    if (!island->components || !island->digest_name)
        return TAC_E_MEMORY;
    size_t k = 0;
    for (uint32_t i = root; i < e->component_count; i++) {
        tac_instance *c = e->components[i];
        if (parent[i] != root || !tac__is_continuous(c->type))
            continue;
        island->components[k++] = i;
        c->island = (int)e->island_count;
        c->x_offset = island->x_count;
        island->x_count += c->x_count;
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
    for (uint32_t i = 0; i < e->component_count; i++)
        parent[i] = i;
    for (uint32_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        if (c->continuous.count && !c->type->derive)
            return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                                "'%s' has continuous states but its type '%s' has no derive",
                                c->name, c->type->name);
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (!c->in[k].coupled)
                continue;
            const uint32_t a = find_root(parent, i);
            const uint32_t b = find_root(parent, e->schema.signals[c->in[k].signal].component);
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

// --- evaluation ---------------------------------------------------------------------------------

static void update(const tac__views *views, tac_time t_us)
{
    for (size_t i = 0; i < views->count; i++)
        tac__view_update(&views->items[i], t_us);
}

// Routes between continuous components have neither delay nor policy: the time does not matter.
enum { NO_TIME = 0 };

// The outputs of all components at the scratch state.
static tac_status scratch_outputs(tac__island *island, double t_s)
{
    tac_engine *e = island->engine;
    for (size_t i = 0; i < island->count; i++) {
        tac_instance *c = e->components[island->components[i]];
        update(&c->scratch_views, NO_TIME);
        c->scratch.t_s = t_s;
        if (!c->type->output)
            continue;
        const tac_status status = c->type->output(&c->scratch, c->self);
        if (status != TAC_OK) {
            island->failed = c->index;
            return status;
        }
    }
    return TAC_OK;
}

// dx/dt at the scratch state: all outputs, then all derivatives.
static tac_status right_hand_side(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    tac_engine *e = island->engine;
    TAC_TRY(scratch_outputs(island, t_s));
    for (size_t i = 0; i < island->count; i++) {
        tac_instance *c = e->components[island->components[i]];
        if (!c->type->derive)
            continue;
        // Views of outputs that come later in the order are only complete now.
        update(&c->scratch_views, NO_TIME);
        c->scratch.dx = dx + c->x_offset;
        const tac_status status = c->type->derive(&c->scratch, c->self);
        if (status != TAC_OK) {
            island->failed = c->index;
            return status;
        }
    }
    island->state->evals++;
    return TAC_OK;
}

// One integration step from x at from_us to `to_us`, into `y`.
static tac_status step_to(tac_engine *e, tac__island *island, tac_time to_us, double *y)
{
    const tac_time from_us = island->state->from_us;
    const tac__ode_problem problem = {
        .n = island->x_count, .context = island, .rhs = right_hand_side};
    return tac__ode_step(e->method, &problem, &island->work, tac_time_seconds(from_us),
                         tac_time_seconds(to_us), tac_time_seconds(to_us - from_us), island->x, y);
}

// Name what failed: the component whose right-hand side did, or the first state that is not a
// finite number. Taking the step again is the shortest way to learn it.
static tac_status fail_step(tac_engine *e, tac__island *island)
{
    const tac_status status = step_to(e, island, island->state->to_us, island->y);
    if (status != TAC_OK) {
        const tac_instance *c = e->components[island->failed];
        tac__fail(e->err, status, "its right-hand side failed: %s", tac_status_text(status));
        return tac__run_failed(e, status, island->state->from_us, c->name);
    }
    for (size_t k = 0; k < island->count; k++) {
        const tac_instance *c = e->components[island->components[k]];
        size_t offset = c->x_offset;
        for (size_t s = 0; s < c->continuous.count; s++) {
            const tac__port *port = &c->continuous.items[s];
            for (uint32_t i = 0; i < port->type.count; i++) {
                const double value = island->y[offset + i];
                if (value - value == 0)
                    continue;
                tac__fail(e->err, TAC_E_NUMERIC, "state '%s.%s'", c->name, port->name);
                if (port->type.count > 1)
                    tac__error_append(e->err, "[%u]", i);
                tac__error_append(e->err, " became %s while integrating",
                                  value != value ? "NaN" : "infinite");
                return tac__run_failed(e, TAC_E_NUMERIC, island->state->from_us, c->name);
            }
            offset += port->type.count;
        }
    }
    return TAC_OK;
}

// The step is over and will not be undone: did it succeed?
static tac_status check_step(tac_engine *e, tac__island *island)
{
    double sum = 0;
    for (size_t i = 0; i < island->x_count; i++)
        sum += island->y[i] * 0.0;
    return sum == 0 ? TAC_OK : fail_step(e, island);
}

// A step that fails may still be undone, and then it never happened: until it is over it only
// leaves a mark in y.
static void integrate_to(tac_engine *e, tac__island *island, tac_time to_us)
{
    island->peeked_us = TAC_TIME_NEVER;
    island->state->to_us = to_us;
    if (island->x_count == 0)
        return;
    if (step_to(e, island, to_us, island->y) != TAC_OK)
        island->y[0] = (double)NAN;
    island->state->steps++;
}

// --- the three moments of an island -------------------------------------------------------------

// The clock is about to come to t_us, a boundary of this island or the end of its step: have the
// step end there, and see that it succeeded. Nothing is committed yet.
tac_status tac__island_reach(tac_engine *e, tac__island *island, tac_time t_us)
{
    tac__island_state *s = island->state;
    if (s->to_us > t_us) { // a boundary has turned up inside the step
        s->undone += island->x_count > 0;
        integrate_to(e, island, t_us);
    }
    TAC_ASSERT(s->to_us == t_us);
    return s->from_us < t_us ? check_step(e, island) : TAC_OK;
}

// Make t_us the present.
tac_status tac__island_arrive(tac_engine *e, tac__island *island, tac_time t_us, bool boundary)
{
    tac__island_state *s = island->state;
    if (s->from_us < t_us) {
        memcpy(island->x, island->y, island->x_count * sizeof *island->x);
        s->from_us = t_us;
    }
    if (!boundary)
        return TAC_OK;
    for (size_t i = 0; i < island->count; i++) {
        const tac_instance *c = e->components[island->components[i]];
        if (!c->type->project)
            continue;
        const tac_status status = c->type->project(island->x + c->x_offset, c->self);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "its projection failed: %s", tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->name);
        }
    }
    s->at_us = t_us;
    return TAC_OK;
}

// Stage 3: algebraic outputs, written to the bus.
tac_status tac__island_outputs(tac_engine *e, tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->count; i++) {
        tac_instance *c = e->components[island->components[i]];
        if (!c->type->output)
            continue;
        // Samples of other parts of the plant stay as they were held: whether those have been
        // evaluated yet must not matter.
        for (size_t k = 0; k < c->views.live; k++)
            tac__view_update(&c->views.items[k], t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        const tac_status status = c->type->output(&c->bus, c->self);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "its outputs failed: %s", tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->name);
        }
        tac__writes_done(c->eval_writes, c->eval_write_count, t_us);
    }
    island->state->outputs_us = t_us;
    return TAC_OK;
}

// Stage 10: begin the next step, no further than the next known boundary.
void tac__island_integrate(tac_engine *e, tac__island *island, tac_time t_us)
{
    tac_time to_us = e->def.end_us;
    for (size_t i = 0; i < island->source_count; i++) {
        const tac_time next = e->timeline.next[island->sources[i]];
        to_us = next < to_us ? next : to_us;
    }
    // Held inputs that are seen through a view are renewed at boundaries only.
    if (island->state->at_us == t_us) {
        for (size_t i = 0; i < island->count; i++)
            update(&e->components[island->components[i]]->views, t_us);
    }
    const bool whole = to_us - t_us <= e->def.integrator.h_max_us || island->x_count == 0;
    if (!whole)
        to_us = t_us + e->def.integrator.h_max_us;
    tac__timeline_set(&e->timeline, island->step_source, whole ? TAC_TIME_NEVER : to_us);
    integrate_to(e, island, to_us);
}

// As undoing: from the same state with the same held inputs, as if the boundary had never been
// planned.
void tac__islands_withdraw(tac_engine *e, int source, tac_time t_us)
{
    for (size_t i = 0; i < e->island_count; i++) {
        tac__island *island = &e->islands[i];
        const tac__island_state *s = island->state;
        if (s->to_us != t_us || s->from_us >= t_us ||
            !tac__has_bit(e->island_masks + (size_t)source * e->island_words, i))
            continue;
        island->state->undone += island->x_count > 0;
        tac__island_integrate(e, island, s->from_us);
    }
}

// --- looking without a trace --------------------------------------------------------------------

// Between two boundaries of the island the state is what the present step would give if it ended
// at t_us. That depends on nothing later than t_us, unlike interpolation inside a step that may
// still be cut short.
tac_status tac__island_peek(tac_engine *e, int signal, tac_time t_us, const void **value)
{
    const tac__signal *s = &e->schema.signals[signal];
    const tac_instance *c = e->components[s->component];
    tac__island *island = &e->islands[c->island];
    // On the bus outputs are of this instant once stage 3 has run.
    if (s->state ? island->state->at_us == t_us : island->state->outputs_us == t_us) {
        *value = tac__block_at(&e->block, s->offset);
        return TAC_OK;
    }
    if (island->peeked_us != t_us) {
        const uint64_t evals = island->state->evals;
        if (island->state->from_us >= t_us) // at the present, or a little ahead after a failure
            memcpy(island->peek, island->x, island->x_count * sizeof *island->peek);
        else
            TAC_TRY(step_to(e, island, t_us, island->peek));
        memcpy(island->work.z, island->peek, island->x_count * sizeof *island->peek);
        const tac_status status = scratch_outputs(island, tac_time_seconds(t_us));
        island->state->evals = evals; // looking is not part of the run
        TAC_TRY(status);
        island->peeked_us = t_us;
    }
    size_t i = 0;
    while (c->signals[i] != signal)
        i++;
    if (!s->state) {
        *value = c->scratch.out[i];
        return TAC_OK;
    }
    const double *x = island->peek + c->x_offset;
    for (size_t k = c->outputs.count; k < i; k++)
        x += c->continuous.items[k - c->outputs.count].type.count;
    *value = x;
    return TAC_OK;
}
