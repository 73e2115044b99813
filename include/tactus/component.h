// component.h - the protocol between the engine and a component.
//
// A component type is a table of functions. `declare` says what an instance has: parameters, ports,
// states, random streams. `step` is the discrete part: it runs once each time the component is due,
// never inside an integrator. `output` and `derive` are the continuous part: pure functions of
// time, state, held inputs and parameters that the integrator may call as often as it likes. A
// component may have both parts.
//
// The engine owns all mutable memory of a run: signals, discrete and continuous states. What a
// component keeps in its own `self` is fixed once `declare` and `connect` have returned, and every
// later function sees `self` const. That makes checkpoints, digests and undoing possible without
// help from the author. A component that must keep something elsewhere (a library handle, a socket)
// sets TAC_COMPONENT_OPAQUE and gives `save` and `restore` if it can.
#ifndef TACTUS_COMPONENT_H
#define TACTUS_COMPONENT_H

#include <tactus/node.h>
#include <tactus/signal.h>
#include <tactus/world.h>

#define TAC_ABI_VERSION 3u

typedef struct tac_declare tac_declare; // an instance being declared
typedef struct tac_engine tac_engine;
typedef struct tac_instance tac_instance; // the engine's side of a component

// --- declaring ------------------------------------------------------------------------------

typedef struct tac_param_def {
    uint32_t size; // sizeof(tac_param_def)
    const char *name;
    const char *unit;     // NULL: a bare number
    const char *fallback; // the default, as written in a configuration, "2 m" or "[1, 2, 3]"; one
                          // that cannot be read is an error. NULL: must be given
    const char *range;    // "(0, inf)", "[-1, 1]"; NULL: any finite number
    const char *doc;
    uint32_t flags;    // TAC_PARAM_...
    uint32_t reserved; // 0
} tac_param_def;

enum {
    // A run may go on from a checkpoint with another value of the parameter (tac_engine_branch).
    // Set this only if nothing but `step`, `output`, `derive`, `detect`, `holds`, `project` and
    // hooks depend on the parameter: neither what is declared nor what `init` sets. Results that a
    // step has computed from the old value and keeps in a state stay as they are. Implied by
    // tac_param_input; of no effect on paths, tools, names and maps.
    TAC_PARAM_TUNABLE = 1,
};

enum {
    TAC_PORT_OPTIONAL = 1, // input: may stay open, then it reads zero, a quat identity
    TAC_PORT_HELD = 2,     // input of a continuous component: sampled at stage 10 of a boundary and
                           // held, even when it comes from another continuous component
    TAC_PORT_DERIVE_ONLY = 4, // input that only `derive` uses, neither `output` nor `step`
    TAC_PORT_EVAL = 8, // output that `output` writes, not `step`. Implied where there is no `step`;
                       // a type with both must mark the outputs of `output`
    TAC_PORT_NAN = 16, // output in which NaN has a meaning ("unused"): no warning, and not counted
    TAC_PORT_LEAD = 32, // discrete state, an array of 1 + n * `periods` elements, `periods` as in
                        // tac_declare_lead: the engine shortens it to 1 + n * the periods that the
                        // lead takes in the component's rate group
};

// Parts of a plant, for `plant.coupling: split`, which advances them one after another: actuators,
// propulsion, body, battery. Only the body is integrated by the chosen method.
typedef enum tac_part {
    TAC_PART_BODY,
    TAC_PART_ACTUATOR,
    TAC_PART_PROPULSION,
    TAC_PART_BATTERY
} tac_part;

typedef struct tac_port_def {
    uint32_t size;    // sizeof(tac_port_def)
    const char *name; // the name of an output or state may have dots, as battery.soc, but not end
                      // in .x, .y, .z or .w, which are elements
    tac_type type;
    const char *unit; // NULL: dimensionless
    const char *doc;
    uint32_t flags;         // TAC_PORT_...
    tac_part part;          // continuous state: the part of the plant that it belongs to
    const char *derivative; // output: the output of this component that is its rate of change per
                            // second, for EXTRAPOLATED; of a quaternion the body rate. May be NULL
    double scale;      // continuous state: its absolute tolerance is `atol` times this; 0 means 1
    tac_role role;     // output or continuous state: its meaning in reports and pictures of flights
    uint32_t reserved; // 0
} tac_port_def;

