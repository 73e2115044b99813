// What can go wrong with PX4's library: every code of every function, another version, sizes and
// hashes that differ, functions that are missing, files that are no library.
#include "autopilot/px4/abi.h"
#include "autopilot/px4/codes.h"
#include "autopilot/px4/copy.h"
#include "autopilot/px4_flight.h"

#include <dirent.h>

static const char some_params[] = "autopilot.px4.params={MPC_XY_CRUISE: 4.5}";
// Of which any instance will do.
static const char any_instance[] = "autopilot.px4.publish=[{topic: actuator_servos}]";

// --- codes --------------------------------------------------------------------------------------

typedef struct row {
    const char *function;
    int code;
    tac_status status;
    const char *words;
} row;

#define FAILED TAC_E_COMPONENT

// Those that the bridge calls, as they were noted down.
static const row rows[] = {
    {"param_set_i32", -1, FAILED, "arguments"},
    {"param_set_i32", -2, TAC_E_NAME, "no such parameter"},
    {"param_set_i32", -4, FAILED, "could not"},
    {"param_set_f32", -1, FAILED, "arguments"},
    {"param_set_f32", -2, TAC_E_NAME, "no such parameter"},
    {"param_set_f32", -4, FAILED, "could not"},
    {"param_get_i32", -1, FAILED, "arguments"},
    {"param_get_i32", -2, TAC_E_NAME, "no such parameter"},
    {"param_get_i32", -4, FAILED, "could not"},
    {"param_set_i32", -3, TAC_E_TYPE, "another type"},
    {"param_set_f32", -3, TAC_E_TYPE, "another type"},
    {"param_notify", -1, FAILED, "arguments"},
    {"param_notify", -4, FAILED, "could not"},
    {"control_alloc_update_params", -2, TAC_E_CONFIG, "allocator is off"},
    {"step_uorb", -1, FAILED, "no handle, or a queued message has another size"},
    {"step_uorb", -2, FAILED, "advertised"},
    {"step_uorb", -3, FAILED, "published"},
    {"step_uorb", -4, FAILED, "another instance"},
    {"load_mission_qgc_wpl", -1, FAILED, "arguments"},
    {"load_mission_qgc_wpl", -2, TAC_E_FILE, "cannot be opened"},
    {"load_mission_qgc_wpl", -3, TAC_E_FORMAT, "empty"},
    {"load_mission_qgc_wpl", -4, TAC_E_FORMAT, "no items"},
    {"load_mission_qgc_wpl", -5, FAILED, "store"},
    {"load_mission_qgc_wpl", -6, FAILED, "store"},
    {"orb_create_publisher", -2, TAC_E_ABI, "no such topic"},
    {"orb_create_publisher", -5, FAILED, "priority"},
    {"orb_create_publisher", -6, FAILED, "queue size"},
    {"orb_create_publisher_ex", -2, TAC_E_ABI, "no such topic"},
    {"orb_create_publisher_ex", -5, FAILED, "priority"},
    {"orb_create_publisher_ex", -6, FAILED, "queue size"},
    {"orb_create_subscriber", -2, TAC_E_ABI, "no such topic"},
    {"orb_queue_publish", -2, FAILED, "no such publisher"},
    {"orb_queue_publish", -3, FAILED, "closed"},
    {"orb_queue_publish", -4, TAC_E_ABI, "another size"},
    {"orb_check", -2, FAILED, "no such subscriber"},
    {"orb_check", -3, FAILED, "closed"},
    {"orb_check", -4, TAC_E_ABI, "another size"},
    {"orb_copy", -2, FAILED, "no such subscriber"},
    {"orb_copy", -3, FAILED, "closed"},
    {"orb_copy", -4, TAC_E_ABI, "another size"},
    {"orb_topic_metadata", -1, FAILED, "arguments"},
    {"orb_topic_metadata", -2, TAC_E_ABI, "no such topic"},
    {"step_uorb", -77, FAILED, "not known"},
};

static void test_codes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const row *r = &rows[i];
        char order[128], function[64], code[32];
        snprintf(order, sizeof order, "FAIL=%s:%d", r->function, r->code);
        snprintf(function, sizeof function, "px4_lockstep_%s", r->function);
        snprintf(code, sizeof code, "failed with %d: ", r->code);
        px4_fails(order, SETS(some_params, any_instance), r->status,
                  PARTS(function, code, r->words));
    }
}

// Each code that is known of any function has words of its own.
static void test_table(void **state)
{
    (void)state;
    for (const tac__px4_code *c = tac__px4_codes; c->function; c++) {
        assert_true(c->code < 0 && c->status != TAC_OK && c->text[0]);
        for (const tac__px4_code *d = c + 1; d->function; d++)
            assert_false(c->code == d->code && !strcmp(c->function, d->function));
    }
    assert_int_equal(tac__px4_code_of("orb_unsubscribe", -3).code, -3);
    assert_non_null(strstr(tac__px4_code_of("orb_unsubscribe", -3).text, "closed"));
    assert_non_null(strstr(tac__px4_code_of("orb_unsubscribe", -9).text, "not known"));
}

