// replay.c - see replay.h. Where a pixel column has several samples the largest is drawn, so that
// no peak is lost.
#include "cli/plot/replay.h"
#include "cli/plot/chart.h"
#include "cli/plot/gnuplot.h"
#include "cli/output.h"
#include "cli/plot/picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN = 40,
    LEFT = 130,
    HEAD = 100,
    FOOT = 70,
    PANEL = 150,
    GAP = 50,
    POINTS = 1500,
};

// --- data ---------------------------------------------------------------------------------------

// Time and the errors of all columns. Zeros are left out, because the scale is logarithmic.
static bool make_table(const cli_errors *e, cli_table *table)
{
    const size_t columns = e->column_count, step = e->count / POINTS + 1;
    double *values = calloc((e->count / step + 1) * (columns + 1), sizeof *values);
    *table = (cli_table){values, 0, columns + 1};
    for (size_t i = 0; values && i < e->count; i += step) {
        double *row = values + table->rows++ * (columns + 1);
        row[0] = tac_time_seconds(e->t_us[i]);
        for (size_t c = 0; c < columns; c++) {
            for (size_t k = i; k < i + step && k < e->count; k++)
                row[c + 1] = fmax(row[c + 1], e->rows[k * columns + c]);
            if (row[c + 1] <= 0)
                row[c + 1] = (double)NAN;
        }
    }
    return values != NULL;
}

// The range of whole powers of ten that contains all curves of a column.
static cli_range decades(const cli_table *tables, size_t count, size_t column)
{
    double low = HUGE_VAL, high = 0;
    for (size_t t = 0; t < count; t++) {
        for (size_t row = 0; row < tables[t].rows; row++) {
            const double x = cli_table_at(&tables[t], row, column);
            if (!(x > 0) || !isfinite(x))
                continue;
            low = fmin(low, x);
            high = fmax(high, x);
        }
    }
    if (high == 0)
        return (cli_range){-16, -15};
    const double top = ceil(log10(high));
    return (cli_range){fmax(fmin(floor(log10(low)), top - 1), top - 12), top};
}

// --- the page -----------------------------------------------------------------------------------

typedef struct page {
    const cli_replay_curve *curves;
    const cli_table *tables;
    size_t count;
    cli_range seconds;
    tac__text *script;
} page;

static void add_panel(const page *p, size_t column, const cli_box *box, bool last)
{
    const cli_error_column *c = &p->curves[0].errors->columns[column];
    tac__text *s = p->script;
    cli_panel_begin(s, box, c->name);
    cli_axis_x(s, p->seconds, "time [s]", last);
    char label[64];
    snprintf(label, sizeof label, "error [%s]", c->unit);
    cli_axis_y_decades(s, decades(p->tables, p->count, column + 1), label);
    bool first = true;
    for (size_t i = 0; i < p->count; i++)
        cli_curve(s, &first, i, 0, column + 1, "lines linewidth 1.5 linecolor rgb '%s' title '%s'",
                  cli_chart_colours[i % CLI_CHART_COLOURS], p->curves[i].label);
    tac__text_add(s, "\n");
    cli_panel_end(s);
}

static void add_page(const page *p, bool svg, const char *title, const char *reference)
{
    const size_t panels = p->curves[0].errors->column_count;
    const int height = HEAD + FOOT + (int)panels * (PANEL + GAP);
    cli_chart_begin(p->script, height, svg);
    for (size_t i = 0; i < p->count; i++)
        cli_chart_table(p->script, i, &p->tables[i]);
    char text[256];
    snprintf(text, sizeof text, "error against %s", reference);
    cli_chart_text(p->script, MARGIN, height - 45, "left", 22, CLI_CHART_INK, title);
    cli_chart_text(p->script, CLI_CHART_WIDTH - MARGIN, height - 45, "right", 0, CLI_CHART_FAINT,
                   text);
    for (size_t i = 0; i < panels; i++) {
        const int top = height - HEAD - (int)i * (PANEL + GAP);
        const cli_box box = {LEFT, CLI_CHART_WIDTH - MARGIN, top - PANEL, top};
        add_panel(p, i, &box, i + 1 == panels);
    }
    cli_chart_end(p->script);
}

tac_status cli_replay_plot(const char *file, const char *title, const char *reference,
                           const cli_replay_curve *curves, size_t count, tac_error *err)
{
    cli_table *tables = calloc(count, sizeof *tables);
    bool made = tables != NULL;
    for (size_t i = 0; made && i < count; i++)
        made = make_table(curves[i].errors, &tables[i]);
    tac_status status = made ? TAC_OK : tac__fail_memory(err);
    if (status == TAC_OK) {
        const cli_errors *e = curves[0].errors;
        tac__text script;
        tac__text_init(&script, tac_allocator_default());
        tac_time last_us = 0; // some replays may have ended early
        for (size_t i = 0; i < count; i++) {
            const tac_time end_us = curves[i].errors->t_us[curves[i].errors->count - 1];
            last_us = end_us > last_us ? end_us : last_us;
        }
        const page p = {.curves = curves,
                        .tables = tables,
                        .count = count,
                        .seconds = {tac_time_seconds(e->t_us[0]), tac_time_seconds(last_us)},
                        .script = &script};
        add_page(&p, cli_picture_is_svg(file), title, reference);
        status = cli_picture_write(&script, file, err);
        tac__text_fini(&script);
    }
    for (size_t i = 0; tables && i < count; i++)
        free((void *)tables[i].values);
    free(tables);
    return status;
}
