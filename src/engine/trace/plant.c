// plant.c - the plant over symbols: evaluators of all islands, and where their states, modes, held
// inputs and numbers come from.
#include "engine/phases/phases.h"
#include "engine/trace/trace.h"

#include <string.h>

static tac__component *component_of(const tac__trace *tr, size_t island, size_t i)
{
    const tac__plan *plan = tr->engine->plan;
    return plan->components[plan->islands[island].components[i]];
}

// --- states -------------------------------------------------------------------------------------

// States are inputs of the graph; those of components that stay outside are so, too, but are not
// integrated inside.
static tac_status make_states(tac__trace *tr, const tac__component *c, tac__sym_value *first)
{
    tac__sym_value *x = first + c->x_offset;
    for (size_t k = 0; k < c->continuous.count; k++) {
        const tac__port *port = &c->continuous.items[k];
        const int signal = tac__signal_at(c, c->outputs.count + k);
        tac__trace_list *list = tr->outside[c->index] ? &tr->u : &tr->x;
        const tac__sym_value *made = tac__trace_inputs(
            tr, list,
            (tac__trace_value){.name = tr->engine->plan->schema.signals[signal].name,
                               .unit = port->unit,
                               .type = &port->type,
                               .from = tr->engine->islands[c->island].x + (x - first),
                               .after = true});
        if (!made)
            return TAC_E_MEMORY;
        memcpy(x, made, port->type.count * sizeof *x);
        tr->signals[signal] = x;
        x += port->type.count;
    }
    return TAC_OK;
}

// States lie in the order of the names of components, which is not that of their evaluation.
static tac_status make_island_states(tac__trace *tr, size_t island)
{
    const tac__island_plan *plan = &tr->engine->plan->islands[island];
    tac__sym_value *x = (tac__sym_value *)(void *)tr->islands[island].evaluator->x;
    for (size_t at = 0; at < plan->x_count;) {
        const tac__component *c = NULL;
        for (size_t i = 0; !c || c->x_offset != at || !c->x_count; i++)
            c = component_of(tr, island, i);
        TAC_TRY(make_states(tr, c, x));
        at += c->x_count;
    }
    return TAC_OK;
}

tac_status tac__trace_modes(tac__trace *tr, size_t island)
{
    static const tac_type single = TAC_TYPE_F64;
    tac__sym_value *mode = (tac__sym_value *)(void *)tr->islands[island].subject.mode;
    for (size_t i = 0; i < tr->engine->plan->islands[island].count; i++) {
        const tac__component *c = component_of(tr, island, i);
        for (size_t k = 0; k < c->event_count; k++) {
            const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, c->events[k].name);
            const double *from = tr->engine->islands[island].mode + c->event_offset + k;
            const tac__trace_value value = {
                .name = name, .type = &single, .from = from, .after = true};
            const tac__sym_value *made = name ? tac__trace_inputs(tr, &tr->mode, value) : NULL;
            if (!made)
                return TAC_E_MEMORY;
            mode[c->event_offset + k] = *made;
        }
    }
    return TAC_OK;
}

// --- phases -------------------------------------------------------------------------------------

// The phase of a machine: an input, or the phase that was asked for.
static tac_status phase_of(tac__trace *tr, const tac__component *machine, tac__sym_value *phase)
{
    const tac__phases *phases = tac__phases_of(machine);
    const int signal = tac__signal_at(machine, (size_t)phases->phase);
    if (!tr->signals[signal]) {
        const int chosen = tr->def->phase ? tac__phase_find(phases, tr->def->phase) : -1;
        const int32_t number = chosen;
        const tac_type *type = &machine->outputs.items[phases->phase].type;
        tr->signals[signal] =
            chosen >= 0
                ? tac__trace_constants(tr, type, &number)
                : tac__trace_inputs(
                      tr, &tr->phase,
                      (tac__trace_value){.name = tr->engine->plan->schema.signals[signal].name,
                                         .type = type,
                                         .from = machine->out[phases->phase]});
    }
    if (!tr->signals[signal])
        return TAC_E_MEMORY;
    *phase = *tr->signals[signal];
    return TAC_OK;
}

// Is the component active: is the phase one of those that it names?
tac_status tac__trace_active(tac__trace *tr, const tac__component *c, tac__sym_value *active)
{
    *active = (tac__sym_value){.value = 1};
    if (!c->active_names)
        return TAC_OK;
    const tac__plan *plan = tr->engine->plan;
    tac__sym_value phase;
    TAC_TRY(phase_of(tr, plan->components[plan->entities[c->entity].machine], &phase));
    *active = (tac__sym_value){.value = 0};
    for (uint64_t bits = c->active_in & ((UINT64_C(1) << (TAC__PHASES_MAX - 1) << 1) - 1); bits;
         bits &= bits - 1) {
        const tac__sym_value number = {.value = __builtin_ctzll(bits)};
        const tac__sym_value here = tac__sym_make(TAC__SYM_eq, phase, number, number);
        *active = tac__sym_make(TAC__SYM_logic_or, *active, here, here);
    }
    return TAC_OK;
}

