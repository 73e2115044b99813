// state.h - an engine, its components and its islands as they run: where their parts of the block
// lie, and scratch. plan.h says what plan, block and scratch are.
#ifndef TAC_ENGINE_RUN_STATE_H
#define TAC_ENGINE_RUN_STATE_H

#include "engine/plan/plan.h"
#include "engine/run/step_state.h"
#include "math/normal.h"

#include <stdatomic.h>
#include <tactus/outside.h>

// The clock of the run, in the block.
typedef struct tac__clock {
    tac_time t_us;
    uint64_t boundaries, steps, messages;
    uint64_t started, finished;
} tac__clock;

// How many writes of a signal had a NaN, in the block.
typedef struct tac__nan_count {
    uint64_t writes;
    tac_time first_us; // valid if there are any
} tac__nan_count;

typedef enum tac__engine_life {
    TAC__BUILDING,
    TAC__PREPARED,
    TAC__RUNNING, // or starting, or being restored: calls from inside must not change it
    TAC__FAILED,
} tac__engine_life;

// The mutable part of an island, in the block.
typedef struct tac__island_state {
    tac_time at_us;      // last boundary
    tac_time from_us;    // time of x, the state
    tac_time to_us;      // time of y, the tentative state
    tac_time outputs_us; // time of the outputs on the bus
    tac_time event_us;   // where a mode changes at the end of the step, TAC_TIME_NEVER: none does
    tac_time changed_us; // last change of a mode at a boundary located for it
    tac_time h_us;       // adaptive: length of this step if nothing cuts it short
    tac_time h_next_us;  // and of the next one
    uint64_t tries;      // adaptive: steps tried between the last boundary and from_us
    uint64_t tries_next; // and up to to_us
    uint64_t chatter;    // changes of modes since the last pause longer than TAC__CHATTER_US
    uint64_t steps, rejected, evals, undone, events;
    uint64_t digest;
} tac__island_state;

typedef struct tac__evaluator tac__evaluator; // see evaluator.h
typedef struct tac__lanes tac__lanes;         // see lanes.h
typedef struct tac__jacobian tac__jacobian;   // see jacobian.c
typedef struct tac__team tac__team;           // see teams.h

// Scratch of a condition that is located inside the steps of an island.
typedef struct tac__rise {
    bool before; // value where the search begins
    bool now;    // value at the last evaluation
    bool turned; // it turns true at the end of the present step
} tac__rise;

// An island in a run: where its parts of the block lie, and scratch.
typedef struct tac__island {
    _Alignas(64) const tac__island_plan *plan;
    tac__island_state *state; // in the block, as are the next four:
    double *x, *y;
    double *mode;        // one an event, 1 where it holds
    double *next_mode;   // the same at the end of the step, valid if event_us is set
    tac_instance *alone; // the one component that makes its right-hand side; NULL: several do
    tac_engine *engine;

    // the rest is scratch
    tac_time peeked_us;   // time for which scratch outputs and `peek` are valid, else NEVER
    tac_time kept_us;     // time for which held inputs have been kept, else NEVER
    tac__step_state step; // how far the present step has come
    tac__outcome outcome; // of the present step; where it failed, to_us is the end of the last try
    bool unsure;          // the natural step failed: shorter ones are judged by their error, too
    bool resting;         // some components are inactive now
    uint8_t lane;         // its lane in `lanes`
    uint32_t failed;      // component whose derive or output failed last
    uint32_t *live;       // which of plan->components are evaluated in the present phases
    size_t live_count;
    tac__lanes *lanes; // the group in which it may be integrated with others; NULL: none are alike
    tac__ode_problem problem;
    tac__ode_work work;

    double *peek;                // the state that was peeked
    double *memory;              // of work
    tac__ode_group *live_groups; // of active components; NULL: all are always active
    tac__evaluator *numbers;     // its equations, on the scratch
    tac__jacobian *jacobian;     // to differentiate the right-hand side; NULL: not needed
    tac_part part;               // in a split step: the part that is advanced now
    tac__rise *rises;            // one a condition
} tac__island;

// How a step of symbols draws: each value, two doubles, becomes an input of the graph.
typedef struct tac__symbol_draws {
    void (*draw)(struct tac__symbol_draws *self, int stream, double *values, size_t count);
} tac__symbol_draws;

// What only some steps need afterwards: calls of taps; a jump of the state, or the first write.
typedef enum tac__after {
    TAC__AFTER_TAPS = 1,
    TAC__AFTER_JUMP = 2,
    TAC__AFTER_WRITE = 4
} tac__after;

