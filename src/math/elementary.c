// <tactus/math.h>: each function is the SLEEF function of the manifest (elementary.h) and nothing
// else, except at the ends of the ranges of exp and log1p.
#include <tactus/math.h>

#include "math/elementary.h"

#include <math.h>
#include <sleef.h>

// clang-format off
#define DEFINE_1(name, accuracy) \
    double tac_##name(double x) { return TAC__SLEEF_F64(name, accuracy)(x); }
#define DEFINE_2(name, accuracy) \
    double tac_##name(double x, double y) { return TAC__SLEEF_F64(name, accuracy)(x, y); }
// clang-format on

TAC__NAMESAKES_1(DEFINE_1)
TAC__ELEMENTARY_2(DEFINE_2)

double tac_exp(double x)
{
    return x > TAC__EXP_MOST ? (double)INFINITY : TAC__SLEEF_F64(exp, u10)(x);
}

double tac_log1p(double x)
{
    return x <= TAC__LOG1P_MOST ? TAC__SLEEF_F64(log1p, u10)(x) : tac_log(x);
}

// SLEEF's own sincos has other bits than its sin and cos for one argument in fourteen.
void tac_sincos(double x, double *sine, double *cosine)
{
    *sine = tac_sin(x);
    *cosine = tac_cos(x);
}

#define TEXT_(x) #x
#define TEXT(x)  TEXT_(x)
#define SLEEF_VERSION_TEXT                                                                         \
    TEXT(SLEEF_VERSION_MAJOR) "." TEXT(SLEEF_VERSION_MINOR) "." TEXT(SLEEF_VERSION_PATCHLEVEL)

const char *tac_math_version(void)
{
    return "sleef-" SLEEF_VERSION_TEXT "-cinz";
}
