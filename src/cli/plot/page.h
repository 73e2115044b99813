// page.h - signals of recordings on one page: panels over each other with one time axis.
#ifndef TAC_CLI_PLOT_PAGE_H
#define TAC_CLI_PLOT_PAGE_H

#include "cli/recordings.h"
#include "cli/plot/trace.h"

enum {
    CLI_PAGE_RECORDINGS = 8,
    CLI_PAGE_PANELS = 24,
    CLI_PAGE_LEFT = 150, // of the panels, in pixels
    CLI_PAGE_RIGHT = 1755,
};

// A signal, in each recording that has it.
typedef struct cli_page_signal {
    const char *name;
    const char *of; // The signal; the same as `name` unless it is an element.
    const tac_recorded *in[CLI_PAGE_RECORDINGS]; // NULL: not in that recording
    const tac_recorded *any;
    cli_table tables[CLI_PAGE_RECORDINGS]; // the time in seconds, the elements
} cli_page_signal;

// Signals of one unit.
typedef struct cli_page_panel {
    cli_page_signal *signals;
    size_t count;
    TAC__CAPACITY(cli_page_signal) capacity;
} cli_page_panel;

// A value that a discrete signal takes at t_us.
typedef struct cli_page_change {
    const tac_recorded *signal;
    uint32_t element;
    double value;
    tac_time t_us;
} cli_page_change;

typedef struct cli_page_changes {
    cli_page_change *list;
    size_t count;
    TAC__CAPACITY(cli_page_change) capacity;
} cli_page_changes;

typedef struct cli_page {
    tac__arena *arena;
    tac_recording *recordings[CLI_PAGE_RECORDINGS];
    size_t recording_count;
    cli_page_panel panels[CLI_PAGE_PANELS];
    size_t panel_count;
    cli_span span; // what is shown
    const char *title;
    // Of the entity of the first signal, in the first recording
    cli_page_changes phases; // the first is the phase at the start
    cli_page_changes marks;  // faults and commands
} cli_page;

// read.c: fills in tables, phases and marks, in one pass over the channels that have them.
TAC_MUST_CHECK tac_status cli_page_read(cli_page *page, tac_error *err);

// page.c: the script that draws the page.
void cli_page_draw(const cli_page *page, bool svg, tac__text *script);
cli_range cli_page_seconds(const cli_page *page); // of its time axis

// panel.c: one panel with its title and legend, from `top` down, in pixels. Only the last panel has
// numbers at its time axis.
int cli_page_panel_height(const cli_page *page, const cli_page_panel *panel);
void cli_page_panel_draw(const cli_page *page, const cli_page_panel *panel, int top, bool last,
                         tac__text *script);

// Whether a signal of a scenario is a fault; otherwise it is a command.
bool cli_page_is_fault(const char *name);
// Whether a signal only counts phases (transition, queued, ...): patterns do not select it.
bool cli_page_is_bookkeeping(const tac_recorded *signal);
// "uav1.battery.soc" and "uav1.phase" have the same entity; so have "battery.soc" and
// "control.phase", which are in none.
bool cli_page_same_entity(const char *a, const char *b);

#endif
