// Parameters of PX4: from a file of QGroundControl, and changed in flight.
#include "autopilot/px4/params_file.h"
#include "autopilot/px4_flight.h"
#include "support/folder.h"

#include <math.h>

// --- the file -----------------------------------------------------------------------------------

#define HEAD "# Onboard parameters for Vehicle 1\n#\n# Vehicle-Id Component-Id Name Value Type\n"

static void test_file(void **state)
{
    (void)state;
    tac__arena arena;
    tac__px4_file_params p;
    tac_error err;
    tac__arena_init(&arena, NULL);
    static const char text[] =
        "\xEF\xBB\xBF" HEAD "1\t1\tMPC_XY_CRUISE\t4.500000000000000000\t9\r\n"
        "\n  # more\n1 1 RTL_TYPE -1 6\n1\t1\tBIG\t2147483647\t6";
    assert_int_equal(tac__px4_params_parse(&arena, "file", text, strlen(text), &p, &err), TAC_OK);
    assert_int_equal(p.count, 3);
    assert_string_equal(p.items[0].name, "MPC_XY_CRUISE");
    assert_true(p.items[0].value == 4.5 && !p.items[0].whole);
    assert_true(p.items[0].line == 4 && p.items[0].column == 5);
    assert_true(p.items[1].value == -1 && p.items[1].whole && p.items[1].line == 7);
    assert_true(p.items[2].value == 2147483647 && p.items[2].whole);
    tac__arena_fini(&arena);
}

static void test_mistakes(void **state)
{
    (void)state;
    static const struct {
        const char *row;
        unsigned column;
        const char *words;
    } rows[] = {
        {"1\t1\tA", 6, "the line ends too early: expected the value"},
        {"1\t1\tA\t1\t6\t7", 11, "expected the end of the line"},
        {"1\t1\tA\tx\t6", 7, "expected the value as a number, found 'x'"},
        {"1\t1\tA\tnan\t9", 7, "found 'nan'"},
        {"1\t1\tA\t1e999\t9", 7, "found '1e999'"},
        {"1\t1\tA\t1.5\t6", 7, "'A' is a whole number by its type, and its value is 1.5"},
        {"1\t1\tA\t2147483648\t6", 7, "whole number"},
        {"1\t1\tA\t1\t2", 9, "type 2 is none of PX4's: expected 6 (INT32) or 9 (REAL32)"},
        {"1\t1\tA-B\t1\t6", 5, "'A-B' is no name of a parameter"},
        {"1\t1\tTOO_LONG_BY_ONE_1\t1\t6", 5, "is no name of a parameter"},
        {"1\t1\tFIRST\t1\t6", 5, "parameter 'FIRST' is in line 4, too"},
        {"2\t1\tA\t1\t6", 1, "parameters of vehicle 2 after those of vehicle 1"},
        {"1\t154\tA\t1\t6", 3, "parameter of component 154"},
        {"MPC_XY_CRUISE,4.5", 18, "the line ends too early"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512];
        snprintf(text, sizeof text, HEAD "1\t1\tFIRST\t1\t6\n%s\n", rows[i].row);
        tac__arena arena;
        tac__px4_file_params p;
        tac_error err;
        tac__arena_init(&arena, NULL);
        tac_error_clear(&err);
        if (tac__px4_params_parse(&arena, "file", text, strlen(text), &p, &err) == TAC_OK)
            fail_msg("%s is accepted", rows[i].row);
        if (err.line != 5 || err.column != rows[i].column || !strstr(err.text, rows[i].words))
            fail_msg("%s: %u:%u: %s", rows[i].row, err.line, err.column, err.text);
        tac__arena_fini(&arena);
    }
    tac__arena arena;
    tac__px4_file_params p;
    tac_error err;
    tac__arena_init(&arena, NULL);
    assert_int_equal(tac__px4_params_parse(&arena, "file", HEAD, strlen(HEAD), &p, &err),
                     TAC_E_FORMAT);
    tac__arena_fini(&arena);
}

static const char *file_with(const char *rows)
{
    static char set[1200];
    FILE *file = fopen(path_of("iris.params"), "w");
    assert_non_null(file);
    fprintf(file, HEAD "%s", rows);
    assert_int_equal(fclose(file), 0);
    snprintf(set, sizeof set, "autopilot.px4.params_file=%s", path_of("iris.params"));
    return set;
}

// --- flights ------------------------------------------------------------------------------------

// The highest speed up, and the highest level one, up to a time.
static void fly(rig *r, double to_s, double *up, double *level)
{
    *up = *level = 0;
    for (double t = 1e-6 * (double)tac_engine_time(r->engine); t < to_s; t += 0.1) {
        rig_run(r, (tac_time)(1e6 * t + 0.5));
        const double *v = rig_read(r, "uav.vehicle.velocity");
        *up = fmax(*up, -v[2]);
        *level = fmax(*level, hypot(v[0], v[1]));
    }
}

