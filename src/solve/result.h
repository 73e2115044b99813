// result.h - a result of a run: an expression over signals, its value and its derivatives, which
// are exact: the terms of the expression run on dual numbers.
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
    tac__expr_duals *duals; // of a number
    const double **dual_in; // where the duals of the inputs are
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

// Derivatives along all directions, from the duals of the inputs, TAC_DUAL_WIDTH doubles each;
// where `along`, time moves, too, by 1 s in the first direction.
void tac__result_differentiate(const tac__result *result, tac_time t_us, const double *duals,
                               bool along, double *by);

#endif
