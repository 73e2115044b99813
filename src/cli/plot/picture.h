// picture.h - pictures as files, PNG or SVG by the end of their names, drawn by gnuplot.
#ifndef TAC_CLI_PLOT_PICTURE_H
#define TAC_CLI_PLOT_PICTURE_H

#include "base/text.h"

bool cli_picture_is_svg(const char *file);
// The value of `option` (NULL is fine) must name one or the other.
TAC_MUST_CHECK tac_status cli_picture_named(const char *option, const char *file, tac_error *err);
// Before long work: gnuplot is there.
TAC_MUST_CHECK tac_status cli_picture_check(tac_error *err);
// What gnuplot draws from a script, written to a file, whole or not at all.
TAC_MUST_CHECK tac_status cli_picture_write(const tac__text *script, const char *file,
                                            tac_error *err);

#endif
