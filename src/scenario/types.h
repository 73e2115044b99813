// types.h - the component types of this room.
#ifndef TAC_SCENARIO_TYPES_H
#define TAC_SCENARIO_TYPES_H

#include <tactus/component.h>

extern const tac_component_type *const tac__scenario_types[]; // NULL after the last

#endif
