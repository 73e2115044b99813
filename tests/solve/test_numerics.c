// Eigenvalues, singular values, ranks and Newton's method: against closed forms and properties.
#include "solve/eigen.h"
#include "solve/newton.h"
#include "solve/rank.h"
#include "solve/svd.h"
#include "base/random.h"
#include "support/test.h"

#include <math.h>
#include <string.h>

static tac__arena arena;

static double uniform(uint64_t i)
{
    const tac__stream stream = tac__stream_make(7, "solve");
    uint32_t words[4];
    tac__stream_words(&stream, i, words);
    return 2 * tac__uniform_of(words) - 1;
}

// --- eigenvalues --------------------------------------------------------------------------------

// The companion matrix of a polynomial has its roots as eigenvalues.
static void test_eigen_companion(void **state)
{
    (void)state;
    // (x - 1)(x + 2)(x^2 + 2 x + 5)(x - 3): x^5 - 0 ... by multiplication
    const double roots[5][2] = {{3, 0}, {1, 0}, {-1, 2}, {-1, -2}, {-2, 0}};
    double poly[6] = {1, 0, 0, 0, 0, 0}; // highest power first
    const double factors[3] = {1, -2, 3};
    size_t degree = 0;
    for (size_t k = 0; k < 3; k++, degree++) {
        for (size_t i = degree + 1; i > 0; i--)
            poly[i] -= factors[k] * poly[i - 1];
    }
    double all[6] = {0};
    for (size_t i = 0; i <= degree; i++) {
        all[i] += poly[i];
        all[i + 1] += 2 * poly[i];
        all[i + 2] += 5 * poly[i];
    }
    double a[25] = {0}, real[5], imaginary[5];
    for (size_t j = 0; j < 5; j++) {
        a[j * 5] = -all[j + 1];
        if (j < 4)
            a[j * 5 + j + 1] = 1;
    }
    assert_true(tac__eigenvalues(5, a, real, imaginary));
    for (size_t i = 0; i < 5; i++) {
        assert_true(fabs(real[i] - roots[i][0]) < 1e-12);
        assert_true(fabs(imaginary[i] - roots[i][1]) < 1e-12);
    }
}

// Of a random matrix: the sum of the eigenvalues is the trace, that of their squares the trace of
// the square; also where states have very different units.
static void check_traces(size_t n, uint64_t seed, double spread)
{
    double a[400], b[400], real[20], imaginary[20], trace = 0, square = 0;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++)
            a[j * n + i] = uniform(seed * 1000 + j * n + i) * pow(spread, (double)i - (double)j);
    }
    for (size_t i = 0; i < n; i++) {
        trace += a[i * n + i];
        for (size_t k = 0; k < n; k++)
            square += a[k * n + i] * a[i * n + k];
    }
    memcpy(b, a, sizeof b);
    assert_true(tac__eigenvalues(n, b, real, imaginary));
    double sum = 0, squares = 0, imaginaries = 0;
    for (size_t i = 0; i < n; i++) {
        sum += real[i];
        imaginaries += imaginary[i];
        squares += real[i] * real[i] - imaginary[i] * imaginary[i];
        assert_true(i == 0 || real[i] <= real[i - 1]);
    }
    assert_true(fabs(sum - trace) < 1e-12 * (double)n);
    assert_true(fabs(squares - square) < 1e-11 * (double)n);
    assert_true(fabs(imaginaries) < 1e-13);
}

static void test_eigen_traces(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 20; n++) {
        check_traces(n, n, 1);
        check_traces(n, 100 + n, 4);
    }
}

static void test_eigen_hard(void **state)
{
    (void)state;
    // A cyclic permutation: QR without exceptional shifts never gets anywhere.
    double cycle[16] = {0}, real[4], imaginary[4];
    for (size_t j = 0; j < 4; j++)
        cycle[j * 4 + (j + 1) % 4] = 1;
    assert_true(tac__eigenvalues(4, cycle, real, imaginary));
    assert_true(fabs(real[0] - 1) < 1e-14 && fabs(real[3] + 1) < 1e-14);
    assert_true(fabs(imaginary[1] - 1) < 1e-14 && fabs(imaginary[2] + 1) < 1e-14);
    double zero[9] = {0}, bad[4] = {1, 2, (double)NAN, 3};
    assert_true(tac__eigenvalues(3, zero, real, imaginary));
    assert_true(real[0] == 0 && real[1] == 0 && real[2] == 0);
    assert_false(tac__eigenvalues(2, bad, real, imaginary));
    assert_true(tac__eigenvalues(0, bad, real, imaginary));
}

