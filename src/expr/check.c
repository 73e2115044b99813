// check.c - names, types and units of a tree.
//
// A number is in the unit of its parts: a signal's as declared, a literal's as written. A bare
// literal takes the unit of what it is used with. Where units of one kind meet in different scales,
// one side is converted, a literal at once.
#include "base/text.h"
#include "expr/tree.h"

#include <math.h>

typedef struct checker {
    tac__arena *arena;
    const tac__expr *expr;
    const tac__expr_scope *scope;
    tac_error *err;
} checker;

const char *tac__expr_quote(const tac__expr *expr, const tac__expr_node *node,
                            char buffer[TAC__EXPR_QUOTE])
{
    tac__out out = tac__out_begin(buffer, TAC__EXPR_QUOTE);
    const int length = (int)(node->to - node->from), most = TAC__EXPR_QUOTE - 4;
    tac__out_add(&out, "%.*s%s", length < most ? length : most, expr->text + node->from,
                 length < most ? "" : "...");
    return buffer;
}

#define FAIL(c, node, status, ...)                                                                 \
    tac__expr_fail((c)->err, (status), (c)->expr->text, (node)->from, __VA_ARGS__)

// --- units ----------------------------------------------------------------------------------

// What a node is measured in, as it was written or as a product of base units.
static const char *unit_of(const tac__expr_node *node, char buffer[TAC__EXPR_QUOTE])
{
    static const char *const base[] = {"m", "kg", "s", "A", "K", "rad"};
    tac__out out = tac__out_begin(buffer, TAC__EXPR_QUOTE);
    if (node->unit_text && *node->unit_text)
        return node->unit_text;
    for (int i = 0; i < TAC__UNIT_DIMENSIONS; i++) {
        const int power = node->unit.power[i];
        if (power)
            tac__out_add(&out, power == 1 ? "%s%s" : "%s%s^%d", out.length ? "*" : "", base[i],
                         power);
    }
    return out.length ? buffer : "1";
}

static tac_status convert(checker *c, tac__expr_node **node, const tac__expr_node *to)
{
    tac__expr_node *from = *node;
    const tac__factor factor = tac__unit_factor(&from->unit, &to->unit);
    if (factor.num == factor.den)
        return TAC_OK;
    const double one = tac__factor_apply(factor, 1);
    if (!(one > 0 && one < HUGE_VAL))
        return FAIL(c, from, TAC_E_UNIT, "its unit cannot be converted: it is too large");
    if (from->kind == TAC__EXPR_LITERAL) {
        from->value = tac__factor_apply(factor, from->value);
        if (!isfinite(from->value))
            return FAIL(c, from, TAC_E_RANGE, "too large for a number");
    } else {
        tac__expr_node *conversion = tac__arena_alloc(c->arena, sizeof *conversion);
        if (!conversion)
            return tac__fail_memory(c->err);
        *conversion = *from;
        conversion->kind = TAC__EXPR_CONVERT;
        conversion->a = from;
        conversion->factor = factor;
        *node = conversion;
    }
    (*node)->unit = to->unit;
    (*node)->unit_text = to->unit_text;
    return TAC_OK;
}

// Bring the operands of a comparison or sum to one unit, which is that of the result.
static tac_status agree(checker *c, tac__expr_node *node)
{
    tac__expr_node *a = node->a, *b = node->b;
    const tac__expr_node *leading = a->bare ? b : a;
    if (!a->bare && !b->bare) {
        if (!tac__unit_compatible(&a->unit, &b->unit)) {
            char left[TAC__EXPR_QUOTE], right[TAC__EXPR_QUOTE], of_a[TAC__EXPR_QUOTE],
                of_b[TAC__EXPR_QUOTE];
            return FAIL(c, node, TAC_E_UNIT, "'%s' is in %s, but '%s' is in %s",
                        tac__expr_quote(c->expr, a, left), unit_of(a, of_a),
                        tac__expr_quote(c->expr, b, right), unit_of(b, of_b));
        }
        const bool literal_first = a->kind == TAC__EXPR_LITERAL && b->kind != TAC__EXPR_LITERAL;
        leading = literal_first ? b : a;
        TAC_TRY(convert(c, literal_first ? &node->a : &node->b, leading));
    }
    node->bare = a->bare && b->bare;
    node->unit = leading->unit;
    node->unit_text = leading->unit_text;
    return TAC_OK;
}

static tac_status multiply(checker *c, tac__expr_node *node)
{
    const tac__expr_node *a = node->a, *b = node->b;
    const bool divide = node->kind == TAC__EXPR_DIVIDE;
    node->bare = a->bare && b->bare;
    node->unit = a->unit;
    node->unit_text = b->bare ? a->unit_text : NULL;
    if (!tac__unit_multiply(&node->unit, &b->unit, divide ? -1 : 1))
        return FAIL(c, node, TAC_E_UNIT, "the unit of this %s is too complicated",
                    divide ? "quotient" : "product");
    return TAC_OK;
}

// --- types ----------------------------------------------------------------------------------

