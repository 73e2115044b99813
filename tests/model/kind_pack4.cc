#define TAC_KIND_PACK4
#include "model/vehicle/multirotor.model.h"
