#define TAC_KIND_PACK4
#include "autopilot/control.model.h"
