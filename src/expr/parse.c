// parse.c - from words to a tree. Binding, loosest first: OR, AND, NOT, comparisons, + and -, * and
// /, sign. Recursion is bounded by TAC__EXPR_DEPTH, and by the length of the text where operators
// follow each other.
#include "expr/lex.h"

#include <string.h>

typedef struct parser {
    tac__arena *arena;
    tac__expr *expr;
    tac__token token; // the next word
    int depth;
    tac_error *err;
} parser;

enum { LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARISON, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_SIGN };

static const struct binary {
    tac__token_kind token;
    tac__expr_kind kind;
    int level;
} binaries[] = {
    {TAC__TOKEN_OR, TAC__EXPR_OR, LEVEL_OR},
    {TAC__TOKEN_AND, TAC__EXPR_AND, LEVEL_AND},
    {TAC__TOKEN_LESS, TAC__EXPR_LESS, LEVEL_COMPARISON},
    {TAC__TOKEN_LESS_EQUAL, TAC__EXPR_LESS_EQUAL, LEVEL_COMPARISON},
    {TAC__TOKEN_GREATER, TAC__EXPR_GREATER, LEVEL_COMPARISON},
    {TAC__TOKEN_GREATER_EQUAL, TAC__EXPR_GREATER_EQUAL, LEVEL_COMPARISON},
    {TAC__TOKEN_EQUAL, TAC__EXPR_EQUAL, LEVEL_COMPARISON},
    {TAC__TOKEN_NOT_EQUAL, TAC__EXPR_NOT_EQUAL, LEVEL_COMPARISON},
    {TAC__TOKEN_PLUS, TAC__EXPR_ADD, LEVEL_SUM},
    {TAC__TOKEN_MINUS, TAC__EXPR_SUBTRACT, LEVEL_SUM},
    {TAC__TOKEN_TIMES, TAC__EXPR_MULTIPLY, LEVEL_PRODUCT},
    {TAC__TOKEN_OVER, TAC__EXPR_DIVIDE, LEVEL_PRODUCT},
};

static tac_status parse_level(parser *p, int level, tac__expr_node **node);

static tac_status advance(parser *p)
{
    return tac__lex(p->expr->text, p->token.to, &p->token, p->err);
}

static tac_status fail_here(const parser *p, const char *expected)
{
    if (p->token.kind == TAC__TOKEN_END)
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                              "expected %s, but the expression ends", expected);
    return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                          "expected %s, found '%.*s'", expected, (int)(p->token.to - p->token.from),
                          p->expr->text + p->token.from);
}

static tac_status make(parser *p, tac__expr_kind kind, tac__expr_node **node)
{
    *node = tac__arena_alloc(p->arena, sizeof **node);
    if (!*node)
        return tac__fail_memory(p->err);
    (*node)->kind = kind;
    (*node)->from = p->token.from;
    (*node)->to = p->token.to;
    return TAC_OK;
}

static tac_status copy_span(parser *p, uint32_t from, uint32_t to, const char **copy)
{
    *copy = tac__arena_format(p->arena, "%.*s", (int)(to - from), p->expr->text + from);
    return *copy ? TAC_OK : tac__fail_memory(p->err);
}

// --- operands -------------------------------------------------------------------------------

static tac_status parse_number(parser *p, tac__expr_node **node)
{
    TAC_TRY(make(p, TAC__EXPR_LITERAL, node));
    (*node)->value = p->token.value;
    (*node)->bare = p->token.unit == p->token.to;
    TAC_TRY(copy_span(p, p->token.unit, p->token.to, &(*node)->unit_text));
    tac_error reason;
    if (tac__unit_parse((*node)->unit_text, &(*node)->unit, &reason) != TAC_OK)
        return tac__expr_fail(p->err, TAC_E_UNIT, p->expr->text, p->token.unit, "%s", reason.text);
    return advance(p);
}

// One copy of each name, listed in order of appearance.
static tac_status keep_name(parser *p, const char **name)
{
    tac__expr *e = p->expr;
    const char *text = e->text + p->token.from;
    const size_t length = p->token.to - p->token.from;
    for (size_t i = 0; i < e->name_count; i++) {
        if (strlen(e->names[i]) == length && !memcmp(e->names[i], text, length)) {
            *name = e->names[i];
            return TAC_OK;
        }
    }
    TAC_TRY(copy_span(p, p->token.from, p->token.to, name));
    if (!TAC__ARENA_GROW(p->arena, e->names, e->name_count, e->name_capacity))
        return tac__fail_memory(p->err);
    e->names[e->name_count++] = *name;
    return TAC_OK;
}

static tac_status parse_name(parser *p, tac__expr_node **node)
{
    const tac__token name = p->token;
    const char *text = p->expr->text;
    if (name.to - name.from == 1 && text[name.from] == 't') {
        TAC_TRY(make(p, TAC__EXPR_TIME, node));
    } else {
        TAC_TRY(make(p, TAC__EXPR_NAMED, node));
        TAC_TRY(keep_name(p, &(*node)->name));
    }
    TAC_TRY(advance(p));
    if (p->token.kind == TAC__TOKEN_OPEN)
        return tac__expr_fail(p->err, TAC_E_NAME, text, name.from, "there is no function '%.*s'",
                              (int)(name.to - name.from), text + name.from);
    return TAC_OK;
}

static tac_status parse_truth(parser *p, tac__expr_node **node)
{
    TAC_TRY(make(p, TAC__EXPR_TRUTH, node));
    (*node)->value = p->token.kind == TAC__TOKEN_TRUE;
    return advance(p);
}

