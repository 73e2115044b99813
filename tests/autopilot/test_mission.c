// Missions from files: the same flight from both formats; every mistake is refused in its place.
#include "support/test.h"

#include "autopilot/mission.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double degree = 3.14159265358979323846 / 180, radius = 6378137;

static tac_world home_world(void)
{
    return (tac_world){.latitude_rad = 47.397742 * degree,
                       .longitude_rad = 8.545594 * degree,
                       .altitude_m = 488,
                       .geodesy = TAC_GEODESY_SPHERE,
                       .g_m_s2 = 9.80665};
}

static tac__mission mission; // large

static tac_status parse(const char *text, tac_error *err)
{
    const tac_world world = home_world();
    tac_error_clear(err);
    return tac__mission_parse("file", text, strlen(text), &world, NULL, &mission, err);
}

static void check_good(const char *text)
{
    tac_error err;
    if (parse(text, &err) != TAC_OK)
        fail_msg("%u:%u: %s", err.line, err.column, err.text);
}

static void check_bad(const char *text, uint32_t line, uint32_t column, const char *words)
{
    tac_error err;
    if (parse(text, &err) == TAC_OK)
        fail_msg("accepted:\n%s", text);
    if (err.line != line || err.column != column || !strstr(err.text, words))
        fail_msg("%s\n%u:%u: %s\nexpected %u:%u: ...%s...", text, err.line, err.column, err.text,
                 line, column, words);
    assert_string_equal(err.file, "file");
}

// --- good missions ------------------------------------------------------------------------------

static void read_example(const char *file)
{
    const char *source = getenv("TACTUS_SOURCE");
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/missions/%s", source ? source : ".", file);
    const tac_world world = home_world();
    tac_error err;
    if (tac__mission_read(path, &world, NULL, &mission, &err) != TAC_OK)
        fail_msg("%s", err.text);
}

static void test_square(void **state)
{
    (void)state;
    static const int corners[4][2] = {{1, 1}, {1, -1}, {-1, -1}, {-1, 1}};
    const double north = 1e-4 * degree * radius, east = north * cos(47.397742 * degree);
    static tac__mission plan;
    read_example("square.plan");
    plan = mission;
    read_example("square.waypoints");
    assert_int_equal(mission.count, 8);
    assert_int_equal(mission.items[0].kind, TAC__ITEM_TAKEOFF);
    assert_true(mission.items[0].altitude_m == 12 && mission.items[0].above_home);
    for (size_t i = 0; i < 4; i++) {
        const tac__mission_item *item = &mission.items[1 + i];
        assert_int_equal(item->kind, TAC__ITEM_WAYPOINT);
        assert_true(fabs(item->north_m - corners[i][0] * north) < 1e-6);
        assert_true(fabs(item->east_m - corners[i][1] * east) < 1e-6);
        assert_true(item->hold_s == 2 && item->radius_m == 2 && item->altitude_m == 12);
        assert_true(item->yaw_rad == 0);
    }
    assert_true(mission.items[5].hold_s == 4 && mission.items[5].altitude_m == 12);
    assert_true(mission.items[6].hold_s == 0 && mission.items[6].altitude_m == 6);
    assert_int_equal(mission.items[7].kind, TAC__ITEM_LAND);

    assert_int_equal(plan.count, mission.count);
    for (size_t i = 0; i < plan.count; i++) {
        plan.items[i].line = mission.items[i].line;
        plan.items[i].column = mission.items[i].column;
        assert_memory_equal(&plan.items[i], &mission.items[i], sizeof plan.items[i]);
    }
}

