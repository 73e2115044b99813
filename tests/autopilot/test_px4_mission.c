// Missions as PX4 takes them: rows that its loader would drop are carried out or refused, the
// mission is over once its last item was passed; and what PX4 prints meanwhile.
#include "autopilot/px4/mission_rows.h"
#include "autopilot/px4/printed.h"
#include "autopilot/px4_flight.h"
#include "support/folder.h"

#include <math.h>
#include <pthread.h>

#define HOME    "0\t1\t0\t16\t0\t0\t0\t0\t47.397742\t8.545594\t488\t1\n"
#define TAKEOFF "\t0\t3\t22\t0\t0\t0\t0\t47.397742\t8.545594\t12\t1\n"
#define CORNER  "\t0\t3\t16\t1\t2\t0\t0\t47.397792\t8.545594\t12\t1\n"

// --- the file -----------------------------------------------------------------------------------

static char left_out[1024];

static void note(void *context, const tac_place *place, const char *text)
{
    (void)context;
    const size_t used = strlen(left_out);
    snprintf(left_out + used, sizeof left_out - used, "%s:%u:%u: %s\n", place->file, place->line,
             place->column, text);
}

static tac_status parse(tac__arena *arena, const char *text, tac__px4_mission *m, tac_error *err)
{
    const double degree = 3.14159265358979323846 / 180;
    const tac_world world = {.latitude_rad = 47.5 * degree, .longitude_rad = 8.5 * degree};
    left_out[0] = '\0';
    tac_error_clear(err);
    return tac__px4_mission_parse(arena, "file", text, strlen(text), &world, note, NULL, m, err);
}

#define HEAD "QGC WPL 110\n"

// The text that PX4 loads, for a home at 47.5, 8.5 with the nose at 30 degrees.
static void check_rows(const char *text, const char *expected)
{
    tac__arena arena;
    tac__px4_mission m;
    tac_error err;
    tac__text rows;
    tac__arena_init(&arena, NULL);
    tac__text_init(&rows, tac_allocator_default());
    if (parse(&arena, text, &m, &err) != TAC_OK)
        fail_msg("%s: %s", text, err.text);
    tac__px4_mission_write(&m, &(tac__px4_home){47.5, 8.5, 30}, &rows);
    assert_false(rows.failed);
    assert_string_equal(rows.chars, expected);
    tac__text_fini(&rows);
    tac__arena_fini(&arena);
}

#define UP "0\t0\t3\t22\t0\t0\t0\t30\t47.5\t8.5\t12\t1\n"

