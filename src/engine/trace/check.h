// check.h - graphs against the engine, over a whole run.
//
// While the engine runs, each step of a component is also evaluated as the graph of that component,
// from the inputs, states, draws and decisions of the step of numbers; and at every instant the
// graph of the plant is evaluated beside the right-hand sides and outputs of all islands. All
// numbers that either gives are compared.
#ifndef TAC_ENGINE_TRACE_CHECK_H
#define TAC_ENGINE_TRACE_CHECK_H

#include "base/error.h"

#include <tactus/engine.h>

typedef struct tac__graph_check tac__graph_check;

typedef enum tac__graph_part_kind {
    TAC__PART_TRACED,   // it is compared
    TAC__PART_OUTSIDE,  // of a type that stays outside: TAC_COMPONENT_OUTSIDE
    TAC__PART_UNTRACED, // it has no symbolic form
    TAC__PART_CONSTANT, // it has nothing to compute
} tac__graph_part_kind;

typedef struct tac__graph_part {
    const char *component, *type;
    tac__graph_part_kind kind;
    size_t graphs, terms; // of its steps: one graph for each reason to step
    uint64_t steps, numbers;
} tac__graph_part;

// A number that differs.
typedef struct tac__graph_fault {
    tac_time t_us;
    const char *component; // or "dynamics"
    const char *label;
    double graph, engine;
} tac__graph_fault;

typedef struct tac__graph_report {
    const tac__graph_part *parts; // one a component
    size_t part_count;
    size_t traced, untraced;
    size_t dynamics_terms;
    uint64_t instants, steps, numbers; // compared
    uint64_t different;
    uint64_t max_ulp; // units in the last place; a NaN and a number are UINT64_MAX apart
    tac__graph_fault first;
} tac__graph_report;

// The engine is prepared and has not started; nothing may run in lanes (tac_engine_def.lanes is 1).
// A component that has no symbolic form is no error here: the report tells. The check lives in
// memory of its own until it is destroyed, which must happen before the engine is.
TAC_MUST_CHECK tac_status tac__graph_check_create(tac_engine *engine, tac__graph_check **check,
                                                  tac_error *err);
void tac__graph_check_destroy(tac__graph_check *check); // NULL is allowed

// Run to `until_us`, with comparisons.
TAC_MUST_CHECK tac_status tac__graph_check_run(tac__graph_check *check, tac_time until_us,
                                               tac_error *err);

const tac__graph_report *tac__graph_check_report(const tac__graph_check *check);

#endif
