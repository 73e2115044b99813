// watch.h - watching an engine from the rooms above it: what recorders, replay and viewers see.
//
// Five things: lists of what an engine has; callbacks where something was written, delivered or is
// due; values; values inside integration steps; and outputs of the plant that another thread
// evaluates later. Watching adds no
// boundary and changes no bit. Nothing here shows how an engine keeps its plan or its state.
// Components, signals, islands, receivers and instants are named by their index. Every list takes
// any number of watchers; what is put on one is kept by pointer and must outlive the engine's runs.
#ifndef TAC_ENGINE_WATCH_H
#define TAC_ENGINE_WATCH_H

#include "base/arena.h"
#include "base/text.h"
#include "bus/link.h"
#include "bus/schema.h"

#include <tactus/engine.h>

// --- lists --------------------------------------------------------------------------------------

bool tac__engine_is_building(const tac_engine *engine); // components may be added
bool tac__engine_is_prepared(const tac_engine *engine); // prepared, and neither running nor failed

typedef struct tac__run_facts {
    const tac_allocator *allocator;
    uint64_t seed;
    tac_time end_us;
    bool digests; // digests are taken
    bool driven;  // only the plant runs; see drive.h
    bool started; // the boundary at the start has been processed
} tac__run_facts;

tac__run_facts tac__watch_run(const tac_engine *engine);

// Available once all components are added, as is the rest below.
const tac__schema *tac__watch_schema(const tac_engine *engine);

typedef struct tac__component_facts {
    const char *name;
    const tac_component_type *type;
    bool plant;  // the component has a continuous part
    bool phases; // a machine: its outputs are the flight phase of its entity and what changes of
                 // phase set
    bool gated;  // active in some phases only
    tac_time period_us; // of its rate group; 0: it has none
    int island;         // -1: none
} tac__component_facts;

size_t tac__watch_component_count(const tac_engine *engine);
tac__component_facts tac__watch_component(const tac_engine *engine, size_t component);
int tac__watch_find(const tac_engine *engine, const char *component); // -1: unknown
// The signal of the k-th output of a component; -1 after the last.
int tac__watch_output(const tac_engine *engine, size_t component, size_t k);
// The signal of a single element by its name, as `component` would write it; -1: there is none.
int tac__watch_element(const tac_engine *engine, size_t component, const char *text,
                       uint32_t *element);
// The same, as it would be written in an entity; "" is the root.
int tac__watch_element_in(const tac_engine *engine, const char *entity, const char *text,
                          uint32_t *element);

// Signals that drive the plant: those that an island reads from discrete components, and all
// outputs of machines of phases. One flag a signal; NULL: no memory.
bool *tac__watch_crossing(const tac_engine *engine, tac__arena *arena);
// In a driven engine most discrete signals have no value.
bool tac__watch_has_value(const tac_engine *engine, size_t signal);

// Has the signal a value from the start, before anything is written to it?
bool tac__watch_begins(const tac_engine *engine, size_t signal);
// Has a signal of a prepared engine a value now? Without digests a run that went on from a
// checkpoint does not tell, and the answer is yes.
bool tac__watch_is_written(const tac_engine *engine, size_t signal);

typedef struct tac__island_facts {
    const char *name; // of its first component, in order of name
    size_t states;    // number of its states, as doubles
    bool split;       // it may have boundaries other than the start and the end of the run; valid
                      // once boundaries are known
} tac__island_facts;

size_t tac__watch_island_count(const tac_engine *engine);
tac__island_facts tac__watch_island(const tac_engine *engine, size_t island);

size_t tac__watch_receiver_count(const tac_engine *engine);
const char *tac__watch_receiver(const tac_engine *engine, size_t receiver, bool *plant);

// Deliveries, wake-ups and located conditions outside the plant that split islands or make a
// scenario or phases step.
size_t tac__watch_instant_count(const tac_engine *engine);
const char *tac__watch_instant(const tac_engine *engine, size_t instant);
// Does the instant happen at t_us, the present boundary?
bool tac__watch_instant_at(const tac_engine *engine, size_t instant, tac_time t_us);

