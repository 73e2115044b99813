#define TAC_KIND_PACK4
#include "model/plants.model.h"
#include "model/vehicle/multirotor.model.h"
