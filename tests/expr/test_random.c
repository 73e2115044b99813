// Random expressions: a tree is drawn and evaluated by walking it; its text, with as few
// parentheses as precedence allows or with some too many, must give the same bits.
#include "expr/expr_rig.h"

#include <math.h>
#include <tactus/math.h>

static uint64_t draw(uint64_t n)
{
    static uint64_t x = 0x9E3779B97F4A7C15u;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    return (x >> 11) % n;
}

// How tight an operator binds; the text of a looser operand needs parentheses.
enum { OR = 1, AND, NOT, COMPARE, SUM, PRODUCT, SIGN, POWER, ATOM };

typedef struct value {
    double number;
    bool nan; // a NaN was compared on the way
} value;

typedef struct text {
    char chars[2048];
    int binds;
} text;

static void wrap(text *t, int needed)
{
    char inner[sizeof t->chars];
    if (t->binds >= needed && draw(6))
        return;
    strcpy(inner, t->chars);
    snprintf(t->chars, sizeof t->chars, "(%.*s)", (int)sizeof inner - 4, inner);
    t->binds = ATOM;
}

static value number(int depth, text *t);
static value condition(int depth, text *t);

// --- numbers --------------------------------------------------------------------------------

static value leaf(text *t)
{
    static const char *const names[] = {"body.soc", "and.x"};
    static const int indices[] = {SOC, AND_X};
    const uint64_t which = draw(4);
    t->binds = ATOM;
    if (which < 2) {
        strcpy(t->chars, names[which]);
        return (value){values[indices[which]], false};
    }
    if (which == 2) {
        strcpy(t->chars, "pi");
        return (value){3.14159265358979323846, false};
    }
    const double v = (double)draw(8) / 2;
    snprintf(t->chars, sizeof t->chars, "%g", v);
    return (value){v, false};
}

static void join(text *t, text *a, int left, const char *sign, text *b, int right, int binds)
{
    wrap(a, left);
    wrap(b, right);
    snprintf(t->chars, sizeof t->chars, "%.900s%s%.900s", a->chars, sign, b->chars);
    t->binds = binds;
}

static double propagate(double a, double b, double result)
{
    return a != a || b != b ? (double)NAN : result;
}

static value binary(int depth, text *t)
{
    text ta, tb;
    const value a = number(depth, &ta), b = number(depth, &tb);
    const bool nan = a.nan || b.nan;
    switch (draw(5)) {
    case 0:
        join(t, &ta, SUM, " + ", &tb, PRODUCT, SUM);
        return (value){a.number + b.number, nan};
    case 1:
        join(t, &ta, SUM, " - ", &tb, PRODUCT, SUM);
        return (value){a.number - b.number, nan};
    case 2:
        join(t, &ta, PRODUCT, "*", &tb, SIGN, PRODUCT);
        return (value){a.number * b.number, nan};
    case 3:
        join(t, &ta, PRODUCT, " / ", &tb, SIGN, PRODUCT);
        return (value){a.number / b.number, nan};
    default: {
        const bool square = !strcmp(tb.chars, "2") || !strcmp(tb.chars, "(2)");
        join(t, &ta, ATOM, draw(2) ? "^" : " ** ", &tb, SIGN, POWER);
        return (value){square ? a.number * a.number
                              : propagate(a.number, b.number, tac_pow(a.number, b.number)),
                       nan};
    }
    }
}

static value call(int depth, text *t)
{
    text ta, tb, tc;
    const value a = number(depth, &ta), b = number(depth, &tb);
    const bool nan = a.nan || b.nan;
    t->binds = ATOM;
    switch (draw(4)) {
    case 0:
        snprintf(t->chars, sizeof t->chars, "min(%.900s, %.900s)", ta.chars, tb.chars);
        return (value){propagate(a.number, b.number, a.number < b.number ? a.number : b.number),
                       nan};
    case 1:
        snprintf(t->chars, sizeof t->chars, "max(%.900s,%.900s)", ta.chars, tb.chars);
        return (value){propagate(a.number, b.number, a.number > b.number ? a.number : b.number),
                       nan};
    case 2:
        snprintf(t->chars, sizeof t->chars, "exp(%.900s)", ta.chars);
        return (value){tac_exp(a.number), a.nan};
    default: {
        const value c = condition(depth, &tc);
        snprintf(t->chars, sizeof t->chars, "if(%.600s, %.600s, %.600s)", tc.chars, ta.chars,
                 tb.chars);
        return (value){c.number != 0 ? a.number : b.number, c.nan || (c.number != 0 ? a : b).nan};
    }
    }
}