// --- singular values, ranks ---------------------------------------------------------------------

static void test_svd(void **state)
{
    (void)state;
    enum { ROWS = 9, COLUMNS = 6 };
    double a[ROWS * COLUMNS], u[ROWS * COLUMNS], v[COLUMNS * COLUMNS], s[COLUMNS];
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        a[i] = uniform(i) * (i / ROWS == 2 ? 1e-6 : 1);
    memcpy(u, a, sizeof u);
    tac__svd(ROWS, COLUMNS, u, v, s);
    for (size_t j = 0; j < COLUMNS; j++) { // U S V' is a; columns of V and of U S are orthogonal
        for (size_t i = 0; i < ROWS; i++) {
            double sum = 0;
            for (size_t k = 0; k < COLUMNS; k++)
                sum += u[k * ROWS + i] * v[k * COLUMNS + j];
            assert_true(fabs(sum - a[j * ROWS + i]) < 1e-14);
        }
        for (size_t k = 0; k < COLUMNS; k++) {
            double vv = 0, uu = 0;
            for (size_t i = 0; i < COLUMNS; i++)
                vv += v[j * COLUMNS + i] * v[k * COLUMNS + i];
            for (size_t i = 0; i < ROWS; i++)
                uu += u[j * ROWS + i] * u[k * ROWS + i];
            assert_true(fabs(vv - (j == k)) < 1e-14);
            assert_true(fabs(uu - (j == k ? s[j] * s[j] : 0)) < 1e-14);
        }
    }
}

static void transpose(size_t rows, size_t columns, const double *a, double *t)
{
    for (size_t j = 0; j < columns; j++) {
        for (size_t i = 0; i < rows; i++)
            t[i * columns + j] = a[j * rows + i];
    }
}

// Chains of integrators with very different units; one is not reached by the input.
static void test_ranks(void **state)
{
    (void)state;
    enum { N = 6 };
    // x1' = 1e3 x2, x2' = 1e-6 x3, x3' = u; x4' = x5, x5' = -x4 - x5: on its own; x6' = x1 - 2 x6
    double a[N * N] = {0}, b[N] = {0}, c[N] = {0}, t[N * N];
    a[1 * N + 0] = 1e3;
    a[2 * N + 1] = 1e-6;
    a[4 * N + 3] = 1;
    a[3 * N + 4] = -1;
    a[4 * N + 4] = -1;
    a[0 * N + 5] = 1;
    a[5 * N + 5] = -2;
    b[2] = 5e4;
    c[5] = 1e-3;
    size_t rank;
    assert_int_equal(tac__controllable(&arena, N, 1, a, b, &rank), TAC_OK);
    assert_int_equal(rank, 4);
    transpose(N, N, a, t);
    assert_int_equal(tac__controllable(&arena, N, 1, t, c, &rank), TAC_OK);
    assert_int_equal(rank, 4); // x1, x2, x3 and x6
    c[3] = 1e-3;
    assert_int_equal(tac__controllable(&arena, N, 1, t, c, &rank), TAC_OK);
    assert_int_equal(rank, 6);
    memset(b, 0, sizeof b);
    assert_int_equal(tac__controllable(&arena, N, 1, a, b, &rank), TAC_OK);
    assert_int_equal(rank, 0);
}

// --- Newton -------------------------------------------------------------------------------------

static const int32_t all_rows[] = {0, 1, 0, 1}, all_columns[] = {0, 0, 1, 1};

// Rosenbrock's valley as two equations: far from linear.
static tac_status valley(void *context, const double *x, double *y)
{
    (void)context;
    y[0] = 10 * (x[1] - x[0] * x[0]);
    y[1] = 1 - x[0];
    return TAC_OK;
}

static tac_status valley_jacobian(void *context, const double *x, double *values)
{
    (void)context;
    memcpy(values, (double[]){-20 * x[0], -1, 10, 0}, 4 * sizeof *values);
    return TAC_OK;
}

// atan far out: full steps diverge. The second equation has no value at all below -2.
static tac_status steep(void *context, const double *x, double *y)
{
    (void)context;
    y[0] = atan(x[0]);
    y[1] = sqrt(x[1] + 2) - 1;
    return x[1] < -2 ? TAC_E_NUMERIC : TAC_OK;
}

