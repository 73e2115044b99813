// real_pack.h - scalar kinds pack2, pack4 and pack8: TAC_LANES doubles, one lane a run. Included by
// real.h only.
//
// The vector extensions of gcc and clang give the operators at any width, whatever the machine.
// Functions go through the widest chunk that SLEEF has for the target; every width gives the bits
// of the plain C version. Functions of libm have the compilers' own names, as in real_dual.hh.
#include <stdint.h>

#include "math/elementary.h"
#include "math/registers.h"

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
static inline real tac__splat(double x) { real a = {x, x}; return a; }
#elif TAC_LANES == 4
static inline real tac__splat(double x) { real a = {x, x, x, x}; return a; }
#else
static inline real tac__splat(double x) { real a = {x, x, x, x, x, x, x, x}; return a; }
#endif

static inline cond c_and(cond a, cond b) { return a & b; }
static inline cond c_or(cond a, cond b) { return a | b; }
static inline cond c_not(cond a) { return ~a; }

#if defined(__AVX__) && TAC_LANES == 4
static inline int c_all(cond a) { return TAC__SIGNS_D4((tac__d4)a) == 0xF; }
#elif defined(__AVX512F__) && TAC_LANES == 8
static inline int c_all(cond a) { return TAC__SIGNS_D8((tac__d8)a) == 0xFF; }
#else
static inline int c_all(cond a)
{
    int64_t all = -1;
    for (int lane = 0; lane < TAC_LANES; lane++)
        all &= a[lane];
    return all != 0;
}
#endif
// Units of packs are compiled as C++, where ?: takes vectors: gcc makes masked moves, minima and
// maxima of it. Of the form for C it makes a vector of the mask and three logical operations.
static inline real r_select(cond c, real a, real b)
{
    return c ? a : b;
}
// minpd and maxpd are a < b ? a : b and a > b ? a : b, to the bit; gcc does not find them where one
// side is a constant. Saves 1 of 14.6 ns a vehicle in 8 lanes (bench_rhs, Zen 4).
#if defined(__AVX512F__) && TAC_LANES == 8
#define TAC__MIN_MAX
static inline real r_min(real a, real b) { return TAC__MIN_D8(a, b); }
static inline real r_max(real a, real b) { return TAC__MAX_D8(a, b); }
#elif defined(__AVX__) && TAC_LANES == 4
#define TAC__MIN_MAX
static inline real r_min(real a, real b) { return TAC__MIN_D4(a, b); }
static inline real r_max(real a, real b) { return TAC__MAX_D4(a, b); }
#elif defined(__SSE2__) && TAC_LANES == 2
#define TAC__MIN_MAX
static inline real r_min(real a, real b) { return TAC__MIN_D2(a, b); }
static inline real r_max(real a, real b) { return TAC__MAX_D2(a, b); }
#endif
static inline real r_abs(real a) { return (real)((cond)a & INT64_MAX); }

#if defined(__AVX512F__) && TAC_LANES == 8
typedef tac__d8 tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d8_##accuracy##avx512fnofma
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return TAC__SQRT_D8(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return TAC__FLOOR_D8(a); }
#elif defined(__AVX__) && TAC_LANES > 2
typedef tac__d4 tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d4_##accuracy##avx
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return TAC__SQRT_D4(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return TAC__FLOOR_D4(a); }
#elif defined(__SSE2__)
typedef tac__d2 tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) Sleef_cinz_##name##d2_##accuracy##sse2
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return TAC__SQRT_D2(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a)
{
    tac__chunk b = {__builtin_floor(a[0]), __builtin_floor(a[1])}; // SSE2 has no rounding instruction
    return b;
}
#else
typedef double tac__chunk;
#define TAC__SLEEF_CHUNK(name, accuracy) TAC__SLEEF_F64(name, accuracy)
static inline tac__chunk tac__chunk_sqrt(tac__chunk a) { return __builtin_sqrt(a); }
static inline tac__chunk tac__chunk_floor(tac__chunk a) { return __builtin_floor(a); }
#endif

