// inertia.c - see inertia.h.
#include "model/inertia.h"

// The second moments of the mass, integral r r' dm = trace/2 - I, have no negative principal minor.
// `slack` allows for the rounding of a flat body's inertia that is written with few digits.
void tac__inertia_warn(tac_declare *d, const char *param, const double inertia[9])
{
    const double half = 0.5 * (inertia[0] + inertia[4] + inertia[8]), slack = 1e-6 * half;
    const double a = half - inertia[0] + slack, b = half - inertia[4] + slack,
                 c = half - inertia[8] + slack;
    const double xy = inertia[1], xz = inertia[2], yz = inertia[5];
    const double det = a * (b * c - yz * yz) - xy * (xy * c + yz * xz) - xz * (xy * yz + b * xz);
    if (a < 0 || b < 0 || c < 0 || a * b < xy * xy || a * c < xz * xz || b * c < yz * yz || det < 0)
        tac_declare_doubt(
            d, "inertia-impossible", param,
            "no body has such an inertia: one principal moment is larger than the sum "
            "of the two others (triangle inequality)");
}
