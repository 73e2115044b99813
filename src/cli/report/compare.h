// compare.h - the output of `tactus compare`, for a person or a program.
#ifndef TAC_CLI_REPORT_COMPARE_H
#define TAC_CLI_REPORT_COMPARE_H

#include "cli/recordings.h"

typedef struct cli_comparison {
    const tac_recording *a, *b;
    const tac_comparison *of;
    bool tolerant; // not bit for bit
    bool all;      // list every signal
} cli_comparison;

// True if the recordings have no signal in common and none that only one of them has.
bool cli_comparison_empty(const cli_comparison *c);

TAC_MUST_CHECK tac_status cli_comparison_text(const cli_comparison *c, tac__text *out,
                                              tac_error *err);
// `different` is the error to include if the recordings differ.
TAC_MUST_CHECK tac_status cli_comparison_json(const cli_comparison *c, const tac_error *different,
                                              tac__text *out, tac_error *err);

#endif
