// sheet.h - the page of a run's vehicles: a heading, to the left a map with lines of the report
// below it, to the right panels over time.
//
// Panels share the height of the page, so a page has only those for which there is something to
// show: set `panels` to their number first.
#ifndef TAC_CLI_PLOT_SHEET_H
#define TAC_CLI_PLOT_SHEET_H

#include "cli/plot/chart.h"
#include "cli/report/lines.h"

typedef struct cli_sheet {
    tac__text *script;
    cli_table table; // its first column is the time [s]
    size_t vehicles; // that lie over each other
    bool crowd;      // too many to give each a name and a colour
    int panels, begun;
} cli_sheet;

extern const cli_box cli_sheet_map;

// Letters of the longest name of a vehicle, and of the longest title of a panel with such names.
typedef struct cli_sheet_texts {
    size_t name, title;
} cli_sheet_texts;

// Sets `crowd`, and writes the table and the heading.
void cli_sheet_begin(cli_sheet *sheet, const char *name, uint64_t hash,
                     const cli_sheet_texts *texts, bool svg);
void cli_sheet_end(cli_sheet *sheet);

// `vehicle`: whom the lines are about; NULL: not said.
void cli_sheet_lines(const cli_sheet *sheet, const char *vehicle, const cli_lines *lines);

// Axes of the map with the same scale, with a margin around what is drawn, at least `least` wide.
// Returns the size of a pixel.
double cli_sheet_map_axes(const cli_sheet *sheet, cli_range x, cli_range y, double least,
                          const char *x_label, const char *y_label);

// The colour of vehicle `i` in a curve, and its name in the legend; NULL: none. On the map there is
// no room for the names of several.
void cli_sheet_colour(const cli_sheet *sheet, size_t i, const char *name);

// The next panel, with its time axis. `of`: whom it shows; NULL: all. gnuplot draws the frame of a
// panel with its curves, so each panel needs one.
void cli_sheet_panel_begin(cli_sheet *sheet, const char *title, const char *of);
void cli_sheet_panel_end(const cli_sheet *sheet);

#endif
