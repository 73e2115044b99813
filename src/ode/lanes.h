// lanes.h - steps of several problems side by side, in the lanes of vector registers.
//
// A group is 2, 4 or 8 problems with the same equations. In an array of n states the values of all
// lanes lie side by side: state i of a lane is at [i * lanes + lane]. A lane computes to the bit
// what tac__ode_step (method.h) computes for its problem alone. All lanes that take part in a step
// begin at the same time; each has a step length and an end of its own.
//
// There are two kinds of memory, both of the caller:
//
//     tac__ode_lanes       kept for each group: x, y, and f(t0, x) of methods whose last stage is
//                          f(t1, y1)
//     tac__ode_lanes_work  the stages of the last step: shared by any number of groups of the same
//                          method, width and n
//
// A step overwrites the stages of the group that used the work before. Functions that need the
// stages of a group notice that, and say below what happens then.
//
// One round of an adaptive method, where `active` are the lanes that begin a step at t0:
//
//     tac__ode_lanes_step(m, p, w, l, active, t0, t1, h)
//     tac__ode_lanes_errors(m, p, w, l, active, rtol, atol, h, errors)
//     lanes with an error <= 1: tac__ode_lanes_carry(m, w, l, lanes) if their next step begins at
//         their (t1, y) and f has not changed; tac__ode_lanes_advance(m, l, lanes) when the time t1
//         of each has come
//     the other lanes: tac__ode_lanes_retry(w, l, lanes), and step with these lanes only, over a
//         shorter h
//
// Lanes that do not take part in a step keep their x, y, stages and derivative. The right-hand side
// is evaluated for these lanes too, at their x and at t0, and the result is dropped. So x of every
// lane must be a state of the problem. A lane without a problem of its own gets a copy of another
// lane and takes part with it: steps of all lanes are the fastest.
//
// Nothing here allocates. Functions of this file call code that is compiled for the registers of
// the width: call them only where the machine has those (math/machine.h).
#ifndef TAC_ODE_LANES_H
#define TAC_ODE_LANES_H

#include "ode/method.h"

enum { TAC__ODE_LANES_MAX = 8 };

// A set of lanes: bit l is lane l.
typedef uint32_t tac__lane_set;

static inline tac__lane_set tac__lanes_all(size_t lanes)
{
    return (tac__lane_set)((1u << lanes) - 1);
}

typedef struct tac__ode_lanes_method tac__ode_lanes_method;
typedef struct tac__ode_lanes_problem tac__ode_lanes_problem;
typedef struct tac__ode_lanes_work tac__ode_lanes_work;
typedef struct tac__ode_lanes tac__ode_lanes;

// dy = f(t, z) in all lanes, at work->z; t_s has the time of each lane. `t_s` and `dy` are aligned
// as reals of the width. A status other than TAC_OK ends the step of all lanes and is returned.
typedef tac_status tac__ode_lanes_rhs_fn(void *context, const double *t_s, double *dy);

struct tac__ode_lanes_problem {
    // States that are integrated: at most the n of the group. States behind them stand still: z and
    // y have their x, with -0 replaced by 0.
    size_t n;
    void *context;
    tac__ode_lanes_rhs_fn *rhs;
    // Of one lane, for adaptive methods. Where lanes have scales of their own, those count.
    const tac__ode_group *groups;
    size_t group_count;
};

// A group of lanes: what is kept between steps. Arrays have n * lanes doubles, begin at a multiple
// of the width and never move; x, y and f lie one behind another.
struct tac__ode_lanes {
    size_t n;            // states of one lane
    double *x;           // where the next step of a lane begins; the caller may write it
    double *y;           // result of the last step of each lane
    double *f;           // of methods whose last stage is f(t1, y1), else NULL
    tac__lane_set first; // lanes whose f is f(t0, x) of their next step
    // Scales of the groups of states, one a lane for each, of the caller; NULL: those of the
    // problem.
    const double *scales;
};

// What a step is computed in. Arrays as above.
struct tac__ode_lanes_work {
    size_t n;
    double *z; // where the right-hand side is evaluated; never moves

    // Private to this room.
    double *k;                // stages, n * lanes doubles each
    double *t0_s;             // of each lane
    double *fresh;            // a result of which only some lanes are taken
    const tac__ode_lanes *of; // the group that stepped last; NULL: none
    tac__lane_set started;    // lanes whose k[0] is f(t0, x) of their last step
    tac__lane_set ended;      // lanes whose last stage is f(t1, y1) of their last step
    tac__lane_set again;      // lanes whose next step begins where the last one began
};

// One method for one width.
struct tac__ode_lanes_method {
    const tac__method *method;
    size_t lanes;

