#define TAC_KIND_PACK8
#include "model/sensors/sensors.model.h"
#include "model/world_entries.h"
