// guard.h - component types that are not Tactus' own, called so that none of them can change the
// floating-point environment (base/floats.h) in which the others compute.
//
// Such a type is replaced by one whose functions call those of the type and then check the
// environment. If a call has changed the environment, it is restored and the call fails with
// TAC_E_FLOATS, so that the run ends with the component's name. Built-in types are called directly
// and pay nothing.
#ifndef TAC_ENGINE_PLAN_GUARD_H
#define TAC_ENGINE_PLAN_GUARD_H

#include "engine/plan/plan.h"

struct tac__guard {
    const tac_component_type *of;  // as it was given; may be of another size
    tac_component_type own, guard; // with all fields: its own functions, and those that call them
    tac__guard *next;
};

// A type as given, converted to this library's definition, without a guard. Fails with TAC_E_ABI.
TAC_MUST_CHECK tac_status tac__type_take(const tac_component_type *type, tac_component_type *own,
                                         tac_error *err);

// The types by which an engine knows (own) and calls (guarded) `type`: the same for all components
// of one type. For a built-in type both are the type itself. Without an engine nothing is guarded:
// both are `type`, which must have this library's definition.
TAC_MUST_CHECK tac_status tac__guard_type(tac__plan *plan, const tac_component_type *type,
                                          const tac_component_type **own,
                                          const tac_component_type **guarded, tac_error *err);

// Zeroed memory for the `self` of a component. NULL: there is none.
void *tac__guard_self(tac__arena *arena, const tac_component_type *type,
                      const tac_component_type *guarded);

#endif
