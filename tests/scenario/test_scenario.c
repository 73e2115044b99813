// Scenarios in a running engine: what events do, exactly when, and in which order.
#include "scenario/scenario_rig.h"

// --- when -----------------------------------------------------------------------------------

static void test_exact_time(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1.234567 s, do: arm}\n");
    rig_run(&r, 1234566);
    assert_false(is_armed(&r));
    rig_run(&r, 1234567);
    assert_true(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(logged_count, 1);
    log_is(0, 1234567, "arm (at 1.234567 s)");
    assert_string_equal(logged[0].component, "scenario");
    rig_close(&r);

    run_all(&r, "- {at: 0 s, do: arm}\n- {at: 2 s, do: disarm}\n"); // both ends of the run
    assert_int_equal(logged_count, 2);
    log_is(0, 0, "arm (at 0 s)");
    log_is(1, 2000000, "disarm (at 2 s)");
    rig_close(&r);
}

static void test_step_number(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at_step: 0, do: arm}\n- {at_step: 3, do: disarm}\n");
    log_is(0, 0, "arm (at step 0)");
    log_is(1, 12000, "disarm (at step 3)");
    rig_close(&r);
    // With an offset; instants between steps are not counted.
    const char *offset = "duration: 1 s\n"
                         "scheduler: {rate_groups: [{name: g, rate_hz: 250, offset: 1 ms, "
                         "components: ['*']}]}\n"
                         "components: {scenario: {type: scenario}}\n"
                         "scenario:\n"
                         "- {at: 2500 us, do: log, text: between}\n"
                         "- {at_step: 0, do: arm}\n- {at_step: 3, do: disarm}\n";
    assert_int_equal(try_open(&r, offset), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 1000, "arm (at step 0)");
    log_is(1, 2500, "between (at 2.5 ms)");
    log_is(2, 13000, "disarm (at step 3)");
    rig_close(&r);
}

static void test_every(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 100001 us, every: 0.7 s, do: log, text: a}\n"
                "- {at: 0.2 s, every: 0.1 s, times: 3, do: log, text: b}\n");
    static const tac_time expected[] = {100001, 200000, 300000, 400000, 800001, 1500001};
    assert_int_equal(logged_count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(logged[i].t_us, expected[i]);
    log_is(4, 800001, "a (at 100.001 ms, every 700 ms)");
    rig_close(&r);
}

// The ramp is written in a later stage, so that it is seen one step late.
static void test_conditions(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: body.y >= 0.5, do: log, text: once}\n"
                "- {when: body.high, repeat: true, do: log, text: each}\n"
                "- {when: body.high, repeat: true, times: 2, do: log, text: twice}\n"
                "- {when: NOT body.high AND body.y > 110 cm, after: 1234 us, do: log, text: late}\n"
                "- {when: t >= 1.9, do: log, text: time}\n");
    size_t i = 0;
    for (unsigned k = 1; k < 20; k += 2) {
        const tac_time turned_us = 100000 * k + 4000;
        log_is(i++, turned_us, "each (when body.high)");
        if (k <= 3)
            log_is(i++, turned_us, "twice (when body.high)");
        if (k == 3)
            log_is(i++, 504000, "once (when body.y >= 0.5)");
        if (k == 11)
            log_is(i++, 1205234, "late (when NOT body.high AND body.y > 110 cm, 1.234 ms later)");
        if (k == 17)
            log_is(i++, 1900000, "time (when t >= 1.9)");
    }
    assert_int_equal(logged_count, i);
    rig_close(&r);
}

// The times of other events are no steps: conditions are not looked at there.
static void test_independence(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: t > 1, do: arm}\n");
    log_is(0, 1004000, "arm (when t > 1)");
    rig_close(&r);
    run_all(&r, "- {when: t > 1, do: arm}\n- {at: 1000001 us, do: log, text: x}\n");
    log_is(0, 1000001, "x (at 1.000001 s)");
    log_is(1, 1004000, "arm (when t > 1)");
    rig_close(&r);
}

