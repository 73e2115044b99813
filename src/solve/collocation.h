// collocation.h - optimal control as a nonlinear program: Hermite-Simpson collocation in separated
// form, over one or several phases with free durations.
//
// Each phase has N intervals of the same length h = T/N, with the values of states and inputs at
// 2N + 1 points: ends and middles of the intervals. Between points a and b with the middle c:
//
//     x_b - x_a - h/6 (f_a + 4 f_c + f_b) = 0
//     x_c - (x_a + x_b)/2 - h/8 (f_a - f_b) = 0
//
// (Betts: Practical Methods for Optimal Control, 4.6.6). States are cubic in an interval, inputs
// quadratic. A phase begins where and when the one before ends.
#ifndef TAC_SOLVE_COLLOCATION_H
#define TAC_SOLVE_COLLOCATION_H

#include "solve/nlp.h"

// A function of a point: of states, inputs and time, in this order. NULL function: none.
typedef struct tac__at_point {
    const tac__solve_function *function;
    const double *lower, *upper; // one an output
} tac__at_point;

typedef struct tac__phase_def {
    size_t intervals;
    // Rates of change of all states; then constraints of the path; then, if `cost`, what is
    // integrated over time and added to the objective.
    const tac__solve_function *point;
    size_t paths;
    bool cost;
    const double *path_lower, *path_upper;
    tac__at_point start, end;        // conditions there
    double least_s, most_s, guess_s; // duration
    const double *x_lower, *x_upper, *u_lower, *u_upper;
    const double *x_begin, *x_end; // guess: a line from one to the other
    const double *u_guess;
} tac__phase_def;

typedef struct tac__collocation_def {
    size_t states, inputs, phase_count;
    const tac__phase_def *phases;
    const double *x_scale, *u_scale;
    double t_scale;
    const double *first_lower, *first_upper; // states where the first phase begins
    double t_s;                              // time there
    const tac__solve_function *objective;    // at the end of the last phase; NULL: 0
    double objective_scale;
} tac__collocation_def;

typedef struct tac__collocation tac__collocation;

// Lives in the arena; what `def` points to must live as long.
TAC_MUST_CHECK tac_status tac__collocation_make(const tac__collocation_def *def, tac__arena *arena,
                                                tac__collocation **made, tac_error *err);
const tac__nlp *tac__collocation_nlp(const tac__collocation *c);
double *tac__collocation_guess(const tac__collocation *c); // of all variables; becomes the result

// Of a solution: when a phase begins, its duration, and states and inputs at its points.
double tac__phase_start(const tac__collocation *c, const double *z, size_t phase);
double tac__phase_duration(const tac__collocation *c, const double *z, size_t phase);
const double *tac__phase_point(const tac__collocation *c, const double *z, size_t phase,
                               size_t point);
// States and inputs at any time of a phase, from 0 to its duration. `x` or `u` may be NULL.
void tac__phase_at(const tac__collocation *c, const double *z, size_t phase, double t_s, double *x,
                   double *u);
// The largest error of the dynamics between points: |dx/dt - f|, over x_scale, integrated over an
// interval. An estimate of how exact the solution is.
double tac__phase_error(const tac__collocation *c, const double *z, size_t phase);

#endif
