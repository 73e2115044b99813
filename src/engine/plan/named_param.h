// named_param.h - parameters by name, as a user writes them: "uav.vehicle.mass",
// "vehicle.gravity[2]".
#ifndef TAC_ENGINE_PLAN_NAMED_PARAM_H
#define TAC_ENGINE_PLAN_NAMED_PARAM_H

#include "base/arena.h"

#include <tactus/sensitivity.h>

// The component is named in full, or without its entity where only one component has that name.
// Texts live in the arena.
TAC_MUST_CHECK tac_status tac__param_by_name(tac__arena *arena, const tac_engine *engine,
                                             const char *text, tac_sensitivity_param *param,
                                             tac_error *err);

#endif
