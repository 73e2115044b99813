// units.c - the units of a tree.
//
// A number is in the unit of its parts: a signal in its declared unit, a literal in the unit as
// written. A literal without a unit takes the unit of what it is used with. Where units of one kind
// meet in different scales, one side is converted; a literal is converted at compile time.
#include "base/text.h"
#include "expr/check.h"
#include "expr/function.h"

#include <math.h>

// The unit of a node as text: as written, or as a product of base units.
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

static void set_unit(tac__expr_node *node, const char *text)
{
    const tac_status status = tac__unit_parse(text, &node->unit, NULL);
    TAC_ASSERT(status == TAC_OK);
    (void)status;
    node->unit_text = text;
    node->bare = false;
}

// --- converting -----------------------------------------------------------------------------

static tac_status convert(tac__checker *c, tac__expr_node **node, const tac__unit *unit,
                          const char *unit_text)
{
    tac__expr_node *from = *node;
    const tac__factor factor = tac__unit_factor(&from->unit, unit);
    if (factor.num == factor.den)
        return TAC_OK;
    const double one = tac__factor_apply(factor, 1);
    if (!(one > 0 && one < HUGE_VAL))
        return TAC__CHECK_FAIL(c, from, TAC_E_UNIT,
                               "its unit cannot be converted: it is too large");
    if (from->kind == TAC__EXPR_LITERAL) {
        from->value = tac__factor_apply(factor, from->value);
        if (!isfinite(from->value))
            return TAC__CHECK_FAIL(c, from, TAC_E_RANGE, "too large for a number");
    } else {
        tac__expr_node *conversion = tac__arena_alloc(c->arena, sizeof *conversion);
        if (!conversion)
            return tac__fail_memory(c->err);
        *conversion = *from;
        conversion->kind = TAC__EXPR_CONVERT;
        conversion->a = from;
        conversion->b = conversion->c = NULL;
        conversion->factor = factor;
        *node = conversion;
    }
    (*node)->unit = *unit;
    (*node)->unit_text = unit_text;
    return TAC_OK;
}

// Where units differ by an angle only, as in v + lf*r with r in rad/s, say what makes them fit.
static void hint_at_angle(tac__checker *c, const tac__expr_node *node, const tac__unit *wanted)
{
    enum { ANGLE = TAC__UNIT_DIMENSIONS - 1 };
    for (int i = 0; i < ANGLE; i++) {
        if (node->unit.power[i] != wanted->power[i])
            return;
    }
    const int more = node->unit.power[ANGLE] - wanted->power[ANGLE];
    if ((more != 1 && more != -1) || node->kind == TAC__EXPR_LITERAL)
        return;
    char quote[TAC__EXPR_QUOTE];
    const bool sum = node->kind == TAC__EXPR_ADD || node->kind == TAC__EXPR_SUBTRACT;
    tac__expr_quote(c->expr, node, quote);
    const bool open = sum && quote[0] != '(';
    tac__error_append(c->err, "; rad is a unit: write %s%s%s%s1 rad", open ? "(" : "", quote,
                      open ? ")" : "", more > 0 ? "/" : "*");
}

tac_status tac__check_convert(tac__checker *c, tac__expr_node **node, const char *unit,
                              const char *where)
{
    tac__unit to;
    TAC_TRY(tac__unit_parse(unit, &to, c->err));
    if ((*node)->bare) {
        (*node)->unit = to;
        (*node)->unit_text = unit;
        (*node)->bare = false;
        return TAC_OK;
    }
    if (!tac__unit_compatible(&(*node)->unit, &to)) {
        char quote[TAC__EXPR_QUOTE], of[TAC__EXPR_QUOTE];
        const tac_status status =
            TAC__CHECK_FAIL(c, *node, TAC_E_UNIT, "%s takes %s, but '%s' is in %s", where, unit,
                            tac__expr_quote(c->expr, *node, quote), unit_of(*node, of));
        hint_at_angle(c, *node, &to);
        return status;
    }
    return convert(c, node, &to, unit);
}

// --- operands that must be alike ------------------------------------------------------------

