// method.h - one-step methods for y' = f(t, y): steps, their errors, and values between.
//
// The caller owns time, tolerances and the decision whether a step is accepted; this room owns the
// arithmetic. One round of an adaptive method:
//
//     tac__ode_step(m, p, w, t0, t1, h, y, y1)
//     error = tac__ode_error(m, p, w, rtol, atol, h, y, y1)
//     error <= 1: the step is taken; tac__ode_dense_* may look into it; tac__ode_carry(w)
//     error > 1:  tac__ode_retry(w), and step again from the same y over a shorter h
//     either way: the next h is at most h * tac__ode_factor(m, error)
//
// Sums run over the stages in ascending order and skip zero coefficients of the table, so the bits
// of a step depend on the table alone. Nothing here allocates.
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

// dy = f(t, z): the right-hand side is always evaluated at work->z, so that its function can keep
// pointers into that array. A status other than TAC_OK ends the step and is returned.
typedef tac_status tac__rhs_fn(void *context, double t_s, double *dy);

// df/dy at work->z, n by n, row by row: j[i * n + k] = df_i / dy_k.
typedef tac_status tac__jacobian_fn(void *context, double t_s, double *j);

// States whose error is measured together. Groups are disjoint and cover all states of a problem.
typedef struct tac__ode_group {
    uint32_t first, count;
    double scale;    // absolute tolerance is atol * scale
    bool quaternion; // its error is measured as a geodesic angle [rad]
} tac__ode_group;

struct tac__ode_problem {
    size_t n;
    void *context;
    tac__rhs_fn *rhs;
    tac__jacobian_fn *jacobian;   // of implicit methods; NULL: finite differences
    const tac__ode_group *groups; // of adaptive methods
    size_t group_count;
};

// Working memory of one problem.
struct tac__ode_work {
    size_t n;
    double *z;  // where the right-hand side is evaluated; never moves
    double *k;  // stages, each `stride` after the one before
    bool first; // f(t0, y) of the next step is known already

    // Private to this room. Arrays are `stride` long: n rounded up; elements past n are zero.
    size_t stride;
    double *y, *y1;      // ends of the step for which there is dense output
    double *e[2];        // error estimates
    double *dense;       // coefficients of dense output
    double *jacobian;    // n * n, row by row
    double *lu, *pivots; // of a matrix of n columns
    double *rate;        // df/dt
    int source;          // index in k of f(t0, y), where `first`
    int end;             // index in k of f(t1, y1) of the last step; 0: not evaluated
    bool started;        // k[0] is f(t0, y) of the last step
    bool linearised;     // jacobian and rate are those of the last step
    bool again;          // the next step begins where the last one began
};

// --- methods ----------------------------------------------------------------------------------

struct tac__method {
    const char *name; // as in a configuration
    int stages, order;
    int error_order; // q: the error estimate shrinks with h^(q + 1)
    bool adaptive;   // has an error estimate
    bool implicit;   // uses the Jacobian
    bool fsal;       // the last stage is f(t1, y1)
    double decay;    // fixed step: the largest h * |lambda|, lambda < 0, at which a solution decays

    // How many arrays of n doubles the method keeps: stages and the like; coefficients of dense
    // output.
    int slots, dense;
    // Starts from w->y (w->z is equal) and k[0].
    tac_status (*step)(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                       double h_s, double *y1);
    // The same step without vector registers that only some machines have, for tests. NULL: there
    // is one way only.
    tac_status (*plain)(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                        double h_s, double *y1);
    void (*estimate)(const tac__ode_work *w, double h_s); // writes w->e
    bool second_estimate;
    // Computes w->dense from w->y, w->y1 and k. NULL: the method has no coefficients.
    tac_status (*dense_begin)(const tac__ode_problem *p, tac__ode_work *w, double t0_s, double t1_s,
                              double h_s);
};

// All methods: X(name, doc). A new one is a row here and a file of its own, as rk4.c: what a
// configuration may say, its JSON Schema and suggestions in errors follow, and a test asks the
// documents for it.
#define TAC__METHOD_TABLE(X)                                                                       \
    X(euler, "fixed step, order 1")                                                                \
    X(rk4, "fixed step, order 4")                                                                  \
    X(rk23, "adaptive, order 3")                                                                   \
    X(rk45, "adaptive, order 5")                                                                   \
    X(dop853, "adaptive, order 8")                                                                 \
    X(rodas4, "adaptive and implicit, order 4")

