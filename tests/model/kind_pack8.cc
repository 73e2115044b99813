#define TAC_KIND_PACK8
#include "model/plants.model.h"
#include "model/vehicle/multirotor.model.h"
