// inertia.h - whether an inertia tensor can be that of a body.
#ifndef TAC_MODEL_INERTIA_H
#define TAC_MODEL_INERTIA_H

#include <tactus/component.h>

// Nine numbers row by row, positive definite. A body has no principal moment above the sum of the
// two others, for integral (y^2 + z^2) dm = I_xx and so on: warns about `param` otherwise.
void tac__inertia_warn(tac_declare *d, const char *param, const double inertia[9]);

#endif