// A held() ends at exactly its microsecond; the others are seen at steps. body.high is true every
// other tenth of a second, and seen one step late.
static void test_remembering(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {when: 'held(body.high, 12345 us)', repeat: true, do: log, text: held}\n"
                "- {when: 'held(body.high, 99 ms)', do: log, text: never}\n"
                "- {when: 'held(body.high, 0.1 s) OR t < 0', do: log, text: never}\n"
                "- {when: rising(body.high), repeat: true, do: log, text: rises}\n"
                "- {when: falling(body.high), repeat: true, do: log, text: falls}\n"
                "- {when: since(body.high) > 50 ms, repeat: true, do: log, text: since}\n"
                "- {at: 110001 us, do: log, text: between}\n"
                "- {at: 117001 us, do: log, text: after}\n");
    static const struct {
        tac_time t_us;
        const char *text;
    } each[] = {{4000, "rises"}, {16345, "held"}, {56000, "since"}, {104000, "falls"}};
    size_t i = 0;
    for (unsigned k = 1; k < 20; k += 2) {
        for (size_t n = 0; n < 4 && 100000 * k + each[n].t_us <= 2000000; n++) {
            if (i == 1)
                log_is(i++, 110001, "between (at 110.001 ms)");
            if (i == 3)
                log_is(i++, 117001, "after (at 117.001 ms)");
            assert_int_equal(logged[i].t_us, 100000 * k + each[n].t_us);
            assert_memory_equal(logged[i].text, each[n].text, strlen(each[n].text));
            i++;
        }
    }
    assert_int_equal(logged_count, i);
    rig_close(&r);
}

static void test_labels(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 1 s, do: start_mission}\n- {at: 1.5 s, do: land}\n"
                "- {when: scenario.mode == mission, do: log, text: flies}\n"
                "- {when: \"scenario.mode == 'land' AND rising(scenario.mode != mission)\", "
                "do: log, text: lands}\n");
    log_is(1, 1004000, "flies (when scenario.mode == mission)");
    assert_int_equal(logged[3].t_us, 1504000);
    assert_int_equal(logged_count, 4);
    rig_close(&r);
}

static void test_order(void **state)
{
    (void)state;
    rig r;
    run_all(&r, "- {at: 1 s, do: set, signal: flag, value: 1}\n"
                "- {when: t >= 1, do: set, signal: flag, value: 2}\n"
                "- {at_step: 250, do: set, signal: flag, value: 3}\n"
                "- {at: 0.5 s, every: 0.5 s, times: 2, do: set, signal: flag, value: 4}\n");
    assert_int_equal(logged_count, 5);
    static const char *const texts[] = {
        "set flag 4 (at 500 ms, every 500 ms)", "set flag 1 (at 1 s)", "set flag 2 (when t >= 1)",
        "set flag 3 (at step 250)", "set flag 4 (at 500 ms, every 500 ms)"};
    for (size_t i = 0; i < 5; i++)
        log_is(i, i ? 1000000 : 500000, texts[i]);
    assert_true(rig_f64(&r, "scenario.flag") == 4);
    rig_close(&r);
    run_all(&r, "- {at: 1 s, do: set, signal: flag, value: 4}\n"
                "- {at: 1 s, do: set, signal: flag, value: 1}\n");
    assert_true(rig_f64(&r, "scenario.flag") == 1);
    rig_close(&r);
}

// --- what -----------------------------------------------------------------------------------

static void test_commands(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: arm}\n"
                    "- {at: 2 ms, do: start_mission}\n"
                    "- {at: 3 ms, do: return}\n"
                    "- {at: 4 ms, do: land}\n"
                    "- {at: 5 ms, do: disarm}\n");
    for (unsigned ms = 0; ms <= 5; ms++) {
        rig_run(&r, 1000 * ms);
        static const int32_t modes[] = {0, 0, 1, 2, 3, 0};
        assert_int_equal(is_armed(&r), ms >= 1 && ms <= 4);
        assert_int_equal(enum_of(&r, "scenario.mode"), modes[ms]);
    }
    rig_close(&r);
}

