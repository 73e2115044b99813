// packs.model.h - compares the functions of packs with the plain ones, at the arguments of
// prints.c. Compiled for vector registers (cmake/kinds.cmake): call it only where the machine has
// them.
#include "math/elementary.h"
#include "math/prints.h"
#include "math/real.h"
#include <tactus/math.h>

#include <sleef.h>
#include <string.h>

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);
}

TAC_ENTRY bool TAC_KINDED(tac__packs_agree)(void)
{
    bool agree = true;
    for (unsigned i = 0; i < TAC__PROBES; i += TAC_LANES) {
        real x, y;
        for (unsigned lane = 0; lane < TAC_LANES; lane++) {
            x[lane] = tac__math_probe(i + lane);
            y[lane] = tac__math_probe((i + lane) * 7 % TAC__PROBES);
        }
#define COMPARE_1(name, accuracy)                                                                  \
    {                                                                                              \
        const real z = r_##name(x);                                                                \
        for (unsigned lane = 0; lane < TAC_LANES; lane++)                                          \
            agree &= same(z[lane], tac_##name(x[lane]));                                           \
    }
#define COMPARE_2(name, accuracy)                                                                  \
    {                                                                                              \
        const real z = r_##name(x, y);                                                             \
        for (unsigned lane = 0; lane < TAC_LANES; lane++)                                          \
            agree &= same(z[lane], tac_##name(x[lane], y[lane]));                                  \
    }
        TAC__ELEMENTARY_1(COMPARE_1)
        TAC__ELEMENTARY_2(COMPARE_2)
    }
    return agree;
}