typedef struct tac_message_def {
    uint32_t size; // sizeof(tac_message_def)
    bool numbers;  // sending port: a message is an array of doubles; its NaNs are made the same
    bool triggers; // receiving port: a delivery makes the component step
    const char *name;
    const char *doc;
    uint32_t capacity;  // receiving port: room for messages on the way or waiting
    uint32_t max_bytes; // receiving port: longest message
} tac_message_def;

static inline tac_param_def tac_param_def_default(void)
{
    tac_param_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

static inline tac_port_def tac_port_def_default(void) // a single f64
{
    const tac_type f64 = TAC_TYPE_F64;
    tac_port_def def = TAC_ZERO;
    def.size = sizeof def;
    def.type = f64;
    return def;
}

static inline tac_message_def tac_message_def_default(void)
{
    tac_message_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// The address of a definition for a single call: tac_param_f64(d, TAC_PARAM(.name = "mass", ...)).
#define TAC_PARAM(...)   TAC_DEF_ADDRESS(tac_param_def, __VA_ARGS__)
#define TAC_PORT(...)    TAC_DEF_ADDRESS(tac_port_def, __VA_ARGS__)
#define TAC_MESSAGE(...) TAC_DEF_ADDRESS(tac_message_def, __VA_ARGS__)

typedef struct tac_message {
    tac_time sent_us, delivered_us;
    uint32_t sender; // place among the senders linked to this port, in order of declaration, from 0
    uint64_t sequence; // of this sender
    const void *bytes;
    size_t size;
    uint64_t copy; // 1: the second copy, of a link that duplicates messages; else 0
} tac_message;

enum {
    TAC_DUE_AXIS = 1,      // the component's rate group is due
    TAC_DUE_MESSAGE = 2,   // a message was delivered to a port that triggers
    TAC_DUE_TIMER = 4,     // the wake-up that the component asked for
    TAC_DUE_CONDITION = 8, // a located condition of its own turned true
    TAC_DUE_LEAD = 16,     // a step before that of the rate group, as tac_declare_lead asked for
};

// What one lane of a step in packs has of its own, besides values and numbers.
typedef struct tac_lane {
    tac_instance *instance;
    const void *self; // the component's own: it may differ in what `alike` does not compare
} tac_lane;

// What a step sees. Indices are those that the declaring functions returned.
typedef struct tac_step {
    tac_time t_us;
    tac_time period_us;    // of the component's rate group; 0 where it has no regular period
    uint32_t due;          // why it runs: TAC_DUE_...
    uint32_t lanes;        // how many components step at once: more than 1 in kernels of packs
    const void *const *in; // inputs as they are seen at t_us, through their routes
    void *const *out;      // outputs; an output that is not written holds. NULL in hooks
    void *const *state;    // discrete states
    const double *x;       // own continuous states at t_us
    tac_instance *instance;
    const double *p;       // the component's numbers: see tac_declare_numbers
    const tac_lane *lane;  // packs: of each lane; else NULL
    const double *decided; // duals and symbols: what `decide` computed; else NULL
    const double *now;     // symbols: t_us as a term of the graph; else NULL
} tac_step;

// What `output`, `derive`, `detect` and `project` see.
typedef struct tac_eval {
    double t_s;            // seconds since the start; between boundaries not a whole microsecond
    const void *const *in; // held; coupled inputs are as of this very evaluation
    void *const *out;      // `output` writes these; `derive` reads them if TAC_COMPONENT_CHAINED
    const double *x;       // own continuous states
    double *dx;            // `derive` writes their rates of change per second
    const double *mode;    // one an own event: 1 where it holds, 0 where not; see tac_declare_event
    const double *p;       // the component's numbers: see tac_declare_numbers
    const double *t_lanes; // packs: the time of each lane in seconds; t_s is that of the first.
                           // Symbols: the time
    uint32_t lanes;        // packs: number of lanes; else 1
} tac_eval;

// --- kinds ----------------------------------------------------------------------------------

// What a model computes with. Every f64 that a kernel sees has the form of its kind: in[], out[],
// state[], x, dx, mode and p. Values of other scalar types (bool, i32, ...) have one form for all
// kinds, except in packs, where every value is there once for each lane: element i of lane l stands
// at [i * lanes + l], whatever the type. An f64[3] is 3 * lanes doubles, a bool is `lanes` bools.
// In symbols every value is one, whatever its type.
typedef enum tac_kind {
    TAC_NUMBERS, // a double
    // Two, four or eight doubles side by side, aligned to their size together: one lane for each of
    // several components of the same shape (see `alike`). Every lane does exactly the arithmetic of
    // TAC_NUMBERS, so that the bits are the same. The engine chooses the width for the machine.
    TAC_PACK2,
    TAC_PACK4,
    TAC_PACK8,
    // A value and its derivatives in TAC_DUAL_DIRECTIONS directions, TAC_DUAL_WIDTH doubles. The
    // component's numbers are constants, plain doubles, and t_s is one, too.
    TAC_DUALS,
    TAC_DUALS_OF_ALL, // the same, and the component's numbers are such values, too
    // Terms of a symbolic graph, TAC_SYMBOL_WIDTH doubles each; kernels of this kind can only be
    // made with the headers of Tactus' own models. Every value is one, also each element of a bool,
    // an i32 or an enum, the component's numbers, and the time, which is *e->t_lanes.
    TAC_SYMBOLS,
    TAC_KINDS,
    TAC_KINDS_ROOM = 12, // of the table in a component type: later versions may have more kinds
} tac_kind;

enum { TAC_DUAL_DIRECTIONS = 8, TAC_DUAL_WIDTH = 9, TAC_SYMBOL_WIDTH = 2 };

// The functions of one kind. All are optional; NULL: the component has no such function of this
// kind. What TAC_NUMBERS has decides what a component is; the other kinds are other forms of the
// same functions, for speed (packs) and for methods that need derivatives (duals; without these
// the engine takes finite differences).
typedef struct tac_kernels {
    // y = g(t, x, u). Pure.
    tac_status (*output)(const tac_eval *e, const void *self);
    // dx/dt = f(t, x, u). Pure. TAC_E_NUMERIC asks an adaptive method for a shorter step; packs
    // fail if any lane would.
    tac_status (*derive)(const tac_eval *e, const void *self);
    // One number g[i] for each event that was declared: the event holds where g[i] > 0. Pure; g[i]
    // may depend on the event's own e->mode[i], which must be read before g[i] is written: both may
    // be the same memory.
    tac_status (*detect)(const tac_eval *e, const void *self, double *g);
    // Bring x back onto its bounds at the end of an interval (unit quaternion, tank not negative).
    // Of `e` only p and lanes may be used.
    tac_status (*project)(const tac_eval *e, const void *self, double *x);
    // The discrete part: runs once each time the component is due. TAC_NUMBERS may call everything
    // under "inside init, step and the hooks" below.
    //
    // In packs several components that are due at the same instant step at once: t_us, period_us,
    // due, and which inputs are connected are the same for all. Such a step uses `self` for what
    // `alike` compares, and s->lane[l].self for the rest. It may call tac_connected,
    // tac_draw_normals, and for one lane, with tac_step_of_lane, tac_log_write; nothing else.
    // Where a component would fail, or needs more than that, the step returns a status other than
    // TAC_OK before it has written or drawn anything: the components then step one by one with
    // TAC_NUMBERS, and what that step says counts.
    tac_status (*step)(tac_step *s, const void *self);
} tac_kernels;

// --- component types ------------------------------------------------------------------------

enum {
    TAC_COMPONENT_OPAQUE = 1,  // has mutable state that the engine does not own
    TAC_COMPONENT_TIMER = 2,   // calls tac_wake_at
    TAC_COMPONENT_CHAINED = 4, // its `derive` reads what its `output` wrote
    TAC_COMPONENT_SHARED = 8,  // its `output` uses nothing but its arguments: it may run on several
                               // threads at once, and does for recordings
    TAC_COMPONENT_CONSTANT = 16, // only `init` sets its outputs: it needs no rate group
    TAC_COMPONENT_PRINTS = 32, // it calls a library that may print: the program keeps that text out
                               // of its own standard output
    TAC_COMPONENT_EVENTS = 64, // it takes the events under `scenario:` of a configuration, as items
                               // of its parameter `events`
    TAC_COMPONENT_OUTSIDE = 128, // it decides over time, or talks to other programs: where a
                                 // simulation becomes a graph, the outputs of its `step` are inputs
                                 // of that graph
};

typedef struct tac_component_type {
    uint32_t size;       // sizeof(tac_component_type)
    uint32_t flags;      // TAC_COMPONENT_...
    const char *name;    // as written after `type:`
    const char *version; // changes whenever results change; part of the model hash
    const char *summary; // one line
    tac_stage stage;     // of `step`, unless the configuration says otherwise
    size_t self_size;    // zeroed memory for `self`

    tac_status (*declare)(tac_declare *d, void *self);
    // Optional, as all below. Called when all components are declared and connected: what watches
    // and feeds are connected to is known. It may still fill `self`, read parameters and report
    // mistakes, but declare nothing.
    tac_status (*connect)(tac_declare *d, void *self);
    // Set outputs, states and x for t = 0; may ask for a wake-up.
    tac_status (*init)(tac_step *s, const void *self);
    // By kind: `.kernels[TAC_NUMBERS].step = f`.
    tac_kernels kernels[TAC_KINDS_ROOM];
    // Have two components the same shape: may the kernels of packs use `self` of one for the other?
    // What they may differ in are the values of inputs, states and tac_declare_numbers. Without
    // this function components are not put into lanes.
    bool (*alike)(const void *self, const void *other);
    // Does a condition that was declared hold? Pure: of `s` only t_us, in and state may be used,
    // and of the inputs only those of the condition, which have their values at t_us. A condition
    // that does not matter now returns false; so does one that cannot be evaluated, as with a NaN.
    bool (*holds)(const tac_step *s, const void *self, int condition);
    // At every boundary of the component's entity, before and after everything else.
    tac_status (*pre_step)(tac_step *s, const void *self);
    tac_status (*post_step)(tac_step *s, const void *self);
    // Flight phases, by their numbers: called when the entity leaves a phase in which the component
    // is active, and when it enters a phase in which the component will be active.
    tac_status (*phase_exit)(tac_step *s, const void *self, int32_t from, int32_t to);
    tac_status (*phase_enter)(tac_step *s, const void *self, int32_t from, int32_t to);
    // Opaque state to and from a checkpoint. `save` is called twice: first with bytes NULL, to get
    // the size through `*size`.
    tac_status (*save)(const void *self, void *bytes, size_t *size);
    tac_status (*restore)(const void *self, const void *bytes, size_t size);
    // Discrete states came from a checkpoint or a recording: can `step` work with them? Everything
    // that `step` uses as an index or a count must be checked here; values of bool and enum states
    // have been checked by the engine. tac_fail says what is wrong.
    tac_status (*verify)(tac_step *s, const void *self);
    // Release what `declare` acquired. Called once, also after a failed start.
    void (*close)(void *self);
    // What a step of numbers is about to decide: the numbers that were declared with
    // tac_declare_decision, computed from the step as it stands before it runs (times, due, inputs,
    // states, x and p). Pure: it writes nothing but `decided`, and may call tac_connected and
    // tac_turned_true, nothing else. Ordinary runs do not call it. The `step` kernels of duals and
    // symbols read the numbers through s->decided and compute the rest in their own kind.
    tac_status (*decide)(const tac_step *s, const void *self, double *decided);
    // By how much a condition that was declared holds: a number that is positive where it holds,
    // and that crosses 0 where it turns true. Pure, as `holds`. Where a run is differentiated, it
    // tells how the instant that was located depends on parameters; ordinary runs do not call it.
    tac_status (*margin)(const tac_step *s, const void *self, int condition, double *margin);
    // All numbers of tac_declare_numbers once more, in the form of TAC_SYMBOLS: read parameters as
    // `declare` does, take tac_param_symbol instead of a value where there is one, and compute the
    // same. So graphs know how numbers follow from parameters. Called after `declare`, only where
    // that is asked for. As kernels of TAC_SYMBOLS it can only be made with the headers of Tactus'
    // own models. Not needed for numbers that are parameters as they are.
    tac_status (*numbers)(tac_declare *d, const void *self, double *numbers);
} tac_component_type;

static inline tac_component_type tac_component_type_default(void)
{
    tac_component_type type = TAC_ZERO;
    type.size = sizeof type;
    return type;
}

TAC_BEGIN_DECLS

// --- inside declare -------------------------------------------------------------------------
// A wrong parameter or port is remembered and reported with its place when `declare` returns, so
// these functions need no checking one by one; a faulty parameter reads as its fallback or zero.

// The name of the instance, e.g. "uav1.battery".
TAC_API const char *tac_declare_name(const tac_declare *d);

TAC_API double tac_param_f64(tac_declare *d, const tac_param_def *p);
TAC_API void tac_param_array(tac_declare *d, const tac_param_def *p, double *values, size_t count);
// A list of any length up to `max`; the values live as long as the engine.
TAC_API const double *tac_param_list(tac_declare *d, const tac_param_def *p, size_t max,
                                     size_t *count);
TAC_API int64_t tac_param_int(tac_declare *d, const tac_param_def *p);
TAC_API bool tac_param_bool(tac_declare *d, const tac_param_def *p);
TAC_API tac_time tac_param_time(tac_declare *d, const tac_param_def *p);
TAC_API const char *tac_param_text(tac_declare *d, const tac_param_def *p);
// A text, or a list of up to `max`; NULL after the last. They live as long as the engine.
TAC_API const char *const *tac_param_words(tac_declare *d, const tac_param_def *p, size_t max,
                                           size_t *count);
// One of `names` (NULL at the end), as its index.
TAC_API int tac_param_choice(tac_declare *d, const tac_param_def *p, const char *const *names);
// The name of a file, relative to the file in which it is written; "" stays "".
TAC_API const char *tac_param_path(tac_declare *d, const tac_param_def *p);
// The name of a library that the component uses as it runs, relative in the same way. It
// need not be there, is no part of the model and does not travel with recordings.
TAC_API const char *tac_param_tool(tac_declare *d, const tac_param_def *p);
// The name of a folder, relative in the same way, with files that the component needs to be built.
// Files in the folder and in its direct subfolders whose names end in `range` (".msg") travel with
// recordings. The folder is no part of the model.
TAC_API const char *tac_param_folder(tac_declare *d, const tac_param_def *p);
// A number that may change during the run: it is also an optional input of the same name, which
// rests at the parameter's value. Returns the index of the input.
TAC_API int tac_param_input(tac_declare *d, const tac_param_def *p);

// In `numbers`: the term of an element of the parameter that was read last, TAC_SYMBOL_WIDTH
// doubles. False, and nothing is written, where its value is a constant.
TAC_API bool tac_param_symbol(const tac_declare *d, size_t element, double *symbol);

// Parameters inside parameters: a map, or a list of up to `max` maps. Returns how many there are.
// With the fallback "{}" an absent one stands for one empty map, with "[]" for none.
TAC_API size_t tac_param_items(tac_declare *d, const tac_param_def *p, size_t max);
// Between begin and end parameters are read from the i-th of those maps. They nest.
TAC_API void tac_param_begin(tac_declare *d, const char *name, size_t i);
TAC_API void tac_param_end(tac_declare *d);
// The same for the parameters of another component of the entity, which is declared before this
// one. False, and nothing to end, where there is none.
TAC_API bool tac_param_peer_begin(tac_declare *d, const char *component);
// A map with up to `max` names of the user's own: which they are, in the order in which they stand;
// NULL after the last. They live as long as the engine. What they hold is read, by those names,
// between tac_param_begin(d, name, 0) and tac_param_end. The fallback can only be "{}".
TAC_API const char *const *tac_param_names(tac_declare *d, const tac_param_def *p, size_t max,
                                           size_t *count);
// A parameter of the present map as it is written, without reading it: for what may have several
// forms. NULL where it is absent.
TAC_API const tac_node *tac_param_node(const tac_declare *d, const char *name);

// A copy of these bytes for `self` to point to. All components of the engine that ask for the same
// bytes get the same copy, which saves memory where the vehicles of a swarm have the same
// parameters. It lives as long as the engine and must not be changed. Padding counts: set the whole
// struct to zero with memset first.
TAC_API const void *tac_declare_shared(tac_declare *d, const void *bytes, size_t size);

// Numbers that kernels read through e->p and s->p in their own kind: parameters, and what follows
// from them. `numbers` is an array of doubles, or a struct with nothing but doubles in it, of
// `bytes` bytes. It is copied; what is returned is the copy, as tac_declare_shared. A component in
// a lane has numbers of its own, and results can be differentiated by each. The last call counts;
// in `declare` or `connect`.
TAC_API const double *tac_declare_numbers(tac_declare *d, const void *numbers, size_t bytes);

// The world of the simulation.
TAC_API const tac_world *tac_declare_world(const tac_declare *d);

// Each returns the index to use with in[], out[], state[].
TAC_API int tac_declare_input(tac_declare *d, const tac_port_def *p);
TAC_API int tac_declare_output(tac_declare *d, const tac_port_def *p);
// Which inputs an output that `output` writes depends on at the same instant; without this call,
// all but those that are TAC_PORT_DERIVE_ONLY. Inputs that are not listed influence the output
// through states only, or never, and close no algebraic loop. Where components need outputs of each
// other, `output` may then be called before all inputs have their values: it writes the outputs
// that it can, and its status is ignored; a call with all inputs follows.
TAC_API void tac_declare_feedthrough(tac_declare *d, int output, const int *inputs, size_t count);
TAC_API int tac_declare_state(tac_declare *d, const tac_port_def *p); // discrete
// A value that `decide` computes, of any type; each element is a double. Returns the offset of the
// first one in decided[]. For derivatives it is a constant; in a graph it is an input with this
// name. The name follows the rules for states.
TAC_API int tac_declare_decision(tac_declare *d, const tac_port_def *p);
// Continuous state of f64s; returns its offset in x[] and dx[]. Readable by all as a signal.
TAC_API int tac_declare_continuous(tac_declare *d, const tac_port_def *p);
// A condition of the continuous part at which its equations change, as when a foot touches the
// ground; `detect` tells where it holds. Its mode is set at every boundary of the island. Where it
// changes between two boundaries the engine locates the first microsecond at which it has changed
// and puts a boundary there, so that no integration step runs across. Equations depend on e->mode,
// not on the condition.
TAC_API int tac_declare_event(tac_declare *d, const char *name, const char *doc);
// A condition on some of the component's inputs; the engine locates where it turns true, and
// `holds` tells whether it is true. Some of the inputs must come from the plant, and those all from
// one island. Where the condition turns from false to true inside an integration step, the first
// microsecond at which it is true becomes a boundary, and the component steps there. Only for
// components without a continuous part; components with one have events instead. `param` is the
// parameter that errors point to. Returns the number of the condition, from 0.
TAC_API int tac_declare_condition(tac_declare *d, const char *name, const int *inputs, size_t count,
                                  const char *param);
// Have the component also step `lead_us` before each step of its rate group, with TAC_DUE_LEAD
// alone: a sensor measures then what it puts out after its delay. Such a step writes no outputs.
// Where the lead is a multiple of the period no steps are added, because the group steps there
// already. A lead of more than `periods` periods is refused, with the place of `param`. The last
// call counts; 0: no lead.
TAC_API void tac_declare_lead(tac_declare *d, tac_time lead_us, uint32_t periods,
                              const char *param);
TAC_API int tac_declare_stream(tac_declare *d, const char *name); // a random stream
// An input that is connected by name to any single signal or element, as in "vehicle.position.z",
// and sees it as an f64, whatever its type. A signal that a later stage writes is seen as of the
// last boundary. `param` is the parameter that errors point to if there is no such signal.
TAC_API int tac_declare_watch(tac_declare *d, const char *signal, const char *param);
// An f64 output that is connected by name to the input of another component, "control.speed"; it
// has the input's unit and begins with its resting value.
TAC_API int tac_declare_feed(tac_declare *d, const tac_port_def *p, const char *input,
                             const char *param);
TAC_API int tac_declare_sender(tac_declare *d, const tac_message_def *p);
TAC_API int tac_declare_receiver(tac_declare *d, const tac_message_def *p);

// Report a mistake that ranges cannot express ("upper must be above lower"). Returns the status for
// `declare` to return. `param` may be inside another: "equations[3]", "states.v".
TAC_API TAC_PRINTF(3, 4) tac_status
    tac_declare_fail(tac_declare *d, const char *param, const char *format, ...);
// The same about one character of a parameter's text, counted from 1: for texts in a language of
// their own.
TAC_API TAC_PRINTF(4, 5) tac_status tac_declare_fail_at(tac_declare *d, const char *param,
                                                        uint32_t column, const char *format, ...);

// Say that something is allowed but looks like a mistake ("no propeller has a thrust coefficient of
// 0.6"): a warning in the log with the place of `param`, seen by `tactus check` and at the start of
// a run. It changes nothing. In `declare` and `connect`.
TAC_API TAC_PRINTF(3, 4) void tac_declare_warn(tac_declare *d, const char *param,
                                               const char *format, ...);
// The same with an id, a short name that stands in brackets behind the text ("[rotor-far]"), by
// which people and programs find the warning and its explanation: docs/warnings.md.
TAC_API TAC_PRINTF(4, 5) void tac_declare_doubt(tac_declare *d, const char *id, const char *param,
                                                const char *format, ...);

// Say how fast the fastest part of the equations decays: for a damper on a mass `rate_1_s` is
// damping over mass. Where the integrator has a fixed step that is too long for this rate, so that
// the part may oscillate instead of coming to rest, there is a warning, "`what` decays with ...",
// with the place of `param`.
TAC_API void tac_declare_stiffness(tac_declare *d, double rate_1_s, const char *what,
                                   const char *param);

// Say in whose gravity a component with an inertial position moves (TAC_ROLE_INERTIAL_POSITION), so
// that reports can tell its orbit: mu = G M, and the radius from which altitudes are measured. It
// changes nothing in the simulation.
TAC_API void tac_declare_gravity(tac_declare *d, double mu_m3_s2, double radius_m);

// Say where a flight that this component controls is to end: north and east of the world's origin.
// Reports measure a landing from there once all items of the mission were passed
// (TAC_ROLE_MISSION_REACHED, TAC_ROLE_MISSION_TOTAL), else from where the vehicle started.
TAC_API void tac_declare_landing(tac_declare *d, double north_m, double east_m);

// In `connect`: is the input connected?
TAC_API bool tac_declare_connected(const tac_declare *d, int input);

// In `connect`: the type of the single element that a watch sees, and its unit; and the unit of the
// input that a feed is connected to.
TAC_API tac_type tac_watch_type(const tac_declare *d, int input);
TAC_API const char *tac_watch_unit(const tac_declare *d, int input);
TAC_API const char *tac_feed_unit(const tac_declare *d, int output);

// --- inside init, step and the hooks --------------------------------------------------------

TAC_API bool tac_connected(const tac_step *s, int input);

// Was it located that this condition of the component turned true at this very instant?
TAC_API bool tac_turned_true(const tac_step *s, int condition);

// The next draw of a stream: uniform in [0, 1), or normal with mean 0 and deviation 1. In kernels
// of packs only tac_draw_normals may be called: each value is then s->lanes doubles side by side.
TAC_API double tac_draw_uniform(tac_step *s, int stream);
TAC_API double tac_draw_normal(tac_step *s, int stream);
// Several normal draws at once, which is faster: three values are made from one draw of the stream.
// In a step of symbols the values are inputs of the graph: each is two doubles.
TAC_API void tac_draw_normals(tac_step *s, int stream, double *values, size_t count);

// Run this component at `t_us`, which must lie in the future; replaces an earlier wake-up.
// TAC_TIME_NEVER cancels it. The type needs TAC_COMPONENT_TIMER.
TAC_API TAC_MUST_CHECK tac_status tac_wake_at(tac_step *s, tac_time t_us);

// Send a copy of `bytes` over every link of a sending port. All bytes enter the digest: set padding
// to zero, and pass a double that may be NaN through tac_one_nan, unless the port is one of
// `numbers`.
TAC_API TAC_MUST_CHECK tac_status tac_send(tac_step *s, int sender, const void *bytes, size_t size);
// Take the next delivered message; false when there is none. Its bytes stay valid until the next
// call into the engine.
TAC_API bool tac_receive_sized(tac_step *s, int receiver, tac_message *message, size_t size);
static inline bool tac_receive(tac_step *s, int receiver, tac_message *message)
{
    return tac_receive_sized(s, receiver, message, sizeof *message);
}

// The component's own continuous states, to be changed at once: only in init and in stage
// `actuate`, NULL elsewhere.
TAC_API double *tac_jump(tac_step *s);

// Fail the run: sets the reason and returns the status for the function to return.
TAC_API TAC_PRINTF(2, 3) tac_status tac_fail(tac_step *s, const char *format, ...);
// The same with a status of the caller's choice, as TAC_E_FILE: it decides the exit code of the
// program.
TAC_API TAC_PRINTF(3, 4) tac_status
    tac_fail_as(tac_step *s, tac_status status, const char *format, ...);

#define TAC_LOG_TABLE(X)                                                                           \
    X(DEBUG, "debug")                                                                              \
    X(INFO, "info")                                                                                \
    X(WARN, "warn")                                                                                \
    X(ERROR, "error")

typedef enum tac_log_level {
#define TAC_LOG_ENUM(name, text) TAC_LOG_##name,
    TAC_LOG_TABLE(TAC_LOG_ENUM)
#undef TAC_LOG_ENUM
        TAC_LOG_COUNT
} tac_log_level;
// Write to the run's log, with the time and the component's name.
TAC_API TAC_PRINTF(3, 4) void tac_log_write(tac_step *s, tac_log_level level, const char *format,
                                            ...);

TAC_END_DECLS

// In a step in packs: the step of a single lane, for tac_log_write. What its pointers lead to are
// still the values of all lanes.
static inline tac_step tac_step_of_lane(const tac_step *s, uint32_t lane)
{
    tac_step one = *s;
    one.instance = s->lane[lane].instance;
    return one;
}

// Typed access to what a step or an evaluation sees.
#ifndef __cplusplus
#define TAC_IN(s, type, index)    ((const type *)(s)->in[index])
#define TAC_OUT(s, type, index)   ((type *)(s)->out[index])
#define TAC_STATE(s, type, index) ((type *)(s)->state[index])
#else
#define TAC_IN(s, type, index)    static_cast<const type *>((s)->in[index])
#define TAC_OUT(s, type, index)   static_cast<type *>((s)->out[index])
#define TAC_STATE(s, type, index) static_cast<type *>((s)->state[index])
#endif

#endif
