// gnuplot.h - pictures, drawn by gnuplot.
#ifndef TAC_CLI_PLOT_GNUPLOT_H
#define TAC_CLI_PLOT_GNUPLOT_H

#include "base/text.h"

// Find gnuplot in PATH; `path` gets its full name.
TAC_MUST_CHECK tac_status cli_gnuplot_find(tac__text *path, tac_error *err);

// Run it with a script; `picture` gets what it writes to its standard output. Nothing is left
// behind in the file system, whatever happens.
TAC_MUST_CHECK tac_status cli_gnuplot_run(const char *path, const tac__text *script,
                                          tac__text *picture, tac_error *err);

// Add `text` as a quoted gnuplot string; no text can end the quotes or give commands.
void cli_gnuplot_quote(tac__text *script, const char *text);

#endif
