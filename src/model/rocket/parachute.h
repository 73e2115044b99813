// parachute.h - a parachute: its numbers, the order of ports, kernels of parachute.model.h. A
// translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_PARACHUTE_H
#define TAC_MODEL_ROCKET_PARACHUTE_H

#include "model/builtin.h"
#include "model/kernel.h"

typedef struct tac__parachute {
    param drag_m2;       // drag coefficient times area, open
    param tau_s;         // of its inflation
    param position_m[3]; // where it pulls, in body axes
} tac__parachute;

enum {
    TAC__CHUTE_IN_DEPLOY,
    TAC__CHUTE_IN_VELOCITY,
    TAC__CHUTE_IN_RATE,
    TAC__CHUTE_IN_DENSITY,
    TAC__CHUTE_INS
};
enum { TAC__CHUTE_OUT_FORCE, TAC__CHUTE_OUT_MOMENT, TAC__CHUTE_OUTS };

// x is the part that is inflated.
TAC__EVAL_KERNEL(tac__parachute_output)
TAC__EVAL_KERNEL(tac__parachute_derive)

#endif