#define TAC__METHOD_EXTERN(name, doc) extern const tac__method tac__##name##_method;
TAC__METHOD_TABLE(TAC__METHOD_EXTERN)
#undef TAC__METHOD_EXTERN

const tac__method *tac__method_find(const char *name); // NULL: unknown
tac__candidate_fn tac__method_name;                    // for suggestions

// --- working memory ---------------------------------------------------------------------------

size_t tac__ode_work_doubles(const tac__method *m, size_t n);

// An array like z, for a caller that keeps a state elsewhere. NULL: no memory.
double *tac__ode_array(tac__arena *arena, size_t n);
// n rounded up to a number of states whose arrays need no padding.
size_t tac__ode_whole(size_t n);

// `memory` is that many doubles and stays the caller's.
void tac__ode_work_init(tac__ode_work *w, const tac__method *m, size_t n, double *memory);

// The same for one of many problems with the same method and n, whose steps are taken one after
// another: arrays that only one step needs (z, its ends, errors and dense output) are those of
// `like`. A step and all looks into it must be over before the next problem takes one. Of 14 arrays
// of rk45 7 remain.
size_t tac__ode_work_doubles_beside(const tac__method *m, size_t n);
void tac__ode_work_init_beside(tac__ode_work *w, const tac__method *m, size_t n, double *memory,
                               const tac__ode_work *like);

// --- steps ------------------------------------------------------------------------------------

// One step from y at t0 to y1 at t1; y1 may not be y. A stage at c = 0 sees exactly t0_s, one at
// c = 1 exactly t1_s, the others t0_s + c * h_s; h_s is given because t1_s - t0_s rounds.
// f(t0, y) is taken as known if w->first, which is false afterwards.
tac_status tac__ode_step(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                         double t0_s, double t1_s, double h_s, const double *y, double *y1);

// Call when the next step begins at (t1, y1) of the last one and f has not changed: f(t1, y1) is
// kept where it has been evaluated. Dense output of the last step stays available.
void tac__ode_carry(tac__ode_work *w);

// Call when the last step is rejected and the next one begins at the same (t0, y): f(t0, y) and the
// Jacobian are kept.
void tac__ode_retry(tac__ode_work *w);

// Call when neither holds: nothing is known about where the next step begins.
void tac__ode_forget(tac__ode_work *w);

// --- step size --------------------------------------------------------------------------------

// Error of the last step: 1 is what the tolerances allow; INFINITY where anything is not finite.
// The largest over the groups of |e| / (atol * scale + rtol * max(|y|, |y1|)), with the Euclidean
// norm; of a quaternion the angle 2 |e| over atol * scale + rtol. 0 if the method is not adaptive.
double tac__ode_error(const tac__method *m, const tac__ode_problem *p, const tac__ode_work *w,
                      double rtol, double atol, double h_s, const double *y, const double *y1);

// By how much the next step may be longer: 0.9 error^(-1 / (q + 1)) to 2e-4, within [0.2, 5].
double tac__ode_factor(const tac__method *m, double error);
// Is that factor less than `limit`, which is above 0.2? Quicker than the factor; where the factor
// is less by no more than 1 %, the answer may be no.
bool tac__ode_factor_below(const tac__method *m, double error, double limit);

// --- dense output -----------------------------------------------------------------------------

// Prepare dense output of the last step, whose arguments these are; valid until the next step. May
// evaluate the right-hand side: f(t1, y1) for rk4 and dop853 (which tac__ode_carry keeps), 3 more
// for dop853.
tac_status tac__ode_dense_begin(const tac__method *m, const tac__ode_problem *p, tac__ode_work *w,
                                double t0_s, double t1_s, double h_s, const double *y,
                                const double *y1);

// The state at t0 + theta h, theta in [0, 1]: exactly y at 0 and exactly y1 at 1.
void tac__ode_dense_at(const tac__method *m, const tac__ode_work *w, const double *y,
                       const double *y1, double theta, double *out);

#endif
