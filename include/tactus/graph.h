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
    uint8_t reserved[3];            // 0
    const tac_allocator *allocator; // NULL: malloc
    // Names of components that stay outside: their outputs and states are inputs of the graph.
    const char *const *outside;
    size_t outside_count;
    // A phase: the graph has what is active in it, in every entity that has such a phase. NULL: all
    // phases; the phase of each entity is an input.
    const char *phase;
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
TAC_API TAC_MUST_CHECK tac_status tac_graph_of_step(tac_engine *engine, const tac_graph_def *def,
                                                    tac_graph **graph, tac_error *err);
TAC_API void tac_graph_destroy(tac_graph *graph); // NULL is fine

TAC_API const char *tac_graph_name(const tac_graph *graph);
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
