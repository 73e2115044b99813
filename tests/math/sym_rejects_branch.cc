// Must not compile: model code cannot branch on a value. (Without BRANCH it must, so that the test
// fails for that reason only.)
#define TAC_KIND_SYM
#include "math/real.h"

real half_wave(real x)
{
#ifdef BRANCH
    if (x > 0.0)
        return x;
    return R(0.0);
#else
    return r_select(x > 0.0, x, R(0.0));
#endif
}
