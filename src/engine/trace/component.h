// component.h - one step of a component over symbols.
#ifndef TAC_ENGINE_TRACE_COMPONENT_H
#define TAC_ENGINE_TRACE_COMPONENT_H

#include "engine/trace/trace.h"

// What a step of symbols reads and writes: arrays of symbols, one for each port. Outputs and
// states have their values before the step, and afterwards those that the step gave them.
typedef struct tac__trace_step {
    const tac__component *c;
    tac_time t_us, period_us;
    uint32_t due;
    tac__sym_value now_us; // the time of the step
    const void **in;
    void **out, **state;
    const tac__sym_value *x, *p, *decided;
} tac__trace_step;

// Arrays for the pointers, and symbols for numbers.
tac_status tac__trace_step_make(tac__trace *trace, const tac__component *c, tac__trace_step *made);

// Values that a step draws become inputs: `draw` makes `count` of them.
typedef struct tac__trace_draws tac__trace_draws;
struct tac__trace_draws {
    tac_status (*draw)(tac__trace_draws *self, int stream, size_t count, tac__sym_value *values);
};

// Run the step. TAC_E_GRAPH: the type has no step of symbols.
tac_status tac__trace_step_run(tac__trace *trace, const tac__trace_step *step,
                               tac__trace_draws *draws);

#endif
