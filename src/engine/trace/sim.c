// sim.c - see sim.h.
#include "engine/trace/sim.h"
#include "ode/tableau.h"

#include <math.h>
#include <string.h>

static tac__sym_value op(tac__sym_op code, tac__sym_value a, tac__sym_value b)
{
    return tac__sym_make(code, a, b, b);
}

static tac__sym_value seconds(tac__sym_value us)
{
    return op(TAC__SYM_div, us, tac__sim_number(1e6));
}

static tac__sym_value *copy_of(tac__trace *tr, const tac__sym_value *values, size_t count)
{
    tac__sym_value *copy = tac__arena_array(&tr->arena, count, sizeof *copy);
    if (copy)
        memcpy(copy, values, count * sizeof *copy);
    return copy;
}

static tac__trace_value signal_value(const tac__trace *tr, const tac__component *c, size_t output)
{
    const tac__port *port = &c->outputs.items[output];
    const int signal = tac__signal_at(c, output);
    return (tac__trace_value){.name = tr->engine->plan->schema.signals[signal].name,
                              .unit = port->unit,
                              .type = &port->type,
                              .from = c->out[output]};
}

// --- before the first boundary ------------------------------------------------------------------

// Is a signal of the plant read before stage 3 writes it? By a component that runs before, and then
// sees the value of the boundary before; or by an island that goes on from before the period.
static bool is_read_early(const tac__trace *tr, int signal)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        const bool goes_on = c->island >= 0 && tr->starts && tr->starts[c->island] < 0;
        for (size_t k = 0; k < c->inputs.count; k++) {
            const tac__input *in = &c->in[k];
            if (in->signal == signal && !in->history && !c->observer &&
                (in->route->delayed || (goes_on && !in->coupled)))
                return true;
        }
    }
    return false;
}

// Has a signal a value before the boundary, and another one afterwards? Outputs of the plant have
// none until stage 3 writes them, unless somebody reads them before.
static bool is_kept(const tac__sim *sim, const tac__component *c, size_t output)
{
    return c->kinds[output].continuous
               ? sim->pasts && is_read_early(sim->tr, tac__signal_at(c, output))
               : tac__sim_has(sim, c);
}

