// picture.c - has gnuplot draw a script, and writes the picture to a file.
#include "cli/plot/picture.h"
#include "cli/plot/gnuplot.h"
#include "cli/output.h"

bool cli_picture_is_svg(const char *file)
{
    return tac__ends_in(file, ".svg");
}

tac_status cli_picture_named(const char *option, const char *file, tac_error *err)
{
    if (!file || tac__ends_in(file, ".png") || cli_picture_is_svg(file))
        return TAC_OK;
    return tac__fail(err, TAC_E_USAGE,
                     "option '--%s' needs a file that ends in .png or .svg, not '%s'", option,
                     file);
}

tac_status cli_picture_check(tac_error *err)
{
    tac__text gnuplot;
    tac__text_init(&gnuplot, tac_allocator_default());
    const tac_status status = cli_gnuplot_find(&gnuplot, err);
    tac__text_fini(&gnuplot);
    return status;
}

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
