// What PX4's commander would answer to a command, and flights that are commanded.
#include "autopilot/px4/commands.h"
#include "autopilot/px4_flight.h"
#include "support/folder.h"

#include <math.h>

// --- answers ------------------------------------------------------------------------------------

static const tac__px4_command flying = {.armed = true, .mission_valid = true, .mission_total = 8};

static void check_answer(tac__px4_command c, bool ours, tac__px4_result result, int state)
{
    const tac__px4_answer a = tac__px4_answer_to(&c);
    if (a.ours != ours || (ours && (a.result != result || a.state != state)) ||
        (ours && !a.why != (result == TAC__RESULT_ACCEPTED)))
        fail_msg("command %g (%g, %g, %g): result %d, state %d, %s", c.number, c.param[0],
                 c.param[1], c.param[2], (int)a.result, a.state, a.why ? a.why : "no reason");
}

static void test_answers(void **state)
{
    (void)state;
    static const struct {
        double number, param[3];
        tac__px4_result result;
        int state;
    } rows[] = {
        {20, {0}, TAC__RESULT_ACCEPTED, 5},
        {21, {0}, TAC__RESULT_ACCEPTED, 18},
        {300, {0}, TAC__RESULT_ACCEPTED, 3},
        {300, {7}, TAC__RESULT_ACCEPTED, 3},
        {300, {-1}, TAC__RESULT_ACCEPTED, 3},
        {300, {8}, TAC__RESULT_DENIED, -1},
        {300, {(double)NAN}, TAC__RESULT_DENIED, -1},
        {176, {1, 1, 0}, TAC__RESULT_ACCEPTED, 0},
        {176, {1, 4, 3}, TAC__RESULT_ACCEPTED, 4},
        {176, {1, 4, 4}, TAC__RESULT_ACCEPTED, 3},
        {176, {1, 4, 0}, TAC__RESULT_ACCEPTED, 3},
        {176, {1, 4, 5}, TAC__RESULT_ACCEPTED, 5},
        {176, {129, 4, 6}, TAC__RESULT_ACCEPTED, 18},
        {176, {1, 4, 8}, TAC__RESULT_DENIED, -1}, // follow me
        {176, {1, 3, 0}, TAC__RESULT_DENIED, -1}, // position control with sticks
        {176, {1, 6, 0}, TAC__RESULT_DENIED, -1}, // offboard
        {176, {4, 0, 0}, TAC__RESULT_ACCEPTED, 3},
        {176, {64, 0, 0}, TAC__RESULT_ACCEPTED, 0},
        {176, {(double)NAN, 4, 5}, TAC__RESULT_ACCEPTED, 0},
        {100001, {5}, TAC__RESULT_ACCEPTED, 5},
        {100001, {18}, TAC__RESULT_ACCEPTED, 18},
        {100001, {14}, TAC__RESULT_DENIED, -1},
        {100001, {(double)NAN}, TAC__RESULT_DENIED, -1},
        {400, {1}, TAC__RESULT_UNSUPPORTED, -1},
        {12345, {0}, TAC__RESULT_UNSUPPORTED, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tac__px4_command c = flying;
        c.number = rows[i].number;
        memcpy(c.param, rows[i].param, sizeof c.param);
        check_answer(c, true, rows[i].result, rows[i].state);
        if (rows[i].result != TAC__RESULT_ACCEPTED)
            continue;
        c.armed = false;
        check_answer(c, true, TAC__RESULT_REJECTED, -1);
    }
    tac__px4_command start = flying;
    start.number = 300;
    start.mission_valid = false;
    check_answer(start, true, TAC__RESULT_REJECTED, -1);
    static const double others[] = {0, 178, 189, 195, 201, 206, 1000, 2000, 2003};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        tac__px4_command c = flying;
        c.number = others[i];
        check_answer(c, false, TAC__RESULT_ACCEPTED, -1);
    }
}

static void test_acks(void **state)
{
    (void)state;
    tac__px4_acks acks = {0};
    tac__px4_ack ack;
    assert_false(tac__px4_acks_take(&acks, &ack));
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < TAC__PX4_ACKS + 3; i++)
            tac__px4_acks_add(&acks, &(tac__px4_ack){.command = i});
        for (int i = 3; i < TAC__PX4_ACKS + 3; i++)
            assert_true(tac__px4_acks_take(&acks, &ack) && ack.command == i);
        assert_false(tac__px4_acks_take(&acks, &ack));
    }
}

// --- flights ------------------------------------------------------------------------------------

// The mission is flown from 2 s on; from 14 s on the command is published.
static void check_flight(const char *fields, int nav_state, int result)
{
    char publish[512];
    snprintf(publish, sizeof publish,
             "autopilot.px4.publish=[{topic: vehicle_command, fields: {%s}}]", fields);
    rig r;
    px4_open(&r, SETS(publish, "entities.uav.components.scenario.params.signals=[{name: on}]",
                      "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 14 s, do: "
                      "set, signal: on, value: 1}]",
                      "autopilot.px4.subscribe=[{topic: vehicle_command_ack, fields: {acked: "
                      "command, verdict: result}}]"));
    rig_run(&r, 14000000 - 4000);
    assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 3);
    rig_run(&r, 14200000);
    if (px4_i32(&r, "uav.control.nav_state") != nav_state ||
        rig_f64(&r, "uav.control.verdict") != result)
        fail_msg("%s: nav_state %d, result %g", fields, px4_i32(&r, "uav.control.nav_state"),
                 rig_f64(&r, "uav.control.verdict"));
    assert_true(rig_f64(&r, "uav.control.acked") > 0);
    rig_close(&r);
}

