// result.h - a result of a run: an expression over signals, its value and its derivatives.
//
// Derivatives of the expression by the signals are extrapolated differences of the expression alone
// (math/difference.h), which has no noise.
#ifndef TAC_SOLVE_RESULT_H
#define TAC_SOLVE_RESULT_H

#include "base/arena.h"
#include "engine/tangents.h"
#include "engine/watch.h"
#include "expr/expr.h"

typedef struct tac__result_input {
    int signal;
    uint32_t element;
    tac_scalar scalar;
    int island; // -1: discrete
    double value;
} tac__result_input;

typedef struct tac__result {
    const char *text;
    const char *unit; // of the value
    bool condition;   // what is evaluated is by how much a condition holds
    tac__program *program;
    tac__margin *margin;
    tac__result_input *inputs;
    const void **values;
    size_t count;
} tac__result;

// `wanted` is a number or a condition. Names are those of the signals of the engine.
TAC_MUST_CHECK tac_status tac__result_compile(tac__arena *arena, const tac_engine *engine,
                                              const char *text, tac__expr_type wanted,
                                              tac__result *result, tac_error *err);

// With the values of the inputs; of a condition: by how much it holds.
double tac__result_value(const tac__result *result, tac_time t_us);
bool tac__result_holds(const tac__result *result, tac_time t_us);

// Derivatives by all inputs, and by time per second.
double tac__result_slopes(const tac__result *result, tac_time t_us, double *slopes);

#endif
