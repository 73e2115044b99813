// expr.h - the expression language: conditions such as "vehicle.battery.soc < 0.3 AND NOT landed".
//
// Text becomes a tree (parse), whose signals may then be asked for; the tree becomes a flat program
// (compile), once names, types and units are known; the program is evaluated as often as one likes,
// without allocating anything. Trees and programs live in the arena they are made in.
// docs/expressions.md describes the language.
//
// Errors have no line: err->column is the column in the text, in characters from 1, and
// err->excerpt with err->caret shows the spot. Whoever knows where the text stands adds that.
#ifndef TAC_EXPR_EXPR_H
#define TAC_EXPR_EXPR_H

#include "base/arena.h"

#include <stdbool.h>

enum { TAC__EXPR_LENGTH = 4096, TAC__EXPR_DEPTH = 64 }; // bytes of a text; nesting

typedef enum tac__expr_type { TAC__EXPR_NUMBER, TAC__EXPR_BOOL } tac__expr_type;

typedef struct tac__expr tac__expr;
typedef struct tac__program tac__program;

TAC_MUST_CHECK tac_status tac__expr_parse(tac__arena *arena, const char *text, tac__expr **expr,
                                          tac_error *err);

// The signals that an expression names, as they are written ("Nav.position[2]"), each once, in the
// order in which they appear.
const char *const *tac__expr_signals(const tac__expr *expr, size_t *count);

// What is known of a signal.
typedef struct tac__expr_signal {
    int index; // of its value among those that tac__program_run gets
    tac__expr_type type;
    const char *unit; // of a number; NULL is "1"
} tac__expr_signal;

typedef struct tac__expr_scope {
    bool (*find)(const void *context, const char *name, tac__expr_signal *signal); // false: unknown
    tac__candidate_fn *candidate; // names that could have been meant; may be NULL
    const void *context;
} tac__expr_scope;

// Check names, types and units and make a program; `wanted` is the type of the whole. An expression
// is compiled once: its tree is changed by it.
TAC_MUST_CHECK tac_status tac__expr_compile(tac__arena *arena, tac__expr *expr,
                                            tac__expr_type wanted, const tac__expr_scope *scope,
                                            tac__program **program, tac_error *err);

typedef struct tac__expr_result {
    double value;    // of a condition 1 or 0
    const char *nan; // what was not a number where one was needed: a signal, or the whole text
} tac__expr_result;

// Evaluate at `t_s` seconds; `signals[i]` points to the double of the signal with index i, a bool
// being 1 or 0. A comparison with NaN is false and is told of.
tac__expr_result tac__program_run(const tac__program *program, double t_s,
                                  const void *const *signals);

#endif