static value number(int depth, text *t)
{
    if (depth == 0 || draw(5) == 0)
        return leaf(t);
    const uint64_t which = draw(6);
    if (which < 4)
        return binary(depth - 1, t);
    if (which == 4)
        return call(depth - 1, t);
    text ta;
    const value a = number(depth - 1, &ta);
    wrap(&ta, SIGN);
    snprintf(t->chars, sizeof t->chars, "-%.1000s", ta.chars);
    t->binds = SIGN;
    return (value){-a.number, a.nan};
}

// --- conditions -----------------------------------------------------------------------------

static value comparison(int depth, text *t)
{
    static const char *const signs[] = {" < ", "<=", " > ", " >= ", " == ", "!="};
    text ta, tb;
    const value a = number(depth, &ta), b = number(depth, &tb);
    const uint64_t which = draw(6);
    const bool results[] = {a.number<b.number, a.number <= b.number, a.number> b.number,
                            a.number >= b.number, a.number == b.number,
                            a.number < b.number || a.number > b.number};
    join(t, &ta, SUM, signs[which], &tb, SUM, COMPARE);
    const bool nan = a.number != a.number || b.number != b.number;
    return (value){results[which], a.nan || b.nan || nan};
}

static value condition(int depth, text *t)
{
    const uint64_t which = draw(5);
    if (depth == 0 || which == 0)
        return comparison(depth ? depth - 1 : 0, t);
    text ta, tb;
    const value a = condition(depth - 1, &ta);
    if (which == 1) {
        wrap(&ta, NOT);
        snprintf(t->chars, sizeof t->chars, "%s%.1000s", draw(2) ? "NOT " : "!", ta.chars);
        t->binds = NOT;
        return (value){a.number == 0, a.nan};
    }
    const value b = condition(depth - 1, &tb);
    if (which < 4) {
        join(t, &ta, AND, draw(2) ? " AND " : "&&", &tb, NOT, AND);
        return (value){a.number != 0 && b.number != 0, a.nan || (a.number != 0 && b.nan)};
    }
    join(t, &ta, OR, draw(2) ? " or " : " || ", &tb, AND, OR);
    return (value){a.number != 0 || b.number != 0, a.nan || (a.number == 0 && b.nan)};
}

// --- both -----------------------------------------------------------------------------------

static bool same(double a, double b)
{
    return (a != a && b != b) || !memcmp(&a, &b, sizeof a);
}

enum { ROUNDS = 20000 };

static void test_numbers(void **state)
{
    (void)state;
    size_t finite = 0;
    for (int k = 0; k < ROUNDS; k++) {
        text t;
        values[SOC] = (double)draw(1000) / 300 - 1;
        values[AND_X] = (double)draw(9) / 4 - 1;
        const value expected = number(4, &t);
        const tac__expr_result got = run(t.chars, TAC__EXPR_NUMBER);
        if (!same(got.value, expected.number))
            fail_msg("'%s' is %.17g, expected %.17g", t.chars, got.value, expected.number);
        finite += isfinite(expected.number) != 0;
    }
    assert_true(finite > ROUNDS / 2);
}

static void test_conditions(void **state)
{
    (void)state;
    size_t true_ones = 0;
    for (int k = 0; k < ROUNDS; k++) {
        text t;
        values[SOC] = draw(20) ? (double)draw(1000) / 300 - 1 : (double)NAN;
        values[AND_X] = (double)draw(9) / 4 - 1;
        const value expected = condition(4, &t);
        const tac__expr_result got = run(t.chars, TAC__EXPR_BOOL);
        if (got.value != expected.number || (got.nan != NULL) != expected.nan)
            fail_msg("'%s' is %g (nan: %s), expected %g (nan: %d)", t.chars, got.value,
                     got.nan ? got.nan : "none", expected.number, expected.nan);
        true_ones += expected.number != 0;
    }
    assert_true(true_ones > ROUNDS / 4 && true_ones < ROUNDS * 3 / 4);
}

TEST_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_conditions))
