// parse.c - from tokens to a tree. Precedence, lowest first: OR, AND, NOT, comparisons, + and -, *
// and /, sign, powers. Recursion is bounded by TAC__EXPR_DEPTH, and by the length of the text where
// operators follow each other.
#include "expr/parse.h"
#include "expr/function.h"

#include <string.h>

static const struct binary {
    tac__token_kind token;
    tac__expr_kind kind;
    int level;
} binaries[] = {
    {TAC__TOKEN_OR, TAC__EXPR_OR, TAC__LEVEL_OR},
    {TAC__TOKEN_AND, TAC__EXPR_AND, TAC__LEVEL_AND},
    {TAC__TOKEN_LESS, TAC__EXPR_LESS, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_LESS_EQUAL, TAC__EXPR_LESS_EQUAL, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_GREATER, TAC__EXPR_GREATER, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_GREATER_EQUAL, TAC__EXPR_GREATER_EQUAL, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_EQUAL, TAC__EXPR_EQUAL, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_NOT_EQUAL, TAC__EXPR_NOT_EQUAL, TAC__LEVEL_COMPARISON},
    {TAC__TOKEN_PLUS, TAC__EXPR_ADD, TAC__LEVEL_SUM},
    {TAC__TOKEN_MINUS, TAC__EXPR_SUBTRACT, TAC__LEVEL_SUM},
    {TAC__TOKEN_TIMES, TAC__EXPR_MULTIPLY, TAC__LEVEL_PRODUCT},
    {TAC__TOKEN_OVER, TAC__EXPR_DIVIDE, TAC__LEVEL_PRODUCT},
};

// --- operators ------------------------------------------------------------------------------

// NOT x, -x, +x: `operand` is the precedence of x.
static tac_status parse_prefix(tac__parser *p, int operand, tac__expr_kind kind,
                               tac__expr_node **node)
{
    const bool plus = p->token.kind == TAC__TOKEN_PLUS;
    TAC_TRY(tac__parse_enter(p));
    TAC_TRY(tac__parse_make(p, kind, node));
    TAC_TRY(tac__parse_advance(p));
    TAC_TRY(tac__parse_level(p, operand, &(*node)->a));
    (*node)->to = (*node)->a->to;
    p->depth--;
    if (plus)
        *node = (*node)->a;
    return TAC_OK;
}

static bool in_parentheses(const tac__parser *p, const tac__expr_node *node)
{
    return p->expr->text[node->from] == '(';
}

// a^b. The exponent may have a sign and may be a power: 2^-3^2 is 2^(-(3^2)).
static tac_status parse_power(tac__parser *p, tac__expr_node **node)
{
    TAC_TRY(tac__parse_operand(p, node));
    if (p->token.kind != TAC__TOKEN_POWER)
        return TAC_OK;
    tac__expr_node *base = *node;
    if (base->kind == TAC__EXPR_LITERAL && !base->bare && !in_parentheses(p, base))
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                              "is this a power of the unit or of the number? write 5 m^2, or "
                              "(5 m)^2");
    TAC_TRY(tac__parse_enter(p));
    TAC_TRY(tac__parse_make(p, TAC__EXPR_POWER, node));
    TAC_TRY(tac__parse_advance(p));
    (*node)->a = base;
    TAC_TRY(tac__parse_level(p, TAC__LEVEL_SIGN, &(*node)->b));
    (*node)->from = base->from;
    (*node)->to = (*node)->b->to;
    p->depth--;
    return TAC_OK;
}

static tac_status parse_sign(tac__parser *p, tac__expr_node **node)
{
    if (p->token.kind != TAC__TOKEN_MINUS && p->token.kind != TAC__TOKEN_PLUS)
        return parse_power(p, node);
    TAC_TRY(parse_prefix(p, TAC__LEVEL_SIGN, TAC__EXPR_NEGATE, node));
    // The sign becomes part of a literal.
    if ((*node)->kind == TAC__EXPR_NEGATE && (*node)->a->kind == TAC__EXPR_LITERAL) {
        tac__expr_node *literal = (*node)->a;
        literal->value = -literal->value;
        literal->from = (*node)->from;
        *node = literal;
    }
    return TAC_OK;
}

static const struct binary *find_binary(const tac__parser *p, int level)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (binaries[i].token == p->token.kind && binaries[i].level == level)
            return &binaries[i];
    }
    return NULL;
}

// Names of signals of a simulation have dots; labels of enums have none.
static bool has_dot(const tac__expr_node *node)
{
    return strpbrk(node->name, ".[");
}

static bool may_be_label(const tac__parser *p, const tac__expr_node *node)
{
    return !has_dot(node) && !in_parentheses(p, node);
}

// In a.phase == landed the name without a dot is the label; in phase == landed it is the second
// one. A name in parentheses is a signal. Equations have no enums.
static void find_label(const tac__parser *p, const tac__expr_node *node)
{
    tac__expr_node *a = node->a, *b = node->b;
    if (p->expr->target || !tac__expr_is_equality(node->kind) || a->kind != TAC__EXPR_NAMED ||
        b->kind != TAC__EXPR_NAMED)
        return;
    if (may_be_label(p, b))
        b->kind = TAC__EXPR_LABEL;
    else if (may_be_label(p, a) && has_dot(b))
        a->kind = TAC__EXPR_LABEL;
}

