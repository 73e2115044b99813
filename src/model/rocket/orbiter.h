// orbiter.h - a point that falls about the Earth in an inertial frame: kernels of
// orbiter.model.h. Its numbers are a tac__earth. A translation unit that includes this is of one
// scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_ORBITER_H
#define TAC_MODEL_ROCKET_ORBITER_H

#include "model/builtin.h"
#include "model/kernel.h"
#include "model/world/earth.h"

// The first part of a component's self.
typedef struct tac__orbiter_shape {
    bool oblate; // the Earth is no sphere
} tac__orbiter_shape;

enum { TAC__ORBITER_POSITION = 0, TAC__ORBITER_VELOCITY = 3, TAC__ORBITER_STATES = 6 };
enum { TAC__ORBITER_OUT_ENERGY, TAC__ORBITER_OUT_MOMENTUM, TAC__ORBITER_OUTS };

TAC__EVAL_KERNEL(tac__orbiter_output)
TAC__EVAL_KERNEL(tac__orbiter_derive)

#endif
