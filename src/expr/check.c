// check.c - checks names and types of a tree; units.c checks its units.
#include "expr/check.h"
#include "base/text.h"
#include "expr/function.h"
#include "expr/table.h"

#include <math.h>
#include <string.h>

const char *tac__expr_quote(const tac__expr *expr, const tac__expr_node *node,
                            char buffer[TAC__EXPR_QUOTE])
{
    tac__out out = tac__out_begin(buffer, TAC__EXPR_QUOTE);
    const int length = (int)(node->to - node->from), most = TAC__EXPR_QUOTE - 4;
    tac__out_add(&out, "%.*s%s", length < most ? length : most, expr->text + node->from,
                 length < most ? "" : "...");
    return buffer;
}

#define FAIL TAC__CHECK_FAIL

// --- types ----------------------------------------------------------------------------------

static tac_status want(tac__checker *c, const tac__expr_node *node, tac__expr_type type,
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

static const char *symbol_of(const tac__expr_node *node)
{
    static const char *const symbols[] = {
        [TAC__EXPR_NEGATE] = "-",
        [TAC__EXPR_NOT] = "NOT",
        [TAC__EXPR_POWER] = "^",
        [TAC__EXPR_MULTIPLY] = "*",
        [TAC__EXPR_DIVIDE] = "/",
        [TAC__EXPR_ADD] = "+",
        [TAC__EXPR_SUBTRACT] = "-",
        [TAC__EXPR_LESS] = "<",
        [TAC__EXPR_LESS_EQUAL] = "<=",
        [TAC__EXPR_GREATER] = ">",
        [TAC__EXPR_GREATER_EQUAL] = ">=",
        [TAC__EXPR_EQUAL] = "==",
        [TAC__EXPR_NOT_EQUAL] = "!=",
        [TAC__EXPR_AND] = "AND",
        [TAC__EXPR_OR] = "OR",
    };
    return node->function ? node->function->name : symbols[node->kind];
}

static tac_status want_all(tac__checker *c, const tac__expr_node *node, tac__expr_type type)
{
    const tac__expr_node *const operands[] = {node->a, node->b, node->c};
    for (size_t i = 0; i < 3; i++) {
        if (operands[i])
            TAC_TRY(want(c, operands[i], type, symbol_of(node)));
    }
    return TAC_OK;
}

static const char *type_name(const tac__expr_node *node)
{
    return node->type == TAC__EXPR_BOOL ? "true or false" : "a number";
}

// Both operands are conditions, or both are numbers, which are brought to one unit.
static tac_status match(tac__checker *c, tac__expr_node *node, tac__expr_node **a,
                        tac__expr_node **b)
{
    char left[TAC__EXPR_QUOTE], right[TAC__EXPR_QUOTE];
    if ((*a)->type != (*b)->type)
        return FAIL(c, node, TAC_E_TYPE, "'%s' is %s, but '%s' is %s",
                    tac__expr_quote(c->expr, *a, left), type_name(*a),
                    tac__expr_quote(c->expr, *b, right), type_name(*b));
    tac__expr_node **operands[] = {a, b};
    return (*a)->type == TAC__EXPR_NUMBER ? tac__check_alike(c, node, operands, 2) : TAC_OK;
}

// --- names ----------------------------------------------------------------------------------

static tac_status check_named(tac__checker *c, tac__expr_node *node)
{
    tac__expr_signal signal = {.index = 0};
    if (!c->scope->find(c->scope->context, node->name, &signal)) {
        FAIL(c, node, TAC_E_NAME, "unknown %s '%s'", c->expr->target ? "name" : "signal",
             node->name);
        if (c->scope->candidate)
            tac__error_suggest(c->err, node->name, c->scope->candidate, c->scope->context);
        return TAC_E_NAME;
    }
    node->index = signal.index;
    node->element = signal.element;
    node->type = signal.type;
    node->labels = signal.labels;
    if (signal.measure) {
        node->unit = *signal.measure;
        return TAC_OK;
    }
    node->unit_text = signal.unit ? signal.unit : "1";
    tac_error reason;
    if (tac__unit_parse(node->unit_text, &node->unit, &reason) != TAC_OK)
        return FAIL(c, node, TAC_E_UNIT, "signal '%s': %s", node->name, reason.text);
    return TAC_OK;
}

static const char *label_at(const void *context, size_t i)
{
    return ((const char *const *)context)[i];
}

// Replaces a label by its number in the enum with which it is compared.
static tac_status check_label(tac__checker *c, tac__expr_node *label, const tac__expr_node *signal)
{
    char quote[TAC__EXPR_QUOTE];
    if (!signal->labels)
        return FAIL(c, label, TAC_E_TYPE, "'%s' can only be a label, but '%s' is no enum",
                    label->name, tac__expr_quote(c->expr, signal, quote));
    for (size_t i = 0; signal->labels[i]; i++) {
        if (strcmp(signal->labels[i], label->name))
            continue;
        label->kind = TAC__EXPR_LITERAL;
        label->value = (double)i;
        label->bare = true;
        return TAC_OK;
    }
    FAIL(c, label, TAC_E_NAME, "'%s' has no label '%s'", tac__expr_quote(c->expr, signal, quote),
         label->name);
    tac__error_suggest(c->err, label->name, label_at, signal->labels);
    return TAC_E_NAME;
}

static bool same_labels(const char *const *a, const char *const *b)
{
    size_t i = 0;
    while (a[i] && b[i] && !strcmp(a[i], b[i]))
        i++;
    return a == b || (!a[i] && !b[i]);
}

static tac_status check_enums(tac__checker *c, tac__expr_node *node)
{
    tac__expr_node *a = node->a, *b = node->b;
    if (a->kind == TAC__EXPR_LABEL)
        TAC_TRY(check_label(c, a, b));
    if (b->kind == TAC__EXPR_LABEL)
        TAC_TRY(check_label(c, b, a));
    if (!a->labels || !b->labels || same_labels(a->labels, b->labels))
        return TAC_OK;
    char left[TAC__EXPR_QUOTE], right[TAC__EXPR_QUOTE];
    return FAIL(c, node, TAC_E_TYPE, "'%s' and '%s' are enums with different labels",
                tac__expr_quote(c->expr, a, left), tac__expr_quote(c->expr, b, right));
}

// --- operators that remember ----------------------------------------------------------------

static tac_status check_held(tac__checker *c, tac__expr_node *node)
{
    TAC_TRY(want(c, node->a, TAC__EXPR_BOOL, "held"));
    const tac__expr_node *time = node->b;
    if (time->kind != TAC__EXPR_LITERAL)
        return FAIL(c, time, TAC_E_TYPE, "held takes a time that is written out, such as 0.5 s");
    char text[TAC__EXPR_QUOTE];
    tac_error reason;
    if (tac_time_parse(tac__expr_quote(c->expr, time, text), &node->duration_us, &reason) != TAC_OK)
        return FAIL(c, time, reason.status, "%s", reason.text);
    return TAC_OK;
}

static tac_status check_since(tac__checker *c, tac__expr_node *node, bool compared)
{
    TAC_TRY(want(c, node->a, TAC__EXPR_BOOL, "since"));
    node->unit_text = "s";
    TAC_TRY(tac__unit_parse("s", &node->unit, c->err));
    if (node->b) {
        TAC_TRY(want(c, node->b, TAC__EXPR_NUMBER, "since"));
        return tac__check_convert(c, &node->b, "s", "since");
    }
    char quote[TAC__EXPR_QUOTE];
    if (!compared)
        return FAIL(c, node, TAC_E_TYPE,
                    "'%s' has no value before it happens: compare it directly with < <= > >=, or "
                    "give a second argument, the value until then",
                    tac__expr_quote(c->expr, node, quote));
    return TAC_OK;
}

// Gives `since` the value that makes a comparison with it false before its condition has been true.
static tac_status complete_since(tac__checker *c, tac__expr_node *since, bool less)
{
    if (since->kind != TAC__EXPR_SINCE || since->b)
        return TAC_OK;
    since->b = tac__arena_alloc(c->arena, sizeof *since->b);
    if (!since->b)
        return tac__fail_memory(c->err);
    since->b->kind = TAC__EXPR_LITERAL;
    since->b->value = less ? HUGE_VAL : -HUGE_VAL;
    return TAC_OK;
}

// --- the rest -------------------------------------------------------------------------------

static tac_status check_comparison(tac__checker *c, tac__expr_node *node)
{
    node->type = TAC__EXPR_BOOL;
    if (tac__expr_is_equality(node->kind)) {
        TAC_TRY(check_enums(c, node));
    } else {
        const bool less = node->kind == TAC__EXPR_LESS || node->kind == TAC__EXPR_LESS_EQUAL;
        TAC_TRY(want_all(c, node, TAC__EXPR_NUMBER));
        TAC_TRY(complete_since(c, node->a, less));
        TAC_TRY(complete_since(c, node->b, !less));
    }
    return match(c, node, &node->a, &node->b);
}

static tac_status check_if(tac__checker *c, tac__expr_node *node)
{
    TAC_TRY(want(c, node->a, TAC__EXPR_BOOL, "if"));
    TAC_TRY(match(c, node, &node->b, &node->c));
    node->type = node->b->type;
    return TAC_OK;
}

// Checks `node`; its operands have been checked. `compared`: the parent is a comparison by size.
static tac_status check_kind(tac__checker *c, tac__expr_node *node, bool compared)
{
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
    case TAC__EXPR_LABEL:
        return FAIL(c, node, TAC_E_TYPE, "a label can only be compared with a signal, by == or !=");
    case TAC__EXPR_NOT:
    case TAC__EXPR_AND:
    case TAC__EXPR_OR:
    case TAC__EXPR_RISING:
    case TAC__EXPR_FALLING:
        node->type = TAC__EXPR_BOOL;
        return want_all(c, node, TAC__EXPR_BOOL);
    case TAC__EXPR_HELD:
        node->type = TAC__EXPR_BOOL;
        return check_held(c, node);
    case TAC__EXPR_SINCE:
        return check_since(c, node, compared);
    case TAC__EXPR_IF:
        return check_if(c, node);
    case TAC__EXPR_TABLE:
        TAC_TRY(want(c, node->a, TAC__EXPR_NUMBER, node->function->name));
        return tac__check_table(c, node);
    default:
        break;
    }
    if (tac__expr_is_comparison(node->kind))
        return check_comparison(c, node);
    TAC_TRY(want_all(c, node, TAC__EXPR_NUMBER));
    tac__expr_node **operands[] = {&node->a, &node->b};
    switch (node->kind) {
    case TAC__EXPR_NEGATE:
        return tac__check_alike(c, node, operands, 1);
    case TAC__EXPR_ADD:
    case TAC__EXPR_SUBTRACT:
        return tac__check_alike(c, node, operands, 2);
    case TAC__EXPR_POWER:
        return tac__check_power(c, node);
    case TAC__EXPR_CALL:
        return tac__check_call(c, node);
    default:
        return tac__check_multiply(c, node);
    }
}

