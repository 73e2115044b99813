// rules.c - see rules.h.
#include "graph/rules.h"

#include <math.h>

static int32_t make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(pool, op, a, b, b);
}

static int32_t constant(tac__terms *pool, double value)
{
    return tac__term_constant(pool, value);
}

static int32_t inverse(tac__terms *pool, int32_t a)
{
    return make(pool, TAC__SYM_div, constant(pool, 1), a);
}

static int32_t multiply(tac__terms *pool, int32_t a, int32_t b)
{
    return make(pool, TAC__SYM_mul, a, b);
}

static int32_t scale(tac__terms *pool, int32_t a, double factor)
{
    return multiply(pool, a, constant(pool, factor));
}

static bool is_value(const tac__terms *pool, int32_t term, double value)
{
    return tac__term_is_constant(pool, term) && pool->terms[term].value == value;
}

// --- functions of one argument ------------------------------------------------------------------

// 1 / sqrt((1 - x)(1 + x))
static int32_t slope_of_asin(tac__terms *pool, int32_t x)
{
    const int32_t one = constant(pool, 1);
    const int32_t product =
        multiply(pool, make(pool, TAC__SYM_sub, one, x), make(pool, TAC__SYM_add, one, x));
    return inverse(pool, make(pool, TAC__SYM_sqrt, product, product));
}

// 1 + y y, and (1 - y)(1 + y)
static int32_t slope_of_tan(tac__terms *pool, int32_t y)
{
    return make(pool, TAC__SYM_add, multiply(pool, y, y), constant(pool, 1));
}

static int32_t slope_of_tanh(tac__terms *pool, int32_t y)
{
    const int32_t one = constant(pool, 1);
    return multiply(pool, make(pool, TAC__SYM_sub, one, y), make(pool, TAC__SYM_add, one, y));
}

// In terms of the argument x and the value y. Slopes that are finite for every finite argument need
// no guard.
static tac__partial by_argument(tac__terms *pool, tac__sym_op op, int32_t x, int32_t y)
{
    const tac__partial_kind times = TAC__PARTIAL_TIMES, along = TAC__PARTIAL_ALONG;
    switch (op) {
    case TAC__SYM_sqrt:
        return (tac__partial){along, make(pool, TAC__SYM_div, constant(pool, 0.5), y), true};
    case TAC__SYM_cbrt:
        return (tac__partial){along, inverse(pool, scale(pool, multiply(pool, y, y), 3)), true};
    case TAC__SYM_sin:
        return (tac__partial){times, make(pool, TAC__SYM_cos, x, x), false};
    case TAC__SYM_cos:
        return (tac__partial){times, tac__minus(pool, make(pool, TAC__SYM_sin, x, x)), false};
    case TAC__SYM_tan:
        return (tac__partial){times, slope_of_tan(pool, y), false};
    case TAC__SYM_asin:
        return (tac__partial){along, slope_of_asin(pool, x), true};
    case TAC__SYM_acos:
        return (tac__partial){along, tac__minus(pool, slope_of_asin(pool, x)), true};
    case TAC__SYM_atan:
        return (tac__partial){times, inverse(pool, slope_of_tan(pool, x)), false};
    case TAC__SYM_sinh:
        return (tac__partial){along, make(pool, TAC__SYM_cosh, x, x), false};
    case TAC__SYM_cosh:
        return (tac__partial){along, make(pool, TAC__SYM_sinh, x, x), false};
    case TAC__SYM_tanh:
        return (tac__partial){times, slope_of_tanh(pool, y), false};
    case TAC__SYM_exp:
        return (tac__partial){along, y, false};
    case TAC__SYM_exp2:
        return (tac__partial){along, scale(pool, y, 0.69314718055994530942), false};
    case TAC__SYM_expm1:
        return (tac__partial){along, make(pool, TAC__SYM_add, y, constant(pool, 1)), false};
    case TAC__SYM_log:
        return (tac__partial){along, inverse(pool, x), false};
    case TAC__SYM_log2:
        return (tac__partial){along, scale(pool, inverse(pool, x), 1.4426950408889634074), false};
    case TAC__SYM_log10:
        return (tac__partial){along, scale(pool, inverse(pool, x), 0.43429448190325182765), false};
    case TAC__SYM_log1p:
        return (tac__partial){along, inverse(pool, make(pool, TAC__SYM_add, x, constant(pool, 1))),
                              false};
    default:
        return (tac__partial){.kind = TAC__PARTIAL_NONE};
    }
}