static tac_status parse_binary(tac__parser *p, int level, tac__expr_node **node)
{
    TAC_TRY(tac__parse_level(p, level + 1, node));
    bool compared = false;
    for (const struct binary *op; (op = find_binary(p, level));) {
        tac__expr_node *left = *node;
        if (compared)
            return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                                  "comparisons do not chain; write a < b AND b < c");
        compared = level == TAC__LEVEL_COMPARISON;
        TAC_TRY(tac__parse_make(p, op->kind, node));
        (*node)->a = left;
        TAC_TRY(tac__parse_advance(p));
        TAC_TRY(tac__parse_level(p, level + 1, &(*node)->b));
        (*node)->from = left->from;
        (*node)->to = (*node)->b->to;
        find_label(p, *node);
    }
    return TAC_OK;
}

tac_status tac__parse_level(tac__parser *p, int level, tac__expr_node **node)
{
    if (level == TAC__LEVEL_SIGN)
        return parse_sign(p, node);
    if (level != TAC__LEVEL_NOT)
        return parse_binary(p, level, node);
    if (p->token.kind == TAC__TOKEN_NOT)
        return parse_prefix(p, TAC__LEVEL_NOT, TAC__EXPR_NOT, node);
    return tac__parse_level(p, TAC__LEVEL_COMPARISON, node);
}

// --- what an expression needs ---------------------------------------------------------------

static tac_status list_name(tac__parser *p, const char *name)
{
    tac__expr *e = p->expr;
    for (size_t i = 0; i < e->name_count; i++) {
        if (!strcmp(e->names[i], name))
            return TAC_OK;
    }
    if (!TAC__ARENA_GROW(p->arena, e->names, e->name_count, e->name_capacity))
        return tac__fail_memory(p->err);
    e->names[e->name_count++] = name;
    return TAC_OK;
}

// Collects signals in order of appearance, and operators that remember.
static tac_status survey(tac__parser *p, const tac__expr_node *node)
{
    if (!node)
        return TAC_OK;
    TAC_TRY(survey(p, node->a));
    TAC_TRY(survey(p, node->b));
    TAC_TRY(survey(p, node->c));
    p->expr->waits |= node->kind == TAC__EXPR_HELD;
    if (tac__expr_is_timed(node->kind) && p->expr->target)
        return tac__expr_fail(p->err, TAC_E_TYPE, p->expr->text, node->from,
                              "%s remembers what it saw, but an equation has no memory",
                              node->function->name);
    if (tac__expr_is_timed(node->kind) && ++p->expr->timed_count > TAC__EXPR_TIMED)
        return tac__expr_fail(p->err, TAC_E_LIMIT, p->expr->text, node->from,
                              "more than %d operators that remember", TAC__EXPR_TIMED);
    return node->kind == TAC__EXPR_NAMED ? list_name(p, node->name) : TAC_OK;
}

// --- the whole ------------------------------------------------------------------------------

tac_status tac__parse_begin(tac__parser *p, const char *text)
{
    if (strlen(text) > TAC__EXPR_LENGTH)
        return tac__fail(p->err, TAC_E_LIMIT,
                         "an expression of %zu characters is too long; at most %d are read",
                         strlen(text), TAC__EXPR_LENGTH);
    p->expr = tac__arena_alloc(p->arena, sizeof *p->expr);
    if (!p->expr || !(p->expr->text = tac__arena_text(p->arena, text)))
        return tac__fail_memory(p->err);
    return TAC_OK;
}

// What may stand after the whole expression: of a condition, another one.
static const char *expected_after(const tac__parser *p)
{
    const tac__expr_node *root = p->expr->root;
    const bool logic = root->kind == TAC__EXPR_AND || root->kind == TAC__EXPR_OR ||
                       root->kind == TAC__EXPR_NOT || root->kind == TAC__EXPR_TRUTH;
    const bool condition =
        logic || tac__expr_is_comparison(root->kind) || p->token.kind == TAC__TOKEN_NAME;
    return condition && !p->expr->target ? "AND, OR or the end" : "an operator";
}

tac_status tac__parse_whole(tac__parser *p)
{
    tac__expr *e = p->expr;
    TAC_TRY(tac__parse_advance(p));
    if (p->token.kind == TAC__TOKEN_END)
        return tac__expr_fail(p->err, TAC_E_SYNTAX, e->text, e->target ? p->token.from : 0,
                              e->target ? "nothing stands after '='"
                                        : "the expression is empty; expected one such as "
                                          "vehicle.battery.soc < 0.3");
    TAC_TRY(tac__parse_level(p, TAC__LEVEL_OR, &e->root));
    if (p->token.kind != TAC__TOKEN_END)
        return tac__parse_fail(p, expected_after(p));
    return survey(p, e->root);
}

tac_status tac__expr_parse(tac__arena *arena, const char *text, tac__expr **expr, tac_error *err)
{
    tac__parser p = {.arena = arena, .err = err};
    *expr = NULL;
    TAC_TRY(tac__parse_begin(&p, text));
    TAC_TRY(tac__parse_whole(&p));
    *expr = p.expr;
    return TAC_OK;
}

const char *const *tac__expr_signals(const tac__expr *expr, size_t *count)
{
    *count = expr->name_count;
    return expr->names;
}

size_t tac__expr_memory(const tac__expr *expr)
{
    return expr->timed_count;
}

bool tac__expr_waits(const tac__expr *expr)
{
    return expr->waits;
}
