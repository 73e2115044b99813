// log.h - shows the run's log on standard error: "[  1.250000 s] Nav: text". All times of a run
// have one width, that of its end.
#ifndef TAC_CLI_LOG_H
#define TAC_CLI_LOG_H

#include "base/text.h"
#include "cli/progress.h"

#include <tactus/engine.h>

typedef struct cli_log {
    cli_progress *progress; // hidden while an entry is printed
    bool colour;
    bool untimed;    // print entries without a time: nothing is running yet
    bool muted;      // shows nothing
    int digits;      // of whole seconds, at least
    tac__text *kept; // entries are kept here too, one a line; NULL: they are not
} cli_log;

void cli_log_init(cli_log *log, cli_progress *progress);
// Have the engine's log shown, with times as wide as that of its end.
void cli_log_attach(cli_log *log, tac_engine_def *def);

// "debug", "info", "warn" or "error".
TAC_MUST_CHECK tac_status cli_log_level(const char *name, tac_log_level *level, tac_error *err);

#endif