// Signals of components that stay outside are in `u`.
static tac_status make_signals(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    for (size_t k = 0; k < c->outputs.count && !tac__sim_lacks(sim, c); k++) {
        const int signal = tac__signal_at(c, k);
        const bool kept = is_kept(sim, c, k);
        if (c->kinds[k].continuous && !kept)
            continue;
        tr->signals[signal] =
            tac__trace_inputs(tr, kept ? &sim->s : &tr->u, signal_value(tr, c, k));
        if (!tr->signals[signal])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status make_states(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    tac__trace_step *part = &sim->parts[c->index];
    TAC_TRY(tac__trace_step_make(tr, c, part));
    for (size_t k = 0; k < c->states.count; k++) {
        const tac__port *port = &c->states.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {
            .name = name, .unit = port->unit, .type = &port->type, .from = c->state[k]};
        part->state[k] = name ? tac__trace_inputs(tr, &sim->z, value) : NULL;
        if (!part->state[k])
            return TAC_E_MEMORY;
    }
    return tac__trace_active(tr, c, &sim->active[c->index]);
}

static tac_status make_parts(tac__sim *sim)
{
    tac__trace *tr = sim->tr;
    const tac__plan *plan = tr->engine->plan;
    sim->parts = tac__arena_array(&tr->arena, plan->component_count, sizeof *sim->parts);
    sim->active = tac__arena_array(&tr->arena, plan->component_count, sizeof *sim->active);
    sim->shown = tac__arena_array(&tr->arena, plan->schema.count, sizeof *sim->shown);
    if (!sim->parts || !sim->active || !sim->shown)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (c->type->flags & TAC_COMPONENT_OUTSIDE)
            tr->outside[i] = true;
        TAC_TRY(make_signals(sim, c));
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        if (tac__sim_has(sim, plan->components[i]))
            TAC_TRY(make_states(sim, plan->components[i]));
    }
    return TAC_OK;
}

// The bus has copies of outputs: evaluators compute others while they integrate.
static tac_status make_bus(tac__trace *tr, tac__sym_value *const *early)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t i = 0; i < plan->schema.count; i++) {
        const tac__signal_kind *kind = plan->schema.signals[i].kind;
        if (!kind->continuous || kind->state)
            continue;
        tr->signals[i] =
            early[i] ? early[i]
                     : tac__arena_array(&tr->arena, kind->type.count, sizeof *tr->signals[i]);
        if (!tr->signals[i])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

tac_status tac__sim_begin(tac__sim *sim)
{
    static const tac_type single = TAC_TYPE_F64;
    tac__trace *tr = sim->tr;
    TAC_TRY(tac__trace_choose(tr));
    TAC_TRY(tac__trace_params_begin(tr));
    TAC_TRY(make_parts(sim));
    const size_t signals = tr->engine->plan->schema.count;
    tac__sym_value **early = tac__arena_array(&tr->arena, signals, sizeof *early);
    if (!early)
        return TAC_E_MEMORY;
    memcpy(early, tr->signals, signals * sizeof *early);
    TAC_TRY(tac__trace_plant_make(tr));
    TAC_TRY(make_bus(tr, early));
    const tac__sym_value *t = tac__trace_inputs(
        tr, &sim->t, (tac__trace_value){.name = "t", .unit = "us", .type = &single});
    if (!t)
        return TAC_E_MEMORY;
    sim->t0_us = sim->now_us = *t;
    return TAC_OK;
}

static tac__sym_value later(const tac__sim *sim, int64_t since_us)
{
    return since_us ? op(TAC__SYM_add, sim->t0_us, tac__sim_number((double)since_us)) : sim->t0_us;
}

void tac__sim_at(tac__sim *sim, int64_t since_us)
{
    sim->since_us = since_us;
    sim->now_us = later(sim, since_us);
}

// --- what components see ------------------------------------------------------------------------

// Units, gain and offset of a route.
static void convert(const tac__trace *tr, const tac__component *c, size_t input,
                    tac__sym_value *values)
{
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &tr->engine->plan->schema.signals[in->signal];
    if (!tac__is_scaled(s, port, in->route))
        return;
    const tac__factor factor = tac__unit_factor(&s->kind->dimension, &port->dimension);
    for (uint32_t i = 0; i < port->type.count; i++)
        values[i] = tac__symbol_converted(values[i], factor, in->route->gain, in->route->offset);
}

// The input itself is an input of the graph.
static tac__sym_value *given(tac__sim *sim, const tac__component *c, size_t input)
{
    tac__trace *tr = sim->tr;
    const tac__port *port = &c->inputs.items[input];
    const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
    const tac__trace_value value = {.name = name,
                                    .unit = port->unit,
                                    .type = &port->type,
                                    .from = tr->engine->instances[c->index]->step.in[input]};
    return name ? tac__trace_inputs(tr, &sim->seen, value) : NULL;
}

tac_status tac__sim_see(tac__sim *sim, const tac__component *c, size_t input, tac__sym_value **to)
{
    tac__trace *tr = sim->tr;
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    if (in->signal < 0) {
        tac_status status;
        *to = tac__trace_open(tr, c, input, &status);
        TAC_TRY(status);
    } else if (in->history && !sim->pasts) {
        *to = given(sim, c, input);
    } else {
        *to = tac__arena_array(&tr->arena, port->type.count, sizeof **to);
        if (!*to)
            return TAC_E_MEMORY;
        if (in->history)
            TAC_TRY(tac__past_see(tr, sim->pasts, c, input, sim->since_us, *to));
        else
            memcpy(*to, tr->signals[in->signal] + in->element, port->type.count * sizeof **to);
        convert(tr, c, input, *to);
    }
    return *to ? TAC_OK : TAC_E_MEMORY;
}

bool tac__sim_crosses(const tac__plan *plan, const tac__component *c, const tac__input *in)
{
    if (in->signal < 0 || c->group < 0)
        return false;
    const tac__component *writer = plan->components[plan->schema.signals[in->signal].component];
    return in->history || (writer->island < 0 && writer->group >= 0 &&
                           plan->groups[writer->group].root != plan->groups[c->group].root);
}

// What is seen across two rates is an output of the graph, with policy and coefficient in its name.
static tac_status list_transition(tac__sim *sim, const tac__component *c, size_t input,
                                  const tac__sym_value *values)
{
    tac__trace *tr = sim->tr;
    const tac__plan *plan = tr->engine->plan;
    const tac__input *in = &c->in[input];
    if (!sim->pasts || !tac__sim_crosses(plan, c, in))
        return TAC_OK;
    const tac__port *port = &c->inputs.items[input];
    const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
    const char *at = tr->at, *policy = tac__past_policy(tr, sim->pasts, c, input, sim->since_us);
    tr->at = policy ? tac__arena_format(&tr->arena, "%s %s", *at ? at : "@0", policy) : NULL;
    if (!name || !tr->at)
        return TAC_E_MEMORY;
    const tac__trace_value value = {.name = name, .unit = port->unit, .type = &port->type};
    const tac_status status = tac__trace_outputs(tr, &sim->transitions, value, values);
    tr->at = at;
    return status;
}

// --- discrete components ------------------------------------------------------------------------

static tac_status make_decisions(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    tac__sym_value *all = tac__arena_array(&tr->arena, c->decision_count, sizeof *all), *to = all;
    for (size_t k = 0; all && k < c->decisions.count; k++) {
        const tac__port *port = &c->decisions.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {.name = name, .unit = port->unit, .type = &port->type};
        const tac__sym_value *made = name ? tac__trace_inputs(tr, &sim->decided, value) : NULL;
        if (!made)
            return TAC_E_MEMORY;
        memcpy(to, made, port->type.count * sizeof *made);
        to += port->type.count;
    }
    sim->parts[c->index].decided = all;
    return all ? TAC_OK : TAC_E_MEMORY;
}

typedef struct sim_draws {
    tac__trace_draws base; // first
    tac__sim *sim;
    const tac__component *c;
    size_t count;
} sim_draws;

static tac_status draw(tac__trace_draws *base, int stream, size_t count, tac__sym_value *values)
{
    sim_draws *d = (sim_draws *)(void *)base;
    const tac_type type = TAC_TYPE_ARRAY(TAC_F64, (uint32_t)count);
    const char *name =
        tac__arena_format(&d->sim->tr->arena, "%s.draw%zu", d->c->streams[stream].name, ++d->count);
    const tac__trace_value value = {.name = name, .type = &type};
    const tac__sym_value *made = name ? tac__trace_inputs(d->sim->tr, &d->sim->draws, value) : NULL;
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

static tac_status close_gate(tac__sim *sim, const tac__component *c, void *const *before)
{
    tac__trace *tr = sim->tr;
    const tac__sym_value active = sim->active[c->index];
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
        choose(active, before[k], c->states.items[k].type.count, sim->parts[c->index].state[k]);
    return TAC_OK;
}

// Discrete outputs were written.
static tac_status keep_outputs(tac__sim *sim, const tac__component *c)
{
    for (size_t k = 0; sim->pasts && k < c->outputs.count; k++) {
        if (!c->kinds[k].continuous)
            TAC_TRY(tac__past_write(sim->tr, sim->pasts, tac__signal_at(c, k)));
    }
    return TAC_OK;
}

static tac_status see_all(tac__sim *sim, const tac__component *c, tac__trace_step *part)
{
    for (size_t k = 0; k < c->inputs.count; k++) {
        tac__sym_value *seen;
        TAC_TRY(tac__sim_see(sim, c, k, &seen));
        TAC_TRY(list_transition(sim, c, k, seen));
        part->in[k] = seen;
    }
    return TAC_OK;
}

tac_status tac__sim_step(tac__sim *sim, const tac__component *c, uint32_t due)
{
    tac__trace *tr = sim->tr;
    tac__trace_step *part = &sim->parts[c->index];
    void **before = tac__arena_array(&tr->arena, c->states.count, sizeof *before);
    if (!before)
        return TAC_E_MEMORY;
    TAC_TRY(see_all(sim, c, part));
    for (size_t k = 0; k < c->states.count; k++) {
        before[k] = copy_of(tr, part->state[k], c->states.items[k].type.count);
        if (!before[k])
            return TAC_E_MEMORY;
    }
    for (size_t k = 0; k < c->outputs.count; k++)
        part->out[k] = tr->signals[tac__signal_at(c, k)];
    TAC_TRY(make_decisions(sim, c));
    part->period_us = c->group < 0 ? 0 : tac__group_period(&tr->engine->plan->groups[c->group]);
    part->due = due;
    part->now_us = sim->now_us;
    part->x = c->island < 0
                  ? NULL
                  : (const tac__sym_value *)(const void *)tr->islands[c->island].evaluator->x +
                        c->x_offset;
    sim_draws draws = {{draw}, sim, c, 0};
    TAC_TRY(tac__trace_step_run(tr, part, &draws.base));
    TAC_TRY(close_gate(sim, c, before));
    return due & TAC_DUE_LEAD ? TAC_OK : keep_outputs(sim, c);
}

tac_status tac__sim_write(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const int signal = tac__signal_at(c, k);
        if (c->kinds[k].continuous)
            continue;
        tac__trace_value value = signal_value(tr, c, k);
        value.after = true;
        tac__sym_value *made = tac__trace_inputs(tr, &tr->u, value);
        if (!made)
            return TAC_E_MEMORY;
        tr->signals[signal] = made;
    }
    return keep_outputs(sim, c);
}

// --- the plant ----------------------------------------------------------------------------------

static bool is_sample(const tac__plan *plan, const tac__input *in)
{
    return plan->schema.signals[in->signal].kind->continuous;
}

// Held inputs as they are now. Without `pasts` those that are not simply the present value of a
// signal stay what they are: inputs of the graph. Samples of other islands are renewed only where
// the island begins to integrate.
static tac_status renew(tac__sim *sim, size_t island, bool samples)
{
    const tac__plan *plan = sim->tr->engine->plan;
    const tac__evaluator *ev = sim->tr->islands[island].evaluator;
    for (size_t h = 0; h < ev->held_count; h++) {
        const tac__held *held = &ev->held[h];
        const tac__component *c = ev->members[held->member].instance->plan;
        const tac__input *in = &c->in[held->input];
        const bool sampled = in->signal >= 0 && is_sample(plan, in);
        if (in->signal < 0 || (sampled && !samples) || (!sim->pasts && (in->history || sampled)))
            continue;
        tac__sym_value *seen;
        TAC_TRY(tac__sim_see(sim, c, held->input, &seen));
        memcpy(held->to, seen, c->inputs.items[held->input].type.count * sizeof *seen);
    }
    return TAC_OK;
}

// An output of the plant was evaluated: on the bus where it is written, and shown by the graph as
// it is the first time.
static tac_status put_output(tac__sim *sim, const tac__member *m, size_t k, bool write)
{
    tac__trace *tr = sim->tr;
    const tac__component *c = m->instance->plan;
    const int signal = tac__signal_at(c, k);
    const size_t count = c->outputs.items[k].type.count;
    if (!sim->shown[signal]) {
        sim->shown[signal] = copy_of(tr, m->eval->out[k], count);
        if (!sim->shown[signal])
            return TAC_E_MEMORY;
    }
    if (!write)
        return TAC_OK;
    memcpy(tr->signals[signal], m->eval->out[k], count * sizeof(tac__sym_value));
    return sim->pasts ? tac__past_write(tr, sim->pasts, signal) : TAC_OK;
}

tac_status tac__sim_outputs(tac__sim *sim, size_t island, bool write)
{
    const tac__evaluator *ev = sim->tr->islands[island].evaluator;
    const tac__sym_value t = seconds(sim->now_us);
    TAC_TRY(renew(sim, island, false));
    TAC_TRY(tac__evaluator_outputs(ev, (const double *)(const void *)&t, true));
    for (size_t i = 0; i < ev->count; i++) {
        const tac__component *c = ev->members[i].instance->plan;
        for (size_t k = 0; k < c->outputs.count; k++) {
            if (c->kinds[k].continuous)
                TAC_TRY(put_output(sim, &ev->members[i], k, write));
        }
    }
    return TAC_OK;
}

tac_status tac__sim_hold(tac__sim *sim, size_t island)
{
    return renew(sim, island, true);
}

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
    tac__sym_value sum = tac__sim_number(0);
    bool any = false;
    for (int j = 0; j < count; j++) {
        if (weights[j] == 0)
            continue;
        const tac__sym_value term =
            op(TAC__SYM_mul, tac__sim_number(weights[j]), m->k[(size_t)j * m->n + i]);
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
    const tac__sym_value between =
        op(TAC__SYM_add, m->t0, op(TAC__SYM_mul, tac__sim_number(c), m->h));
    const tac__sym_value t = c == 0 ? m->t0 : c == 1 ? m->t1 : between;
    return tac__evaluator_derive(m->ev, (const double *)(const void *)&t,
                                 (double *)(void *)(m->k + (size_t)i * m->n));
}

tac_status tac__sim_integrate(tac__sim *sim, size_t island, int64_t from_us, tac_time h_us)
{
    tac__trace *tr = sim->tr;
    const tac__method *method = tr->engine->plan->method;
    method_step m = {.ev = tr->islands[island].evaluator,
                     .table = tac__tableau_of(method),
                     .n = tr->engine->plan->islands[island].x_count,
                     .t0 = seconds(later(sim, from_us)),
                     .t1 = seconds(later(sim, from_us + (int64_t)h_us)),
                     .h = tac__sim_number((double)h_us / 1e6)};
    m.x = (tac__sym_value *)(void *)m.ev->x;
    m.y = tac__arena_array(&tr->arena, m.n, sizeof *m.y);
    m.k = tac__arena_array(&tr->arena, m.n * (size_t)m.table->stages, sizeof *m.k);
    if (!m.y || !m.k)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < m.n; i++)
        m.x[i] = m.y[i] = op(TAC__SYM_add, m.x[i], tac__sim_number(0)); // -0 becomes 0
    TAC_TRY(stage(&m, 0));
    const int stages = method->fsal ? m.table->stages - 1 : m.table->stages;
    for (int i = 1; i < stages; i++) {
        combine(&m, m.table->a[i], i);
        TAC_TRY(stage(&m, i));
    }
    combine(&m, method->fsal ? m.table->a[stages] : m.table->b, stages);
    return tac__terms_status(tr->pool, tr->err);
}

