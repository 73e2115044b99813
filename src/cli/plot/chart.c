// chart.c - tables, scales and panels.
#include "cli/plot/chart.h"
#include "base/print.h"
#include "cli/plot/gnuplot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

const char *const cli_chart_colours[CLI_CHART_COLOURS] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#7F7F7F",
};
#define GRID "#E4E4E4"
// Colours from dark to light, in visually even steps, for many curves of one kind.
#define SHADES "0 '#440154', 1 '#414487', 2 '#2A788E', 3 '#22A884', 4 '#5DC264'"

// --- tables --------------------------------------------------------------------------------------

double cli_table_at(const cli_table *t, size_t row, size_t column)
{
    return t->values[row * t->columns + column];
}

cli_range cli_table_range(const cli_table *t, size_t column, size_t apart, size_t count)
{
    cli_range r = {(double)NAN, (double)NAN};
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t i = 0; i < count; i++) {
            const double value = cli_table_at(t, row, column + i * apart);
            if (!isfinite(value))
                continue;
            r.min = fmin(r.min, value);
            r.max = fmax(r.max, value);
        }
    }
    return isnan(r.min) ? (cli_range){0, 0} : r;
}

cli_range cli_range_with(cli_range r, double min, double max)
{
    return (cli_range){fmin(r.min, min), fmax(r.max, max)};
}

// --- scales --------------------------------------------------------------------------------------

// The smallest number of ..., 0.2, 0.5, 1, 2, 5, 10, 20, ... that is not below `step`.
static double round_step(double step)
{
    const double decade = pow(10, floor(log10(step)));
    const double digits[] = {1, 2, 5};
    for (int i = 0; i < 3; i++) {
        if (step <= digits[i] * decade * (1 + 1e-9))
            return digits[i] * decade;
    }
    return 10 * decade;
}

// A range narrower than the resolution of its numbers counts as empty.
static double width_of(cli_range r)
{
    const double size = fmax(fabs(r.min), fabs(r.max));
    return fmax(r.max - r.min, size > 1e-200 ? 1e-9 * size : 1);
}

// Limits a range so that its ends can be drawn and their difference does not overflow.
static cli_range drawable(cli_range r)
{
    const double most = 1e280;
    r.min = isnan(r.min) ? 0 : fmax(-most, fmin(r.min, most));
    r.max = isnan(r.max) ? r.min : fmax(-most, fmin(r.max, most));
    return r;
}

cli_scale cli_scale_of(cli_range r)
{
    r = drawable(r);
    const double step = round_step(width_of(r) / 5);
    const double first = floor(r.min / step + 1e-9), last = ceil(r.max / step - 1e-9);
    return (cli_scale){first * step, step, (int)fmax(last - first, 1)};
}

cli_scale cli_scale_in(cli_range r, int steps)
{
    r = drawable(r);
    double step = round_step(width_of(r) / steps);
    double first = floor(r.min / step + 1e-9);
    while ((first + steps) * step < r.max - 1e-9 * step) {
        step = round_step(1.01 * step);
        first = floor(r.min / step + 1e-9);
    }
    const double above = floor(first + steps - r.max / step + 1e-9);
    return (cli_scale){(first - floor(above / 2)) * step, step, steps};
}

// --- the page ------------------------------------------------------------------------------------

static double across(double x)
{
    return x / CLI_CHART_WIDTH;
}

void cli_chart_begin(tac__text *script, int height, bool svg)
{
    // A point of type is larger in PNG than in SVG, and a mark smaller; in SVG gnuplot only
    // estimates the width of a text.
    tac__text_add(script,
                  "set terminal %s size %d,%d enhanced font '%s,13' fontscale %g "
                  "background '#ffffff'\nheight = %d.0\nmark = %g\nroom = %d\n",
                  svg ? "svg" : "pngcairo", CLI_CHART_WIDTH, height,
                  svg ? "DejaVu Sans,Verdana,sans-serif" : "DejaVu Sans", svg ? 1.3 : 1.0, height,
                  svg ? 0.65 : 1.0, svg);
    tac__text_add(script,
                  "set encoding utf8\n"
                  "set datafile missing 'nan'\n"
                  "set border 3 linecolor rgb '" CLI_CHART_FAINT "' linewidth 1\n"
                  "set tics nomirror out scale 0.6 textcolor rgb '" CLI_CHART_INK "'\n"
                  "set grid xtics ytics linetype 1 linecolor rgb '" GRID "' linewidth 1\n"
                  "set key noautotitle noenhanced textcolor rgb '" CLI_CHART_INK "' Left reverse\n"
                  "unset colorbox\n"
                  "set palette defined (" SHADES ")\n"
                  "set multiplot\n");
}

