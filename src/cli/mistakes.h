// mistakes.h - the mistakes of a configuration, collected while it is loaded, to be told of
// together.
#ifndef TAC_CLI_MISTAKES_H
#define TAC_CLI_MISTAKES_H

#include "base/json.h"

#include <tactus/status.h>

enum { CLI_MISTAKES_MAX = 10 };

// In order of their places: those of the file that was met first come first. At most one of a place
// is kept: what is wrong in a template is wrong in each of its instances.
typedef struct cli_mistakes {
    tac_error items[CLI_MISTAKES_MAX];
    size_t count;
    size_t more; // that were left out
    size_t told; // calls of cli_mistakes_add
    bool silent; // nothing is printed
} cli_mistakes;

// A tac_mistake_fn; the context is the cli_mistakes.
void cli_mistakes_add(void *context, const tac_error *mistake);

// Prints an error, with the mistakes where there are several; adds the members "error" and, where
// there are several, "errors" to an open object.
void cli_mistakes_print(cli_mistakes *m, const tac_error *err);
void cli_mistakes_json(cli_mistakes *m, const tac_error *err, tac__json *json);

#endif
