// integrate.h - the integration of islands: evaluating them, a step, arriving and going on, looking
// without a trace.
#ifndef TAC_ENGINE_RUN_INTEGRATE_H
#define TAC_ENGINE_RUN_INTEGRATE_H

#include "base/text.h"
#include "engine/run/state.h"

// --- the state of a step ------------------------------------------------------------------------

static inline void tac__step_set(tac__island *island, tac__step_state next)
{
    TAC_ASSERT(tac__step_may_follow(island->step, next));
    island->step = next;
}

// The island stands at the end of its step.
static inline void tac__step_over(tac__island *island)
{
    if (island->step != TAC__STEP_NONE)
        tac__step_set(island, TAC__STEP_ARRIVED);
}

// --- evaluate.c ---------------------------------------------------------------------------------

tac__rhs_fn tac__island_rhs; // context is the island
// All of the outputs at the state in work.z, or those that others see while integrating.
tac_status tac__scratch_outputs(tac__island *island, double t_s, bool all);
// Stage 3: algebraic outputs, written to the bus.
tac_status tac__island_outputs(tac_engine *engine, tac__island *island, tac_time t_us);
// Before stage 0 of the first boundary: outputs at the initial state, for who looks at them before
// stage 3. Nothing is digested. Samples of other islands are renewed when all have been evaluated,
// so that their order does not matter.
void tac__islands_begin(tac_engine *engine, tac_time t_us);
void tac__island_update_views(const tac_engine *engine, const tac__island *island, tac_time t_us);

// Held inputs that are seen through a view are renewed at the boundaries of the island.
static inline void tac__island_renew(const tac_engine *engine, const tac__island *island,
                                     tac_time t_us)
{
    if (island->plan->viewer_count && island->state->at_us == t_us)
        tac__island_update_views(engine, island, t_us);
}

// --- integrate.c --------------------------------------------------------------------------------

// What may come of a step.
typedef enum tac__outcome {
    TAC__TAKEN,
    TAC__LOCATED, // and it ends where something was located
    TAC__FAILED_STEP,
    TAC__TOO_SMALL,
    TAC__TOO_MANY,
} tac__outcome;

// One step from x at from_us to `to_us`, into `y`.
tac_status tac__step_to(tac_engine *engine, tac__island *island, tac__ode_work *work,
                        tac_time to_us, double *y);
// The error of the last step; 1 is what the tolerances allow.
double tac__step_error(const tac_engine *engine, const tac__island *island,
                       const tac__ode_problem *problem, tac_time length_us);
// The step as it would be if no boundary turned up.
tac__outcome tac__natural_step(tac_engine *engine, tac__island *island, tac_time limit_us);
// The next step, from where the island stands and with the inputs that are held.
void tac__island_integrate(tac_engine *engine, tac__island *island);
// The next boundary of an island that has always been known.
tac_time tac__island_planned(const tac_engine *engine, const tac__island *island);

// --- jacobian.c: the right-hand side on dual numbers ---------------------------------------------

tac_status tac__jacobian_prepare(tac_engine *engine, tac__island *island);

// --- blame.c ------------------------------------------------------------------------------------

// A number that is none and comes from outside explains more than what it did to the states: the
// first held input of the component that is NaN, or infinite, and where it comes from. False: all
// are finite.
bool tac__name_bad_input(const tac_engine *engine, const tac_instance *c, tac__out *out);
// Name what failed: the component whose right-hand side did, the first state that is not a finite
// number, or the one whose error is the largest. Taking the step again is the shortest way to learn
// it.
tac_status tac__step_failed(tac_engine *engine, tac__island *island);

// --- islands.c ----------------------------------------------------------------------------------

tac_status tac__islands_arrive(tac_engine *engine, tac_time t_us); // those that are due
void tac__islands_integrate(tac_engine *engine);                   // from there
// The next time of a source has changed from old_us.
void tac__islands_replan(tac_engine *engine, int source, tac_time old_us, const tac__island *but);

// --- peek.c -------------------------------------------------------------------------------------

// Keep what is needed for outputs as they are at stage 3 of t_us, for observers that may look later
// in the same boundary.
void tac__island_preview(tac__island *island, tac_time t_us);
// The state was changed at a boundary by something other than a step.
tac_status tac__island_jumped(tac_engine *engine, tac__island *island, tac_time t_us);
// The value of a continuous signal at t_us, without a trace.
tac_status tac__island_peek(tac_engine *engine, int signal, tac_time t_us, const void **value);

#endif
