// rows.h - samples of a run that are kept for a plot: a table of limited size. When it is full,
// every second row is dropped, and from then on half as many samples are kept.
#ifndef TAC_CLI_ROWS_H
#define TAC_CLI_ROWS_H

#include "base/arena.h"

#include <stdbool.h>

typedef struct cli_rows {
    double *values; // NULL: none are kept
    size_t count, capacity, columns;
    size_t stride, taken; // every stride-th sample is kept; samples so far
} cli_rows;

TAC_MUST_CHECK tac_status cli_rows_init(cli_rows *rows, tac__arena *arena, size_t columns,
                                        tac_error *err);

// Where to write the next sample; NULL: it is not kept. The last one always is.
double *cli_rows_next(cli_rows *rows, bool last);

#endif
