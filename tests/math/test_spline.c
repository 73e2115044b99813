// Cubic splines: at, between and outside their breakpoints, against another way to compute them,
// and how fast they converge.
#include "support/test.h"

#define TAC_KIND_F64
#include "inputs.h"
#include "math/spline.h"
#include "math/table.h"

enum { POINTS = 24, TRIALS = 400 };

// A table with breakpoints up to 30 times as far apart as others.
typedef struct curve {
    int n;
    double x[POINTS], y[POINTS], bend[2 * POINTS];
} curve;

static table1 table_of(const curve *c, table_ends ends)
{
    return (table1){c->n, c->x, c->y, ends, c->bend};
}

static double at(const curve *c, table_ends ends, double x)
{
    const table1 t = table_of(c, ends);
    return table1_at(&t, x);
}

static curve draw(uint64_t *seed)
{
    curve c = {.n = 3 + (int)(input_bits(seed) % (POINTS - 2))};
    double x = input_uniform(seed, -5, 5);
    for (int i = 0; i < c.n; i++) {
        c.x[i] = x;
        c.y[i] = input_uniform(seed, -3, 3);
        x += input_uniform(seed, 0.1, 3);
    }
    assert_true(tac__spline_bend(c.n, c.x, c.y, c.bend));
    return c;
}

static void check_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance))
        fail_msg("%.17g instead of %.17g", got, expected);
}

// --- another way: all coefficients of all cubics from one dense system --------------------------

enum { UNKNOWNS = 4 * (POINTS - 1) };

typedef struct dense {
    long double rows[UNKNOWNS][UNKNOWNS + 1];
} dense;

// Adds factor * (derivative `order` of cubic `i` at s from its left end) to equation `row`.
static void add_derivative(dense *d, int row, int i, int order, long double s, long double factor)
{
    for (int k = order; k < 4; k++) {
        long double term = factor;
        for (int j = 0; j < order; j++)
            term *= k - j;
        for (int j = 0; j < k - order; j++)
            term *= s;
        d->rows[row][4 * i + k] += term;
    }
}

static void solve(dense *d, int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c + 1; r < n; r++)
            pivot = fabsl(d->rows[r][c]) > fabsl(d->rows[pivot][c]) ? r : pivot;
        assert_true(d->rows[pivot][c] != 0);
        for (int k = 0; k <= n; k++) {
            const long double swap = d->rows[c][k];
            d->rows[c][k] = d->rows[pivot][k];
            d->rows[pivot][k] = swap;
        }
        for (int r = 0; r < n; r++) {
            const long double factor = d->rows[r][c] / d->rows[c][c];
            for (int k = c; r != c && k <= n; k++)
                d->rows[r][k] -= factor * d->rows[c][k];
        }
    }
    for (int r = 0; r < n; r++)
        d->rows[r][n] /= d->rows[r][r];
}

// Entries at both ends of each cubic, first and second derivative across each inner breakpoint, the
// third one across the second and the last but one. With the solution in column `4 (n - 1)`.
static void solve_dense(const curve *c, dense *d)
{
    const int cubics = c->n - 1, unknowns = 4 * cubics;
    memset(d, 0, sizeof *d);
    int row = 0;
    for (int i = 0; i < cubics; i++) {
        const long double h = (long double)c->x[i + 1] - (long double)c->x[i];
        add_derivative(d, row, i, 0, 0, 1);
        d->rows[row++][unknowns] = (long double)c->y[i];
        add_derivative(d, row, i, 0, h, 1);
        d->rows[row++][unknowns] = (long double)c->y[i + 1];
        for (int order = 1; order <= 3 && i + 1 < cubics; order++) {
            if (order == 3 && i != 0 && i != cubics - 2)
                continue;
            add_derivative(d, row, i, order, h, 1);
            add_derivative(d, row++, i + 1, order, 0, -1);
        }
    }
    assert_int_equal(row, unknowns);
    solve(d, unknowns);
}

