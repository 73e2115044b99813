// step.c - the whole simulation as a graph: one boundary at which every component steps once, then
// one step of the integration method to the next.
#include "base/def.h"
#include "base/floats.h"
#include "engine/trace/component.h"
#include "ode/tableau.h"

#include <string.h>

typedef struct stepping {
    tac__trace *tr;
    tac__trace_step *parts; // one a component
    tac__sym_value *active; // of each component
    tac__trace_list z, s;   // inputs: discrete states, signals before the boundary
    tac__trace_list seen;   // inputs: signals as they are seen through delays and policies
    tac__trace_list decided, draws, t;
    tac__trace_list x1, z1, s1, y; // outputs
    tac__sym_value now_us;
    tac_time h_us;
} stepping;

static bool is_inside(const stepping *g, const tac__component *c)
{
    return !g->tr->outside[c->index] && c->type->kernels[TAC_NUMBERS].step;
}

static tac__sym_value number(double value)
{
    return (tac__sym_value){.value = value};
}

static tac__sym_value op(tac__sym_op code, tac__sym_value a, tac__sym_value b)
{
    return tac__sym_make(code, a, b, b);
}

// --- discrete components ------------------------------------------------------------------------

// Signals that steps write have a value before the boundary: they are inputs.
static tac_status make_signals(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        const int signal = tac__signal_at(c, k);
        if (c->kinds[k].continuous)
            continue;
        const tac__trace_value value = {tr->engine->plan->schema.signals[signal].name, port->unit,
                                        &port->type, c->out[k]};
        tr->signals[signal] = tac__trace_inputs(tr, is_inside(g, c) ? &g->s : &tr->u, value);
        if (!tr->signals[signal])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status make_states(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    tac__trace_step *part = &g->parts[c->index];
    TAC_TRY(tac__trace_step_make(tr, c, part));
    for (size_t k = 0; k < c->states.count; k++) {
        const tac__port *port = &c->states.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {name, port->unit, &port->type, c->state[k]};
        part->state[k] = name ? tac__trace_inputs(tr, &g->z, value) : NULL;
        if (!part->state[k])
            return TAC_E_MEMORY;
    }
    return tac__trace_active(tr, c, &g->active[c->index]);
}

static tac_status make_decisions(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    tac__sym_value *all = tac__arena_array(&tr->arena, c->decision_count, sizeof *all), *to = all;
    for (size_t k = 0; all && k < c->decisions.count; k++) {
        const tac__port *port = &c->decisions.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {name, port->unit, &port->type, NULL};
        const tac__sym_value *made = name ? tac__trace_inputs(tr, &g->decided, value) : NULL;
        if (!made)
            return TAC_E_MEMORY;
        memcpy(to, made, port->type.count * sizeof *made);
        to += port->type.count;
    }
    g->parts[c->index].decided = all;
    return all ? TAC_OK : TAC_E_MEMORY;
}

// An input as the component sees it at the boundary.
static tac_status see(stepping *g, const tac__component *c, size_t k)
{
    tac__trace *tr = g->tr;
    const tac__input *in = &c->in[k];
    const tac__port *port = &c->inputs.items[k];
    tac__sym_value *to = tac__arena_array(&tr->arena, port->type.count, sizeof *to);
    if (in->signal < 0) {
        to = tac__trace_constants(tr, &port->type, tr->engine->instances[c->index]->step.in[k]);
    } else if (in->history) {
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {name, port->unit, &port->type,
                                        tr->engine->instances[c->index]->step.in[k]};
        to = name ? tac__trace_inputs(tr, &g->seen, value) : NULL;
    } else if (to) {
        tac__trace_see(tr, c, k, to);
    }
    g->parts[c->index].in[k] = to;
    return to ? TAC_OK : TAC_E_MEMORY;
}

typedef struct step_draws {
    tac__trace_draws base; // first
    stepping *g;
    const tac__component *c;
    size_t count;
} step_draws;

static tac_status draw(tac__trace_draws *base, int stream, size_t count, tac__sym_value *values)
{
    step_draws *d = (step_draws *)(void *)base;
    const tac_type type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
    const char *name =
        tac__arena_format(&d->g->tr->arena, "%s.draw%zu", d->c->streams[stream].name, ++d->count);
    const tac__trace_value value = {name, NULL, &type, NULL};
    const tac__sym_value *made = name ? tac__trace_inputs(d->g->tr, &d->g->draws, value) : NULL;
    if (!made)
        return TAC_E_MEMORY;
    memcpy(values, made, count * sizeof *made);
    return TAC_OK;
}

// What a component gives where it is active, else what it has.
static void choose(tac__sym_value active, const tac__sym_value *rest, size_t count,
                   tac__sym_value *values)
{
    for (size_t i = 0; i < count; i++)
        values[i] = tac__sym_make(TAC__SYM_select, active, values[i], rest[i]);
}

static tac__sym_value *copy_of(tac__trace *tr, const tac__sym_value *values, size_t count)
{
    tac__sym_value *copy = tac__arena_array(&tr->arena, count, sizeof *copy);
    if (copy)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static tac_status close_gate(stepping *g, const tac__component *c, void *const *before)
{
    tac__trace *tr = g->tr;
    const tac__sym_value active = g->active[c->index];
    if (!c->active_names)
        return TAC_OK;
    const tac__sym_value *rest = tac__trace_resting(tr, c);
    if (!rest)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const size_t count = c->outputs.items[k].type.count;
        if (!c->kinds[k].continuous)
            choose(active, rest, count, tr->signals[tac__signal_at(c, k)]);
        rest += count;
    }
    for (size_t k = 0; k < c->states.count; k++)
        choose(active, before[k], c->states.items[k].type.count, g->parts[c->index].state[k]);
    return TAC_OK;
}

static tac_status step(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    tac__trace_step *part = &g->parts[c->index];
    void **before = tac__arena_array(&tr->arena, c->states.count, sizeof *before);
    if (!before)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < c->inputs.count; k++)
        TAC_TRY(see(g, c, k));
    for (size_t k = 0; k < c->states.count; k++) {
        before[k] = copy_of(tr, part->state[k], c->states.items[k].type.count);
        if (!before[k])
            return TAC_E_MEMORY;
    }
    for (size_t k = 0; k < c->outputs.count; k++)
        part->out[k] = tr->signals[tac__signal_at(c, k)];
    TAC_TRY(make_decisions(g, c));
    const tac_time period_us =
        c->group < 0 ? 0 : tac__group_period(&tr->engine->plan->groups[c->group]);
    part->period_us = period_us;
    part->due = TAC_DUE_AXIS;
    part->now_us = g->now_us;
    part->x = c->island < 0
                  ? NULL
                  : (const tac__sym_value *)(const void *)tr->islands[c->island].evaluator->x +
                        c->x_offset;
    step_draws draws = {{draw}, g, c, 0};
    TAC_TRY(tac__trace_step_run(tr, part, &draws.base));
    return close_gate(g, c, before);
}