static void test_all_items(void **state)
{
    (void)state;
    check_good("QGC WPL 110\r\n"
               "0 1 3 22 15 1.5 0 90 0 0 10 1\r\n"
               "1\t0\t0\t16\t1\t0\t0\tnan\t47.3978\t8.5456\t500.5\t1\n"
               "\n"
               "2 0 3 19 7 0 30 1 47.3978 8.5456 1e1 1\n"
               "3 0 2 20 0 0 0 0 0 0 0 0");
    assert_int_equal(mission.count, 4);
    const tac__mission_item *i = mission.items;
    assert_true(i[0].radius_m == 1.5 && fabs(i[0].yaw_rad - 90 * degree) < 1e-15 && i[0].here);
    assert_true(!i[1].above_home && i[1].altitude_m == 500.5 && isnan(i[1].yaw_rad));
    assert_true(i[2].kind == TAC__ITEM_WAYPOINT && i[2].hold_s == 7 && i[2].radius_m == 0 &&
                isnan(i[2].yaw_rad) && i[2].altitude_m == 10);
    assert_true(i[3].kind == TAC__ITEM_RETURN);
    check_good("QGC WPL 110\n0 1 3 17 0 0 50 0 47.3978 8.5456 10 1\n");
    assert_true(mission.items[0].kind == TAC__ITEM_LOITER);
    check_good("QGC WPL 110\n0 1 3 21 0 0 0 nan 0 0 0 1\n");
    assert_true(mission.items[0].kind == TAC__ITEM_LAND && mission.items[0].here);
}

// A waypoint of frame 0 is home as item 0, and an item anywhere else.
static void test_home(void **state)
{
    (void)state;
#define FIRST "0 1 0 16 0 0 0 0 -80 170 0 1\n"
    check_good("QGC WPL 110\n" FIRST "1 0 3 22 0 0 0 0 0 0 10 1\n");
    assert_int_equal(mission.count, 1);
    check_bad("QGC WPL 110\n" FIRST, 1, 1, "at least one item");
    check_bad("QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 10 1\n1 0 0 16 0 0 0 0 -80 170 0 1\n", 3, 7,
              "from the origin of the world");
}

// The shorter way across the date line.
static void test_date_line(void **state)
{
    (void)state;
    tac_world world = home_world();
    world.latitude_rad = 0;
    world.longitude_rad = 179.9999 * degree;
    const char text[] = "QGC WPL 110\n0 1 3 16 0 0 0 0 0 -179.9999 10 1\n";
    tac_error err;
    assert_int_equal(
        tac__mission_parse("file", text, sizeof text - 1, &world, NULL, &mission, &err), TAC_OK);
    assert_true(fabs(mission.items[0].east_m - 2e-4 * degree * radius) < 1e-6);
}

// --- mistakes -----------------------------------------------------------------------------------