static void test_against_a_dense_solution(void **state)
{
    (void)state;
    static dense d;
    uint64_t seed = 1;
    double worst = 0;
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        curve c = draw(&seed);
        if (c.n < 4)
            continue;
        solve_dense(&c, &d);
        const int unknowns = 4 * (c.n - 1);
        for (int i = 0; i < c.n - 1; i++) {
            long double k[4];
            for (int j = 0; j < 4; j++)
                k[j] = d.rows[4 * i + j][unknowns];
            for (int j = 0; j < 20; j++) {
                const double x = input_uniform(&seed, c.x[i], c.x[i + 1]);
                const long double s = (long double)x - (long double)c.x[i];
                const double expected = (double)(k[0] + s * (k[1] + s * (k[2] + s * k[3])));
                const double apart = fabs(at(&c, TABLE_CLAMP, x) - expected);
                worst = apart > worst ? apart : worst;
            }
        }
    }
    print_message("at most %.2g from the dense solution\n", worst);
    assert_true(worst < 1e-11);
}

// --- what it passes through ---------------------------------------------------------------------

static void test_entries_are_exact(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (int trial = 0; trial < TRIALS; trial++) {
        const curve c = draw(&seed);
        for (int i = 0; i < c.n; i++) {
            assert_true(at(&c, TABLE_CLAMP, c.x[i]) == c.y[i]);
            assert_true(at(&c, TABLE_EXTRAPOLATE, c.x[i]) == c.y[i]);
        }
    }
}

static double cubic(const double k[4], double x)
{
    return k[0] + x * (k[1] + x * (k[2] + x * k[3]));
}

// Four points or more are on one cubic, three on one parabola.
static void test_cubics_are_reproduced(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int trial = 0; trial < TRIALS; trial++) {
        curve c = draw(&seed);
        double k[4];
        for (int i = 0; i < 4; i++)
            k[i] = input_uniform(&seed, -2, 2);
        if (c.n == 3)
            k[3] = 0;
        double size = 0;
        for (int i = 0; i < c.n; i++) {
            c.y[i] = cubic(k, c.x[i]);
            size = fabs(c.y[i]) > size ? fabs(c.y[i]) : size;
        }
        assert_true(tac__spline_bend(c.n, c.x, c.y, c.bend));
        for (int i = 0; i < 50; i++) {
            const double x = input_uniform(&seed, c.x[0], c.x[c.n - 1]);
            check_near(at(&c, TABLE_CLAMP, x), cubic(k, x), 1e-12 * (1 + size));
        }
    }
}

// The largest error for sin on [0.7, 5.7] with n points, whose distances vary by `stretch`.
static double sine_error(int n, double stretch, double x[], double y[], double bend[])
{
    for (int i = 0; i < n; i++) {
        const double s = 5.0 * i / (n - 1);
        x[i] = 0.7 + s + 0.5 * stretch * (sin(2 * s) - 0.2 * s * sin(10.0));
        y[i] = sin(x[i]);
    }
    assert_true(tac__spline_bend(n, x, y, bend));
    const table1 t = {n, x, y, TABLE_CLAMP, bend};
    double worst = 0;
    for (int i = 0; i <= 20000; i++) {
        const double s = x[0] + (x[n - 1] - x[0]) * i / 20000;
        const double apart = fabs(table1_at(&t, s) - sin(s));
        worst = apart > worst ? apart : worst;
    }
    return worst;
}

// Up to the ends: half the distance, a sixteenth of the error.
static void test_converges_with_fourth_order(void **state)
{
    (void)state;
    static double x[400], y[400], bend[800];
    for (int stretched = 0; stretched < 2; stretched++) {
        const double stretch = stretched ? 0.6 : 0;
        double last = sine_error(23, stretch, x, y, bend);
        for (int n = 45; n <= 353; n = 2 * n - 1) {
            const double now = sine_error(n, stretch, x, y, bend);
            print_message("%d points: %.3g, %.1f times less\n", n, now, last / now);
            assert_true(last / now > 14 && last / now < 22);
            last = now;
        }
        assert_true(last < 1e-8);
    }
}

// --- outside ------------------------------------------------------------------------------------

