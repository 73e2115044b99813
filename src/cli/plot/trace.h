// trace.h - a signal over time, thinned out to what a page can show.
//
// A page has a fixed number of pixel columns. Where a column has more than a few samples, the
// first, the last, the smallest and the largest are kept, for each element separately: the picture
// is the same, and memory does not grow with the number of samples.
#ifndef TAC_CLI_PLOT_TRACE_H
#define TAC_CLI_PLOT_TRACE_H

#include "base/arena.h"
#include "cli/plot/chart.h"

#include <tactus/time.h>

enum { CLI_TRACE_ROWS = 4 }; // of a column at most

typedef struct cli_trace {
    tac__arena *arena;
    uint32_t elements;
    tac_time from_us;   // of the page
    tac_time column_us; // width of a column
    // The present column
    uint64_t column, seen;
    double *first;            // rows as they came: time, then the elements
    double *last;             // row
    double *least, *greatest; // of each element
    uint64_t *least_at, *greatest_at;
    // Earlier columns: rows with the time in seconds and the elements
    double *values;
    size_t rows, capacity;
    bool failed; // no memory
} cli_trace;

// Failure is remembered and returned by cli_trace_end.
void cli_trace_begin(cli_trace *trace, tac__arena *arena, uint32_t elements, tac_time from_us,
                     tac_time to_us, uint64_t columns);
void cli_trace_add(cli_trace *trace, tac_time t_us, const double *values);
TAC_MUST_CHECK tac_status cli_trace_end(cli_trace *trace, cli_table *table, tac_error *err);

#endif
