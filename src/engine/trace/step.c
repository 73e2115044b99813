// step.c - the whole simulation as a graph: one boundary at which every component steps once, then
// one step of the integration method to the next; or, with rates, a least common period (rates.c).
#include "base/def.h"
#include "base/floats.h"
#include "engine/trace/rates.h"

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

static tac_status boundary(tac__sim *sim)
{
    const tac__plan *plan = sim->tr->engine->plan;
    for (size_t i = 0; i < plan->item_count; i++) {
        const tac__item *item = &plan->items[i];
        if (item->kind == TAC__ITEM_OUTPUTS)
            TAC_TRY(tac__sim_outputs(sim, item->index, true));
        else if (item->kind == TAC__ITEM_STEP && tac__sim_has(sim, plan->components[item->index]))
            TAC_TRY(tac__sim_step(sim, plan->components[item->index], TAC_DUE_AXIS));
    }
    return TAC_OK;
}

static tac_status one_step(tac__sim *sim)
{
    const tac__plan *plan = sim->tr->engine->plan;
    const tac_time h_us = sim->tr->graph->period_us = fastest(plan);
    TAC_TRY(tac__sim_begin(sim));
    TAC_TRY(boundary(sim));
    for (size_t k = 0; k < plan->island_count; k++)
        TAC_TRY(tac__sim_hold(sim, k));
    for (size_t k = 0; k < plan->island_count; k++) {
        TAC_TRY(tac__sim_integrate(sim, k, 0, h_us));
        TAC_TRY(tac__sim_project(sim, k));
    }
    return tac__sim_end(sim);
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
    tac_status status = tac__trace_begin(&tr, engine, def, def->rates ? "period" : "step", err);
    tac__trace_sources own = {.arena = &tr.arena};
    tr.sources = sources || !def->parameter_count ? sources : &own;
    tac__sim sim = {.tr = &tr};
    if (status == TAC_OK)
        status = tac__sim_check(&tr);
    if (status == TAC_OK)
        status = def->rates ? tac__trace_rates(&sim) : one_step(&sim);
    if (status == TAC_OK)
        status = tac__trace_params_check(&tr, tac__trace_of_step);
    return tac__trace_end(&tr, status, graph);
}

tac_status tac_graph_of_step(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                             tac_error *err)
{
    return tac__trace_of_step(engine, def, graph, NULL, err);
}
