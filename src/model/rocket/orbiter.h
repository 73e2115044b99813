// orbiter.h - a point that falls about the Earth in an inertial frame: entry points of
// orbiter.model.h. A translation unit that includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_ROCKET_ORBITER_H
#define TAC_MODEL_ROCKET_ORBITER_H

#include "model/world/earth.h"

enum { TAC__ORBITER_POSITION = 0, TAC__ORBITER_VELOCITY = 3, TAC__ORBITER_STATES = 6 };
enum { TAC__ORBITER_OUT_ENERGY, TAC__ORBITER_OUT_MOMENTUM, TAC__ORBITER_OUTS };

#ifndef __cplusplus

// `push` is an acceleration besides gravity.
void tac__orbiter_derive_f64(const tac__earth *p, const double *push, const double *x, double *dx);
void tac__orbiter_output_f64(const tac__earth *p, const double *x, void *const *out);
void tac__orbiter_derive_dual(const tac__earth *p, const void *push, const void *x, void *dx);
void tac__orbiter_output_dual(const tac__earth *p, const void *x, void *const *out);

#endif
#endif
