// px4_library.h - libpx4_lockstep for tests: a copy of a file of our own, opened, and the messages
// at its boundary by name of field. Layouts stand here as the text in which they were noted down.
#ifndef TAC_TESTS_AUTOPILOT_PX4_LIBRARY_H
#define TAC_TESTS_AUTOPILOT_PX4_LIBRARY_H

#include "support/folder.h"
#include "support/test.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- the library
// ----------------------------------------------------------------------------------

// X(result, name, arguments)
#define PX4_FUNCTIONS(X)                                                                           \
    X(uint32_t, abi_version, (void))                                                               \
    X(void, sizes, (uint32_t *, uint32_t *, uint32_t *))                                           \
    X(void *, create, (const int32_t *))                                                           \
    X(void, destroy, (void *))                                                                     \
    X(int, load_mission_qgc_wpl, (void *, const char *))                                           \
    X(int, step_uorb, (void *, uint64_t))                                                          \
    X(int, param_set_i32, (void *, const char *, int32_t))                                         \
    X(int, param_set_f32, (void *, const char *, float))                                           \
    X(int, param_get_i32, (void *, const char *, int32_t *))                                       \
    X(int, param_get_f32, (void *, const char *, float *))                                         \
    X(int, param_notify, (void *))                                                                 \
    X(int, param_preinit_set_i32, (const char *, int32_t))                                         \
    X(int, param_preinit_set_f32, (const char *, float))                                           \
    X(int, control_alloc_update_params, (void *))                                                  \
    X(int, orb_topic_metadata,                                                                     \
      (void *, const char *, const char **, uint32_t *, uint32_t *, uint32_t *, uint8_t *))        \
    X(int, orb_create_publisher,                                                                   \
      (void *, const char *, int32_t, uint32_t, int32_t *, int32_t *, uint32_t *))                 \
    X(int, orb_create_publisher_ex,                                                                \
      (void *, const char *, int32_t, uint32_t, int32_t, int32_t *, int32_t *, uint32_t *))        \
    X(int, orb_queue_publish, (void *, int32_t, const void *, uint32_t))                           \
    X(int, orb_publisher_instance, (void *, int32_t, int32_t *))                                   \
    X(int, orb_create_subscriber, (void *, const char *, uint32_t, int32_t *, uint32_t *))         \
    X(int, orb_check, (void *, int32_t, int32_t *))                                                \
    X(int, orb_copy, (void *, int32_t, void *, uint32_t))                                          \
    X(int, orb_unsubscribe, (void *, int32_t))

typedef struct px4 {
    void *file;
    void *h;
    void (*autosave)(bool);
#define PX4_POINTER(result, name, arguments) result(*name) arguments;
    PX4_FUNCTIONS(PX4_POINTER)
#undef PX4_POINTER
} px4;

static inline void px4_copy(const char *name, const char *to)
{
    const char *build = getenv("TACTUS_BUILD");
    char from[1024];
    static char bytes[1 << 16];
    snprintf(from, sizeof from, "%s/tests/lib%s.so", build ? build : ".", name);
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    if (!in || !out)
        fail_msg("cannot copy %s to %s", from, to);
    for (size_t size; (size = fread(bytes, 1, sizeof bytes, in)) > 0;)
        assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
    fclose(in);
}

