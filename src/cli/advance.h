// advance.h - running an engine as fast as possible, with progress shown.
#ifndef TAC_CLI_ADVANCE_H
#define TAC_CLI_ADVANCE_H

#include "cli/progress.h"

#include <tactus/engine.h>

// Run up to and including `until_us`; progress is updated about every 50 ms of wall time.
TAC_MUST_CHECK tac_status cli_advance(tac_engine *engine, tac_time until_us, cli_progress *progress,
                                      tac_error *err);

#endif