// Outputs of a component where it is not active, one behind another: they rest, or keep their
// values, which then are inputs; so are all outputs of a component that stays outside, as they were
// evaluated last, which may be after they were written to the bus.
tac__sym_value *tac__trace_resting(tac__trace *tr, const tac__component *c)
{
    size_t count = 0;
    for (size_t k = 0; k < c->outputs.count; k++)
        count += c->outputs.items[k].type.count;
    tac__sym_value *rest = tac__arena_array(&tr->arena, count, sizeof *rest), *to = rest;
    for (size_t k = 0; rest && k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        const char *name = tr->engine->plan->schema.signals[tac__signal_at(c, k)].name;
        double *value = tac__arena_array(&tr->arena, tac__type_words(&port->type), sizeof *value);
        if (!value)
            return NULL;
        tac__type_rest(&port->type, value);
        const bool outside = tr->outside[c->index];
        const tac__trace_value output = {
            .name = name,
            .unit = port->unit,
            .type = &port->type,
            .from = outside ? tr->engine->instances[c->index]->scratch.out[k] : c->out[k]};
        const tac__sym_value *made = outside   ? tac__trace_inputs(tr, &tr->u, output)
                                     : c->hold ? tac__trace_inputs(tr, &tr->held, output)
                                               : tac__trace_constants(tr, &port->type, value);
        if (!made)
            return NULL;
        memcpy(to, made, port->type.count * sizeof *to);
        to += port->type.count;
    }
    return rest;
}

static tac_status make_gates(tac__trace *tr, size_t island)
{
    const tac__island_plan *plan = &tr->engine->plan->islands[island];
    tac__gate *gates = tac__arena_array(&tr->arena, plan->count, sizeof *gates);
    if (!gates)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->count; i++) {
        const tac__component *c = component_of(tr, island, i);
        TAC_TRY(tac__trace_active(tr, c, &gates[i].active));
        gates[i].x = tac__arena_array(&tr->arena, c->x_count, sizeof *gates[i].x);
        if (!gates[i].x)
            return TAC_E_MEMORY;
        if (tr->outside[c->index])
            gates[i].active = (tac__sym_value){.value = 0};
        if (!tr->outside[c->index] && !c->active_names)
            continue;
        gates[i].rest = tac__trace_resting(tr, c);
        if (!gates[i].rest)
            return TAC_E_MEMORY;
    }
    tr->islands[island].evaluator->gates = gates;
    tr->islands[island].evaluator->simple = false;
    return TAC_OK;
}

// --- held inputs --------------------------------------------------------------------------------

// Is the input a value of its own, because it is not simply the present value of a signal: a sample
// of the plant, or seen through a delay or a policy?
static bool is_own(const tac__plan *plan, const tac__input *in)
{
    return in->history || plan->schema.signals[in->signal].kind->continuous;
}

void tac__trace_see(const tac__trace *tr, const tac__component *c, size_t input, tac__sym_value *to)
{
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &tr->engine->plan->schema.signals[in->signal];
    const tac__sym_value *from = tr->signals[in->signal] + in->element;
    for (uint32_t i = 0; i < port->type.count; i++)
        to[i] = tac__is_scaled(s, port, in->route)
                    ? tac__symbol_converted(from[i],
                                            tac__unit_factor(&s->kind->dimension, &port->dimension),
                                            in->route->gain, in->route->offset)
                    : from[i];
}

static tac_status make_held(tac__trace *tr, const tac__component *c, size_t input,
                            tac__sym_value *to)
{
    const tac__plan *plan = tr->engine->plan;
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    const void *seen = tr->engine->instances[c->index]->bus.in[input];
    const tac__sym_value *from;
    if (in->signal < 0) {
        tac_status status;
        from = tac__trace_open(tr, c, input, &status);
        TAC_TRY(status);
    } else if (is_own(plan, in)) {
        const char *name = tac__arena_format(&tr->arena, "%s.%s", c->name, port->name);
        const tac__trace_value value = {
            .name = name, .unit = port->unit, .type = &port->type, .from = seen};
        from = name ? tac__trace_inputs(tr, &tr->u, value) : NULL;
    } else {
        tac__trace_see(tr, c, input, to);
        return TAC_OK;
    }
    if (!from)
        return TAC_E_MEMORY;
    memcpy(to, from, port->type.count * sizeof *to);
    return TAC_OK;
}

