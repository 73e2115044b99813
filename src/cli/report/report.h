// report.h - the report at the end of a run, for a person or a program.
#ifndef TAC_CLI_REPORT_REPORT_H
#define TAC_CLI_REPORT_REPORT_H

#include "cli/flight.h"
#include "cli/motion.h"
#include "cli/options.h"
#include "cli/pace.h"
#include "cli/phases.h"

#include <tactus/expect.h>

typedef struct cli_report {
    const tac_config *config;
    const tac_engine *engine;
    const cli_args *args; // for --digest
    const cli_flight *flight;
    const cli_motion *motion;
    const cli_phases *phases;
    const tac_verdict *verdict; // what came of expectations; NULL: there are none
    const char *plot;           // picture that was drawn, NULL: none
    const char *recording;      // recording that was written, NULL: none
    const char *continued;      // checkpoint from which the run began, NULL: none
    const char *checkpoint;     // checkpoint that was written, NULL: none
    const cli_jitter *jitter;   // NULL: not in real time
    const char *signal;         // that stopped it, NULL: none
    tac_time start_us;
    double wall_s;
    double prepare_s; // to load the configuration and prepare the engine
} cli_report;

void cli_report_text(const cli_report *report, tac_status status, tac__text *out);
// `err` describes the failure where status is not TAC_OK.
void cli_report_json(const cli_report *report, tac_status status, const tac_error *err,
                     tac__text *out);

// Every --digest PATTERN must match something.
TAC_MUST_CHECK tac_status cli_check_digests(const tac_engine *engine, const cli_args *args,
                                            tac_error *err);

#endif
