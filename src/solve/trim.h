// trim.h - the inside of a trim: the section `trim` of a configuration, and its solution.
#ifndef TAC_SOLVE_TRIM_H
#define TAC_SOLVE_TRIM_H

#include "solve/graph_function.h"
#include "solve/newton.h"
#include "solve/terms.h"

#include <tactus/solve.h>

// A state or input by name, with what is said of it. Nodes may be NULL.
typedef struct tac__trim_item {
    const char *name;
    tac_place place;
    const tac_node *value;             // of `set`: a number, or a list of them
    const tac_node *min, *max, *guess; // of `free`
} tac__trim_item;

typedef struct tac__trim_def {
    tac_time at_us;        // the run goes so far first
    const char *component; // of the plant; NULL: there is one plant
    tac_place place;       // of the section
    tac_place component_place;
    const tac__trim_item *set, *free;
    size_t set_count, free_count;
    const tac_node *const *drift;      // patterns
    const tac_node *const *conditions; // texts
    size_t drift_count, condition_count;
    double tolerance;
    int iterations;
} tac__trim_def;

// What is known of a state or input.
typedef enum tac__trim_part {
    TAC__TRIM_KEPT, // as the run left it
    TAC__TRIM_SET,
    TAC__TRIM_FREE,
} tac__trim_part;

typedef struct tac__trim_quantity {
    const tac__quantity *quantity;
    tac__trim_part part;
    bool asked;  // by name
    bool drifts; // a state whose rate of change need not be 0
    int unknown; // its number, -1: none
    double value, lower, upper;
    double rate; // of a state: per second
    double open; // how much of it the equations leave open: see newton.h
} tac__trim_quantity;

typedef enum tac__trim_kind {
    TAC__TRIM_RATE,
    TAC__TRIM_LENGTH,
    TAC__TRIM_CONDITION
} tac__trim_kind;

typedef struct tac__trim_equation {
    tac__trim_kind kind;
    const char *text; // "der(uav.vehicle.velocity.z) == 0 m/s^2"
    const char *unit;
    size_t state;     // RATE: which; LENGTH: the first of a quaternion
    size_t condition; // CONDITION: which
    double sign;      // of the slack: 1 for <=, -1 for >=
    int slack;        // of an inequality: the unknown that takes up what is left, -1: none
    double scale;     // the usual size of its sides
    double residual;  // in its unit; 0: met
    bool met;
} tac__trim_equation;

struct tac_trim {
    const tac_allocator *allocator;
    tac__arena arena;
    tac_engine *engine;
    tac__plant *plant;
    double tolerance;
    tac__trim_quantity *x, *u;
    tac__trim_equation *equations;
    size_t equation_count, unknown_count;
    tac__newton_result newton;
    int rounds; // with other modes
    bool solved;
    int dropped; // the equation without which all others are met; -1: none
    double *x_values, *u_values, *y_values, *dx_values;
    // The conditions as a function of states, inputs and the time.
    tac_graph *conditions;
    tac__graph_function *function;
    int32_t *condition_terms;
    size_t condition_count;
    double *z, *c, *slopes; // its argument, values and Jacobian
};

// From a prepared engine that has not run yet. TAC_E_UNSOLVED: `*trim` says what is not met.
TAC_MUST_CHECK tac_status tac__trim_create(const tac__trim_def *def, tac_engine *engine,
                                           tac_trim **trim, tac_error *err);

// Read a number, or one of a list, in the unit of the quantity: of a list the element `i` of
// `count`.
TAC_MUST_CHECK tac_status tac__read_quantity(const tac_node *node, const tac__quantity *q, size_t i,
                                             size_t count, double *value, tac_error *err);
// The island of a component, or, where `component` is NULL, the only one that has states.
TAC_MUST_CHECK tac_status tac__find_island(const tac_engine *engine, const char *component,
                                           const tac_place *place, size_t *island, tac_error *err);
// "m/s^2" for a rate of "m/s". NULL: no memory.
const char *tac__rate_unit(tac__arena *arena, const char *unit);

#endif
