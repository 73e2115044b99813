// equations.h - the inside of a component of type `equations`: what its files share.
//
// Reading (equations_read.c) makes the ports; ordering (equations_order.c) gives a place to every
// number that equations may name, sorts the equations and compiles them. All of it is fixed once
// `declare` has returned.
//
// A name has a place: one of the inputs (parameters among them), of the states, or of the frame:
// derivatives in the order of the states, outputs, inputs that are conditions, local names. From
// these the equations become graphs and tapes (equations_graph.c), which kernels of every kind run
// (equations.model.h).
#ifndef TAC_MODEL_EQUATIONS_H
#define TAC_MODEL_EQUATIONS_H

#include "expr/expr.h"
#include "model/equations_shape.h"
#include <tactus/component.h>

enum {
    TAC__EQ_EQUATIONS = 256,
    TAC__EQ_COUNT = 64,  // elements of one
    TAC__EQ_FRAME = 512, // numbers
};

typedef enum tac__eq_role {
    TAC__EQ_INPUT,
    TAC__EQ_PARAMETER,
    TAC__EQ_STATE,
    TAC__EQ_OUTPUT,
    TAC__EQ_RATE, // der(x)
    TAC__EQ_LOCAL,
} tac__eq_role;

typedef struct tac__eq_port {
    const char *name;
    tac__eq_role role;
    tac_type type;
    const char *unit, *doc;
    tac_role meaning;      // in reports
    bool optional;         // input
    bool used;             // an equation names it
    bool for_outputs;      // input: an output depends on it
    double scale;          // state
    const double *initial; // state
    int index;             // of in[] and out[]; state: of its first element in x
    uint32_t first;        // the name of its first element
    uint32_t frame;        // of its first element: an output, or a condition that is an input
} tac__eq_port;

// One number or condition.
typedef struct tac__eq_name {
    const char *text; // "x", "wind.x", "der(x)"
    tac__eq_role role;
    uint32_t port; // it belongs to; none for a local name
    tac__expr_type type;
    const char *unit; // NULL: `measure`
    tac__unit measure;
    int slot; // an input; behind these the states, and the frame
    uint32_t element;
    int equation; // the equation that computes it; -1: none
} tac__eq_name;

// An input that is a condition, and where it is in the frame.
typedef struct tac__eq_condition {
    int input;
    uint32_t frame;
} tac__eq_condition;

typedef struct tac__equations {
    tac__equations_shape shape; // first: kernels see it
    tac__arena arena;
    bool begun; // the arena is there
    tac__eq_port *ports;
    size_t port_count;
    TAC__CAPACITY(tac__eq_port) port_capacity;
    tac__eq_name *names;
    size_t name_count;
    TAC__CAPACITY(tac__eq_name) name_capacity;
    const char *const *texts; // of the equations
    tac__equation *equations;
    uint32_t *targets; // of the equations: their names
    size_t equation_count;
    tac__eq_condition *conditions;
    TAC__CAPACITY(tac__eq_condition) condition_capacity;
    size_t frame_count;
    double *low, *high; // bounds of the states
} tac__equations;

// Read all parameters. Mistakes in single ones are remembered by `d` as usual.
tac_status tac__equations_read(tac_declare *d, tac__equations *c);

// The name of an element, "wind.z" or "wind[2]"; -1: there is none.
int tac__equations_find(const tac__equations *c, const char *text);
const char *tac__equations_candidate(const void *context, size_t i); // a tac__candidate_fn

// Check, sort, and make the tapes.
tac_status tac__equations_order(tac_declare *d, tac__equations *c);

// The tapes of the shape, from equations in this order and which of them rates and outputs need.
tac_status tac__equations_tapes(tac__equations *c, const uint32_t *order, const bool *for_rates,
                                const bool *for_outputs, tac_error *err);

// The inputs that an output needs, parameters among them; returns how many. Room for all of them.
size_t tac__equations_inputs_of(const tac__equations *c, const tac__eq_port *output, int *inputs);

// "a state", for errors.
const char *tac__equations_role(tac__eq_role role);

#endif
