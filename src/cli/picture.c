// picture.c - from a script for gnuplot to a file.
#include "cli/picture.h"
#include "cli/gnuplot.h"
#include "cli/output.h"

tac_status cli_picture_write(const tac__text *script, const char *file, tac_error *err)
{
    tac__text gnuplot, picture;
    tac__text_init(&gnuplot, tac_allocator_default());
    tac__text_init(&picture, tac_allocator_default());
    tac_status status = cli_gnuplot_find(&gnuplot, err);
    if (status == TAC_OK)
        status = cli_gnuplot_run(gnuplot.chars, script, &picture, err);
    if (status == TAC_OK)
        status = cli_write_file(file, &picture, err);
    tac__text_fini(&gnuplot);
    tac__text_fini(&picture);
    return status;
}
