// engine.h - building and running a simulation from C.
//
// Create an engine, add rate groups, components, routes and links, prepare it, run it. Each thing
// is checked by itself when it is added, the whole when the engine is prepared; after that nothing
// can be added. An engine belongs to one thread at a time; several engines share nothing.
//
// Tactus computes in a floating-point environment of its own: rounding to nearest, nothing flushed
// to zero, traps masked. Functions that compute set this environment and restore the caller's
// before they return, flags included. Callbacks (logs, observers) are called in Tactus'
// environment; a change that they make to it is undone when they return. A component that changes
// it ends the run with TAC_E_FLOATS.
//
// docs/contract.md says what happens at a boundary and in which order.
#ifndef TACTUS_ENGINE_H
#define TACTUS_ENGINE_H

#include <tactus/component.h>
#include <tactus/link.h>

// --- definitions; each has a default maker, which also sets its size (api.h) -----------------

typedef struct tac_log_entry {
    tac_time t_us;
    const char *component; // "" for the engine itself
    tac_log_level level;
    const char *text;
} tac_log_entry;

typedef void tac_log_fn(void *context, const tac_log_entry *entry);

typedef struct tac_phase_change {
    tac_time t_us;      // when the new phase began
    const char *entity; // "" for the root; texts live as long as the engine
    const char *from, *to;
    const char *condition; // the condition that led to it
    bool located;          // the condition was located: t_us is the instant at which it turned true
} tac_phase_change;

typedef void tac_phase_fn(void *context, const tac_phase_change *change);

// A call from a component into a library that has not returned for long.
typedef struct tac_hang {
    const char *component; // full name
    const char *call;      // the function
    double seconds;        // since it was called, on the wall clock
} tac_hang;

// Called from another thread while the run waits, once for each such call. Even if the library's
// call returns meanwhile, the component does not go on before this function has returned.
typedef void tac_hang_fn(void *context, const tac_hang *hang);

typedef struct tac_integrator_def {
    const char *kind;      // the name of a method, as "rk4": docs/integrators.md
    tac_time h_max_us;     // longest step; 0: no limit if the method is adaptive, else the period
                           // of the physics axis or 1 ms
    double rtol, atol;     // adaptive: tolerances; the absolute one is times a state's scale
    tac_time h_min_us;     // adaptive: a shorter step ends the run
    uint64_t max_substeps; // adaptive: most steps tried between two boundaries
} tac_integrator_def;

// How components that are inactive in the present phase are treated. All strategies give the same
// bits.
#define TAC_STRATEGY_TABLE(X)                                                                      \
    X(SKIP, "skip", "they are not run")                                                            \
    X(GATE, "gate", "they are run, and what comes of it is dropped")                               \
    X(SPLIT, "split", "one graph a phase; in a numeric run the same as skip")

typedef enum tac_strategy {
#define TAC_STRATEGY_ENUM(name, text, doc) TAC_STRATEGY_##name,
    TAC_STRATEGY_TABLE(TAC_STRATEGY_ENUM)
#undef TAC_STRATEGY_ENUM
        TAC_STRATEGY_COUNT
} tac_strategy;

// A parameter that is a number gets this value instead of the given one.
typedef struct tac_param_value {
    const char *component; // its full name, "uav1.vehicle"
    const char *name;      // as tac_param_info has it: "mass", "rotors[2].position"
    size_t element;        // of an array or a list, else 0
    double value;          // in the unit that the component type declares
} tac_param_value;

