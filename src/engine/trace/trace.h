// trace.h - a simulation becomes a graph: its components run once over symbols.
//
// A trace has the value of every signal as symbols (tac__sym_value), which components read and
// write in the order of the engine. What is not computed inside is an input of the graph; inputs
// are collected in lists, which become its groups.
#ifndef TAC_ENGINE_TRACE_TRACE_H
#define TAC_ENGINE_TRACE_TRACE_H

#include "engine/run/evaluator.h"
#include "graph/graph.h"

#include <tactus/graph.h>

// Where the value of an input, or of an output that the engine writes, is found in the engine.
typedef struct tac__trace_source {
    const void *value;           // NULL: the time, or `history`
    const tac__history *history; // a recent value of a signal; NULL: none
    uint32_t lag;                // in `history`: 1 is the latest one
    uint32_t element;
    tac_scalar scalar;
    bool after;    // it is there after the boundary; else before it
    int64_t at_us; // which boundary: the time since the first one
} tac__trace_source;

// A number of a group.
typedef struct tac__traced {
    int32_t term;
    const char *label, *unit; // in the memory of the graph
    tac__trace_source source;
} tac__traced;

typedef struct tac__trace_list {
    tac__traced *items;
    size_t count;
    TAC__CAPACITY(tac__traced) capacity;
} tac__trace_list;

enum { TAC__TRACE_GROUPS = 16 };

// Sources of groups: one array a group.
typedef struct tac__trace_sources {
    tac__arena *arena;
    const tac__trace_source *in[TAC__TRACE_GROUPS], *out[TAC__TRACE_GROUPS];
} tac__trace_sources;

typedef struct tac__trace_island {
    tac__evaluator *evaluator;
    tac__subject subject;
    tac__sym_value *dx;
} tac__trace_island;

typedef struct tac__trace {
    tac_engine *engine;
    const tac_graph_def *def;
    tac_graph *graph;
    tac__terms *pool;
    tac__arena arena; // of what is needed while tracing
    tac_error *err;
    tac__sym_value **signals; // the elements of each signal; NULL: it is not in the graph
    tac__sym_value t;
    const char *at; // behind labels: "@4 ms" of what there is at each boundary of a period; or ""
    int64_t at_us;  // the same
    bool whole;     // held inputs are computed inside: see sim.h
    const int64_t *starts; // of each island: when its states are there; NULL: at once
    bool *outside;         // of each component whether it stays outside
    tac__trace_island *islands;
    tac__trace_list x, u, p, mode, phase, held; // inputs
    tac__trace_list dx, y;                      // outputs
    tac__trace_sources *sources;                // NULL: nobody asks
    struct tac__trace_params *params;           // NULL: all are constants
} tac__trace;

// --- trace.c ---
tac_status tac__trace_begin(tac__trace *trace, tac_engine *engine, const tac_graph_def *def,
                            const char *name, tac_error *err);
// The graph goes to the caller, or is destroyed where the status is not TAC_OK.
tac_status tac__trace_end(tac__trace *trace, tac_status status, tac_graph **graph);

// What a value is called, of which type and unit it is, and where the engine has it.
typedef struct tac__trace_value {
    const char *name, *unit;
    const tac_type *type;
    const void *from;
    const tac__history *history; // see tac__trace_source
    uint32_t lag;
    bool after;
} tac__trace_value;

// A new input for each element of a value. NULL: no memory.
tac__sym_value *tac__trace_inputs(tac__trace *trace, tac__trace_list *list, tac__trace_value value);
// Append values that the graph computes.
tac_status tac__trace_outputs(tac__trace *trace, tac__trace_list *list, tac__trace_value value,
                              const tac__sym_value *symbols);
// Groups of the graph from lists; an empty one only if it is `wanted`.
tac_status tac__trace_add_in(tac__trace *trace, const char *name, const tac__trace_list *list,
                             bool wanted);
tac_status tac__trace_add_out(tac__trace *trace, const char *name, const tac__trace_list *list);

// The constants that elements of a value are.
tac__sym_value *tac__trace_constants(tac__trace *trace, const tac_type *type, const void *value);

// The value that a source has in the engine now; those of a group. `t` is the time.
double tac__trace_read_one(const tac__trace_source *source, double t);
void tac__trace_read(const tac__trace_source *sources, size_t count, double t, double *values);

// --- params.c ---
typedef struct tac__trace_params tac__trace_params;

// Find the parameters of trace->def, which become inputs, and build engines with other values.
tac_status tac__trace_params_begin(tac__trace *trace);
void tac__trace_params_end(tac__trace *trace); // also after a failure
// Number i of a component; and the resting value of an open input, an array. NULL: see *status.
tac_status tac__trace_number(tac__trace *trace, const tac__component *c, size_t i,
                             tac__sym_value *made);
tac__sym_value *tac__trace_open(tac__trace *trace, const tac__component *c, size_t input,
                                tac_status *status);
// The graph is complete: does it give what a graph of an engine with other values gives? `again`
// traces such an engine. Where sources are not asked for, trace->sources was set for this.
typedef tac_status tac__trace_fn(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                                 tac__trace_sources *sources, tac_error *err);
tac_status tac__trace_params_check(tac__trace *trace, tac__trace_fn *again);

// --- dynamics.c ---
// Which components stay outside, and is there such a phase: as trace->def says.
tac_status tac__trace_choose(tac__trace *trace);
// tac_graph_of_dynamics, and where the engine has the inputs. `sources` may be NULL; its arena is
// given by the caller.
tac_status tac__trace_dynamics(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                               tac__trace_sources *sources, tac_error *err);

// --- step.c, rates.c ---
// The same of tac_graph_of_step. Decisions, draws and what is seen across rates have no source.
tac_status tac__trace_of_step(tac_engine *engine, const tac_graph_def *def, tac_graph **graph,
                              tac__trace_sources *sources, tac_error *err);

// --- plant.c ---
// Has a component of the plant the kernels of symbols that it needs?
bool tac__trace_can_evaluate(const tac__component *c);
// Make evaluators of all islands: their states are inputs, their outputs and dx are computed by
// tac__trace_plant_evaluate once held inputs are known.
tac_status tac__trace_plant_make(tac__trace *trace);
tac_status tac__trace_plant_evaluate(tac__trace *trace);
// New inputs for the modes of an island.
tac_status tac__trace_modes(tac__trace *trace, size_t island);
// An input that is connected, as the component sees the present value of its signal.
void tac__trace_see(const tac__trace *trace, const tac__component *c, size_t input,
                    tac__sym_value *to);
// Whether a component is active, a condition; and its outputs where it is not, one behind another.
tac_status tac__trace_active(tac__trace *trace, const tac__component *c, tac__sym_value *active);
tac__sym_value *tac__trace_resting(tac__trace *trace, const tac__component *c);

#endif
