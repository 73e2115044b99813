#define TAC_KIND_PACK4
#include "model/rocket/aero.model.h"
#include "model/rocket/body.model.h"
#include "model/rocket/mass.model.h"
#include "model/rocket/motor.model.h"
#include "model/rocket/orbiter.model.h"
#include "model/rocket/parachute.model.h"