static void test_bad_wpl(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *words;
    } cases[] = {
        {"", 1, 1, "expected a mission"},
        {"mission", 1, 1, "expected a mission"},
        {"QGC WPL 120\n", 1, 9, "version 110"},
        {"QGC WPL 1100\n", 1, 9, "version 110"},
        {"QGC WPL 110\n", 1, 1, "at least one item"},
        {"QGC WPL 110\n1 1 3 22 0 0 0 0 0 0 10 1", 2, 1, "expected index 0, found 1"},
        {"QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 10", 2, 24, "ends too early: expected autocontinue"},
        {"QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 10 1 5", 2, 27, "12 fields"},
        {"QGC WPL 110\n0 1 3 22 0 zero 0 0 0 0 10 1", 2, 12, "parameter 2 as a number"},
        {"QGC WPL 110\n0 1 3 22 0 0x1 0 0 0 0 10 1", 2, 12, "parameter 2 as a number"},
        {"QGC WPL 110\n0 1 3 22 0 1e999 0 0 0 0 10 1", 2, 12, "parameter 2 as a number"},
        {"QGC WPL 110\n0 1 3 nan 0 0 0 0 0 0 10 1", 2, 7, "the command as a number"},
        {"QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 nan 1", 2, 22, "altitude in metres"},
        {"QGC WPL 110\n0 1 3 22 0 -1 0 0 0 0 10 1", 2, 12, "a radius in metres from 0"},
        {"QGC WPL 110\n0 1 3 22 0 0 0 400 0 0 10 1", 2, 16, "yaw angle"},
        {"QGC WPL 110\n0 1 3 22 0 0 0 0 0 0 10 0", 2, 25, "goes on by itself"},
        {"QGC WPL 110\n0 1 3 16 -1 0 0 0 47 8 10 1", 2, 10, "a time to stay"},
        {"QGC WPL 110\n0 1 3 16 0 0 5 0 47 8 10 1", 2, 14, "passing by"},
        {"QGC WPL 110\n0 1 3 16 0 0 0 0 91 8 10 1", 2, 18, "a latitude"},
        {"QGC WPL 110\n0 1 3 16 0 0 0 0 47 181 10 1", 2, 21, "a longitude"},
        {"QGC WPL 110\n0 1 3 16 0 0 0 0 nan 8 10 1", 2, 18, "a latitude in degrees"},
        {"QGC WPL 110\n0 1 3 16 0 0 0 0 0 0 10 1", 2, 7, "origin of the world"},
        {"QGC WPL 110\n0 1 10 16 0 0 0 0 47 8 10 1", 2, 5, "frame 10 (GLOBAL_TERRAIN_ALT)"},
        {"QGC WPL 110\n0 1 3 82 0 0 0 0 47 8 10 1", 2, 7, "command 82 (NAV_SPLINE_WAYPOINT)"},
        {"QGC WPL 110\n0 1 3 178 0 0 0 0 47 8 10 1", 2, 7, "command 178 (DO_CHANGE_SPEED)"},
        {"QGC WPL 110\n0 1 3 16.5 0 0 0 0 47 8 10 1", 2, 7, "command 16.5 (unknown)"},
        {"QGC WPL 110\n0 1 3 21 0 1 0 0 0 0 0 1", 2, 12, "precision landing"},
        {"QGC WPL 110\n0 1 3 21 0 0 0 0 0 0 0 1\n1 0 3 22 0 0 0 0 0 0 9 1", 3, 7, "first item"},
        {"QGC WPL 110\n0 1 3 21 0 0 0 0 0 0 0 1\n1 0 3 21 0 0 0 0 0 0 9 1", 3, 7,
         "follow a landing"},
        {"QGC WPL 110\n0 1 2 20 0 0 0 0 0 0 0 1\n1 0 3 21 0 0 0 0 0 0 9 1", 3, 7,
         "follow a return"},
        {"QGC WPL 110\n0 1 3 17 0 0 0 0 47.3 8.5 9 1\n1 0 3 21 0 0 0 0 0 0 9 1", 3, 7,
         "follow a loiter"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(cases[i].text, cases[i].line, cases[i].column, cases[i].words);
}

#define PLAN(items, more)                                                                          \
    "{\"fileType\":\"Plan\",\n\"mission\":{\"items\":[\n" items "\n]}" more "}"
#define SIMPLE "{\"type\":\"SimpleItem\","

static void test_bad_plan(void **state)
{
    (void)state;
    check_good(PLAN(SIMPLE "\"command\":22,\"frame\":3,\"params\":[0,0,0,null,null,null,10]}", ""));
    assert_true(isnan(mission.items[0].yaw_rad));
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *words;
    } cases[] = {
        {"{", 1, 2, "ends too early"},
        {"{}", 1, 1, "key \"fileType\""},
        {"{\"fileType\":\"Fence\"}", 1, 13, "file type \"Plan\""},
        {"{\"fileType\":\"Plan\"}", 1, 1, "key \"mission\""},
        {"{\"fileType\":\"Plan\",\"mission\":[]}", 1, 30, "key \"items\""},
        {"{\"fileType\":\"Plan\",\"mission\":{\"items\":{}}}", 1, 39, "an array"},
        {PLAN("", ""), 1, 1, "at least one item"},
        {PLAN("7", ""), 3, 1, "an object with the key \"type\""},
        {PLAN("{\"type\":\"Other\"}", ""), 3, 9, "the type \"SimpleItem\""},
        {PLAN("{\"type\":\"ComplexItem\",\"complexItemType\":\"survey\"}", ""), 3, 41,
         "complex item 'survey'"},
        {PLAN("{\"type\":\"ComplexItem\"}", ""), 3, 9, "complex item 'unknown'"},
        {PLAN(SIMPLE "\"frame\":3}", ""), 3, 1, "key \"command\""},
        {PLAN(SIMPLE "\"command\":\"22\"}", ""), 3, 32, "expected a number"},
        {PLAN(SIMPLE "\"command\":null}", ""), 3, 32, "expected a number"},
        {PLAN(SIMPLE "\"command\":22,\"frame\":3}", ""), 3, 1, "key \"params\""},
        {PLAN(SIMPLE "\"command\":22,\"frame\":3,\"params\":[1]}", ""), 3, 54, "7 parameters"},
        {PLAN(SIMPLE "\"command\":22,\"frame\":3,\"params\":[0,0,0,0,0,0,\"1\"]}", ""), 3, 67,
         "a number or null"},
        {PLAN(SIMPLE "\"command\":206,\"frame\":2,\"params\":[0,0,0,0,0,0,0]}", ""), 3, 32,
         "command 206 (DO_SET_CAM_TRIGG_DIST)"},
        {PLAN(SIMPLE "\"command\":22,\"frame\":3,\"params\":[0,0,0,0,0,0,1],\"autoContinue\":1}",
              ""),
         3, 85, "true or false"},
        {PLAN(SIMPLE
              "\"command\":22,\"frame\":3,\"params\":[0,0,0,0,0,0,1],\"autoContinue\":false}",
              ""),
         3, 85, "goes on by itself"},
        {PLAN(SIMPLE "\"command\":20,\"frame\":2,\"params\":[0,0,0,0,0,0,0]}",
              ",\n\"geoFence\":{\"circles\":[1]}"),
         5, 23, "geoFence.circles is not supported"},
        {PLAN(SIMPLE "\"command\":20,\"frame\":2,\"params\":[0,0,0,0,0,0,0]}",
              ",\n\"rallyPoints\":{\"points\":[1]}"),
         5, 25, "rallyPoints.points is not supported"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_bad(cases[i].text, cases[i].line, cases[i].column, cases[i].words);
}

static void test_too_many(void **state)
{
    (void)state;
    char *text = malloc(64 * (TAC__MISSION_MAX + 4)), *end = text;
    end += sprintf(end, "QGC WPL 110\n");
    for (int i = 0; i <= TAC__MISSION_MAX; i++) {
        end += sprintf(end, "%d 0 3 16 0 0 0 0 47.39 8.54 10 1\n", i);
        if (i == TAC__MISSION_MAX - 1)
            check_good(text);
    }
    check_bad(text, TAC__MISSION_MAX + 2, 9, "more than 512 items");
    free(text);
}

static void test_no_file(void **state)
{
    (void)state;
    const tac_world world = home_world();
    tac_error err;
    assert_int_equal(tac__mission_read("/none/such", &world, NULL, &mission, &err), TAC_E_FILE);
    assert_non_null(strstr(err.text, "/none/such"));
}

#define WPL            "QGC WPL 110\n"
#define UP             "0 1 3 22 0 0 0 0 47.397742 8.545594 12 1\n"
#define NORTH          "1 0 3 16 0 2 0 0 47.397842 8.545594 12 1\n"
#define LAND(i, place) #i " 0 3 21 0 0 0 0 " place " 0 1\n"

static void check_landing(const char *text, bool lands, double north, double east)
{
    double place[2] = {-1, -1};
    check_good(text);
    assert_true(tac__mission_landing(&mission, &place[0], &place[1]) == lands);
    assert_true(fabs(place[0] - (lands ? north : -1)) < 1e-3);
    assert_true(fabs(place[1] - (lands ? east : -1)) < 1e-3);
}

// Where a mission lands; where it gives no place, at the last one before.
static void test_landing(void **state)
{
    (void)state;
    const double n = 1e-4 * degree * radius, e = n * cos(47.397742 * degree);
    check_landing(WPL UP NORTH LAND(2, "47.397642 8.545694"), true, -n, e);
    check_landing(WPL UP NORTH LAND(2, "0 0"), true, n, 0);
    check_landing(WPL UP LAND(1, "0 0"), false, 0, 0);
    check_landing(WPL UP NORTH, false, 0, 0);
    check_landing(WPL UP NORTH "2 0 2 20 0 0 0 0 0 0 0 1\n", false, 0, 0);
}

TEST_MAIN(cmocka_unit_test(test_landing), cmocka_unit_test(test_square),
          cmocka_unit_test(test_all_items), cmocka_unit_test(test_home),
          cmocka_unit_test(test_date_line), cmocka_unit_test(test_bad_wpl),
          cmocka_unit_test(test_bad_plan), cmocka_unit_test(test_too_many),
          cmocka_unit_test(test_no_file))