static void test_rows(void **state)
{
    (void)state;
    // Planned home is no item, wherever indices then begin.
    check_rows(HEAD "0 1 0 16 0 0 0 0 47.5 8.5 488 1\n1 0 3 22 0 0 0 30 47.5 8.5 12 1\n", HEAD UP);
    check_rows(HEAD "0 1 3 22 0 0 0 30 47.5 8.5 12 1\n", HEAD UP);
    // An open yaw angle is the direction of the leg; where there is no leg, the one before.
    check_rows(HEAD "0 1 3 22 0 0 0 nan 47.5 8.5 12 1\n1 0 3 16 1 2 0 nan 47.75 8.5 12 1\n"
                    "2 0 3 16 0 0 0 nan 47.75 8.5 20 1\n3 0 3 16 0 0 0 45 47.5 8.5 20 1\n"
                    "4 0 3 21 0 0 0 nan 47.5 8.5 0 1\n",
               HEAD UP "1\t0\t3\t16\t1\t2\t0\t0\t47.75\t8.5\t12\t1\n"
                       "2\t0\t3\t16\t0\t0\t0\t0\t47.75\t8.5\t20\t1\n"
                       "3\t0\t3\t16\t0\t0\t0\t45\t47.5\t8.5\t20\t1\n"
                       "4\t0\t3\t21\t0\t0\t0\t45\t47.5\t8.5\t0\t1\n");
    // A take-off without a place is at home, a landing at the last place.
    check_rows(HEAD "0 1 3 22 0 0 0 nan 0 0 12 1\n1 0 3 16 0 0 0 90 47.75 8.75 12 1\n"
                    "2 0 3 21 0 0 0 nan nan nan 0 1\n",
               HEAD UP "1\t0\t3\t16\t0\t0\t0\t90\t47.75\t8.75\t12\t1\n"
                       "2\t0\t3\t21\t0\t0\t0\t90\t47.75\t8.75\t0\t1\n");
    // A loiter for a time is a waypoint with a hold time; a change of speed is no row.
    check_rows(HEAD "0 1 2 178 1 3 -1 0 0 0 0 1\n1 0 3 22 0 0 0 nan 47.5 8.5 12 1\n"
                    "2 0 3 19 5 0 0 1 47.75 8.5 12 1\n3 0 0 17 0 0 0 7 47.75 8.5 500 1\n",
               HEAD UP "1\t0\t3\t16\t5\t0\t0\t0\t47.75\t8.5\t12\t1\n"
                       "2\t0\t0\t17\t0\t0\t0\t7\t47.75\t8.5\t500\t1\n");
    assert_string_equal(left_out, "");
    // Rows for cameras and the like are told and left out.
    check_rows(HEAD "0 1 3 22 0 0 0 nan 47.5 8.5 12 1\n1 0 2 206 5 0 0 0 0 0 0 1\n"
                    "2 0 2 2000 0 1 1 nan nan nan nan 1\n3 0 2 20 0 0 0 0 0 0 0 1\n",
               HEAD UP "1\t0\t0\t20\t0\t0\t0\t30\t47.5\t8.5\t0\t1\n");
    assert_string_equal(
        left_out,
        "file:3:7: command 206 (DO_SET_CAM_TRIGG_DIST) is left out: nothing here carries it out\n"
        "file:4:7: command 2000 (IMAGE_START_CAPTURE) is left out: nothing here carries it out\n");
}

// What PX4's loader would drop, or fly otherwise than it stands there, is refused by its row.
static void test_refused_rows(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        unsigned column;
        const char *words;
    } rows[] = {
        {"1 0 3 177 1 2 0 0 0 0 0 1", 7, "command 177 (DO_JUMP) is not supported"},
        {"1 0 3 93 5 0 0 0 0 0 0 1", 7, "command 93 (NAV_DELAY) is not supported"},
        {"1 0 3 195 0 0 0 0 47.5 8.5 0 1", 7, "or 178 (change speed)"},
        {"1 0 10 16 0 0 0 0 47.5 8.5 12 1", 5, "frame 10 (GLOBAL_TERRAIN_ALT)"},
        {"1 0 3 16 0 0 0 0 nan 8.5 12 1", 18, "a latitude in degrees"},
        {"1 0 3 16 0 0 0 0 47.5 8.5 nan 1", 27, "an altitude in metres"},
        {"1 0 3 16 0 0 0 0 47.5 8.5 12", 29, "the line ends too early"},
        {"1 0 3 16 0 x 0 0 47.5 8.5 12 1", 12, "found 'x'"},
        {"1 0 3 178 2 3 -1 0 0 0 0 1", 11, "speed type 2 is not supported"},
        {"1 0 3 178 1 0 -1 0 0 0 0 1", 13, "expected a speed above 0"},
        {"1 0 3 178 1 nan -1 0 0 0 0 1", 13, "expected a speed above 0"},
        {"1 0 3 178 1 1001 -1 0 0 0 0 1", 13, "expected a speed above 0"},
        {"1 0 3 178 1 3 50 0 0 0 0 1", 15, "parameter 3 (throttle)"},
        {"1 0 3 178 1 3 0 1 0 0 0 1", 17, "relative speed"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD "0 1 3 22 0 0 0 0 47.5 8.5 12 1\n%s\n", rows[i].row);
        tac__arena arena;
        tac__px4_mission m;
        tac_error err;
        tac__arena_init(&arena, NULL);
        if (parse(&arena, text, &m, &err) == TAC_OK)
            fail_msg("%s is accepted", rows[i].row);
        if (err.line != 3 || err.column != rows[i].column || !strstr(err.text, rows[i].words))
            fail_msg("%s: %u:%u: %s", rows[i].row, err.line, err.column, err.text);
        tac__arena_fini(&arena);
    }
    tac__arena arena;
    tac__px4_mission m;
    tac_error err;
    tac__arena_init(&arena, NULL);
    assert_int_equal(parse(&arena, HEAD "0 1 3 22 0 0 0 0 40 8.5 12 1\n", &m, &err), TAC_E_RANGE);
    assert_true(err.line == 2 && strstr(err.text, "this one is 835 km"));
    tac__arena_fini(&arena);
}