static tac_status enter(parser *p)
{
    if (++p->depth > TAC__EXPR_DEPTH)
        return tac__expr_fail(p->err, TAC_E_LIMIT, p->expr->text, p->token.from,
                              "nested more than %d deep", TAC__EXPR_DEPTH);
    return TAC_OK;
}

static tac_status parse_parentheses(parser *p, tac__expr_node **node)
{
    const tac__token open = p->token;
    TAC_TRY(enter(p));
    TAC_TRY(advance(p));
    TAC_TRY(parse_level(p, LEVEL_OR, node));
    if (p->token.kind == TAC__TOKEN_END)
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, open.from,
                              "this '(' is never closed");
    if (p->token.kind != TAC__TOKEN_CLOSE)
        return fail_here(p, "an operator or ')'");
    // Errors quote it with its parentheses.
    (*node)->from = open.from;
    (*node)->to = p->token.to;
    p->depth--;
    return advance(p);
}

static tac_status parse_operand(parser *p, tac__expr_node **node)
{
    switch (p->token.kind) {
    case TAC__TOKEN_NUMBER:
        return parse_number(p, node);
    case TAC__TOKEN_NAME:
        return parse_name(p, node);
    case TAC__TOKEN_TRUE:
    case TAC__TOKEN_FALSE:
        return parse_truth(p, node);
    case TAC__TOKEN_OPEN:
        return parse_parentheses(p, node);
    case TAC__TOKEN_NOT:
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                              "NOT binds less than what stands before it; put it in parentheses");
    default:
        return fail_here(p, "a signal, a number or '('");
    }
}

// --- operators ------------------------------------------------------------------------------

// NOT x, -x, +x: `operand` is the level of x.
static tac_status parse_prefix(parser *p, int operand, tac__expr_kind kind, tac__expr_node **node)
{
    const bool plus = p->token.kind == TAC__TOKEN_PLUS;
    TAC_TRY(enter(p));
    TAC_TRY(make(p, kind, node));
    TAC_TRY(advance(p));
    TAC_TRY(parse_level(p, operand, &(*node)->a));
    (*node)->to = (*node)->a->to;
    p->depth--;
    if (plus)
        *node = (*node)->a;
    return TAC_OK;
}

static tac_status parse_sign(parser *p, tac__expr_node **node)
{
    if (p->token.kind != TAC__TOKEN_MINUS && p->token.kind != TAC__TOKEN_PLUS)
        return parse_operand(p, node);
    TAC_TRY(parse_prefix(p, LEVEL_SIGN, TAC__EXPR_NEGATE, node));
    // A literal takes the sign in.
    if ((*node)->kind == TAC__EXPR_NEGATE && (*node)->a->kind == TAC__EXPR_LITERAL) {
        tac__expr_node *literal = (*node)->a;
        literal->value = -literal->value;
        literal->from = (*node)->from;
        *node = literal;
    }
    return TAC_OK;
}

static const struct binary *find_binary(const parser *p, int level)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (binaries[i].token == p->token.kind && binaries[i].level == level)
            return &binaries[i];
    }
    return NULL;
}

static tac_status parse_binary(parser *p, int level, tac__expr_node **node)
{
    TAC_TRY(parse_level(p, level + 1, node));
    bool compared = false;
    for (const struct binary *op; (op = find_binary(p, level));) {
        tac__expr_node *left = *node;
        if (compared)
            return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                                  "comparisons do not chain; write a < b AND b < c");
        compared = level == LEVEL_COMPARISON;
        TAC_TRY(make(p, op->kind, node));
        (*node)->a = left;
        TAC_TRY(advance(p));
        TAC_TRY(parse_level(p, level + 1, &(*node)->b));
        (*node)->from = left->from;
        (*node)->to = (*node)->b->to;
    }
    return TAC_OK;
}

static tac_status parse_level(parser *p, int level, tac__expr_node **node)
{
    if (level == LEVEL_SIGN)
        return parse_sign(p, node);
    if (level != LEVEL_NOT)
        return parse_binary(p, level, node);
    if (p->token.kind == TAC__TOKEN_NOT)
        return parse_prefix(p, LEVEL_NOT, TAC__EXPR_NOT, node);
    return parse_level(p, LEVEL_COMPARISON, node);
}

// --- the whole ------------------------------------------------------------------------------

tac_status tac__expr_parse(tac__arena *arena, const char *text, tac__expr **expr, tac_error *err)
{
    *expr = NULL;
    if (strlen(text) > TAC__EXPR_LENGTH)
        return tac__fail(err, TAC_E_LIMIT,
                         "an expression of %zu characters is too long; at most %d are read",
                         strlen(text), TAC__EXPR_LENGTH);
    tac__expr *e = tac__arena_alloc(arena, sizeof *e);
    if (!e || !(e->text = tac__arena_text(arena, text)))
        return tac__fail_memory(err);
    parser p = {.arena = arena, .expr = e, .err = err};
    TAC_TRY(advance(&p));
    if (p.token.kind == TAC__TOKEN_END)
        return tac__expr_fail(err, TAC_E_SYNTAX, e->text, 0, "the expression is empty");
    TAC_TRY(parse_level(&p, LEVEL_OR, &e->root));
    if (p.token.kind != TAC__TOKEN_END)
        return fail_here(&p, "an operator");
    *expr = e;
    return TAC_OK;
}

const char *const *tac__expr_signals(const tac__expr *expr, size_t *count)
{
    *count = expr->name_count;
    return expr->names;
}