static void test_set(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 s, do: set, signal: far, value: 250 m}\n"
                    "- {at: 1 s, do: set, parameter: control.cruise_speed, value: 36 km/h}\n"
                    "- {at: 1.5 s, do: set, parameter: control.cruise_speed, value: 7}\n");
    rig_run(&r, 999999);
    assert_true(rig_f64(&r, "scenario.far") == 0.5);
    assert_true(rig_f64(&r, "control.y") == 5);
    rig_run(&r, 1000000);
    assert_true(rig_f64(&r, "scenario.far") == 0.25);
    assert_true(rig_f64(&r, "scenario.set_control_cruise_speed") == 10);
    assert_true(rig_f64(&r, "control.y") == 10);
    rig_run(&r, TAC_TIME_NEVER);
    assert_true(rig_f64(&r, "control.y") == 7);
    log_is(1, 1000000, "set control.cruise_speed 36 km/h (at 1 s)");
    rig_close(&r);
}

static void test_faults(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: motor_off, motor: 2}\n"
                    "- {at: 2 ms, do: motor_stuck, motor: [1, 4], duty: 0.25}\n"
                    "- {at: 3 ms, do: motor_loss, motor: 3, loss: 0.3}\n"
                    "- {at: 4 ms, do: battery_disconnect, battery: 2}\n"
                    "- {at: 5 ms, do: sensor_fault, sensor: gps, fault: bias, value: 2.5}\n"
                    "- {at: 5 ms, do: sensor_fault, sensor: estimator, fault: freeze}\n"
                    "- {at: 6 ms, do: gust, wind: [1, -2, 3 km/h]}\n"
                    "- {at: 7 ms, do: restore, motor: [1, 3], sensor: gps}\n"
                    "- {at: 8 ms, do: restore}\n");
    rig_run(&r, 6000);
    static const double hold[] = {1, 1, 0, 1}, duty[] = {0.25, 0, 0, 0.25}, loss[] = {0, 0, 0.3, 0};
    for (int i = 0; i < 4; i++) {
        assert_true(element(&r, "scenario.motor_hold", i) == hold[i]);
        assert_true(element(&r, "scenario.motor_duty", i) == duty[i]);
        assert_true(element(&r, "scenario.motor_loss", i) == loss[i]);
    }
    assert_true(element(&r, "scenario.battery_open", 0) == 0);
    assert_true(element(&r, "scenario.battery_open", 1) == 1);
    assert_int_equal(enum_of(&r, "scenario.gps_fault"), 3);
    assert_true(rig_f64(&r, "scenario.gps_fault_value") == 2.5);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 1);
    assert_int_equal(enum_of(&r, "scenario.imu_fault"), 0);
    assert_true(element(&r, "scenario.gust", 0) == 1);
    assert_true(element(&r, "scenario.gust", 1) == -2);
    assert_true(element(&r, "scenario.gust", 2) == 3 * 1000.0 / 3600);

    rig_run(&r, 7000); // what is named, and nothing else
    assert_true(element(&r, "scenario.motor_hold", 0) == 0);
    assert_true(element(&r, "scenario.motor_duty", 0) == 0);
    assert_true(element(&r, "scenario.motor_loss", 2) == 0);
    assert_int_equal(enum_of(&r, "scenario.gps_fault"), 0);
    assert_true(rig_f64(&r, "scenario.gps_fault_value") == 0);
    assert_true(element(&r, "scenario.motor_hold", 1) == 1);
    assert_true(element(&r, "scenario.motor_hold", 3) == 1);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 1);
    assert_true(element(&r, "scenario.gust", 0) == 1);

    rig_run(&r, 8000);
    for (int i = 0; i < 4; i++) {
        assert_true(element(&r, "scenario.motor_hold", i) == 0);
        assert_true(element(&r, "scenario.motor_duty", i) == 0);
    }
    assert_true(element(&r, "scenario.battery_open", 1) == 0);
    assert_int_equal(enum_of(&r, "scenario.estimator_fault"), 0);
    assert_true(element(&r, "scenario.gust", 1) == 0);
    rig_close(&r);
}