static void test_file_is_flown(void **state)
{
    (void)state;
    const char *rows = "1\t1\tMPC_Z_V_AUTO_UP\t1\t9\n1\t1\tRTL_TYPE\t1\t6\n";
    double up, level;
    for (int k = 0; k < 2; k++) {
        const char *sets[] = {file_with(rows), k ? "autopilot.px4.params={MPC_Z_V_AUTO_UP: 2}"
                                                 : "autopilot.px4.params={}"};
        rig r;
        px4_open(&r, sets, 2);
        fly(&r, 6, &up, &level);
        if (!(fabs(up - (k ? 2 : 1)) < 0.2)) // `params` come last
            fail_msg("up with %g m/s", up);
        rig_close(&r);
    }
    const char *set = file_with("1\t1\tMPC_Z_V_AUTO_UP\t1\t9\n1\t1\tNO_SUCH\t1\t6\n");
    px4_fails(NULL, &set, 1, TAC_E_NAME,
              PARTS("iris.params:5:5: ", "NO_SUCH", "there is no such parameter"));
    set = file_with("1\t1\tNO_SUCH\t1\t6\n1\t1\tRTL_TYPE\t1\t6\n1\t1\tNOR_THIS\t1\t6\n"
                    "1\t1\tMPC_XY_CRUISE\t1\t6\n");
    px4_fails(NULL, &set, 1, TAC_E_NAME,
              PARTS("iris.params:4:5: ", "NO_SUCH failed with -2: there is no such parameter; also "
                                         "refused: NOR_THIS in line 6, MPC_XY_CRUISE in line 7"));
    set = file_with("1\t1\tMPC_Z_V_AUTO_UP\t1\t6\n");
    px4_fails(NULL, &set, 1, TAC_E_TYPE, PARTS("iris.params:4:5: ", "another type"));
    set = file_with("1\t1\tRTL_TYPE\t1\t9\n");
    px4_fails(NULL, &set, 1, TAC_E_TYPE, PARTS("iris.params:4:5: ", "another type"));
}

#define SCENARIO(set)                                                                              \
    "scenario=[{at: 1 s, do: arm}, {at: 2 s, do: start_mission}, {at: 9 s, do: set, "              \
    "parameter: control." set "}]"

// Parameters under `params` change in flight; PX4 has the same value until then.
static void test_set(void **state)
{
    (void)state;
    rig r;
    double up, level;
    px4_open(&r, SETS("autopilot.px4.params={MPC_XY_CRUISE: 5, RTL_TYPE: 0, CA_ROTOR0_CT: 6.5}",
                      SCENARIO("MPC_XY_CRUISE, value: 1}, {at: 40 s, do: set, parameter: "
                               "control.MPC_XY_CRUISE, value: 4}, {at: 40 s, do: set, parameter: "
                               "control.CA_ROTOR0_CT, value: 6.4")));
    fly(&r, 9, &up, &level);
    fly(&r, 13, &up, &level); // slows down
    fly(&r, 39, &up, &level);
    if (!(fabs(level - 1) < 0.2))
        fail_msg("%g m/s after the first", level);
    fly(&r, 60, &up, &level);
    if (!(level > 3))
        fail_msg("%g m/s after the second", level);
    rig_close(&r);

    // What is set has the type that PX4 gives it, also in flight.
    px4_open(&r, SETS("autopilot.px4.params={RTL_TYPE: 0}", SCENARIO("RTL_TYPE, value: 0.5")));
    assert_int_equal(tac_engine_run(r.engine, 20000000, &r.err), TAC_E_TYPE);
    assert_true(r.err.t_us == 9000000 && strstr(r.err.text, "RTL_TYPE of PX4 is a whole number"));
    rig_close(&r);
}

// The allocator is told of a change of the geometry, and of no other.
static void test_geometry(void **state)
{
    (void)state;
    static const char params[] = "autopilot.px4.params={CA_ROTOR0_CT: 6.5, MPC_XY_CRUISE: 5}";
    for (int k = 0; k < 2; k++) {
        rig r;
        px4_order("FAIL=control_alloc_update_params:-1:2"); // the first is at the start
        px4_open(&r, SETS(params, k ? SCENARIO("CA_ROTOR0_CT, value: 6.4")
                                    : SCENARIO("MPC_XY_CRUISE, value: 4")));
        const tac_status status = tac_engine_run(r.engine, 10000000, &r.err);
        assert_int_equal(status, k ? TAC_E_COMPONENT : TAC_OK);
        assert_true(!k || r.err.t_us == 9000000);
        rig_close(&r);
        px4_order(NULL);
    }
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file),          cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_file_is_flown), cmocka_unit_test(test_set),
        cmocka_unit_test(test_geometry),
    };
    return cmocka_run_group_tests(tests, folder_set_up, folder_tear_down);
}
