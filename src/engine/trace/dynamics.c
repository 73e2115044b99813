// dynamics.c - the plant of an engine as a graph: x, u, p, t -> dx, y.
#include "base/def.h"
#include "base/floats.h"
#include "base/text.h"
#include "engine/plan/find.h"
#include "engine/phases/phases.h"
#include "engine/trace/trace.h"

static tac_status choose_outside(tac__trace *tr)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t i = 0; i < tr->def->outside_count; i++) {
        const char *name = tr->def->outside[i];
        const tac__component *c = tac__find_component(plan, name);
        if (!c) {
            tac__fail(tr->err, TAC_E_NAME, "there is no component '%s' that could stay outside",
                      name);
            tac__error_suggest(tr->err, name, tac__component_name, plan);
            return TAC_E_NAME;
        }
        tr->outside[c->index] = true;
    }
    return TAC_OK;
}

static tac_status check_phase(const tac__trace *tr)
{
    const tac__plan *plan = tr->engine->plan;
    const char *phase = tr->def->phase;
    if (!phase)
        return TAC_OK;
    tac__nearest nearest = tac__nearest_begin(phase);
    for (size_t i = 0; i < plan->machine_count; i++) {
        const tac__phases *machine = tac__phases_of(plan->components[plan->machines[i]]);
        if (tac__phase_find(machine, phase) >= 0)
            return TAC_OK;
        for (size_t k = 0; k < machine->count; k++)
            tac__nearest_offer(&nearest, machine->names[k]);
    }
    tac__fail(tr->err, TAC_E_NAME, "there is no phase '%s'", phase);
    if (nearest.best)
        tac__error_append(tr->err, "; did you mean '%s'?", nearest.best);
    return TAC_E_NAME;
}

tac_status tac__trace_choose(tac__trace *tr)
{
    TAC_TRY(choose_outside(tr));
    return check_phase(tr);
}

// "m/s" for a state in metres.
static const char *rate_unit(tac__trace *tr, const char *unit)
{
    if (!unit || !*unit || (unit[0] == '1' && !unit[1]))
        return "1/s";
    return tac__arena_format(&tr->arena, "%s/s", unit);
}

static tac_status list_rates(tac__trace *tr, const tac__component *c)
{
    const tac__plan *plan = tr->engine->plan;
    const tac__sym_value *dx = tr->islands[c->island].dx + c->x_offset;
    for (size_t k = 0; !tr->outside[c->index] && k < c->continuous.count; k++) {
        const tac__port *port = &c->continuous.items[k];
        const int signal = tac__signal_at(c, c->outputs.count + k);
        const char *unit = rate_unit(tr, port->unit);
        if (!unit)
            return TAC_E_MEMORY;
        const char *name = plan->schema.signals[signal].name;
        TAC_TRY(tac__trace_outputs(
            tr, &tr->dx, (tac__trace_value){.name = name, .unit = unit, .type = &port->type}, dx));
        dx += port->type.count;
    }
    return TAC_OK;
}

static tac_status list_outputs(tac__trace *tr, const tac__component *c)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t k = 0; !tr->outside[c->index] && k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        const int signal = tac__signal_at(c, k);
        const tac__trace_value value = {.name = plan->schema.signals[signal].name,
                                        .unit = port->unit,
                                        .type = &port->type,
                                        .from = tr->engine->instances[c->index]->scratch.out[k]};
        if (c->kinds[k].continuous)
            TAC_TRY(tac__trace_outputs(tr, &tr->y, value, tr->signals[signal]));
    }
    return TAC_OK;
}

// dx in the order of x, outputs in the order in which components were declared.
static tac_status list_results(tac__trace *tr)
{
    const tac__plan *plan = tr->engine->plan;
    for (size_t k = 0; k < plan->island_count; k++) {
        for (size_t at = 0; at < plan->islands[k].x_count;) {
            const tac__component *c = NULL;
            for (size_t i = 0; !c || c->x_offset != at || !c->x_count; i++)
                c = plan->components[plan->islands[k].components[i]];
            TAC_TRY(list_rates(tr, c));
            at += c->x_count;
        }
    }
    for (size_t i = 0; i < plan->component_count; i++) {
        if (plan->components[i]->island >= 0)
            TAC_TRY(list_outputs(tr, plan->components[i]));
    }
    return TAC_OK;
}

static tac_status add_groups(tac__trace *tr, const tac__trace_list *t)
{
    TAC_TRY(tac__trace_add_in(tr, "x", &tr->x, true));
    TAC_TRY(tac__trace_add_in(tr, "u", &tr->u, true));
    TAC_TRY(tac__trace_add_in(tr, "p", &tr->p, true));
    TAC_TRY(tac__trace_add_in(tr, "t", t, true));
    TAC_TRY(tac__trace_add_in(tr, "mode", &tr->mode, false));
    TAC_TRY(tac__trace_add_in(tr, "phase", &tr->phase, false));
    TAC_TRY(tac__trace_add_in(tr, "held", &tr->held, false));
    TAC_TRY(tac__trace_add_out(tr, "dx", &tr->dx));
    return tac__trace_add_out(tr, "y", &tr->y);
}

static tac_status trace(tac__trace *tr)
{
    static const tac_type single = TAC_TYPE_F64;
    TAC_TRY(tac__trace_choose(tr));
    TAC_TRY(tac__trace_params_begin(tr));
    TAC_TRY(tac__trace_plant_make(tr));
    tac__trace_list list = {.items = NULL};
    const tac__sym_value *t =
        tac__trace_inputs(tr, &list, (tac__trace_value){.name = "t", .unit = "s", .type = &single});
    if (!t)
        return TAC_E_MEMORY;
    tr->t = *t;
    TAC_TRY(tac__trace_plant_evaluate(tr));
    TAC_TRY(list_results(tr));
    return add_groups(tr, &list);
}

tac_status tac__trace_dynamics(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                               tac__trace_sources *sources, tac_error *err)
{
    TAC__FLOATS;
    *graph = NULL;
    TAC__DEF(tac_graph_def, def, err);
    if (engine->life == TAC__BUILDING)
        return tac__fail(err, TAC_E_CALLER, "a graph is made of an engine that was prepared");
    tac__trace tr;
    tac_status status = tac__trace_begin(&tr, engine, def, "dynamics", err);
    tac__trace_sources own = {.arena = &tr.arena};
    tr.sources = sources || !def->parameter_count ? sources : &own;
    if (status == TAC_OK)
        status = trace(&tr);
    if (status == TAC_OK)
        status = tac__trace_params_check(&tr, tac__trace_dynamics);
    return tac__trace_end(&tr, status, graph);
}

tac_status tac_graph_of_dynamics(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                                 tac_error *err)
{
    return tac__trace_dynamics(engine, def, graph, NULL, err);
}
