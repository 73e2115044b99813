// prepare.h - the steps of tac_engine_prepare.
#ifndef TAC_ENGINE_PLAN_PREPARE_H
#define TAC_ENGINE_PLAN_PREPARE_H

#include "engine/plan/plan.h"

// Run the connect functions of all types.
tac_status tac__connect(tac__plan *plan, tac_error *err);

// --- routes.c: where inputs come from, and which components only observe ---
tac_status tac__resolve_routes(tac__plan *plan, tac_error *err);
void tac__resolve_observers(tac__plan *plan);

// --- rates.c: policies and synchronised groups, histories, leads ---
tac_status tac__resolve_groups(tac__plan *plan, tac_error *err);
tac_status tac__resolve_histories(tac__plan *plan, tac_error *err);
tac_status tac__resolve_leads(tac__plan *plan, tac_error *err);

// --- links.c: where messages go ---
tac_status tac__resolve_links(tac__plan *plan, tac_error *err);

// --- order.c: the order of discrete components ---
tac_status tac__order_components(tac__plan *plan, tac_error *err);

// --- island.c: islands and what belongs to them ---
tac_status tac__islands_form(tac__plan *plan, tac_error *err);
tac_status tac__islands_order(tac__plan *plan, tac_error *err);

// --- condition.c: which island each condition belongs to ---
tac_status tac__resolve_conditions(tac__plan *plan, tac_error *err);

// --- schedule.c: sources, items, and which items are due with which source ---
tac_status tac__schedule(tac__plan *plan);

// --- doubts.c: warnings about the whole model ---
tac_status tac__doubts(tac__plan *plan); // TAC_E_MEMORY

// --- wire.c: memory and pointers ---
tac_status tac__wire(tac_engine *engine);

#endif
