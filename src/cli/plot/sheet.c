// sheet.c - where things are on the page of vehicles; see sheet.h.
#include "cli/plot/sheet.h"
#include "cli/plot/gnuplot.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const cli_box cli_sheet_map = {105, 795, 270, 1050};
static const cli_box panels_box = {985, 1680, 85, 1050};

enum {
    HEADING_Y = 1142,
    SUMMARY_Y = 182,
    LINE_HEIGHT = 28,
    LABEL_WIDTH = 115,
    LINE_LETTERS = 72, // that fit between the label and the panels
    MARGIN = 45,
    PANEL_GAP = 55,
    NAMED_MAX = 6,      // vehicles with a colour and a legend of their own,
    PANEL_LETTERS = 65, // if the legend fits beside the title of a panel;
    LEGEND_EXTRA = 5,   // letters that an entry takes besides the longest name
};

#define ADD(...) tac__text_add(s->script, __VA_ARGS__)

void cli_sheet_begin(cli_sheet *s, const char *name, uint64_t hash, const cli_sheet_texts *texts,
                     bool svg)
{
    char text[40];
    const size_t letters = s->vehicles * (texts->name + LEGEND_EXTRA) + texts->title;
    s->crowd = s->vehicles > 1 && (s->vehicles > NAMED_MAX || letters > PANEL_LETTERS);
    cli_chart_table(s->script, 0, &s->table);
    cli_chart_begin(s->script, CLI_CHART_HEIGHT, svg);
    snprintf(text, sizeof text, "hash %016" PRIx64, hash);
    cli_chart_text(s->script, MARGIN, HEADING_Y, "left", 22, CLI_CHART_INK, name);
    cli_chart_text(s->script, CLI_CHART_WIDTH - MARGIN, HEADING_Y, "right", 0, CLI_CHART_FAINT,
                   text);
}

void cli_sheet_end(cli_sheet *s)
{
    cli_chart_end(s->script);
}

// A text that would run into the panels goes on in the next line.
static void add_line(const cli_sheet *s, int *y, const char *label, const char *text)
{
    char part[LINE_LETTERS + 1];
    cli_chart_text(s->script, cli_sheet_map.left, *y, "left", 0, CLI_CHART_FAINT, label);
    while (*text) {
        size_t n = strlen(text);
        if (n > LINE_LETTERS) {
            n = LINE_LETTERS;
            while (n > 0 && text[n] != ' ')
                n--;
            n = n ? n : LINE_LETTERS;
        }
        snprintf(part, sizeof part, "%.*s", (int)n, text);
        cli_chart_text(s->script, cli_sheet_map.left + LABEL_WIDTH, *y, "left", 0, CLI_CHART_INK,
                       part);
        *y -= LINE_HEIGHT;
        text += n + (text[n] == ' ');
    }
}

void cli_sheet_lines(const cli_sheet *s, const char *vehicle, const cli_lines *lines)
{
    int y = SUMMARY_Y;
    if (vehicle)
        add_line(s, &y, "vehicle", vehicle);
    for (size_t i = 0; i < lines->count; i++)
        add_line(s, &y, lines->list[i].label, lines->list[i].text);
}

double cli_sheet_map_axes(const cli_sheet *s, cli_range x, cli_range y, double least,
                          const char *x_label, const char *y_label)
{
    const double width = cli_sheet_map.right - cli_sheet_map.left;
    const double height = cli_sheet_map.top - cli_sheet_map.bottom;
    const double pixel = fmax(
        least / width, fmax((x.max - x.min) / (0.84 * width), (y.max - y.min) / (0.84 * height)));
    const double cx = (x.min + x.max) / 2, cy = (y.min + y.max) / 2;
    cli_axis_x(s->script, (cli_range){cx - pixel * width / 2, cx + pixel * width / 2}, x_label,
               true);
    ADD("set yrange [%.10g:%.10g]\nset ytics autofreq\nset ylabel '%s' textcolor rgb "
        "'" CLI_CHART_INK "'\n",
        cy - pixel * height / 2, cy + pixel * height / 2, y_label);
    return pixel;
}

void cli_sheet_colour(const cli_sheet *s, size_t i, const char *name)
{
    if (s->crowd) {
        ADD(" linecolor palette frac %.4f", (double)i / (double)(s->vehicles - 1));
        return;
    }
    ADD(" linecolor rgb '%s'", cli_chart_colours[i]);
    if (name) {
        ADD(" title ");
        cli_gnuplot_quote(s->script, name);
    }
}

void cli_sheet_panel_begin(cli_sheet *s, const char *title, const char *of)
{
    const int all = panels_box.top - panels_box.bottom - PANEL_GAP * (s->panels - 1);
    const int height = all / s->panels, top = panels_box.top - s->begun * (height + PANEL_GAP);
    const cli_box box = {panels_box.left, panels_box.right, top - height, top};
    char text[160];
    snprintf(text, sizeof text, "%s%s%s", title, of ? " of " : "", of ? of : "");
    cli_panel_begin(s->script, &box, text);
    s->begun++;
    cli_axis_x(s->script, cli_table_range(&s->table, 0, 0, 1), "time [s]", s->begun == s->panels);
}

void cli_sheet_panel_end(const cli_sheet *s)
{
    ADD("\n");
    cli_panel_end(s->script);
}
