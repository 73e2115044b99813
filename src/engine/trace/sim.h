// sim.h - the whole simulation over symbols: components that step, signals as readers see them, and
// islands that are integrated. step.c makes one boundary of it at which everything steps, rates.c
// all boundaries of a least common period.
#ifndef TAC_ENGINE_TRACE_SIM_H
#define TAC_ENGINE_TRACE_SIM_H

#include "engine/trace/component.h"
#include "engine/trace/past.h"

typedef struct tac__sim {
    tac__trace *tr;
    tac__trace_step *parts; // one a component
    tac__sym_value *active; // of each component
    tac__trace_list z, s;   // inputs: discrete states, and signals, before the first boundary
    tac__trace_list seen; // inputs: what is seen through delays and policies, where `pasts` is NULL
    tac__trace_list decided, draws, t;
    tac__trace_list x1, z1, s1, y; // outputs
    tac__trace_list transitions;   // outputs: what readers saw of writers with another rate
    tac__sym_value t0_us, now_us;  // the first boundary, the present one
    int64_t since_us;              // from the first to the present one
    tac__sym_value **shown;        // outputs of the plant where the graph begins; NULL: none yet
    // Recent values of signals; NULL: what is seen through delays and policies are inputs.
    tac__pasts *pasts;
} tac__sim;

static inline tac__sym_value tac__sim_number(double value)
{
    return (tac__sym_value){.value = value};
}

// Is the component left out? Over a period, observers are: they change nothing.
static inline bool tac__sim_lacks(const tac__sim *sim, const tac__component *c)
{
    return sim->pasts && c->observer;
}

// Does the component step inside the graph? What stays outside has inputs in its place.
static inline bool tac__sim_has(const tac__sim *sim, const tac__component *c)
{
    return !sim->tr->outside[c->index] && c->type->kernels[TAC_NUMBERS].step &&
           !tac__sim_lacks(sim, c);
}

// What stays outside, parameters, the time, states and signals before the first boundary.
tac_status tac__sim_begin(tac__sim *sim);
// From now on it is this long after the first boundary.
void tac__sim_at(tac__sim *sim, int64_t since_us);

// A component steps, for the reason `due`; one that stays outside writes its signals, which are new
// inputs.
tac_status tac__sim_step(tac__sim *sim, const tac__component *c, uint32_t due);
tac_status tac__sim_write(tac__sim *sim, const tac__component *c);
// An input as its component sees it now: one number for each element.
tac_status tac__sim_see(tac__sim *sim, const tac__component *c, size_t input, tac__sym_value **to);
// Does the input of a component see a signal of a writer that has another rate, or through a delay
// or a policy?
bool tac__sim_crosses(const tac__plan *plan, const tac__component *c, const tac__input *in);
// Stage 3: outputs of an island; on the bus where `write`.
tac_status tac__sim_outputs(tac__sim *sim, size_t island, bool write);
// Stage 10: inputs of an island are held as they are now. Then it takes steps of the method, each
// from so long after the first boundary, and is projected onto its bounds where it arrives at a
// boundary.
tac_status tac__sim_hold(tac__sim *sim, size_t island);
tac_status tac__sim_integrate(tac__sim *sim, size_t island, int64_t from_us, tac_time h_us);
tac_status tac__sim_project(tac__sim *sim, size_t island);

// The graph is complete: results, and groups of inputs and outputs.
tac_status tac__sim_end(tac__sim *sim);

// Are the method and the coupling of the plant such that a graph can have them?
tac_status tac__sim_check(const tac__trace *trace);

#endif
