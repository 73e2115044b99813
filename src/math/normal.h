// normal.h - the inverse of the normal distribution.
#ifndef TAC_MATH_NORMAL_H
#define TAC_MATH_NORMAL_H

// The x below which a standard normal variate falls with probability `u`, to about 1e-16 of x; odd
// about u = 1/2, exactly. `u` lies between 0 and 1, neither included.
double tac__normal_inverse(double u);

#endif