// The model as text, from which the model hash is computed.
void tac__model_text(const tac_engine *engine, tac__text *out);
uint64_t tac__model_hash(const tac__text *text); // 0 where the text failed
// The lines in which two models, or two listings of a schema, differ: "there: ..." and "here: ...",
// each on a line of its own, up to a limit. Returns how many there are.
size_t tac__model_differences(const char *there, const char *here, tac__text *out);

// --- callbacks ----------------------------------------------------------------------------------

// Called while the engine is prepared, when connections and islands are known: the last moment at
// which observers and taps can be added.
typedef tac_status tac__resolved_fn(void *context, tac_engine *engine, tac_error *err);
tac_status tac__engine_when_resolved(tac_engine *engine, tac__resolved_fn *call, void *context);
// The same once boundaries are known, too: observers and taps cannot be added any more.
tac_status tac__engine_when_scheduled(tac_engine *engine, tac__resolved_fn *call, void *context);
// Warn of what looks like a mistake at this place, with an id of docs/warnings.md. Only in these
// callbacks.
TAC_PRINTF(4, 5)
void tac__watch_warn(tac_engine *engine, const char *id, const tac_place *place, const char *format,
                     ...);

// A tap is called right after a write: it costs less than an observer, and it sees the same values
// of that component or island as an observer at stage 9.
typedef struct tac__tap tac__tap;
struct tac__tap {
    void (*show)(void *context, tac_engine *engine, tac_time t_us);
    void *context;
    const tac__tap *next; // used by the engine
};

static inline void tac__taps_show(const tac__tap *tap, tac_engine *engine, tac_time t_us)
{
    for (; tap; tap = tap->next)
        tap->show(tap->context, engine, t_us);
}

// While the engine is resolved: have the tap called after every step of a component, or every
// digest of an island.
void tac__tap_steps(tac_engine *engine, size_t component, tac__tap *tap);
void tac__tap_digests(tac_engine *engine, size_t island, tac__tap *tap);

// An instant watcher that was asked for is called once, at the end of the present instant, or of
// the first one of the run: after all stages, where a snapshot may be taken.
typedef struct tac__instant_watcher tac__instant_watcher;
struct tac__instant_watcher {
    void (*show)(void *context, tac_engine *engine, tac_time t_us);
    void *context;
    bool asked; // used by the engine, as is `next`
    tac__instant_watcher *next;
};

void tac__watch_instant_end(tac_engine *engine, tac__instant_watcher *watcher);

// A listener is called for every message that is delivered, at stage 0.
typedef struct tac__listener tac__listener;
struct tac__listener {
    void (*show)(void *context, tac_engine *engine, size_t receiver, const tac_message *message);
    void *context;
    const tac__listener *next; // used by the engine
};

void tac__engine_listen(tac_engine *engine, tac__listener *listener);

// Links inside the engine that have a law: messages may be lost, or their delays are drawn.
typedef struct tac__drawn_facts {
    const char *from, *to; // full names of the ports
} tac__drawn_facts;

size_t tac__watch_drawn_count(const tac_engine *engine);
tac__drawn_facts tac__watch_drawn(const tac_engine *engine, size_t drawn);

// A fate listener is called for every message that is sent on such a link.
typedef struct tac__fate_listener tac__fate_listener;
struct tac__fate_listener {
    void (*show)(void *context, size_t drawn, tac_time sent_us, uint64_t sequence,
                 const tac__fate *fate);
    void *context;
    const tac__fate_listener *next; // used by the engine
};

void tac__engine_listen_fates(tac_engine *engine, tac__fate_listener *listener);

// A snapshot timer is called after the first instant of the run at or after every multiple of a
// period; a snapshot may be taken there. Add it to a prepared engine.
typedef struct tac__snapshot_timer tac__snapshot_timer;
struct tac__snapshot_timer {
    void (*due)(void *context, tac_engine *engine, tac_time t_us);
    void *context;
    tac_time period_us;
    tac_time due_us; // used by the engine, as is `next`
    tac__snapshot_timer *next;
};

void tac__snapshot_every(tac_engine *engine, tac__snapshot_timer *timer);
// A rider is saved in every snapshot in memory (tactus/outside.h) and restored with it.
typedef struct tac__rider tac__rider;
struct tac__rider {
    size_t size; // bytes
    void (*save)(void *context, void *to);
    // `from` is NULL where the snapshot was taken before the rider was added, and at a reset.
    void (*restore)(void *context, tac_engine *engine, const void *from);
    void *context;
    const tac__rider *next; // used by the engine
};

