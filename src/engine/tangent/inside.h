// inside.h - what the files of this folder share. tangents.h says what tangents are; follow.h is
// what the run loop tells them.
#ifndef TAC_ENGINE_TANGENT_INSIDE_H
#define TAC_ENGINE_TANGENT_INSIDE_H

#include "engine/run/evaluator.h"
#include "engine/tangent/follow.h"
#include "engine/tangents.h"

enum { TAC__WIDTH = TAC_DUAL_WIDTH, TAC__DIRECTIONS = TAC_DUAL_DIRECTIONS, TAC__MOVED = 64 };

// A view on duals, beside one of the component.
typedef struct tac__tangent_view {
    const tac__view *plan;
    const double *signal; // duals; NULL: the signal is not of f64s
    const double *ring, *rate_ring;
    double *to; // NULL: the input is not of f64s
} tac__tangent_view;

// Beside a component. Values of other types than f64 that a step may write are copies, so that the
// step of numbers, which comes after the step of duals, finds them as they were; those that it
// reads are the values of the run.
typedef struct tac__tangent_part {
    tac__tangents *owner;
    tac_instance *run;
    tac_status (*step)(tac_step *s, const void *self); // what the run calls, and its `self`
    const void *step_self;
    const tac_kernels *kernels;
    tac_step frame; // of a step of duals
    tac_eval eval;  // of an evaluation on the bus
    const void **in;
    void **out, **state;
    double *numbers;
    double *decided;
    uint64_t *draws;
    tac__tangent_view *views; // as plan->views
    double *found;            // a machine of phases: the values of a transition's actions
    const char *gap;          // see tac__tangents_gap
    tac_time gap_us;
} tac__tangent_part;

// A located instant depends on parameters: by d[k] seconds along direction k.
typedef struct tac__moved {
    double d[TAC__DIRECTIONS];
} tac__moved;

// Beside an island.
typedef struct tac__tangent_flow {
    tac__tangents *owner;
    tac__island *island;
    tac__evaluator *duals; // NULL: some component has no equations on duals
    tac__subject subject;  // with derivatives of numbers
    tac__subject plain;    // without
    double *numbers;       // of all members
    const double **held;   // where the duals of held inputs are
    tac__ode_problem problem;
    tac__ode_work work;
    double *memory;    // of work
    double *z;         // where the right-hand side is evaluated
    double *x, *y;     // duals
    double *rate;      // dx/dt, as duals
    double *g, *slope; // numbers of events, as duals; and along the flow
    tac__moved moved;
    size_t stages; // left of the present step, where the last one is left out; else 0
    bool is_moved; // x is the state at an instant that depends on parameters
} tac__tangent_flow;

struct tac__tangents {
    tac_engine *engine;
    tac__tangent_part *parts; // one a component
    tac__tangent_flow *flows; // one an island
    void **signals;           // of f64s: duals; else a copy of the value
    double **rings;           // histories of signals, as duals; NULL: none
    tac__step_watcher watcher;
    uint64_t *no_islands;
    double *still;    // a dual 0, for rates of discrete signals
    double **look_in; // what a condition or a formula sees, one array an input
    // boundaries that moved, the last ones
    tac__moved log[TAC__MOVED];
    tac_time log_us[TAC__MOVED];
    size_t log_count;
    bool can_move;                // there are located conditions, or phases
    const char *fault, *fault_of; // the first value that was not that of the run; NULL: none was
    tac_time fault_us;
};

// --- values ---

// n doubles become constants.
void tac__tangent_constants(const double *from, size_t n, double *to);
// Have n duals these values? Every NaN is the same.
bool tac__tangent_same(const double *duals, const double *values, size_t n);
// Is some derivative not 0?
bool tac__tangent_any(const double *duals, size_t n);
// After a write of the run: duals have its values, or become constants, which is a fault where
// `computed`. `name` is what they are.
void tac__tangent_settle(tac__tangent_part *part, double *duals, const double *values, size_t n,
                         bool computed, const char *name);

// Some of what the component writes is a constant from now on, though it may depend on parameters.
void tac__tangent_lose(tac__tangent_part *part, const char *why);
// Does the component see, or have, anything that depends on a parameter?
bool tac__tangent_depends(const tac__tangent_part *part);

// --- views.c ---

// As tac__view_update, for the first `count` views.
void tac__tangent_see(const tac__tangent_part *part, size_t count, tac_time t_us);
// Keep the value of a signal with a history, which was written or is about to be.
void tac__tangent_keep(const tac__tangents *t, int signal, tac_time t_us);

// --- flow.c ---

tac_status tac__tangent_flow_make(tac__tangents *t, tac__tangent_flow *flow, tac__island *island);
// Follow the step of the island that ends at t_us; and arrive there.
void tac__tangent_follow(tac__tangent_flow *flow, tac_time t_us, bool boundary);
void tac__tangent_arrived(tac__tangent_flow *flow, bool boundary);
// Set the evaluator to the state of the flow and to its held inputs and modes.
void tac__tangent_aim(tac__tangent_flow *flow);
// The same at the state in z, with flow->rate as the only derivative; and back.
void tac__tangent_aim_along(tac__tangent_flow *flow);
void tac__tangent_aim_back(tac__tangent_flow *flow);

// --- turn.c ---

// A mode changes at t_us, the end of the step that was just followed: the terms of the state that
// come from the instant.
void tac__tangent_turn(tac__tangent_flow *flow, tac_time t_us);

// --- located.c ---

// Was the boundary at t_us located for a condition, or does it follow such a one after a fixed
// time? Then how it depends on parameters.
bool tac__tangent_located(tac__tangents *t, tac_time t_us, tac__moved *moved);
// The derivatives of the boundary at t_us, if it moved. False: it did not.
bool tac__tangent_moved(const tac__tangents *t, tac_time t_us, tac__moved *moved);
// The state of the flow, which is at its boundary t_us, becomes that at the moving instant.
void tac__tangent_shift(tac__tangent_flow *flow, tac_time t_us, const tac__moved *moved);

// --- steps.c ---

tac_status tac__tangent_step(tac_step *s, const void *self); // in the place of the component's

#endif