typedef struct tac_engine_def {
    uint32_t size;        // sizeof(tac_engine_def)
    bool split;           // advance parts of the plant one after another, on the physics axis
    bool allow_fast_sync; // SYNCHRONIZED above 10 kHz
    bool digests;         // on by default
    const tac_allocator *allocator; // NULL: malloc
    // How many components and islands that are alike are computed at once, in the lanes of vector
    // registers: at most 1, 2, 4 or 8; an x86 machine whose registers are narrower takes fewer. 0,
    // the default: as many as its registers have. The bits are the same.
    uint32_t lanes;
    uint64_t seed;
    tac_time end_us; // stages 0 to 9 run at this instant, then the run is over
    tac_integrator_def integrator;
    tac_world world;
    tac_time physics_us;   // period of the physics axis; 0: none
    tac_policy policy;     // between rate groups, unless a rule says otherwise
    tac_strategy strategy; // for inactive components
    tac_log_fn *log; // called from the very beginning; may be NULL. tac_engine_add_log adds others
    void *log_context;
    tac_log_level log_level;     // entries below this level are not passed to `log`
    tac_phase_fn *phase_changed; // called at every change of a phase; may be NULL.
                                 // tac_engine_add_phase_watcher adds others
    void *phase_context;
    const char *untrusted; // the file (as in places) of a configuration that comes from someone
                           // else: see tac_config_def; NULL: there is none
    tac_hang_fn *hang;     // may be NULL; only one. After it the engine goes on waiting
    void *hang_context;
    tac_mistake_fn *mistake; // may be NULL; see tac_config_def. Called for each mistake in routes,
                             // and in the parameters of a component for each but the first, which
                             // tac_engine_add_component returns
    void *mistake_context;
    bool profile;        // measure where the time of a run goes: tac_engine_profile. Changes no bit
    uint8_t reserved[7]; // 0
    // Wherever the configuration gives these, or a default does: also where another component reads
    // them (tac_param_peer_begin). Must live until the engine is prepared. One that no component
    // has is ignored.
    const tac_param_value *values;
    size_t value_count;
} tac_engine_def;

typedef struct tac_group_def {
    uint32_t size; // sizeof(tac_group_def)
    const char *name;
    tac_time period_us, offset_us; // a period, or explicit times, or both:
    const tac_time *times_us;      // explicit times, ascending
    size_t times_count;
    tac_place place;
} tac_group_def;

typedef struct tac_component_def {
    uint32_t size;      // sizeof(tac_component_def)
    const char *entity; // NULL or "": none
    const char *name;
    const tac_component_type *type;
    const char *group;         // NULL: none (continuous, or run by messages and timers only)
    const char *stage;         // NULL: the type's own
    const tac_node *params;    // a map, or NULL; must live until the engine is prepared
    const char *const *active; // phases of its entity in which it is active; NULL: in all
    size_t active_count;
    bool hold; // while inactive its outputs stay as they were; else they are zero
    tac_place place;
    const char *const *accepts; // Ids of warnings of this component that are known: not given.
    size_t accept_count;
} tac_component_def;

typedef struct tac_route_def {
    uint32_t size;    // sizeof(tac_route_def)
    uint32_t pending; // from outside: how many writes for later instants there is room for
    const char *to;   // full name of an input: "uav1.Ctrl.position"
    const char *from; // name of a signal, seen from the entity of `to` first, then from the root;
                      // an element as "Nav.position[2]" or "Nav.position.z". "outside": values
                      // come from tac_engine_write; the component of `to` must be there already
    double gain, offset; // value = gain * signal + offset
    tac_time delay_us;   // a whole number of the writer's periods
    bool delayed;        // sees the value of the last boundary
    bool convert;        // convert between units of one kind (deg to rad)
    bool has_policy;     // `policy` applies, whatever the rules say
    tac_policy policy;
    tac_place place;
    const char *rest; // from outside: the value until another is written, as in a file: "2 m/s",
                      // "[0, 0, 1]"; NULL: that of the open input, if it is optional
} tac_route_def;

typedef struct tac_link_def {
    uint32_t size;         // sizeof(tac_link_def)
    const char *from, *to; // message ports; patterns connect all that match, but not ports of one
                           // entity with each other
    tac_time delay_us;     // at least 1; not used with `law`, nor from outside, where messages have
                           // their own time
    tac_place place;
    // With "outside" for `to`: the name that watchers (tac_engine_add_send_watcher) are given with
    // each message; NULL: the name of the sending port. With "outside" for `from`: the name of the
    // sender, which tac_engine_post gives and digests identify the sender by.
    const char *channel;
    bool has_number; // from outside: `number` applies
    uint32_t number; // from outside: place of the sender among those of the port, from 0; without a
                     // number it comes after those of the engine
    const tac_link_law *law; // NULL: every message arrives once, after delay_us; from outside: NULL
    bool steps_first;    // from outside: at an instant that both share, the sender steps before the
                         // component of the port, so a message that the component takes there still
                         // has its place in the port when the sender sends; see tac_engine_post
    uint8_t reserved[7]; // 0
} tac_link_def;