static void test_undone(void **state)
{
    (void)state;
    rig r;
    open_events(&r, "- {at: 1 ms, do: gust, wind: [5, 0, 0], for: 2001 us}\n"
                    "- {at: 2 ms, do: motor_off, motor: [1, 2], for: 10 ms}\n"
                    "- {at: 4 ms, do: motor_stuck, motor: 2, duty: 0.5, for: 20 ms}\n"
                    "- {at: 5 ms, do: motor_loss, motor: 1, loss: 1}\n");
    rig_run(&r, 3000);
    assert_true(element(&r, "scenario.gust", 0) == 5);
    rig_run(&r, 3001);
    assert_true(element(&r, "scenario.gust", 0) == 0);
    rig_run(&r, 12000);
    // Motor 2 has another fault by now, and motor 1 another kind of fault.
    assert_true(element(&r, "scenario.motor_hold", 0) == 0);
    assert_true(element(&r, "scenario.motor_hold", 1) == 1);
    assert_true(element(&r, "scenario.motor_duty", 1) == 0.5);
    assert_true(element(&r, "scenario.motor_loss", 0) == 1);
    rig_run(&r, 24000);
    assert_true(element(&r, "scenario.motor_hold", 1) == 0);
    assert_true(element(&r, "scenario.motor_duty", 1) == 0);
    log_is(2, 3001, "gust 5 0 0 ends (after 2.001 ms)");
    rig_close(&r);
    // Restored by hand: the end has nothing left to do. One ends where the next begins.
    run_all(&r, "- {at: 1 ms, do: motor_off, motor: 1, for: 10 ms}\n"
                "- {at: 5 ms, do: restore}\n"
                "- {at: 20 ms, do: gust, wind: [1, 0, 0], for: 5 ms}\n"
                "- {at: 25 ms, do: gust, wind: [2, 0, 0]}\n");
    assert_int_equal(logged_count, 5);
    log_is(3, 25000, "gust 1 0 0 ends (after 5 ms)");
    log_is(4, 25000, "gust 2 0 0 (at 25 ms)");
    assert_true(element(&r, "scenario.gust", 0) == 2);
    rig_close(&r);
}

// --- whole runs -----------------------------------------------------------------------------

static const char busy[] =
    "- {at: 0.1 s, every: 0.3 s, do: gust, wind: [1, 2, 3], for: 123456 us}\n"
    "- {when: body.high, repeat: true, after: 33333 us, do: motor_loss, "
    "motor: 3, loss: 0.5, for: 50001 us}\n"
    "- {at_step: 300, do: restore}\n"
    "- {when: body.y > 1.5, do: set, parameter: control.cruise_speed, "
    "value: 9}\n"
    "- {when: scenario.arm AND t > 1.7, do: land}\n"
    "- {when: 'held(body.high, 55555 us) OR since(body.high) > 98 ms', repeat: true, do: gust, "
    "wind: [3, 2, 1]}\n"
    "- {at: 1.6 s, do: arm}\n";

