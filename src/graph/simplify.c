// simplify.c - see simplify.h. Every rule that is not for fast pools keeps all bits: of each zero
// the sign, of each result the rounding.
#include "graph/simplify.h"

#include <math.h>

static const tac__term *at(const tac__terms *pool, int32_t term)
{
    return &pool->terms[term];
}

static bool is(const tac__terms *pool, int32_t term, tac__sym_op op)
{
    return at(pool, term)->op == (int32_t)op;
}

static bool is_value(const tac__terms *pool, int32_t term, double value)
{
    const tac__term *t = at(pool, term);
    return t->op == TAC__SYM_constant && t->value == value && signbit(t->value) == signbit(value);
}

static int32_t make(tac__terms *pool, tac__sym_op op, int32_t a, int32_t b)
{
    return tac__term_make(pool, op, a, b, b);
}

// --- sums ---------------------------------------------------------------------------------------

// The order of two operands does not matter to sums and products: constants come last, else the
// older term comes first, so that a + b and b + a are one term.
static void sort(const tac__terms *pool, tac__term *t)
{
    const bool a = is(pool, t->a, TAC__SYM_constant), b = is(pool, t->b, TAC__SYM_constant);
    if (a != b ? a : t->a > t->b) {
        const int32_t first = t->a;
        t->a = t->b;
        t->b = first;
    }
}

static int32_t add(tac__terms *pool, tac__term *t)
{
    sort(pool, t);
    if (is_value(pool, t->b, -0.0))
        return t->a;
    if (is(pool, t->b, TAC__SYM_neg))
        return make(pool, TAC__SYM_sub, t->a, at(pool, t->b)->a);
    if (is(pool, t->a, TAC__SYM_neg))
        return make(pool, TAC__SYM_sub, t->b, at(pool, t->a)->a);
    return -1;
}

static int32_t subtract(tac__terms *pool, tac__term *t)
{
    if (is_value(pool, t->b, 0.0))
        return t->a;
    if (is(pool, t->b, TAC__SYM_neg))
        return make(pool, TAC__SYM_add, t->a, at(pool, t->b)->a);
    return -1;
}

// --- products -----------------------------------------------------------------------------------

static int32_t multiply(tac__terms *pool, tac__term *t)
{
    sort(pool, t);
    if (is_value(pool, t->b, 1.0))
        return t->a;
    if (is_value(pool, t->b, -1.0))
        return make(pool, TAC__SYM_neg, t->a, t->a);
    if (is(pool, t->a, TAC__SYM_neg) && is(pool, t->b, TAC__SYM_neg))
        return make(pool, TAC__SYM_mul, at(pool, t->a)->a, at(pool, t->b)->a);
    if (is(pool, t->a, TAC__SYM_neg) && is(pool, t->b, TAC__SYM_constant))
        return make(pool, TAC__SYM_mul, at(pool, t->a)->a,
                    tac__term_constant(pool, -at(pool, t->b)->value));
    return -1;
}

// Dividing by a power of two is multiplying by its inverse, which is exact.
static bool has_exact_inverse(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return fabs(fraction) == 0.5 && exponent > -1000 && exponent < 1000;
}

static int32_t divide(tac__terms *pool, tac__term *t)
{
    if (is(pool, t->b, TAC__SYM_constant) && has_exact_inverse(at(pool, t->b)->value))
        return make(pool, TAC__SYM_mul, t->a, tac__term_constant(pool, 1 / at(pool, t->b)->value));
    if (is(pool, t->a, TAC__SYM_neg) && is(pool, t->b, TAC__SYM_neg))
        return make(pool, TAC__SYM_div, at(pool, t->a)->a, at(pool, t->b)->a);
    return -1;
}

// --- conditions ---------------------------------------------------------------------------------

// A comparison of a constant with a select between two constants is a condition that is known
// already.
static int32_t compare_select(tac__terms *pool, const tac__term *t)
{
    const bool left = is(pool, t->a, TAC__SYM_select);
    const int32_t chooses = left ? t->a : t->b, fixed = left ? t->b : t->a;
    const tac__term s = *at(pool, chooses);
    if (s.op != TAC__SYM_select || !is(pool, fixed, TAC__SYM_constant) ||
        !is(pool, s.b, TAC__SYM_constant) || !is(pool, s.c, TAC__SYM_constant))
        return -1;
    const double k = at(pool, fixed)->value, yes = at(pool, s.b)->value, no = at(pool, s.c)->value;
    const bool if_so = tac__op_apply((tac__sym_op)t->op, left ? yes : k, left ? k : yes, 0) != 0;
    const bool if_not = tac__op_apply((tac__sym_op)t->op, left ? no : k, left ? k : no, 0) != 0;
    if (if_so == if_not)
        return tac__term_constant(pool, if_so);
    return if_so ? s.a : make(pool, TAC__SYM_logic_not, s.a, s.a);
}

static int32_t compare(tac__terms *pool, tac__term *t)
{
    if (t->op == TAC__SYM_lt && t->a == t->b)
        return tac__term_constant(pool, 0);
    if (t->op == TAC__SYM_eq)
        sort(pool, t);
    return compare_select(pool, t);
}

static int32_t logic(tac__terms *pool, tac__term *t)
{
    const bool conjunction = t->op == TAC__SYM_logic_and;
    sort(pool, t);
    if (t->a == t->b)
        return t->a;
    if (is(pool, t->b, TAC__SYM_constant))
        return (at(pool, t->b)->value != 0) == conjunction ? t->a : t->b;
    return -1;
}

