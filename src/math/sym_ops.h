// sym_ops.h - the operations of a symbolic graph, and how the sym kind hands them over.
//
// Plain C. What these functions do is defined by src/graph/terms.c; they are declared here because
// the sym kind of model code calls them.
#ifndef TAC_MATH_SYM_OPS_H
#define TAC_MATH_SYM_OPS_H

#include <stdint.h>
#include <tactus/api.h>

#include "math/elementary.h"

// X(name, operands). `lt`, `le` and `eq` give conditions, the `logic` ones take and give them;
// `select` is condition, value if it holds, value if not. min is select(a < b, a, b), max is
// select(a > b, a, b). `along` is a * b, but 0 where b is 0, whatever a is: the chain rule.
// `fmod` is that of C, which is exact.
#define TAC__SYM_BASIC_OPS(X)                                                                      \
    X(neg, 1)                                                                                      \
    X(add, 2)                                                                                      \
    X(sub, 2)                                                                                      \
    X(mul, 2)                                                                                      \
    X(div, 2)                                                                                      \
    X(lt, 2)                                                                                       \
    X(le, 2)                                                                                       \
    X(eq, 2)                                                                                       \
    X(logic_and, 2)                                                                                \
    X(logic_or, 2)                                                                                 \
    X(logic_not, 1)                                                                                \
    X(select, 3)                                                                                   \
    X(min, 2)                                                                                      \
    X(max, 2)                                                                                      \
    X(along, 2)                                                                                    \
    X(abs, 1)                                                                                      \
    X(sqrt, 1)                                                                                     \
    X(floor, 1)                                                                                    \
    X(fmod, 2)

typedef enum {
    TAC__SYM_constant, // the value
    TAC__SYM_input,    // a: the number of the input in its pool
    TAC__SYM_pick,     // entry of a table; a: the index, a whole number from 0; b: the table
    TAC__SYM_segment,  // how many of the inner breakpoints of a table are not above the argument;
                       // a: the argument; b: the table of breakpoints
    TAC__SYM_variable, // of a loop, within its body; a: the loop; b: which variable
    TAC__SYM_result,   // of a loop; a: the loop; b: which variable, behind these which export
#define TAC__SYM_ENUM(name, ignored) TAC__SYM_##name,
    // clang-format off
    TAC__SYM_BASIC_OPS(TAC__SYM_ENUM)
    TAC__ELEMENTARY_1(TAC__SYM_ENUM)
    TAC__ELEMENTARY_2(TAC__SYM_ENUM)
    TAC__SYM_OPS
// clang-format on
#undef TAC__SYM_ENUM
} tac__sym_op;

// A value of the sym kind: a term of a pool, or a constant, which belongs to no pool. Memory that
// is all zero is the constant 0. A condition that is constant is 1 or 0.
typedef struct tac__sym_value {
    struct tac__terms *pool; // NULL: a constant
    union {
        double value;
        int32_t id;
    };
} tac__sym_value;

// The most variables and exports of a loop.
enum { TAC__LOOP_VARIABLES = 8, TAC__LOOP_EXPORTS = 64 };

TAC_BEGIN_DECLS

// The operation on these operands; those that it lacks are ignored. Where all are constants the
// result is one, too, by the arithmetic of f64.
tac__sym_value tac__sym_make(tac__sym_op op, tac__sym_value a, tac__sym_value b, tac__sym_value c);

// Entry `index` of a table; and the segment of the breakpoints x[0..n-1] in which `at` lies: the
// number of x[1..n-2] that are not above it. The tables are copied.
tac__sym_value tac__sym_pick(const double *data, int count, tac__sym_value index);
tac__sym_value tac__sym_segment(const double *x, int n, tac__sym_value at);

// The value that a term has where every input has its present value (tac__terms.now in
// graph/terms.h): for decisions that are taken once, as a graph is made. NaN where these are not
// known, and of terms that need a loop.
double tac__sym_now(tac__sym_value value);

// A loop: variables with initial values, and a body, which is evaluated until it says that it has
// settled, or `rounds` times after the first; each time but the last the variables then become what
// the body computed for them. `begin` puts the variables, as the body sees them, into vars[].
// `end` has what the body computed from them: `next` values of the variables, whether it has
// `settled`, and exports: other values that the body computes. They become what they are after
// the loop. `residual` is a value of the body that is 0 where the first variable has its solution:
// the loop is differentiated through it, as an implicit function of what is outside; the other
// variables only help to find the solution. The loop belongs to the pool of any operand that has
// one; `pool` is NULL where all are constants, then the body is evaluated as numbers.
typedef struct tac__sym_loop {
    struct tac__terms *pool;
    int32_t loop;
} tac__sym_loop;

tac__sym_loop tac__sym_loop_begin(struct tac__terms *pool, int rounds, int count,
                                  const tac__sym_value *initial, tac__sym_value *vars);
void tac__sym_loop_end(tac__sym_loop loop, tac__sym_value *next, tac__sym_value settled,
                       tac__sym_value residual, int exports, tac__sym_value *exported);

TAC_END_DECLS

#endif
