// real.h - the scalar of model code.
//
// One source, compiled once for each kind, runs as numbers, as lanes of a batch, as derivatives and
// as a symbolic graph; docs/math.md says how to write it. A translation unit chooses its kind by
// defining one macro before the first include:
//
//     TAC_KIND_F64                    a double                            C17
//     TAC_KIND_PACK2, _PACK4, _PACK8  2, 4 or 8 doubles, one lane a run   C++17
//     TAC_KIND_DUAL                   value and directional derivatives   C++17
//     TAC_KIND_DUALP                  the same, of parameters, too        C++17
//     TAC_KIND_SYM                    a node of a graph                   C++17
//
// TAC_KIND_F64_AVX2 is TAC_KIND_F64 under another name, for units that are compiled a second time
// for machines with AVX2; TAC_KIND_DUALP_AVX2 and TAC_KIND_DUALP_AVX512 are TAC_KIND_DUALP.
//
// Each kind has the types `real` and `cond`; the operators + - * / and their assignments, unary -,
// and < > <= >= between reals or a real and a double; c_and, c_or, c_not, r_select, r_abs, r_sqrt,
// r_floor, r_fmod, r_pick, and the functions of elementary.h as r_sin, r_atan2, ... A double
// becomes a real by R(x) wherever the language wants a real: in an initialiser, an assignment or an
// argument.
//
// A parameter of a model has the type `param`, which is `real` or, where parameters are constants
// (TAC_KIND_DUAL), double: P(x) makes a real of it. Structs of parameters have nothing but params
// in them, so that such a struct is an array of reals of the kind.
//
// c_all(c) is an int: whether `c` holds in every lane; in a graph, where values are not known, it
// is 0 unless `c` is constant. It is the only branch on values that model code may have, and only
// to leave out work that would change no bit.
//
// A `real` is passed by value between functions of one unit only; between units by pointer.
#ifndef TAC_MATH_REAL_H
#define TAC_MATH_REAL_H

#include <float.h>

#ifdef TAC_KIND_F64_AVX2
#define TAC_KIND_F64
#endif
#if defined(TAC_KIND_DUALP_AVX2) || defined(TAC_KIND_DUALP_AVX512)
#define TAC_KIND_DUALP
#endif
#if (defined(TAC_KIND_F64) + defined(TAC_KIND_PACK2) + defined(TAC_KIND_PACK4) +                   \
     defined(TAC_KIND_PACK8) + defined(TAC_KIND_DUAL) + defined(TAC_KIND_DUALP) +                  \
     defined(TAC_KIND_SYM)) != 1
#error "define exactly one TAC_KIND_... before including model code"
#endif

// The bits of a run follow from the written operations in the written order. Contraction to FMA
// cannot be detected here: the build passes -ffp-contract=off, and tests/math/test_kinds.c fails if
// it does not. gcc 12 needs more: where the target has FMA, its vectoriser makes vfmaddsub of
// neighbouring a * b - c and a * b + c in spite of that flag.
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) ||     \
    defined(__NO_SIGNED_ZEROS__) || __FINITE_MATH_ONLY__ + 0 != 0 ||                               \
    (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16) // 16: half floats have their own arithmetic
#error "model code needs strict IEEE doubles: nothing of -ffast-math, no x87"
#endif
#if defined(__GNUC__) && !defined(__clang__) && (defined(__FMA__) || defined(__AVX512VL__))
#error "gcc may fuse a * b -+ c in spite of -ffp-contract=off: add -mno-fma, leave out -mavx512vl"
#endif

#if defined(TAC_KIND_F64_AVX2)
#define TAC_KIND f64_avx2
#include "math/real_f64.h"
#elif defined(TAC_KIND_F64)
#define TAC_KIND f64
#include "math/real_f64.h"
#elif defined(TAC_KIND_PACK2)
#define TAC_KIND  pack2
#define TAC_LANES 2
#include "math/real_pack.h"
#elif defined(TAC_KIND_PACK4)
#define TAC_KIND  pack4
#define TAC_LANES 4
#include "math/real_pack.h"
#elif defined(TAC_KIND_PACK8)
#define TAC_KIND  pack8
#define TAC_LANES 8
#include "math/real_pack.h"
#elif defined(TAC_KIND_DUAL)
#define TAC_KIND dual
#include "math/real_dual.hh"
#elif defined(TAC_KIND_DUALP_AVX2)
#define TAC_KIND dualp_avx2
#include "math/real_dual.hh"
#elif defined(TAC_KIND_DUALP_AVX512)
#define TAC_KIND dualp_avx512
#include "math/real_dual.hh"
#elif defined(TAC_KIND_DUALP)
#define TAC_KIND dualp
#include "math/real_dual.hh"
#else
#define TAC_KIND sym
#include "math/real_sym.hh"
#endif

#if defined(TAC_KIND_DUAL)
typedef double param;
#define P(x) R(x)
#else
typedef real param;
#define P(x) (x)
#endif

// TAC_KINDED(tac__rotor) is tac__rotor_f64, tac__rotor_pack4, ...: how C code reaches each kind.
#define TAC__JOIN_(name, kind) name##_##kind
#define TAC__JOIN(name, kind)  TAC__JOIN_(name, kind)
#define TAC_KINDED(name)       TAC__JOIN(name, TAC_KIND)

// Starts the declaration or definition of such a function:
//     TAC_ENTRY void TAC_KINDED(tac__rotor)(const real *in, real *out) {...}
#ifdef __cplusplus
#define TAC_ENTRY extern "C"
#else
#define TAC_ENTRY extern
#endif

// As r_select, for sides that are expensive: where a real is one number, only the chosen side is
// computed; where it is several, the second side only if some lane needs it. Both sides are pure,
// so the bits are the same.
#if defined(TAC_KIND_F64)
#define R_CHOOSE(c, a, b) ((c) ? (a) : (b))
#elif defined(TAC_KIND_DUAL) || defined(TAC_KIND_DUALP)
#define R_CHOOSE(c, a, b) ((c).holds ? (a) : (b))
#elif defined(TAC_LANES)
#define R_CHOOSE(c, a, b) (c_all(c) ? (real)(a) : r_select((c), (a), (b)))
#else
#define R_CHOOSE(c, a, b) r_select((c), (a), (b))
#endif

// What follows is the same source for every kind, so its corner cases are the same too.

// Where the comparison fails the result is `b`, so in r_max(limit, value) a NaN value is not hidden
// by the limit. Packs may have them as instructions.
#ifndef TAC__MIN_MAX
static inline real r_min(real a, real b)
{
    return r_select(a < b, a, b);
}

static inline real r_max(real a, real b)
{
    return r_select(a > b, a, b);
}
#endif

// Between `lo` and `hi`; a NaN stays a NaN.
static inline real r_clamp(real x, real lo, real hi)
{
    return r_select(x < lo, lo, r_select(x > hi, hi, x));
}

// 1, -1, or `x` itself when it is a zero or a NaN.
static inline real r_sign(real x)
{
    return r_select(x > 0.0, R(1.0), r_select(x < 0.0, R(-1.0), x));
}

// The line through (0, a) and (1, b), also outside [0, 1]. Measured from the nearer end, so that
// t = 0 gives a, t = 1 gives b and a == b gives a, exactly; a + t * (b - a) may miss b.
static inline real r_lerp(real a, real b, real t)
{
    real ab = b - a;
    return r_select(t < 0.5, a + t * ab, b - (1.0 - t) * ab);
}

#endif
