// lanes.h - islands that are alike, integrated side by side in the lanes of vector registers.
//
// Twenty vehicles of one kind have twenty islands with the same equations, most of which step over
// the same intervals. Such a step is taken once for several of them, ahead of each: every lane does
// the arithmetic that its island would do alone, so the bits are the same. What comes of it is the
// island's own again: whether the error is small enough, whether a mode changes, what cuts it
// short. Only the first try of a step is taken in lanes; whatever is out of the ordinary goes on
// from there island by island.
#ifndef TAC_ENGINE_RUN_LANES_H
#define TAC_ENGINE_RUN_LANES_H

#include "engine/run/integrate.h"

// How many doubles stand side by side; the pack4 units of models are compiled for it.
enum { TAC__LANES = 4 };

struct tac__lanes {
    size_t count; // islands, at most TAC__LANES
    tac__island *islands[TAC__LANES];
    tac_time tried_us; // where a step was last tried

    // What the right-hand side sees, in packs: one double a lane for each that an island has.
    tac_eval eval;
    double **in;
    size_t *words; // of each input
    size_t input_count;
    double *mode, *x, *y;
    tac__ode_problem problem;
    tac__ode_work work;

    // The last step.
    tac_time to_us;
    uint64_t evals;
    double error[TAC__LANES];
};

// Find those that are alike.
tac_status tac__lanes_form(tac_engine *engine);

// Take a step for all of these islands that stand at t_us and are to step equally far.
void tac__lanes_step(tac_engine *engine, tac__lanes *lanes, tac_time t_us);

// Is the step of this island that ends at to_us there already? Then it is in y, and its error is
// set.
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

// What the last step has left in the work of the island, if it was taken in lanes.
void tac__lanes_unpack(tac__island *island);

// Before that work is looked at or used for another step from the same state.
static inline void tac__lanes_leave(tac__island *island)
{
    if (tac__step_in_lanes(island->step))
        tac__lanes_unpack(island);
}

#endif
