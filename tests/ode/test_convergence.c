// Measured orders, on a nonlinear problem with a closed form that depends on time as well.
#include "solve.h"

static double error_of(const char *method, int steps)
{
    solver s;
    double y[5], exact[5];
    solver_open(&s, method, 5, mixed);
    mixed_exact(0, y);
    solve_fixed(&s, 0, 1.0, steps, y);
    mixed_exact(1.0, exact);
    solver_close(&s);
    return distance(5, y, exact);
}

static void test_order(void **state)
{
    (void)state;
    const int steps[ALL_METHODS] = {2000, 60, 120, 20, 4, 60};
    for (int i = 0; i < ALL_METHODS; i++)
        check_slope(all_methods[i], error_of(all_methods[i], steps[i]),
                    error_of(all_methods[i], 2 * steps[i]),
                    tac__method_find(all_methods[i])->order);
}

// The same with a Jacobian given by the problem: finite differences cost rodas4 no order.
static void mixed_slope(double t, const double *y, double *j)
{
    memset(j, 0, 25 * sizeof *j);
    j[0] = 2 * t * y[0];
    j[5 + 1] = -1.5 * y[1] * y[1];
    j[10 + 2] = cos(t);
    j[15 + 0] = 2 * t * y[0] * y[1] - 0.5 * y[1] * y[1] * y[1];
    j[15 + 1] = t * (1 + y[0] * y[0]) - 1.5 * y[0] * y[1] * y[1];
    j[20 + 1] = -1.5 * y[1] * y[1] * y[2] + y[2] * cos(t);
    j[20 + 2] = -0.5 * y[1] * y[1] * y[1] + y[1] * cos(t);
}

static double error_with_slope(int steps)
{
    solver s;
    double y[5], exact[5];
    solver_open(&s, "rodas4", 5, mixed);
    s.slope = mixed_slope;
    s.problem.jacobian = solver_jacobian;
    mixed_exact(0, y);
    solve_fixed(&s, 0, 1.0, steps, y);
    mixed_exact(1.0, exact);
    assert_int_equal(s.slopes, steps);
    assert_int_equal(s.evaluations, 7 * steps); // the last is for df/dt
    solver_close(&s);
    return distance(5, y, exact);
}

static void test_given_jacobian(void **state)
{
    (void)state;
    check_slope("rodas4 with a Jacobian", error_with_slope(60), error_with_slope(120), 4);
    const double given = error_with_slope(60), differences = error_of("rodas4", 60);
    assert_true(fabs(given / differences - 1) < 1e-2);
}

TEST_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_given_jacobian))
