// integrate.h - the integration of islands: evaluate them, take a step, arrive at its end, peek.
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

// The step is over: the island stands at its end.
static inline void tac__step_over(tac__island *island)
{
    if (island->step != TAC__STEP_NONE)
        tac__step_set(island, TAC__STEP_ARRIVED);
}

// --- evaluate.c ---------------------------------------------------------------------------------

tac__rhs_fn tac__island_rhs;       // context is the island
tac__rhs_fn tac__island_rhs_timed; // the same, measured: see profile.h
// Evaluate outputs at the state in work.z: all, or those that others read while integrating.
tac_status tac__scratch_outputs(tac__island *island, double t_s, bool all);
// Stage 3: algebraic outputs, written to the bus.
tac_status tac__island_outputs(tac_engine *engine, tac__island *island, tac_time t_us);
// Before stage 0 of the first boundary: outputs at the initial state, for readers before stage 3.
// No digests are taken. Held samples of other islands are renewed after all islands have been
// evaluated, so that their order does not matter.
void tac__islands_begin(tac_engine *engine, tac_time t_us);
void tac__island_update_views(const tac_engine *engine, const tac__island *island, tac_time t_us);

// Renew held inputs that are seen through a view, at a boundary of the island.
static inline void tac__island_renew(const tac_engine *engine, const tac__island *island,
                                     tac_time t_us)
{
    if (island->plan->viewer_count && island->state->at_us == t_us)
        tac__island_update_views(engine, island, t_us);
}

// --- integrate.c --------------------------------------------------------------------------------

static inline bool tac__step_has_failed(const tac__island *island)
{
    return island->outcome > TAC__LOCATED;
}

// One step from x at from_us to `to_us`, into `y`.
tac_status tac__step_to(tac_engine *engine, tac__island *island, tac__ode_work *work,
                        tac_time to_us, double *y);
// The same to an instant inside the natural step. An adaptive method takes several steps where one
// fails: then `whole` is false, and `work` knows nothing of the step.
tac_status tac__shorter_step(tac_engine *engine, tac__island *island, tac__ode_work *work,
                             tac_time to_us, double *y, bool *whole);
// The error of the last step; 1 is what the tolerances allow.
double tac__step_error(const tac_engine *engine, const tac__island *island,
                       const tac__ode_problem *problem, tac_time length_us);
// Take the next step, from the present state and with the inputs that are held.
void tac__island_integrate(tac_engine *engine, tac__island *island);
// Up to where a step of the island may go if no boundary turns up (some steps are decided without
// those that turn up), and the next boundary that is known now.
tac_time tac__island_limit(const tac_engine *engine, const tac__island *island, tac_time *next_us);
// The step to to_us, computed in lanes with this limit, becomes the present step, of which all is
// known (SOUND_LANES). False: it does not fit any more.
bool tac__island_commit(tac_engine *engine, tac__island *island, tac_time limit_us, tac_time to_us);

// One try of an adaptive step: how long it is, and what follows from its error.
typedef struct tac__step_try {
    tac_time own_us;    // length of the step if nothing cuts it short
    tac_time h_us;      // length of this try, unless the limit is nearer
    tac_time left_us;   // from the start of the step to its limit
    tac_time h_next_us; // set by TAC__ACCEPT: length of the next step
} tac__step_try;

typedef enum tac__judgement {
    TAC__ACCEPT,
    TAC__TRY_SHORTER, // h_us is the length of the next try
    TAC__GIVE_UP,     // it would be shorter than h_min
} tac__judgement;

static inline tac_time tac__try_length(const tac__step_try *t)
{
    return t->left_us < t->h_us ? t->left_us : t->h_us;
}

tac__judgement tac__judge_try(const tac__method *method, const tac_integrator_def *def,
                              tac__step_try *t, double error);

// --- jacobian.c: the right-hand side on dual numbers ---------------------------------------------

tac_status tac__jacobian_prepare(tac_engine *engine, tac__island *island);

// --- blame.c ------------------------------------------------------------------------------------

// Names the first held input of the component that is NaN or infinite, and where it comes from: as
// the cause, it explains more than the states that it spoilt. False: all inputs are finite.
bool tac__name_bad_input(const tac_engine *engine, const tac_instance *c, tac__out *out);
// The step that ends at to_us failed: report what failed, the component whose right-hand side did,
// the first state that is not finite, or the one with the largest error. Never returns TAC_OK.
tac_status tac__step_failed(tac_engine *engine, tac__island *island);

// --- islands.c ----------------------------------------------------------------------------------

tac_status tac__islands_arrive(tac_engine *engine, tac_time t_us); // islands that are due at t_us
void tac__islands_integrate(tac_engine *engine); // islands that are due, from the present instant
// The next time of a source was old_us and has changed: take steps again that depend on it, except
// that of island `but`.
void tac__islands_replan(tac_engine *engine, int source, tac_time old_us, const tac__island *but);

// --- inside.c -----------------------------------------------------------------------------------

// Call the step watchers: the steps that end at t_us are about to be committed.
void tac__inside_show(tac_engine *engine, tac_time t_us);

// --- peek.c -------------------------------------------------------------------------------------

// Keep copies of the held inputs of stage 3 of t_us, for observers that may read outputs later in
// the same boundary.
void tac__island_preview(tac__island *island, tac_time t_us);
// The state was changed at a boundary by something other than a step.
tac_status tac__island_jumped(tac_engine *engine, tac__island *island, tac_time t_us);
// Is the value of a continuous signal at t_us on the bus? Outputs are those of this instant once
// stage 3 has run.
static inline bool tac__island_has(const tac_engine *engine, const tac__signal *s, tac_time t_us)
{
    const tac__island *island = &engine->islands[engine->plan->components[s->component]->island];
    return (s->kind->state ? island->state->at_us : island->state->outputs_us) == t_us;
}
// Peek: the value of a continuous signal at t_us.
tac_status tac__island_peek(tac_engine *engine, int signal, tac_time t_us, const void **value);

#endif
