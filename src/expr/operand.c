// operand.c - numbers, names, labels, parentheses and calls.
#include "expr/function.h"
#include "expr/parse.h"
#include "expr/table.h"

#include <string.h>

tac_status tac__parse_advance(tac__parser *p)
{
    return tac__lex(p->expr->text, p->token.to, &p->token, p->err);
}

tac_status tac__parse_fail(const tac__parser *p, const char *expected)
{
    if (p->token.kind == TAC__TOKEN_END)
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                              "expected %s, but the expression ends", expected);
    return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                          "expected %s, found '%.*s'", expected, (int)(p->token.to - p->token.from),
                          p->expr->text + p->token.from);
}

tac_status tac__parse_make(tac__parser *p, tac__expr_kind kind, tac__expr_node **node)
{
    *node = tac__arena_alloc(p->arena, sizeof **node);
    if (!*node)
        return tac__fail_memory(p->err);
    (*node)->kind = kind;
    (*node)->from = p->token.from;
    (*node)->to = p->token.to;
    return TAC_OK;
}

static tac_status copy_span(tac__parser *p, uint32_t from, uint32_t to, const char **copy)
{
    *copy = tac__arena_format(p->arena, "%.*s", (int)(to - from), p->expr->text + from);
    return *copy ? TAC_OK : tac__fail_memory(p->err);
}

// --- operands -------------------------------------------------------------------------------

static tac_status parse_number(tac__parser *p, tac__expr_node **node)
{
    TAC_TRY(tac__parse_make(p, TAC__EXPR_LITERAL, node));
    (*node)->value = p->token.value;
    (*node)->bare = p->token.unit == p->token.to;
    TAC_TRY(copy_span(p, p->token.unit, p->token.to, &(*node)->unit_text));
    tac_error reason;
    if (tac__unit_parse((*node)->unit_text, &(*node)->unit, &reason) != TAC_OK)
        return tac__expr_fail(p->err, TAC_E_UNIT, p->expr->text, p->token.unit, "%s", reason.text);
    return tac__parse_advance(p);
}

static tac_status parse_call(tac__parser *p, const tac__token *name, tac__expr_node **node);

static bool is_name(const tac__parser *p, const tac__token *name, const char *word)
{
    const size_t length = name->to - name->from;
    return strlen(word) == length && !memcmp(p->expr->text + name->from, word, length);
}

static tac_status make_pi(tac__expr_node *node)
{
    node->kind = TAC__EXPR_LITERAL;
    node->value = 3.14159265358979323846;
    node->bare = true;
    return tac__unit_parse(NULL, &node->unit, NULL);
}

tac_status tac__parse_derivative(tac__parser *p, const char **name)
{
    TAC_TRY(tac__parse_advance(p));
    if (p->token.kind != TAC__TOKEN_NAME)
        return tac__parse_fail(p, "the name of a state");
    TAC_TRY(copy_span(p, p->token.from, p->token.to, name));
    TAC_TRY(tac__parse_advance(p));
    return p->token.kind == TAC__TOKEN_CLOSE ? TAC_OK : tac__parse_fail(p, "')'");
}

// der(v) in an equation: treated as a name.
static tac_status parse_rate(tac__parser *p, tac__expr_node *node)
{
    const char *name;
    TAC_TRY(tac__parse_derivative(p, &name));
    node->to = p->token.to;
    node->name = tac__arena_format(p->arena, "der(%s)", name);
    return node->name ? tac__parse_advance(p) : tac__fail_memory(p->err);
}

// In equations a name of this kind may be that of a state.
static bool is_not_finite(const tac__parser *p, const tac__token *name)
{
    return !p->expr->target &&
           (is_name(p, name, "inf") || is_name(p, name, "infinity") ||
            is_name(p, name, "Infinity") || is_name(p, name, "nan") || is_name(p, name, "NaN"));
}