static void test_outside(void **state)
{
    (void)state;
    static dense d;
    uint64_t seed = 4;
    for (int trial = 0; trial < TRIALS / 4; trial++) {
        const curve c = draw(&seed);
        const int n = c.n, unknowns = 4 * (n - 1);
        const double far = input_uniform(&seed, 0, 20), first = c.x[0], end = c.x[n - 1];
        assert_true(at(&c, TABLE_CLAMP, first - far) == c.y[0]);
        assert_true(at(&c, TABLE_CLAMP, end + far) == c.y[n - 1]);
        assert_true(at(&c, TABLE_CLAMP, -INF) == c.y[0] && at(&c, TABLE_CLAMP, INF) == c.y[n - 1]);
        const double x = input_uniform(&seed, first, end);
        assert_true(at(&c, TABLE_CLAMP, x) == at(&c, TABLE_EXTRAPOLATE, x));
        if (n < 4)
            continue;
        solve_dense(&c, &d);
        const long double *k[4];
        for (int j = 0; j < 4; j++)
            k[j] = &d.rows[unknowns - 4 + j][unknowns];
        const long double h = (long double)end - (long double)c.x[n - 2];
        const double slope = (double)(*k[1] + h * (2 * *k[2] + h * 3 * *k[3]));
        check_near(at(&c, TABLE_EXTRAPOLATE, first - far),
                   c.y[0] - far * (double)d.rows[1][unknowns], 1e-11 * (1 + far));
        check_near(at(&c, TABLE_EXTRAPOLATE, end + far), c.y[n - 1] + far * slope,
                   1e-11 * (1 + far));
    }
}

static void test_nan_is_not_hidden(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const curve c = draw(&seed);
    assert_true(isnan(at(&c, TABLE_CLAMP, QNAN)));
    assert_true(isnan(at(&c, TABLE_EXTRAPOLATE, QNAN)));
}

// --- what is found when a table is read ---------------------------------------------------------

static void test_least_value(void **state)
{
    (void)state;
    uint64_t seed = 6;
    int between = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        const curve c = draw(&seed);
        double place, entries = c.y[0], sampled = c.y[0];
        const double least = tac__spline_least(c.n, c.x, c.y, c.bend, &place);
        assert_true(at(&c, TABLE_CLAMP, place) == least);
        for (int i = 0; i < c.n; i++)
            entries = c.y[i] < entries ? c.y[i] : entries;
        for (int i = 0; i <= 5000; i++) {
            const double y =
                at(&c, TABLE_CLAMP, c.x[0] + (c.x[c.n - 1] - c.x[0]) * (double)i / 5000);
            sampled = y < sampled ? y : sampled;
        }
        assert_true(least <= entries && least <= sampled + 1e-12);
        check_near(least, sampled, 1e-3);
        between += least < entries;
    }
    assert_true(between > TRIALS / 2); // else this would say nothing
    const double x[4] = {0, 1, 2, 3}, flat[4] = {2, 2, 2, 2}, line[4] = {1, 2, 3, 4};
    double bend[8], place;
    assert_true(tac__spline_bend(4, x, flat, bend));
    assert_true(tac__spline_least(4, x, flat, bend, &place) == 2);
    assert_true(tac__spline_bend(4, x, line, bend));
    assert_true(tac__spline_least(4, x, line, bend, &place) == 1 && place == 0);
}

static void test_overflow_is_told(void **state)
{
    (void)state;
    const double x[4] = {0, 1, 2, 3}, y[4] = {1e308, -1e308, 1e308, -1e308};
    double bend[8];
    assert_false(tac__spline_bend(4, x, y, bend));
    assert_false(tac__spline_bend(3, x, y, bend));
}

TEST_MAIN(cmocka_unit_test(test_against_a_dense_solution), cmocka_unit_test(test_entries_are_exact),
          cmocka_unit_test(test_cubics_are_reproduced),
          cmocka_unit_test(test_converges_with_fourth_order), cmocka_unit_test(test_outside),
          cmocka_unit_test(test_nan_is_not_hidden), cmocka_unit_test(test_least_value),
          cmocka_unit_test(test_overflow_is_told))
