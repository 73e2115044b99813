// function.c - the functions by name. All give the same bits on every machine, and all pass NaNs
// on, so that no NaN is lost silently.
#include "expr/function.h"

#include <math.h>
#include <string.h>
#include <tactus/math.h>

static const double not_a_number = (double)__builtin_nanf("");

static double sign(double x)
{
    return x > 0 ? 1 : x < 0 ? -1 : x;
}

static double least(double a, double b)
{
    return a != a ? a : tac_min(a, b);
}

static double most(double a, double b)
{
    return a != a ? a : tac_max(a, b);
}

static double clamp(double x, double low, double high)
{
    return __builtin_isunordered(low, high) ? not_a_number : tac_clamp(x, low, high);
}

static double hypotenuse(double a, double b)
{
    return __builtin_isunordered(a, b) ? not_a_number : tac_hypot(a, b);
}

// The remainder of a / b with the sign of b. fmod is exact, so the bits are the same everywhere.
static double modulo(double a, double b)
{
    const double rest = fmod(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

double tac__expr_power(double x, double y)
{
    return __builtin_isunordered(x, y) ? not_a_number : tac_pow(x, y);
}

// clang-format off
static double root(double x) { return tac_sqrt(x); }
static double absolute(double x) { return tac_fabs(x); }
static double down(double x) { return tac_floor(x); }
static double up(double x) { return tac_ceil(x); }
// clang-format on

#define ONE(text, rule, function)                                                                  \
    {                                                                                              \
        .name = text, .usage = text "(x)", .kind = TAC__EXPR_CALL, .least = 1, .most = 1,          \
        .units = TAC__UNITS_##rule, .one = (function),                                             \
    }

#define TWO(text, names, limit, rule, function)                                                    \
    {                                                                                              \
        .name = text, .usage = text names, .kind = TAC__EXPR_CALL, .least = 2, .most = (limit),    \
        .units = TAC__UNITS_##rule, .two = (function),                                             \
    }

#define SPECIAL(text, names, from, to, what)                                                       \
    {                                                                                              \
        .name = text, .usage = text names, .kind = TAC__EXPR_##what, .least = (from), .most = (to) \
    }

enum { MANY = 1000 };

static const tac__function functions[] = {
    ONE("sin", FROM_ANGLE, tac_sin),
    ONE("cos", FROM_ANGLE, tac_cos),
    ONE("tan", FROM_ANGLE, tac_tan),
    ONE("asin", TO_ANGLE, tac_asin),
    ONE("acos", TO_ANGLE, tac_acos),
    ONE("atan", TO_ANGLE, tac_atan),
    TWO("atan2", "(y, x)", 2, RATIO_ANGLE, tac_atan2),
    ONE("sinh", PLAIN, tac_sinh),
    ONE("cosh", PLAIN, tac_cosh),
    ONE("tanh", PLAIN, tac_tanh),
    ONE("exp", PLAIN, tac_exp),
    ONE("log", PLAIN, tac_log),
    ONE("log2", PLAIN, tac_log2),
    ONE("log10", PLAIN, tac_log10),
    ONE("sqrt", ROOT_2, root),
    ONE("cbrt", ROOT_3, tac_cbrt),
    TWO("hypot", "(x, y)", 2, ALIKE, hypotenuse),
    ONE("abs", ALIKE, absolute),
    ONE("sign", ANY, sign),
    ONE("floor", ALIKE, down),
    ONE("ceil", ALIKE, up),
    TWO("min", "(a, b, ...)", MANY, ALIKE, least),
    TWO("max", "(a, b, ...)", MANY, ALIKE, most),
    TWO("mod", "(a, b)", 2, ALIKE, modulo),
    {
        .name = "clamp",
        .usage = "clamp(x, low, high)",
        .kind = TAC__EXPR_CALL,
        .least = 3,
        .most = 3,
        .units = TAC__UNITS_ALIKE,
        .three = clamp,
    },
    SPECIAL("if", "(condition, a, b)", 3, 3, IF),
    SPECIAL("rising", "(condition)", 1, 1, RISING),
    SPECIAL("falling", "(condition)", 1, 1, FALLING),
    SPECIAL("held", "(condition, 0.5 s)", 2, 2, HELD),
    SPECIAL("since", "(condition)", 1, 2, SINCE),
};

enum { FUNCTIONS = sizeof functions / sizeof *functions };

const tac__function *tac__function_find(const char *name, size_t length)
{
    for (size_t i = 0; i < FUNCTIONS; i++) {
        if (strlen(functions[i].name) == length && !memcmp(functions[i].name, name, length))
            return &functions[i];
    }
    return NULL;
}

const char *tac__function_name(const void *context, size_t i)
{
    (void)context;
    return i < FUNCTIONS ? functions[i].name : NULL;
}