static tac_status want(checker *c, const tac__expr_node *node, tac__expr_type type,
                       const char *where)
{
    char quote[TAC__EXPR_QUOTE];
    if (node->type == type)
        return TAC_OK;
    return FAIL(c, node, TAC_E_TYPE,
                type == TAC__EXPR_BOOL
                    ? "%s needs a condition, but '%s' is a number; compare it with something"
                    : "%s needs a number, but '%s' is true or false",
                where, tac__expr_quote(c->expr, node, quote));
}

static const char *symbol_of(tac__expr_kind kind)
{
    static const char *const symbols[] = {
        [TAC__EXPR_NEGATE] = "-",   [TAC__EXPR_NOT] = "NOT",
        [TAC__EXPR_MULTIPLY] = "*", [TAC__EXPR_DIVIDE] = "/",
        [TAC__EXPR_ADD] = "+",      [TAC__EXPR_SUBTRACT] = "-",
        [TAC__EXPR_LESS] = "<",     [TAC__EXPR_LESS_EQUAL] = "<=",
        [TAC__EXPR_GREATER] = ">",  [TAC__EXPR_GREATER_EQUAL] = ">=",
        [TAC__EXPR_EQUAL] = "==",   [TAC__EXPR_NOT_EQUAL] = "!=",
        [TAC__EXPR_AND] = "AND",    [TAC__EXPR_OR] = "OR",
    };
    return symbols[kind];
}

static tac_status want_both(checker *c, const tac__expr_node *node, tac__expr_type type)
{
    TAC_TRY(want(c, node->a, type, symbol_of(node->kind)));
    return want(c, node->b, type, symbol_of(node->kind));
}

static tac_status check_comparison(checker *c, tac__expr_node *node)
{
    const bool equality = node->kind == TAC__EXPR_EQUAL || node->kind == TAC__EXPR_NOT_EQUAL;
    char left[TAC__EXPR_QUOTE], right[TAC__EXPR_QUOTE];
    if (equality && node->a->type != node->b->type)
        return FAIL(c, node, TAC_E_TYPE, "'%s' is %s, but '%s' is %s",
                    tac__expr_quote(c->expr, node->a, left),
                    node->a->type == TAC__EXPR_BOOL ? "true or false" : "a number",
                    tac__expr_quote(c->expr, node->b, right),
                    node->b->type == TAC__EXPR_BOOL ? "true or false" : "a number");
    if (!equality)
        TAC_TRY(want_both(c, node, TAC__EXPR_NUMBER));
    if (node->a->type == TAC__EXPR_NUMBER)
        TAC_TRY(agree(c, node));
    node->type = TAC__EXPR_BOOL;
    return TAC_OK;
}

static tac_status check_named(checker *c, tac__expr_node *node)
{
    tac__expr_signal signal = {.index = 0};
    if (!c->scope->find(c->scope->context, node->name, &signal)) {
        FAIL(c, node, TAC_E_NAME, "unknown signal '%s'", node->name);
        if (c->scope->candidate)
            tac__error_suggest(c->err, node->name, c->scope->candidate, c->scope->context);
        return TAC_E_NAME;
    }
    node->index = signal.index;
    node->type = signal.type;
    node->unit_text = signal.unit ? signal.unit : "1";
    tac_error reason;
    if (tac__unit_parse(node->unit_text, &node->unit, &reason) != TAC_OK)
        return FAIL(c, node, TAC_E_UNIT, "signal '%s': %s", node->name, reason.text);
    return TAC_OK;
}

static tac_status check_node(checker *c, tac__expr_node *node)
{
    if (node->a)
        TAC_TRY(check_node(c, node->a));
    if (node->b)
        TAC_TRY(check_node(c, node->b));
    switch (node->kind) {
    case TAC__EXPR_LITERAL:
        return TAC_OK;
    case TAC__EXPR_TRUTH:
        node->type = TAC__EXPR_BOOL;
        return TAC_OK;
    case TAC__EXPR_TIME:
        node->unit_text = "s";
        return tac__unit_parse("s", &node->unit, c->err);
    case TAC__EXPR_NAMED:
        return check_named(c, node);
    case TAC__EXPR_NEGATE:
        TAC_TRY(want(c, node->a, TAC__EXPR_NUMBER, "-"));
        node->bare = node->a->bare;
        node->unit = node->a->unit;
        node->unit_text = node->a->unit_text;
        return TAC_OK;
    case TAC__EXPR_NOT:
        node->type = TAC__EXPR_BOOL;
        return want(c, node->a, TAC__EXPR_BOOL, "NOT");
    case TAC__EXPR_MULTIPLY:
    case TAC__EXPR_DIVIDE:
        TAC_TRY(want_both(c, node, TAC__EXPR_NUMBER));
        return multiply(c, node);
    case TAC__EXPR_ADD:
    case TAC__EXPR_SUBTRACT:
        TAC_TRY(want_both(c, node, TAC__EXPR_NUMBER));
        return agree(c, node);
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
        node->type = TAC__EXPR_BOOL;
        return want_both(c, node, TAC__EXPR_BOOL);
    default:
        return check_comparison(c, node);
    }
}

tac_status tac__expr_check(tac__arena *arena, const tac__expr *expr, tac__expr_node *node,
                           const tac__expr_scope *scope, tac_error *err)
{
    checker c = {arena, expr, scope, err};
    return check_node(&c, node);
}
