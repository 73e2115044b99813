// equations_shape.h - what kernels see of a component of type `equations`. A translation unit that
// includes this is of one scalar kind (math/real.h).
#ifndef TAC_MODEL_EQUATIONS_SHAPE_H
#define TAC_MODEL_EQUATIONS_SHAPE_H

#include "graph/tape.h"
#include "model/builtin.h"

enum {
    TAC__EQ_PORTS = 64,  // each of inputs, parameters, states, outputs
    TAC__EQ_WORK = 4096, // registers of a tape
};

// An output.
typedef struct tac__eq_result {
    int index; // of out[]
    bool condition;
} tac__eq_result;

// Groups of inputs of the tapes are the component's inputs (parameters among them; those that are
// conditions are empty), then the states, the inputs that are conditions, and the time. `derive`
// has the groups dx and fault as outputs, `output` the results, in this order, and fault.
typedef struct tac__equations_shape {
    const tac__tape *derive, *output;
    size_t input_count, condition_count, x_count, result_count, quat_count;
    const int *conditions; // inputs
    const tac__eq_result *results;
    const double *low, *high; // bounds of the states
    const int *quats;         // states: the first of four
    bool projects;            // there are bounds or quaternions
} tac__equations_shape;

TAC__EVAL_KERNEL(tac__equations_derive)
TAC__EVAL_KERNEL(tac__equations_output)
TAC__STATE_KERNEL(tac__equations_project)

#endif
