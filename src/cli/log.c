// log.c - the run's log as lines on standard error, in colour on a terminal.
#include "cli/log.h"
#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// By tac_log_level. An ordinary entry needs no label.
static const struct {
    const char *name, *label, *colour;
} levels[] = {
    [TAC_LOG_DEBUG] = {"debug", "debug: ", "\033[2m"},
    [TAC_LOG_INFO] = {"info", "", ""},
    [TAC_LOG_WARN] = {"warn", "warning: ", "\033[33m"},
    [TAC_LOG_ERROR] = {"error", "error: ", "\033[31m"},
};
enum { LEVEL_COUNT = sizeof levels / sizeof *levels };

// Digits of whole seconds: times below 1000 s look alike in most runs, and a run without an end
// needs no more than 30,000 years.
enum { DIGITS_LEAST = 3, DIGITS_MOST = 12 };

void cli_log_init(cli_log *log, cli_progress *progress)
{
    const char *no_colour = getenv("NO_COLOR"); // no-color.org: any value but an empty one
    *log = (cli_log){.progress = progress,
                     .colour = cli_is_terminal() && !(no_colour && no_colour[0])};
}

static void show(void *context, const tac_log_entry *entry)
{
    cli_log *log = context;
    const unsigned level = (unsigned)entry->level < LEVEL_COUNT ? entry->level : TAC_LOG_ERROR;
    const bool coloured = log->colour && levels[level].colour[0];
    if (log->kept)
        tac__text_add(log->kept, "%s\n", entry->text);
    if (log->muted)
        return;
    char line[2048];
    tac__out out = tac__out_begin(line, sizeof line);
    const uint64_t s = entry->t_us / 1000000, us = entry->t_us % 1000000;
    if (log->untimed)
        line[0] = '\0';
    else
        tac__out_add(&out, "[%*" PRIu64 ".%06" PRIu64 " s] ", log->digits, s, us);
    if (coloured)
        tac__out_add(&out, "%s", levels[level].colour);
    if (entry->component[0]) {
        tac__out_shown(&out, entry->component, false);
        tac__out_add(&out, ": ");
    }
    tac__out_add(&out, "%s", levels[level].label);
    tac__out_shown(&out, entry->text, false);
    if (log->progress)
        cli_progress_hide(log->progress);
    fprintf(stderr, "%s%s\n", line, coloured ? "\033[0m" : "");
}

void cli_log_attach(cli_log *log, tac_engine_def *def)
{
    def->log = show;
    def->log_context = log;
    log->digits = DIGITS_LEAST;
    for (uint64_t s = def->end_us / 1000000 / 1000; s && log->digits < DIGITS_MOST; s /= 10)
        log->digits++;
}

tac_status cli_log_level(const char *name, tac_log_level *level, tac_error *err)
{
    for (unsigned i = 0; i < LEVEL_COUNT; i++) {
        if (!strcmp(levels[i].name, name)) {
            *level = (tac_log_level)i;
            return TAC_OK;
        }
    }
    tac__fail(err, TAC_E_USAGE, "option '--log-level' needs debug, info, warn or error, not '%s'",
              name);
    return TAC_E_USAGE;
}