// --- functions of two arguments -----------------------------------------------------------------

// By y x / (x x + y y), by x -y / (x x + y y).
static tac__partial of_atan2(tac__terms *pool, int32_t y, int32_t x, int k)
{
    const int32_t n2 = make(pool, TAC__SYM_add, multiply(pool, x, x), multiply(pool, y, y));
    const int32_t slope = make(pool, TAC__SYM_div, k == 0 ? x : y, n2);
    return (tac__partial){TAC__PARTIAL_ALONG, k == 0 ? slope : tac__minus(pool, slope), true};
}

// y x^(y - 1) for a constant y: few exponents need a power.
static int32_t slope_of_power(tac__terms *pool, int32_t x, double y)
{
    if (y == 1)
        return constant(pool, 1);
    if (y == 2)
        return scale(pool, x, 2);
    if (y == 3)
        return scale(pool, multiply(pool, x, x), 3);
    if (y == 1.5)
        return scale(pool, make(pool, TAC__SYM_sqrt, x, x), 1.5);
    return scale(pool, make(pool, TAC__SYM_pow, x, constant(pool, y - 1)), y);
}

// x^0 is 1 for every x, and 0^y is 0 around every y > 0: neither may end in 0 times infinity.
static tac__partial of_pow(tac__terms *pool, int32_t x, int32_t y, int32_t value, int k)
{
    const int32_t zero = constant(pool, 0);
    if (k == 1) {
        const int32_t slope = multiply(pool, value, make(pool, TAC__SYM_log, x, x));
        return (tac__partial){TAC__PARTIAL_ALONG,
                              tac__term_make(pool, TAC__SYM_select,
                                             make(pool, TAC__SYM_eq, value, zero), zero, slope),
                              true};
    }
    if (tac__term_is_constant(pool, y)) {
        const double power = pool->terms[y].value;
        if (power == 0)
            return (tac__partial){.kind = TAC__PARTIAL_NONE};
        return (tac__partial){power >= 1 ? TAC__PARTIAL_TIMES : TAC__PARTIAL_ALONG,
                              slope_of_power(pool, x, power), power > 0 && power < 1};
    }
    const int32_t less = make(pool, TAC__SYM_sub, y, constant(pool, 1));
    const int32_t slope = multiply(pool, y, make(pool, TAC__SYM_pow, x, less));
    return (tac__partial){
        TAC__PARTIAL_ALONG,
        tac__term_make(pool, TAC__SYM_select, make(pool, TAC__SYM_eq, y, zero), zero, slope), true};
}

static tac__partial of_product(tac__terms *pool, const int32_t operand[3], int k)
{
    if (operand[0] != operand[1])
        return (tac__partial){TAC__PARTIAL_TIMES, operand[1 - k], false};
    // The derivative of a square is in the first operand.
    if (k == 1)
        return (tac__partial){.kind = TAC__PARTIAL_NONE};
    return (tac__partial){TAC__PARTIAL_TIMES, scale(pool, operand[0], 2), false};
}

// Of a / b: 1 / b, and -(a / b) / b. All directions share the one division.
static tac__partial of_quotient(tac__terms *pool, const int32_t operand[3], int32_t value, int k)
{
    const int32_t per_b = inverse(pool, operand[1]);
    return (tac__partial){TAC__PARTIAL_TIMES,
                          k == 0 ? per_b : tac__minus(pool, multiply(pool, value, per_b)), false};
}

// Of the remainder a - n b: 1, and -n, a whole number, to which the quotient is rounded.
static tac__partial of_remainder(tac__terms *pool, const int32_t operand[3], int32_t value, int k)
{
    if (k == 0)
        return (tac__partial){.kind = TAC__PARTIAL_ONE};
    const int32_t quotient =
        make(pool, TAC__SYM_div, make(pool, TAC__SYM_sub, operand[0], value), operand[1]);
    const int32_t half = make(pool, TAC__SYM_add, quotient, constant(pool, 0.5));
    return (tac__partial){TAC__PARTIAL_TIMES,
                          tac__minus(pool, make(pool, TAC__SYM_floor, half, half)), false};
}

