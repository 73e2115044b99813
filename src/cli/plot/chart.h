// chart.h - panels on a page, as a script for gnuplot.
//
// The page is laid out in pixels from its lower left corner, and scales are chosen here: gnuplot
// only draws. All pages have the same width; the height is part of the script.
#ifndef TAC_CLI_PLOT_CHART_H
#define TAC_CLI_PLOT_CHART_H

#include "base/text.h"

enum { CLI_CHART_WIDTH = 1800, CLI_CHART_HEIGHT = 1200, CLI_CHART_COLOURS = 8 };

// Colours that colour-blind readers can tell apart (Okabe and Ito 2008); without yellow, which
// cannot be read on white.
extern const char *const cli_chart_colours[CLI_CHART_COLOURS];
#define CLI_CHART_INK   "#222222"
#define CLI_CHART_FAINT "#8A8A8A"
#define CLI_CHART_LIGHT "#C8C8C8"

typedef struct cli_box {
    int left, right, bottom, top;
} cli_box;

typedef struct cli_range {
    double min, max;
} cli_range;

// From `min` in `steps` steps.
typedef struct cli_scale {
    double min, step;
    int steps;
} cli_scale;

// A table with data, called $d and a number in the script; its columns count from 1 there.
typedef struct cli_table {
    const double *values;
    size_t rows, columns;
} cli_table;

double cli_table_at(const cli_table *table, size_t row, size_t column);
// The smallest and the largest finite value of `count` columns, `apart` from each other; 0 and 0 if
// there is none.
cli_range cli_table_range(const cli_table *table, size_t column, size_t apart, size_t count);
cli_range cli_range_with(cli_range range, double min, double max);

// A scale with round numbers that contains the range, in at most six steps; or in exactly `steps`
// steps, so that it fits the grid of another axis. An empty range is widened in proportion to its
// value.
cli_scale cli_scale_of(cli_range range);
cli_scale cli_scale_in(cli_range range, int steps);

// The script may use the variables `mark`, the size of an ordinary point, and `room`, the width of
// a legend entry besides its text.
void cli_chart_begin(tac__text *script, int height, bool svg);
void cli_chart_table(tac__text *script, size_t number, const cli_table *table);
void cli_chart_end(tac__text *script);

// A text anywhere on the page, not interpreted.
void cli_chart_text(tac__text *script, int x, int y, const char *align, int size,
                    const char *colour, const char *text);

enum { CLI_PANEL_TITLE_SIZE = 15, CLI_PANEL_TITLE_RISE = 22 };

// A panel: title above on the left, legend on the right. Call begin, then the axes, then one `plot`
// command with curves, then end.
void cli_panel_begin(tac__text *script, const cli_box *box, const char *title);
void cli_panel_end(tac__text *script);
void cli_axis_x(tac__text *script, cli_range range, const char *label, bool labelled);
void cli_axis_y(tac__text *script, const cli_scale *scale, const char *label);
// Powers of ten, from 10^min to 10^max.
void cli_axis_y_decades(tac__text *script, cli_range powers, const char *label);
void cli_axis_right(tac__text *script, const cli_scale *scale, const char *label,
                    const char *colour);
// A line through columns x and y of a table; `style` is gnuplot's and begins with the kind:
// "lines".
TAC_PRINTF(6, 7)
void cli_curve(tac__text *script, bool *first, size_t table, size_t x, size_t y, const char *style,
               ...);

#endif