static void test_checkpoint(void **state)
{
    (void)state;
    rig r;
    const char *path = path_of("state.checkpoint");
    run_all(&r, busy);
    const uint64_t expected = tac_engine_hash(r.engine, NULL, NULL);
    const size_t entries = logged_count;
    assert_in_range(entries, 40, 70);
    rig_close(&r);
    // Before, at and after instants of events, with faults held and delays under way.
    static const tac_time times[] = {0,      100000, 133333,  150000,  223456,  159555,
                                     170000, 400001, 1137333, 1199999, 1504000, 1999999};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        open_events(&r, busy);
        assert_int_equal(tac_engine_checkpoint_at(r.engine, times[i], path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        assert_true(tac_engine_hash(r.engine, NULL, NULL) == expected);
        size_t before = 0;
        while (before < logged_count && logged[before].t_us <= times[i])
            before++;
        rig_close(&r);
        open_events(&r, busy);
        assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
        rig_run(&r, TAC_TIME_NEVER);
        if (tac_engine_hash(r.engine, NULL, NULL) != expected)
            fail_msg("other bits after a checkpoint at %llu us", (unsigned long long)times[i]);
        assert_int_equal(logged_count, entries - before);
        rig_close(&r);
    }
}

static void test_nan(void **state)
{
    (void)state;
    rig r;
    const char *nan = "duration: 2 s\n"
                      "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: ['*']}]}\n"
                      "components: {body: {type: ramp, params: {nan: 1 s}}, "
                      "scenario: {type: scenario}}\n"
                      "scenario:\n- {when: t > 5 OR body.y > 3, do: arm}\n";
    assert_int_equal(try_open(&r, nan), TAC_OK);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_COMPONENT);
    assert_string_equal(r.err.text,
                        "'body.y' is not a number, in the condition 't > 5 OR body.y > 3'");
    assert_int_equal(r.err.t_us, 1004000);
    assert_string_equal(r.err.component, "scenario");
    rig_close(&r);
}

// --- the first boundary ---------------------------------------------------------------------

// Part of the plant: outputs are high = 10 km + gain * in and, if asked for, NaN.
typedef struct hill {
    bool nan;
} hill;

static tac_status hill_declare(tac_declare *d, void *self)
{
    ((hill *)self)->nan = tac_param_bool(d, TAC_PARAM(.name = "nan", .fallback = "false"));
    tac_declare_continuous(d, TAC_PORT(.name = "x", .type = TAC_TYPE_F64));
    tac_declare_output(d, TAC_PORT(.name = "high", .type = TAC_TYPE_F64, .unit = "m"));
    return TAC_OK;
}

static tac_status hill_derive(const tac_eval *e, const void *self)
{
    (void)self;
    e->dx[0] = -20000;
    return TAC_OK;
}

static tac_status hill_output(const tac_eval *e, const void *self)
{
    *TAC_OUT(e, double, 0) = ((const hill *)self)->nan ? (double)NAN : 10000 + e->x[0];
    return TAC_OK;
}

static const tac_component_type hill_type = {.size = sizeof(tac_component_type),
                                             .name = "hill",
                                             .version = "1",
                                             .self_size = sizeof(hill),
                                             .declare = hill_declare,
                                             .kernels[TAC_NUMBERS].output = hill_output,
                                             .kernels[TAC_NUMBERS].derive = hill_derive};

#define FROM_THE_START(params, condition)                                                          \
    "duration: 2 s\n"                                                                              \
    "scheduler: {rate_groups: [{name: g, rate_hz: 250, components: [scenario, body]}]}\n"          \
    "components:\n"                                                                                \
    "  scenario: {type: scenario}\n"                                                               \
    "  body: {type: ramp}\n"                                                                       \
    "  b: {type: hill, params: {" params "}}\n"                                                    \
    "scenario:\n- {when: '" condition "', do: arm}\n"

