// rows.c - samples that are kept for a plot; see rows.h.
#include "cli/rows.h"

#include <string.h>

enum {
    ROWS_MAX = 20000,    // more than a page can show
    VALUES_MAX = 500000, // of many vehicles: fewer rows
};

tac_status cli_rows_init(cli_rows *rows, tac__arena *arena, size_t columns, tac_error *err)
{
    const size_t fit = VALUES_MAX / columns, most = fit < ROWS_MAX ? fit : ROWS_MAX;
    *rows = (cli_rows){.capacity = most < 64 ? 64 : most, .columns = columns, .stride = 1};
    rows->values = tac__arena_array(arena, rows->capacity * columns, sizeof *rows->values);
    return rows->values ? TAC_OK : tac__fail_memory(err);
}

static void halve(cli_rows *rows)
{
    for (size_t i = 2; i < rows->count; i += 2)
        memcpy(rows->values + i / 2 * rows->columns, rows->values + i * rows->columns,
               rows->columns * sizeof *rows->values);
    rows->count = (rows->count + 1) / 2;
    rows->stride *= 2;
}

double *cli_rows_next(cli_rows *rows, bool last)
{
    if (!rows->values)
        return NULL;
    if (rows->count == rows->capacity)
        halve(rows);
    if (rows->taken++ % rows->stride && !last)
        return NULL;
    return rows->values + rows->count++ * rows->columns;
}
