// What scenarios refuse, and where in the file the mistake is.
#include "scenario/scenario_rig.h"

// --- refusals -------------------------------------------------------------------------------

static void test_refused_actions(void **state)
{
    (void)state;
    refused("{at: 1 s, do: motor_of}", TAC_E_NAME, 17, "did you mean 'motor_off'?");
    refused("{when: '', do: log, text: a}", TAC_E_CONFIG, 10, "the condition is empty");
    refused("{when: '=', do: log, text: a}", TAC_E_CONFIG, 11, "write ==");
    refused("{at: 1 s}", TAC_E_CONFIG, 3, "parameter 'do' is missing");
    refused("{at: 1 s, do: motor_off}", TAC_E_CONFIG, 17, "'motor_off' needs 'motor'");
    refused("{at: 1 s, do: motor_off, motor: 5}", TAC_E_CONFIG, 35,
            "there is no motor 5; they are numbered from 1 to 4");
    refused("{at: 1 s, do: motor_off, motor: 0}", TAC_E_CONFIG, 35, "numbered from 1 to 4");
    refused("{at: 1 s, do: motor_off, motor: 1.5}", TAC_E_CONFIG, 35, "there is no motor 1.5");
    refused("{at: 1 s, do: motor_off, motor: [1, 9]}", TAC_E_CONFIG, 35, "there is no motor 9");
    refused("{at: 1 s, do: battery_disconnect, battery: 3}", TAC_E_CONFIG, 0,
            "there is no battery 3; they are numbered from 1 to 2");
    refused("{at: 1 s, do: motor_stuck, motor: 1}", TAC_E_CONFIG, 0, "needs 'duty'");
    refused("{at: 1 s, do: motor_stuck, motor: 1, duty: 1.5}", TAC_E_RANGE, 46, "[0, 1]");
    refused("{at: 1 s, do: motor_loss, motor: 1, loss: -1}", TAC_E_RANGE, 0, "[0, 1]");
    refused("{at: 1 s, do: arm, motor: 1}", TAC_E_CONFIG, 29, "'motor' does not go with 'arm'");
    refused("{at: 1 s, do: arm, for: 1 s}", TAC_E_CONFIG, 0, "'for' does not go with 'arm'");
    refused("{at: 1 s, do: gust, wind: [1, 2]}", TAC_E_CONFIG, 0, "expected 3 numbers");
    refused("{at: 1 s, do: gust, wind: [1, 2, 3 kg]}", TAC_E_UNIT, 0, "not in a unit of m/s");
    refused("{at: 1 s, do: sensor_fault, sensor: gsp, fault: freeze}", TAC_E_NAME, 0,
            "did you mean 'gps'?");
    refused("{at: 1 s, do: sensor_fault, sensor: gps}", TAC_E_CONFIG, 0, "needs 'fault'");
    refused("{at: 1 s, do: sensor_fault, sensor: gps, fault: bias}", TAC_E_CONFIG, 0,
            "'bias' needs 'value'");
    refused("{at: 1 s, do: sensor_fault, sensor: gps, fault: freeze, value: 1}", TAC_E_CONFIG, 0,
            "'value' does not go with 'freeze'");
    refused("{at: 1 s, do: log}", TAC_E_CONFIG, 0, "needs 'text'");
    refused("{at: 1 s, do: set, value: 1}", TAC_E_CONFIG, 0, "either 'signal' or 'parameter'");
    refused("{at: 1 s, do: set, signal: fla, value: 1}", TAC_E_CONFIG, 30, "did you mean 'flag'?");
    refused("{at: 1 s, do: set, signal: far, value: 1 kg}", TAC_E_CONFIG, 42, "unit of km");
    refused("{at: 1 s, do: set, parameter: control.cruise_sped, value: 1}", TAC_E_NAME, 33,
            "did you mean 'cruise_speed'?");
    refused("{at: 1 s, do: set, parameter: control.cruise_speed, value: 1 kg}", TAC_E_CONFIG, 62,
            "unit of m/s");
    refused("{at: 1 s, do: arm, foo: 1}", TAC_E_NAME, 22, "unknown parameter 'foo'");
}

