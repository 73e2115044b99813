// picture.h - pictures as files, PNG or SVG by the end of their names, drawn by gnuplot.
#ifndef TAC_CLI_PLOT_PICTURE_H
#define TAC_CLI_PLOT_PICTURE_H

#include "base/text.h"

bool cli_picture_is_svg(const char *file);
// The value of `option` (NULL is allowed) must end in .png or .svg.
TAC_MUST_CHECK tac_status cli_picture_named(const char *option, const char *file, tac_error *err);
// Checks, before long work, that gnuplot can be found.
TAC_MUST_CHECK tac_status cli_picture_check(tac_error *err);
// Write what gnuplot draws from a script to a file, whole or not at all.
TAC_MUST_CHECK tac_status cli_picture_write(const tac__text *script, const char *file,
                                            tac_error *err);

#endif