static tac_status check_node(tac__checker *c, tac__expr_node *node, bool compared)
{
    tac__expr_node *const operands[] = {node->a, node->b, node->c};
    const bool equality = tac__expr_is_equality(node->kind);
    const bool compares = tac__expr_is_comparison(node->kind) && !equality;
    for (size_t i = 0; i < 3; i++) {
        // A label is resolved once the signal it is compared with is known.
        if (operands[i] && !(equality && operands[i]->kind == TAC__EXPR_LABEL))
            TAC_TRY(check_node(c, operands[i], compares));
    }
    return check_kind(c, node, compared);
}

tac_status tac__expr_check(tac__arena *arena, tac__expr *expr, tac__expr_type wanted,
                           const char *unit, const tac__expr_scope *scope, tac_error *err)
{
    tac__checker c = {arena, expr, scope, err};
    TAC_TRY(check_node(&c, expr->root, false));
    if (wanted == TAC__EXPR_ANY)
        return TAC_OK;
    if (expr->root->type != wanted)
        return tac__expr_fail(
            err, TAC_E_TYPE, expr->text, expr->root->from,
            wanted == TAC__EXPR_BOOL
                ? "expected a condition such as 'vehicle.battery.soc < 0.3', this is a number"
                : "expected a number, this is a condition");
    const char *where = expr->target ? expr->target : "this";
    return unit && wanted == TAC__EXPR_NUMBER ? tac__check_convert(&c, &expr->root, unit, where)
                                              : TAC_OK;
}

tac__expr_type tac__expr_type_of(const tac__expr *expr)
{
    return expr->root->type;
}

const tac__unit *tac__expr_unit_of(const tac__expr *expr)
{
    return &expr->root->unit;
}
