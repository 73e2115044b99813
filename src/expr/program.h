// program.h - a program: a flat list of operations on a stack of doubles. Numbers of instructions
// below are callgrind's.
//
// A condition is 1 or 0. A program begins with the operators that remember, one after another,
// inner before outer, each with its operand; their results stay at the bottom of the stack, where
// the rest picks them up. So these operators see every evaluation, whatever AND, OR and if leave
// out. A program is checked when it is made: its stack fits, its jumps lead forward, it ends with
// END.
#ifndef TAC_EXPR_PROGRAM_H
#define TAC_EXPR_PROGRAM_H

#include "expr/function.h"

// Room for operands on the stack: six a level of nesting, and the results of operators that
// remember.
enum { TAC__STACK = 6 * TAC__EXPR_DEPTH + TAC__EXPR_TIMED + 4 };

typedef enum tac__opcode {
    TAC__OP_END,
    TAC__OP_NUMBER,
    TAC__OP_TIME,
    TAC__OP_SIGNAL,
    TAC__OP_PICK, // push the result of the remembering operator number `at`
    TAC__OP_NEGATE,
    TAC__OP_NOT,
    TAC__OP_SCALE_UP,   // * value
    TAC__OP_SCALE_DOWN, // / value
    TAC__OP_SQUARE,     // 93 instructions for x^2 < 4; by tac_pow, as x^3 < 4, 693
    TAC__OP_POWER,
    TAC__OP_MULTIPLY,
    TAC__OP_DIVIDE,
    TAC__OP_ADD,
    TAC__OP_SUBTRACT,
    TAC__OP_MULTIPLY_SIGNAL, // the same with a signal as the right operand: the oscillator of
                             // bench/count_equations.c takes 330 instructions instead of 360
    TAC__OP_DIVIDE_SIGNAL,
    TAC__OP_ADD_SIGNAL,
    TAC__OP_SUBTRACT_SIGNAL,
    TAC__OP_LESS,
    TAC__OP_LESS_EQUAL,
    TAC__OP_GREATER,
    TAC__OP_GREATER_EQUAL,
    TAC__OP_EQUAL,
    TAC__OP_NOT_EQUAL,
    TAC__OP_SIGNAL_LESS, // a signal compared with a number, the form of most conditions: two of
                         // them and an AND (bench/count_expr.c) take 95 instructions instead of 137
    TAC__OP_SIGNAL_LESS_EQUAL,
    TAC__OP_SIGNAL_GREATER,
    TAC__OP_SIGNAL_GREATER_EQUAL,
    TAC__OP_SIGNAL_EQUAL,
    TAC__OP_SIGNAL_NOT_EQUAL,
    TAC__OP_CALL_1,
    TAC__OP_CALL_2,
    TAC__OP_CALL_3,
    TAC__OP_SKIP_IF_FALSE, // jump to `at` and keep the value; else drop it
    TAC__OP_SKIP_IF_TRUE,
    TAC__OP_SKIP_UNLESS_NAN,
    TAC__OP_JUMP_IF_FALSE, // drop the value; jump to `at` if it was false
    TAC__OP_JUMP,
    TAC__OP_RISING, // from here on: operators that remember; each changes the word `at`
    TAC__OP_FALLING,
    TAC__OP_HELD,
    TAC__OP_SINCE, // NaN: its condition has not been true yet
} tac__opcode;

typedef struct tac__operation {
    tac__opcode code;
    int32_t at;       // signal: its index; jump: where to; comparison: where its operands begin
    uint32_t element; // of a signal
    union {
        double value;
        tac_time duration_us; // of HELD
    };
    union {
        const char *name; // of a signal
        const tac__function *function;
    };
} tac__operation;

struct tac__program {
    const char *text;
    tac__operation *operations;
    size_t count, capacity;
};

// A program for one node of a checked tree. All operators that remember of the whole expression run
// first, as in the program of the whole.
struct tac__expr_node;
tac_status tac__expr_compile_part(tac__arena *arena, const tac__expr *expr,
                                  const struct tac__expr_node *node, tac__program **program,
                                  tac_error *err);

#endif
