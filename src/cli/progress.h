// progress.h - shows the progress of a long run on standard error.
//
// On a terminal a bar on one line, drawn at most ten times a second and erased at the end.
// Elsewhere, if asked for, a plain line every 10 % or 5 seconds.
#ifndef TAC_CLI_PROGRESS_H
#define TAC_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <tactus/time.h>

typedef enum cli_progress_mode {
    CLI_PROGRESS_AUTO, // the bar, and nothing where there is no terminal
    CLI_PROGRESS_ALWAYS,
    CLI_PROGRESS_NEVER,
} cli_progress_mode;

typedef struct cli_progress {
    bool on;    // anything at all is shown
    bool bar;   // on a terminal
    bool drawn; // the bar stands on the terminal at the moment
    tac_time start_us, end_us;
    int64_t begun_ns, next_ns; // of the run; of the next bar or line
    unsigned shown_percent;    // of the last line
} cli_progress;

// Standard error is a terminal that understands control sequences.
bool cli_is_terminal(void);

void cli_progress_begin(cli_progress *progress, cli_progress_mode mode, tac_time start_us,
                        tac_time end_us);
void cli_progress_update(cli_progress *progress, tac_time t_us);
// Draw a text in the place of the bar; nothing where there is no terminal.
void cli_progress_text(cli_progress *progress, const char *text);
// Erase the bar or the text: before anything else is written to the terminal, and at the end.
void cli_progress_hide(cli_progress *progress);

#endif
