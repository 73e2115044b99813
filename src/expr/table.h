// table.h - tables in expressions: table(x, [...], [...]) and spline(x, [...], [...]).
#ifndef TAC_EXPR_TABLE_H
#define TAC_EXPR_TABLE_H

#include "expr/check.h"
#include "math/sym_ops.h"

// The points of a table, as literals until they are checked, then as numbers.
typedef struct tac__expr_points {
    size_t count[2]; // of breakpoints and of entries
    tac__expr_node **literals[2];
    TAC__CAPACITY(tac__expr_node *) capacity[2];
    bool spline;
    double *numbers[2]; // breakpoints in the unit of the argument, entries in that of the result
    double *bend;       // of a spline: math/spline.h
} tac__expr_points;

TAC_BEGIN_DECLS

// Checks the points of `node`, whose argument has been checked, and computes their numbers.
tac_status tac__check_table(tac__checker *c, tac__expr_node *node);

// The value of the table at `*x`; outside it is the entry at the edge.
void tac__expr_table_sym(const tac__expr_points *p, const tac__sym_value *x, tac__sym_value *y);

TAC_END_DECLS

#endif
