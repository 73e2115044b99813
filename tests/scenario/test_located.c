// Conditions of scenarios that are located: to the microsecond, against closed forms.
#include "scenario/scenario_rig.h"

// --- located --------------------------------------------------------------------------------

// The first microsecond after t.
static tac_time after_s(double t_s)
{
    return (tac_time)floor(t_s * 1e6) + 1;
}

// x = cos(10 t): below 0 first at pi / 20, then every pi / 5; below -0.9999 for 2.8 ms each time,
// often between two steps.
static void test_located(void **state)
{
    (void)state;
    const double pi = acos(-1);
    rig r;
    open_swings(&r, "- {when: swing.x < 0, locate: true, do: log, text: once}\n"
                    "- {when: swing.x < 0, do: log, text: step}\n"
                    "- {when: swing.low, locate: true, repeat: true, do: log, text: each}\n"
                    "- {when: swing.x < -0.9999, locate: true, repeat: true, do: log, text: tip}\n"
                    "- {when: swing.x < 0, locate: true, repeat: true, times: 2, after: 1234 us, "
                    "do: motor_off, motor: 1, for: 10 ms}\n"
                    "- {when: swing.x < 0.5, locate: true, do: log, text: half}\n"
                    "- {when: swing.x < -0.5, locate: true, repeat: true, after: 0.7 s, do: log, "
                    "text: late}\n");
    rig_run(&r, TAC_TIME_NEVER);
    size_t i = 0;
    for (int k = 0; k < 3; k++) {
        const tac_time zero_us = after_s(pi / 20 + k * pi / 5);
        if (k == 0)
            log_is(i++, after_s(pi / 30), "half (when swing.x < 0.5)");
        if (k == 0)
            log_is(i++, zero_us, "once (when swing.x < 0)");
        log_is(i++, zero_us, "each (when swing.low)");
        if (k < 2)
            log_is(i++, zero_us + 1234, "motor_off motor 1 (when swing.x < 0, 1.234 ms later)");
        if (k == 0)
            log_is(i++, 160000, "step (when swing.x < 0)");
        if (k < 2)
            log_is(i++, zero_us + 11234, "motor_off motor 1 ends (after 10 ms)");
        if (k == 1)
            log_is(i++, after_s(pi / 15) + 700000, "late (when swing.x < -0.5, 700 ms later)");
        log_is(i++, after_s(acos(-0.9999) / 10 + k * pi / 5), "tip (when swing.x < -0.9999)");
    }
    assert_int_equal(logged_count, i);
    // Steps; three times at 0 and at the tip, once at 0.5, twice at -0.5, as it waits the other
    // time; three delays and two ends.
    assert_int_equal(tac_engine_counters(r.engine).boundaries, 501 + 3 + 3 + 1 + 2 + 3 + 2);
    rig_close(&r);
}

// Up and down and up again between two steps: each time.
static void test_located_often(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(
        try_open(&r, "duration: 20 ms\n"
                     "plant: {integrator: {kind: dop853, rtol: 1e-10}}\n"
                     "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
                     "components:\n"
                     "  swing: {type: swing, params: {w: 5000}}\n"
                     "  scenario: {type: scenario}\n"
                     "scenario:\n"
                     "- {when: swing.x > 0.5, locate: true, repeat: true, do: log, text: up}\n"),
        TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    // It is up at the first step, then once in each of the 16 turns that follow.
    log_is(0, 0, "up (when swing.x > 0.5)");
    assert_int_equal(logged_count, 17);
    for (int k = 1; k < 17; k++) {
        const double t_s = (2 * k - 1.0 / 3) * acos(-1) / 5000;
        assert_true(fabs((double)logged[k].t_us - t_s * 1e6) < 2);
    }
    rig_close(&r);
}

// Looks in steps go on: what is true at the first one happens there, and what others write counts
// where it is seen. body.high is false for the first tenth of a second, then true for another.
static void test_located_and_looked_at(void **state)
{
    (void)state;
    rig r;
    open_swings(&r, "- {when: swing.x > 0, locate: true, do: log, text: now}\n"
                    "- {when: swing.x < 0.9 AND body.high, locate: true, do: log, text: seen}\n"
                    "- {when: swing.x < 0.4 AND body.high, locate: true, do: log, text: found}\n"
                    "- {when: swing.x < 0 AND t > 157 ms, locate: true, do: log, text: timed}\n");
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 0, "now (when swing.x > 0)");
    log_is(1, 104000, "seen (when swing.x < 0.9 AND body.high)");
    log_is(2, after_s(acos(0.4) / 10), "found (when swing.x < 0.4 AND body.high)");
    log_is(3, after_s(acos(-1) / 20), "timed (when swing.x < 0 AND t > 157 ms)");
    assert_int_equal(logged_count, 4);
    rig_close(&r);
}

static void test_located_checkpoint(void **state)
{
    (void)state;
    static const char events[] =
        "- {when: swing.low, locate: true, repeat: true, do: gust, wind: [1, 2, 3], for: 7 ms}\n"
        "- {when: other.x < 0.5, locate: true, repeat: true, after: 3333 us, do: motor_off, "
        "motor: 1, for: 50 ms}\n";
    static const tac_time times[] = {0, 149000, 157079, 157080, 160000, 164080, 700000, 1999999};
    const char *path = path_of("state.checkpoint");
    rig r;
    open_swings(&r, events);
    rig_run(&r, TAC_TIME_NEVER);
    const uint64_t expected = tac_engine_hash(r.engine, NULL, NULL);
    const size_t entries = logged_count;
    assert_in_range(entries, 10, 20);
    rig_close(&r);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        open_swings(&r, events);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, times[i], path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == expected);
        rig_close(&r);
        open_swings(&r, events);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        if (tac_engine_hash(r.engine, NULL, NULL) != expected)
            fail_msg("other bits after a checkpoint at %llu us", (unsigned long long)times[i]);
        rig_close(&r);
    }
}

static void test_refused_located(void **state)
{
    (void)state;
    refused("{at: 1 s, locate: true, do: arm}", TAC_E_CONFIG, 0, "'locate' goes with 'when'");
    refused("{at_step: 1, locate: true, do: arm}", TAC_E_CONFIG, 0, "'locate' goes with 'when'");
    refused("{when: 'held(body.high, 1 s)', locate: true, do: arm}", TAC_E_CONFIG, 0,
            "cannot be located: it remembers");
    refused("{when: body.y > 1, locate: true, do: arm}", TAC_E_CONFIG, 10, "nothing to locate");
    refused("{when: t > 1, locate: true, do: arm}", TAC_E_CONFIG, 10, "nothing to locate");
    refused_file(swings("- {when: swing.x < 0 AND other.x < 0, locate: true, do: arm}\n"),
                 TAC_E_CONFIG, 10, 10, "'swing.x' and 'other.x' are integrated apart");
}

TEST_MAIN(cmocka_unit_test(test_located), cmocka_unit_test(test_located_often),
          cmocka_unit_test(test_located_and_looked_at), cmocka_unit_test(test_located_checkpoint),
          cmocka_unit_test(test_refused_located))
