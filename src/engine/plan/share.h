// share.h - stores once what components have in common.
//
// The vehicles of a swarm have the same ports and parameters, but for a few values. The description
// of a component is declared in scratch memory. Lists that equal those of the last component of its
// type are replaced by pointers to these; the rest is copied into the plan's arena. So a swarm of
// one template has each list once.
#ifndef TAC_ENGINE_PLAN_SHARE_H
#define TAC_ENGINE_PLAN_SHARE_H

#include "engine/plan/plan.h"

// Keep ports, events, messages and parameters of an instance that was declared in
// plan->shapes.scratch. TAC_E_MEMORY.
tac_status tac__share_shape(tac__plan *plan, tac__component *c);

// The shared copy of a text; NULL: no memory.
const char *tac__share_text(tac__plan *plan, const char *text);

// The shared copy of these bytes; NULL: no memory.
const void *tac__share_bytes(tac__plan *plan, const void *bytes, size_t size);

#endif
