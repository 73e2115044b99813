// ticks.h - the cheapest clock of the machine, for measurements only: nothing that a simulation
// computes may depend on it.
#ifndef TAC_BASE_TICKS_H
#define TAC_BASE_TICKS_H

#include <stdint.h>
#include <time.h>

// Wall-clock time, to find out how long a tick is.
static inline double tac__wall_s(void)
{
    struct timespec now = {0, 0};
    (void)timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Ticks of unknown length: the counter of the processor where there is one (x86-64, constant and
// the same on all cores of machines of the last fifteen years), else nanoseconds.
static inline uint64_t tac__ticks(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now = {0, 0};
    (void)timespec_get(&now, TIME_UTC);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

#endif
