#define TAC_KIND_PACK8
#include "autopilot/control.model.h"
#include "autopilot/flight.lanes.h"
#include "autopilot/flight_control.lanes.h"