static int32_t negate_logic(const tac__terms *pool, const tac__term *t)
{
    return is(pool, t->a, TAC__SYM_logic_not) ? at(pool, t->a)->a : -1;
}

static int32_t choose(tac__terms *pool, tac__term *t)
{
    if (is(pool, t->a, TAC__SYM_constant))
        return at(pool, t->a)->value != 0 ? t->b : t->c;
    if (t->b == t->c)
        return t->b;
    if (is(pool, t->a, TAC__SYM_logic_not))
        return tac__term_make(pool, TAC__SYM_select, at(pool, t->a)->a, t->c, t->b);
    // In a chain of selects by one condition only the first decides.
    if (is(pool, t->b, TAC__SYM_select) && at(pool, t->b)->a == t->a)
        return tac__term_make(pool, TAC__SYM_select, t->a, at(pool, t->b)->b, t->c);
    if (is(pool, t->c, TAC__SYM_select) && at(pool, t->c)->a == t->a)
        return tac__term_make(pool, TAC__SYM_select, t->a, t->b, at(pool, t->c)->c);
    return -1;
}

// --- functions ----------------------------------------------------------------------------------

static int32_t absolute(tac__terms *pool, const tac__term *t)
{
    if (is(pool, t->a, TAC__SYM_abs))
        return t->a;
    return is(pool, t->a, TAC__SYM_neg) ? make(pool, TAC__SYM_abs, at(pool, t->a)->a, 0) : -1;
}

static int32_t along(tac__terms *pool, const tac__term *t)
{
    if (!is(pool, t->b, TAC__SYM_constant))
        return -1;
    return at(pool, t->b)->value == 0 ? tac__term_constant(pool, 0)
                                      : make(pool, TAC__SYM_mul, t->a, t->b);
}

// --- fast ---------------------------------------------------------------------------------------

static bool is_zero(const tac__terms *pool, int32_t term)
{
    return is(pool, term, TAC__SYM_constant) && at(pool, term)->value == 0;
}

static bool is_constant(const tac__terms *pool, int32_t term)
{
    return is(pool, term, TAC__SYM_constant);
}

// (x op k) op l with constants k and l becomes x op (k op l).
static int32_t gather(tac__terms *pool, const tac__term *t, tac__sym_op op)
{
    const tac__term inner = *at(pool, t->a);
    if (!is_constant(pool, t->b) || inner.op != (int32_t)op || !is_constant(pool, inner.b))
        return -1;
    return make(pool, op, inner.a, make(pool, op, inner.b, t->b));
}

// Rules that may change the last bits, the sign of a zero, or make a number of a NaN.
static int32_t simplify_fast(tac__terms *pool, tac__term *t)
{
    switch (t->op) {
    case TAC__SYM_add:
        sort(pool, t);
        return is_zero(pool, t->b) ? t->a : gather(pool, t, TAC__SYM_add);
    case TAC__SYM_sub:
        if (t->a == t->b)
            return tac__term_constant(pool, 0);
        return is_zero(pool, t->a) ? make(pool, TAC__SYM_neg, t->b, t->b) : -1;
    case TAC__SYM_mul:
        sort(pool, t);
        return is_zero(pool, t->b) ? t->b : gather(pool, t, TAC__SYM_mul);
    case TAC__SYM_div:
        if (t->a == t->b)
            return tac__term_constant(pool, 1);
        if (is_zero(pool, t->a))
            return t->a;
        return is_constant(pool, t->b) && at(pool, t->b)->value != 0
                   ? make(pool, TAC__SYM_mul, t->a,
                          tac__term_constant(pool, 1 / at(pool, t->b)->value))
                   : -1;
    case TAC__SYM_pow:
        if (is_value(pool, t->b, 2))
            return make(pool, TAC__SYM_mul, t->a, t->a);
        return is_value(pool, t->b, 0.5) ? make(pool, TAC__SYM_sqrt, t->a, t->a) : -1;
    default:
        return -1;
    }
}

static int32_t simplify_exact(tac__terms *pool, tac__term *t)
{
    switch (t->op) {
    case TAC__SYM_neg:
        return is(pool, t->a, TAC__SYM_neg) ? at(pool, t->a)->a : -1;
    case TAC__SYM_add:
        return add(pool, t);
    case TAC__SYM_sub:
        return subtract(pool, t);
    case TAC__SYM_mul:
        return multiply(pool, t);
    case TAC__SYM_div:
        return divide(pool, t);
    case TAC__SYM_lt:
    case TAC__SYM_le:
    case TAC__SYM_eq:
        return compare(pool, t);
    case TAC__SYM_logic_and:
    case TAC__SYM_logic_or:
        return logic(pool, t);
    case TAC__SYM_logic_not:
        return negate_logic(pool, t);
    case TAC__SYM_select:
        return choose(pool, t);
    case TAC__SYM_min:
    case TAC__SYM_max:
        return t->a == t->b ? t->a : -1;
    case TAC__SYM_along:
        return along(pool, t);
    case TAC__SYM_abs:
        return absolute(pool, t);
    default:
        return -1;
    }
}

int32_t tac__simplify(tac__terms *pool, tac__term *t)
{
    int32_t same = -1;
    if (pool->fast)
        same = simplify_fast(pool, t);
    return same >= 0 ? same : simplify_exact(pool, t);
}
