// equation.c - equations: a target, '=', and an expression.
#include "expr/parse.h"

#include <string.h>

static tac_status parse_target(tac__parser *p, tac__equation *equation)
{
    const tac__token name = p->token;
    const char *text = p->expr->text;
    if (name.kind == TAC__TOKEN_END)
        return tac__expr_fail(p->err, TAC_E_SYNTAX, text, name.from, "the equation is empty");
    if (name.kind != TAC__TOKEN_NAME)
        return tac__parse_fail(p, "a name, or der() of a state");
    const int length = (int)(name.to - name.from);
    equation->target = tac__arena_format(p->arena, "%.*s", length, text + name.from);
    if (!equation->target)
        return tac__fail_memory(p->err);
    if (!strcmp(equation->target, "t") || !strcmp(equation->target, "pi"))
        return tac__expr_fail(p->err, TAC_E_NAME, text, name.from, "'%s' is %s: it has no equation",
                              equation->target, length == 1 ? "the time" : "a number");
    const size_t open = name.to + strspn(text + name.to, " \t\r\n");
    if (strcmp(equation->target, "der") || text[open] != '(')
        return TAC_OK;
    TAC_TRY(tac__parse_advance(p));
    TAC_TRY(tac__parse_derivative(p, &equation->name));
    equation->target = tac__arena_format(p->arena, "der(%s)", equation->name);
    return equation->target ? TAC_OK : tac__fail_memory(p->err);
}

// '=' is not a token of expressions, which compare by ==.
static tac_status parse_sign(tac__parser *p, const tac__equation *equation)
{
    const char *text = p->expr->text;
    const uint32_t at = p->token.to + (uint32_t)strspn(text + p->token.to, " \t\r\n");
    if (text[at] != '=')
        return tac__expr_fail(p->err, TAC_E_SYNTAX, text, at,
                              "expected '=' after '%s': an equation gives one name, or der() of "
                              "one state, as in der(v) = force/mass",
                              equation->target);
    if (text[at + 1] == '=')
        return tac__expr_fail(p->err, TAC_E_SYNTAX, text, at,
                              "'==' compares; an equation has a single '='");
    p->token.to = at + 1;
    return TAC_OK;
}

tac_status tac__equation_parse(tac__arena *arena, const char *text, tac__equation *equation,
                               tac_error *err)
{
    tac__parser p = {.arena = arena, .err = err};
    *equation = (tac__equation){.expr = NULL};
    TAC_TRY(tac__parse_begin(&p, text));
    TAC_TRY(tac__parse_advance(&p));
    equation->column = p.token.from + 1; // only spaces come before it
    TAC_TRY(parse_target(&p, equation));
    TAC_TRY(parse_sign(&p, equation));
    p.expr->target = equation->target;
    TAC_TRY(tac__parse_whole(&p));
    equation->expr = p.expr;
    return TAC_OK;
}
