// verdict.h - expectations in the report of a run.
#ifndef TAC_CLI_REPORT_VERDICT_H
#define TAC_CLI_REPORT_VERDICT_H

#include "base/json.h"

#include <tactus/expect.h>

// How many are of an outcome.
size_t cli_verdict_number(const tac_verdict *verdict, tac_expect_outcome outcome);

// TAC_E_EXPECT with a text that names them where expectations were not met; or the error of a NaN
// in the condition of `stop`.
TAC_MUST_CHECK tac_status cli_verdict_status(const tac_verdict *verdict, tac_error *err);

// Whether the condition of `stop` ended the run.
bool cli_verdict_stopped(const tac_verdict *verdict);

// "4 of 5 passed", without a newline.
void cli_verdict_sum(const tac_verdict *verdict, tac__text *out);
// One line an expectation; of many, only those that did not pass.
void cli_verdict_lines(const tac_verdict *verdict, tac__text *out);
// Adds the member "expect" to an open object, and "stop" where the condition of `stop` ended the
// run; none where there is nothing to say.
void cli_verdict_json(const tac_verdict *verdict, tac__json *json);

#endif