// From a prepared engine on.
void tac__engine_ride(tac_engine *engine, tac__rider *rider);
// From the call with `begin` to the call without it the engine only goes forward: restoring a
// snapshot is refused.
void tac__engine_forward_only(tac_engine *engine, bool begin);
// Append the state between two instants to `out`, as bytes. Opaque components outside the plant are
// left out. drive.h restores it.
tac_status tac__snapshot_take(tac_engine *engine, tac__text *out, tac_error *err);

// --- values, of a prepared engine ---------------------------------------------------------------

// The value on the bus, which may be of an earlier instant.
const void *tac__watch_bus(const tac_engine *engine, size_t signal);
// The running digest of an island's state.
const uint64_t *tac__watch_digest(const tac_engine *engine, size_t island);
// As tac_engine_digest, but before the last step of the hash, as recordings keep it.
const char *tac__watch_digest_at(const tac_engine *engine, size_t i, uint64_t *digest);

// A signal that is read often: gives what tac_engine_read gives, without a call where the value is
// in memory already.
typedef struct tac__watched {
    const void *bus;
    const tac_time *bus_us;     // instant of the value on the bus; NULL: always valid
    const void *scratch;        // output of the plant: where it is evaluated; else NULL
    const tac_time *scratch_us; // instant of the value there
    int signal;
    int island; // -1: not a signal of the plant
    int output; // of the plant: its number among the outputs of its component; -1: not an output
    int state;  // of the plant: its first number among the states of its component; -1: not a state
} tac__watched;

tac__watched tac__watch_signal(const tac_engine *engine, int signal);

// NULL: the signal cannot be evaluated.
static inline const void *tac__watched_value(const tac__watched *w, tac_engine *engine,
                                             tac_time t_us)
{
    if (!w->bus_us || *w->bus_us == t_us)
        return w->bus;
    if (w->scratch && *w->scratch_us == t_us)
        return w->scratch;
    return tac_engine_read(engine, w->signal);
}

// --- inside steps -------------------------------------------------------------------------------

// A step watcher is called before the clock moves to t_us, for each of its islands whose step ends
// there and is certain: it will not be undone. Discrete signals still have the values that they had
// during the step. Add it to a prepared engine.
typedef struct tac__step_watcher tac__step_watcher;
struct tac__step_watcher {
    void (*show)(void *context, size_t island, tac_time t_us);
    void *context;
    const uint64_t *islands;       // one bit an island: its steps are watched
    const tac__step_watcher *next; // used by the engine
};

void tac__watch_steps(tac_engine *engine, tac__step_watcher *watcher);

// While the engine is resolved: the observer that was added last, which follows an island, is not
// called while `*asleep` is true, and outputs of the island are not kept for it.
void tac__observer_sleeps(tac_engine *engine, const bool *asleep);

// The states of an island, and its outputs if wanted, at any instant of its present step, on dense
// output. Only while a step watcher is called. It repeats the step in memory of its own: neither
// the run nor its counters notice.
typedef struct tac__inside tac__inside;

// From a prepared engine; lives in the arena. NULL: no memory.
tac__inside *tac__inside_create(tac_engine *engine, tac__arena *arena, size_t island, bool outputs);
tac_time tac__inside_from(const tac__inside *inside); // where the present step begins
// The engine went back: the step that is kept is not the present one any more.
void tac__inside_forget(tac__inside *inside);
// Look into the step, taken to end at end_us, at t_us. The values are valid until the next look at
// any instant.
TAC_MUST_CHECK tac_status tac__inside_look(tac__inside *inside, tac_time end_us, tac_time t_us);
const void *tac__inside_value(const tac__inside *inside, const tac__watched *signal);
// The same for states only; outputs are not evaluated. NULL: the step cannot be repeated.
const double *tac__inside_states(tac__inside *inside, tac_time end_us, tac_time t_us);

// The ends of the present step of an island: state i is x[i * stride] at its start, and y[i *
// stride] at its end, before projections. Only while a step watcher is called for this island.
typedef struct tac__step_ends {
    const double *x, *y;
    size_t stride;
    tac_time from_us;
} tac__step_ends;

