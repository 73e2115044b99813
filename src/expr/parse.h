// parse.h - what parse.c (operators) and operand.c (operands) share.
#ifndef TAC_EXPR_PARSE_H
#define TAC_EXPR_PARSE_H

#include "expr/lex.h"

typedef struct tac__parser {
    tac__arena *arena;
    tac__expr *expr;
    tac__token token; // the next token
    int depth;
    tac_error *err;
} tac__parser;

// Precedence, lowest first; sign and powers come after products.
enum {
    TAC__LEVEL_OR,
    TAC__LEVEL_AND,
    TAC__LEVEL_NOT,
    TAC__LEVEL_COMPARISON,
    TAC__LEVEL_SUM,
    TAC__LEVEL_PRODUCT,
    TAC__LEVEL_SIGN
};

// tac__parse_begin starts with the text; the other continues to its end from the token after
// `p->token`.
tac_status tac__parse_begin(tac__parser *p, const char *text);
tac_status tac__parse_whole(tac__parser *p);

tac_status tac__parse_advance(tac__parser *p);
tac_status tac__parse_enter(tac__parser *p);
tac_status tac__parse_fail(const tac__parser *p, const char *expected);
tac_status tac__parse_make(tac__parser *p, tac__expr_kind kind, tac__expr_node **node);
// Reads the "(v)" of der(v), up to the ')', which stays the next token.
tac_status tac__parse_derivative(tac__parser *p, const char **name);
tac_status tac__parse_operand(tac__parser *p, tac__expr_node **node);
tac_status tac__parse_level(tac__parser *p, int level, tac__expr_node **node);

#endif
