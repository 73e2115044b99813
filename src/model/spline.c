// spline.c - see spline.h.
#include "model/spline.h"
#include "math/spline.h"

bool tac__param_spline(tac_declare *d, const char *name)
{
    static const char *const names[] = {"linear", "spline", NULL};
    return tac_param_choice(d,
                            TAC_PARAM(.name = name, .fallback = "linear",
                                      .doc = "between breakpoints: straight lines, or a curve with "
                                             "continuous second derivative"),
                            names) == 1;
}

tac_status tac__declare_spline(tac_declare *d, const tac__spline_def *def, double *bend)
{
    if (def->n < TAC__SPLINE_POINTS_MIN)
        return tac_declare_fail(d, def->x_name, "a spline needs at least %d points, found %zu",
                                TAC__SPLINE_POINTS_MIN, def->n);
    const int n = (int)def->n;
    if (!tac__spline_bend(n, def->x, def->y, bend))
        return tac_declare_fail(d, def->y_name, "the spline through these points overflows");
    double at;
    const double least = tac__spline_least(n, def->x, def->y, bend, &at);
    if (least < def->above || (def->open && least == def->above))
        return tac_declare_fail(d, def->y_name,
                                "the spline through these points falls to %g at %g, expected %s "
                                "%g everywhere; give it more points there, or take 'linear'",
                                least, at, def->open ? "above" : "at least", def->above);
    return TAC_OK;
}