// Components, or islands, in the lanes of one register.
enum { TAC__TEAM_MAX = 8 };

// How much of a component's data is prefetched.
enum { TAC__PART_LINES = 16, TAC__FETCHED_INPUTS = 12 };

// A component in a run: the frames of calls into it, and scratch.
struct tac_instance {
    // What every step needs lies in two cache lines, facts of the plan included: through `plan` a
    // step took 2 instructions more, of 51 (bench/count_engine.c).
    tac_step step;
    tac_status (*run)(tac_step *s, const void *self); // the type's step, or a player's
    const void *run_self;
    const tac__component *plan;
    int axis_source;    // copy of plan->axis_source
    bool has_before;    // before a step: views, or it may jump
    bool has_writes;    // after a step: digests, histories
    bool active;        // in the present phase
    uint8_t after;      // what comes after a step: bits of tac__after
    uint32_t pending;   // TAC_DUE_MESSAGE, TAC_DUE_TIMER, TAC_DUE_CONDITION of the present instant
    tac_status failed;  // status of tac_fail or of an impossible request; cleared before each call
    bool may_jump;      // in init, or in a step of stage actuate
    bool jumped;        // the state was changed in such a call
    bool shadow;        // a step of an inactive component, whose results are dropped
    bool all_written;   // all signals that it watches are known to have a value
    uint64_t connected; // bits of the first 64 inputs: it is connected
    const tac__tap *taps;      // copy of plan->taps
    tac__normals *ready;       // one a stream: numbers drawn in advance
    const tac__draws *streams; // copy of plan->streams
    size_t stream_count;
    tac__writes writes; // copy of plan->writes

    tac_engine *engine;
    const tac__island **reads; // islands in lanes whose states it reads
    size_t read_count;
    tac__team *team;           // components that step together with this one; NULL: none do
    uint8_t lane;              // its place in the team
    const unsigned char *part; // where its parts of the block begin: outputs, digests, states, ...
    int part_lines;            // cache lines that they take; at most TAC__PART_LINES
    int in_count;              // inputs; at most TAC__FETCHED_INPUTS

    // what `output` and `derive` see: on the integrator's scratch and on the bus
    tac_eval scratch, bus;

    tac_step hook;   // what hooks see: as step, without outputs
    tac_step look;   // what `holds` sees: inputs inside an integration step
    int64_t decides; // a machine that is played back: the transition to queue in stage 8 of the
                     // present instant
    double *found;   // a machine: the values of a transition's actions
    void *saved;     // copies of what a step may change, for a shadow step
    tac__symbol_draws *symbol_draws; // set while steps of symbols run
};

typedef struct tac__phase_watcher {
    tac_phase_fn *changed;
    void *context;
} tac__phase_watcher;

typedef struct tac__send_watcher {
    tac_sent_fn *sent;
    void *context;
} tac__send_watcher;

// A transition that a machine of phases takes at the present instant.
typedef struct tac__taken {
    tac_instance *machine;
    size_t transition;
} tac__taken;

typedef struct tac__profile tac__profile;   // see profile.h
typedef struct tac__tangents tac__tangents; // see engine/tangents.h

// What is to be done at the present instant, one bit an item or island; and one bit for each of
// these words that is not 0, so that words of vehicles that have nothing to do are not read.
typedef struct tac__due {
    const tac__due_word *rows;           // those of the plan, less the items of inactive components
    tac__due_word *own_rows;             // the memory of such rows; NULL: all are always active
    uint32_t *place_first, *places;      // rows of item i: places[place_first[i]] and on
    uint64_t *items, *item_words;        // to be run
    tac__due_word *list;                 // room for the words of those
    uint64_t *arriving, *arriving_words; // islands with a boundary
    // Which words of islands are not 0 is asked only where there are several: see islands.c.
    uint64_t *island_words; // of due_islands, which is in the block
    uint64_t *done;         // items that another item has done already: they are not run
    uint64_t *followers;    // items that mostly are
} tac__due;

static inline void tac__due_add(uint64_t *bits, uint64_t *words, size_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
    words[i / 4096] |= UINT64_C(1) << i / 64 % 64;
}

// Items of components or islands in lanes: the first of them does the work of all.
typedef struct tac__followers {
    tac__due_word words[TAC__TEAM_MAX]; // without the first
    size_t count;
} tac__followers;

// Add an item; items come in ascending order.
void tac__followers_add(tac__due *due, tac__followers *followers, size_t item);