static const char *mission(const char *rows)
{
    static char set[1200];
    const char *path = path_of("mission.waypoints");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "QGC WPL 110\n%s", rows);
    assert_int_equal(fclose(file), 0);
    snprintf(set, sizeof set, "entities.uav.components.control.params.mission=%s", path);
    return set;
}

// --- flights ------------------------------------------------------------------------------------

enum { LINES_MAX = 64 };

typedef struct line {
    tac_time t_us;
    tac_log_level level;
    char component[64], text[256];
} line;

static line lines[LINES_MAX];
static int line_count;

static void keep_line(void *context, const tac_log_entry *entry)
{
    (void)context;
    assert_true(line_count < LINES_MAX);
    line *l = &lines[line_count++];
    l->t_us = entry->t_us;
    l->level = entry->level;
    snprintf(l->component, sizeof l->component, "%s", entry->component);
    snprintf(l->text, sizeof l->text, "%s", entry->text);
}

static void reopen_logged(rig *r)
{
    line_count = 0;
    tac_engine_def def = tac_config_engine_def(r->config);
    def.log = keep_line;
    tac_engine_destroy(r->engine);
    assert_int_equal(tac_config_build(r->config, &def, &r->engine, &r->err), TAC_OK);
}

static void open_logged(rig *r, const char *set)
{
    px4_open(r, &set, set ? 1 : 0);
    reopen_logged(r);
}

static int said(const char *text)
{
    int n = 0;
    for (int i = 0; i < line_count; i++)
        n += strcmp(lines[i].text, text) == 0;
    return n;
}

// PX4 says `finished` as soon as it enters a mission: that is not the end of it.
static void test_begin_is_not_the_end(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("autopilot.px4.subscribe=[{topic: mission_result, fields: {told: finished, "
                      "seq: seq_reached}}]"));
    rig_run(&r, 2100000);
    assert_true(rig_f64(&r, "uav.control.told") == 1 && rig_f64(&r, "uav.control.seq") == -1);
    assert_false(px4_bool(&r, "uav.control.mission_finished"));
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 0);
    assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 3);
    rig_close(&r);
}

// PX4 refuses it in words of its own, which stand before its last line.
static void test_refused(void **state)
{
    (void)state;
    rig r;
    const char *sets[] = {mission(HOME "1" TAKEOFF "2" CORNER),
                          "autopilot.px4.params={MIS_DIST_1WP: 1}",
                          "entities.uav.components.vehicle.params.position=[30, 0]"};
    px4_open(&r, sets, 3);
    reopen_logged(&r);
    assert_int_equal(tac_engine_run(r.engine, 90000000, &r.err), TAC_E_COMPONENT);
    assert_non_null(strstr(r.err.text, "PX4 refuses the mission"));
    assert_non_null(strstr(r.err.text, "mission.waypoints': "));
    assert_non_null(
        strstr(r.err.text, "First waypoint too far away: 29m, 1 max; mission check failed"));
    assert_string_equal(r.err.component, "uav.control");
    assert_true(r.err.t_us > 2400000 && r.err.t_us < 2700000);
    bool warned = false;
    for (int i = 0; i < line_count; i++)
        warned |= lines[i].level == TAC_LOG_WARN &&
                  strstr(lines[i].text, "PX4: [navigator] First waypoint too far away") &&
                  strcmp(lines[i].component, "uav.control") == 0;
    assert_true(warned);
    rig_close(&r);
}

