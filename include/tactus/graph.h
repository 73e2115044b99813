// graph.h - a simulation as a symbolic graph: a function that can be evaluated, differentiated and
// written as code.
//
// A graph has named groups of inputs and of outputs, each a list of numbers with labels and units.
// It belongs to the caller and needs neither the engine nor the configuration that it was made
// from. A graph may be used by one thread at a time; graphs that were made from one another (a
// function and its derivative) count as one in this. docs/graphs.md explains what is in a graph.
#ifndef TACTUS_GRAPH_H
#define TACTUS_GRAPH_H

#include <tactus/engine.h>

typedef struct tac_graph tac_graph;

// What a simulation is traced with.
typedef struct tac_graph_def {
    uint32_t size;                  // sizeof(tac_graph_def)
    bool fast;                      // simplify also where the last bits of values may change
    bool rates;                     // tac_graph_of_step: over a least common period of all rates
    uint8_t reserved[2];            // 0
    const tac_allocator *allocator; // NULL: malloc
    // Names of components that stay outside: their outputs and states are inputs of the graph.
    const char *const *outside;
    size_t outside_count;
    // A phase: the graph has what is active in it, in every entity that has such a phase. NULL: all
    // phases; the phase of each entity is an input.
    const char *phase;
    // Parameters that are inputs: "vehicle.mass", "vehicle.rotors[1].position[0]". With any value
    // of them the graph has the bits of an engine that was built with it. `build` makes a prepared
    // engine in which parameters have these values: tac_config_build with values, value_count and
    // lanes set; a few are built, to compare with. A parameter that changes more than the numbers
    // of components, or numbers that have no symbolic form, is refused with TAC_E_GRAPH.
    const char *const *parameters;
    size_t parameter_count;
    tac_status (*build)(void *context, const tac_param_value *values, size_t count, uint32_t lanes,
                        tac_engine **engine, tac_error *err);
    void *context;
} tac_graph_def;

