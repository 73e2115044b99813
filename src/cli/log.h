// log.h - shows the run's log on standard error: "[  1.250 s] Nav: text".
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
    tac__text *kept; // entries are kept here too, one a line; NULL: they are not
} cli_log;

void cli_log_init(cli_log *log, cli_progress *progress);
void cli_log_show(void *log, const tac_log_entry *entry); // a tac_log_fn

// "debug", "info", "warn" or "error".
TAC_MUST_CHECK tac_status cli_log_level(const char *name, tac_log_level *level, tac_error *err);

#endif