// The work of these items has been done.
static inline void tac__followers_done(const tac__due *due, const tac__followers *followers)
{
    for (size_t i = 0; i < followers->count; i++)
        due->done[followers->words[i].word] |= followers->words[i].bits;
}

struct tac_engine {
    const tac__plan *plan;
    tac__plan *building; // the plan while it may be changed, then NULL
    const tac_allocator *allocator;
    tac__arena memory;  // of the block, and of lists of watchers
    tac__arena opaque;  // of opaque components, which change their own memory
    tac__arena scratch; // of scratch
    tac__engine_life life;
    atomic_bool stop;

    // watchers
    tac__logs logs;
    tac__phase_watcher *phase_watchers; // told in this order
    size_t phase_watcher_count;
    TAC__CAPACITY(tac__phase_watcher) phase_watcher_capacity;
    tac__send_watcher *send_watchers; // likewise
    size_t send_watcher_count;
    TAC__CAPACITY(tac__send_watcher) send_watcher_capacity;
    const tac__listener *listeners;
    const tac__fate_listener *fate_listeners;
    const tac__step_watcher *step_watchers;
    tac__snapshot_timer *snapshot_timers;
    tac__instant_watcher *instant_watchers; // to be called at the end of the instant
    const tac__rider *riders;
    tac_time snapshot_us;    // when the first timer or instant watcher is due, or TAC_TIME_NEVER
    tac__instants *instants; // those of the plan, with times that a driver fills in

    size_t forward_only; // number of recorders at work, which forbid going back
    tac_snapshot *start; // to reset to; NULL: components are initialised again
    uint64_t model_hash; // 0: not computed yet
    tac_time open_us;    // instants before this are closed to values and messages from outside: see
                         // tac__open_us
    // used at every instant
    tac__timeline timeline;
    tac__island *islands;
    tac_instance **instances;
    tac__team *teams, *teams_end;  // the first and the last of a list
    tac__lanes *lanes, *lanes_end; // the first and the last of a list
    bool single;                   // plan->few, and neither teams nor lanes: one vehicle
    // in the block
    tac__clock *clock;
    uint64_t *due_islands; // to be integrated from the present instant
    tac__nan_count *nans;  // one a signal

    // scratch
    tac__due due;             // of the present instant
    tac__taken *taken;        // transitions that are taken; room for one a machine
    unsigned char *message;   // room for the longest that any receiver takes
    tac__fate *fates;         // of the message that is being sent, one a link of its port
    uint64_t *digest_scratch; // room for one value
    tac__ode_work peek_work;  // of the last peek, at any island; its z is that of the island
    double *peek_memory;      // of peek_work, for the largest island
    double *spare;            // of a step in parts: two states of the largest island
    tac_error *err;           // of the call under way

    // a checkpoint that was asked for
    tac_time checkpoint_us;
    const char *checkpoint_path; // NULL: no checkpoint asked for
    unsigned char *checkpoint;   // copy of the block
    tac_time checkpoint_time_us;
    uint64_t checkpoint_boundaries;
    tac__text checkpoint_opaque;
    bool checkpoint_taken;

    tac__profile *profile;   // NULL: nothing is measured
    tac__tangents *tangents; // NULL: the run is not differentiated

    // how its model differs from that of the checkpoint that it went on from
    tac_change *changes;
    size_t change_count;
    TAC__CAPACITY(tac_change) change_capacity;
};

// --- scratch.c ---
// Scratch may be thrown away between any two instants. This sets it to what follows from the block:
// after the block was restored, or to start again in the memory of a prepared engine. What was
// computed in advance (the stages of a step, draws, outputs that were peeked) is computed again
// when it is needed, with the same bits.
void tac__scratch_restart(tac_engine *engine);
// Values that lanes keep side by side are written into the block. To be called before the block is
// read as a whole, or a discrete state in it.
void tac__block_complete(const tac_engine *engine);

// --- due.c ---
tac_status tac__due_wire(tac_engine *engine);
// The block was set or restored: only what the block says is due.
void tac__due_restored(tac_engine *engine);

// Component number i of those that the island evaluates in the present phases.
static inline tac_instance *tac__island_live(const tac__island *island, size_t i)
{
    return island->engine->instances[island->plan->components[island->live[i]]];
}

// The component is to step at the present instant; an inactive one steps when it becomes active.
static inline void tac__trigger(tac_instance *c, uint32_t due)
{
    if (c->active)
        c->pending |= due;
    else
        *c->plan->missed |= due;
}

#endif