// Outputs of the plant are there when a condition is looked at for the first time, and count once.
static void test_first_outputs(void **state)
{
    (void)state;
    rig r;
    rig_types[OWN_TYPES] = &hill_type;
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high < 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_false(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 500000, "arm (when b.high < 100 m)"); // it has fallen below at 0.495 s
    const uint64_t digest = tac_engine_hash(r.engine, "b.high", NULL);
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high < 50 m")), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    assert_int_equal(tac_engine_hash(r.engine, "b.high", NULL), digest);
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("", "b.high > 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_true(is_armed(&r));
    rig_close(&r);
    assert_int_equal(try_open(&r, FROM_THE_START("nan: true", "b.high < 100 m")), TAC_OK);
    assert_int_equal(tac_engine_run(r.engine, TAC_TIME_NEVER, &r.err), TAC_E_COMPONENT);
    assert_string_equal(r.err.text, "'b.high' is not a number, in the condition 'b.high < 100 m'");
    assert_int_equal(r.err.t_us, 0);
    rig_close(&r);
}

// A discrete signal that nobody has written yet is not 0.
static void test_not_written(void **state)
{
    (void)state;
    rig r;
    rig_types[OWN_TYPES] = &hill_type;
    // The ramp writes 0 in a later stage of the first boundary: seen at the next step.
    assert_int_equal(try_open(&r, FROM_THE_START("", "body.y < 100 m")), TAC_OK);
    rig_run(&r, 0);
    assert_false(is_armed(&r));
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 4000, "arm (when body.y < 100 m)");
    rig_close(&r);
    // What holds is counted from then on, and a checkpoint in between knows it.
    const char *held = FROM_THE_START("", "held(body.y < 100 m, 10 ms)");
    const char *path = path_of("state.checkpoint");
    assert_int_equal(try_open(&r, held), TAC_OK);
    assert_int_equal(tac_engine_checkpoint_at(r.engine, 0, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 14000, "arm (when held(body.y < 100 m, 10 ms))");
    rig_close(&r);
    assert_int_equal(try_open(&r, held), TAC_OK);
    assert_int_equal(tac_engine_restore(r.engine, path, &r.err), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 14000, "arm (when held(body.y < 100 m, 10 ms))");
    rig_close(&r);
    // A machine of phases waits in the same way: for a ramp that first steps at 1 s.
    const char *late =
        "duration: 2 s\n"
        "scheduler:\n  rate_groups:\n    - {name: g, rate_hz: 250, components: [control]}\n"
        "    - {name: late, rate_hz: 250, offset: 1 s, components: [body]}\n"
        "components: {control: {type: tunable}, body: {type: ramp}}\n"
        "phases:\n  names: [A, B]\n  initial: A\n"
        "  transitions: [{from: A, to: B, condition: body.y < 5 m}]\n";
    assert_int_equal(try_open(&r, late), TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 1004000, "A -> B (body.y < 5 m)");
    rig_close(&r);
}

// An engine that goes back to before the first write waits for it again.
static void test_not_written_again(void **state)
{
    (void)state;
    rig r;
    assert_int_equal(try_open(&r,
                              "duration: 2 s\n"
                              "scheduler:\n  rate_groups:\n"
                              "    - {name: g, rate_hz: 250, components: [scenario]}\n"
                              "    - {name: late, rate_hz: 250, offset: 1 s, components: [body]}\n"
                              "components: {scenario: {type: scenario}, body: {type: ramp}}\n"
                              "scenario: [{when: body.y < 5 m, do: arm}]\n"),
                     TAC_OK);
    tac_snapshot *before = NULL;
    rig_run(&r, 500000);
    assert_int_equal(tac_engine_take_snapshot(r.engine, &before, &r.err), TAC_OK);
    for (size_t i = 0; i < 3; i++) {
        rig_run(&r, TAC_TIME_NEVER);
        log_is(i, 1004000, "arm (when body.y < 5 m)");
        assert_int_equal(tac_engine_restore_snapshot(r.engine, before, &r.err), TAC_OK);
    }
    tac_snapshot_destroy(before);
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_exact_time), cmocka_unit_test(test_step_number),
          cmocka_unit_test(test_every), cmocka_unit_test(test_conditions),
          cmocka_unit_test(test_independence), cmocka_unit_test(test_remembering),
          cmocka_unit_test(test_labels), cmocka_unit_test(test_order),
          cmocka_unit_test(test_commands), cmocka_unit_test(test_set),
          cmocka_unit_test(test_faults), cmocka_unit_test(test_undone),
          cmocka_unit_test(test_checkpoint), cmocka_unit_test(test_nan),
          cmocka_unit_test(test_first_outputs), cmocka_unit_test(test_not_written),
          cmocka_unit_test(test_not_written_again))
