// run.h - a run with its report, recording and pictures, driven by the program or by something
// else.
#ifndef TAC_CLI_RUN_H
#define TAC_CLI_RUN_H

#include "cli/load.h"
#include "cli/progress.h"

typedef struct cli_driver {
    // The configuration has been loaded; another may be put in its place.
    tac_status (*choose)(void *context, cli_simulation *sim, tac_error *err);
    // Run the prepared engine to its end.
    tac_status (*run)(void *context, tac_engine *engine, cli_progress *progress, tac_error *err);
    void *context;
} cli_driver;

// `tactus run` with the options that the command has; `driver` NULL: the engine runs by itself.
TAC_MUST_CHECK tac_status cli_run_driven(const cli_args *args, const char *file,
                                         const cli_driver *driver, tac__text *out, tac_error *err);

#endif
