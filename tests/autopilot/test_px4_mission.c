// Missions as PX4 takes them: without the row of home, take-off first, over once its last item was
// passed; and what PX4 prints meanwhile.
#include "autopilot/px4/printed.h"
#include "autopilot/px4/wpl_items.h"
#include "autopilot/px4_flight.h"
#include "support/folder.h"

#include <math.h>
#include <pthread.h>

#define HOME    "0\t1\t0\t16\t0\t0\t0\t0\t47.397742\t8.545594\t488\t1\n"
#define TAKEOFF "\t0\t3\t22\t0\t0\t0\t0\t47.397742\t8.545594\t12\t1\n"
#define CORNER  "\t0\t3\t16\t1\t2\t0\t0\t47.397792\t8.545594\t12\t1\n"

// --- the file -----------------------------------------------------------------------------------

static void check_items(const char *text, const char *expected)
{
    tac__text items;
    tac__text_init(&items, tac_allocator_default());
    tac__wpl_items(text, strlen(text), &items);
    assert_false(items.failed);
    assert_string_equal(items.chars, expected);
    tac__text_fini(&items);
}

static void test_items(void **state)
{
    (void)state;
    check_items("QGC WPL 110\n" HOME "1" TAKEOFF "2" CORNER, "QGC WPL 110\n0" TAKEOFF "1" CORNER);
    check_items("QGC WPL 110\n0" TAKEOFF "1" CORNER, "QGC WPL 110\n0" TAKEOFF "1" CORNER);
    check_items("QGC WPL 110\r\n\r\n 0 1 0.0 16.00 x\r\n1 a\r\n\r\n b \r\n2 c",
                "QGC WPL 110\n0 a\nb\n1 c\n");
    check_items("QGC WPL 110\n" HOME, "QGC WPL 110\n");
    // Only the first row may be home, and only in frame 0, as a waypoint, with index 0.
    check_items("QGC WPL 110\n0" TAKEOFF HOME, "QGC WPL 110\n0" TAKEOFF HOME);
    check_items("QGC WPL 110\n0 1 3 16\n1 0 3 21\n", "QGC WPL 110\n0 1 3 16\n1 0 3 21\n");
    check_items("QGC WPL 110\n0 1 0 22\n1 0 3 21\n", "QGC WPL 110\n0 1 0 22\n1 0 3 21\n");
    check_items("QGC WPL 110\n1 1 0 16\n1 0 3 21\n", "QGC WPL 110\n1 1 0 16\n1 0 3 21\n");
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

static void open_logged(rig *r, const char *set)
{
    px4_open(r, &set, set ? 1 : 0);
    line_count = 0;
    tac_engine_def def = tac_config_engine_def(r->config);
    def.log = keep_line;
    tac_engine_destroy(r->engine);
    assert_int_equal(tac_config_build(r->config, &def, &r->engine, &r->err), TAC_OK);
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

// With a way point before the take-off it is refused, in PX4's own words.
static void test_refused(void **state)
{
    (void)state;
    rig r;
    open_logged(&r, mission(HOME "1" CORNER "2" TAKEOFF));
    assert_int_equal(tac_engine_run(r.engine, 90000000, &r.err), TAC_E_COMPONENT);
    assert_non_null(strstr(r.err.text, "PX4 refuses the mission"));
    assert_non_null(strstr(r.err.text, "mission.waypoints': "));
    assert_non_null(strstr(r.err.text, "takeoff not first waypoint item; mission check failed"));
    assert_string_equal(r.err.component, "uav.control");
    assert_true(r.err.t_us > 2400000 && r.err.t_us < 2700000);
    bool warned = false;
    for (int i = 0; i < line_count; i++)
        warned |= lines[i].level == TAC_LOG_WARN &&
                  strstr(lines[i].text, "PX4: [navigator] Mission rejected") &&
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
        cmocka_unit_test(test_items),          cmocka_unit_test(test_begin_is_not_the_end),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_end_in_the_air), cmocka_unit_test(test_end_on_the_ground),
        cmocka_unit_test(test_again),          cmocka_unit_test(test_printed),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
