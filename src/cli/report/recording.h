// recording.h - the output of `tactus info REC`.
#ifndef TAC_CLI_REPORT_RECORDING_H
#define TAC_CLI_REPORT_RECORDING_H

#include "cli/options.h"

TAC_MUST_CHECK tac_status cli_about_recording(const cli_args *args, tac__text *out, tac_error *err);

#endif
