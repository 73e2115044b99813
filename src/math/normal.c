// normal.c - PPND16: rational functions of degree 7 over 7, one about the median and two in the
// tails.
//
// Source: M. J. Wichura, "Algorithm AS 241: The percentage points of the normal distribution",
// Applied Statistics 37 (1988) 477-484.
#include "math/normal.h"
#include <tactus/math.h>

// Numerator and denominator, constant term first.
typedef struct rational {
    double p[8], q[8];
} rational;

// In r = 0.425^2 - (u - 1/2)^2, for |u - 1/2| <= 0.425.
static const rational centre = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
     3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
     5.2264952788528545610e+3}};

// In r = sqrt(-log(tail)) - 1.6, for r <= 3.4.
static const rational flank = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};

// In r = sqrt(-log(tail)) - 5, beyond.
static const rational far = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

// In pairs (Estrin): a third of the latency of Horner's chain.
static double polynomial(const double c[8], double r, double r2, double r4)
{
    const double low = (c[0] + c[1] * r) + (c[2] + c[3] * r) * r2;
    const double high = (c[4] + c[5] * r) + (c[6] + c[7] * r) * r2;
    return low + high * r4;
}

static double ratio(const rational *f, double r)
{
    const double r2 = r * r, r4 = r2 * r2;
    return polynomial(f->p, r, r2, r4) / polynomial(f->q, r, r2, r4);
}

static double tail(double u)
{
    const double r = tac_sqrt(-tac_log(u));
    return r <= 5.0 ? ratio(&flank, r - 1.6) : ratio(&far, r - 5.0);
}

double tac__normal_inverse(double u)
{
    const double q = u - 0.5;
    if (tac_fabs(q) <= 0.425)
        return q * ratio(&centre, 0.180625 - q * q);
    return q < 0 ? -tail(u) : tail(1.0 - u);
}
