// linear.h - the inside of a linear system: dx/dt = A x + B u, y = C x + D u, next to a state.
#ifndef TAC_SOLVE_LINEAR_H
#define TAC_SOLVE_LINEAR_H

#include "solve/trim.h"

typedef struct tac__linear_def {
    const tac_trim *trim;  // where; NULL: where the engine is now
    const char *component; // of the plant, without a trim; NULL: there is one plant
    tac_place place;       // of `component`
    const tac_node *const *inputs, *const *outputs; // patterns; none: the default
    size_t input_count, output_count;
    bool full; // quaternions have four numbers; else they are angles about three axes
} tac__linear_def;

// A row or a column.
typedef struct tac__linear_name {
    const char *name, *unit;
    double value; // where the system was linearized; of an angle 0
} tac__linear_name;

struct tac_linear {
    const tac_allocator *allocator;
    tac__arena arena;
    const char *plant;
    tac__plant *own; // NULL: that of a trim
    bool trimmed;
    tac_time t_us;
    size_t n, m, p; // states, inputs, outputs
    tac__linear_name *x, *u, *y;
    double *a, *b, *c, *d;    // column by column
    double *rate;             // of each state, where the system was linearized
    double *real, *imaginary; // eigenvalues
    size_t controllable, observable;
};

TAC_MUST_CHECK tac_status tac__linear_create(const tac__linear_def *def, tac_engine *engine,
                                             tac_linear **linear, tac_error *err);

#endif