// It does not wait on the ground in silence.
static void test_waiting(void **state)
{
    (void)state;
    static const char *const sets[] = {"autopilot.px4.publish=[{topic: home_position, off: true}]",
                                       "entities.uav.components.control.params.mission=''"};
    static const char *const texts[] = {
        "PX4 was asked for its mission 1 s ago and has not found it valid yet",
        "PX4 was asked for a mission; the parameter 'mission' names none"};
    for (int i = 0; i < 2; i++) {
        rig r;
        open_logged(&r, sets[i]);
        rig_run(&r, 2999999);
        assert_int_equal(said(texts[i]), 0);
        rig_run(&r, 9000000);
        assert_int_equal(said(texts[i]), 1);
        rig_close(&r);
    }
    rig r;
    open_logged(&r, NULL);
    rig_run(&r, 9000000);
    assert_int_equal(said(texts[0]) + said(texts[1]), 0);
    rig_close(&r);
}

// Where a mission ends in the air, the vehicle loiters, and the mission is not entered again.
static void test_end_in_the_air(void **state)
{
    (void)state;
    rig r;
    open_logged(&r, mission(HOME "1" TAKEOFF "2" CORNER));
    rig_run(&r, 40000000);
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 2);
    assert_int_equal(px4_i32(&r, "uav.control.mission_total"), 2);
    assert_true(px4_bool(&r, "uav.control.mission_finished"));
    assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 4);
    assert_true(px4_bool(&r, "uav.control.armed") && !px4_bool(&r, "uav.control.landed"));
    double before[3];
    memcpy(before, rig_read(&r, "uav.vehicle.position"), sizeof before);
    rig_run(&r, 60000000);
    const double *p = rig_read(&r, "uav.vehicle.position");
    assert_true(hypot(p[0] - before[0], p[1] - before[1]) < 0.05 && fabs(p[2] + 12) < 0.2);
    assert_int_equal(said("PX4: [navigator] Executing Mission"), 1);
    assert_int_equal(said("PX4: [navigator] Mission finished"), 1);
    rig_close(&r);
}

// Nor where it ends on the ground. Each line has the time of the tick it was printed in.
static void test_end_on_the_ground(void **state)
{
    (void)state;
    rig r;
    open_logged(&r, NULL);
    rig_run(&r, 90000000);
    assert_int_equal(said("PX4: [navigator] Executing Mission"), 1);
    assert_int_equal(said("PX4: [navigator] Mission finished"), 1);
    assert_false(px4_bool(&r, "uav.control.armed"));
    assert_int_equal(said("disarmed after 3.0 s on the ground"), 1);
    assert_int_equal(said("mission"), 1);
    assert_int_equal(said("landed"), 1);
    tac_time passed_us = 0;
    for (int i = 0; i < line_count; i++) {
        if (strcmp(lines[i].text, "PX4: [px4_lockstep] created") == 0)
            assert_true(lines[i].t_us == 0 && lines[i].level == TAC_LOG_INFO);
        if (strcmp(lines[i].text, "PX4: [navigator] Executing Mission") == 0)
            assert_true(lines[i].t_us >= 2000000 && lines[i].t_us <= 2052000);
        if (strcmp(lines[i].text, "item 8 of 8 passed") == 0)
            passed_us = lines[i].t_us;
        if (strcmp(lines[i].text, "PX4: [navigator] Mission finished") == 0)
            assert_true(lines[i].t_us > 30000000);
    }
    assert_true(passed_us > 30000000);
    rig_close(&r);
}

// Flown once, it can be flown again.
static void test_again(void **state)
{
    (void)state;
    rig r;
    px4_open(&r, SETS("duration=200 s",
                      "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 90 s, do: "
                      "disarm}, {at: 91 s, do: arm}, {at: 92 s, do: start_mission}]"));
    rig_run(&r, 89000000);
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 8);
    rig_run(&r, 91500000);
    assert_true(px4_bool(&r, "uav.control.armed"));
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 0);
    rig_run(&r, 110000000);
    assert_false(px4_bool(&r, "uav.control.landed"));
    assert_int_equal(px4_i32(&r, "uav.control.nav_state"), 3);
    assert_true(px4_i32(&r, "uav.control.mission_reached") < 8);
    rig_run(&r, 190000000);
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 8);
    assert_true(px4_bool(&r, "uav.control.landed"));
    rig_close(&r);
}