static tac_status steep_jacobian(void *context, const double *x, double *values)
{
    (void)context;
    memcpy(values, (double[]){1 / (1 + x[0] * x[0]), 0, 0, 0.5 / sqrt(x[1] + 2)},
           4 * sizeof *values);
    return TAC_OK;
}

static const tac__solve_function functions[] = {
    {2, 2, NULL, valley, {all_rows, all_columns, 4}, valley_jacobian, {0}, NULL},
    {2, 2, NULL, steep, {all_rows, all_columns, 4}, steep_jacobian, {0}, NULL},
};

static tac__newton_result solve(const tac__solve_function *f, const double *low, const double *high,
                                double *x, double *y)
{
    const tac__newton_def def = {
        .function = f, .lower = low, .upper = high, .tolerance = 1e-12, .iterations = 100};
    tac__newton_result r;
    assert_int_equal(tac__newton(&def, &arena, x, y, &r), TAC_OK);
    return r;
}

static void test_newton(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1}, y[2];
    tac__newton_result r = solve(&functions[0], NULL, NULL, x, y);
    assert_int_equal(r.end, TAC__NEWTON_SOLVED);
    assert_true(fabs(x[0] - 1) < 1e-14 && fabs(x[1] - 1) < 1e-14);
    double far[2] = {20, 30};
    r = solve(&functions[1], NULL, NULL, far, y);
    assert_int_equal(r.end, TAC__NEWTON_SOLVED);
    assert_true(fabs(far[0]) < 1e-12 && fabs(far[1] + 1) < 1e-12);
    assert_int_equal(r.rank, 2);
}

// Bounds that the solution is beyond: the result is the nearest there is, and y says what is left.
static void test_newton_bounds(void **state)
{
    (void)state;
    const double low[2] = {-3, -3}, high[2] = {0.5, 3};
    double x[2] = {-1.2, 1}, y[2];
    const tac__newton_result r = solve(&functions[0], low, high, x, y);
    assert_int_equal(r.end, TAC__NEWTON_STUCK);
    assert_true(x[0] == 0.5 && fabs(x[1] - 0.25) < 1e-9);
    assert_true(fabs(y[1] - 0.5) < 1e-9 && fabs(y[0]) < 1e-8);
    assert_true(fabs(r.residual - 0.5) < 1e-9);
}

static tac_status circle(void *context, const double *x, double *y)
{
    (void)context;
    y[0] = x[0] * x[0] + x[1] * x[1] - 4;
    return TAC_OK;
}

static tac_status circle_jacobian(void *context, const double *x, double *values)
{
    (void)context;
    values[0] = 2 * x[0];
    values[1] = 2 * x[1];
    return TAC_OK;
}

static tac_status lifted(void *context, const double *x, double *y) // has no root
{
    (void)context;
    y[0] = x[0] * x[0] + 1;
    return TAC_OK;
}

static tac_status lifted_jacobian(void *context, const double *x, double *values)
{
    (void)context;
    values[0] = 2 * x[0];
    return TAC_OK;
}

static void test_newton_shapes(void **state)
{
    (void)state;
    static const int32_t zeros[] = {0, 0}, columns[] = {0, 1};
    const tac__solve_function ring = {2,   1,   NULL, circle, {zeros, columns, 2}, circle_jacobian,
                                      {0}, NULL};
    double x[2] = {3, 4}, y[1]; // fewer equations than unknowns: straight to the circle
    tac__newton_result r = solve(&ring, NULL, NULL, x, y);
    assert_int_equal(r.end, TAC__NEWTON_SOLVED);
    assert_true(fabs(x[0] - 1.2) < 1e-12 && fabs(x[1] - 1.6) < 1e-12);
    assert_int_equal(r.rank, 1);
    const tac__solve_function none = {1,   1,   NULL, lifted, {zeros, columns, 1}, lifted_jacobian,
                                      {0}, NULL};
    double z[1] = {2};
    r = solve(&none, NULL, NULL, z, y);
    assert_int_equal(r.end, TAC__NEWTON_STUCK);
    assert_true(fabs(z[0]) < 1e-3 && fabs(y[0] - 1) < 1e-6);
}

static int begin(void **state)
{
    (void)state;
    tac__arena_init(&arena, tac_allocator_default());
    return 0;
}

static int end(void **state)
{
    (void)state;
    tac__arena_fini(&arena);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

TEST_MAIN(TEST(test_eigen_companion), TEST(test_eigen_traces), TEST(test_eigen_hard),
          TEST(test_svd), TEST(test_ranks), TEST(test_newton), TEST(test_newton_bounds),
          TEST(test_newton_shapes))
