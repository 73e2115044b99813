// guard.h - component types that are not Tactus' own, called so that none of them can change the
// floating-point environment (base/floats.h) in which the others compute.
//
// Such a type is replaced by one whose functions call it and then look: where one has changed the
// environment, it is put back and the call fails with TAC_E_FLOATS, so that the run ends with the
// component's name. Built-in types are called directly and pay nothing.
#ifndef TAC_ENGINE_PLAN_GUARD_H
#define TAC_ENGINE_PLAN_GUARD_H

#include "engine/plan/plan.h"

struct tac__guard {
    const tac_component_type *of;
    tac_component_type type;
    tac__guard *next;
};

// The type by which an engine calls `type`: the same for all components of one type. NULL: no
// memory.
const tac_component_type *tac__guard_type(tac__plan *e, const tac_component_type *type);

// Zeroed memory for the `self` of a component. NULL: there is none.
void *tac__guard_self(tac__arena *arena, const tac_component_type *type,
                      const tac_component_type *guarded);

#endif