// The usual end of a mission in QGroundControl: PX4's navigator asks for a return, and the vehicle
// flies home, lands, and has passed all items. In both formats.
static void test_return(void **state)
{
    (void)state;
    static const char plan[] =
        "{\"fileType\":\"Plan\",\"mission\":{\"items\":["
        "{\"type\":\"SimpleItem\",\"command\":22,\"frame\":3,\"params\":[0,0,0,null,0,0,12]},"
        "{\"type\":\"SimpleItem\",\"command\":16,\"frame\":3,\"params\":[0,2,0,null,47.397942,"
        "8.545994,12]},"
        "{\"type\":\"SimpleItem\",\"command\":20,\"frame\":2,\"params\":[0,0,0,0,0,0,0]}]}}";
    for (int k = 0; k < 2; k++) {
        const char *set =
            mission(HOME "1" TAKEOFF "2\t0\t3\t16\t0\t2\t0\tnan\t47.397942\t8.545994\t12\t1\n"
                         "3\t0\t2\t20\t0\t0\t0\t0\t0\t0\t0\t1\n");
        if (k == 1) {
            FILE *file = fopen(path_of("mission.waypoints"), "w");
            assert_non_null(file);
            fputs(plan, file);
            assert_int_equal(fclose(file), 0);
        }
        rig r;
        open_logged(&r, set);
        rig_run(&r, 90000000);
        const double *p = rig_read(&r, "uav.vehicle.position");
        if (hypot(p[0], p[1]) > 0.5)
            fail_msg("it lands %.1f m from home", hypot(p[0], p[1]));
        assert_true(px4_bool(&r, "uav.control.landed") && !px4_bool(&r, "uav.control.armed"));
        assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), 3);
        assert_int_equal(px4_i32(&r, "uav.control.mission_total"), 3);
        assert_true(px4_bool(&r, "uav.control.mission_finished"));
        assert_int_equal(said("PX4 commands NAV_RETURN_TO_LAUNCH"), 1);
        assert_int_equal(said("item 3 of 3 passed"), 1);
        rig_close(&r);
    }
}

// Without its commands PX4 would sink where it is.
static void test_return_needs_commands(void **state)
{
    (void)state;
    const char *rows = HOME "1" TAKEOFF "2" CORNER "3\t0\t2\t20\t0\t0\t0\t0\t0\t0\t0\t1\n";
    const char *sets[] = {mission(rows), "autopilot.px4.subscribe=[{topic: vehicle_command, off: "
                                         "true}]"};
    px4_fails(NULL, sets, 2, TAC_E_CONFIG,
              PARTS("returns by a command of PX4", "'vehicle_command' is off"));
    px4_fails("HASH=vehicle_command", sets, 1, TAC_E_ABI,
              PARTS("returns by commands of PX4", "topic 'vehicle_command' has 56 bytes",
                    "cba514af here", "autopilot.px4.msg_dir"));
    // A flight that needs none is flown, and told of.
    px4_order("HASH=vehicle_command,vehicle_command_ack");
    rig r;
    open_logged(&r, NULL);
    px4_order("HASH=vehicle_command,vehicle_command_ack");
    rig_run(&r, 10000000);
    bool told = false;
    for (int i = 0; i < line_count; i++)
        told |= lines[i].level == TAC_LOG_WARN &&
                strstr(lines[i].text, "PX4's commands are not answered: topic 'vehicle_command");
    assert_true(told && !px4_bool(&r, "uav.control.landed"));
    rig_close(&r);
    px4_order(NULL);
}

