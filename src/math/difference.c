// difference.c - see difference.h.
#include "math/difference.h"

#include <math.h>

enum { ROUNDS = 8 };

double tac__difference(tac__offset_fn *f, void *context, double h)
{
    double row[ROUNDS] = {0}, best = (double)NAN, least = (double)INFINITY;
    for (int k = 0; k < ROUNDS; k++, h /= 2) {
        double before = row[0], factor = 4;
        row[0] = (f(context, h) - f(context, -h)) / (2 * h);
        for (int j = 1; j <= k; j++, factor *= 4) {
            const double next = row[j - 1] + (row[j - 1] - before) / (factor - 1);
            const double error = fmax(fabs(next - row[j - 1]), fabs(next - before));
            before = row[j];
            row[j] = next;
            if (!(error < least))
                continue;
            least = error;
            best = next;
        }
    }
    return best;
}

double tac__difference_step(double value)
{
    const double size = fabs(value);
    return ldexp(1, size > 1e-6 && isfinite(size) ? ilogb(size) - 4 : -20);
}