static tac_status parse_name(tac__parser *p, tac__expr_node **node)
{
    const tac__token name = p->token;
    if (is_not_finite(p, &name))
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, name.from,
                              "there is no '%.*s': numbers are finite, and a signal that is not "
                              "stops the run; leave this comparison out",
                              (int)(name.to - name.from), p->expr->text + name.from);
    TAC_TRY(tac__parse_make(p, TAC__EXPR_NAMED, node));
    TAC_TRY(tac__parse_advance(p));
    if (p->token.kind == TAC__TOKEN_OPEN && p->expr->target && is_name(p, &name, "der"))
        return parse_rate(p, *node);
    if (p->token.kind == TAC__TOKEN_OPEN)
        return parse_call(p, &name, node);
    if (is_name(p, &name, "t"))
        (*node)->kind = TAC__EXPR_TIME;
    else if (is_name(p, &name, "pi"))
        return make_pi(*node);
    return copy_span(p, name.from, name.to, &(*node)->name);
}

static tac_status parse_label(tac__parser *p, tac__expr_node **node)
{
    TAC_TRY(tac__parse_make(p, TAC__EXPR_LABEL, node));
    TAC_TRY(copy_span(p, p->token.from + 1, p->token.to - 1, &(*node)->name));
    return tac__parse_advance(p);
}

static tac_status parse_truth(tac__parser *p, tac__expr_node **node)
{
    TAC_TRY(tac__parse_make(p, TAC__EXPR_TRUTH, node));
    (*node)->value = p->token.kind == TAC__TOKEN_TRUE;
    return tac__parse_advance(p);
}

tac_status tac__parse_enter(tac__parser *p)
{
    if (++p->depth > TAC__EXPR_DEPTH)
        return tac__expr_fail(p->err, TAC_E_LIMIT, p->expr->text, p->token.from,
                              "nested more than %d deep", TAC__EXPR_DEPTH);
    return TAC_OK;
}

static tac_status fail_open(const tac__parser *p, const tac__token *open)
{
    return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, open->from,
                          "this '(' is never closed");
}

static tac_status parse_parentheses(tac__parser *p, tac__expr_node **node)
{
    const tac__token open = p->token;
    TAC_TRY(tac__parse_enter(p));
    TAC_TRY(tac__parse_advance(p));
    TAC_TRY(tac__parse_level(p, TAC__LEVEL_OR, node));
    if (p->token.kind == TAC__TOKEN_END)
        return fail_open(p, &open);
    if (p->token.kind != TAC__TOKEN_CLOSE)
        return tac__parse_fail(p, "an operator or ')'");
    // Errors quote the operand with its parentheses.
    (*node)->from = open.from;
    (*node)->to = p->token.to;
    p->depth--;
    return tac__parse_advance(p);
}

// --- functions ------------------------------------------------------------------------------

static tac_status parse_argument(tac__parser *p, const tac__token *open, tac__expr_node **node)
{
    TAC_TRY(tac__parse_level(p, TAC__LEVEL_OR, node));
    if (p->token.kind == TAC__TOKEN_END)
        return fail_open(p, open);
    if (p->token.kind != TAC__TOKEN_COMMA && p->token.kind != TAC__TOKEN_CLOSE)
        return tac__parse_fail(p, "an operator, ',' or ')'");
    return TAC_OK;
}

// The points of a table: a list of numbers that are written out.
static tac_status parse_points(tac__parser *p, const tac__token *open, tac__expr_points *points,
                               int list)
{
    static const char expected[] = "a list of numbers such as [0, 0.5, 2]";
    if (p->token.kind != TAC__TOKEN_OPEN_LIST)
        return tac__parse_fail(p, expected);
    do {
        tac__expr_node *point;
        TAC_TRY(tac__parse_advance(p));
        TAC_TRY(tac__parse_level(p, TAC__LEVEL_SIGN, &point));
        if (point->kind != TAC__EXPR_LITERAL)
            return tac__expr_fail(p->err, TAC_E_TYPE, p->expr->text, point->from,
                                  "the points of a table are numbers that are written out");
        if (!TAC__ARENA_GROW(p->arena, points->literals[list], points->count[list],
                             points->capacity[list]))
            return tac__fail_memory(p->err);
        points->literals[list][points->count[list]++] = point;
    } while (p->token.kind == TAC__TOKEN_COMMA);
    if (p->token.kind != TAC__TOKEN_CLOSE_LIST)
        return tac__parse_fail(p, "',' or ']'");
    TAC_TRY(tac__parse_advance(p));
    if (p->token.kind == TAC__TOKEN_END)
        return fail_open(p, open);
    if (p->token.kind != TAC__TOKEN_COMMA && p->token.kind != TAC__TOKEN_CLOSE)
        return tac__parse_fail(p, "',' or ')'");
    return TAC_OK;
}