tac_status tac__sim_project(tac__sim *sim, size_t island)
{
    const tac__evaluator *ev = sim->tr->islands[island].evaluator;
    return tac__evaluator_project(ev, ev->x);
}

tac_status tac__sim_check(const tac__trace *tr)
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

// --- the graph ----------------------------------------------------------------------------------

static tac_status list_states(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    for (size_t k = 0; k < c->continuous.count; k++) {
        const tac__port *port = &c->continuous.items[k];
        const int signal = tac__signal_at(c, c->outputs.count + k);
        const double *from = tr->engine->islands[c->island].x + c->x_offset;
        for (size_t i = 0; i < k; i++)
            from += c->continuous.items[i].type.count;
        const tac__trace_value value = {.name = tr->engine->plan->schema.signals[signal].name,
                                        .unit = port->unit,
                                        .type = &port->type,
                                        .from = from};
        if (!tr->outside[c->index])
            TAC_TRY(tac__trace_outputs(tr, &sim->x1, value, tr->signals[signal]));
    }
    return TAC_OK;
}

static tac_status list_discrete(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    for (size_t k = 0; tac__sim_has(sim, c) && k < c->states.count; k++) {
        const tac__port *port = &c->states.items[k];
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {
            .name = name, .unit = port->unit, .type = &port->type, .from = c->state[k]};
        if (!name)
            return TAC_E_MEMORY;
        TAC_TRY(tac__trace_outputs(tr, &sim->z1, value, sim->parts[c->index].state[k]));
    }
    for (size_t k = 0; k < c->outputs.count; k++) {
        if (is_kept(sim, c, k))
            TAC_TRY(tac__trace_outputs(tr, &sim->s1, signal_value(tr, c, k),
                                       tr->signals[tac__signal_at(c, k)]));
    }
    return TAC_OK;
}

