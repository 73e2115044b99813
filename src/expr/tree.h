// tree.h - an expression as a tree, between parsing and compiling.
#ifndef TAC_EXPR_TREE_H
#define TAC_EXPR_TREE_H

#include "base/unit.h"
#include "expr/expr.h"

typedef enum tac__expr_kind {
    TAC__EXPR_LITERAL, // a number, with a unit or bare
    TAC__EXPR_TRUTH,   // true, false
    TAC__EXPR_TIME,    // t
    TAC__EXPR_NAMED,   // a signal
    TAC__EXPR_NEGATE,
    TAC__EXPR_NOT,
    TAC__EXPR_CONVERT, // to another unit: made by the check
    TAC__EXPR_MULTIPLY,
    TAC__EXPR_DIVIDE,
    TAC__EXPR_ADD,
    TAC__EXPR_SUBTRACT,
    TAC__EXPR_LESS,
    TAC__EXPR_LESS_EQUAL,
    TAC__EXPR_GREATER,
    TAC__EXPR_GREATER_EQUAL,
    TAC__EXPR_EQUAL,
    TAC__EXPR_NOT_EQUAL,
    TAC__EXPR_AND,
    TAC__EXPR_OR,
} tac__expr_kind;

typedef struct tac__expr_node tac__expr_node;
struct tac__expr_node {
    tac__expr_kind kind;
    uint32_t from, to;     // the bytes of the text that it was read from
    tac__expr_node *a, *b; // operands
    double value;          // of literals
    const char *name;      // of a signal
    const char *unit_text; // as written or declared; NULL where it was worked out
    tac__unit unit;
    bool bare; // a number without a unit: takes that of whatever it is used with

    // found by the check
    tac__expr_type type;
    int index;
    tac__factor factor;
};

struct tac__expr {
    const char *text;
    tac__expr_node *root;
    const char **names;
    size_t name_count, name_capacity;
};

// Start an error about the byte `at` of `text`.
TAC_PRINTF(5, 6)
tac_status tac__expr_fail(tac_error *err, tac_status status, const char *text, size_t at,
                          const char *format, ...);

// Find names, types and units, and insert conversions. Works on the tree itself.
tac_status tac__expr_check(tac__arena *arena, const tac__expr *expr, tac__expr_node *node,
                           const tac__expr_scope *scope, tac_error *err);

// The text of a node for errors, cut where it is long.
enum { TAC__EXPR_QUOTE = 64 };
const char *tac__expr_quote(const tac__expr *expr, const tac__expr_node *node,
                            char buffer[TAC__EXPR_QUOTE]);

#endif
