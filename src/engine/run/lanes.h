// lanes.h - islands of the same shape, integrated side by side in the lanes of vector registers.
//
// Twenty vehicles of one kind have twenty islands with the same equations, which differ in their
// parameters. A group is two, four or eight such islands. Their states lie side by side for as long
// as the islands are in the group: steps begin there and end there. Every lane does the arithmetic
// that its island would do alone, so the bits are the same; each has its own step length and
// accepts or rejects its steps alone.
//
// At an instant all lanes of a group that are due arrive together, and begin their next step
// together. The step of a lane is only computed then; it becomes the step of the island when the
// turn of the island comes, in the order of all islands. A lane in whose step something happens (a
// mode changes, a condition must be located, a boundary has turned up inside, a kernel fails)
// leaves the group: its data go to the island's own memory, the island goes on alone, and joins
// again when it begins a step at an instant of the group. The derivative f(t0, x), where it is
// known, has one owner: the lane while the island is in the group, else the island. Whatever sets
// the state (tac__lanes_drop) makes it void by taking the island out of its lane.
//
// The block has the states of an island in a group only after tac__lanes_show or
// tac__block_complete: before a component steps that reads them, before outputs are evaluated,
// before taps and observers, before a checkpoint or a snapshot is taken, and when a run returns.
// Where anything else might read them (see `waits` in lanes.c) they are written at each boundary of
// the island. The tentative state is written by tac__block_complete only. So is the digest of
// states while all islands of a group have their boundaries together.
#ifndef TAC_ENGINE_RUN_LANES_H
#define TAC_ENGINE_RUN_LANES_H

#include "engine/run/evaluator.h"
#include "engine/run/integrate.h"
#include "engine/run/packs.h"
#include "ode/lanes.h"

// With no more islands than this nothing is prefetched: the data of all vehicles stay in the cache.
enum { TAC__FEW_ISLANDS = 64 };

// The step of a lane, as it was computed.
typedef struct tac__lane_step {
    tac_time limit_us; // up to where it could go
    tac_time next_us;  // the next boundary of the island
    tac_time to_us;
    tac_time h_next_us; // adaptive: length of the next step
    uint64_t tries;     // as tac__island_state.tries_next
    uint64_t evals, rejected;
    double error; // of the last try
} tac__lane_step;

// Numbers of the plant that lie one behind another.
typedef struct tac__run {
    uint32_t first, count;
} tac__run;

enum { TAC__RUNS_MAX = 16 };

// What steps are computed in. Scratch, and shared by all groups of the same shape and width: with
// 10,000 vehicles the stages of steps would take 2.5 kB a vehicle, read from and written to main
// memory at every step. So it has the stages of the last step only.
typedef struct tac__lanes_work {
    tac_engine *engine;
    const tac__ode_lanes_method *method;
    const tac__packs *packs;
    tac__evaluator *evaluator;
    tac__ode_lanes_problem problem;
    tac__ode_lanes_work ode;
    const tac__lanes *of; // the group that is stepping
    size_t event_count;
    bool projects;
    bool fetches;                 // data of the next group are prefetched
    tac__run runs[TAC__RUNS_MAX]; // of its numbers these
    size_t run_count;
    double *events; // their numbers at the end of a step
    uint64_t evals; // of the present try
    // of each lane: end and length of its last try
    _Alignas(64) double t1_s[TAC__LANES_MAX], h_s[TAC__LANES_MAX];
    tac__lane_step steps[TAC__LANES_MAX];
} tac__lanes_work;

// A group. Scratch.
struct tac__lanes {
    tac__lanes_work *work;
    tac__lanes *next;              // in the order of their first islands; its data are prefetched
    tac__subject subject;          // lanes without an island have another's
    tac__ode_lanes ode;            // x is the state, y the tentative state
    size_t count;                  // of islands
    tac__lane_set here;            // lanes in which the state of the island is
    tac__lane_set filled;          // lanes that have a state, be it an old one
    tac__lane_set shown;           // lanes of `here` whose state is in the block, too
    tac__lane_set ready;           // lanes whose step waits for the turn of its island
    tac__lane_set known;           // lanes whose f(t0, x) was known before their step
    tac__lane_set arrived;         // lanes that arrived at arrived_us
    tac__lane_set boundary;        // those of them that have a boundary there
    tac_time tried_us, arrived_us; // last instant of a step, and of an arrival
    tac__lane_set waits;           // lanes whose states are written when they are read
    tac__lane_set digested;        // lanes whose digest at digested_us waits for their turn
    tac_time digested_us;
    uint64_t digests[TAC__LANES_MAX];
    tac__lane_set mixed;      // lanes whose newest digest is in `digests`, not in the block
    bool tapped;              // digests are not all that happens at a boundary
    tac__followers followers; // items of the digests of states
};

// Find the islands that are alike and form groups.
tac_status tac__lanes_form(tac_engine *engine);
// The block was set or restored: all islands are alone.
void tac__lanes_restart(tac_engine *engine);

// The turn of an island to begin its step at t_us. False: it must take the step alone.
bool tac__lanes_turn(tac_engine *engine, tac__island *island, tac_time t_us);

// Have all lanes of the island's group arrive that are due at t_us: `boundaries` are bits of the
// islands of that word of 64 that have a boundary there. False: this island has not arrived.
bool tac__lanes_arrive(tac_engine *engine, const tac__island *island, tac_time t_us, size_t word,
                       uint64_t boundaries);

// The step of the island alone, whose first try was computed in lanes: true if the try to to_us
// was. Then its result is in y and in `work`, and `*error` is set.
static inline bool tac__lanes_take(tac__island *island, tac_time to_us, double *error)
{
    if (island->step != TAC__STEP_AHEAD)
        return false;
    tac__step_set(island, TAC__STEP_TAKEN);
    const tac__lane_step *s = &island->lanes->work->steps[island->lane];
    if (s->to_us != to_us)
        return false;
    island->state->evals += s->evals;
    *error = s->error;
    return true;
}

// Mix the state at t_us into the digest of the island; the digests of all lanes are computed at
// once. False: it must be done alone.
bool tac__lanes_digest(const tac__island *island, tac_time t_us);

// Is the state of the island in a group?
static inline bool tac__lanes_has(const tac__island *island)
{
    return island->lanes && island->lanes->here >> island->lane & 1;
}

// Have the island alone: its own memory has all that it would have if it had never been in lanes.
void tac__lanes_unpack(tac__island *island);

static inline void tac__lanes_leave(tac__island *island)
{
    if (tac__lanes_has(island))
        tac__lanes_unpack(island);
}

// The state in the block was changed: the one in the group is void.
void tac__lanes_drop(const tac__island *island);

// Have the state at from_us in the block.
void tac__lanes_write(const tac__island *island);

static inline void tac__lanes_show(const tac__island *island)
{
    if (tac__lanes_has(island) && !(island->lanes->shown >> island->lane & 1))
        tac__lanes_write(island);
}

// The same for some lanes of a group.
void tac__lanes_write_set(tac__lanes *lanes, tac__lane_set set);

static inline void tac__lanes_show_set(tac__lanes *lanes, tac__lane_set set)
{
    set &= lanes->here & ~lanes->shown;
    if (set)
        tac__lanes_write_set(lanes, set);
}

// Prefetch what that takes.
void tac__lanes_fetch(const tac__lanes *lanes);

// Have the digest of the island's states in the block.
void tac__lanes_show_digest(const tac__island *island);

// Have the states of all islands in the block.
void tac__lanes_show_all(const tac_engine *engine);

// Have states and tentative states of all islands in the block.
void tac__lanes_store(const tac_engine *engine);

#endif
