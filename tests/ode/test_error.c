// The error of a step, the factor that follows from it, and what is not a number.
#include "solve.h"

// A right-hand side whose stages are given: then the estimate is known.
static double stages[7][7];

static tac_status given(void *context, double t_s, double *dy)
{
    solver *s = context;
    (void)t_s;
    memcpy(dy, stages[s->evaluations++], 7 * sizeof *dy);
    return TAC_OK;
}

static void test_error_norm(void **state)
{
    (void)state;
    const tac__ode_group groups[] = {{0, 2, 10, false}, {2, 4, 2, true}, {6, 1, 1, false}};
    const double y[7] = {3, 4, 1, 0, 0, 0, -2}, rtol = 1e-3, atol = 1e-5, h = 0.5;
    double y1[7];
    solver s;
    solver_open(&s, "rk23", 7, NULL);
    s.problem.rhs = given;
    s.problem.groups = groups;
    s.problem.group_count = 3;
    for (int worst = 0; worst < 3; worst++) {
        // Only the last stage differs from zero: y1 = y, and the error is -h/8 of it.
        const double k[7] = {8e-3, 0, 0, 16e-3, 0, 0, 1e-3};
        memset(stages, 0, sizeof stages);
        for (int i = 0; i < 7; i++)
            stages[3][i] = k[i] * (i >= (int)groups[worst].first &&
                                           i < (int)(groups[worst].first + groups[worst].count)
                                       ? 10
                                       : 1);
        s.evaluations = 0;
        assert_int_equal(solver_step(&s, 0, h, y, y1), TAC_OK);
        assert_memory_equal(y, y1, sizeof y);
        const double expected[3] = {h * 10e-3 / (10 * atol + rtol * 5),
                                    2 * h * 20e-3 / (2 * atol + rtol),
                                    h * 1.25e-3 / (atol + rtol * 2)};
        double largest = 0;
        for (int i = 0; i < 3; i++)
            largest = fmax(largest, expected[i] * (i == worst ? 1 : 0.1));
        const double error = tac__ode_error(s.method, &s.problem, &s.work, rtol, atol, h, y, y1);
        assert_true(fabs(error / largest - 1) < 1e-14);
    }
    solver_close(&s);
}

static void test_factor(void **state)
{
    (void)state;
    for (int m = 0; m < ADAPTIVE_METHODS; m++) {
        const tac__method *method = tac__method_find(adaptive_methods[m]);
        const double power = -1.0 / (method->error_order + 1);
        double last = 6;
        for (double error = 1e-20; error < 1e20; error *= 1.07) {
            const double expected = tac_clamp(0.9 * tac_pow(error, power), 0.2, 5);
            const double factor = tac__ode_factor(method, error);
            assert_true(fabs(factor / expected - 1) < 2e-4);
            assert_true(factor <= last);
            last = factor;
        }
        for (double error = 1e-20; error < 1e20; error *= 1.7) {
            for (double limit = 0.21; limit < 6; limit *= 1.003) {
                const double factor = tac__ode_factor(method, error);
                const bool below = tac__ode_factor_below(method, error, limit);
                assert_true(below ? factor < limit : factor >= 0.99 * limit || factor == 5);
            }
        }
        assert_false(tac__ode_factor_below(method, 0, 1));
        assert_true(tac__ode_factor(method, 0) == 5);
        assert_true(tac__ode_factor(method, 1) < 0.9002);
    }
}

static int poison_at;
static double poison;

static tac_status poisoned(void *context, double t_s, double *dy)
{
    solver *s = context;
    const tac_status status = solver_rhs(context, t_s, dy);
    if (s->evaluations - 1 == poison_at)
        dy[1] = poison;
    return status;
}

// A NaN or an infinity in any evaluation of any adaptive method is an infinite error. (rodas4: the
// three evaluations of its Jacobian and the one of df/dt come after the first.)
static void test_not_finite(void **state)
{
    (void)state;
    ring_size = 3;
    const double poisons[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int m = 0; m < ADAPTIVE_METHODS; m++) {
        const tac__method *method = tac__method_find(adaptive_methods[m]);
        const int calls = method->implicit ? 1 + 3 + 1 + 5 : method->stages;
        for (int i = 0; i < 3; i++) {
            poison = poisons[i];
            for (poison_at = 0; poison_at < calls; poison_at++) {
                solver s;
                double y[STATES_MAX], y1[STATES_MAX];
                solver_open(&s, adaptive_methods[m], 3, ring);
                s.problem.rhs = poisoned;
                ring_start(y);
                const tac_status status = solver_step(&s, 0, 0.1, y, y1);
                assert_true(status == TAC_OK || (method->implicit && status == TAC_E_NUMERIC));
                if (status == TAC_OK) {
                    assert_int_equal(s.evaluations, calls);
                    const double error =
                        tac__ode_error(method, &s.problem, &s.work, 1e-6, 1e-6, 0.1, y, y1);
                    assert_true(error == (double)INFINITY);
                }
                solver_close(&s);
            }
        }
        assert_true(tac__ode_factor(method, (double)INFINITY) == 0.2);
    }
}

TEST_MAIN(cmocka_unit_test(test_error_norm), cmocka_unit_test(test_factor),
          cmocka_unit_test(test_not_finite))
