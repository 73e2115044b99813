// elementary.h - the elementary functions and the SLEEF variant behind each.
//
// Every scalar kind and the public <tactus/math.h> expand from this manifest, so no two of them can
// disagree about a bit.
#ifndef TAC_MATH_ELEMENTARY_H
#define TAC_MATH_ELEMENTARY_H

#include <tactus/api.h>

// X(name, accuracy): functions of one argument. Most are SLEEF's functions of the same name. Two of
// them, exp and log1p, are replaced at the end of their ranges by what is written here: SLEEF 3.9
// changed its results there, and all versions from 3.5.1 on must give the same bits.
#define TAC__ELEMENTARY_WITH(X, EXP, LOG1P)                                                        \
    X(sin, u10)                                                                                    \
    X(cos, u10)                                                                                    \
    X(tan, u10)                                                                                    \
    X(asin, u10)                                                                                   \
    X(acos, u10)                                                                                   \
    X(atan, u10)                                                                                   \
    X(sinh, u10)                                                                                   \
    X(cosh, u10)                                                                                   \
    X(tanh, u10)                                                                                   \
    EXP(exp, u10)                                                                                  \
    X(exp2, u10)                                                                                   \
    X(expm1, u10)                                                                                  \
    X(log, u10)                                                                                    \
    X(log2, u10)                                                                                   \
    X(log10, u10)                                                                                  \
    LOG1P(log1p, u10)                                                                              \
    X(cbrt, u10)
#define TAC__ELEMENTARY_1(X) TAC__ELEMENTARY_WITH(X, X, X)
#define TAC__NAMESAKES_1(X)  TAC__ELEMENTARY_WITH(X, TAC__NO_NAMESAKE, TAC__NO_NAMESAKE)
#define TAC__NO_NAMESAKE(name, accuracy)

// exp is infinite above this; the last argument with a finite result is 709.782712893384.
#define TAC__EXP_MOST 709.78271114955742909217217426
// log1p is log(x) above this, which is the same double there.
#define TAC__LOG1P_MOST 1e307

// X(name, accuracy): functions of two arguments.
#define TAC__ELEMENTARY_2(X)                                                                       \
    X(atan2, u10)                                                                                  \
    X(pow, u10)                                                                                    \
    X(hypot, u05)

// `cinz` is the family without FMA that SLEEF keeps bit-identical from plain C to AVX-512.
#define TAC__SLEEF_F64(name, accuracy) Sleef_cinz_##name##d1_##accuracy##purec

// SLEEF's functions are declared here and in real_pack.h: its own header includes those of all
// vector registers, and takes a compiler a second for each unit. elementary.c and packs.model.h
// include that header, too, so that the compiler compares the declarations. SLEEF's results are
// `const`, which is a part of their types in C++.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wignored-qualifiers"
#define TAC__SLEEF_1(type, function) __attribute__((const)) const type function(type);
#define TAC__SLEEF_2(type, function) __attribute__((const)) const type function(type, type);

TAC_BEGIN_DECLS
#define TAC__DECLARE_1(name, accuracy) TAC__SLEEF_1(double, TAC__SLEEF_F64(name, accuracy))
#define TAC__DECLARE_2(name, accuracy) TAC__SLEEF_2(double, TAC__SLEEF_F64(name, accuracy))
TAC__ELEMENTARY_1(TAC__DECLARE_1)
TAC__ELEMENTARY_2(TAC__DECLARE_2)
#undef TAC__DECLARE_1
#undef TAC__DECLARE_2
TAC_END_DECLS
#pragma GCC diagnostic pop

#endif