// A fresh copy of lib`name`.so; no handle yet. Functions that it does not have are NULL.
static inline px4 px4_open(const char *name)
{
    static int copies;
    char file[32];
    snprintf(file, sizeof file, "copy%d.so", copies++);
    const char *path = path_of(file);
    px4_copy(name, path);
    px4 p = {.file = dlopen(path, RTLD_NOW | RTLD_LOCAL)};
    if (!p.file)
        fail_msg("%s", dlerror());
#define PX4_RESOLVE(result, name, arguments)                                                       \
    *(void **)&p.name = dlsym(p.file, "px4_lockstep_" #name);
    PX4_FUNCTIONS(PX4_RESOLVE)
#undef PX4_RESOLVE
    *(void **)&p.autosave = dlsym(p.file, "param_control_autosave");
    return p;
}

static const int32_t px4_defaults[9] = {1, 0, 100, 20, 100, 250, 250, 1, 250};

static inline px4 px4_start(const char *name, const int32_t *config)
{
    px4 p = px4_open(name);
    p.h = p.create(config);
    assert_non_null(p.h);
    return p;
}

static inline void px4_close(px4 *p)
{
    p->destroy(p->h);
    dlclose(p->file);
}

// --- messages
// -------------------------------------------------------------------------------------

typedef struct px4_message {
    const char *topic;
    uint32_t size, hash;
    const char *layout; // sorted; q uint64, d double, f float, I uint32, i int32, H uint16, b byte
} px4_message;

static const px4_message px4_messages[] = {
    {"battery_status", 168, 0xfd330964,
     "q timestamp; f voltage_v current_a current_average_a discharged_mah remaining scale "
     "time_remaining_s temperature voltage_cell_v*14 max_cell_voltage_delta "
     "full_charge_capacity_wh remaining_capacity_wh nominal_voltage internal_resistance_estimate "
     "ocv_estimate ocv_estimate_filtered volt_based_soc_estimate voltage_prediction "
     "prediction_error estimation_covariance_norm; H capacity cycle_count average_time_to_empty "
     "manufacture_date state_of_health max_error interface_error faults over_discharge_count; "
     "b connected cell_count source priority id is_powering_off is_required warning"},
    {"vehicle_attitude", 56, 0x0ac1f7cd,
     "q timestamp timestamp_sample; f q*4 delta_q_reset*4; b quat_reset_counter"},
    {"vehicle_local_position", 192, 0x5141d2f7,
     "q timestamp timestamp_sample ref_timestamp; d ref_lat ref_lon; f x y z delta_xy*2 delta_z vx "
     "vy vz z_deriv delta_vxy*2 delta_vz ax ay az heading heading_var unaided_heading "
     "delta_heading tilt_var ref_alt dist_bottom dist_bottom_var delta_dist_bottom eph epv evh evv "
     "vxy_max vz_max hagl_min hagl_max_z hagl_max_xy; b xy_valid z_valid v_xy_valid v_z_valid "
     "xy_reset_counter z_reset_counter vxy_reset_counter vz_reset_counter heading_reset_counter "
     "heading_good_for_control xy_global z_global dist_bottom_valid dist_bottom_reset_counter "
     "dist_bottom_sensor_bitfield dead_reckoning"},
    {"vehicle_global_position", 72, 0x923ca365,
     "q timestamp timestamp_sample; d lat lon; f alt alt_ellipsoid delta_alt delta_terrain eph epv "
     "terrain_alt; b lat_lon_valid alt_valid lat_lon_reset_counter alt_reset_counter "
     "terrain_reset_counter terrain_alt_valid dead_reckoning"},
    {"vehicle_angular_velocity", 40, 0x48cb9568,
     "q timestamp timestamp_sample; f xyz*3 xyz_derivative*3"},
    {"vehicle_land_detected", 24, 0x4c30e23f,
     "q timestamp; b freefall ground_contact maybe_landed landed in_ground_effect in_descend "
     "has_low_throttle vertical_movement horizontal_movement rotational_movement "
     "close_to_ground_or_skipped_check at_rest"},
    {"vehicle_status", 80, 0xf779fa65,
     "q timestamp armed_time takeoff_time nav_state_timestamp; I valid_nav_states_mask "
     "can_set_nav_states_mask; H failure_detector_status; b arming_state latest_arming_reason "
     "latest_disarming_reason nav_state_user_intention nav_state executor_in_charge hil_state "
     "vehicle_type failsafe failsafe_and_user_took_over failsafe_defer_state gcs_connection_lost "
     "gcs_connection_lost_counter high_latency_data_link_lost is_vtol is_vtol_tailsitter "
     "in_transition_mode in_transition_to_fw system_type system_id component_id "
     "safety_button_available safety_off power_input_valid usb_connected "
     "open_drone_id_system_present open_drone_id_system_healthy parachute_system_present "
     "parachute_system_healthy rc_calibration_in_progress calibration_enabled "
     "pre_flight_checks_pass"},
    {"vehicle_control_mode", 24, 0x25a90612,
     "q timestamp; b flag_armed flag_multicopter_position_control_enabled "
     "flag_control_manual_enabled flag_control_auto_enabled flag_control_offboard_enabled "
     "flag_control_position_enabled flag_control_velocity_enabled flag_control_altitude_enabled "
     "flag_control_climb_rate_enabled flag_control_acceleration_enabled "
     "flag_control_attitude_enabled flag_control_rates_enabled flag_control_allocation_enabled "
     "flag_control_termination_enabled source_id"},
    {"actuator_armed", 16, 0x77773c05,
     "q timestamp; b armed prearmed ready_to_arm lockdown kill termination "
     "in_esc_calibration_mode"},
    {"home_position", 64, 0x159bab7e,
     "q timestamp; d lat lon; f alt x y z roll pitch yaw; I update_count; b valid_alt valid_hpos "
     "valid_lpos manual_home"},
    {"actuator_motors", 72, 0xcabc4d45,
     "q timestamp timestamp_sample; f control*12; H reversible_flags"},
    {"actuator_servos", 48, 0xc5d59a9e, "q timestamp timestamp_sample; f control*8"},
    {"vehicle_torque_setpoint", 32, 0x67088e65, "q timestamp timestamp_sample; f xyz*3"},
    {"vehicle_thrust_setpoint", 32, 0x67088e65, "q timestamp timestamp_sample; f xyz*3"},
    {"vehicle_attitude_setpoint", 40, 0x0591bb5a,
     "q timestamp; f yaw_sp_move_rate q_d*4 thrust_body*3"},
    {"vehicle_rates_setpoint", 40, 0x79992167,
     "q timestamp; f roll pitch yaw thrust_body*3; b reset_integral"},
    {"mission_result", 40, 0x70caef92,
     "q timestamp; I mission_id geofence_id home_position_counter; i seq_reached; H seq_current "
     "seq_total item_changed_index item_do_jump_remaining; b valid warning finished failure "
     "item_do_jump_changed execution_mode"},
    {"trajectory_setpoint", 64, 0xf614acde,
     "q timestamp; f position*3 velocity*3 acceleration*3 jerk*3 yaw yawspeed"},
};

enum { PX4_MESSAGES = sizeof px4_messages / sizeof *px4_messages, PX4_BYTES = 256 };

static inline const px4_message *px4_message_of(const char *topic)
{
    for (const px4_message *m = px4_messages; m < px4_messages + PX4_MESSAGES; m++) {
        if (strcmp(m->topic, topic) == 0)
            return m;
    }
    fail_msg("no topic %s", topic);
    return NULL;
}

static inline uint32_t px4_width(char type)
{
    return type == 'q' || type == 'd' ? 8 : type == 'H' ? 2 : type == 'b' ? 1 : 4;
}

// Where a field stands, and its type; without a name, where the last one ends.
static inline uint32_t px4_offset(const px4_message *m, const char *field, char *type)
{
    uint32_t at = 0;
    char kind = 0;
    for (const char *word = m->layout; *word; word += strcspn(word, " "), word += *word == ' ') {
        const size_t length = strcspn(word, " *;");
        const size_t whole = strcspn(word, " ");
        if (whole == 1 && (kind == 0 || word[-2] == ';')) {
            kind = *word;
            continue;
        }
        if (field && strlen(field) == length && strncmp(word, field, length) == 0) {
            *type = kind;
            return at;
        }
        at += px4_width(kind) * (word[length] == '*' ? (uint32_t)atoi(word + length + 1) : 1);
    }
    if (field)
        fail_msg("no field %s in %s", field, m->topic);
    return at;
}

static inline void px4_put(uint8_t *bytes, const char *topic, const char *field, int i, double v)
{
    char type = 0;
    uint8_t *at = bytes + px4_offset(px4_message_of(topic), field, &type);
    at += (uint32_t)i * px4_width(type);
    const uint64_t q = type == 'q' ? (uint64_t)v : 0;
    const float f = (float)v;
    const int64_t whole = isnan(v) ? 0 : (int64_t)v; // little endian: its first bytes
    const void *from = &whole;
    if (type == 'q')
        from = &q;
    else if (type == 'd')
        from = &v;
    else if (type == 'f')
        from = &f;
    memcpy(at, from, px4_width(type));
}

static inline double px4_get(const uint8_t *bytes, const char *topic, const char *field, int i)
{
    char type = 0;
    const uint8_t *at = bytes + px4_offset(px4_message_of(topic), field, &type);
    at += (uint32_t)i * px4_width(type);
    uint64_t q = 0;
    double d;
    float f;
    int32_t s;
    memcpy(&q, at, px4_width(type));
    memcpy(&d, &q, sizeof d);
    memcpy(&f, &q, sizeof f);
    memcpy(&s, &q, sizeof s);
    return type == 'd' ? d : type == 'f' ? (double)f : type == 'i' ? s : (double)q;
}

#endif