void cli_chart_table(tac__text *script, size_t number, const cli_table *t)
{
    // All digits of a double are written: a zoom into a large value needs more of them than a page
    // has pixels.
    tac__text_add(script, "$d%zu << END\n", number);
    for (size_t row = 0; row < t->rows; row++) {
        for (size_t column = 0; column < t->columns; column++)
            tac__text_add(script, " %.12g", cli_table_at(t, row, column));
        tac__text_add(script, "\n");
    }
    tac__text_add(script, "END\n");
}

void cli_chart_end(tac__text *script)
{
    tac__text_add(script, "unset multiplot\n");
}

void cli_chart_text(tac__text *script, int x, int y, const char *align, int size,
                    const char *colour, const char *text)
{
    tac__text_add(script, "set label ");
    cli_gnuplot_quote(script, text);
    tac__text_add(script, " at screen %.6f, screen %d/height %s noenhanced textcolor rgb '%s'",
                  across(x), y, align, colour);
    if (size)
        tac__text_add(script, " font ',%d'", size);
    tac__text_add(script, "\n");
}

// --- panels --------------------------------------------------------------------------------------

void cli_panel_begin(tac__text *script, const cli_box *b, const char *title)
{
    tac__text_add(
        script,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\n"
        "set bmargin at screen %d/height\nset tmargin at screen %d/height\n"
        "set key at screen %.6f, screen %d/height right center horizontal width room samplen 1.3\n",
        across(b->left), across(b->right), b->bottom, b->top, across(b->right),
        b->top + CLI_PANEL_TITLE_RISE);
    cli_chart_text(script, b->left, b->top + CLI_PANEL_TITLE_RISE, "left", CLI_PANEL_TITLE_SIZE,
                   CLI_CHART_INK, title);
}

void cli_panel_end(tac__text *script)
{
    tac__text_add(script, "unset label\nunset y2label\nunset y2tics\nset border 3\n");
}

void cli_axis_x(tac__text *script, cli_range r, const char *label, bool labelled)
{
    tac__text_add(script,
                  "set xrange [%.10g:%.10g]\nset xlabel '%s' textcolor rgb '" CLI_CHART_INK
                  "'\nset format x '%s'\n",
                  r.min, r.max > r.min ? r.max : r.min + 1, labelled ? label : "",
                  labelled ? "%g" : "");
}

static void add_scale(tac__text *script, const char *axis, const cli_scale *s)
{
    tac__text_add(script, "set %srange [%.10g:%.10g]\nset %stics nomirror %.10g, %.10g", axis,
                  s->min, s->min + s->steps * s->step, axis, s->min, s->step);
}

void cli_axis_y(tac__text *script, const cli_scale *scale, const char *label)
{
    add_scale(script, "y", scale);
    tac__text_add(script, "\nset ylabel '%s' textcolor rgb '" CLI_CHART_INK "'\n", label);
}

void cli_axis_y_decades(tac__text *script, cli_range powers, const char *label)
{
    const int every = (int)((powers.max - powers.min) / 6) + 1;
    tac__text_add(script,
                  "set logscale y\nset yrange [1e%.0f:1e%.0f]\nset format y '10^{%%T}'\n"
                  "set ytics 1e%d\nset ylabel '%s' textcolor rgb '" CLI_CHART_INK "'\n",
                  powers.min, powers.max, every, label);
}

void cli_axis_right(tac__text *script, const cli_scale *scale, const char *label,
                    const char *colour)
{
    add_scale(script, "y2", scale);
    tac__text_add(script,
                  " out scale 0.6 textcolor rgb '%s'\nset border 11\n"
                  "set y2label '%s' textcolor rgb '%s'\n",
                  colour, label, colour);
}

void cli_curve(tac__text *script, bool *first, size_t table, size_t x, size_t y, const char *style,
               ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, style);
    tac__vprint(text, sizeof text, style, arguments);
    va_end(arguments);
    tac__text_add(script, "%s$d%zu using %zu:%zu with %s", *first ? "plot " : ", \\\n  ", table,
                  x + 1, y + 1, text);
    *first = false;
}
