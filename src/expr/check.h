// check.h - what check.c and units.c share.
#ifndef TAC_EXPR_CHECK_H
#define TAC_EXPR_CHECK_H

#include "expr/tree.h"

typedef struct tac__checker {
    tac__arena *arena;
    const tac__expr *expr;
    const tac__expr_scope *scope;
    tac_error *err;
} tac__checker;

#define TAC__CHECK_FAIL(c, node, status, ...)                                                      \
    tac__expr_fail((c)->err, (status), (c)->expr->text, (node)->from, __VA_ARGS__)

// The text of a node for errors, cut where it is long.
enum { TAC__EXPR_QUOTE = 64 };
const char *tac__expr_quote(const tac__expr *expr, const tac__expr_node *node,
                            char buffer[TAC__EXPR_QUOTE]);

// --- units.c: each function sets the unit of `node`; types of operands have been checked ---

// Convert `*node` to a unit of the same kind; a number without a unit takes the unit on. `where` is
// for the error message.
tac_status tac__check_convert(tac__checker *c, tac__expr_node **node, const char *unit,
                              const char *where);
// Convert operands to one unit, which is also the unit of the result.
tac_status tac__check_alike(tac__checker *c, tac__expr_node *node, tac__expr_node **operands[],
                            size_t count);
tac_status tac__check_multiply(tac__checker *c, tac__expr_node *node);
tac_status tac__check_power(tac__checker *c, tac__expr_node *node);
tac_status tac__check_call(tac__checker *c, tac__expr_node *node);

#endif