static tac_status clash(tac__checker *c, const tac__expr_node *at, const tac__expr_node *a,
                        const tac__expr_node *b)
{
    char left[TAC__EXPR_QUOTE], right[TAC__EXPR_QUOTE], of_a[TAC__EXPR_QUOTE],
        of_b[TAC__EXPR_QUOTE];
    const tac_status status = TAC__CHECK_FAIL(c, at, TAC_E_UNIT, "'%s' is in %s, but '%s' is in %s",
                                              tac__expr_quote(c->expr, a, left), unit_of(a, of_a),
                                              tac__expr_quote(c->expr, b, right), unit_of(b, of_b));
    if (a->unit.power[TAC__UNIT_DIMENSIONS - 1] > b->unit.power[TAC__UNIT_DIMENSIONS - 1])
        hint_at_angle(c, a, &b->unit);
    else
        hint_at_angle(c, b, &a->unit);
    return status;
}

// The operand whose unit the others take: the first that has a unit, a literal only if nothing else
// has one.
static tac__expr_node *leader(tac__expr_node **operands[], size_t count)
{
    tac__expr_node *found = *operands[0];
    for (size_t i = 1; i < count; i++) {
        tac__expr_node *o = *operands[i];
        const bool better =
            found->bare || (found->kind == TAC__EXPR_LITERAL && o->kind != TAC__EXPR_LITERAL);
        if (!o->bare && better)
            found = o;
    }
    return found;
}

tac_status tac__check_alike(tac__checker *c, tac__expr_node *node, tac__expr_node **operands[],
                            size_t count)
{
    const tac__expr_node *leading = leader(operands, count);
    const tac__expr_node *first = NULL; // that has a unit
    for (size_t i = 0; i < count; i++) {
        tac__expr_node *o = *operands[i];
        if (o->bare)
            continue;
        first = first ? first : o;
        if (!tac__unit_compatible(&first->unit, &o->unit))
            return clash(c, node, first, o);
        if (o != leading)
            TAC_TRY(convert(c, operands[i], &leading->unit, leading->unit_text));
    }
    node->bare = leading->bare;
    node->unit = leading->unit;
    node->unit_text = leading->unit_text;
    return TAC_OK;
}

// --- products and powers --------------------------------------------------------------------

static bool is_plain(const tac__expr_node *node)
{
    tac__unit one;
    return tac__unit_parse("1", &one, NULL) == TAC_OK && tac__unit_compatible(&node->unit, &one);
}

// Where units cancel except for their scale, as in km/m, the result is a plain number: one side is
// converted, a literal at compile time.
static tac_status cancel(tac__checker *c, tac__expr_node *node)
{
    const bool left = node->a->kind == TAC__EXPR_LITERAL;
    tac__expr_node **side = left ? &node->a : &node->b;
    const tac__unit other = left ? node->b->unit : node->a->unit;
    tac__unit unit = other;
    if (node->kind == TAC__EXPR_MULTIPLY) {
        set_unit(node, "1");
        unit = node->unit;
        if (!tac__unit_multiply(&unit, &other, -1))
            return TAC__CHECK_FAIL(c, node, TAC_E_UNIT, "the units of this product do not cancel");
    }
    TAC_TRY(convert(c, side, &unit, NULL));
    set_unit(node, "1");
    return TAC_OK;
}

tac_status tac__check_multiply(tac__checker *c, tac__expr_node *node)
{
    const tac__expr_node *a = node->a, *b = node->b;
    const bool divide = node->kind == TAC__EXPR_DIVIDE;
    node->bare = a->bare && b->bare;
    node->unit = a->unit;
    node->unit_text = b->bare ? a->unit_text : NULL;
    if (!tac__unit_multiply(&node->unit, &b->unit, divide ? -1 : 1))
        return TAC__CHECK_FAIL(c, node, TAC_E_UNIT, "the unit of this %s is too complicated",
                               divide ? "quotient" : "product");
    return !a->bare && !b->bare && is_plain(node) ? cancel(c, node) : TAC_OK;
}

enum { EXPONENT_MAX = 8 };