tac__step_ends tac__inside_ends(const tac__inside *inside);

// --- formulas -----------------------------------------------------------------------------------

// Signals of the plant as terms of states, modes, held inputs and time. A formula has the bits of
// the evaluated output, takes only the operations that this output needs, and can be bounded.
// A slot is an input of the pool: input number i of the pool is slots[i].
typedef enum tac__slot_kind {
    TAC__SLOT_TIME,   // in seconds
    TAC__SLOT_STATE,  // state `index` of the island
    TAC__SLOT_MODE,   // what modes, and which components are active: changes at boundaries only
    TAC__SLOT_HELD,   // an input that is held during a step
    TAC__SLOT_SIGNAL, // of the caller
} tac__slot_kind;

typedef struct tac__slot {
    tac__slot_kind kind;
    int island;       // -1: none
    uint32_t index;   // STATE: which; SIGNAL: as the caller likes
    uint32_t element; // of what `from` leads to
    tac_scalar scalar;
    const void *from; // MODE, HELD: where the value is
    int32_t term;     // set by tac__formula_slot
} tac__slot;

struct tac__terms;
typedef struct tac__formulas {
    tac_engine *engine;
    tac__arena *arena;
    struct tac__terms *pool;
    tac__slot *slots;
    size_t count;
    TAC__CAPACITY(tac__slot) capacity;
    struct tac__formula_island *islands; // used by the engine
    int32_t time;                        // the term of the time
} tac__formulas;

// Of a prepared engine. The arena and the pool stay the caller's.
tac_status tac__formulas_init(tac__formulas *f, tac_engine *engine, tac__arena *arena,
                              struct tac__terms *pool);
// A new slot; returns its term.
int32_t tac__formula_slot(tac__formulas *f, const tac__slot *slot);
// The value of a MODE or HELD slot now.
static inline double tac__slot_value(const tac__slot *slot)
{
    return slot->scalar == TAC_F64 ? ((const double *)slot->from)[slot->element]
                                   : tac__scalar_f64(slot->scalar, slot->from, slot->element);
}
// The term of an element of a continuous signal. `*term` is -1 where a component of the island has
// no symbolic form.
tac_status tac__formula_signal(tac__formulas *f, int signal, uint32_t element, int32_t *term);
// The term of the derivative of a state, once a signal of its island was asked for.
int32_t tac__formula_rate(const tac__formulas *f, int island, uint32_t state);

// --- deferred outputs ---------------------------------------------------------------------------

// Outputs of the plant that nothing in the run reads are evaluated for watchers only. A watcher may
// store what they depend on (time, states, modes, held inputs) and have another thread evaluate
// them while the run goes on, with the same bits. Only for a component that is an island by itself,
// reads none of its own outputs and whose type is TAC_COMPONENT_SHARED.
typedef struct tac__deferred {
    const tac_instance *component; // NULL: its outputs cannot be deferred
    size_t size;                   // bytes to store for one instant
    const tac_time *inputs_us, *evaluated_us;
} tac__deferred;

tac__deferred tac__defer_outputs(const tac_engine *engine, size_t component);

// May the inputs of the evaluation be stored at t_us, where observers are called? Not where the
// outputs are on the bus or have been evaluated already, nor between two boundaries, where the
// state would have to be computed first.
static inline bool tac__deferred_ready(const tac__deferred *d, tac_time t_us)
{
    return *d->inputs_us == t_us && *d->evaluated_us != t_us;
}

void tac__deferred_store(const tac__deferred *d, tac_time t_us, void *stored);

// The states in what was stored; tac__watched.state counts from here.
static inline const double *tac__deferred_states(const void *stored)
{
    return (const double *)stored + 1;
}

// Output buffers, in memory of the caller: where each output begins, and their words.
enum { TAC__DEFERRED_OUTPUTS = 32, TAC__DEFERRED_WORDS = 256 };
typedef struct tac__deferred_values {
    void *out[TAC__DEFERRED_OUTPUTS];
    uint64_t words[TAC__DEFERRED_WORDS];
} tac__deferred_values;

// May be called on any thread: reads nothing that changes in a run.
tac_status tac__deferred_evaluate(const tac__deferred *d, const void *stored,
                                  tac__deferred_values *values);

#endif
