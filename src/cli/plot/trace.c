// trace.c - thins out samples as they arrive: only one pixel column is open at a time.
#include "cli/plot/trace.h"

#include <math.h>
#include <string.h>

void cli_trace_begin(cli_trace *t, tac__arena *arena, uint32_t elements, tac_time from_us,
                     tac_time to_us, uint64_t columns)
{
    *t = (cli_trace){.arena = arena,
                     .elements = elements,
                     .from_us = from_us,
                     .column_us = (to_us - from_us) / columns + 1};
    const size_t width = (size_t)elements + 1;
    t->first = tac__arena_array(arena, CLI_TRACE_ROWS * width, sizeof *t->first);
    t->last = tac__arena_array(arena, width, sizeof *t->last);
    t->least = tac__arena_array(arena, 2 * width, sizeof *t->least);
    t->least_at = tac__arena_array(arena, 2 * width, sizeof *t->least_at);
    t->failed = !t->first || !t->last || !t->least || !t->least_at;
    if (t->failed)
        return;
    t->greatest = t->least + width;
    t->greatest_at = t->least_at + width;
}

static double *new_row(cli_trace *t)
{
    const size_t width = (size_t)t->elements + 1;
    if (t->rows == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 256;
        double *values = tac__arena_array(t->arena, capacity * width, sizeof *values);
        if (!values) {
            t->failed = true;
            return NULL;
        }
        if (t->rows)
            memcpy(values, t->values, t->rows * width * sizeof *values);
        t->values = values;
        t->capacity = capacity;
    }
    return t->values + t->rows++ * width;
}

static void keep_row(cli_trace *t, const double *row)
{
    double *to = new_row(t);
    if (to)
        memcpy(to, row, (t->elements + 1) * sizeof *to);
}

// The extremes of each element, in the order in which they occurred, on two rows between the first
// and the last: where exactly inside a pixel column cannot be seen.
static void keep_extremes(cli_trace *t)
{
    for (int i = 0; i < 2; i++) {
        double *row = new_row(t);
        if (!row)
            return;
        row[0] = t->first[0] + (t->last[0] - t->first[0]) * (i + 1) / 3;
        for (uint32_t e = 0; e < t->elements; e++) {
            const bool least = (t->least_at[e] < t->greatest_at[e]) == (i == 0);
            row[1 + e] = least ? t->least[e] : t->greatest[e];
        }
    }
}

static void close_column(cli_trace *t)
{
    const size_t width = (size_t)t->elements + 1;
    if (t->seen <= CLI_TRACE_ROWS) {
        for (size_t i = 0; i < t->seen; i++)
            keep_row(t, t->first + i * width);
    } else {
        keep_row(t, t->first);
        keep_extremes(t);
        keep_row(t, t->last);
    }
    t->seen = 0;
}

static void look_at(cli_trace *t, const double *values)
{
    for (uint32_t e = 0; e < t->elements; e++) {
        if (t->seen == 0 || values[e] < t->least[e] || isnan(t->least[e])) {
            t->least[e] = values[e];
            t->least_at[e] = t->seen;
        }
        if (t->seen == 0 || values[e] > t->greatest[e] || isnan(t->greatest[e])) {
            t->greatest[e] = values[e];
            t->greatest_at[e] = t->seen;
        }
    }
}

void cli_trace_add(cli_trace *t, tac_time t_us, const double *values)
{
    if (t->failed)
        return;
    const uint64_t column = (t_us - t->from_us) / t->column_us;
    if (column != t->column && t->seen)
        close_column(t);
    t->column = column;
    double *row = t->seen < CLI_TRACE_ROWS ? t->first + t->seen * (t->elements + 1) : t->last;
    look_at(t, values);
    row[0] = t->last[0] = tac_time_seconds(t_us);
    memcpy(row + 1, values, t->elements * sizeof *values);
    t->seen++;
}

tac_status cli_trace_end(cli_trace *t, cli_table *table, tac_error *err)
{
    if (!t->failed && t->seen)
        close_column(t);
    *table = (cli_table){t->values, t->rows, (size_t)t->elements + 1};
    return t->failed ? tac__fail_memory(err) : TAC_OK;
}
