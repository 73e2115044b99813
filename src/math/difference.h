// difference.h - the derivative of a function without noise, from differences.
#ifndef TAC_MATH_DIFFERENCE_H
#define TAC_MATH_DIFFERENCE_H

// f at `offset` from the point.
typedef double tac__offset_fn(void *context, double offset);

// The derivative at the point by central differences over steps h, h/2, h/4, ... extrapolated to 0,
// of which that with the smallest error estimate is taken (C. Ridders, Adv. Eng. Software 4, 1982):
// about eleven digits where f is smooth within h and is computed without noise.
double tac__difference(tac__offset_fn *f, void *context, double h);

// A step for an argument of this value: a power of two, so that sums with it are mostly exact.
double tac__difference_step(double value);

#endif