static tac_status list_plant(tac__sim *sim, const tac__component *c)
{
    tac__trace *tr = sim->tr;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__sym_value *shown = sim->shown[tac__signal_at(c, k)];
        if (shown && !tr->outside[c->index])
            TAC_TRY(tac__trace_outputs(tr, &sim->y, signal_value(tr, c, k), shown));
    }
    return TAC_OK;
}

static tac_status list_results(tac__sim *sim)
{
    const tac__plan *plan = sim->tr->engine->plan;
    for (size_t k = 0; k < plan->island_count; k++) {
        for (size_t at = 0; at < plan->islands[k].x_count;) {
            const tac__component *c = NULL;
            for (size_t i = 0; !c || c->x_offset != at || !c->x_count; i++)
                c = plan->components[plan->islands[k].components[i]];
            TAC_TRY(list_states(sim, c));
            at += c->x_count;
        }
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        TAC_TRY(list_discrete(sim, c));
        if (c->island >= 0)
            TAC_TRY(list_plant(sim, c));
    }
    return TAC_OK;
}

tac_status tac__sim_end(tac__sim *sim)
{
    tac__trace *tr = sim->tr;
    tac__pasts *pasts = sim->pasts;
    tr->at = "";
    if (pasts)
        TAC_TRY(tac__past_end(tr, pasts));
    TAC_TRY(list_results(sim));
    TAC_TRY(tac__trace_add_in(tr, "x", &tr->x, true));
    TAC_TRY(tac__trace_add_in(tr, "z", &sim->z, true));
    TAC_TRY(tac__trace_add_in(tr, "s", &sim->s, true));
    TAC_TRY(tac__trace_add_in(tr, "u", &tr->u, true));
    TAC_TRY(tac__trace_add_in(tr, "p", &tr->p, true));
    TAC_TRY(tac__trace_add_in(tr, "t", &sim->t, true));
    TAC_TRY(tac__trace_add_in(tr, "decided", &sim->decided, false));
    TAC_TRY(tac__trace_add_in(tr, "draws", &sim->draws, false));
    TAC_TRY(tac__trace_add_in(tr, "seen", &sim->seen, false));
    if (pasts)
        TAC_TRY(tac__trace_add_in(tr, "past", &pasts->past, false));
    TAC_TRY(tac__trace_add_in(tr, "mode", &tr->mode, false));
    TAC_TRY(tac__trace_add_in(tr, "phase", &tr->phase, false));
    TAC_TRY(tac__trace_add_in(tr, "held", &tr->held, false));
    TAC_TRY(tac__trace_add_out(tr, "x1", &sim->x1));
    TAC_TRY(tac__trace_add_out(tr, "z1", &sim->z1));
    TAC_TRY(tac__trace_add_out(tr, "s1", &sim->s1));
    TAC_TRY(tac__trace_add_out(tr, "y", &sim->y));
    if (pasts && pasts->past1.count)
        TAC_TRY(tac__trace_add_out(tr, "past1", &pasts->past1));
    return sim->transitions.count ? tac__trace_add_out(tr, "rates", &sim->transitions) : TAC_OK;
}
