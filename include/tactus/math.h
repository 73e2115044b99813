// math.h - elementary functions that have the same bits everywhere.
//
// For authors of components and plugins: a libm differs from one system to the next, so code that
// runs inside a simulation calls these instead. They are pure and may be called at any time from
// any thread. Accurate to 1 ulp (docs/math.md has the measurements). The bits of a NaN result are
// not defined.
#ifndef TACTUS_MATH_H
#define TACTUS_MATH_H

#include <math.h>
#include <stdint.h>

#include <tactus/api.h>

TAC_BEGIN_DECLS

TAC_API double tac_sin(double x);
TAC_API double tac_cos(double x);
TAC_API double tac_tan(double x);
TAC_API double tac_asin(double x);
TAC_API double tac_acos(double x);
TAC_API double tac_atan(double x);
TAC_API double tac_atan2(double y, double x);

TAC_API double tac_sinh(double x);
TAC_API double tac_cosh(double x);
TAC_API double tac_tanh(double x);

TAC_API double tac_exp(double x);
TAC_API double tac_exp2(double x);
TAC_API double tac_expm1(double x);
TAC_API double tac_log(double x);
TAC_API double tac_log2(double x);
TAC_API double tac_log10(double x);
TAC_API double tac_log1p(double x);

TAC_API double tac_pow(double x, double y);
TAC_API double tac_cbrt(double x);
TAC_API double tac_hypot(double x, double y);

// Exactly tac_sin(x) and tac_cos(x).
TAC_API void tac_sincos(double x, double *sine, double *cosine);

// What the library was built with, e.g. "sleef-3.5.1-cinz".
TAC_API const char *tac_math_version(void);

// A digest of the functions' values at fixed arguments, in the library that was loaded: SLEEF
// cannot be asked for its version at run time, and versions may agree in every bit. The model hash
// covers it, function by function.
TAC_API uint64_t tac_math_fingerprint(void);

// IEEE 754 and C define the results of these to the last bit: those of any C library are the same.

// clang-format off
static inline double tac_sqrt(double x) { return sqrt(x); }
static inline double tac_fabs(double x) { return fabs(x); }
static inline double tac_floor(double x) { return floor(x); }
static inline double tac_ceil(double x) { return ceil(x); }
static inline double tac_fmod(double x, double y) { return fmod(x, y); }

// C leaves open which zero fmin(0.0, -0.0) is, and its fmin and fmax hide a NaN. These give `b`
// when the comparison fails, so a NaN in `b` gets through: write the limit first, the value second.
static inline double tac_min(double a, double b) { return a < b ? a : b; }
static inline double tac_max(double a, double b) { return a > b ? a : b; }

// clang-format on

// The bits of a NaN depend on the machine: this replaces any NaN by the same one.
static inline double tac_one_nan(double x)
{
    return x == x ? x : (double)NAN;
}

// A NaN in `x` stays a NaN.
static inline double tac_clamp(double x, double lo, double hi)
{
    return x < lo ? lo : x > hi ? hi : x;
}

TAC_END_DECLS

#endif