static void test_flights(void **state)
{
    (void)state;
    check_flight("command: '20 * scenario.on'", 5, 0);
    check_flight("command: '21 * scenario.on'", 18, 0);
    check_flight("command: '176 * scenario.on', param1: 1, param2: 4, param3: 3", 4, 0);
    check_flight("command: '100001 * scenario.on', param1: 5", 5, 0);
    check_flight("command: '176 * scenario.on', param1: 1, param2: 6", 3, 2);
    check_flight("command: '400 * scenario.on', param1: 1", 3, 3);
}

// A command lasts until the scenario wants something else.
static void test_until_the_mode_changes(void **state)
{
    (void)state;
    rig r;
    px4_open(&r,
             SETS("autopilot.px4.publish=[{topic: vehicle_command, fields: {command: '21 * "
                  "scenario.on'}}]",
                  "entities.uav.components.scenario.params.signals=[{name: on}]",
                  "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 14 s, do: set, "
                  "signal: on, value: 1}, {at: 14.1 s, do: set, signal: on, value: 0}, {at: 15 s, "
                  "do: return}, {at: 16 s, do: start_mission}]"));
    static const struct {
        double t_s;
        int nav_state;
    } steps[] = {{13.9, 3}, {14.9, 18}, {15.9, 5}, {17, 3}};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        rig_run(&r, (tac_time)(steps[i].t_s * 1e6));
        assert_int_equal(px4_i32(&r, "uav.control.nav_state"), steps[i].nav_state);
    }
    rig_close(&r);
}

// Commands of a configuration reach PX4's navigator also where the mission changes speeds.
static void test_with_speeds(void **state)
{
    (void)state;
    char path[1024], set[1200];
    snprintf(path, sizeof path, "%s", path_of("speed.waypoints"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("QGC WPL 110\n0 0 2 178 1 2 -1 0 0 0 0 1\n1 1 3 22 0 0 0 0 47.397742 8.545594 12 1\n"
          "2 0 3 16 0 2 0 0 47.397942 8.545594 12 1\n3 0 3 21 0 0 0 0 0 0 0 1\n",
          file);
    assert_int_equal(fclose(file), 0);
    snprintf(set, sizeof set, "entities.uav.components.control.params.mission=%s", path);
    rig r;
    px4_open(&r, SETS(set, "autopilot.px4.publish=[{topic: vehicle_command, period: 50, fields: "
                           "{command: 'if(vehicle.position.x > 10, 21, 0)'}}]"));
    double most = 0;
    for (tac_time t_us = 0; t_us <= 60000000; t_us += 100000) {
        rig_run(&r, t_us);
        const double *v = rig_read(&r, "uav.vehicle.velocity");
        most = fmax(most, hypot(v[0], v[1]));
    }
    const double *p = rig_read(&r, "uav.vehicle.position");
    if (!(most > 1.6 && most < 2.4 && p[0] > 10 && p[0] < 14))
        fail_msg("%g m/s, landed at %g m", most, p[0]);
    assert_true(px4_bool(&r, "uav.control.landed"));
    rig_close(&r);
}

// Several vehicles that return by PX4's commands: each flies as it would alone.
static void test_fleet_returns(void **state)
{
    (void)state;
    static const char fleet[] = "extends: vehicles/rates.yaml\n"
                                "duration: 60 s\n"
                                "scenario: [{at: 1 s, do: arm}, {at: 2 s, do: start_mission}]\n"
                                "entities:\n"
                                "  uav:\n"
                                "    count: 1\n"
                                "    extends: vehicles/iris_px4.yaml\n";
    char set[1200];
    FILE *file = fopen(path_of("back.waypoints"), "w");
    assert_non_null(file);
    fputs("QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 6 1\n1 0 2 178 1 4 -1 0 0 0 0 1\n"
          "2 0 3 19 2 0 0 0 47.397842 8.545594 6 1\n3 0 2 20 0 0 0 0 0 0 0 1\n",
          file);
    assert_int_equal(fclose(file), 0);
    snprintf(set, sizeof set, "entities.uav.components.control.params.mission=%s",
             path_of("back.waypoints"));
    rig one, three;
    rig_example(&one, "fleet.yaml", fleet, SETS(set));
    rig_example(&three, "fleet.yaml", fleet, SETS(set, "entities.uav.count=3"));
    rig_run(&one, TAC_TIME_NEVER);
    rig_run(&three, TAC_TIME_NEVER);
    assert_true(tac_engine_hash(one.engine, "uav1.*", NULL) ==
                tac_engine_hash(three.engine, "uav1.*", NULL));
    for (int i = 1; i <= 3; i++) {
        char name[64];
        snprintf(name, sizeof name, "uav%d.control.mission_reached", i);
        assert_int_equal(px4_i32(&three, name), 3);
    }
    rig_close(&one);
    rig_close(&three);
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),     cmocka_unit_test(test_acks),
        cmocka_unit_test(test_flights),     cmocka_unit_test(test_until_the_mode_changes),
        cmocka_unit_test(test_with_speeds), cmocka_unit_test(test_fleet_returns),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