// A power of a number with a unit.
static tac_status raise(tac__checker *c, tac__expr_node *node)
{
    char quote[TAC__EXPR_QUOTE], of[TAC__EXPR_QUOTE];
    const tac__expr_node *a = node->a;
    const double exponent = node->b->value;
    const bool whole = node->b->kind == TAC__EXPR_LITERAL && exponent == floor(exponent) &&
                       fabs(exponent) <= EXPONENT_MAX;
    if (!whole)
        return TAC__CHECK_FAIL(c, node->b, TAC_E_UNIT,
                               "'%s' is in %s, so its exponent must be a whole number from -%d to "
                               "%d",
                               tac__expr_quote(c->expr, a, quote), unit_of(a, of), EXPONENT_MAX,
                               EXPONENT_MAX);
    set_unit(node, "1");
    node->unit_text = NULL;
    for (int i = 0; i < (int)fabs(exponent); i++) {
        if (!tac__unit_multiply(&node->unit, &a->unit, exponent < 0 ? -1 : 1))
            return TAC__CHECK_FAIL(c, node, TAC_E_UNIT,
                                   "the unit of this power is too complicated");
    }
    return TAC_OK;
}

tac_status tac__check_power(tac__checker *c, tac__expr_node *node)
{
    const bool bare = node->a->bare && node->b->bare;
    if (!node->b->bare)
        TAC_TRY(tac__check_convert(c, &node->b, "1", "an exponent"));
    if (!node->a->bare && !is_plain(node->a))
        return raise(c, node);
    if (!node->a->bare)
        TAC_TRY(tac__check_convert(c, &node->a, "1", "^"));
    set_unit(node, "1");
    node->bare = bare;
    return TAC_OK;
}

// --- functions ------------------------------------------------------------------------------

// The root of a unit is the root of its base units.
static tac_status check_root(tac__checker *c, tac__expr_node *node, int degree)
{
    char quote[TAC__EXPR_QUOTE], of[TAC__EXPR_QUOTE];
    tac__expr_node *a = node->a;
    tac__unit base = {.num = 1, .den = 1}, root = base;
    for (int i = 0; i < TAC__UNIT_DIMENSIONS; i++) {
        base.power[i] = a->unit.power[i];
        root.power[i] = (int8_t)(a->unit.power[i] / degree);
        if (root.power[i] * degree != base.power[i])
            return TAC__CHECK_FAIL(c, a, TAC_E_UNIT, "'%s' is in %s, of which there is no %s",
                                   tac__expr_quote(c->expr, a, quote), unit_of(a, of),
                                   node->function->name);
    }
    node->bare = a->bare;
    node->unit = root;
    node->unit_text = NULL;
    return a->bare ? TAC_OK : convert(c, &node->a, &base, NULL);
}

static tac_status check_all_alike(tac__checker *c, tac__expr_node *node)
{
    tac__expr_node **operands[] = {&node->a, &node->b, &node->c};
    return tac__check_alike(c, node, operands, node->c ? 3 : node->b ? 2 : 1);
}

tac_status tac__check_call(tac__checker *c, tac__expr_node *node)
{
    const tac__function *f = node->function;
    switch (f->units) {
    case TAC__UNITS_PLAIN:
        TAC_TRY(tac__check_convert(c, &node->a, "1", f->name));
        set_unit(node, "1");
        return TAC_OK;
    case TAC__UNITS_FROM_ANGLE:
        TAC_TRY(tac__check_convert(c, &node->a, "rad", f->name));
        set_unit(node, "1");
        return TAC_OK;
    case TAC__UNITS_TO_ANGLE:
        TAC_TRY(tac__check_convert(c, &node->a, "1", f->name));
        set_unit(node, "rad");
        return TAC_OK;
    case TAC__UNITS_RATIO_ANGLE:
        TAC_TRY(check_all_alike(c, node));
        set_unit(node, "rad");
        return TAC_OK;
    case TAC__UNITS_ANY:
        set_unit(node, "1");
        return TAC_OK;
    case TAC__UNITS_ROOT_2:
        return check_root(c, node, 2);
    case TAC__UNITS_ROOT_3:
        return check_root(c, node, 3);
    default:
        return check_all_alike(c, node);
    }
}