// In the middle of a flight: the topic is named, the time is told.
static void test_later(void **state)
{
    (void)state;
    rig r;
    px4_order("FAIL=orb_queue_publish:-3:216"); // 11 topics, 19 ticks, 6 more, one once
    px4_open(&r, SETS(any_instance));
    assert_int_equal(tac_engine_run(r.engine, 200000, &r.err), TAC_E_COMPONENT);
    assert_true(r.err.t_us == 72000);
    assert_non_null(strstr(r.err.text, "vehicle_land_detected"));
    rig_close(&r);
    px4_order(NULL);
}

// --- the handshake ------------------------------------------------------------------------------

static void test_handshake(void **state)
{
    (void)state;
    px4_fails("ABI=2", NULL, 0, TAC_E_ABI, PARTS("version 2 of the ABI", "this bridge 3"));
    px4_fails("SIZES=0,0,40", NULL, 0, TAC_E_ABI, PARTS("0, 0 and 40", "0, 0 and 36"));
    px4_fails("SIZES=8,0,36", NULL, 0, TAC_E_ABI, PARTS("8, 0 and 36"));
    px4_fails("SIZES=0,8,36", NULL, 0, TAC_E_ABI, PARTS("0, 8 and 36"));
    px4_fails("FAIL=create:-1", NULL, 0, TAC_E_ABI, PARTS("px4_lockstep_create gave no handle"));
}

// Any topic on either side; both of both are told.
static void test_topics(void **state)
{
    (void)state;
    px4_fails("HASH=vehicle_status", NULL, 0, TAC_E_ABI,
              PARTS("'vehicle_status'", "80 bytes", "f779fa65 here", "msg_dir"));
    px4_fails("HASH=home_position", NULL, 0, TAC_E_ABI, PARTS("'home_position'", "159bab7e"));
    px4_fails("HASH=actuator_motors", NULL, 0, TAC_E_ABI, PARTS("'actuator_motors'", "cabc4d45"));
    px4_fails("SIZE=home_position", NULL, 0, TAC_E_ABI,
              PARTS("'home_position'", "72 bytes", "64 bytes", "159bab7e"));
    px4_fails("SIZE=trajectory_setpoint", NULL, 0, TAC_E_ABI, PARTS("72 bytes", "64 bytes"));
}

static void test_libraries(void **state)
{
    (void)state;
    px4_library("px4_standin_incomplete");
    px4_fails(NULL, NULL, 0, TAC_E_ABI,
              PARTS("lacks px4_lockstep_orb_check, px4_lockstep_orb_unsubscribe"));
    px4_library("/nowhere/lib.so");
    px4_fails(NULL, NULL, 0, TAC_E_FILE, PARTS("cannot open '/nowhere/lib.so'"));
    px4_library("/dev/null");
    px4_fails(NULL, NULL, 0, TAC_E_FILE, PARTS("'/dev/null'"));
    px4_library("/");
    px4_fails(NULL, NULL, 0, TAC_E_FILE, PARTS("'/'"));
    px4_library(__FILE__);
    px4_fails(NULL, NULL, 0, TAC_E_FILE, PARTS("cannot load '" __FILE__ "': "));
    px4_library(NULL);
    px4_fails(NULL, NULL, 0, TAC_E_UNNAMED, PARTS("autopilot.px4.library", "PX4_LOCKSTEP_LIB"));
    px4_library("px4_standin");
    px4_fails(NULL, SETS("autopilot.px4.library=/nowhere/other.so"), TAC_E_FILE,
              PARTS("'/nowhere/other.so'"));
    px4_fails(NULL, SETS("autopilot.px4.msg_dir=/nowhere"), TAC_E_FILE, PARTS("'/nowhere'"));
}

static void test_parameters(void **state)
{
    (void)state;
    px4_fails(NULL, SETS("autopilot.px4.params={MPC_NO_SUCH: 1}"), TAC_E_NAME,
              PARTS("MPC_NO_SUCH", "no such parameter"));
    px4_fails(NULL, SETS("autopilot.px4.params={RTL_TYPE: 1.5}"), TAC_E_TYPE,
              PARTS("RTL_TYPE", "whole number", "1.5"));
}

// --- one after another --------------------------------------------------------------------------

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int count_copies(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[1024];
    int count = 0;
    while (fgets(line, sizeof line, maps))
        count += strstr(line, "px4_lockstep") != NULL;
    fclose(maps);
    return count;
}