static tac__partial of_choice(int32_t condition, bool if_so)
{
    return (tac__partial){if_so ? TAC__PARTIAL_IF : TAC__PARTIAL_IF_NOT, condition, false};
}

tac__partial tac__partial_of(tac__terms *pool, tac__sym_op op, const int32_t operand[3],
                             int32_t value, int k)
{
    const int32_t a = operand[0], b = operand[1];
    switch (op) {
    case TAC__SYM_neg:
        return (tac__partial){.kind = TAC__PARTIAL_MINUS};
    case TAC__SYM_add:
        return (tac__partial){.kind = TAC__PARTIAL_ONE};
    case TAC__SYM_sub:
        return (tac__partial){.kind = k == 0 ? TAC__PARTIAL_ONE : TAC__PARTIAL_MINUS};
    case TAC__SYM_mul:
        return of_product(pool, operand, k);
    case TAC__SYM_div:
        return of_quotient(pool, operand, value, k);
    case TAC__SYM_select:
        return k == 0 ? (tac__partial){.kind = TAC__PARTIAL_NONE} : of_choice(a, k == 1);
    case TAC__SYM_min:
        return of_choice(make(pool, TAC__SYM_lt, a, b), k == 0);
    case TAC__SYM_max:
        return of_choice(make(pool, TAC__SYM_lt, b, a), k == 0);
    case TAC__SYM_abs:
        return (tac__partial){TAC__PARTIAL_SIGN, make(pool, TAC__SYM_lt, a, constant(pool, 0)),
                              false};
    case TAC__SYM_along:
        return (tac__partial){k == 0 ? TAC__PARTIAL_UNLESS_0 : TAC__PARTIAL_ALONG, k == 0 ? b : a,
                              false};
    case TAC__SYM_fmod:
        return of_remainder(pool, operand, value, k);
    case TAC__SYM_atan2:
        return of_atan2(pool, a, b, k);
    case TAC__SYM_hypot:
        return (tac__partial){TAC__PARTIAL_ALONG, make(pool, TAC__SYM_div, k == 0 ? a : b, value),
                              true};
    case TAC__SYM_pow:
        return of_pow(pool, a, b, value, k);
    default:
        return by_argument(pool, op, a, value);
    }
}

// --- sums and products --------------------------------------------------------------------------

// A term that is the constant 0 is no term.
static int32_t lean(const tac__terms *pool, int32_t term)
{
    return is_value(pool, term, 0) ? TAC__NO_TERM : term;
}

int32_t tac__plus(tac__terms *pool, int32_t a, int32_t b)
{
    if (a < 0 || b < 0)
        return a < 0 ? b : a;
    return lean(pool, make(pool, TAC__SYM_add, a, b));
}

int32_t tac__minus(tac__terms *pool, int32_t a)
{
    return a < 0 ? a : make(pool, TAC__SYM_neg, a, a);
}

int32_t tac__times(tac__terms *pool, int32_t factor, int32_t x)
{
    if (factor < 0 || x < 0 || is_value(pool, factor, 0) || is_value(pool, x, 0))
        return TAC__NO_TERM;
    return lean(pool, multiply(pool, factor, x));
}

static int32_t along(tac__terms *pool, int32_t slope, int32_t x)
{
    const tac__term s = pool->terms[slope];
    if (s.op == TAC__SYM_constant && isfinite(s.value))
        return tac__times(pool, slope, x);
    return lean(pool, make(pool, TAC__SYM_along, slope, x));
}

static int32_t choose(tac__terms *pool, int32_t condition, int32_t a, int32_t b)
{
    const int32_t zero = constant(pool, 0);
    return lean(
        pool, tac__term_make(pool, TAC__SYM_select, condition, a < 0 ? zero : a, b < 0 ? zero : b));
}

// --- tangents and adjoints ----------------------------------------------------------------------

