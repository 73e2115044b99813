// The timing of events, on its own: an event and its slot, driven by instants.
#include "support/test.h"

#include "scenario/schedule.h"

enum { PERIOD = 4000 };

// Drive an event over the steps of a 250 Hz group and the instants it waits for between them, and
// list when it happens and ends. A condition holds from `from` to before `to`, and again 40 ms
// later, and so on.
typedef struct drive {
    tac__timing timing;
    tac_time from_us, to_us;
    tac_time fired[64], ended[64];
    size_t fired_count, ended_count;
} drive;

static bool holds_at(const drive *d, tac_time t_us)
{
    return d->to_us && t_us % 40000 >= d->from_us && t_us % 40000 < d->to_us;
}

static void run(drive *d, tac_time end_us)
{
    tac__slot slot;
    tac__schedule_start(&d->timing, &slot);
    uint64_t step = 0;
    for (tac_time t_us = 0; t_us <= end_us;) {
        const tac__instant now = {t_us, t_us % PERIOD == 0, step};
        if (tac__schedule_ends(&slot, &now))
            d->ended[d->ended_count++] = t_us;
        if (tac__schedule_fires(&d->timing, &slot, &now, holds_at(d, t_us)))
            d->fired[d->fired_count++] = t_us;
        step += now.stepping;
        const tac_time next_us = tac__schedule_next(&slot);
        assert_true(next_us > t_us);
        const tac_time step_us = t_us - t_us % PERIOD + PERIOD;
        t_us = next_us < step_us ? next_us : step_us;
    }
}

static void check(const tac_time *got, size_t count, const tac_time *expected, size_t n)
{
    assert_int_equal(count, n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(got[i], expected[i]);
}

#define FIRED(d, ...)                                                                              \
    check((d).fired, (d).fired_count, (const tac_time[]){__VA_ARGS__},                             \
          sizeof((const tac_time[]){__VA_ARGS__}) / sizeof(tac_time))
#define ENDED(d, ...)                                                                              \
    check((d).ended, (d).ended_count, (const tac_time[]){__VA_ARGS__},                             \
          sizeof((const tac_time[]){__VA_ARGS__}) / sizeof(tac_time))

static void test_times(void **state)
{
    (void)state;
    drive once = {.timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 12345}};
    run(&once, 100000);
    FIRED(once, 12345);
    drive first = {.timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 0}};
    run(&first, 100000);
    FIRED(first, 0);
    drive every = {.timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 7, .every_us = 30000}};
    run(&every, 100000);
    FIRED(every, 7, 30007, 60007, 90007);
    drive twice = {
        .timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 7, .every_us = 30000, .limit = 2}};
    run(&twice, 100000);
    FIRED(twice, 7, 30007);
}

static void test_steps(void **state)
{
    (void)state;
    drive first = {.timing = {.trigger = TAC__TRIGGER_STEP, .step = 0}};
    run(&first, 100000);
    FIRED(first, 0);
    drive later = {.timing = {.trigger = TAC__TRIGGER_STEP, .step = 9}};
    run(&later, 100000);
    FIRED(later, 36000);
}

static void test_conditions(void **state)
{
    (void)state;
    const tac__timing once = {.trigger = TAC__TRIGGER_CONDITION, .limit = 1};
    const tac__timing repeat = {.trigger = TAC__TRIGGER_CONDITION};
    drive a = {.timing = once, .from_us = 11000, .to_us = 30000};
    run(&a, 200000);
    FIRED(a, 12000); // the first step at which it holds
    drive b = {.timing = repeat, .from_us = 11000, .to_us = 30000};
    run(&b, 130000);
    FIRED(b, 12000, 52000, 92000);
    drive c = {.timing = repeat, .from_us = 0, .to_us = 40000};
    run(&c, 130000);
    FIRED(c, 0); // it never turns false
    drive d = {.timing = {.trigger = TAC__TRIGGER_CONDITION, .limit = 2},
               .from_us = 11000,
               .to_us = 30000};
    run(&d, 200000);
    FIRED(d, 12000, 52000);
    drive e = {.timing = repeat, .from_us = 13000, .to_us = 15000};
    run(&e, 200000);
    assert_int_equal(e.fired_count, 0); // between two steps: not seen
}

static void test_after(void **state)
{
    (void)state;
    drive a = {.timing = {.trigger = TAC__TRIGGER_CONDITION, .after_us = 1234, .limit = 1},
               .from_us = 11000,
               .to_us = 30000};
    run(&a, 200000);
    FIRED(a, 13234);
    // It turns true again while it waits: that is no second event.
    drive b = {.timing = {.trigger = TAC__TRIGGER_CONDITION, .after_us = 50001},
               .from_us = 11000,
               .to_us = 30000};
    run(&b, 200000);
    FIRED(b, 62001, 142001);
}

static void test_ends(void **state)
{
    (void)state;
    drive a = {.timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 100, .for_us = 5001}};
    run(&a, 100000);
    ENDED(a, 5101);
    drive b = {
        .timing = {.trigger = TAC__TRIGGER_TIME, .at_us = 0, .every_us = 20000, .for_us = 3000}};
    run(&b, 50000);
    ENDED(b, 3000, 23000, 43000);
    // Happening again puts off the end; ending and happening at one instant is both.
    drive c = {.timing = {.trigger = TAC__TRIGGER_TIME,
                          .at_us = 0,
                          .every_us = 20000,
                          .for_us = 30000,
                          .limit = 3}};
    run(&c, 100000);
    ENDED(c, 70000);
    drive d = {.timing = {.trigger = TAC__TRIGGER_TIME,
                          .at_us = 0,
                          .every_us = 20000,
                          .for_us = 20000,
                          .limit = 2}};
    run(&d, 100000);
    FIRED(d, 0, 20000);
    ENDED(d, 20000, 40000);
}

TEST_MAIN(cmocka_unit_test(test_times), cmocka_unit_test(test_steps),
          cmocka_unit_test(test_conditions), cmocka_unit_test(test_after),
          cmocka_unit_test(test_ends))
