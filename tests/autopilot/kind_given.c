#define TAC_KIND_F64
#include "autopilot/flight_control.graph.h"
