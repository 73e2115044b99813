// Dense output: measured orders, and its ends.
#include "solve.h"

// The worst error inside one step of length h from an exact state.
static double dense_error(const char *method, double h)
{
    solver s;
    double y[5], y1[5], inside[5], exact[5], worst = 0;
    const double t0 = 0.5;
    solver_open(&s, method, 5, mixed);
    mixed_exact(t0, y);
    assert_int_equal(solver_step(&s, t0, t0 + h, y, y1), TAC_OK);
    assert_int_equal(tac__ode_dense_begin(s.method, &s.problem, &s.work, t0, t0 + h, h, y, y1),
                     TAC_OK);
    for (double theta = 0.0625; theta < 1; theta += 0.0625) {
        tac__ode_dense_at(s.method, &s.work, y, y1, theta, inside);
        mixed_exact(t0 + theta * h, exact);
        worst = fmax(worst, distance(5, inside, exact));
    }
    solver_close(&s);
    return worst;
}

// An interpolant of order p errs by h^(p + 1) in one step.
static void test_dense_order(void **state)
{
    (void)state;
    const int order[ALL_METHODS] = {1, 3, 3, 4, 7, 3};
    const double h[ALL_METHODS] = {1e-3, 0.05, 0.05, 0.05, 0.2, 0.02};
    for (int i = 0; i < ALL_METHODS; i++)
        check_slope(all_methods[i], dense_error(all_methods[i], h[i]),
                    dense_error(all_methods[i], h[i] / 2), order[i] + 1);
}

static void test_dense_ends(void **state)
{
    (void)state;
    ring_size = 7;
    for (int m = 0; m < ALL_METHODS; m++) {
        solver s;
        double y[STATES_MAX], y1[STATES_MAX], at[STATES_MAX];
        solver_open(&s, all_methods[m], 7, ring);
        ring_start(y);
        assert_int_equal(solver_step(&s, 0, 0.1, y, y1), TAC_OK);
        assert_int_equal(tac__ode_dense_begin(s.method, &s.problem, &s.work, 0, 0.1, 0.1, y, y1),
                         TAC_OK);
        tac__ode_dense_at(s.method, &s.work, y, y1, 0, at);
        for (int i = 0; i < 7; i++)
            assert_true(at[i] == y[i]);
        tac__ode_dense_at(s.method, &s.work, y, y1, 1, at);
        for (int i = 0; i < 7; i++)
            assert_true(at[i] == y1[i]);
        // No jump in the middle, where the end that is counted from changes.
        double before[STATES_MAX];
        tac__ode_dense_at(s.method, &s.work, y, y1, 0.5 - 0x1p-54, before);
        tac__ode_dense_at(s.method, &s.work, y, y1, 0.5, at);
        assert_true(distance(7, at, before) < 1e-15 * distance(7, y, y1) + 4e-15);
        solver_close(&s);
    }
}

TEST_MAIN(cmocka_unit_test(test_dense_order), cmocka_unit_test(test_dense_ends))