// clang-format on

#if defined(__SSE2__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-qualifiers"
TAC_BEGIN_DECLS
#define TAC__DECLARE_1(name, accuracy) TAC__SLEEF_1(tac__chunk, TAC__SLEEF_CHUNK(name, accuracy))
#define TAC__DECLARE_2(name, accuracy) TAC__SLEEF_2(tac__chunk, TAC__SLEEF_CHUNK(name, accuracy))
TAC__ELEMENTARY_1(TAC__DECLARE_1)
TAC__ELEMENTARY_2(TAC__DECLARE_2)
#undef TAC__DECLARE_1
#undef TAC__DECLARE_2
TAC_END_DECLS
#pragma GCC diagnostic pop
#endif

enum { TAC__CHUNKS = sizeof(real) / sizeof(tac__chunk) };

typedef union tac__chunks {
    real all;
    tac__chunk chunk[TAC__CHUNKS];
} tac__chunks;

#define TAC__BY_CHUNK_1(name, function)                                                            \
    static inline real r_##name(real a)                                                            \
    {                                                                                              \
        tac__chunks u;                                                                             \
        u.all = a;                                                                                 \
        for (int i = 0; i < TAC__CHUNKS; i++)                                                      \
            u.chunk[i] = function(u.chunk[i]);                                                     \
        return u.all;                                                                              \
    }
#define TAC__BY_CHUNK_2(name, function)                                                            \
    static inline real r_##name(real a, real b)                                                    \
    {                                                                                              \
        tac__chunks u, v;                                                                          \
        u.all = a;                                                                                 \
        v.all = b;                                                                                 \
        for (int i = 0; i < TAC__CHUNKS; i++)                                                      \
            u.chunk[i] = function(u.chunk[i], v.chunk[i]);                                         \
        return u.all;                                                                              \
    }
#define TAC__PACK_1(name, accuracy) TAC__BY_CHUNK_1(name, TAC__SLEEF_CHUNK(name, accuracy))
#define TAC__PACK_2(name, accuracy) TAC__BY_CHUNK_2(name, TAC__SLEEF_CHUNK(name, accuracy))

TAC__BY_CHUNK_1(sqrt, tac__chunk_sqrt)
TAC__BY_CHUNK_1(floor, tac__chunk_floor)
static inline real r_fmod(real a, real b)
{
    real rest = a;
    for (int lane = 0; lane < TAC_LANES; lane++)
        rest[lane] = __builtin_fmod(a[lane], b[lane]);
    return rest;
}
TAC__NAMESAKES_1(TAC__PACK_1)
TAC__ELEMENTARY_2(TAC__PACK_2)
TAC__BY_CHUNK_1(exp_below, TAC__SLEEF_CHUNK(exp, u10))
static inline real r_exp(real a)
{
    return r_select(a > R(TAC__EXP_MOST), R(__builtin_inf()), r_exp_below(a));
}
TAC__BY_CHUNK_1(log1p_below, TAC__SLEEF_CHUNK(log1p, u10))
static inline real r_log1p(real a)
{
    return r_select(a <= R(TAC__LOG1P_MOST), r_log1p_below(a), r_log(a));
}

// data[index] in each lane, for whole indices from 0 to count - 1. Written without y[lane] = ...,
// which gcc does in memory, one lane at a time: reading the whole then waits for all lanes.
static inline real r_pick(const double *data, int count, real index)
{
    if (count == 1)
        return R(data[0]);
#if TAC_LANES == 2
    real y = {data[(int)index[0]], data[(int)index[1]]};
#elif TAC_LANES == 4
    real y = {data[(int)index[0]], data[(int)index[1]], data[(int)index[2]], data[(int)index[3]]};
#else
    real y = {data[(int)index[0]], data[(int)index[1]], data[(int)index[2]], data[(int)index[3]],
              data[(int)index[4]], data[(int)index[5]], data[(int)index[6]], data[(int)index[7]]};
#endif
    return y;
}
