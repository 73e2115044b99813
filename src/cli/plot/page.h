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
    const tac_recorded *in[CLI_PAGE_RECORDINGS]; // NULL: it has not
    const tac_recorded *any;
    cli_table tables[CLI_PAGE_RECORDINGS]; // the time in seconds, the elements
} cli_page_signal;

// Signals of one unit.
typedef struct cli_page_panel {
    cli_page_signal *signals;
    size_t count, capacity;
} cli_page_panel;

// A value that a discrete signal has from here on.
typedef struct cli_page_change {
    const tac_recorded *signal;
    uint32_t element;
    double value;
    tac_time t_us;
} cli_page_change;

typedef struct cli_page_changes {
    cli_page_change *list;
    size_t count, capacity;
} cli_page_changes;

typedef struct cli_page {
    tac__arena *arena;
    tac_recording *recordings[CLI_PAGE_RECORDINGS];
    size_t recording_count;
    cli_page_panel panels[CLI_PAGE_PANELS];
    size_t panel_count;
    cli_span span; // what is shown
    const char *title;
    // Of the first signal's entity, in the first recording
    cli_page_changes phases; // the first is what it begins with
    cli_page_changes marks;  // faults and commands
} cli_page;

// plot_read.c: fills in tables, phases and marks, in one pass over the channels that have them.
TAC_MUST_CHECK tac_status cli_page_read(cli_page *page, tac_error *err);

// plot_page.c: the script that draws it.
void cli_page_draw(const cli_page *page, bool svg, tac__text *script);
cli_range cli_page_seconds(const cli_page *page); // of its time axis

// plot_panel.c: one panel, from `top` down, in pixels; its title and legend included. The time axis
// has numbers under the last.
int cli_page_panel_height(const cli_page *page, const cli_page_panel *panel);
void cli_page_panel_draw(const cli_page *page, const cli_page_panel *panel, int top, bool last,
                         tac__text *script);

// A signal of a scenario that is a fault, rather than a command.
bool cli_page_is_fault(const char *name);
// A signal in which phases are counted: patterns leave it out.
bool cli_page_is_bookkeeping(const tac_recorded *signal);
// As "uav1.battery.soc" and "uav1.phase"; or "battery.soc" and "control.phase", which have none.
bool cli_page_same_entity(const char *a, const char *b);

#endif
