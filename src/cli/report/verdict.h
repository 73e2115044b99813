// verdict.h - expectations in the report of a run.
#ifndef TAC_CLI_REPORT_VERDICT_H
#define TAC_CLI_REPORT_VERDICT_H

#include "base/json.h"

#include <tactus/expect.h>

// How many are of an outcome.
size_t cli_verdict_number(const tac_verdict *verdict, tac_expect_outcome outcome);

// "4 of 5 passed", without a newline.
void cli_verdict_sum(const tac_verdict *verdict, tac__text *out);
// One line an expectation.
void cli_verdict_lines(const tac_verdict *verdict, tac__text *out);
// Adds the member "expect" to an open object, and "stop" where the condition of `stop` ended the
// run; none where there is nothing to say.
void cli_verdict_json(const tac_verdict *verdict, tac__json *json);

#endif
