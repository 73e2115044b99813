// philox.h - Philox 4x32-10: four random words as a pure function of a key and a counter.
//
// C17 and C++17, for any type of word: a number, or a vector with a key and a counter of its own in
// each lane. Nothing here needs an operating system, memory or an instruction set, so that
// compilers for GPUs take it as it is. Source: Salmon, Moraes, Dror, Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC11.
#ifndef TAC_BASE_PHILOX_H
#define TAC_BASE_PHILOX_H

#include <stdint.h>

// Stands before a function that is compiled for the device where there is one.
#ifdef __CUDACC__
#define TAC__PURE          static inline __device__
#define TAC__PHILOX_UNROLL _Pragma("unroll")
#else
#define TAC__PURE          static inline
#define TAC__PHILOX_UNROLL _Pragma("GCC unroll 10")
#endif

// Defines NAME(counter, key, words) for one type of `word`: uint32_t, or a vector of uint64_t. Of
// each lane of such a vector the lower 32 bits count; the upper ones may hold anything, in
// arguments and in results. PRODUCT(a, b) multiplies the lower halves and gives a `wide`, which has
// 64 bits; SUM(a, b) adds them.
#define TAC__PHILOX_DEFINE(name, word, wide, product, sum)                                         \
    TAC__PURE void name(const word counter[4], const word key[2], word words[4])                   \
    {                                                                                              \
        word c0 = counter[0], c1 = counter[1], c2 = counter[2], c3 = counter[3];                   \
        word k0 = key[0], k1 = key[1];                                                             \
        TAC__PHILOX_UNROLL                                                                         \
        for (int round = 0; round < 10; round++) {                                                 \
            const wide p0 = product(c0, UINT32_C(0xD2511F53));                                     \
            const wide p1 = product(c2, UINT32_C(0xCD9E8D57));                                     \
            c0 = (word)(p1 >> 32) ^ c1 ^ k0;                                                       \
            c2 = (word)(p0 >> 32) ^ c3 ^ k1;                                                       \
            c1 = (word)p1;                                                                         \
            c3 = (word)p0;                                                                         \
            k0 = sum(k0, UINT32_C(0x9E3779B9));                                                    \
            k1 = sum(k1, UINT32_C(0xBB67AE85));                                                    \
        }                                                                                          \
        words[0] = c0;                                                                             \
        words[1] = c1;                                                                             \
        words[2] = c2;                                                                             \
        words[3] = c3;                                                                             \
    }

TAC__PURE uint64_t tac__philox_product(uint32_t a, uint32_t b)
{
    return (uint64_t)a * b;
}

TAC__PURE uint32_t tac__philox_sum(uint32_t a, uint32_t b)
{
    return a + b;
}

TAC__PHILOX_DEFINE(tac__philox, uint32_t, uint64_t, tac__philox_product, tac__philox_sum)

#endif
