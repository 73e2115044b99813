// real_f64.h - scalar kind f64: a double. Included by real.h only.
#include <math.h>

#include "math/elementary.h"

typedef double real;
typedef int cond;

#define R(x) ((real)(x))

// One line an operation.
// clang-format off

static inline cond c_and(cond a, cond b) { return a && b; }
static inline cond c_or(cond a, cond b) { return a || b; }
static inline cond c_not(cond a) { return !a; }
static inline int c_all(cond a) { return a; }

static inline real r_select(cond c, real a, real b) { return c ? a : b; }
static inline real r_abs(real a) { return fabs(a); }
static inline real r_sqrt(real a) { return sqrt(a); }
static inline real r_floor(real a) { return floor(a); }
static inline real r_fmod(real a, real b) { return fmod(a, b); }

#define TAC__F64_1(name, accuracy) \
    static inline real r_##name(real a) { return TAC__SLEEF_F64(name, accuracy)(a); }
#define TAC__F64_2(name, accuracy) \
    static inline real r_##name(real a, real b) { return TAC__SLEEF_F64(name, accuracy)(a, b); }

TAC__NAMESAKES_1(TAC__F64_1)
TAC__ELEMENTARY_2(TAC__F64_2)
static inline real r_exp(real a)
{
    return a > TAC__EXP_MOST ? (real)INFINITY : TAC__SLEEF_F64(exp, u10)(a);
}
static inline real r_log1p(real a)
{
    return a <= TAC__LOG1P_MOST ? TAC__SLEEF_F64(log1p, u10)(a) : r_log(a);
}

// clang-format on

// data[index], for a whole `index` from 0 to count - 1.
static inline real r_pick(const double *data, int count, real index)
{
    (void)count;
    return data[(int)index];
}
