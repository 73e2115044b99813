// Linear systems of all sizes that islands have.
#include "support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ode/lu.h"

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) * 0x1p-52 - 1;
}

// `density` of the elements are not zero.
static void check_random(size_t n, double density)
{
    const size_t stride = (n + 3) / 4 * 4;
    double *a = malloc(n * stride * sizeof *a), *lu = malloc(n * stride * sizeof *lu);
    double *b = malloc(n * sizeof *b), *x = malloc(n * sizeof *x), *pivots = malloc(n * sizeof *x);
    uint64_t seed = n;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            a[j * stride + i] = fabs(uniform(&seed)) < density || i == j ? uniform(&seed) : 0;
        b[j] = uniform(&seed);
    }
    memcpy(lu, a, n * stride * sizeof *a);
    memcpy(x, b, n * sizeof *b);
    assert_true(tac__lu_factor(n, stride, lu, pivots));
    tac__lu_solve(n, stride, lu, pivots, x);
    for (size_t i = 0; i < n; i++) {
        double sum = -b[i], scale = fabs(b[i]);
        for (size_t j = 0; j < n; j++) {
            sum += a[j * stride + i] * x[j];
            scale += fabs(a[j * stride + i] * x[j]);
        }
        if (!(fabs(sum) < 1e-13 * (double)n * scale))
            fail_msg("n = %zu: residual %g of %g", n, sum, scale);
    }
    free(a), free(lu), free(b), free(x), free(pivots);
}

static void test_residuals(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 40; n++) {
        check_random(n, 1);
        check_random(n, 0.2);
    }
    check_random(300, 1);
    check_random(300, 0.05);
}

static void test_pivots(void **state)
{
    (void)state;
    // Columns; without pivoting these lose everything.
    double turn[12] = {0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0}, pivots[3], x[3] = {1, 2, 3};
    assert_true(tac__lu_factor(3, 4, turn, pivots));
    tac__lu_solve(3, 4, turn, pivots, x);
    assert_true(x[0] == 3 && x[1] == 1 && x[2] == 2);

    double tiny[4] = {1e-20, 1, 1, 1}, y[2] = {1, 2};
    assert_true(tac__lu_factor(2, 2, tiny, pivots));
    tac__lu_solve(2, 2, tiny, pivots, y);
    assert_true(fabs(y[0] - 1) < 1e-15 && fabs(y[1] - 1) < 1e-15);

    double same[4] = {1, -1, 0, 1};
    assert_true(tac__lu_factor(2, 2, same, pivots));
    assert_true(pivots[0] == 0); // of equals the first
}

static void test_singular(void **state)
{
    (void)state;
    double pivots[2], zero[4] = {0}, line[4] = {1, 2, 2, 4}, nan[4] = {(double)NAN, 1, 1, 1};
    assert_false(tac__lu_factor(2, 2, zero, pivots));
    assert_false(tac__lu_factor(2, 2, line, pivots));
    assert_false(tac__lu_factor(2, 2, nan, pivots));
}

TEST_MAIN(cmocka_unit_test(test_residuals), cmocka_unit_test(test_pivots),
          cmocka_unit_test(test_singular))