// --- a boundary ---------------------------------------------------------------------------------

static tac__sym_value seconds(tac__sym_value us)
{
    return op(TAC__SYM_div, us, number(1e6));
}

static tac_status outputs(stepping *g, size_t island)
{
    const tac__sym_value t = seconds(g->now_us);
    return tac__evaluator_outputs(g->tr->islands[island].evaluator,
                                  (const double *)(const void *)&t, true);
}

static tac_status boundary(stepping *g)
{
    const tac__plan *plan = g->tr->engine->plan;
    for (size_t i = 0; i < plan->item_count; i++) {
        const tac__item *item = &plan->items[i];
        if (item->kind == TAC__ITEM_OUTPUTS) {
            TAC_TRY(outputs(g, item->index));
        } else if (item->kind == TAC__ITEM_STEP) {
            const tac__component *c = plan->components[item->index];
            if (is_inside(g, c))
                TAC_TRY(step(g, c));
        }
    }
    return TAC_OK;
}

// --- integration --------------------------------------------------------------------------------

// One step of an explicit method over symbols: the arithmetic of ode/explicit.h.
typedef struct method_step {
    const tac__evaluator *ev;
    const tac__tableau *table;
    size_t n;
    tac__sym_value *x, *y; // where the right-hand side is evaluated; the state at the start
    tac__sym_value *k;     // stages, n each
    tac__sym_value t0, t1, h;
} method_step;

static tac__sym_value weighed(const method_step *m, const double *weights, int count, size_t i)
{
    tac__sym_value sum = number(0);
    bool any = false;
    for (int j = 0; j < count; j++) {
        if (weights[j] == 0)
            continue;
        const tac__sym_value term =
            op(TAC__SYM_mul, number(weights[j]), m->k[(size_t)j * m->n + i]);
        sum = any ? op(TAC__SYM_add, sum, term) : term;
        any = true;
    }
    return sum;
}

static void combine(const method_step *m, const double *weights, int count)
{
    for (size_t i = 0; i < m->n; i++)
        m->x[i] = op(TAC__SYM_add, m->y[i], op(TAC__SYM_mul, m->h, weighed(m, weights, count, i)));
}

