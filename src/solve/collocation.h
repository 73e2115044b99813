// collocation.h - optimal control as a nonlinear program: Hermite-Simpson collocation in separated
// form, over one or several phases with free durations.
//
// Each phase has N intervals, of the same length h = T/N or of given ones, with the values of
// states and inputs at 2N + 1 points: ends and middles of the intervals. Between points a and b
// with the middle c:
//
//     x_b - x_a - h/6 (f_a + 4 f_c + f_b) = 0
//     x_c - (x_a + x_b)/2 - h/8 (f_a - f_b) = 0
//
// (Betts: Practical Methods for Optimal Control, 4.6.6). States are cubic in an interval, inputs
// quadratic or, with u_c - (u_a + u_b)/2 = 0, linear. A phase begins where and when the one before
// ends.
//
// Where an optimal input jumps or is not determined by the conditions at the points, free middles
// let it alternate from point to point. Linear inputs and the smoothing term
//
//     smoothing * sum over phases and inputs of the integral of (du/ds / u_scale)^2 over s = 0..1
//
// with s the part of the phase that is over, take that freedom away.
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
    const double *mesh; // ends of the intervals, 0 to 1, one more than intervals; NULL: all alike
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
    bool linear;      // inputs between the ends of an interval
    double smoothing; // 0: none
} tac__collocation_def;

typedef struct tac__collocation tac__collocation;

// Lives in the arena; what `def` points to must live as long.
TAC_MUST_CHECK tac_status tac__collocation_make(const tac__collocation_def *def, tac__arena *arena,
                                                tac__collocation **made, tac_error *err);
const tac__nlp *tac__collocation_nlp(const tac__collocation *c);
double *tac__collocation_guess(const tac__collocation *c); // of all variables; becomes the result
// Take the guess from a solution of the same phases with other intervals.
void tac__collocation_take(const tac__collocation *c, const tac__collocation *from,
                           const double *from_z);
// The smoothing term of the objective.
double tac__collocation_roughness(const tac__collocation *c, const double *z);

// Of a solution: when a phase begins, its duration, and states and inputs at its points. The part
// of the phase that is over at a point, 0 to 1.
double tac__phase_start(const tac__collocation *c, const double *z, size_t phase);
double tac__phase_duration(const tac__collocation *c, const double *z, size_t phase);
const double *tac__phase_point(const tac__collocation *c, const double *z, size_t phase,
                               size_t point);
double tac__phase_part(const tac__collocation *c, size_t phase, size_t point);
// States and inputs at any time of a phase, from 0 to its duration. `x` or `u` may be NULL.
void tac__phase_at(const tac__collocation *c, const double *z, size_t phase, double t_s, double *x,
                   double *u);
// The error of the dynamics between the points of an interval: the largest |dx/dt - f|, over
// x_scale, times the length of the interval. An estimate of how exact the solution is. And the
// largest of a phase.
double tac__interval_error(const tac__collocation *c, const double *z, size_t phase, size_t k);
double tac__phase_error(const tac__collocation *c, const double *z, size_t phase);

#endif
