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

// Writes of a signal in which there was a NaN, in the block.
typedef struct tac__nan_count {
    uint64_t writes;
    tac_time first_us; // where there are any
} tac__nan_count;

typedef enum tac__engine_phase {
    TAC__BUILDING,
    TAC__PREPARED,
    TAC__RUNNING, // or starting, or being restored: no call from inside may change it
    TAC__FAILED,
} tac__engine_phase;

// The mutable part of an island, in the block.
typedef struct tac__island_state {
    tac_time at_us;      // last boundary
    tac_time from_us;    // x is the state here
    tac_time to_us;      // y is the tentative state here
    tac_time outputs_us; // the outputs on the bus are those of this instant
    tac_time event_us;   // where a mode changes at the end of the step, TAC_TIME_NEVER: nowhere
    tac_time changed_us; // last change of a mode at an instant of its own
    tac_time h_us;       // adaptive: length of this step if nothing cuts it short
    tac_time h_next_us;  // and of the next one
    uint64_t tries;      // adaptive: steps tried between the last boundary and from_us
    uint64_t tries_next; // and up to to_us
    uint64_t chatter;    // changes of modes that followed close upon each other
    uint64_t steps, rejected, evals, undone, events;
    uint64_t digest;
} tac__island_state;

typedef struct tac__dual_eval tac__dual_eval; // see jacobian.c
typedef struct tac__lanes tac__lanes;         // see lanes.h

// Of a condition that is looked for inside the steps of an island: scratch.
typedef struct tac__rise {
    bool before; // does it hold where the search begins?
    bool now;    // and at the last look?
    bool turned; // it turns true at the end of the present step
} tac__rise;

// An island in a run: where its parts of the block lie, and scratch.
typedef struct tac__island {
    _Alignas(64) const tac__island_plan *plan;
    tac__island_state *state; // in the block, as are these four:
    double *x, *y;
    double *mode;        // of each event, 1 where it holds
    double *next_mode;   // at the end of the step, where event_us says so
    tac_instance *alone; // the one component that makes its right-hand side; NULL: several do
    tac_engine *engine;

    // the rest is scratch
    tac_time peeked_us;   // instant for which scratch outputs and `peek` are valid, else NEVER
    tac_time kept_us;     // instant for which held inputs have been kept, else NEVER
    tac__step_state step; // how far the present step has come
    bool resting;         // some components are inactive now
    uint8_t lane;         // which of the lanes is its own
    uint32_t failed;      // component whose derive or output failed last
    uint32_t *live;       // those of its components that are evaluated in the present phases
    size_t live_count;
    tac__lanes *lanes; // in which it is integrated beside others; NULL: there are none alike
    tac__ode_problem problem;
    tac__ode_work work;

    tac__ode_work peek_work;     // the right-hand side is evaluated at work.z here, too
    double *peek;                // y of a look between boundaries
    double *memory;              // of both works, one after the other
    tac__ode_group *live_groups; // of active components; NULL: all are always active
    tac__dual_eval *dual;        // to differentiate the right-hand side; NULL: not needed
    tac_part part;               // the one that moves, where they do so one by one
    double *split;               // of split steps
    tac__rise *rises;            // one a condition
} tac__island;

// What comes after some steps only: calls of taps; a jump of the state, or the first write.
typedef enum tac__after {
    TAC__AFTER_TAPS = 1,
    TAC__AFTER_JUMP = 2,
    TAC__AFTER_WRITE = 4
} tac__after;

// A component in a run: the frames of calls into it, and scratch.
struct tac_instance {
    // What every step needs lies in two cache lines, facts of the plan included: through `plan` a
    // step took 2 instructions more, of 51 (bench/count_engine.c).
    tac_step step;
    tac_status (*run)(tac_step *s, const void *self); // the type's step, or what replays it
    const void *run_self;
    const tac__component *plan;
    int axis_source;   // that of the plan
    bool has_before;   // before a step: views, or it may jump
    bool has_writes;   // after a step: digests, histories
    uint32_t pending;  // TAC_DUE_MESSAGE, TAC_DUE_TIMER, TAC_DUE_CONDITION of the present instant
    tac_status failed; // why, if it called tac_fail or asked for what cannot be; cleared before a
                       // call
    bool active;       // in the present phase
    uint8_t after;     // what comes after a step: bits of tac__after
    bool may_jump;     // in init, or in a step of stage actuate
    bool jumped;       // and it did
    bool shadow;       // stepping behind a closed gate
    bool all_written;  // all that it watches is known to have a value
    tac_engine *engine;
    const tac__tap *taps; // those of the plan
    tac__normals *ready;  // of each stream: numbers of the draws to come

