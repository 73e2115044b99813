// picture.h - pictures as files.
#ifndef TAC_CLI_PICTURE_H
#define TAC_CLI_PICTURE_H

#include "base/text.h"

// What gnuplot draws from a script, written to a file, whole or not at all.
TAC_MUST_CHECK tac_status cli_picture_write(const tac__text *script, const char *file,
                                            tac_error *err);

#endif
