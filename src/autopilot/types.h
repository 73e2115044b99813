// types.h - the component types of this room.
#ifndef TAC_AUTOPILOT_TYPES_H
#define TAC_AUTOPILOT_TYPES_H

#include <tactus/component.h>

// NULL after the last.
extern const tac_component_type *const tac__autopilot_types[];

extern const tac_component_type tac__flight_control_type;
extern const tac_component_type tac__px4_type;

#endif
