// Stiff problems: rodas4 goes with the solution, where an explicit method has to creep.
#include "solve.h"

// Van der Pol's oscillator, mu = 1000: time constants of a millisecond while the solution takes
// minutes.
static void van_der_pol(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = 1000 * (1 - y[0] * y[0]) * y[1] - y[0];
}

static void van_der_pol_slope(double t, const double *y, double *j)
{
    (void)t;
    j[0] = 0;
    j[1] = 1;
    j[2] = -2000 * y[0] * y[1] - 1;
    j[3] = 1000 * (1 - y[0] * y[0]);
}

static void test_van_der_pol(void **state)
{
    (void)state;
    solver implicit, explicit;
    double y[2] = {2, 0}, z[2] = {2, 0};
    solver_open(&implicit, "rodas4", 2, van_der_pol);
    solver_open(&explicit, "rk45", 2, van_der_pol);
    implicit.slope = van_der_pol_slope;
    implicit.problem.jacobian = solver_jacobian;
    solve_adaptive(&implicit, 100000000, 1e-6, y);
    solve_adaptive(&explicit, 100000000, 1e-6, z);
    print_message("rodas4 %d steps, rk45 %d, apart by %g\n", implicit.steps, explicit.steps,
                  distance(2, y, z));
    assert_true(implicit.steps * 300 < explicit.steps);
    assert_true(distance(2, y, z) < 1e-5);
    assert_int_equal(implicit.slopes, implicit.steps - implicit.rejected);
    solver_close(&implicit);
    solver_close(&explicit);
}

// Through more than a cycle with its two jumps, to the reference of the IVP test set (F. Mazzia, C.
// Magherini, Test set for initial value problem solvers, 2008), in our units of time.
static void test_van_der_pol_cycle(void **state)
{
    (void)state;
    solver s;
    double y[2] = {2, -0.66e-3};
    solver_open(&s, "rodas4", 2, van_der_pol);
    solve_adaptive(&s, 2000000000, 1e-8, y);
    print_message("%d steps, %d rejected: %.10g %.10g\n", s.steps, s.rejected, y[0], y[1]);
    assert_true(fabs(y[0] - 1.706167732170483) < 1e-5);
    assert_true(fabs(y[1] + 0.8928097010247975e-3) < 1e-7);
    assert_true(s.steps < 3000);
    solver_close(&s);
}

// Robertson's reaction: rates from 0.04 to 3e7.
static void robertson(double t, const double *y, double *dy)
{
    (void)t;
    const double slow = 0.04 * y[0], back = 1e4 * y[1] * y[2], fast = 3e7 * y[1] * y[1];
    dy[0] = -slow + back;
    dy[1] = slow - back - fast;
    dy[2] = fast;
}

static void test_robertson(void **state)
{
    (void)state;
    const tac__ode_group groups[] = {{0, 1, 1, false}, {1, 1, 1e-4, false}, {2, 1, 1, false}};
    // At 40 s, from dop853 with a tolerance of 1e-11.
    const double expected[3] = {0.7158270687, 9.1855347648e-06, 0.2841637457};
    solver s;
    double y[3] = {1, 0, 0};
    solver_open(&s, "rodas4", 3, robertson);
    s.problem.groups = groups;
    s.problem.group_count = 3;
    solve_adaptive(&s, 40000000, 1e-7, y);
    print_message("%d steps: %.10g %.10g %.10g\n", s.steps, y[0], y[1], y[2]);
    assert_true(fabs(y[0] - expected[0]) < 1e-6);
    assert_true(fabs(y[1] - expected[1]) < 1e-10);
    assert_true(fabs(y[2] - expected[2]) < 1e-6);
    assert_true(s.steps < 300);
    solver_close(&s);
}

// A fast lag behind a slow input, 1e6 to 1: one step over many time constants must not ring.
static void lag(double t, const double *y, double *dy)
{
    dy[0] = -1e6 * (y[0] - cos(t));
}

static void test_no_ringing(void **state)
{
    (void)state;
    solver s;
    double y[1] = {0};
    solver_open(&s, "rodas4", 1, lag);
    solve_fixed(&s, 0, 1, 10, y);
    print_message("%g\n", fabs(y[0] - cos(1.0)));
    assert_true(fabs(y[0] - cos(1.0)) < 1e-5);
    solver_close(&s);
}

TEST_MAIN(cmocka_unit_test(test_van_der_pol), cmocka_unit_test(test_van_der_pol_cycle),
          cmocka_unit_test(test_robertson), cmocka_unit_test(test_no_ringing))