// A vehicle that hovers lower than home, or than where it started, flies on: the ground is far
// below. It lands at its end all the same.
static void test_below_home(void **state)
{
    (void)state;
    const char *rows = HOME "1\t0\t3\t22\t0\t0\t0\t0\t47.397742\t8.545594\t5\t1\n"
                            "2\t0\t3\t16\t8\t2\t0\t0\t47.397742\t8.545594\t-8\t1\n"
                            "3\t0\t3\t21\t0\t0\t0\t0\t47.397742\t8.545594\t-20\t1\n";
    for (int k = 0; k < 2; k++) {
        const char *by_home[] = {mission(rows),
                                 "entities.uav.components.control.params.home=[0, 0, -20]"};
        const char *by_start[] = {mission(rows),
                                  "entities.uav.components.vehicle.params.position=[0, 0, -20]",
                                  "entities.uav.components.vehicle.params.hover=true",
                                  "scenario=[{at: 0 s, do: arm}, {at: 0 s, do: start_mission}]"};
        rig r;
        px4_open(&r, k ? by_start : by_home, k ? 4 : 2);
        double lowest = -1000;
        tac_time t_us = 5000000;
        for (; t_us < 90000000 && px4_i32(&r, "uav.control.mission_reached") < 2; t_us += 100000) {
            rig_run(&r, t_us);
            if (!px4_bool(&r, "uav.control.armed"))
                fail_msg("disarmed in the air, %g s", 1e-6 * (double)t_us);
            lowest = fmax(lowest, ((const double *)rig_read(&r, "uav.vehicle.position"))[2]);
        }
        assert_true(lowest < -5); // it hovers 12 m above the ground
        rig_run(&r, 90000000);
        assert_true(px4_bool(&r, "uav.control.landed") && !px4_bool(&r, "uav.control.armed"));
        rig_close(&r);
    }
}

// --- time and speed -----------------------------------------------------------------------------

// Seconds until so many items are passed.
static double passed_at(const char *set, int items)
{
    rig r;
    px4_open(&r, &set, 1);
    tac_time t_us = 0;
    while (t_us < 90000000 && px4_i32(&r, "uav.control.mission_reached") < items)
        rig_run(&r, t_us += 100000);
    rig_close(&r);
    return 1e-6 * (double)t_us;
}

#define END "3" CORNER "4\t0\t3\t21\t0\t0\t0\t0\t47.397792\t8.545594\t0\t1\n"

static void test_loiter_time(void **state)
{
    (void)state;
    static const char row[] = "2\t0\t3\t19\t%d\t0\t0\t0\t47.397842\t8.545594\t12\t1\n" END;
    double at[2];
    for (int i = 0; i < 2; i++) {
        char rows[512], item[256];
        snprintf(item, sizeof item, row, i ? 7 : 0);
        snprintf(rows, sizeof rows, HOME "1" TAKEOFF "%s", item);
        at[i] = passed_at(mission(rows), 2);
    }
    if (!(fabs(at[1] - at[0] - 7) < 0.3))
        fail_msg("passed at %g s instead of %g s", at[1], at[0]);
}

// The highest level speed between two instants.
static double fastest(rig *r, double from_s, double to_s)
{
    double most = 0;
    for (double t = from_s; t <= to_s; t += 0.1) {
        rig_run(r, (tac_time)(t * 1e6 + 0.5));
        const double *v = rig_read(r, "uav.vehicle.velocity");
        most = fmax(most, hypot(v[0], v[1]));
    }
    return most;
}

