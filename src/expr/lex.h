// lex.h - the tokens of an expression.
#ifndef TAC_EXPR_LEX_H
#define TAC_EXPR_LEX_H

#include "expr/tree.h"

typedef enum tac__token_kind {
    TAC__TOKEN_END,
    TAC__TOKEN_NUMBER, // 1.5, 100 km
    TAC__TOKEN_NAME,   // Nav.position[2]
    TAC__TOKEN_LABEL,  // 'landed'
    TAC__TOKEN_TRUE,
    TAC__TOKEN_FALSE,
    TAC__TOKEN_OPEN,
    TAC__TOKEN_CLOSE,
    TAC__TOKEN_COMMA,
    TAC__TOKEN_OPEN_LIST,
    TAC__TOKEN_CLOSE_LIST,
    TAC__TOKEN_NOT,
    TAC__TOKEN_AND,
    TAC__TOKEN_OR,
    TAC__TOKEN_LESS,
    TAC__TOKEN_LESS_EQUAL,
    TAC__TOKEN_GREATER,
    TAC__TOKEN_GREATER_EQUAL,
    TAC__TOKEN_EQUAL,
    TAC__TOKEN_NOT_EQUAL,
    TAC__TOKEN_PLUS,
    TAC__TOKEN_MINUS,
    TAC__TOKEN_TIMES,
    TAC__TOKEN_OVER,
    TAC__TOKEN_POWER,
} tac__token_kind;

typedef struct tac__token {
    tac__token_kind kind;
    uint32_t from, to; // bytes of the text
    double value;      // of a number
    uint32_t unit;     // of a number: where its unit begins; `to` where it has none
} tac__token;

// Read the token at or after byte `at`.
tac_status tac__lex(const char *text, uint32_t at, tac__token *token, tac_error *err);

#endif
