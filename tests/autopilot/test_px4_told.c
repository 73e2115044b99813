// What PX4 is told by the messages that a multirotor needs, field by field.
#include "autopilot/px4/message.h"
#include "autopilot/px4_flight.h"

#include <math.h>

// By the notes about PX4's interface; what is not in them is 0. `value` before
// arming; `flying` in the mission, where it is another.
typedef struct told {
    const char *field;
    double value, flying;
} told;

enum { FIELDS = 256 };

#define NOT_A_NUMBER  ((double)NAN)
#define ALWAYS(value) value, value

static const told facts[] = {
    {"vehicle_local_position.ref_timestamp", ALWAYS(1)},
    {"vehicle_local_position.ref_lat", ALWAYS(47.397742)},
    {"vehicle_local_position.ref_lon", ALWAYS(8.545594)},
    {"vehicle_local_position.vxy_max", ALWAYS(NOT_A_NUMBER)},
    {"vehicle_local_position.vz_max", ALWAYS(NOT_A_NUMBER)},
    {"vehicle_local_position.hagl_min", ALWAYS(NOT_A_NUMBER)},
    {"vehicle_local_position.hagl_max_z", ALWAYS(NOT_A_NUMBER)},
    {"vehicle_local_position.hagl_max_xy", ALWAYS(NOT_A_NUMBER)},
    {"vehicle_local_position.xy_valid", ALWAYS(1)},
    {"vehicle_local_position.z_valid", ALWAYS(1)},
    {"vehicle_local_position.v_xy_valid", ALWAYS(1)},
    {"vehicle_local_position.v_z_valid", ALWAYS(1)},
    {"vehicle_local_position.heading_good_for_control", ALWAYS(1)},
    {"vehicle_local_position.xy_global", ALWAYS(1)},
    {"vehicle_local_position.z_global", ALWAYS(1)},
    {"vehicle_global_position.eph", ALWAYS(1)},
    {"vehicle_global_position.epv", ALWAYS(1)},
    {"vehicle_global_position.lat_lon_valid", ALWAYS(1)},
    {"vehicle_global_position.alt_valid", ALWAYS(1)},
    {"vehicle_land_detected.ground_contact", 1, 0},
    {"vehicle_land_detected.maybe_landed", 1, 0},
    {"vehicle_land_detected.landed", 1, 0},
    {"vehicle_status.arming_state", 1, 2},
    {"vehicle_status.nav_state", 0, 3},
    {"vehicle_status.nav_state_user_intention", 0, 3},
    {"vehicle_status.vehicle_type", ALWAYS(1)},
    {"vehicle_control_mode.flag_armed", 0, 1},
    {"vehicle_control_mode.flag_multicopter_position_control_enabled", 0, 1},
    {"vehicle_control_mode.flag_control_manual_enabled", 1, 0},
    {"vehicle_control_mode.flag_control_auto_enabled", 0, 1},
    {"vehicle_control_mode.flag_control_position_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_velocity_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_altitude_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_climb_rate_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_attitude_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_rates_enabled", ALWAYS(1)},
    {"vehicle_control_mode.flag_control_allocation_enabled", ALWAYS(1)},
    {"actuator_armed.armed", 0, 1},
    {"actuator_armed.prearmed", 0, 1},
    {"actuator_armed.ready_to_arm", ALWAYS(1)},
    {"home_position.lat", ALWAYS(47.397742)},
    {"home_position.lon", ALWAYS(8.545594)},
    {"home_position.valid_alt", ALWAYS(1)},
    {"home_position.valid_hpos", ALWAYS(1)},
    {"home_position.valid_lpos", ALWAYS(1)},
    {"battery_status.connected", ALWAYS(1)},
    {"battery_status.scale", ALWAYS(1)},
    {"battery_status.id", ALWAYS(1)},
};

// Of which test_px4.c says more.
static const char *const changing[] = {"timestamp",
                                       "timestamp_sample",
                                       "voltage_v",
                                       "current_a",
                                       "current_average_a",
                                       "remaining",
                                       "q",
                                       "x",
                                       "y",
                                       "z",
                                       "vx",
                                       "vy",
                                       "vz",
                                       "z_deriv",
                                       "heading",
                                       "unaided_heading",
                                       "ref_alt",
                                       "xyz",
                                       "xyz_derivative",
                                       "update_count",
                                       "alt",
                                       "alt_ellipsoid",
                                       "yaw",
                                       "vehicle_global_position.lat",
                                       "vehicle_global_position.lon"};

static bool is_changing(const char *name)
{
    const char *field = strchr(name, '.') + 1;
    for (size_t i = 0; i < sizeof changing / sizeof *changing; i++) {
        if (!strcmp(changing[i], name) || !strcmp(changing[i], field))
            return true;
    }
    return false;
}

static double expected(const char *name, bool flying)
{
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        if (!strcmp(facts[i].field, name))
            return flying ? facts[i].flying : facts[i].value;
    }
    return 0;
}

static void check_told(rig *r, char names[][80], int count, bool flying)
{
    size_t known = 0;
    for (int i = 0; i < count; i++) {
        char signal[64];
        snprintf(signal, sizeof signal, "uav.control.f%d", i);
        const double value = rig_f64(r, signal), wanted = expected(names[i], flying);
        if (is_changing(names[i]))
            continue;
        if (!(fabs(value - wanted) < 1e-12) && !(isnan(value) && isnan(wanted)))
            fail_msg("%s is %g, not %g", names[i], value, wanted);
        for (size_t k = 0; k < sizeof facts / sizeof *facts; k++)
            known += !strcmp(facts[k].field, names[i]);
    }
    assert_int_equal(known, sizeof facts / sizeof *facts);
}

static void test_told(void **state)
{
    (void)state;
    static const char *const topics[] = {"battery_status",           "vehicle_attitude",
                                         "vehicle_local_position",   "vehicle_global_position",
                                         "vehicle_angular_velocity", "vehicle_land_detected",
                                         "vehicle_status",           "vehicle_control_mode",
                                         "actuator_armed",           "home_position"};
    static char set[16384], names[FIELDS][80];
    tac__arena arena;
    tac__arena_init(&arena, NULL);
    tac__out out = tac__out_begin(set, sizeof set);
    int count = 0;
    tac__out_add(&out, "autopilot.px4.subscribe=[");
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++) {
        const tac__uorb_message *m;
        assert_int_equal(tac__uorb_builtin(&arena, topics[i], &m, NULL), TAC_OK);
        tac__out_add(&out, "%s{topic: %s, fields: {", i ? ", " : "", topics[i]);
        for (size_t k = 0; k < m->field_count; k++) {
            snprintf(names[count], sizeof names[count], "%s.%s", topics[i], m->fields[k].name);
            tac__out_add(&out, "%sf%d: '%s%s'", k ? ", " : "", count++, m->fields[k].name,
                         m->fields[k].array ? "[1]" : "");
        }
        tac__out_add(&out, "}}");
    }
    tac__out_add(&out, "]");
    const char *sets[] = {set};
    rig r;
    px4_open(&r, sets, 1);
    rig_run(&r, 500000);
    check_told(&r, names, count, false);
    rig_run(&r, 10000000);
    check_told(&r, names, count, true);
    rig_close(&r);
    tac__arena_fini(&arena);
}

int main(void)
{
    px4_order(NULL);
    px4_library("px4_standin");
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
