// phases.h - the flight phases of an entity: a machine of states, transitions and actions.
//
// A machine is a component of the engine's own, of type `phases`, called `flight`: its output
// `phase` is the phase of its entity. It steps at every boundary of the entity, in stage 8, but
// writes only when something changes. A transition that is decided there takes effect in stage 0 of
// the entity's next boundary; a located condition is decided and takes effect in stage 0 of its own
// boundary. Where no axis gives the entity boundaries, the machine's timer inserts the next one 1
// us later.
//
// All effects of a change on the plant go through outputs of the machine: the phase, the number of
// the transition, and the values that it resets and sets. So a driver can play a machine back.
#ifndef TAC_ENGINE_PHASES_PHASES_H
#define TAC_ENGINE_PHASES_PHASES_H

#include "engine/plan/peers.h"
#include "engine/run/state.h"

enum { TAC__PHASES_MAX = 64, TAC__TRANSITIONS_MAX = 1024, TAC__ACTIONS_MAX = 64 };

typedef enum tac__phase_action_kind { TAC__RESET, TAC__SET, TAC__SAY } tac__phase_action_kind;

typedef struct tac__phase_action {
    tac__phase_action_kind kind;
    const char *target; // state or input that is reset or set, or the text to log
    tac_log_level level;
    tac__formula *values; // one for each element
    size_t count;
    size_t first;  // of a reset: where its values begin in the output `resets`
    int output;    // of a setting: the output that is written
    int component; // of a reset: the component that has the state
    int state;     // of a reset: number of the discrete state; -1: continuous
    size_t offset; // first element, in the discrete state or in x of the component
} tac__phase_action;

typedef struct tac__transition {
    uint64_t from; // bits of phases
    int32_t to;
    tac__formula condition;
    tac_place place; // of the condition
    bool locate;
    bool waits; // with locate: the condition has memory, and may turn true as time passes
    int number; // of the located condition, where the condition has no memory
    tac__phase_action *actions;
    size_t action_count;
} tac__transition;

typedef struct tac__phases {
    tac__arena arena;
    bool begun;               // the arena was initialised
    const char *const *names; // NULL after the last
    size_t count;
    int32_t initial;
    tac__transition *transitions;
    size_t transition_count;
    size_t *located; // for each located condition, by its number: the transition
    tac__peers peers;
    size_t reset_count;
    size_t found_count; // the largest number of values that the actions of one transition have
    int phase, transition, queued, changes, resets; // outputs
    int memory;                                     // discrete state; -1: none
} tac__phases;

extern const tac_component_type tac__phases_type;

static inline bool tac__is_machine(const tac__component *c)
{
    return c->type == &tac__phases_type;
}

static inline const tac__phases *tac__phases_of(const tac__component *machine)
{
    return machine->self;
}

// The present phase of a machine.
static inline int32_t tac__phase_now(const tac__component *machine)
{
    return *(const int32_t *)machine->out[tac__phases_of(machine)->phase];
}

int tac__phase_find(const tac__phases *phases, const char *name); // -1: unknown
tac__candidate_fn tac__phase_name;                                // context is the phases

// Warn of conditions that are evaluated only at boundaries with other causes; once all is
// scheduled.
void tac__phases_warn(tac__plan *plan);

// Does one of the machine's actions reset a continuous state of the component?
bool tac__phases_reset(const tac__component *machine, uint32_t component);

// --- transit.c: running ---
// Before stage 0 of an instant: make the changes that take effect there.
tac_status tac__phases_begin(tac_engine *engine, tac_time t_us);
// Stage 8: evaluate conditions and queue a transition.
tac_status tac__phases_decide(tac_engine *engine, tac_instance *machine, tac_time t_us);
// Is t_us a boundary of the island that was inserted so that a queued change takes effect?
bool tac__phases_inserted(const tac_engine *engine, const tac__island *island, tac_time t_us);

// --- activity.c: components that are active in some phases only ---
// Find the phases that components name; once all components are declared.
tac_status tac__activity_resolve(tac__plan *plan, tac_error *err);
tac_status tac__activity_wire(tac_engine *engine);
// The phase of the machine's entity has changed: make its components active or inactive.
tac_status tac__activity_change(tac_engine *engine, const tac__component *machine, tac_time t_us);
// Set everything that follows from the phases on the bus: at the start, where outputs of inactive
// components are set to rest, and after the block was restored.
void tac__activity_start(tac_engine *engine);
void tac__activity_restored(tac_engine *engine);
// Copy the outputs of an inactive component from the bus to the integrator's scratch, where an
// evaluation may have put other values.
void tac__activity_close(const tac_instance *c);
// Strategy `gate`: step an inactive component and restore everything that the step changed.
void tac__activity_shadow(tac_engine *engine, tac_instance *c, tac_time t_us);

// --- loop.c ---
// Call a hook of the phases.
tac_status tac__run_phase_hook(tac_engine *engine, tac_instance *c, bool enter, int32_t from,
                               int32_t to);

#endif
