// gnuplot.h - pictures, drawn by gnuplot.
#ifndef TAC_CLI_GNUPLOT_H
#define TAC_CLI_GNUPLOT_H

#include "base/text.h"

// Where it is, looked for in PATH. `path` gets its full name.
TAC_MUST_CHECK tac_status cli_gnuplot_find(tac__text *path, tac_error *err);

// Run it with a script; `picture` gets what it writes to its standard output. Nothing is left
// behind in the file system, whatever happens.
TAC_MUST_CHECK tac_status cli_gnuplot_run(const char *path, const tac__text *script,
                                          tac__text *picture, tac_error *err);

// A text as gnuplot reads it, in quotes; it cannot end them or give commands.
void cli_gnuplot_quote(tac__text *script, const char *text);

#endif
