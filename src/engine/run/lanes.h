// lanes.h - islands that are alike, integrated side by side in the lanes of vector registers.
//
// Twenty vehicles of one kind have twenty islands with the same equations, most of which step over
// the same intervals. Such a step is computed once for several islands, before each of them asks
// for it: every lane does the arithmetic that its island would do alone, so the bits are the same.
// Each island then goes on by itself: it decides whether the error is small enough, whether a mode
// changes, and what cuts the step short. Only the first try of a step is made in lanes; a second
// try or a cut step is computed for the island alone.
#ifndef TAC_ENGINE_RUN_LANES_H
#define TAC_ENGINE_RUN_LANES_H

#include "engine/run/evaluator.h"
#include "engine/run/integrate.h"

// How many doubles lie side by side; the pack4 units of models are compiled for this number.
enum { TAC__LANES = 4 };

// Which islands are integrated together. Part of the plan.
typedef struct tac__lanes_plan {
    uint32_t islands[TAC__LANES];
    size_t count; // of islands
} tac__lanes_plan;

// What a step is computed in. Scratch, and shared by all lanes of the same shape: with 10,000
// vehicles the stages of steps would take 2.5 kB a vehicle, read from and written to main memory at
// every step. So it has the stages of the last step only.
typedef struct tac__lanes_work {
    const tac_engine *engine;
    const tac__component *model; // of the first island
    const tac__lanes *of;        // whose step was the last
    tac__evaluator *packs;
    tac__ode_problem problem;
    tac__ode_work ode;
    double *x, *y;  // one double a lane for each double of an island
    uint64_t evals; // of the last step
} tac__lanes_work;

// A step of all these islands. Scratch.
struct tac__lanes {
    const tac__lanes_plan *plan;
    tac__lanes_work *work;
    const tac__lanes *next; // lanes whose step follows: their data are prefetched; NULL: none
    tac__subject subject;   // lanes without an island have another's
    tac_time tried_us;      // the last instant at which a step was tried

    // The last step.
    tac_time to_us;
    uint64_t evals;
    double error[TAC__LANES];
};

// Find the islands that are alike.
tac_status tac__lanes_form(tac_engine *engine);

// Take a step for all of these islands that stand at t_us and have the same step length.
void tac__lanes_step(tac_engine *engine, tac__lanes *lanes, tac_time t_us);

// Was the step of this island to to_us already taken in lanes? Then its result is in y, and
// `*error` is set.
static inline bool tac__lanes_take(tac__island *island, tac_time to_us, double *error)
{
    if (island->step != TAC__STEP_AHEAD)
        return false;
    const tac__lanes *lanes = island->lanes;
    const bool same = lanes->to_us == to_us;
    tac__step_set(island, same ? TAC__STEP_SETTLED_LANES : TAC__STEP_TAKEN);
    if (!same)
        return false;
    island->state->evals += lanes->evals;
    *error = lanes->error[island->lane];
    return true;
}

// The island's step was taken in lanes: put into its own work what the same step alone would have
// left there.
void tac__lanes_unpack(tac__island *island);

// To be called before the island's work is read or used for another step from the same state.
static inline void tac__lanes_leave(tac__island *island)
{
    if (tac__step_in_lanes(island->step))
        tac__lanes_unpack(island);
}

#endif
