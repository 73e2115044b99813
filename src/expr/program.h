// program.h - a program: tapes (graph/tape.h) that compute an expression.
//
// The operators that remember come first, inner before outer, each with the tape of its operand;
// their results are inputs of the tapes that follow, so that these operators see every evaluation,
// whatever AND, OR and if leave out. The last tape is the value.
#ifndef TAC_EXPR_PROGRAM_H
#define TAC_EXPR_PROGRAM_H

#include "expr/terms.h"
#include "graph/tape.h"

// Registers of a tape of an expression.
enum { TAC__EXPR_WORK = 4096 };

// What is given to a tape: the time, then results of the operators that remember.
enum { TAC__GIVEN_TIME, TAC__GIVEN_REMEMBERED };

typedef struct tac__expr_part {
    tac__tape *tape; // its one output is the value, as long as no watched comparison meets a NaN
    tac__tape *full; // which comparisons were evaluated with NaN, then the value
    const tac__expr_comparison *comparisons;
    size_t comparison_count;
    tac__expr_kind kind;  // of the operator whose operand it is
    tac_time duration_us; // of held
} tac__expr_part;

struct tac__program {
    const tac__tape *quick; // of the value, where nothing remembers and watching is enough; or NULL
    uint32_t given, result; // registers of that tape
    bool uses_time;
    const char *text;
    tac__expr_part *parts; // `timed_count` operands, then the value
    size_t timed_count;
    const tac__expr_load *loads;
    size_t load_count;
};

// A program for one node of a checked tree. All operators that remember of the whole expression run
// first, as in the program of the whole.
tac_status tac__expr_compile_part(tac__arena *arena, const tac__expr *expr,
                                  const tac__expr_node *node, tac__program **program,
                                  tac_error *err);

// A program for several nodes of a checked tree: one tape computes them all. An output that is not
// a number is no fault.
typedef struct tac__expr_bundle {
    tac__program program; // its operators that remember
    tac__tape *tape;
    size_t count; // of outputs
} tac__expr_bundle;

tac_status tac__expr_compile_bundle(tac__arena *arena, const tac__expr *expr,
                                    const tac__expr_node *const *nodes, size_t count,
                                    tac__expr_bundle **bundle, tac_error *err);
// As tac__program_run; out[i] becomes the value of node i.
void tac__expr_bundle_run(const tac__expr_bundle *bundle, tac_time t_us, const void *const *signals,
                          uint64_t *memory, double *out);

// The same of one node on dual numbers.
tac_status tac__expr_duals_compile_part(tac__arena *arena, const tac__expr *expr,
                                        const tac__expr_node *node, tac__expr_duals **duals,
                                        tac_error *err);

#endif
