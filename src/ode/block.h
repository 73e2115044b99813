// block.h - sums of arrays, in blocks that a vector register takes.
//
// Arrays of this room are aligned to TAC__BLOCK doubles at least, and their length is a multiple of
// it; those of TAC__LONG doubles and more are aligned to TAC__LONG_BLOCK, and a multiple of that.
// So no remainder needs code of its own. Vectors are used element by element only, so the bits are
// those of a scalar loop. The functions below are inlined where the coefficients are compile-time
// constants: terms with a zero coefficient disappear.
#ifndef TAC_ODE_BLOCK_H
#define TAC_ODE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

enum { TAC__BLOCK = 4, TAC__LONG_BLOCK = 8, TAC__LONG = 64 };

#define TAC__INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define TAC__UNROLL _Pragma("unroll")
#else
#define TAC__UNROLL _Pragma("GCC unroll 16")
#endif

// Two doubles: the vector width that every x86-64 and every AArch64 has.
typedef double tac__pair __attribute__((vector_size(16), may_alias));
typedef double tac__loose_pair __attribute__((vector_size(16), may_alias, aligned(8)));

// y[i] and y[i + 1] of an array, i even.
#define TAC__PAIR(y, i)            (*(const tac__pair *)((y) + (i)))
#define TAC__PAIR_SET(y, i, value) (*(tac__pair *)((y) + (i)) = (value))

TAC__INLINE size_t tac__block_up(size_t n)
{
    const size_t block = n < TAC__LONG ? TAC__BLOCK : TAC__LONG_BLOCK;
    return (n + block - 1) / block * block;
}

// Loads a pair that has just been written one double at a time, as right-hand sides do. A processor
// forwards a recent store to a load that lies within that store; one load across two stores waits
// until both are in the cache. On an Intel processor (family 6, model 207) a step of rk4 with 19
// states took 1.35 times as long as a loop written by hand, with two loads 1.02 to 1.10 times
// (bench/ode.c).
TAC__INLINE tac__pair tac__fresh_pair(const double *k)
{
    double low = k[0];
    // Keeps the compiler from merging the two loads.
#if defined(__x86_64__)
    __asm__("" : "+x"(low));
#elif defined(__aarch64__)
    __asm__("" : "+w"(low));
#endif
    return (tac__pair){low, k[1]};
}

// Four doubles: a register of functions that are compiled for AVX2.
typedef double tac__four __attribute__((vector_size(32), may_alias));

#ifdef __x86_64__
#define TAC__AVX2     __attribute__((target("avx2")))
#define TAC__HAS_AVX2 __builtin_cpu_supports("avx2")
#else
#define TAC__AVX2
#define TAC__HAS_AVX2 false
#endif

TAC__INLINE tac__four tac__fresh_four(const double *k)
{
    const tac__pair low = tac__fresh_pair(k), high = tac__fresh_pair(k + 2);
    return (tac__four){low[0], low[1], high[0], high[1]};
}

// Eight doubles: a register of functions that are compiled for AVX-512. For long arrays alone, such
// as those of duals.
typedef double tac__eight __attribute__((vector_size(64), may_alias));
typedef double tac__loose_eight __attribute__((vector_size(64), may_alias, aligned(8)));

#ifdef __x86_64__
#define TAC__AVX512     __attribute__((target("avx512f")))
#define TAC__HAS_AVX512 __builtin_cpu_supports("avx512f")
#else
#define TAC__AVX512
#define TAC__HAS_AVX512 false
#endif

// Right-hand sides of long arrays write whole registers, too.
TAC__INLINE tac__eight tac__fresh_eight(const double *k)
{
    return *(const tac__eight *)k;
}

// Sums with registers of `vector` over blocks of `block` doubles. Their names end with `by`:
//   tac__sum      sum_j weights_j k_j of the doubles at `at`; the last k has just been written
//   tac__combine  out = base + factor * sum_j weights_j k_j; `out` may be `base`
//   tac__weigh    out = factor * sum_j weights_j k_j
#define TAC__SUMS(by, vector, block, fresh)                                                        \
    TAC__INLINE vector tac__sum##by(const double *weights, int count, const double *k,             \
                                    size_t stride, size_t at)                                      \
    {                                                                                              \
        vector sum = {0, 0};                                                                       \
        bool any = false;                                                                          \
        TAC__UNROLL                                                                                \
        for (int j = 0; j < count; j++) {                                                          \
            if (weights[j] == 0)                                                                   \
                continue;                                                                          \
            const double *kj = k + (size_t)j * stride + at;                                        \
            const vector term = weights[j] * (j == count - 1 ? fresh(kj) : *(const vector *)kj);   \
            if (any)                                                                               \
                sum += term;                                                                       \
            else                                                                                   \
                sum = term;                                                                        \
            any = true;                                                                            \
        }                                                                                          \
        return sum;                                                                                \
    }                                                                                              \
    TAC__INLINE void tac__combine##by(const double *weights, int count, const double *k,           \
                                      size_t stride, double factor, const double *base,            \
                                      double *out)                                                 \
    {                                                                                              \
        for (size_t i = 0; i < stride; i += (block)) {                                             \
            TAC__UNROLL                                                                            \
            for (size_t at = 0; at < (block); at += sizeof(vector) / sizeof(double))               \
                *(vector *)(out + i + at) =                                                        \
                    *(const vector *)(base + i + at) +                                             \
                    factor * tac__sum##by(weights, count, k, stride, i + at);                      \
        }                                                                                          \
    }                                                                                              \
    TAC__INLINE void tac__weigh##by(const double *weights, int count, const double *k,             \
                                    size_t stride, double factor, double *out)                     \
    {                                                                                              \
        for (size_t i = 0; i < stride; i += (block)) {                                             \
            TAC__UNROLL                                                                            \
            for (size_t at = 0; at < (block); at += sizeof(vector) / sizeof(double))               \
                *(vector *)(out + i + at) =                                                        \
                    factor * tac__sum##by(weights, count, k, stride, i + at);                      \
        }                                                                                          \
    }

TAC__SUMS(, tac__pair, TAC__BLOCK, tac__fresh_pair)
TAC__SUMS(_fours, tac__four, TAC__BLOCK, tac__fresh_four)
TAC__SUMS(_eights, tac__eight, TAC__LONG_BLOCK, tac__fresh_eight)

// tac__combine into an array of any length and alignment.
TAC__INLINE void tac__combine_out(const double *weights, int count, const double *k, size_t stride,
                                  double factor, const double *base, size_t n, double *out)
{
    size_t i = 0;
    for (; i + 2 <= n; i += 2) {
        const tac__pair sum = tac__sum(weights, count, k, stride, i);
        *(tac__loose_pair *)(out + i) = TAC__PAIR(base, i) + factor * sum;
    }
    if (i < n) {
        const tac__pair last = TAC__PAIR(base, i) + factor * tac__sum(weights, count, k, stride, i);
        out[i] = last[0];
    }
}

// In pairs instead of memcpy: a load that spans several recent stores waits for all of them.
// Writing 19 doubles in pairs and copying them takes 10.8 ns, with memcpy 13.5 (AMD EPYC, the best
// of 20,000 bursts of 50).
TAC__INLINE void tac__copy_doubles(size_t n, const double *from, double *to)
{
    size_t i = 0;
    for (; i + 2 <= n; i += 2)
        *(tac__loose_pair *)(to + i) = *(const tac__loose_pair *)(from + i);
    if (i < n)
        to[i] = from[i];
}

#endif