    // Private to this room: the code for this width (lanes.model.h).
    // w->z = l->x, with -0 replaced by 0, and w->t0_s.
    void (*take)(tac__ode_lanes_work *w, const tac__ode_lanes *l, double t0_s);
    // Stages from the second on and y. If `keeps`, w has stages of lanes that are not active.
    tac_status (*step)(const tac__ode_lanes_problem *p, tac__ode_lanes_work *w,
                       const tac__ode_lanes *l, tac__lane_set active, bool keeps, double t0_s,
                       const double *t1_s, const double *h_s);
    void (*errors)(const tac__ode_lanes_problem *p, const tac__ode_lanes_work *w,
                   const tac__ode_lanes *l, double rtol, double atol, const double *h_s,
                   double *errors);
    // to = from in the lanes of the set, n packs.
    void (*merge)(tac__lane_set set, size_t n, const double *from, double *to);
};

// The method for 2, 4 or 8 lanes. NULL: not for that many, or the method is implicit. Whether the
// machine has the registers is for the caller to ask.
const tac__ode_lanes_method *tac__ode_lanes_find(const tac__method *method, size_t lanes);

// --- memory -----------------------------------------------------------------------------------

// Kept for each group, for n states of each lane. `memory` is that many doubles and stays the
// caller's. All is 0 then.
size_t tac__ode_lanes_doubles(const tac__ode_lanes_method *m, size_t n);
void tac__ode_lanes_init(tac__ode_lanes *l, const tac__ode_lanes_method *m, size_t n,
                         double *memory);

// Shared.
size_t tac__ode_lanes_work_doubles(const tac__ode_lanes_method *m, size_t n);
void tac__ode_lanes_work_init(tac__ode_lanes_work *w, const tac__ode_lanes_method *m, size_t n,
                              double *memory);

// --- steps ------------------------------------------------------------------------------------

// One step of the active lanes, from x at t0 to y at t1 of each lane, as tac__ode_step. t1_s and
// h_s have an element for each lane; those of other lanes are not used. Where f(t0, x) of all
// active lanes is known it is not evaluated; where that of some is known these keep theirs. After a
// failure y of the active lanes is undefined.
tac_status tac__ode_lanes_step(const tac__ode_lanes_method *m, const tac__ode_lanes_problem *p,
                               tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set active,
                               double t0_s, const double *t1_s, const double *h_s);

// As tac__ode_error of each active lane, for the step that these lanes took last; `errors` of other
// lanes are left alone. No other group has used `w` since the step. h_s is that of the step.
void tac__ode_lanes_errors(const tac__ode_lanes_method *m, const tac__ode_lanes_problem *p,
                           const tac__ode_lanes_work *w, const tac__ode_lanes *l,
                           tac__lane_set active, double rtol, double atol, const double *h_s,
                           double *errors);

// As tac__ode_carry for a set of lanes: the next step of each begins at (t1, y) of its last one,
// and f has not changed. If another group has used `w` since, f(t1, y) is evaluated again.
void tac__ode_lanes_carry(const tac__ode_lanes_method *m, tac__ode_lanes_work *w, tac__ode_lanes *l,
                          tac__lane_set set);

// As tac__ode_retry for a set of lanes: the next step of each begins at the same (t0, x) as its
// last one. Takes back tac__ode_lanes_carry. If another group has used `w` since, f(t0, x) is
// evaluated again.
void tac__ode_lanes_retry(tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set set);

// As tac__ode_forget for a set of lanes: nothing is known about where their next step begins, and
// the stages of their last step are not needed any more.
void tac__ode_lanes_forget(tac__ode_lanes_work *w, tac__ode_lanes *l, tac__lane_set set);

// x = y in a set of lanes.
void tac__ode_lanes_advance(const tac__ode_lanes_method *m, tac__ode_lanes *l, tac__lane_set set);

// --- one lane -----------------------------------------------------------------------------------

// One lane of n packs, in and out.
static inline void tac__lane_put(size_t lanes, size_t lane, size_t n, const double *from,
                                 double *packs)
{
    for (size_t i = 0; i < n; i++)
        packs[i * lanes + lane] = from[i];
}

static inline void tac__lane_get(size_t lanes, size_t lane, size_t n, const double *packs,
                                 double *to)
{
    for (size_t i = 0; i < n; i++)
        to[i] = packs[i * lanes + lane];
}

// A problem joins the group: x of the lane is its state. f(t0, x) moves from `own` to the lane, if
// `own` has it: from now on `own` knows nothing, until the problem leaves the group. `own` may be
// NULL.
void tac__ode_lanes_join(const tac__ode_lanes_method *m, tac__ode_lanes_work *w, tac__ode_lanes *l,
                         size_t lane, const double *x, tac__ode_work *own);

// A problem leaves the group, and takes f(t0, x) with it: `own` becomes what the work of the
// problem alone would be after the last step of the lane. False: another group has used `w` since,
// or the lane has taken no step; then `own` has at most f(t0, x) of the next step.
bool tac__ode_lanes_leave(const tac__ode_lanes_method *m, const tac__ode_lanes_work *w,
                          const tac__ode_lanes *l, size_t lane, tac__ode_work *own);

#endif
