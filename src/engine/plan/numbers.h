// numbers.h - how the numbers of a component follow from parameters.
#ifndef TAC_ENGINE_PLAN_NUMBERS_H
#define TAC_ENGINE_PLAN_NUMBERS_H

#include "engine/plan/plan.h"

// Where parameters are given other values (tac_engine_def.values), and the type of a component has
// `numbers`: a graph from those values, group `p`, to all numbers of the component, kept in
// c->number_graph. It stays NULL where no number depends on them. To be called when the component
// has been declared.
TAC_MUST_CHECK tac_status tac__numbers_trace(tac__plan *plan, tac__component *c, tac_error *err);

#endif