static tac_status stage(const method_step *m, int i)
{
    const double c = m->table->c[i];
    const tac__sym_value between = op(TAC__SYM_add, m->t0, op(TAC__SYM_mul, number(c), m->h));
    const tac__sym_value t = c == 0 ? m->t0 : c == 1 ? m->t1 : between;
    return tac__evaluator_derive(m->ev, (const double *)(const void *)&t,
                                 (double *)(void *)(m->k + (size_t)i * m->n));
}

static tac_status integrate(stepping *g, size_t island)
{
    tac__trace *tr = g->tr;
    const tac__method *method = tr->engine->plan->method;
    method_step m = {.ev = tr->islands[island].evaluator,
                     .table = tac__tableau_of(method),
                     .n = tr->engine->plan->islands[island].x_count,
                     .t0 = seconds(g->now_us),
                     .t1 = seconds(op(TAC__SYM_add, g->now_us, number((double)g->h_us))),
                     .h = number((double)g->h_us / 1e6)};
    m.x = (tac__sym_value *)(void *)m.ev->x;
    m.y = tac__arena_array(&tr->arena, m.n, sizeof *m.y);
    m.k = tac__arena_array(&tr->arena, m.n * (size_t)m.table->stages, sizeof *m.k);
    if (!m.y || !m.k)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < m.n; i++)
        m.x[i] = m.y[i] = op(TAC__SYM_add, m.x[i], number(0)); // -0 becomes 0
    TAC_TRY(stage(&m, 0));
    const int stages = method->fsal ? m.table->stages - 1 : m.table->stages;
    for (int i = 1; i < stages; i++) {
        combine(&m, m.table->a[i], i);
        TAC_TRY(stage(&m, i));
    }
    combine(&m, method->fsal ? m.table->a[stages] : m.table->b, stages);
    return tac__evaluator_project(m.ev, (double *)(void *)m.x);
}

// --- the graph ----------------------------------------------------------------------------------

static tac_status list_states(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    for (size_t k = 0; k < c->continuous.count; k++) {
        const tac__port *port = &c->continuous.items[k];
        const int signal = tac__signal_at(c, c->outputs.count + k);
        const tac__trace_value value = {tr->engine->plan->schema.signals[signal].name, port->unit,
                                        &port->type, NULL};
        if (!tr->outside[c->index])
            TAC_TRY(tac__trace_outputs(tr, &g->x1, value, tr->signals[signal]));
    }
    return TAC_OK;
}

static tac_status list_discrete(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    for (size_t k = 0; k < c->states.count; k++) {
        const tac__port *port = &c->states.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {name, port->unit, &port->type, c->state[k]};
        if (!name)
            return TAC_E_MEMORY;
        TAC_TRY(tac__trace_outputs(tr, &g->z1, value, g->parts[c->index].state[k]));
    }
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        const int signal = tac__signal_at(c, k);
        const tac__trace_value value = {tr->engine->plan->schema.signals[signal].name, port->unit,
                                        &port->type, c->out[k]};
        if (!c->kinds[k].continuous)
            TAC_TRY(tac__trace_outputs(tr, &g->s1, value, tr->signals[signal]));
    }
    return TAC_OK;
}

// The plant's outputs at the boundary.
static tac_status list_plant(stepping *g, const tac__component *c)
{
    tac__trace *tr = g->tr;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        const int signal = tac__signal_at(c, k);
        const tac__trace_value value = {tr->engine->plan->schema.signals[signal].name, port->unit,
                                        &port->type, c->out[k]};
        if (c->kinds[k].continuous && !tr->outside[c->index])
            TAC_TRY(tac__trace_outputs(tr, &g->y, value, tr->signals[signal]));
    }
    return TAC_OK;
}

static tac_status add_groups(stepping *g)
{
    tac__trace *tr = g->tr;
    TAC_TRY(tac__trace_add_in(tr, "x", &tr->x, true));
    TAC_TRY(tac__trace_add_in(tr, "z", &g->z, true));
    TAC_TRY(tac__trace_add_in(tr, "s", &g->s, true));
    TAC_TRY(tac__trace_add_in(tr, "u", &tr->u, true));
    TAC_TRY(tac__trace_add_in(tr, "p", &tr->p, true));
    TAC_TRY(tac__trace_add_in(tr, "t", &g->t, true));
    TAC_TRY(tac__trace_add_in(tr, "decided", &g->decided, false));
    TAC_TRY(tac__trace_add_in(tr, "draws", &g->draws, false));
    TAC_TRY(tac__trace_add_in(tr, "seen", &g->seen, false));
    TAC_TRY(tac__trace_add_in(tr, "mode", &tr->mode, false));
    TAC_TRY(tac__trace_add_in(tr, "phase", &tr->phase, false));
    TAC_TRY(tac__trace_add_in(tr, "held", &tr->held, false));
    TAC_TRY(tac__trace_add_out(tr, "x1", &g->x1));
    TAC_TRY(tac__trace_add_out(tr, "z1", &g->z1));
    TAC_TRY(tac__trace_add_out(tr, "s1", &g->s1));
    return tac__trace_add_out(tr, "y", &g->y);
}

