// optimize.h - the inside of an optimum: section `optimize` of a configuration, its solution, and
// what came of flying it.
#ifndef TAC_SOLVE_OPTIMIZE_H
#define TAC_SOLVE_OPTIMIZE_H

#include "solve/collocation.h"
#include "solve/trim.h"

// A phase, as it is written. Lists may be empty.
typedef struct tac__optimize_phase {
    const char *name;
    size_t intervals;
    double least_s, most_s, guess_s;
    const tac__trim_item *set, *free; // inputs; and states with bounds and a guess for the end
    size_t set_count, free_count;
    const tac_node *const *path, *const *start, *const *end; // conditions
    size_t path_count, start_count, end_count;
} tac__optimize_phase;

typedef struct tac__optimize_def {
    tac_time at_us;
    const char *component; // NULL: there is one plant
    tac_place place, component_place;
    const tac_node *objective, *integral; // NULL: none
    bool maximize;
    const tac__trim_item *set; // states at the start, inputs
    size_t set_count;
    const tac_node *const *open; // patterns of states that may begin anywhere
    size_t open_count;
    const tac__optimize_phase *phases;
    size_t phase_count;
    double tolerance;
    int iterations;
    bool linear;      // inputs in an interval; else quadratic
    double smoothing; // 0: none
    int refinements;  // at most
    double accuracy;  // the error of an interval with which there is no need for them
    bool (*watch)(void *context, int iteration, double objective, double infeasibility);
    void *context;
} tac__optimize_def;

// A phase, resolved. Bounds are of states, then of the inputs that are variables.
typedef struct tac__optimum_phase {
    const tac__optimize_phase *written;
    tac_graph *graphs[3]; // of every point, of the start, of the end
    tac__graph_function *functions[3];
    double *lower, *upper, *guess;
    double *g_lower[3], *g_upper[3];
    double error;
} tac__optimum_phase;

struct tac_optimum {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_engine *engine;
    tac__plant *plant;
    size_t input_count; // that are variables
    size_t *inputs;     // their numbers in the plant
    int32_t *z_terms;   // states, these inputs, time
    int32_t *rest_terms;
    double *rest; // inputs that stay as they are
    size_t rest_count;
    double *first_lower, *first_upper, *first; // states at the start
    double *x_scale, *u_scale;
    tac__optimum_phase *phases;
    tac__phase_def *phase_defs;
    size_t phase_count;
    tac_graph *objective_graph;
    tac__graph_function *objective;
    const char *objective_text, *objective_unit;
    bool maximize;
    tac__collocation *collocation;
    double *z; // the solution
    tac__nlp_result result;
    double value;                // of the objective, without smoothing
    double smoothing, roughness; // what is added to the objective for it
    int refinements;             // done
    int iterations;              // of all searches
    // the flight
    bool flown;
    const char *not_flown;       // why
    double *flown_x, *planned_x; // at the end
    double *most_x;              // largest difference on the way
    tac_time step_us, end_us;
};

// TAC_E_UNSOLVED: `*optimum` has the last try.
TAC_MUST_CHECK tac_status tac__optimum_create(const tac__optimize_def *def, tac_engine *engine,
                                              tac_optimum **optimum, tac_error *err);

// Give the states with which the solution begins to an engine that is not prepared yet; and fly the
// solution with the engine, prepared: inputs that are `from: outside` are written. Where some are
// not, nothing is flown, and the optimum says why.
TAC_MUST_CHECK tac_status tac__optimum_begin(const tac_optimum *optimum, tac_engine *engine,
                                             tac_error *err);
TAC_MUST_CHECK tac_status tac__optimum_fly(tac_optimum *optimum, tac_engine *engine,
                                           tac_error *err);

#endif
