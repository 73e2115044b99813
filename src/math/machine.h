// machine.h - whether this machine has the vector registers that units of packs are compiled for
// (cmake/kinds.cmake). Ask before calling such a unit.
#ifndef TAC_MATH_MACHINE_H
#define TAC_MATH_MACHINE_H

#include <stdbool.h>

static inline bool tac__machine_has_pack(unsigned lanes)
{
#if defined(__x86_64__)
    return lanes == 8   ? __builtin_cpu_supports("avx512f")
           : lanes == 4 ? __builtin_cpu_supports("avx2")
                        : lanes == 2;
#else
    return lanes == 2 || lanes == 4 || lanes == 8;
#endif
}

#endif
