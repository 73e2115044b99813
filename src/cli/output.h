// output.h - writing texts to standard output, to files, and as errors.
#ifndef TAC_CLI_OUTPUT_H
#define TAC_CLI_OUTPUT_H

#include "base/json.h"

#include <tactus/engine.h>

// Make sure that descriptors 0 to 2 are taken, so that no file we open becomes standard output.
void cli_claim_standard_files(void);

// Write everything, with control characters shown as \x1b, and check that it was written. A closed
// pipe fails without a text in `err`: the reader has stopped reading, and no message is needed.
TAC_MUST_CHECK tac_status cli_write_stdout(const tac__text *text, tac_error *err);

// Write a file as a whole or not at all, as tac__file_write does.
TAC_MUST_CHECK tac_status cli_write_file(const char *path, const tac__text *text, tac_error *err);

// Prints the error for a person on standard error, in colour on a terminal; adds it as the member
// `key` to an open object, or as an item to a list (`key` is NULL).
void cli_print_error(const tac_error *err);
void cli_json_error(tac__json *json, const char *key, const tac_error *err);

// Adds the member "model_hash". Without memory the text is marked as failed.
void cli_json_model_hash(tac__json *json, const tac_engine *engine);

// Adds a list of texts, one a line of `lines`.
void cli_json_lines(tac__json *json, const char *key, const char *lines);

// Add a text that the library allocated to `out`, and free it. NULL means lack of memory.
TAC_MUST_CHECK tac_status cli_take_text(tac__text *out, char *text, tac_error *err);

#endif
