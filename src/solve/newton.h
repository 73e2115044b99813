// newton.h - f(x) = 0 with lower <= x <= upper.
//
// Newton's method with exact Jacobians. Where a full step is longer than the range in which the
// last steps found the linear equations to hold, it is damped (Levenberg, Marquardt) to that
// length. All steps come from singular values, so that there may be more unknowns than equations
// (of all solutions of the linear equations the nearest is taken), fewer, or equations that repeat
// each other. Unknowns at a bound stay there as long as a step would lead out.
#ifndef TAC_SOLVE_NEWTON_H
#define TAC_SOLVE_NEWTON_H

#include "solve/function.h"

typedef enum tac__newton_end {
    TAC__NEWTON_SOLVED,
    TAC__NEWTON_STUCK,   // no step brings the equations nearer: as near as it gets
    TAC__NEWTON_LIMIT,   // too many iterations
    TAC__NEWTON_NUMERIC, // f or its Jacobian is not finite at the first guess
} tac__newton_end;

typedef struct tac__newton_def {
    const tac__solve_function *function;
    const double *lower, *upper;     // NULL: none; infinite where there is none
    const double *x_scale, *y_scale; // usual sizes, above 0; NULL: 1
    double tolerance;                // solved if all |y| / y_scale are at most this
    int iterations;
} tac__newton_def;

typedef struct tac__newton_result {
    tac__newton_end end;
    int iterations, damped; // damped: how many of them needed damping
    size_t rank;            // of the last Jacobian, with unknowns at bounds left out
    size_t free;            // unknowns that were not at bounds there
    double residual;        // largest |y| / y_scale
    // One an unknown, 0 to 1, in the arena: how much of it the equations leave open there. 0: it is
    // determined, or at a bound.
    const double *open;
} tac__newton_result;

// `x` is the first guess and becomes the result; `y` takes f there. Fails where memory does.
TAC_MUST_CHECK tac_status tac__newton(const tac__newton_def *def, tac__arena *arena, double *x,
                                      double *y, tac__newton_result *result);

#endif