static inline tac_graph_def tac_graph_def_default(void)
{
    tac_graph_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// A group of numbers.
typedef struct tac_graph_group {
    const char *name;
    size_t count;              // numbers
    const char *const *labels; // of each number of a vector: "vehicle.position.x"; NULL: none
    const char *const *units;  // of each number of a vector; NULL: none
    // An output may be a matrix, of which only the entries that can be other than 0 are there,
    // column by column: those of column j are starts[j] to starts[j + 1] - 1, and entry k stands in
    // row row_of[k]. A vector is one column, with starts and row_of NULL.
    size_t rows, columns;
    const int *starts;
    const int *row_of;
} tac_graph_group;

// X(name, text, doc)
#define TAC_GRAPH_FORMAT_TABLE(X)                                                                  \
    X(C, "c", "one C99 file with the calling convention of CasADi external functions")             \
    X(DOT, "dot", "a picture of the terms for Graphviz")                                           \
    X(SVG, "svg", "the same picture, of small graphs")                                             \
    X(JSON, "json", "groups, terms, tables and loops as data")

typedef enum tac_graph_format {
#define TAC_GRAPH_FORMAT_ENUM(name, text, doc) TAC_GRAPH_##name,
    TAC_GRAPH_FORMAT_TABLE(TAC_GRAPH_FORMAT_ENUM)
#undef TAC_GRAPH_FORMAT_ENUM
} tac_graph_format;

// How a graph is written.
typedef struct tac_graph_emit_def {
    uint32_t size; // sizeof(tac_graph_emit_def)
    tac_graph_format format;
    const char *name;          // of the function in C; NULL: the name of the graph
    const char *title;         // what the graph is of, in one line; NULL: nothing
    const char *file;          // C: how the file will be called, for its compile command; NULL: f.c
    const tac_graph *jacobian; // C: of all outputs by all inputs, as `jac_NAME`; NULL: none
    const tac_graph *hessian;  // C: one more function, `hess_NAME`, with its own inputs; NULL: none
    bool deterministic;        // C: with the elementary functions of SLEEF instead of those of libm
    uint8_t reserved[7];       // 0
    const tac_graph *second;   // C: the Jacobian of `jacobian`, as `jac_jac_NAME`; NULL: none
} tac_graph_emit_def;

static inline tac_graph_emit_def tac_graph_emit_def_default(void)
{
    tac_graph_emit_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

TAC_BEGIN_DECLS

// The plant of a prepared engine, x, u, p, t -> dx, y:
//   x      continuous states of all islands
//   u      what enters the plant at boundaries and is held between them: signals of discrete
//          components, samples, and signals as they are seen through delays and policies
//   p      parameters that were asked for
//   t      the time in seconds
//   mode   of each event of the plant whether it holds (1) or not (0); absent where there are none
//   phase  the phase of each entity, by its number; absent where nothing depends on it
//   held   outputs that components keep while they are inactive; absent where there are none
//   dx     the rates of change of x per second
//   y      outputs of the plant
// Everything else is constant. Evaluated, the graph gives the bits of the engine. Fails with
// TAC_E_GRAPH where a component has no symbolic form, and names it.
TAC_API TAC_MUST_CHECK tac_status tac_graph_of_dynamics(tac_engine *engine,
                                                        const tac_graph_def *def, tac_graph **graph,
                                                        tac_error *err);
// The whole simulation, from a boundary to the next: every component steps once, in the order of
// the engine, then the plant takes one step of the configured explicit method, as long as the
// shortest period of a rate group. x, z, s, u, p, t -> x1, z1, s1, y:
//   x        continuous states at the boundary; x1 at the next
//   z        discrete states before the boundary; z1 after it
//   s        signals of discrete components before the boundary; s1 after it
//   y        outputs of the plant at the boundary
//   u        signals of components that stay outside: those that decide over time, or that
//            tac_graph_def.outside names
//   t        the time of the boundary in microseconds
//   decided  what components decide, such as targets of a mission; absent where nothing is decided
//   draws    random numbers, normal, in the order in which they are drawn
//   seen     inputs that are seen through delays and policies
//   p, mode, phase, held   as in tac_graph_of_dynamics
// Refused with TAC_E_GRAPH: implicit methods, by name, and components without a symbolic form.
//
// With tac_graph_def.rates it is the map over a least common period of all rates: each rate group
// steps at its own boundaries, islands are integrated from boundary to boundary in steps of at most
// h_max, and readers see writers with another rate through their policies, with constant
// coefficients. What there is once at each boundary has its time in its label ("wind.y@4 ms").
// Observers are left out, and what steps without a period (messages, timers, located conditions)
// holds. The period begins where most islands have a boundary; the states of an island that has
// none there are those at its last one before, and its outputs y those of these states. Besides, or
// instead:
//   u        also what components that stay outside write at their boundaries
//   mode     also those at later boundaries of an island
//   past     values of signals that were written before the period, and that delays and policies
//            look back at ("Nav.position.x@-100 ms"); past1 those that take their places
//   rates    output: what readers saw of writers with another rate, with policy and coefficient in
//            the label ("GNC.u.x@10 ms INTERPOLATED 0.1")
// Refused as well: a period of more than 100000 boundaries or an hour; islands without a boundary
// in common; a writer that is active in some phases only, if its signals are seen through policies.
TAC_API TAC_MUST_CHECK tac_status tac_graph_of_step(tac_engine *engine, const tac_graph_def *def,
                                                    tac_graph **graph, tac_error *err);
TAC_API void tac_graph_destroy(tac_graph *graph); // NULL is fine

TAC_API const char *tac_graph_name(const tac_graph *graph);
// How long a graph of a step takes, from its boundary to the next; 0: it is no step.
TAC_API tac_time tac_graph_period(const tac_graph *graph);
// How many groups of inputs and of outputs there are; each of them; and a group by its name, -1:
// there is none. What a group points to belongs to the graph.
TAC_API size_t tac_graph_in_count(const tac_graph *graph);
TAC_API size_t tac_graph_out_count(const tac_graph *graph);
TAC_API void tac_graph_in_sized(const tac_graph *graph, size_t group, tac_graph_group *info,
                                size_t size);
TAC_API void tac_graph_out_sized(const tac_graph *graph, size_t group, tac_graph_group *info,
                                 size_t size);
TAC_API int tac_graph_find_in(const tac_graph *graph, const char *name);
TAC_API int tac_graph_find_out(const tac_graph *graph, const char *name);

// Values of the outputs: in[g] and out[g] for each group; NULL among them: zeros, and not wanted.
// Entries of a matrix stand in the order of the group. The first call allocates.
TAC_API TAC_MUST_CHECK tac_status tac_graph_evaluate(tac_graph *graph, const double *const *in,
                                                     double *const *out, tac_error *err);

// Derivatives, as graphs of their own, with the inputs of the function under the same names.
// `out` and `in` name a group of outputs and of inputs; NULL: all of them. TAC_E_NAME: there is no
// such group.
//   jvp         new inputs fwd_X, outputs fwd_Y: the Jacobian times a vector
//   vjp         new inputs adj_Y, outputs adj_X: a vector times the Jacobian
//   jacobian    a sparse matrix jac_Y_X for each pair of an output and an input, outputs first
//   hessian     second derivatives of an output of one number: the symmetric matrix hess
//   lagrangian  the same for the sum of all outputs times multipliers, new inputs lam_Y
// Rows and columns of hess are all the inputs meant, one group behind another; `lower`: only the
// entries on and below the diagonal are there.
TAC_API TAC_MUST_CHECK tac_status tac_graph_jvp(const tac_graph *graph, const char *out,
                                                const char *in, tac_graph **made, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_graph_vjp(const tac_graph *graph, const char *out,
                                                const char *in, tac_graph **made, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_graph_jacobian(const tac_graph *graph, const char *out,
                                                     const char *in, tac_graph **made,
                                                     tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_graph_hessian(const tac_graph *graph, const char *out,
                                                    const char *in, bool lower, tac_graph **made,
                                                    tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_graph_lagrangian(const tac_graph *graph, const char *out,
                                                       const char *in, bool lower, tac_graph **made,
                                                       tac_error *err);

// The graph as a text, to be freed with tac_text_free.
TAC_API TAC_MUST_CHECK tac_status tac_graph_emit(const tac_graph *graph,
                                                 const tac_graph_emit_def *def, char **text,
                                                 tac_error *err);

// A summary, as text or json: groups, terms by operation, loops, tables, and, if `jacobian`, the
// size of the Jacobian. Where the Jacobian can be other than 0, as svg or json. Texts, to be freed
// with tac_text_free; NULL where they fail.
TAC_API TAC_MUST_CHECK tac_status tac_graph_summary(const tac_graph *graph, tac_format format,
                                                    bool jacobian, char **text, tac_error *err);
TAC_API TAC_MUST_CHECK tac_status tac_graph_pattern(const tac_graph *graph, tac_format format,
                                                    char **text, tac_error *err);

// --- comparing with a run -------------------------------------------------------------------

// Graphs against the engine, over a whole run. While the engine runs, each step of a component is
// also evaluated as the graph of that component, from the inputs, states, draws and decisions of
// the step of numbers; and at every instant the graph of the plant is evaluated beside the
// right-hand sides and outputs of all islands. All numbers that either gives are compared. No bit
// of the run changes.
typedef struct tac_graph_check tac_graph_check;

typedef enum tac_graph_part_kind {
    TAC_GRAPH_TRACED,   // it is compared
    TAC_GRAPH_OUTSIDE,  // of a type that stays outside: TAC_COMPONENT_OUTSIDE
    TAC_GRAPH_UNTRACED, // it has no symbolic form
    TAC_GRAPH_CONSTANT, // it has nothing to compute
} tac_graph_part_kind;

typedef struct tac_graph_part {
    const char *component, *type;
    tac_graph_part_kind kind;
    size_t graphs, terms; // of its steps: one graph for each reason to step
    uint64_t steps, numbers;
} tac_graph_part;

// A number that differs.
typedef struct tac_graph_fault {
    tac_time t_us;
    const char *component; // or "dynamics"
    const char *label;
    double graph, engine;
} tac_graph_fault;

typedef struct tac_graph_report {
    const tac_graph_part *parts; // one a component
    size_t part_count;
    size_t traced, untraced;
    size_t dynamics_terms;
    uint64_t instants, steps, numbers; // compared
    uint64_t different;
    uint64_t max_ulp; // units in the last place; a NaN and a number are UINT64_MAX apart
    tac_graph_fault first;
    // tac_graph_check_def.rates: the length of a least common period, and the terms of its graph;
    // how many periods were compared, and how many were left out, because something happened in
    // them that is not part of the graph: a message, a timer, a located condition, a step of the
    // integrator that ended elsewhere, a change of phase.
    tac_time period_us;
    size_t period_terms;
    uint64_t periods, periods_left_out;
} tac_graph_report;

typedef struct tac_graph_check_def {
    uint32_t size;                  // sizeof(tac_graph_check_def)
    bool rates;                     // compare the graph over a least common period, too
    uint8_t reserved[3];            // 0
    const tac_allocator *allocator; // NULL: malloc
} tac_graph_check_def;

static inline tac_graph_check_def tac_graph_check_def_default(void)
{
    tac_graph_check_def def = TAC_ZERO;
    def.size = sizeof def;
    return def;
}

// The engine is prepared and has not started; nothing may run in lanes (tac_engine_def.lanes is 1);
// else TAC_E_CALLER. A component that has no symbolic form is no error here: the report tells. The
// check must be destroyed before the engine is; the engine can go on without it.
TAC_API TAC_MUST_CHECK tac_status tac_graph_check_create(tac_engine *engine,
                                                         const tac_graph_check_def *def,
                                                         tac_graph_check **check, tac_error *err);
TAC_API void tac_graph_check_destroy(tac_graph_check *check); // NULL is fine
// Run to `until_us`, with comparisons.
TAC_API TAC_MUST_CHECK tac_status tac_graph_check_run(tac_graph_check *check, tac_time until_us,
                                                      tac_error *err);
// Of all runs so far; it belongs to the check.
TAC_API const tac_graph_report *tac_graph_check_report(const tac_graph_check *check);

static inline tac_graph_group tac_graph_in(const tac_graph *graph, size_t group)
{
    tac_graph_group info;
    tac_graph_in_sized(graph, group, &info, sizeof info);
    return info;
}

static inline tac_graph_group tac_graph_out(const tac_graph *graph, size_t group)
{
    tac_graph_group info;
    tac_graph_out_sized(graph, group, &info, sizeof info);
    return info;
}

TAC_END_DECLS
#endif