// When an observer is called; always in stage 9, after everything else.
typedef enum tac_follow {
    TAC_FOLLOW_AXIS,    // on an axis of its own
    TAC_FOLLOW_STEPS,   // wherever `component` has stepped
    TAC_FOLLOW_ISLAND,  // at every boundary of the island to which `component` belongs
    TAC_FOLLOW_INSTANTS // wherever a message or a wake-up from outside the plant splits an island,
                        // or makes a scenario or phases step
} tac_follow;

// Observers read; they add no boundary to anything and change nothing.
typedef struct tac_observer_def {
    uint32_t size; // sizeof(tac_observer_def)
    const char *name;
    tac_follow follow;
    tac_time period_us, offset_us; // of an axis
    bool ends;                     // of an axis: also at the start and the end of the run
    const char *component;         // full name of the component that is followed
    bool outputs;                  // the observer reads outputs of the island that it follows
    void (*observe)(void *context, tac_engine *engine, tac_time t_us);
    void *context;
} tac_observer_def;

static inline tac_engine_def tac_engine_def_default(void)
{
    tac_engine_def def = TAC_ZERO;
    def.size = sizeof def;
    def.digests = true;
    def.seed = 1;
    def.end_us = 1000000;
    def.integrator.kind = "rk4"; // its longest step is 1 ms
    def.integrator.rtol = def.integrator.atol = 1e-6;
    def.integrator.h_min_us = 1;
    def.integrator.max_substeps = 100000;
    def.world.g_m_s2 = 9.80665;
    def.policy = TAC_ZOH;
    def.log_level = TAC_LOG_INFO;
    return def;
}

