// run.h - a run with its report, recording and pictures, driven by the program or by something
// else.
#ifndef TAC_CLI_RUN_H
#define TAC_CLI_RUN_H

#include "cli/load.h"
#include "cli/progress.h"

// Options of a run, by itself or as a client of a federation.
#define CLI_OPTION_SEED                                                                            \
    {                                                                                              \
        .name = "seed", .value = "N",                                                              \
        .doc = "Use this seed for all random streams; short for --set seed=N."                     \
    }
#define CLI_OPTION_FSYNC                                                                           \
    {                                                                                              \
        .name = "fsync",                                                                           \
        .doc =                                                                                     \
            "Have the disk keep the recording at every flush, so that a loss of power costs no "   \
            "more than a program that is killed; short for --set record.fsync=true."               \
    }
#define CLI_OPTION_CSV                                                                             \
    {                                                                                              \
        .name = "csv", .value = "FILE",                                                            \
        .doc = "Write all signals on the log axis as a table that grows as the run goes on. The "  \
               "results stay the same."                                                            \
    }
#define CLI_OPTION_DIGEST                                                                          \
    {                                                                                              \
        .name = "digest", .value = "PATTERN",                                                      \
        .doc =                                                                                     \
            "Also report the digest of everything whose name matches, as in \"uav1.*\"; may be "   \
            "given several times."                                                                 \
    }
#define CLI_OPTION_PLOT                                                                            \
    {                                                                                              \
        .name = "plot", .value = "FILE",                                                           \
        .doc =                                                                                     \
            "Draw the vehicles on one page, as FILE.png or FILE.svg: of a flight ground track, "   \
            "altitude, attitude, motors, battery; of a rocket, an orbit or a car what matters "    \
            "there. Needs gnuplot. The results stay the same."                                     \
    }
#define CLI_OPTION_PROFILE                                                                         \
    {                                                                                              \
        .name = "profile",                                                                         \
        .doc =                                                                                     \
            "Measure where the time of the run goes, by stage and by component, and report it. "   \
            "The results stay the same; the run takes longer by what the report says."             \
    }
#define CLI_OPTION_LOG_LEVEL                                                                       \
    {                                                                                              \
        .name = "log-level", .value = "L",                                                         \
        .doc = "Show log entries of this level and above: debug, info, warn or error; by default " \
               "what "                                                                             \
               "the configuration says."                                                           \
    }
#define CLI_OPTION_PROGRESS                                                                        \
    {                                                                                              \
        .name = "progress", .value = "WHEN",                                                       \
        .doc = "Show progress on standard error: auto (the default: on a terminal), always (as "   \
               "plain "                                                                            \
               "lines elsewhere) or never."                                                        \
    }
#define CLI_OPTION_OUT                                                                             \
    {                                                                                              \
        .name = "out", .letter = 'o', .value = "REC",                                              \
        .doc = "Record the run as REC, an MCAP file; the configuration says under 'record' what "  \
               "is in "                                                                            \
               "it. The results stay the same."                                                    \
    }
#define CLI_OPTION_QUIET                                                                           \
    {                                                                                              \
        .name = "quiet", .letter = 'q',                                                            \
        .doc = "No report and no progress; of the log only warnings and errors."                   \
    }

typedef struct cli_driver {
    // The configuration has been loaded; another may be put in its place.
    tac_status (*choose)(void *context, cli_simulation *sim, tac_error *err);
    // Run the prepared engine to its end.
    tac_status (*run)(void *context, tac_engine *engine, cli_progress *progress, tac_error *err);
    void *context;
    tac__text *report; // for the report as JSON, whatever else is written; NULL: nobody wants it
    bool silent;       // no report as text
} cli_driver;

// `tactus run` with the options that the command has; `driver` NULL: the engine runs by itself.
TAC_MUST_CHECK tac_status cli_run_driven(const cli_args *args, const char *file,
                                         const cli_driver *driver, tac__text *out, tac_error *err);

#endif
