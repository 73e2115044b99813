// method.h - one-step methods for y' = f(t, y): steps, their errors, and values between.
//
// Who integrates owns time, tolerances and the decision whether a step counts; this room owns the
// arithmetic. One round of an adaptive method:
//
//     tac__ode_step(m, p, w, t0, t1, h, y, y1)
//     error = tac__ode_error(m, p, w, rtol, atol, h, y, y1)
//     error <= 1: the step is taken; tac__ode_dense_* may look into it; tac__ode_carry(m, w)
//     error > 1:  tac__ode_retry(m, w), and step again from the same y over a shorter h
//     either way: the next h is at most h * tac__ode_factor(m, error)
//
// Sums run over the stages in ascending order and skip coefficients that are zero in the table, so
// the bits of a step are a property of the table alone. Nothing here allocates.
#ifndef TAC_ODE_METHOD_H
#define TAC_ODE_METHOD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

enum { TAC__STAGES_MAX = 16 };

typedef struct tac__method tac__method;
typedef struct tac__ode_problem tac__ode_problem;
typedef struct tac__ode_work tac__ode_work;

// dy = f(t, z): the right-hand side is always evaluated at work->z, so that whoever computes it can
// keep pointers into it. A status other than TAC_OK ends the step and is passed up.
typedef tac_status tac__rhs_fn(void *context, double t_s, double *dy);

// df/dy at work->z, n by n, row by row: j[i * n + k] = df_i / dy_k.
typedef tac_status tac__jacobian_fn(void *context, double t_s, double *j);

// States whose error is measured together. The groups of a problem cover its states.
typedef struct tac__ode_group {
    uint32_t first, count;
    double scale;    // absolute tolerance is atol * scale
    bool quaternion; // its error is an angle: the geodesic one [rad]
} tac__ode_group;

struct tac__ode_problem {
    size_t n;
    void *context;
    tac__rhs_fn *rhs;
    tac__jacobian_fn *jacobian;   // of implicit methods; NULL: finite differences
    const tac__ode_group *groups; // of adaptive methods
    size_t group_count;
    bool autonomous; // f does not depend on t: an implicit method need not differentiate by it
};

// Working memory of one problem.
struct tac__ode_work {
    size_t n;
    double *z;  // where the right-hand side is evaluated; stays where it is
    double *k;  // stages, each `stride` after the one before
    bool first; // f(t0, y) of the next step is known already

    // The rest is for this room. Arrays are `stride` long, n rounded up, the rest zero.
    size_t stride;
    double *y, *y1;      // ends of the step that dense output looks into
    double *e[2];        // error estimates
    double *dense;       // coefficients of dense output
    double *jacobian;    // n * n, row by row
    double *lu, *pivots; // of a matrix of n columns
    double *rate;        // df/dt
    int source;          // where `first`: index in k of f(t0, y)
    int end;             // index in k of f(t1, y1) of the last step; 0: not evaluated
    bool started;        // k[0] is f(t0, y) of the last step
    bool linearised;     // jacobian and rate are those of the last step
    bool again;          // the next step begins where the last one did
};

// --- methods ----------------------------------------------------------------------------------

struct tac__method {
    const char *name;
    int stages, order;
    int error_order; // q: the error estimate shrinks with h^(q + 1)
    bool adaptive;   // has an error estimate
    bool implicit;   // uses the Jacobian
    bool fsal;       // the last stage is f(t1, y1)

    // Arrays of n that it keeps: stages and the like, coefficients of dense output.
    int slots, dense;
    // From w->y, which is also in w->z, and k[0].
    tac_status (*step)(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1);
    void (*estimate)(const tac__ode_work *w, double h_s); // writes w->e
    bool second_estimate;
    // From w->y, w->y1 and k, writes w->dense. NULL: the coefficients are none.
    tac_status (*dense_begin)(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s);
};

const tac__method *tac__method_find(const char *name); // NULL: unknown
tac__candidate_fn tac__method_name;                    // for suggestions

// --- working memory ---------------------------------------------------------------------------

size_t tac__ode_work_doubles(const tac__method *m, size_t n);

// An array such as z, for who wants to keep it elsewhere. NULL: no memory.
double *tac__ode_array(tac__arena *arena, size_t n);
// The next number of states, from n on, whose arrays have nothing behind them.
size_t tac__ode_whole(size_t n);

// `memory` is that many doubles and stays the caller's.
void tac__ode_work_init(tac__ode_work *w, const tac__method *m, size_t n, double *memory);

// --- steps ------------------------------------------------------------------------------------

// One step from y at t0 to y1 at t1; y1 may not be y. A stage at c = 0 sees exactly t0_s, one at
// c = 1 exactly t1_s, the others t0_s + c * h_s; h_s is given because t1_s - t0_s rounds.
// f(t0, y) is taken as known if w->first, which is false afterwards.
tac_status tac__ode_step(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                         double t0_s, double t1_s, double h_s, const double *y, double *y1);

// The next step begins at (t1, y1) of the last one and f is still the same function: keep f(t1, y1)
// where it has been evaluated. The last step can still be looked into.
void tac__ode_carry(const tac__method *m, tac__ode_work *w);

// The next step begins at (t0, y) like the last one, which is thrown away: keep f(t0, y) and the
// Jacobian.
void tac__ode_retry(const tac__method *m, tac__ode_work *w);

// Nothing is known of where the next step begins.
void tac__ode_forget(tac__ode_work *w);

// After a step of several problems side by side: leave in `own` what the step of one of them alone
// would have left there.
void tac__ode_unpack(const tac__method *m, const tac__ode_work *w, size_t lanes, size_t lane,
                     tac__ode_work *own);

// --- step size --------------------------------------------------------------------------------

// Error of the last step: 1 is what the tolerances allow; INFINITY where anything is not finite.
// The largest over the groups of |e| / (atol * scale + rtol * max(|y|, |y1|)), with the Euclidean
// norm; of a quaternion the angle 2 |e| over atol * scale + rtol. 0 if the method is not adaptive.
double tac__ode_error(const tac__method *m, const tac__ode_problem *p, const tac__ode_work *w,
                      double rtol, double atol, double h_s, const double *y, const double *y1);

// Of a step of several problems side by side, y[i * lanes + lane]: the error of each, as alone. The
// groups are those of one. `lanes` is even.
void tac__ode_errors(const tac__method *m, const tac__ode_problem *p, const tac__ode_work *w,
                     double rtol, double atol, double h_s, const double *y, const double *y1,
                     double *errors, size_t lanes);

// By how much the next step may be longer: 0.9 error^(-1 / (q + 1)) to 2e-4, within [0.2, 5].
double tac__ode_factor(const tac__method *m, double error);

// --- dense output -----------------------------------------------------------------------------

// Prepare to look into the last step, whose arguments these are; until the next step. May evaluate
// the right-hand side: f(t1, y1) for rk4 and dop853 (which tac__ode_carry keeps), 3 more for
// dop853.
tac_status tac__ode_dense_begin(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                                double t0_s, double t1_s, double h_s, const double *y,
                                const double *y1);

// The state at t0 + theta h, theta in [0, 1]: exactly y at 0 and exactly y1 at 1.
void tac__ode_dense_at(const tac__method *m, const tac__ode_work *w, double h_s, const double *y,
                       const double *y1, double theta, double *out);

#endif
