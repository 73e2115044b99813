// inputs.h - repeatable test inputs, from tame to hostile, and comparison by bits.
#ifndef TAC_TESTS_MATH_INPUTS_H
#define TAC_TESTS_MATH_INPUTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// The C macros are floats, which -Wdouble-promotion of clang minds.
#define INF  ((double)INFINITY)
#define QNAN ((double)NAN)

// splitmix64
static inline uint64_t input_bits(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline double input_uniform(uint64_t *seed, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(input_bits(seed) >> 11) * 0x1p-53);
}

// Mostly numbers of ordinary size, some edge values, some arbitrary bit patterns.
static inline double input_hostile(uint64_t *seed)
{
    static const double edges[] = {
        0.0,        -0.0,      1.0,       -1.0,   0.5,
        -0.5,       INF,       -INF,      QNAN,   0x1p-1074,
        -0x1p-1074, 0x1p-1022, 0x1p-1023, 0x1p52, 0x1p53,
        1e15,       -1e22,     1e300,     -1e300, 0x1.fffffffffffffp1023,
        709.7,      -745.1,    3.0,       -3.0,
    };
    uint64_t choice = input_bits(seed);
    switch (choice % 32) {
    case 0:
    case 1:
        return edges[(choice >> 8) % (sizeof edges / sizeof *edges)];
    case 2: {
        uint64_t bits = input_bits(seed);
        double any;
        memcpy(&any, &bits, sizeof any);
        return any;
    }
    case 3:
        return input_uniform(seed, -1e16, 1e16);
    case 4:
        return input_uniform(seed, -1e-160, 1e-160);
    default: {
        static const double ranges[] = {1.0, 3.0, 30.0, 1000.0};
        double range = ranges[(choice >> 8) % 4];
        return input_uniform(seed, -range, range);
    }
    }
}

// Bit for bit, except that every NaN is like every other.
static inline bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

#endif
