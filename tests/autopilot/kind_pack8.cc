#define TAC_KIND_PACK8
#include "autopilot/control.model.h"
