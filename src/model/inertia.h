// inertia.h - whether an inertia tensor can be that of a body.
#ifndef TAC_MODEL_INERTIA_H
#define TAC_MODEL_INERTIA_H

#include <tactus/component.h>

// Warns about `param` if no body can have this inertia (nine numbers row by row, positive
// definite): no principal moment exceeds the sum of the two others, as integral (y^2 + z^2) dm =
// I_xx and so on.
void tac__inertia_warn(tac_declare *d, const char *param, const double inertia[9]);

#endif
