#define TAC_KIND_PACK8
#include "model/vehicle/multirotor.model.h"
