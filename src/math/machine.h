// machine.h - whether this machine has the vector registers that units of packs are compiled for
// (cmake/kinds.cmake). Ask before calling such a unit.
#ifndef TAC_MATH_MACHINE_H
#define TAC_MATH_MACHINE_H

#include <stdbool.h>

static inline bool tac__machine_has_pack4(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

#endif