// The next argument of `node`. min(a, b, c) is min(min(a, b), c).
static tac_status add_argument(tac__parser *p, const tac__token *open, int count,
                               tac__expr_node **node)
{
    tac__expr_node *argument, *n = *node;
    if (n->kind == TAC__EXPR_TABLE && count > 0)
        return parse_points(p, open, n->points, count - 1);
    TAC_TRY(parse_argument(p, open, &argument));
    if (count == 0) {
        n->a = argument;
    } else if (count == 1) {
        n->b = argument;
    } else if (n->function->most == 3 || n->kind != TAC__EXPR_CALL) {
        n->c = argument;
    } else {
        TAC_TRY(tac__parse_make(p, n->kind, node));
        (*node)->from = n->from;
        (*node)->function = n->function;
        (*node)->a = n;
        (*node)->b = argument;
    }
    (*node)->to = argument->to;
    return TAC_OK;
}

static tac_status fail_count(const tac__parser *p, const tac__token *name, const tac__function *f,
                             int count)
{
    const int most = f->most;
    return tac__expr_fail(
        p->err, TAC_E_SYNTAX, p->expr->text, name->from, "%s takes %s%d argument%s, found %s%d",
        f->usage, f->least < most ? count < f->least ? "at least " : "at most " : "",
        count < f->least ? f->least : most, (count < f->least ? f->least : most) == 1 ? "" : "s",
        count > most ? "more than " : "", count > most ? most : count);
}

static tac_status parse_arguments(tac__parser *p, const tac__token *name, tac__expr_node **node)
{
    const tac__token open = p->token;
    const tac__function *f = (*node)->function;
    int count = 0;
    TAC_TRY(tac__parse_advance(p));
    while (p->token.kind != TAC__TOKEN_CLOSE || count > 0) {
        if (count == f->most)
            return fail_count(p, name, f, count + 1);
        TAC_TRY(add_argument(p, &open, count++, node));
        if (p->token.kind == TAC__TOKEN_CLOSE)
            break;
        TAC_TRY(tac__parse_advance(p));
    }
    if (count < f->least)
        return fail_count(p, name, f, count);
    (*node)->to = p->token.to;
    return TAC_OK;
}

static tac_status parse_call(tac__parser *p, const tac__token *name, tac__expr_node **node)
{
    const char *text = p->expr->text + name->from;
    const size_t length = name->to - name->from;
    const tac__function *f = tac__function_find(text, length);
    if (!f) {
        const char *word;
        TAC_TRY(copy_span(p, name->from, name->to, &word));
        tac__expr_fail(p->err, TAC_E_NAME, p->expr->text, name->from, "there is no function '%s'",
                       word);
        tac__error_suggest(p->err, word, tac__function_name, NULL);
        return TAC_E_NAME;
    }
    (*node)->kind = f->kind;
    (*node)->function = f;
    if (f->kind == TAC__EXPR_TABLE) {
        tac__expr_points *points = (*node)->points = tac__arena_alloc(p->arena, sizeof *points);
        if (!points)
            return tac__fail_memory(p->err);
        points->spline = !strcmp(f->name, "spline");
    }
    TAC_TRY(tac__parse_enter(p));
    TAC_TRY(parse_arguments(p, name, node));
    p->depth--;
    return tac__parse_advance(p);
}

tac_status tac__parse_operand(tac__parser *p, tac__expr_node **node)
{
    switch (p->token.kind) {
    case TAC__TOKEN_NUMBER:
        return parse_number(p, node);
    case TAC__TOKEN_NAME:
        return parse_name(p, node);
    case TAC__TOKEN_LABEL:
        return parse_label(p, node);
    case TAC__TOKEN_TRUE:
    case TAC__TOKEN_FALSE:
        return parse_truth(p, node);
    case TAC__TOKEN_OPEN:
        return parse_parentheses(p, node);
    case TAC__TOKEN_NOT:
        return tac__expr_fail(p->err, TAC_E_SYNTAX, p->expr->text, p->token.from,
                              "NOT binds less than what stands before it; put it in parentheses");
    default:
        return tac__parse_fail(p, "a signal, a number or '('");
    }
}
