// types.c - the list of this room's component types.
#include "autopilot/types.h"

#include <stddef.h>

const tac_component_type *const tac__autopilot_types[] = {&tac__flight_control_type, &tac__px4_type,
                                                          NULL};
