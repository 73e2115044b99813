// sym_ops.h - the operations of a symbolic graph, and how the sym kind hands them over.
//
// Plain C: the kind creates nodes through the two functions below. The builder of a graph defines
// these functions, and so decides what "the graph under construction" is.
#ifndef TAC_MATH_SYM_OPS_H
#define TAC_MATH_SYM_OPS_H

#include <tactus/api.h>

#include "math/elementary.h"

// X(name, operands). `lt` and `le` give conditions, the `logic` ones take and give them; `select`
// is condition, value if it holds, value if not.
#define TAC__SYM_BASIC_OPS(X)                                                                      \
    X(neg, 1)                                                                                      \
    X(add, 2)                                                                                      \
    X(sub, 2)                                                                                      \
    X(mul, 2)                                                                                      \
    X(div, 2)                                                                                      \
    X(lt, 2)                                                                                       \
    X(le, 2)                                                                                       \
    X(logic_and, 2)                                                                                \
    X(logic_or, 2)                                                                                 \
    X(logic_not, 1)                                                                                \
    X(select, 3)                                                                                   \
    X(abs, 1)                                                                                      \
    X(sqrt, 1)                                                                                     \
    X(floor, 1)

typedef enum {
#define TAC__SYM_ENUM(name, ignored) TAC__SYM_##name,
    // clang-format off
    TAC__SYM_BASIC_OPS(TAC__SYM_ENUM)
    TAC__ELEMENTARY_1(TAC__SYM_ENUM)
    TAC__ELEMENTARY_2(TAC__SYM_ENUM)
    TAC__SYM_OPS
// clang-format on
#undef TAC__SYM_ENUM
} tac__sym_op;

TAC_BEGIN_DECLS

// Append a node to the graph under construction and return its id; operands that an operation lacks
// are -1.
int tac__sym_constant(double value);
int tac__sym_node(tac__sym_op op, int a, int b, int c);

TAC_END_DECLS

#endif
