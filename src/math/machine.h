// machine.h - which units of packs (cmake/kinds.cmake) this machine can run, and how many lanes are
// fastest on it. Ask before calling such a unit.
#ifndef TAC_MATH_MACHINE_H
#define TAC_MATH_MACHINE_H

#include <stdbool.h>

// May units of packs of so many lanes be called? Where they are compiled for no particular
// registers, as they are but on x86, they run in those there are, several for a value.
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

// How many doubles has the widest register that these units are compiled for? On aarch64 that is
// one of NEON.
static inline unsigned tac__machine_lanes(void)
{
#if defined(__x86_64__)
    return tac__machine_has_pack(8) ? 8 : tac__machine_has_pack(4) ? 4 : 2;
#else
    return 2;
#endif
}

#endif