static void test_refused_times(void **state)
{
    (void)state;
    refused("{do: arm}", TAC_E_CONFIG, 3, "expected one of at, at_step, when");
    refused("{at: 5, do: arm}", TAC_E_CONFIG, 8, "unit");
    refused("{at: 1.5 us, do: arm}", TAC_E_CONFIG, 8, "whole number of microseconds");
    refused("{at: 1 s, when: t > 1, do: arm}", TAC_E_CONFIG, 8, "either 'at' or 'when'");
    refused("{at: 1 s, at_step: 1, do: arm}", TAC_E_CONFIG, 0, "either 'at_step' or 'at'");
    refused("{when: t > 1, at_step: 1, do: arm}", TAC_E_CONFIG, 0, "either 'at_step' or 'when'");
    refused("{at_step: 1.5, do: arm}", TAC_E_CONFIG, 13, "not a whole number");
    refused("{at_step: -1, do: arm}", TAC_E_RANGE, 13, "out of range");
    refused("{when: t > 1, every: 1 s, do: arm}", TAC_E_CONFIG, 0, "'every' goes with 'at'");
    refused("{at: 1 s, repeat: true, do: arm}", TAC_E_CONFIG, 0, "'repeat' goes with 'when'");
    refused("{at: 1 s, after: 1 s, do: arm}", TAC_E_CONFIG, 0, "'after' goes with 'when'");
    refused("{at: 1 s, times: 2, do: arm}", TAC_E_CONFIG, 0, "'times' goes with");
    refused("{when: t > 1, times: 2, do: arm}", TAC_E_CONFIG, 0, "'times' goes with");
}

// The caret stands under the spot inside the condition.
static void test_refused_conditions(void **state)
{
    (void)state;
    refused("{when: body.y >, do: arm}", TAC_E_CONFIG, 18, "the expression ends");
    refused("{when: 'body.y > > 1', do: arm}", TAC_E_CONFIG, 20, "found '>'");
    refused("{when: body.y, do: arm}", TAC_E_CONFIG, 10, "expected a condition");
    refused("{when: t > 1 AND body.yy > 1, do: arm}", TAC_E_NAME, 20, "body.yy");
    refused("{when: t > 1 AND body.y > 1 s, do: arm}", TAC_E_CONFIG, 20,
            "'body.y' is in m, but '1 s' is in s");
    refused("{when: t > 1 AND body.high > 1, do: arm}", TAC_E_CONFIG, 20, "> needs a number");
    refused("{when: scenario.mode == misson, do: arm}", TAC_E_CONFIG, 27,
            "did you mean 'mission'?");
    refused("{when: 'held(body.high, 1.5 us)', do: arm}", TAC_E_CONFIG, 27, "whole number of");
    refused("{when: scenario.gust > 1, do: arm}", TAC_E_TYPE, 10, "expected a single value");
    refused("{when: \"t > 1 AND\\x20body.y\", do: arm}", TAC_E_CONFIG, 10, "AND needs a condition");
}

static void test_refused_whole(void **state)
{
    (void)state;
    refused_file("duration: 1 s\n"
                 "components: {scenario: {type: scenario, params: {events: [\n"
                 "  {at: 1 s, do: motor_off, motor: 1}]}}}\n",
                 TAC_E_CONFIG, 3, 35, "set 'motors'");
    refused_file("duration: 1 s\n"
                 "components: {scenario: {type: scenario, params: {signals: [\n"
                 "  {name: arm}]}}}\n",
                 TAC_E_DUPLICATE, 2, 0, "'arm' is declared twice");
    // Without a rate group there are times, but no steps.
    rig r;
    assert_int_equal(try_open(&r, "duration: 1 s\ncomponents: {scenario: {type: scenario}}\n"
                                  "scenario: [{at: 5 ms, do: arm}]\n"),
                     TAC_OK);
    rig_run(&r, TAC_TIME_NEVER);
    log_is(0, 5000, "arm (at 5 ms)");
    rig_close(&r);
    assert_int_equal(try_open(&r, "duration: 1 s\ncomponents: {scenario: {type: scenario}}\n"
                                  "scenario: [{when: t > 0.5, do: arm}]\n"),
                     TAC_E_COMPONENT);
    assert_non_null(strstr(r.err.text, "in no rate group"));
    rig_close(&r);
}

TEST_MAIN(cmocka_unit_test(test_refused_actions), cmocka_unit_test(test_refused_times),
          cmocka_unit_test(test_refused_conditions), cmocka_unit_test(test_refused_whole))