// The shortest period of a rate group; where there is none, the longest step of the integrator.
static tac_time fastest(const tac__plan *plan)
{
    tac_time least_us = 0;
    for (size_t i = 0; i < plan->group_count; i++) {
        const tac_time period_us = tac__group_period(&plan->groups[i]);
        if (period_us && (!least_us || period_us < least_us))
            least_us = period_us;
    }
    return least_us ? least_us : plan->def.integrator.h_max_us;
}

static tac_status check_method(const tac__trace *tr)
{
    const tac__plan *plan = tr->engine->plan;
    if (plan->island_count && !tac__tableau_of(plan->method))
        return tac__fail(tr->err, TAC_E_GRAPH,
                         "the integrator '%s' is implicit: a step of it is no graph; use an "
                         "explicit one, such as rk4",
                         plan->method->name);
    if (plan->def.split)
        return tac__fail(tr->err, TAC_E_GRAPH, "plant.coupling: split is not part of a graph");
    return TAC_OK;
}

static tac_status make_parts(stepping *g)
{
    tac__trace *tr = g->tr;
    const tac__plan *plan = tr->engine->plan;
    g->parts = tac__arena_array(&tr->arena, plan->component_count, sizeof *g->parts);
    g->active = tac__arena_array(&tr->arena, plan->component_count, sizeof *g->active);
    if (!g->parts || !g->active)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->type->flags & TAC_COMPONENT_OUTSIDE)
            tr->outside[i] = true;
        TAC_TRY(make_signals(g, c));
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        if (is_inside(g, plan->components[i]))
            TAC_TRY(make_states(g, plan->components[i]));
    }
    return TAC_OK;
}

static tac_status list_results(stepping *g)
{
    const tac__plan *plan = g->tr->engine->plan;
    for (size_t k = 0; k < plan->island_count; k++) {
        for (size_t at = 0; at < plan->islands[k].x_count;) {
            const tac__component *c = NULL;
            for (size_t i = 0; !c || c->x_offset != at || !c->x_count; i++)
                c = plan->components[plan->islands[k].components[i]];
            TAC_TRY(list_states(g, c));
            at += c->x_count;
        }
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        if (is_inside(g, plan->components[i]))
            TAC_TRY(list_discrete(g, plan->components[i]));
    }
    return TAC_OK;
}

static tac_status trace(stepping *g)
{
    tac__trace *tr = g->tr;
    const tac__plan *plan = tr->engine->plan;
    static const tac_type single = TAC_TYPE_F64;
    g->h_us = fastest(plan);
    TAC_TRY(check_method(tr));
    TAC_TRY(tac__trace_choose(tr));
    TAC_TRY(tac__trace_params_begin(tr));
    TAC_TRY(make_parts(g));
    TAC_TRY(tac__trace_plant_make(tr));
    const tac__sym_value *t =
        tac__trace_inputs(tr, &g->t, (tac__trace_value){"t", "us", &single, NULL});
    if (!t)
        return TAC_E_MEMORY;
    g->now_us = *t;
    TAC_TRY(boundary(g));
    for (size_t i = 0; i < plan->component_count; i++) {
        if (plan->components[i]->island >= 0)
            TAC_TRY(list_plant(g, plan->components[i]));
    }
    tac__trace_plant_renew(tr);
    for (size_t k = 0; k < plan->island_count; k++)
        TAC_TRY(integrate(g, k));
    TAC_TRY(list_results(g));
    return add_groups(g);
}

tac_status tac__trace_of_step(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                              tac__trace_sources *sources, tac_error *err)
{
    TAC__FLOATS;
    *graph = NULL;
    TAC__DEF(tac_graph_def, def, err);
    if (engine->life == TAC__BUILDING)
        return tac__fail(err, TAC_E_CALLER, "a graph is made of an engine that was prepared");
    tac__trace tr;
    tac_status status = tac__trace_begin(&tr, engine, def, "step", err);
    tac__trace_sources own = {.arena = &tr.arena};
    tr.sources = sources || !def->parameter_count ? sources : &own;
    stepping g = {.tr = &tr};
    if (status == TAC_OK)
        status = trace(&g);
    if (status == TAC_OK)
        status = tac__trace_params_check(&tr, tac__trace_of_step);
    return tac__trace_end(&tr, status, graph);
}

tac_status tac_graph_of_step(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                             tac_error *err)
{
    return tac__trace_of_step(engine, def, graph, NULL, err);
}
