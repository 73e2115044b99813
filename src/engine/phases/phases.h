// phases.h - the flight phases of an entity: a machine of states, transitions and actions.
//
// A machine is a component of the engine's own, of type `phases`, called `flight`: its output
// `phase` is the phase of its entity. It steps at every boundary of the entity, in stage 8, but
// writes only where something changes. What is decided there takes effect in stage 0 of the
// entity's next boundary; a located condition decides and takes effect in stage 0 of its own.
// Where no axis gives the entity boundaries, the machine's timer inserts the next one 1 us later.
//
// All that a change does to the plant goes through outputs of the machine: the phase, the number of
// the transition, and the values that it resets and sets. So a driver can play a machine back.
#ifndef TAC_ENGINE_PHASES_PHASES_H
#define TAC_ENGINE_PHASES_PHASES_H

#include "engine/plan/peers.h"
#include "engine/run/state.h"

enum { TAC__PHASES_MAX = 64, TAC__TRANSITIONS_MAX = 1024, TAC__ACTIONS_MAX = 64 };

typedef enum tac__phase_action_kind { TAC__RESET, TAC__SET, TAC__SAY } tac__phase_action_kind;

typedef struct tac__phase_action {
    tac__phase_action_kind kind;
    const char *target; // what is reset or set, or the text to log
    tac_log_level level;
    tac__formula *values; // one an element
    size_t count;
    size_t first;  // of a reset: its values in the output `resets`
    int output;    // of a setting
    int component; // of a reset: whose state it is
    int state;     // its discrete state; -1: continuous
    size_t offset; // first element, in the state or in x of the component
} tac__phase_action;

typedef struct tac__transition {
    uint64_t from; // bits of phases
    int32_t to;
    tac__formula condition;
    tac_place place; // of the condition
    bool locate;
    bool waits; // with locate: it remembers, and may come true as time passes
    int number; // of the located condition, where it does not remember
    tac__phase_action *actions;
    size_t action_count;
} tac__transition;

typedef struct tac__phases {
    tac__arena arena;
    bool begun;               // the arena is there
    const char *const *names; // NULL after the last
    size_t count;
    int32_t initial;
    tac__transition *transitions;
    size_t transition_count;
    size_t *located; // by the number of a located condition: its transition
    tac__peers peers;
    size_t reset_count;
    size_t found_count; // values that the actions of one transition have at most
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

// Warn of conditions that are looked at only where something else happens; once all is scheduled.
void tac__phases_warn(tac__plan *plan);

// Does one of its actions reset a continuous state of the component?
bool tac__phases_reset(const tac__component *machine, uint32_t component);

// --- transit.c: running ---
// Before stage 0 of an instant: changes that take effect there.
tac_status tac__phases_begin(tac_engine *engine, tac_time t_us);
// Stage 8.
tac_status tac__phases_decide(tac_engine *engine, tac_instance *machine, tac_time t_us);
// Is t_us a boundary of the island that was inserted so that a queued change takes effect?
bool tac__phases_inserted(const tac_engine *engine, const tac__island *island, tac_time t_us);

// --- activity.c: components that are active in some phases only ---
// Find the phases that components name; once all are declared.
tac_status tac__activity_resolve(tac__plan *plan, tac_error *err);
tac_status tac__activity_wire(tac_engine *engine);
// The entity of `machine` has come to another phase: close and open its components.
tac_status tac__activity_change(tac_engine *engine, const tac__component *machine, tac_time t_us);
// Everything as it follows from the phases on the bus: at the start, where outputs of those that
// are inactive are set to rest, and after the block was restored.
void tac__activity_start(tac_engine *engine);
void tac__activity_restored(tac_engine *engine);
// An inactive component has put something else on the integrator's scratch: its outputs are those
// on the bus.
void tac__activity_close(const tac_instance *c);
// `gate`: step a component behind its closed gate, leaving no trace.
void tac__activity_shadow(tac_engine *engine, tac_instance *c, tac_time t_us);

// --- run.c ---
// Call a hook of the phases.
tac_status tac__run_phase_hook(tac_engine *engine, tac_instance *c, bool enter, int32_t from,
                               int32_t to);

#endif