// Each speed lasts from its row to the next; -2 brings PX4's own back, and so does the end.
static void test_speed(void **state)
{
    (void)state;
    enum { LEGS = 4 };
    static const double speeds[LEGS] = {2, 6, -2, -1}, expected[LEGS] = {2, 6, 4, 4};
    char rows[2048];
    int n = snprintf(rows, sizeof rows, HOME "1" TAKEOFF);
    for (int i = 0; i < LEGS; i++) {
        n += snprintf(rows + n, sizeof rows - (size_t)n,
                      "%d\t0\t2\t178\t1\t%g\t-1\t0\t0\t0\t0\t1\n", 2 + 2 * i, speeds[i]);
        n += snprintf(rows + n, sizeof rows - (size_t)n,
                      "%d\t0\t3\t16\t1\t2\t0\t0\t47.397%d42\t8.545594\t12\t1\n", 3 + 2 * i,
                      i % 2 ? 7 : 9);
    }
    const char *sets[] = {mission(rows), "autopilot.px4.params={MPC_XY_CRUISE: 4}",
                          "duration=150 s"};
    rig r;
    px4_open(&r, sets, 3);
    reopen_logged(&r);
    for (int i = 0; i < LEGS; i++) {
        double t = 1e-6 * (double)tac_engine_time(r.engine), most = 0;
        while (t < 150 && px4_i32(&r, "uav.control.mission_reached") < i + 2) {
            const double speed = fastest(&r, t, t);
            if (px4_i32(&r, "uav.control.mission_reached") == i + 1)
                most = fmax(most, speed);
            t += 0.1;
        }
        if (!(fabs(most - expected[i]) < 0.25 * expected[i]))
            fail_msg("leg %d: %g m/s, not %g", i, most, expected[i]);
    }
    assert_int_equal(px4_i32(&r, "uav.control.mission_reached"), LEGS + 1);
    assert_int_equal(px4_i32(&r, "uav.control.mission_total"), LEGS + 1);
    assert_true(said("PX4 is told to fly at 2 m/s") == 1 &&
                said("PX4 is told to fly at 6 m/s") == 1 &&
                said("PX4 is told to fly at its own speed") == 1);
    rig_close(&r);
}

// --- text ---------------------------------------------------------------------------------------

static void *print_elsewhere(void *unused)
{
    (void)unused;
    printf("%s", ""); // not caught: it goes to the program's own output
    static tac__printed own;
    char text[TAC__PRINTED_LINE];
    tac_error err;
    assert_int_equal(tac__printed_open(&own, &err), TAC_OK);
    tac__printed_begin(&own);
    puts("of the other thread");
    tac__printed_end();
    assert_true(tac__printed_take(&own, false, text));
    assert_string_equal(text, "of the other thread");
    tac__printed_close(&own);
    return NULL;
}

static void test_printed(void **state)
{
    (void)state;
    static tac__printed p;
    char text[TAC__PRINTED_LINE];
    tac_error err;
    FILE *const before = stdout;
    assert_int_equal(tac__printed_open(&p, &err), TAC_OK);
    tac__printed_begin(&p);
    printf("INFO  [a] %d\n\033[33mWARN\033[0m  [b]\ttwo\r\n\nunfin", 1);
    fputs("ished", stdout);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, print_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    tac__printed_end();
    static const char *const expected[] = {"INFO  [a] 1", "WARN  [b] two", ""};
    for (int i = 0; i < 3; i++) {
        assert_true(tac__printed_take(&p, false, text));
        assert_string_equal(text, expected[i]);
    }
    assert_false(tac__printed_take(&p, false, text));
    assert_true(tac__printed_take(&p, true, text));
    assert_string_equal(text, "unfinished");
    assert_false(tac__printed_take(&p, true, text));

    // More than there is room for: what was there first is kept, and the rest is counted.
    tac__printed_begin(&p);
    for (int i = 0; i < 3000; i++)
        printf("line %d\n", i);
    tac__printed_end();
    assert_true(p.dropped > 0 && p.used == sizeof p.bytes);
    int n = 0;
    for (; tac__printed_take(&p, false, text); n++) {
        char same[32];
        snprintf(same, sizeof same, "line %d", n);
        assert_true(strncmp(same, text, strlen(text)) == 0);
    }
    assert_true(n > 1000 && n < 3000 && p.used == 0 && p.dropped == 0);
    tac__printed_close(&p);
    tac__printed_close(&p);
    assert_ptr_equal(stdout, before);
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),           cmocka_unit_test(test_refused_rows),
        cmocka_unit_test(test_return),         cmocka_unit_test(test_return_needs_commands),
        cmocka_unit_test(test_below_home),     cmocka_unit_test(test_loiter_time),
        cmocka_unit_test(test_speed),          cmocka_unit_test(test_begin_is_not_the_end),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_end_in_the_air), cmocka_unit_test(test_end_on_the_ground),
        cmocka_unit_test(test_again),          cmocka_unit_test(test_printed),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
