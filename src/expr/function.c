// function.c - the functions by name. All give the same bits on every machine, and all pass NaNs
// on, so that no NaN is lost silently.
#include "expr/function.h"

#include <math.h>
#include <string.h>

static int32_t make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(pool, op, a, b, -1);
}

static int32_t choose(tac__terms *pool, int32_t condition, int32_t yes, int32_t no)
{
    return tac__term_make(pool, TAC__SYM_select, condition, yes, no);
}

static int32_t number(tac__terms *pool, double value)
{
    return tac__term_constant(pool, value);
}

int32_t tac__expr_ordered(tac__terms *pool, int32_t a, int32_t b)
{
    return make(pool, TAC__SYM_logic_and, make(pool, TAC__SYM_eq, a, a),
                make(pool, TAC__SYM_eq, b, b));
}

// `term`, but NaN where `a` or `b` is one.
static int32_t unless_nan(tac__terms *pool, int32_t a, int32_t b, int32_t term)
{
    return choose(pool, tac__expr_ordered(pool, a, b), term, number(pool, (double)NAN));
}

// The power of NaN is NaN, but for the power 0.
int32_t tac__expr_power(tac__terms *pool, int32_t x, int32_t y)
{
    const int32_t power = make(pool, TAC__SYM_pow, x, y);
    if (tac__term_is_constant(pool, y) && pool->terms[y].value != 0)
        return power;
    return unless_nan(pool, x, y, power);
}

static int32_t sign(tac__terms *pool, const int32_t *x)
{
    const int32_t zero = number(pool, 0);
    const int32_t no = choose(pool, make(pool, TAC__SYM_lt, *x, zero), number(pool, -1), *x);
    return choose(pool, make(pool, TAC__SYM_lt, zero, *x), number(pool, 1), no);
}

// Of two numbers of which the second may be NaN; the first one, where that is NaN.
static int32_t extreme(tac__terms *pool, tac__sym_op op, const int32_t *x)
{
    return choose(pool, make(pool, TAC__SYM_eq, x[0], x[0]), make(pool, op, x[0], x[1]), x[0]);
}

static int32_t least(tac__terms *pool, const int32_t *x)
{
    return extreme(pool, TAC__SYM_min, x);
}

static int32_t most(tac__terms *pool, const int32_t *x)
{
    return extreme(pool, TAC__SYM_max, x);
}

static int32_t clamp(tac__terms *pool, const int32_t *x)
{
    const int32_t low = x[1], high = x[2];
    const int32_t below = choose(pool, make(pool, TAC__SYM_lt, high, *x), high, *x);
    const int32_t inside = choose(pool, make(pool, TAC__SYM_lt, *x, low), low, below);
    return unless_nan(pool, low, high, inside);
}

static int32_t hypotenuse(tac__terms *pool, const int32_t *x)
{
    return unless_nan(pool, x[0], x[1], make(pool, TAC__SYM_hypot, x[0], x[1]));
}

// The remainder of a / b with the sign of b: that of C plus b, where it is not 0 and has the other
// sign.
static int32_t modulo(tac__terms *pool, const int32_t *x)
{
    const int32_t zero = number(pool, 0), rest = make(pool, TAC__SYM_fmod, x[0], x[1]);
    const int32_t below = make(pool, TAC__SYM_lt, rest, zero);
    const int32_t above = make(pool, TAC__SYM_lt, zero, rest);
    const int32_t negative = make(pool, TAC__SYM_lt, x[1], zero);
    const int32_t other =
        make(pool, TAC__SYM_logic_or,
             make(pool, TAC__SYM_logic_and, below, make(pool, TAC__SYM_logic_not, negative, -1)),
             make(pool, TAC__SYM_logic_and, above, negative));
    return choose(pool, other, make(pool, TAC__SYM_add, rest, x[1]), rest);
}

static int32_t up(tac__terms *pool, const int32_t *x)
{
    const int32_t down = make(pool, TAC__SYM_floor, make(pool, TAC__SYM_neg, *x, -1), -1);
    return make(pool, TAC__SYM_neg, down, -1);
}

// Functions that are one operation.
#define PLAIN_1(name)                                                                              \
    static int32_t f_##name(tac__terms *pool, const int32_t *x)                                    \
    {                                                                                              \
        return make(pool, TAC__SYM_##name, x[0], -1);                                              \
    }
#define PLAIN_2(name)                                                                              \
    static int32_t f_##name(tac__terms *pool, const int32_t *x)                                    \
    {                                                                                              \
        return make(pool, TAC__SYM_##name, x[0], x[1]);                                            \
    }
PLAIN_1(sin)
PLAIN_1(cos)
PLAIN_1(tan)
PLAIN_1(asin)
PLAIN_1(acos)
PLAIN_1(atan)
PLAIN_1(sinh)
PLAIN_1(cosh)
PLAIN_1(tanh)
PLAIN_1(exp)
PLAIN_1(log)
PLAIN_1(log2)
PLAIN_1(log10)
PLAIN_1(sqrt)
PLAIN_1(cbrt)
PLAIN_1(abs)
PLAIN_1(floor)
PLAIN_2(atan2)

#define ONE(text, rule, function)                                                                  \
    {                                                                                              \
        .name = text, .usage = text "(x)", .kind = TAC__EXPR_CALL, .least = 1, .most = 1,          \
        .units = TAC__UNITS_##rule, .terms = (function),                                           \
    }

#define TWO(text, names, limit, rule, function)                                                    \
    {                                                                                              \
        .name = text, .usage = text names, .kind = TAC__EXPR_CALL, .least = 2, .most = (limit),    \
        .units = TAC__UNITS_##rule, .terms = (function),                                           \
    }

#define SPECIAL(text, names, from, to, what)                                                       \
    {                                                                                              \
        .name = text, .usage = text names, .kind = TAC__EXPR_##what, .least = (from), .most = (to) \
    }

enum { MANY = 1000 };

static const tac__function functions[] = {
    ONE("sin", FROM_ANGLE, f_sin),
    ONE("cos", FROM_ANGLE, f_cos),
    ONE("tan", FROM_ANGLE, f_tan),
    ONE("asin", TO_ANGLE, f_asin),
    ONE("acos", TO_ANGLE, f_acos),
    ONE("atan", TO_ANGLE, f_atan),
    TWO("atan2", "(y, x)", 2, RATIO_ANGLE, f_atan2),
    ONE("sinh", PLAIN, f_sinh),
    ONE("cosh", PLAIN, f_cosh),
    ONE("tanh", PLAIN, f_tanh),
    ONE("exp", PLAIN, f_exp),
    ONE("log", PLAIN, f_log),
    ONE("log2", PLAIN, f_log2),
    ONE("log10", PLAIN, f_log10),
    ONE("sqrt", ROOT_2, f_sqrt),
    ONE("cbrt", ROOT_3, f_cbrt),
    TWO("hypot", "(x, y)", 2, ALIKE, hypotenuse),
    ONE("abs", ALIKE, f_abs),
    ONE("sign", ANY, sign),
    ONE("floor", ALIKE, f_floor),
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
        .terms = clamp,
    },
    SPECIAL("if", "(condition, a, b)", 3, 3, IF),
    SPECIAL("table", "(x, [x1, x2, ...], [y1, y2, ...])", 3, 3, TABLE),
    SPECIAL("spline", "(x, [x1, x2, ...], [y1, y2, ...])", 3, 3, TABLE),
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