static inline tac_group_def tac_group_def_default(void)
{
    tac_group_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

static inline tac_component_def tac_component_def_default(void)
{
    tac_component_def def = TAC_ZERO;
    def.size = sizeof def;
    def.entity = "";
    return def;
}

static inline tac_route_def tac_route_def_default(void)
{
    tac_route_def def = TAC_ZERO;
    def.size = sizeof def;
    def.gain = 1;
    def.pending = 64;
    return def;
}

static inline tac_link_def tac_link_def_default(void)
{
    tac_link_def def = TAC_ZERO;
    def.size = sizeof def;
    def.delay_us = 1;
    return def;
}

static inline tac_observer_def tac_observer_def_default(void)
{
    tac_observer_def def = TAC_ZERO;
    def.size = sizeof def;
    def.period_us = 10000;
    return def;
}

TAC_BEGIN_DECLS

// --- building -------------------------------------------------------------------------------

TAC_API TAC_MUST_CHECK tac_status tac_engine_create(const tac_engine_def *def, tac_engine **engine,
                                                    tac_error *err);
TAC_API void tac_engine_destroy(tac_engine *engine); // NULL is fine

TAC_API TAC_MUST_CHECK tac_status tac_engine_add_entity(tac_engine *engine, const char *name,
                                                        const tac_place *place, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_group(tac_engine *engine, const tac_group_def *def,
                                                       tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_component(tac_engine *engine,
                                                           const tac_component_def *def,
                                                           tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_route(tac_engine *engine, const tac_route_def *def,
                                                       tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_link(tac_engine *engine, const tac_link_def *def,
                                                      tac_error *err);
// Readers in other groups see signals that match `pattern` through `policy`; the last rule wins. A
// pattern matches a whole name or all that follows any dot in it: "battery.*" also matches
// "uav1.vehicle.battery.soc".
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_policy(tac_engine *engine, const char *pattern,
                                                        tac_policy policy, const tac_place *place,
                                                        tac_error *err);
// The order of all discrete components, instead of the order that follows from the signals.
TAC_API TAC_MUST_CHECK tac_status tac_engine_set_order(tac_engine *engine,
                                                       const char *const *components, size_t count,
                                                       const tac_place *place, tac_error *err);
// What a continuous state begins with, in its own unit, instead of what its component sets.
TAC_API TAC_MUST_CHECK tac_status tac_engine_set_initial(tac_engine *engine, int signal,
                                                         const double *values, size_t count,
                                                         const tac_place *place, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_observer(tac_engine *engine,
                                                          const tac_observer_def *def,
                                                          tac_error *err);

// Add a callback for log entries from `level` on, or for changes of phases. There may be any
// number; they are called in the order in which they were added, those of tac_engine_def first.
// Also on a prepared engine. `context` must outlive the engine's runs.
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_log(tac_engine *engine, tac_log_level level,
                                                     tac_log_fn *log, void *context,
                                                     tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_engine_add_phase_watcher(tac_engine *engine,
                                                               tac_phase_fn *changed, void *context,
                                                               tac_error *err);

// Resolve everything and allocate all memory of the run. Boundary 0 comes next.
TAC_API TAC_MUST_CHECK tac_status tac_engine_prepare(tac_engine *engine, tac_error *err);

// --- running --------------------------------------------------------------------------------

// Process every boundary up to and including `until_us`, and no instant beyond it. Several calls in
// a row give the same bits as one. After a failure the engine keeps its state for inspection and
// runs no further.
TAC_API TAC_MUST_CHECK tac_status tac_engine_run(tac_engine *engine, tac_time until_us,
                                                 tac_error *err);

// Ask a running engine to return TAC_E_STOPPED before its next boundary. The one function that may
// be called from a signal handler or another thread.
TAC_API void tac_engine_stop(tac_engine *engine);

// The last instant, and the next one or TAC_TIME_NEVER: boundaries, and ends of integration steps.
TAC_API tac_time tac_engine_time(const tac_engine *engine);
TAC_API tac_time tac_engine_next_time(const tac_engine *engine);
TAC_API tac_time tac_engine_end_time(const tac_engine *engine); // the instant at which the run ends
TAC_API bool tac_engine_finished(const tac_engine *engine);

typedef struct tac_counters {
    uint64_t boundaries; // instants at which anything discrete happened
    uint64_t steps;      // component steps
    uint64_t integration_steps, rejected, rhs_evals, undone; // of all islands
    uint64_t events;   // located events of the plant, and located conditions
    uint64_t messages; // delivered
} tac_counters;

TAC_API void tac_engine_counters_sized(const tac_engine *engine, tac_counters *counters,
                                       size_t size);
static inline tac_counters tac_engine_counters(const tac_engine *engine)
{
    tac_counters counters;
    tac_engine_counters_sized(engine, &counters, sizeof counters);
    return counters;
}

// Where the time of a run goes, for an engine with tac_engine_def.profile. Times are of the wall
// clock, since the engine was prepared, and include the time that reading the clock takes.
typedef struct tac_profile {
    double run_s;      // inside tac_engine_run
    double reading_s;  // that one reading of the clock takes
    uint64_t readings; // how often the clock was read
} tac_profile;

typedef struct tac_component_profile {
    uint64_t steps, outputs, evaluations; // calls of step, output and derive while it was active
    uint64_t inactive_calls; // calls while it was inactive, whose results are dropped (`gate`)
    tac_time inactive_us;    // simulated time in which it was inactive
    double step_s, output_s, evaluation_s, inactive_s;
} tac_component_profile;

// False, and zeros, where nothing was measured.
TAC_API bool tac_engine_profile_sized(const tac_engine *engine, tac_profile *profile, size_t size);
static inline bool tac_engine_profile(const tac_engine *engine, tac_profile *profile)
{
    return tac_engine_profile_sized(engine, profile, sizeof *profile);
}
// Seconds that were spent in a stage, by all components; `*items` is how many items of work (as a
// step, a hook, the outputs of an island) were done in it.
TAC_API double tac_engine_profile_stage(const tac_engine *engine, tac_stage stage, uint64_t *items);
TAC_API void tac_engine_profile_component_sized(const tac_engine *engine, size_t component,
                                                tac_component_profile *profile, size_t size);
static inline tac_component_profile tac_engine_profile_component(const tac_engine *engine,
                                                                 size_t component)
{
    tac_component_profile profile;
    tac_engine_profile_component_sized(engine, component, &profile, sizeof profile);
    return profile;
}

// How many writes of a signal had a NaN in them; `*first_us`, where not NULL, is when the first
// was, TAC_TIME_NEVER if there was none. Counted while digests are taken: 0 without digests, and 0
// for continuous states, where a NaN stops the run instead.
TAC_API uint64_t tac_engine_nans(const tac_engine *engine, size_t signal, tac_time *first_us);

// --- reading --------------------------------------------------------------------------------

// How large a prepared simulation is.
typedef struct tac_sizes {
    size_t entities, groups, components, islands, signals;
    size_t senders, receivers;  // message ports
    size_t states;              // continuous states, as single numbers
    size_t phases, transitions; // of all entities
    size_t bytes;               // of everything that changes in a run
} tac_sizes;

TAC_API void tac_engine_sizes_sized(const tac_engine *engine, tac_sizes *sizes, size_t size);
static inline tac_sizes tac_engine_sizes(const tac_engine *engine)
{
    tac_sizes sizes;
    tac_engine_sizes_sized(engine, &sizes, sizeof sizes);
    return sizes;
}

typedef struct tac_group_info {
    const char *name;
    tac_time period_us, offset_us; // as resolved; period 0: explicit times only
    size_t times;                  // how many explicit times it has
    size_t components;
} tac_group_info;

TAC_API void tac_engine_group_info_sized(const tac_engine *engine, size_t group,
                                         tac_group_info *info, size_t size);
static inline tac_group_info tac_engine_group_info(const tac_engine *engine, size_t group)
{
    tac_group_info info;
    tac_engine_group_info_sized(engine, group, &info, sizeof info);
    return info;
}

typedef struct tac_component_info {
    const char *name, *type;
    const char *entity, *group; // "" where it has none
    uint32_t flags;             // TAC_COMPONENT_... of its type
    double gravity_mu_m3_s2;    // of tac_declare_gravity; 0: not declared
    double gravity_radius_m;
    const double *landing_m; // of tac_declare_landing: north, east; NULL: none
} tac_component_info;

// In order of declaration; name "" where there is no such component. tac_sizes has their number.
TAC_API void tac_engine_component_info_sized(const tac_engine *engine, size_t component,
                                             tac_component_info *info, size_t size);
static inline tac_component_info tac_engine_component_info(const tac_engine *engine,
                                                           size_t component)
{
    tac_component_info info;
    tac_engine_component_info_sized(engine, component, &info, sizeof info);
    return info;
}

typedef struct tac_signal_info {
    const char *name, *unit, *doc, *writer, *group; // group "" where the writer has none
    tac_type type;
    tac_stage stage;
    bool continuous; // a state or an output of the plant
    tac_role role;
    size_t component; // number of the writer
} tac_signal_info;

TAC_API size_t tac_engine_signal_count(const tac_engine *engine);
TAC_API int tac_engine_find_signal(const tac_engine *engine, const char *name); // -1: unknown
// Name "" where there is no such signal.
TAC_API void tac_engine_signal_info_sized(const tac_engine *engine, int signal,
                                          tac_signal_info *info, size_t size);
static inline tac_signal_info tac_engine_signal_info(const tac_engine *engine, int signal)
{
    tac_signal_info info;
    tac_engine_signal_info_sized(engine, signal, &info, sizeof info);
    return info;
}
// The value at the engine's present instant, in the signal's own type. Between two boundaries of
// its island a continuous signal is evaluated for this call, which changes nothing; so is an output
// of the plant that nothing in the simulation reads, with its present inputs. Valid until the next
// call. May be called from an observer, which sees such outputs as of stage 3.
TAC_API const void *tac_engine_read(tac_engine *engine, int signal);

// One hash over all digests whose names match `pattern` (NULL: all), as in tac_engine_add_policy;
// `*count`, where not NULL, is how many matched. 0: none did, or digests are off; no hash is 0.
// docs/contract.md says what a hash covers.
TAC_API uint64_t tac_engine_hash(const tac_engine *engine, const char *pattern, size_t *count);
// Digests one by one, in order of name: signals, message ports, states of islands
// ("uav1.body#state"), and for each component "uav1.body#end", over everything of it that decides
// how the run goes on. NULL after the last.
TAC_API const char *tac_engine_digest(const tac_engine *engine, size_t i, uint64_t *digest);
// The hash over such digests, from one engine or several, in order of name: tac_engine_hash of an
// engine that has just these.
TAC_API uint64_t tac_digests_hash(const uint64_t *digests, size_t count);

TAC_API uint64_t tac_engine_schema_hash(const tac_engine *engine);
TAC_API uint64_t tac_engine_model_hash(const tac_engine *engine); // 0: no memory

// Texts, to be freed with tac_text_free. NULL when there is no memory.
typedef enum tac_format {
    TAC_FORMAT_TEXT,
    TAC_FORMAT_JSON,
    TAC_FORMAT_DOT,
    TAC_FORMAT_SVG,
    TAC_FORMAT_LCM // types in the language of LCM, for lcm-gen
} tac_format;
// All signals, as text, json or lcm. Types of LCM: a struct for the signals of each component, and
// those of messages.
TAC_API char *tac_engine_schema(const tac_engine *engine, tac_format format);
TAC_API char *tac_engine_explain(const tac_engine *engine, tac_format format); // all but lcm
// Only the flight phases: machines, and which component is active when. All formats but lcm.
TAC_API char *tac_engine_explain_phases(const tac_engine *engine, tac_format format);
TAC_API void tac_text_free(char *text);

// --- checkpoints ----------------------------------------------------------------------------

// Write the whole state, as it was after stage 9 of the last boundary at or before `t_us`, to
// `path` as soon as the run has passed `t_us`. For a prepared engine that has not passed it yet;
// `t_us` must lie before the end of the run.
TAC_API TAC_MUST_CHECK tac_status tac_engine_checkpoint_at(tac_engine *engine, tac_time t_us,
                                                           const char *path, tac_error *err);
// Continue from a checkpoint: on a prepared engine of the same model that has not run yet.
TAC_API TAC_MUST_CHECK tac_status tac_engine_restore(tac_engine *engine, const char *path,
                                                     tac_error *err);

// Continue from a checkpoint of a model that may differ in values of tunable parameters
// (TAC_PARAM_TUNABLE) and in events of scenarios after the checkpoint: a branch. Any other
// difference is refused, with its place and what differs. Places come from the parameters that
// components were added with, so these must still be valid. Otherwise as tac_engine_restore.
TAC_API TAC_MUST_CHECK tac_status tac_engine_branch(tac_engine *engine, const char *path,
                                                    tac_error *err);

typedef enum tac_change_kind {
    TAC_CHANGE_PARAMETER,
    TAC_CHANGE_EVENT_ADDED,
    TAC_CHANGE_EVENT_REMOVED,
    TAC_CHANGE_EVENT_CHANGED
} tac_change_kind;

// How the model of an engine differs from that of the checkpoint that it continues. Texts live as
// long as the engine.
typedef struct tac_change {
    tac_change_kind kind;
    const char *component;
    const char *name; // of the parameter; for an event, of the parameter that lists the events
    const char *before, *after; // a value, or an event as "{at: 20 s, do: arm}"; NULL: none
} tac_change;

TAC_API size_t tac_engine_change_count(const tac_engine *engine);
TAC_API void tac_engine_change_sized(const tac_engine *engine, size_t i, tac_change *change,
                                     size_t size);
static inline tac_change tac_engine_change(const tac_engine *engine, size_t i)
{
    tac_change change;
    tac_engine_change_sized(engine, i, &change, sizeof change);
    return change;
}

typedef struct tac_checkpoint_info {
    tac_time t_us;
    uint64_t model_hash, schema_hash;
    char version[16];
    uint64_t size; // bytes
} tac_checkpoint_info;

TAC_API TAC_MUST_CHECK tac_status tac_checkpoint_read_info_sized(const char *path,
                                                                 tac_checkpoint_info *info,
                                                                 size_t size, tac_error *err);
static inline TAC_MUST_CHECK tac_status tac_checkpoint_read_info(const char *path,
                                                                 tac_checkpoint_info *info,
                                                                 tac_error *err)
{
    return tac_checkpoint_read_info_sized(path, info, sizeof *info, err);
}

TAC_END_DECLS
#endif
