// Histories and views on their own; what a whole engine makes of them is in engine/test_rates.c.
#include "support/test.h"

#include "bus/view.h"

#include <math.h>
#include <string.h>

enum { DEPTH_MAX = 16, WORDS = 4 };

typedef struct bench {
    uint64_t writes, values[DEPTH_MAX * WORDS];
    tac_time times[DEPTH_MAX];
    tac__history history;
    tac__view view;
    double target[4], present[4];
} bench;

static void begin(bench *b, tac_type type, tac_time delay_us, tac_time period_us)
{
    memset(b, 0, sizeof *b);
    b->history = (tac__history){.depth = tac__history_depth(delay_us, period_us),
                                .words = tac__type_words(&type),
                                .writes = &b->writes,
                                .times = b->times,
                                .values = b->values};
    assert_true(b->history.depth <= DEPTH_MAX);
    b->view = (tac__view){.type = type,
                          .count = type.count,
                          .signal = b->present,
                          .history = &b->history,
                          .period_us = period_us,
                          .delay_us = delay_us,
                          .target = b->target};
    const double start[4] = {-1, -2, -3, -4};
    tac__history_start(&b->history, start);
}

static void push(bench *b, tac_time t_us, double value)
{
    const double all[4] = {value, 2 * value, 3 * value, 4 * value};
    tac__history_push(&b->history, t_us, all);
}

static double see(bench *b, tac_time t_us)
{
    tac__view_update(&b->view, t_us);
    return b->target[0];
}

static void test_without_history_the_present_value(void **state)
{
    (void)state;
    bench b;
    begin(&b, (tac_type)TAC_TYPE_VEC3, 0, 1000);
    b.view.history = NULL;
    b.view.element = 1;
    b.view.count = 2;
    b.present[1] = 5;
    b.present[2] = 6;
    tac__view_update(&b.view, 77);
    assert_true(b.target[0] == 5 && b.target[1] == 6 && b.target[2] == 0);
    b.view.scaled = true;
    b.view.gain = 2;
    b.view.offset = 1;
    b.view.factor = (tac__factor){1, 10, false};
    tac__view_update(&b.view, 77);
    assert_true(b.target[0] == 2 * 0.5 + 1 && b.target[1] == 2 * 0.6 + 1);
}

static void test_start_value_until_the_first_write(void **state)
{
    (void)state;
    for (tac_policy policy = TAC_ZOH; policy <= TAC_EXTRAPOLATED; policy++) {
        bench b;
        begin(&b, (tac_type)TAC_TYPE_F64, 0, 1000);
        b.view.policy = policy;
        assert_true(see(&b, 0) == -1);
        assert_true(see(&b, 999) == -1);
        push(&b, 1000, 10); // one value: holds
        assert_true(see(&b, 1000) == 10);
        assert_true(see(&b, 1500) == 10);
        push(&b, 2000, 30); // two
        assert_true(see(&b, 2250) == (policy == TAC_ZOH            ? 30
                                      : policy == TAC_INTERPOLATED ? 15
                                                                   : 35));
        assert_true(see(&b, 2750) == (policy == TAC_ZOH            ? 30
                                      : policy == TAC_INTERPOLATED ? 25
                                                                   : 45));
    }
}

static void test_delayed_does_not_see_this_boundary(void **state)
{
    (void)state;
    bench b;
    begin(&b, (tac_type)TAC_TYPE_F64, 0, 1000);
    b.view.delayed = true;
    push(&b, 0, 1);
    assert_true(see(&b, 0) == -1);
    assert_true(see(&b, 1) == 1);
    push(&b, 1000, 2);
    assert_true(see(&b, 1000) == 1);
    assert_true(see(&b, 1001) == 2);
    b.view.policy = TAC_INTERPOLATED;
    push(&b, 2000, 4);
    assert_true(see(&b, 2000) == 2); // between 1 and 2, a whole period on
    assert_true(see(&b, 2500) == 3);
    b.view.policy = TAC_EXTRAPOLATED;
    assert_true(see(&b, 2000) == 3); // 2 + (2 - 1)
}

// Rings that have gone round many times, at the depth that is asked for.
static void test_delay_in_a_ring_that_went_round(void **state)
{
    (void)state;
    for (unsigned periods = 0; periods < 9; periods++) {
        for (tac_policy policy = TAC_ZOH; policy <= TAC_EXTRAPOLATED; policy++) {
            bench b;
            begin(&b, (tac_type)TAC_TYPE_VEC3, periods * 100, 100);
            b.view.policy = policy;
            for (tac_time t_us = 0; t_us < 10000; t_us += 10) {
                if (t_us % 100 == 0)
                    push(&b, t_us, (double)(t_us / 100 * (t_us / 100)));
                tac__view_update(&b.view, t_us);
                if (t_us < periods * 100) {
                    assert_true(b.target[0] == -1);
                    continue;
                }
                const tac_time seen_us = t_us - periods * 100;
                const double n = (double)(seen_us / 100), v = n * n, p = (n - 1) * (n - 1);
                const double c = (double)(seen_us % 100) / 100;
                const double value = policy == TAC_ZOH || seen_us < 100 ? v
                                     : policy == TAC_EXTRAPOLATED       ? v + c * (v - p)
                                     : c < 0.5                          ? p + c * (v - p)
                                                                        : v - (1 - c) * (v - p);
                assert_true(b.target[0] == value);
                assert_true(fabs(b.target[2] - 3 * value) < 1e-9);
            }
        }
    }
}

static void test_writers_without_period_hold(void **state)
{
    (void)state;
    bench b;
    begin(&b, (tac_type)TAC_TYPE_F64, 0, 0);
    b.view.policy = TAC_EXTRAPOLATED;
    push(&b, 10, 1);
    push(&b, 20, 2);
    assert_true(see(&b, 25) == 2);
}

static void test_quaternion_takes_the_shorter_arc(void **state)
{
    (void)state;
    bench b;
    begin(&b, (tac_type)TAC_TYPE_QUAT, 0, 1000);
    b.view.policy = TAC_INTERPOLATED;
    // From no turn to 60 deg about x, given with the other sign: half way are 30 deg, not 150.
    const double a[4] = {1, 0, 0, 0}, c[4] = {-cos(M_PI / 6), -sin(M_PI / 6), 0, 0};
    tac__history_push(&b.history, 0, a);
    tac__history_push(&b.history, 1000, c);
    tac__view_update(&b.view, 1500);
    assert_true(fabs(b.target[0] - cos(M_PI / 12)) < 1e-15);
    assert_true(fabs(b.target[1] - sin(M_PI / 12)) < 1e-15);
    tac__view_update(&b.view, 1000);
    assert_true(b.target[0] == 1 && b.target[1] == 0);
    b.view.element = 1; // of an element: the same, one number
    b.view.count = 1;
    tac__view_update(&b.view, 1500);
    assert_true(fabs(b.target[0] - sin(M_PI / 12)) < 1e-15);
}

TEST_MAIN(cmocka_unit_test(test_without_history_the_present_value),
          cmocka_unit_test(test_start_value_until_the_first_write),
          cmocka_unit_test(test_delayed_does_not_see_this_boundary),
          cmocka_unit_test(test_delay_in_a_ring_that_went_round),
          cmocka_unit_test(test_writers_without_period_hold),
          cmocka_unit_test(test_quaternion_takes_the_shorter_arc))