    // what `output` and `derive` see: on the integrator's scratch and on the bus
    tac_eval scratch, bus;

    tac_step hook;   // what hooks see: as step, without outputs
    tac_step look;   // what `holds` sees: inputs inside an integration step
    int64_t decides; // a machine that is played: what it queues in stage 8 of the present instant
    double *found;   // a machine: the values of a transition's actions
    void *saved;     // copies for a step behind a closed gate
};

typedef struct tac__phase_watcher {
    tac_phase_fn *changed;
    void *context;
} tac__phase_watcher;

typedef struct tac__send_watcher {
    tac_sent_fn *sent;
    void *context;
} tac__send_watcher;

// What is to be done at the present instant, in bits; and which of their words are not 0, in bits
// as well, so that nobody looks at the words of those that have nothing to do.
typedef struct tac__due {
    const tac__due_word *rows;      // those of the plan, without items of inactive components
    tac__due_word *own_rows;        // the same where some are active in some phases only, else NULL
    uint32_t *place_first, *places; // then: of item i, places[place_first[i]] and on are its words
    uint64_t *items, *item_words;   // to be run
    tac__due_word *list;            // room for the words of those
    uint64_t *arriving, *arriving_words; // islands with a boundary
    uint64_t *island_words;              // of due_islands, which is in the block
} tac__due;

static inline void tac__due_add(uint64_t *bits, uint64_t *words, size_t i)
{
    bits[i / 64] |= UINT64_C(1) << i % 64;
    words[i / 4096] |= UINT64_C(1) << i / 64 % 64;
}

struct tac_engine {
    const tac__plan *plan;
    tac__plan *building; // the same while it may be changed, then NULL
    const tac_allocator *allocator;
    tac__arena memory;  // of the block, and of lists of who watches
    tac__arena opaque;  // of opaque components, which change their own memory
    tac__arena scratch; // of scratch
    tac__engine_phase phase;
    atomic_bool stop;

    // who watches
    tac__logs logs;
    tac__phase_watcher *phase_watchers; // told in this order
    size_t phase_watcher_count, phase_watcher_capacity;
    tac__send_watcher *send_watchers; // likewise
    size_t send_watcher_count, send_watcher_capacity;
    const tac__listener *listeners;
    tac__snapshot_timer *snapshot_timers;
    tac_time snapshot_us;    // when the first of them is due, or TAC_TIME_NEVER
    tac__instants *instants; // those of the plan, with times that a driver fills in

    size_t forward_only; // recorders at work, which cannot go back
    tac_snapshot *start; // to go back to; NULL: components are initialised again
    uint64_t model_hash; // 0: nobody asked yet
    tac_time open_us;    // no instant before this one is open for what comes from outside: see
                         // tac__open_us
    // for every instant
    tac__timeline timeline;
    tac__island *islands;
    tac_instance **instances;
    // in the block
    tac__clock *clock;
    uint64_t *due_islands; // to be integrated from the present instant
    tac__nan_count *nans;  // one a signal

    // scratch
    tac__due due;             // of the present instant
    int *taken;               // one a machine: see transit.c
    unsigned char *message;   // room for the longest that any receiver takes
    uint64_t *digest_scratch; // room for one value
    tac_error *err;           // of the call under way

    // a checkpoint that was asked for
    tac_time checkpoint_us;
    const char *checkpoint_path; // NULL: none asked for
    unsigned char *checkpoint;   // copy of the block
    tac_time checkpoint_time_us;
    uint64_t checkpoint_boundaries;
    tac__text checkpoint_opaque;
    bool checkpoint_taken;

    // the checkpoint that it went on from: in what its model differs
    tac_change *changes;
    size_t change_count, change_capacity;
};

// --- scratch.c ---
// Scratch may be thrown away between any two instants. This makes it as it follows from the block:
// after the block was restored, or to begin anew with memory as it was when the engine was
// prepared. What was made ahead (the stages of a step, draws, outputs that somebody looked at) is
// made again when it is needed, with the same bits.
void tac__scratch_restart(tac_engine *engine);

// --- due.c ---
tac_status tac__due_wire(tac_engine *engine);
// The block was set or restored: nothing is due but what it says.
void tac__due_restored(tac_engine *engine);

// The component is to step at the present instant; one that is inactive will when it is active.
static inline void tac__trigger(tac_instance *c, uint32_t due)
{
    if (c->active)
        c->pending |= due;
    else
        *c->plan->missed |= due;
}

#endif