static int32_t through(tac__terms *pool, tac__partial p, int32_t x)
{
    switch (p.kind) {
    case TAC__PARTIAL_ONE:
        return x;
    case TAC__PARTIAL_MINUS:
        return tac__minus(pool, x);
    case TAC__PARTIAL_TIMES:
        return tac__times(pool, p.slope, x);
    case TAC__PARTIAL_ALONG:
        return along(pool, p.slope, x);
    case TAC__PARTIAL_UNLESS_0:
        return along(pool, x, p.slope);
    case TAC__PARTIAL_UNLESS_ANY_0:
        return choose(pool, make(pool, TAC__SYM_eq, p.slope, constant(pool, 0)), TAC__NO_TERM,
                      along(pool, p.slope, x));
    case TAC__PARTIAL_IF:
        return choose(pool, p.slope, x, TAC__NO_TERM);
    case TAC__PARTIAL_IF_NOT:
        return choose(pool, p.slope, TAC__NO_TERM, x);
    case TAC__PARTIAL_SIGN:
        return choose(pool, p.slope, tac__minus(pool, x), x);
    default:
        return TAC__NO_TERM;
    }
}

// One select for both sides.
static int32_t tangent_of_choice(tac__terms *pool, tac__sym_op op, const int32_t operand[3],
                                 int32_t value, const int32_t tangent[3])
{
    const int first = op == TAC__SYM_select ? 1 : 0;
    if (tangent[first] < 0 && tangent[first + 1] < 0)
        return TAC__NO_TERM;
    const tac__partial p = tac__partial_of(pool, op, operand, value, first);
    return choose(pool, p.slope, tangent[first], tangent[first + 1]);
}

int32_t tac__tangent(tac__terms *pool, tac__sym_op op, const int32_t operand[3], int32_t value,
                     const int32_t tangent[3])
{
    if (op == TAC__SYM_select || op == TAC__SYM_min || op == TAC__SYM_max)
        return tangent_of_choice(pool, op, operand, value, tangent);
    int32_t sum = TAC__NO_TERM;
    for (int k = 0; k < tac__op_operands(op); k++) {
        if (tangent[k] >= 0)
            sum = tac__plus(
                pool, sum, through(pool, tac__partial_of(pool, op, operand, value, k), tangent[k]));
    }
    return sum;
}

// A gated adjoint is guarded against every slope, also one that is made of finite operations only:
// to leave out those guards (133 of 349 for the Iris) made the emitted reverse mode slower, 396 ns
// instead of 349 ns, since a guard with an adjoint of 0 skips work.
//
// An `along` was made by another sweep. On a dead side its second operand, a tangent or a gated
// adjoint, is 0 there and so gates the first one; what comes back may be 0 because of this sweep's
// selects, or infinite or NaN because of those of the other: both are guarded.
tac__adjoint tac__adjoint_by(tac__terms *pool, tac__partial p, tac__adjoint w)
{
    const bool gates = p.kind == TAC__PARTIAL_IF || p.kind == TAC__PARTIAL_IF_NOT ||
                       p.kind == TAC__PARTIAL_UNLESS_0;
    if (p.kind == TAC__PARTIAL_TIMES && (w.gated || w.steep))
        p.kind = w.gated ? TAC__PARTIAL_ALONG : TAC__PARTIAL_UNLESS_0;
    else if (p.kind == TAC__PARTIAL_UNLESS_0 && w.gated)
        p.kind = TAC__PARTIAL_UNLESS_ANY_0;
    return (tac__adjoint){through(pool, p, w.term), w.gated || gates, w.steep || p.steep};
}

tac__adjoint tac__adjoint_through(tac__terms *pool, tac__sym_op op, const int32_t operand[3],
                                  int32_t value, int k, tac__adjoint w)
{
    return tac__adjoint_by(pool, tac__partial_of(pool, op, operand, value, k), w);
}

void tac__adjoint_add(tac__terms *pool, tac__adjoint *sum, tac__adjoint w)
{
    if (w.term < 0)
        return;
    const bool first = sum->term < 0;
    sum->term = tac__plus(pool, sum->term, w.term);
    sum->gated = w.gated && (first || sum->gated);
    sum->steep = w.steep || (!first && sum->steep);
}
