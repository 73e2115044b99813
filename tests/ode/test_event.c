// The first whole microsecond at which something holds.
#include "solve.h"

#include "ode/event.h"

typedef struct watch {
    tac_time change_us, a_us, b_us;
    int asked;
} watch;

static bool changed(void *context, tac_time t_us)
{
    watch *w = context;
    assert_true(t_us > w->a_us && t_us < w->b_us);
    w->asked++;
    return t_us >= w->change_us;
}

static void check(tac_time a_us, tac_time change_us, tac_time b_us, int most)
{
    watch w = {change_us, a_us, b_us, 0};
    assert_int_equal(tac__first_true(a_us, b_us, changed, &w), change_us);
    assert_true(w.asked <= most);
}

static void test_every_microsecond(void **state)
{
    (void)state;
    for (tac_time length = 1; length <= 70; length++) {
        for (tac_time change = 1; change <= length; change++)
            check(1000, 1000 + change, 1000 + length, 7);
    }
    check(0, 3999, 4000, 12);
    check(0, 1, TAC_TIME_MAX, 62);
    check(TAC_TIME_MAX - 1, TAC_TIME_MAX, TAC_TIME_MAX, 0);
}

// On the dense output of a step: when a thrown stone comes down.
typedef struct throw
{
    solver s;
    double y[2], y1[2];
    double h_s;
}
throw;

static void stone(double t, const double *y, double *dy)
{
    (void)t;
    dy[0] = y[1];
    dy[1] = -10;
}

static double height(const throw *w, double t_s)
{
    double at[2];
    tac__ode_dense_at(w->s.method, &w->s.work, w->y, w->y1, t_s / w->h_s, at);
    return at[0];
}

static bool down(void *context, tac_time t_us)
{
    return height(context, tac_time_seconds(t_us)) < 0;
}

static void test_on_dense_output(void **state)
{
    (void)state;
    throw w = {.y = {1, 3}, .h_s = 1.5};
    solver_open(&w.s, "rk45", 2, stone);
    assert_int_equal(solver_step(&w.s, 0, w.h_s, w.y, w.y1), TAC_OK);
    assert_int_equal(
        tac__ode_dense_begin(w.s.method, &w.s.problem, &w.s.work, 0, w.h_s, w.h_s, w.y, w.y1),
        TAC_OK);
    const tac_time t_us = tac__first_true(0, 1500000, down, &w);
    assert_int_equal(t_us, (tac_time)(1e6 * (3 + sqrt(29)) / 10) + 1);
    assert_true(height(&w, tac_time_seconds(t_us)) < 0);
    assert_true(height(&w, tac_time_seconds(t_us - 1)) >= 0);
    solver_close(&w.s);
}

TEST_MAIN(cmocka_unit_test(test_every_microsecond), cmocka_unit_test(test_on_dense_output))
