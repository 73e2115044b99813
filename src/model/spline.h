// spline.h - tables of component types that may be read as splines: the choice, the coefficients,
// and what a user is told of mistakes.
#ifndef TAC_MODEL_SPLINE_H
#define TAC_MODEL_SPLINE_H

#include <tactus/component.h>

// A table as the configuration gives it. Breakpoints ascend.
typedef struct tac__spline_def {
    const char *x_name, *y_name; // parameters that errors are about
    size_t n;
    const double *x, *y; // [n]
    double above;        // no value of the spline may be below this,
    bool open;           // or be this
} tac__spline_def;

#define TAC__SPLINE(of_x, of_y, ...)                                                               \
    (&(const tac__spline_def){.x_name = (of_x), .y_name = (of_y), __VA_ARGS__})

TAC_BEGIN_DECLS

// Reads the choice `name`: `linear` or `spline`. True for a spline.
bool tac__param_spline(tac_declare *d, const char *name);

// Puts the coefficients (math/spline.h) into bend[2 n]. Fails if there are too few points, and if
// the spline leaves the range that its entries are in.
tac_status tac__declare_spline(tac_declare *d, const tac__spline_def *def, double *bend);

TAC_END_DECLS

#endif
