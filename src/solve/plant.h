// plant.h - an island of an engine as a function: from time, states and inputs to rates of change
// and outputs, with exact derivatives.
//
// Inputs are what the island holds between two boundaries: inputs of its components that come from
// discrete components, from outside, or from nowhere. They are named by component and port. Modes
// of contact stay as they are while derivatives are taken; tac__plant_settle sets them to fit.
#ifndef TAC_SOLVE_PLANT_H
#define TAC_SOLVE_PLANT_H

#include "base/arena.h"

#include <tactus/component.h>
#include <tactus/engine.h>
#include <tactus/graph.h>

// One number of a plant.
typedef struct tac__quantity {
    const char *name; // "uav.vehicle.velocity.z"
    const char *base; // of the signal or port: "uav.vehicle.velocity"
    const char *unit; // "1": none
    tac_type type;    // of the signal or port that it is an element of
    uint32_t element;
    double scale; // its usual size
    tac_role role;
    tac_part part; // of a state
} tac__quantity;

typedef struct tac__plant {
    tac_engine *engine;
    size_t island;
    const char *name;   // of the island
    const char *entity; // in which names are looked up first; "": none
    size_t x_count, u_count, y_count, mode_count;
    const tac__quantity *x, *u, *y;
    double *x0, *u0; // as they are in the engine, when the plant was made
    double *mode;    // one an event
    const char *const *mode_names;
    double t_s;
    // The graph, whose inputs are the group z (states, inputs, time) and the group mode, and whose
    // outputs are the group w (rates of change, outputs); and the terms of each.
    const tac_graph *graph;
    int32_t *z_terms, *mode_terms, *w_terms;
    struct tac__plant_inside *inside;
} tac__plant;

// From a prepared engine, at its present instant; lives in the arena, but has to be destroyed.
// Fails where a component has no symbolic form, with its name.
TAC_MUST_CHECK tac_status tac__plant_make(tac_engine *engine, size_t island, tac__arena *arena,
                                          tac__plant **plant, tac_error *err);

void tac__plant_destroy(tac__plant *plant); // NULL is fine

// `dx` and `y` may be NULL. TAC_E_NUMERIC: there is no value.
TAC_MUST_CHECK tac_status tac__plant_eval(const tac__plant *plant, const double *x, const double *u,
                                          double *dx, double *y);
// Columns are states, then inputs; rows are rates of change, then outputs.
TAC_MUST_CHECK tac_status tac__plant_jacobian(const tac__plant *plant, const double *x,
                                              const double *u, double *jacobian);
// Set modes to what holds at x and u. `*changed`: some were different.
TAC_MUST_CHECK tac_status tac__plant_settle(tac__plant *plant, const double *x, const double *u,
                                            bool *changed);

// --- names --------------------------------------------------------------------------------------

typedef enum tac__quantity_kind { TAC__STATE, TAC__INPUT, TAC__OUTPUT } tac__quantity_kind;

// Quantities that follow each other: all elements of a signal or port, or one of them.
typedef struct tac__range {
    tac__quantity_kind kind;
    size_t first, count;
} tac__range;

// A name is looked up in the entity of the plant first, then as it stands. False: unknown.
bool tac__plant_find(const tac__plant *plant, const char *name, tac__range *range);
// Fails with the nearest name among states, inputs and, if wanted, outputs.
tac_status tac__plant_fail_name(const tac__plant *plant, const char *what, const char *name,
                                const tac_place *place, bool outputs, tac_error *err);
// Does the pattern match the quantity, or the signal that it is an element of?
bool tac__quantity_matches(const char *pattern, const tac__quantity *quantity);

const tac__quantity *tac__plant_list(const tac__plant *plant, tac__quantity_kind kind,
                                     size_t *count);

// The name of an element: "uav.vehicle.motor[2]". NULL: no memory.
const char *tac__element_name(tac__arena *arena, const char *name, const tac_type *type,
                              uint32_t element);

#endif
