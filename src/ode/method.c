// method.c - the methods and the stepping core.
//
// Sums run over the stages in ascending order and skip coefficients that are zero in the table, so
// the bits of a step are a property of the table alone.
#include "ode/method.h"

#include <string.h>

static const tac__method methods[] = {
    {"euler", 1, 1, {{0}}, {1}, {0}},
    {"rk4",
     4,
     4,
     {{0}, {0.5}, {0, 0.5}, {0, 0, 1}},
     {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6},
     {0, 0.5, 0.5, 1}},
};

enum { METHODS = sizeof methods / sizeof *methods };

const tac__method *tac__method_find(const char *name)
{
    for (size_t i = 0; i < METHODS; i++) {
        if (!strcmp(methods[i].name, name))
            return &methods[i];
    }
    return NULL;
}

const char *tac__method_name(const void *context, size_t i)
{
    (void)context;
    return i < METHODS ? methods[i].name : NULL;
}

// out = y + h * sum_j w_j k_j
static void combine(const tac__ode_work *work, const double *weights, int stages, double h_s,
                    const double *y, double *out)
{
    const size_t n = work->n;
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (int j = 0; j < stages; j++) {
            if (weights[j] != 0)
                sum += weights[j] * work->k[(size_t)j * n + i];
        }
        out[i] = y[i] + h_s * sum;
    }
}

tac_status tac__ode_step(const tac__method *method, tac__rhs_fn *f, void *context,
                         const tac__ode_work *work, double t_s, double h_s, const double *y,
                         double *y_new)
{
    for (int i = 0; i < method->stages; i++) {
        combine(work, method->a[i], i, h_s, y, work->z);
        TAC_TRY(f(context, t_s + method->c[i] * h_s, work->k + (size_t)i * work->n));
    }
    combine(work, method->b, method->stages, h_s, y, y_new);
    return TAC_OK;
}
