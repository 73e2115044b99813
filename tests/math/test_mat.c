// Small dense matrices: products, and residuals of the two solvers.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#define TAC_KIND_F64
#include "inputs.h"
#include "math/mat.h"

enum { TRIALS = 200 };

static void fill(uint64_t *seed, int n, double *a)
{
    for (int i = 0; i < n; i++)
        a[i] = input_uniform(seed, -1.0, 1.0);
}

// |a x - b| in terms of |a| |x|, largest over the rows.
static double residual(int n, const double *a, const double *x, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double r = -b[i], scale = 0.0;
        for (int j = 0; j < n; j++) {
            r += a[i * n + j] * x[j];
            scale += fabs(a[i * n + j] * x[j]);
        }
        worst = fmax(worst, fabs(r) / scale);
    }
    return worst;
}

static void test_solve_leaves_no_residual(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int n = 1; n <= MAT_MAX; n++) {
        for (int trial = 0; trial < TRIALS; trial++) {
            double a[MAT_MAX * MAT_MAX], b[MAT_MAX], x[MAT_MAX];
            fill(&seed, n * n, a);
            fill(&seed, n, b);
            mat_solve(n, a, b, x);
            double r = residual(n, a, x, b);
            if (!(r < 1e-13))
                fail_msg("n = %d: residual %g", n, r);
        }
    }
}

// Without pivoting these lose everything: a zero, and next to nothing, on the diagonal.
static void test_solve_pivots(void **state)
{
    (void)state;
    const double swap[9] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, b[3] = {1, 2, 3};
    double x[3];
    mat_solve(3, swap, b, x);
    assert_true(x[0] == 3.0 && x[1] == 1.0 && x[2] == 2.0);

    const double tiny[4] = {1e-20, 1, 1, 1}, one_two[2] = {1, 2};
    mat_solve(2, tiny, one_two, x);
    assert_true(fabs(x[0] - 1.0) < 1e-15 && fabs(x[1] - 1.0) < 1e-15);
}

static void test_singular_is_not_finite(void **state)
{
    (void)state;
    const double a[4] = {1, 2, 2, 4}, b[2] = {1, 1};
    double x[2];
    mat_solve(2, a, b, x);
    assert_false(isfinite(x[0]) && isfinite(x[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_leaves_no_residual),
        cmocka_unit_test(test_solve_pivots),
        cmocka_unit_test(test_singular_is_not_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
