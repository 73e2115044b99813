// params.h - the parameters of a multirotor as they stand in a configuration.
//
// The component `multirotor` reads all of them. A controller reads from the same map what it must
// know of the vehicle:
//
//     if (tac_param_peer_begin(d, "body")) {
//         tac__vehicle_params(d, &vehicle);
//         tac_param_end(d);
//     }
#ifndef TAC_MODEL_VEHICLE_PARAMS_H
#define TAC_MODEL_VEHICLE_PARAMS_H

#include "model/vehicle/multirotor.h"

#include <tactus/component.h>

// Mass, inertia, rotors with motors, propellers and buses, and what follows from them. For readers
// of a peer's parameters: `multirotor` itself has more keys.
void tac__vehicle_params(tac_declare *d, tac__vehicle *v);

// Everything except the state at the start.
void tac__multirotor_params(tac_declare *d, tac__multirotor *p);

// Warn of values that no real vehicle has: plausible.c.
void tac__multirotor_warn(tac_declare *d, const tac__multirotor *p);

#endif
