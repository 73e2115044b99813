// real_pack.h - scalar kinds pack2, pack4 and pack8: TAC_LANES doubles, one lane a run. Included by
// real.h only.
//
// The vector extensions of gcc and clang give the operators at any width, whatever the machine.
// Functions go through the widest chunk that SLEEF has for the target; every width gives the bits
// of the plain C version.
#include <math.h>
#include <stdint.h>

#include "math/elementary.h"

// Packs are passed by value between functions of one unit only, so it does not matter that the
// calling convention for them changes with -mavx. (gcc still prints a note without AVX; -Wno-psabi
// on the command line silences that too.)
#pragma GCC diagnostic ignored "-Wpsabi"

// Memory that holds packs is aligned to sizeof(real), and may also be looked at as doubles.
typedef double real __attribute__((vector_size(8 * TAC_LANES), may_alias));
typedef int64_t cond __attribute__((vector_size(8 * TAC_LANES)));

#define R(x) tac__splat(x)

// One line an operation.
// clang-format off

#if TAC_LANES == 2
static inline real tac__splat(double x) { return (real){x, x}; }
#elif TAC_LANES == 4
static inline real tac__splat(double x) { return (real){x, x, x, x}; }
#else
static inline real tac__splat(double x) { return (real){x, x, x, x, x, x, x, x}; }
#endif

static inline cond c_and(cond a, cond b) { return a & b; }
static inline cond c_or(cond a, cond b) { return a | b; }
static inline cond c_not(cond a) { return ~a; }

#if defined(__AVX__) && TAC_LANES == 4
static inline int c_all(cond a) { return _mm256_movemask_pd((__m256d)a) == 0xF; }
static inline real r_select(cond c, real a, real b)
{
    return _mm256_blendv_pd(b, a, (__m256d)c);
}
#else
static inline int c_all(cond a)
{
    int64_t all = -1;
    for (int lane = 0; lane < TAC_LANES; lane++)
        all &= a[lane];
    return all != 0;
}
static inline real r_select(cond c, real a, real b)
{
    return (real)((c & (cond)a) | (~c & (cond)b));
}
#endif
static inline real r_abs(real a) { return (real)((cond)a & INT64_MAX); }

#if defined(__AVX512F__) && TAC_LANES == 8
typedef __m512d tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d8_##accuracy##avx512fnofma
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return _mm512_sqrt_pd(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return _mm512_floor_pd(a); }
#elif defined(__AVX__) && TAC_LANES > 2
typedef __m256d tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d4_##accuracy##avx
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return _mm256_sqrt_pd(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return _mm256_floor_pd(a); }
#elif defined(__SSE2__)
typedef __m128d tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d2_##accuracy##sse2
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return _mm_sqrt_pd(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a)
{
    return (tac__chunk){floor(a[0]), floor(a[1])}; // SSE2 has no rounding instruction
}
#else
typedef double tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) TAC__SLEEF_F64(name, accuracy)
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return sqrt(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return floor(a); }
#endif

// clang-format on

enum { TAC__CHUNKS = sizeof(real) / sizeof(tac__chunk) };

typedef union tac__chunks {
    real all;
    tac__chunk chunk[TAC__CHUNKS];
} tac__chunks;

#define TAC__BY_CHUNK_1(name, function)                                                            \
    static inline real r_##name(real a)                                                            \
    {                                                                                              \
        tac__chunks u = {.all = a};                                                                \
        for (int i = 0; i < TAC__CHUNKS; i++)                                                      \
            u.chunk[i] = function(u.chunk[i]);                                                     \
        return u.all;                                                                              \
    }
#define TAC__BY_CHUNK_2(name, function)                                                            \
    static inline real r_##name(real a, real b)                                                    \
    {                                                                                              \
        tac__chunks u = {.all = a}, v = {.all = b};                                                \
        for (int i = 0; i < TAC__CHUNKS; i++)                                                      \
            u.chunk[i] = function(u.chunk[i], v.chunk[i]);                                         \
        return u.all;                                                                              \
    }
#define TAC__PACK_1(name, accuracy) TAC__BY_CHUNK_1(name, TAC__SLEEF_CHUNK(name, accuracy))
#define TAC__PACK_2(name, accuracy) TAC__BY_CHUNK_2(name, TAC__SLEEF_CHUNK(name, accuracy))

TAC__BY_CHUNK_1(sqrt, tac__chunk_sqrt)
TAC__BY_CHUNK_1(floor, tac__chunk_floor)
TAC__NAMESAKES_1(TAC__PACK_1)
TAC__ELEMENTARY_2(TAC__PACK_2)
TAC__BY_CHUNK_1(exp_below, TAC__SLEEF_CHUNK(exp, u10))
static inline real r_exp(real a)
{
    return r_select(a > R(TAC__EXP_MOST), R((double)INFINITY), r_exp_below(a));
}
TAC__BY_CHUNK_1(log1p_below, TAC__SLEEF_CHUNK(log1p, u10))
static inline real r_log1p(real a)
{
    return r_select(a <= R(TAC__LOG1P_MOST), r_log1p_below(a), r_log(a));
}

// data[index] in each lane, for whole indices from 0 to count - 1.
static inline real r_pick(const double *data, int count, real index)
{
    (void)count;
    real y = R(0.0);
    for (int lane = 0; lane < TAC_LANES; lane++)
        y[lane] = data[(int)index[lane]];
    return y;
}
