// tape_ops.h - the operations of a tape. Plain C and C++.
//
// Operations of a graph with one, two or three operands are followed by the register of the result
// and the registers of the operands. The others:
//
//     end
//     load      to, group, element, count: inputs into registers that follow one another
//     load_param                           the same from a group of parameters
//     pick, segment      to, from, table
//     skip_if, skip_unless   condition, words to go on from the beginning of the operation
//     loop      depth, counter, rounds, count, then for each variable: to, from
//     round     depth, counter, rounds, words to go back, settled, residual, count, exports, then
//               for each variable: to, next; then for each export: register
//     mul_add   to, a, b, c: a * b + c, rounded twice; mul_sub: a * b - c; sub_mul: c - a * b
//     select_lt, select_le   to, a, b, c, d: c where a < b, else d
//     watch_lt, ...   a comparison that looks for NaN
//     add_2, add_3, ...   so many operations of a kind, one after the other: the registers of each
//     input_lt, ...   to, group, element, two words of a constant: such a comparison of an input
//                     with a constant, the form of most conditions
#ifndef TAC_GRAPH_TAPE_OPS_H
#define TAC_GRAPH_TAPE_OPS_H

#include "math/sym_ops.h"

#define TAC__TAPE_OWN_OPS(X)                                                                       \
    X(end)                                                                                         \
    X(load)                                                                                        \
    X(load_param)                                                                                  \
    X(skip_if)                                                                                     \
    X(skip_unless)                                                                                 \
    X(loop)                                                                                        \
    X(round)                                                                                       \
    X(mul_add)                                                                                     \
    X(mul_sub)                                                                                     \
    X(sub_mul)                                                                                     \
    X(select_lt)                                                                                   \
    X(select_le)                                                                                   \
    X(watch_lt)                                                                                    \
    X(watch_le)                                                                                    \
    X(watch_eq)                                                                                    \
    X(input_lt)                                                                                    \
    X(input_le)                                                                                    \
    X(input_eq)                                                                                    \
    X(input_gt)                                                                                    \
    X(input_ge)

// Operations of which several in a row are one of the tape.
#define TAC__TAPE_GROUPED(X)                                                                       \
    X(neg)                                                                                         \
    X(add)                                                                                         \
    X(sub)                                                                                         \
    X(mul)                                                                                         \
    X(div)                                                                                         \
    X(lt)                                                                                          \
    X(logic_and)                                                                                   \
    X(select)                                                                                      \
    X(min)                                                                                         \
    X(max)                                                                                         \
    X(mul_add)                                                                                     \
    X(mul_sub)                                                                                     \
    X(sub_mul)

// The operations of a graph that a tape has, in the order of tac__sym_op from `pick` on; `variable`
// and `result` are registers.
typedef enum {
#define TAC__TAPE_ENUM(name)            TAC__TAPE_##name,
#define TAC__TAPE_ENUM_2(name, ignored) TAC__TAPE_##name,
#define TAC__TAPE_ENUM_3(name)          TAC__TAPE_##name##_2, TAC__TAPE_##name##_3, TAC__TAPE_##name##_4,
    TAC__TAPE_OWN_OPS(TAC__TAPE_ENUM) TAC__TAPE_pick,
    TAC__TAPE_segment,
    TAC__SYM_BASIC_OPS(TAC__TAPE_ENUM_2) TAC__ELEMENTARY_1(TAC__TAPE_ENUM_2)
        TAC__ELEMENTARY_2(TAC__TAPE_ENUM_2) TAC__TAPE_GROUPED(TAC__TAPE_ENUM_3) TAC__TAPE_OPS
#undef TAC__TAPE_ENUM
#undef TAC__TAPE_ENUM_2
#undef TAC__TAPE_ENUM_3
} tac__tape_op;

enum { TAC__TAPE_DEPTH = 16 }; // of loops within loops

#endif
