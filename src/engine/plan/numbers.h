// numbers.h - how the numbers of a component follow from parameters.
#ifndef TAC_ENGINE_PLAN_NUMBERS_H
#define TAC_ENGINE_PLAN_NUMBERS_H

#include "engine/plan/plan.h"
#include "graph/graph.h"

// Of an engine in which parameters are given other values (tac_engine_def.values): a graph from
// those values, group `p`, to all numbers of a component, for the caller to destroy. NULL where the
// type has no `numbers`, or no number depends on the parameters. The nodes from which the component
// was declared must still be there.
TAC_MUST_CHECK tac_status tac__numbers_trace(tac__arena *arena, const tac__plan *plan,
                                             const tac__component *c, tac_graph **graph,
                                             tac_error *err);

#endif
