// tree.h - an expression as a tree, between parsing and compiling.
#ifndef TAC_EXPR_TREE_H
#define TAC_EXPR_TREE_H

#include "expr/expr.h"

typedef enum tac__expr_kind {
    TAC__EXPR_LITERAL, // a number, with a unit or bare
    TAC__EXPR_TRUTH,   // true, false
    TAC__EXPR_TIME,    // t
    TAC__EXPR_NAMED,   // a signal
    TAC__EXPR_LABEL,   // of an enum: a literal once it is checked
    TAC__EXPR_NEGATE,
    TAC__EXPR_NOT,
    TAC__EXPR_CONVERT, // to another unit: made by the check
    TAC__EXPR_POWER,
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
    TAC__EXPR_CALL, // of a function of numbers
    TAC__EXPR_IF,
    TAC__EXPR_TABLE,  // of `a`, with `points`
    TAC__EXPR_RISING, // from here on: operators that remember
    TAC__EXPR_FALLING,
    TAC__EXPR_HELD,
    TAC__EXPR_SINCE, // `b` is its value before; where there is none, the check adds one
} tac__expr_kind;

typedef struct tac__function tac__function;
typedef struct tac__expr_points tac__expr_points; // expr/table.h

typedef struct tac__expr_node tac__expr_node;
struct tac__expr_node {
    tac__expr_kind kind;
    uint32_t from, to;         // the bytes of the text that it was read from
    tac__expr_node *a, *b, *c; // operands
    double value;              // of literals
    const char *name;          // of a signal or label
    const tac__function *function;
    tac__expr_points *points; // of a table
    const char *unit_text;    // as written or declared; NULL where it was worked out
    tac__unit unit;
    bool bare; // a number without a unit: takes that of whatever it is used with

    // found by the check
    tac__expr_type type;
    int index;
    uint32_t element;
    const char *const *labels; // of an enum signal
    tac__factor factor;
    tac_time duration_us; // of held
};

struct tac__expr {
    const char *text;
    const char *target; // of an equation; NULL: it is none
    tac__expr_node *root;
    const char **names;
    size_t name_count;
    TAC__CAPACITY(const char *) name_capacity;
    size_t timed_count; // operators that remember
    bool waits;         // some of them for time to pass: held
};

static inline bool tac__expr_is_timed(tac__expr_kind kind)
{
    return kind >= TAC__EXPR_RISING;
}

static inline bool tac__expr_is_comparison(tac__expr_kind kind)
{
    return kind >= TAC__EXPR_LESS && kind <= TAC__EXPR_NOT_EQUAL;
}

static inline bool tac__expr_is_equality(tac__expr_kind kind)
{
    return kind == TAC__EXPR_EQUAL || kind == TAC__EXPR_NOT_EQUAL;
}

// Start an error about the byte `at` of `text`.
TAC_PRINTF(5, 6)
tac_status tac__expr_fail(tac_error *err, tac_status status, const char *text, size_t at,
                          const char *format, ...);

#endif
