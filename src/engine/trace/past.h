// past.h - recent values of signals over symbols: what delays and policies look back at.
//
// A writer with a period writes at the same instants of every least common period. So the times of
// all entries are known, and with them the coefficients of policies. Values that were written
// before the first boundary are inputs of the graph, made when a reader first looks at them; the
// graph has as outputs what takes their places when the period is over.
#ifndef TAC_ENGINE_TRACE_PAST_H
#define TAC_ENGINE_TRACE_PAST_H

#include "engine/trace/trace.h"

// The recent values of one signal. Times are microseconds after the first boundary.
typedef struct tac__past {
    const int64_t *writes; // in a period, ascending
    size_t write_count;
    tac__sym_value **written; // in this period so far
    size_t written_count;
    tac__sym_value *
        *before; // the last one before the period, the one before that...; NULL: not made
    size_t before_count;
    TAC__CAPACITY(tac__sym_value *) before_capacity;
    tac__trace_list inputs; // of `before`
} tac__past;

typedef struct tac__pasts {
    tac__past *signals; // one a signal of the schema; without writes: it has no history
    int64_t period_us;
    tac__trace_list past, past1; // inputs and outputs
} tac__pasts;

// The signal is written at these instants of each period.
tac_status tac__past_make(tac__trace *trace, tac__pasts *pasts, int signal, const int64_t *writes,
                          size_t count);
// The signal was written: its present value becomes the latest entry.
tac_status tac__past_write(tac__trace *trace, tac__pasts *pasts, int signal);

// What a reader sees at `t_us`, before units and gains.
tac_status tac__past_see(tac__trace *trace, tac__pasts *pasts, const tac__component *c,
                         size_t input, int64_t t_us, tac__sym_value *to);
// How the reader sees it then: "INTERPOLATED 0.4", with c of bus/view.h, "EXTRAPOLATED 0.002 s"
// with a declared derivative, "ZOH". In the memory of the trace; NULL: no memory.
const char *tac__past_policy(tac__trace *trace, const tac__pasts *pasts, const tac__component *c,
                             size_t input, int64_t t_us);

// The period is over: list what takes the places of the values before it.
tac_status tac__past_end(tac__trace *trace, tac__pasts *pasts);

#endif