// Signals that enter the plant are inputs of the graph, in the order of the bus.
static tac_status make_entering(tac__trace *tr)
{
    const tac__plan *plan = tr->engine->plan;
    bool *enters = tac__arena_array(&tr->arena, plan->schema.count, sizeof *enters);
    if (!enters)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < plan->island_count; k++) {
        const tac__evaluator *ev = tr->islands[k].evaluator;
        for (size_t h = 0; h < ev->held_count; h++) {
            const tac__component *c = ev->members[ev->held[h].member].instance->plan;
            const tac__input *in = &c->in[ev->held[h].input];
            if (in->signal >= 0 && !is_own(plan, in))
                enters[in->signal] = true;
        }
    }
    for (size_t i = 0; i < plan->schema.count; i++) {
        const tac__signal *s = &plan->schema.signals[i];
        if (!enters[i] || tr->signals[i])
            continue;
        const tac__trace_value value = {.name = s->name,
                                        .unit = s->kind->unit,
                                        .type = &s->kind->type,
                                        .from = tac__block_at(&plan->block, s->offset)};
        tr->signals[i] = tac__trace_inputs(tr, &tr->u, value);
        if (!tr->signals[i])
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

static tac_status make_all_held(tac__trace *tr)
{
    if (!tr->whole)
        TAC_TRY(make_entering(tr));
    for (size_t k = 0; k < tr->engine->plan->island_count; k++) {
        const tac__evaluator *ev = tr->islands[k].evaluator;
        for (size_t h = 0; h < ev->held_count; h++) {
            const tac__held *held = &ev->held[h];
            const tac__component *c = ev->members[held->member].instance->plan;
            if (!tr->whole || c->in[held->input].signal < 0)
                TAC_TRY(make_held(tr, c, held->input, (tac__sym_value *)(void *)held->to));
        }
    }
    return TAC_OK;
}

// --- all of it ----------------------------------------------------------------------------------

// Outputs are computed where the evaluator has them.
static void find_outputs(tac__trace *tr, size_t island)
{
    const tac__evaluator *ev = tr->islands[island].evaluator;
    for (size_t i = 0; i < ev->count; i++) {
        const tac__component *c = ev->members[i].instance->plan;
        for (size_t k = 0; k < c->outputs.count; k++) {
            if (c->kinds[k].continuous)
                tr->signals[tac__signal_at(c, k)] = ev->members[i].eval->out[k];
        }
    }
}

bool tac__trace_can_evaluate(const tac__component *c)
{
    const tac_kernels *plain = &c->type->kernels[TAC_NUMBERS];
    const tac_kernels *own = &c->type->kernels[TAC_SYMBOLS];
    return (!plain->derive || own->derive) && (!plain->output || own->output);
}

static tac_status check_component(tac__trace *tr, const tac__component *c)
{
    if (tac__trace_can_evaluate(c) || tr->outside[c->index])
        return TAC_OK;
    return tac__fail_at(tr->err, TAC_E_GRAPH, &c->place,
                        "'%s' cannot be part of a graph: its type '%s' has no symbolic form; if it "
                        "stays outside, its outputs are inputs of the graph",
                        c->name, c->type->name);
}

// Numbers are constants, or follow from parameters that are inputs.
static tac_status make_numbers(tac__trace *tr, size_t island)
{
    const tac__trace_island *made = &tr->islands[island];
    tac__sym_value *numbers = (tac__sym_value *)(uintptr_t)made->subject.numbers;
    for (size_t i = 0; i < made->evaluator->count && tr->params; i++) {
        const tac__component *c = component_of(tr, island, i);
        for (size_t k = 0; k < c->number_count; k++)
            TAC_TRY(tac__trace_number(tr, c, k, numbers++));
    }
    return TAC_OK;
}

static tac_status make_island(tac__trace *tr, size_t k)
{
    tac__island *island = &tr->engine->islands[k];
    tac__trace_island *made = &tr->islands[k];
    bool gated = island->plan->gated;
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac__component *c = component_of(tr, k, i);
        TAC_TRY(check_component(tr, c));
        gated |= tr->outside[c->index];
    }
    TAC_TRY(
        tac__evaluator_make(tr->engine, &tr->arena, island, TAC_SYMBOLS, NULL, &made->evaluator));
    TAC_TRY(tac__subject_make(&tr->arena, made->evaluator, &island, NULL, &made->subject));
    tac__evaluator_aim(made->evaluator, &made->subject);
    made->dx = tac__arena_array(&tr->arena, island->plan->x_count, sizeof *made->dx);
    if (!made->dx)
        return TAC_E_MEMORY;
    TAC_TRY(make_island_states(tr, k));
    TAC_TRY(tac__trace_modes(tr, k));
    TAC_TRY(make_numbers(tr, k));
    if (gated)
        TAC_TRY(make_gates(tr, k));
    find_outputs(tr, k);
    return TAC_OK;
}

tac_status tac__trace_plant_make(tac__trace *tr)
{
    for (size_t k = 0; k < tr->engine->plan->island_count; k++) {
        tr->at_us = tr->starts ? tr->starts[k] : 0;
        TAC_TRY(make_island(tr, k));
    }
    tr->at_us = 0;
    return make_all_held(tr);
}

tac_status tac__trace_plant_evaluate(tac__trace *tr)
{
    const double *t = (const double *)(const void *)&tr->t;
    for (size_t k = 0; k < tr->engine->plan->island_count; k++) {
        double *dx = (double *)(void *)tr->islands[k].dx;
        const tac_status status = tac__evaluator_all(tr->islands[k].evaluator, t, dx);
        if (status != TAC_OK)
            return tac__fail(tr->err, status, "the equations of '%s' failed in symbols",
                             tr->engine->plan->islands[k].name);
    }
    return TAC_OK;
}
