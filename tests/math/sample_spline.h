// sample_spline.h - the table of the splines in sample_model.h, which are its last two outputs: of
// input SAMPLE_SPLINE_INPUT, the first with its edges held, the second extended.
#ifndef TAC_TESTS_MATH_SAMPLE_SPLINE_H
#define TAC_TESTS_MATH_SAMPLE_SPLINE_H

enum { SAMPLE_SPLINE_POINTS = 7, SAMPLE_SPLINE_INPUT = 6 };

static const double sample_spline_x[SAMPLE_SPLINE_POINTS] = {-2.0, -0.5, -0.1, 0.3, 0.75, 1.5, 4.0};
static const double sample_spline_y[SAMPLE_SPLINE_POINTS] = {1.0, 0.4, 0.7, -0.2, 0.1, 1.3, 0.9};

#endif