// No descriptor stays behind, whether it flew or failed. The code does: threads of PX4 may run it.
static void test_what_stays(void **state)
{
    (void)state;
    const int before = count_descriptors();
    for (int i = 0; i < 3; i++) {
        rig r;
        const int copies = count_copies();
        px4_open(&r, NULL, 0);
        assert_int_equal(count_copies(), copies);
        rig_run(&r, 10000);
        const int mapped = count_copies();
        assert_true(mapped > copies);
        rig_close(&r);
        assert_int_equal(count_copies(), mapped);
        px4_fails("ABI=4", NULL, 0, TAC_E_ABI, PARTS("version 4"));
    }
    assert_int_equal(count_descriptors(), before);
}

// The loader takes two libraries of one name for one, and descriptors are used again.
static void test_names_of_copies(void **state)
{
    (void)state;
    enum { COPIES = 20 };
    static char paths[COPIES][TAC__COPY_PATH];
    tac_error err;
    int first = -1;
    for (int i = 0; i < COPIES; i++) {
        int descriptor;
        assert_int_equal(tac__copy_open(__FILE__, &descriptor, paths[i], &err), TAC_OK);
        first = i ? first : descriptor;
        assert_int_equal(descriptor, first);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(paths[k], paths[i]);
        char bytes[64] = "";
        FILE *file = fopen(paths[i], "rb");
        assert_non_null(file);
        assert_true(fread(bytes, 1, sizeof bytes - 1, file) > 0);
        assert_non_null(strstr(bytes, "// What can go wrong with PX4's library"));
        fclose(file);
        close(descriptor);
    }
}

static void test_time_goes_forwards(void **state)
{
    (void)state;
    tac_error err;
    tac__watch watch = {0};
    tac__px4 *px4;
    const tac__px4_config config = tac__px4_config_default();
    assert_int_equal(tac__px4_open(getenv("PX4_LOCKSTEP_LIB"), &watch, &px4, &err), TAC_OK);
    assert_int_equal(tac__px4_create(px4, &config, &err), TAC_OK);
    assert_int_equal(tac__px4_create(px4, &config, &err), TAC_E_ABI); // one handle a copy
    tac__px4_close(px4);
    assert_int_equal(tac__px4_open(getenv("PX4_LOCKSTEP_LIB"), &watch, &px4, &err), TAC_OK);
    assert_int_equal(tac__px4_create(px4, &config, &err), TAC_OK);
    assert_int_equal(tac__px4_step(px4, 0, &err), TAC_OK);
    assert_int_equal(tac__px4_step(px4, 0, &err), TAC_OK);
    assert_int_equal(tac__px4_step(px4, 8000, &err), TAC_OK);
    assert_int_equal(tac__px4_step(px4, 7999, &err), TAC_E_CALLER);
    assert_non_null(strstr(err.text, "from 8000 to 7999 us"));
    assert_int_equal(tac__px4_step(px4, 8000, &err), TAC_OK);
    tac__px4_close(px4);
    tac__px4_close(NULL);
}

// --- a tick that is too long --------------------------------------------------------------------

static void test_period(void **state)
{
    (void)state;
    static const char slow[] = "scheduler.rate_groups[1].rate=200 Hz";
    rig r;
    const char *sets[] = {slow, "autopilot.px4.rates={attitude: 200, rate: 200, allocator: 200}"};
    char path[1024];
    snprintf(path, sizeof path, "%s/examples/iris_px4.yaml", getenv("TACTUS_SOURCE"));
    assert_int_equal(rig_try_all(&r, path, NULL, sets, 1), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "5000 us"));
    assert_non_null(strstr(r.err.text, "attitude"));
    assert_non_null(strstr(r.err.text, "4000 us at most"));
    rig_close(&r);
    assert_int_equal(rig_try_all(&r, path, NULL, sets, 2), TAC_OK);
    rig_close(&r);
    // A module that is off does not count.
    sets[1] = "autopilot.px4.rates={attitude: 0, rate: 200}";
    assert_int_equal(rig_try_all(&r, path, NULL, sets, 2), TAC_E_CONFIG);
    assert_non_null(strstr(r.err.text, "allocator"));
    rig_close(&r);
    const char *three[] = {slow, sets[1], "autopilot.px4.allocator=false"};
    assert_int_equal(rig_try_all(&r, path, NULL, three, 3), TAC_OK);
    rig_close(&r);
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),           cmocka_unit_test(test_table),
        cmocka_unit_test(test_later),           cmocka_unit_test(test_handshake),
        cmocka_unit_test(test_topics),          cmocka_unit_test(test_libraries),
        cmocka_unit_test(test_parameters),      cmocka_unit_test(test_what_stays),
        cmocka_unit_test(test_names_of_copies), cmocka_unit_test(test_time_goes_forwards),
        cmocka_unit_test(test_period),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
