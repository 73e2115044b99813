// builtin.c - the messages exchanged with PX4, as they are in the version that the bridge was made
// with. Fields stand in the order of declaration, from which layout and hash follow. The size and
// hash beside each topic were read from a build of PX4, but for vehicle_command and its
// acknowledgement, of which the .msg files of PX4 were read; a test compares them with the computed
// ones.
#include "autopilot/px4/message.h"

#include <stdlib.h>
#include <string.h>

// Fields of one type that are declared one after another; "name*n" is an array.
typedef struct group {
    const char *type, *names;
} group;

// --- to PX4 -------------------------------------------------------------------------------------

static const group battery_status[] = {
    {"uint64", "timestamp"},
    {"bool", "connected"},
    {"float32",
     "voltage_v current_a current_average_a discharged_mah remaining scale time_remaining_s "
     "temperature"},
    {"uint8", "cell_count source priority"},
    {"uint16",
     "capacity cycle_count average_time_to_empty manufacture_date state_of_health max_error"},
    {"uint8", "id"},
    {"uint16", "interface_error"},
    {"float32", "voltage_cell_v*14 max_cell_voltage_delta"},
    {"bool", "is_powering_off is_required"},
    {"uint8", "warning"},
    {"uint16", "faults"},
    {"float32", "full_charge_capacity_wh remaining_capacity_wh"},
    {"uint16", "over_discharge_count"},
    {"float32", "nominal_voltage internal_resistance_estimate ocv_estimate ocv_estimate_filtered "
                "volt_based_soc_estimate voltage_prediction prediction_error "
                "estimation_covariance_norm"},
    {NULL, NULL},
};

static const group vehicle_attitude[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"float32", "q*4 delta_q_reset*4"},
    {"uint8", "quat_reset_counter"},
    {NULL, NULL},
};

static const group vehicle_local_position[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"bool", "xy_valid z_valid v_xy_valid v_z_valid"},
    {"float32", "x y z delta_xy*2"},
    {"uint8", "xy_reset_counter"},
    {"float32", "delta_z"},
    {"uint8", "z_reset_counter"},
    {"float32", "vx vy vz z_deriv delta_vxy*2"},
    {"uint8", "vxy_reset_counter"},
    {"float32", "delta_vz"},
    {"uint8", "vz_reset_counter"},
    {"float32", "ax ay az heading heading_var unaided_heading delta_heading"},
    {"uint8", "heading_reset_counter"},
    {"bool", "heading_good_for_control"},
    {"float32", "tilt_var"},
    {"bool", "xy_global z_global"},
    {"uint64", "ref_timestamp"},
    {"float64", "ref_lat ref_lon"},
    {"float32", "ref_alt"},
    {"bool", "dist_bottom_valid"},
    {"float32", "dist_bottom dist_bottom_var delta_dist_bottom"},
    {"uint8", "dist_bottom_reset_counter dist_bottom_sensor_bitfield"},
    {"float32", "eph epv evh evv"},
    {"bool", "dead_reckoning"},
    {"float32", "vxy_max vz_max hagl_min hagl_max_z hagl_max_xy"},
    {NULL, NULL},
};

static const group vehicle_global_position[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"float64", "lat lon"},
    {"float32", "alt alt_ellipsoid"},
    {"bool", "lat_lon_valid alt_valid"},
    {"float32", "delta_alt delta_terrain"},
    {"uint8", "lat_lon_reset_counter alt_reset_counter terrain_reset_counter"},
    {"float32", "eph epv terrain_alt"},
    {"bool", "terrain_alt_valid dead_reckoning"},
    {NULL, NULL},
};

static const group vehicle_angular_velocity[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"float32", "xyz*3 xyz_derivative*3"},
    {NULL, NULL},
};

static const group vehicle_land_detected[] = {
    {"uint64", "timestamp"},
    {"bool", "freefall ground_contact maybe_landed landed in_ground_effect in_descend "
             "has_low_throttle vertical_movement horizontal_movement rotational_movement "
             "close_to_ground_or_skipped_check at_rest"},
    {NULL, NULL},
};

static const group vehicle_status[] = {
    {"uint64", "timestamp armed_time takeoff_time"},
    {"uint8", "arming_state latest_arming_reason latest_disarming_reason"},
    {"uint64", "nav_state_timestamp"},
    {"uint8", "nav_state_user_intention nav_state executor_in_charge"},
    {"uint32", "valid_nav_states_mask can_set_nav_states_mask"},
    {"uint16", "failure_detector_status"},
    {"uint8", "hil_state vehicle_type"},
    {"bool", "failsafe failsafe_and_user_took_over"},
    {"uint8", "failsafe_defer_state"},
    {"bool", "gcs_connection_lost"},
    {"uint8", "gcs_connection_lost_counter"},
    {"bool", "high_latency_data_link_lost is_vtol is_vtol_tailsitter in_transition_mode "
             "in_transition_to_fw"},
    {"uint8", "system_type system_id component_id"},
    {"bool", "safety_button_available safety_off power_input_valid usb_connected "
             "open_drone_id_system_present open_drone_id_system_healthy parachute_system_present "
             "parachute_system_healthy rc_calibration_in_progress calibration_enabled "
             "pre_flight_checks_pass"},
    {NULL, NULL},
};

static const group vehicle_control_mode[] = {
    {"uint64", "timestamp"},
    {"bool",
     "flag_armed flag_multicopter_position_control_enabled flag_control_manual_enabled "
     "flag_control_auto_enabled flag_control_offboard_enabled flag_control_position_enabled "
     "flag_control_velocity_enabled flag_control_altitude_enabled "
     "flag_control_climb_rate_enabled flag_control_acceleration_enabled "
     "flag_control_attitude_enabled flag_control_rates_enabled "
     "flag_control_allocation_enabled flag_control_termination_enabled"},
    {"uint8", "source_id"},
    {NULL, NULL},
};

static const group actuator_armed[] = {
    {"uint64", "timestamp"},
    {"bool", "armed prearmed ready_to_arm lockdown kill termination in_esc_calibration_mode"},
    {NULL, NULL},
};

static const group home_position[] = {
    {"uint64", "timestamp"},
    {"float64", "lat lon"},
    {"float32", "alt x y z roll pitch yaw"},
    {"bool", "valid_alt valid_hpos valid_lpos manual_home"},
    {"uint32", "update_count"},
    {NULL, NULL},
};

// --- from PX4 -----------------------------------------------------------------------------------

static const group actuator_motors[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"uint16", "reversible_flags"},
    {"float32", "control*12"},
    {NULL, NULL},
};

static const group actuator_servos[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"float32", "control*8"},
    {NULL, NULL},
};

static const group vector_setpoint[] = {
    {"uint64", "timestamp timestamp_sample"},
    {"float32", "xyz*3"},
    {NULL, NULL},
};

static const group vehicle_attitude_setpoint[] = {
    {"uint64", "timestamp"},
    {"float32", "yaw_sp_move_rate q_d*4 thrust_body*3"},
    {NULL, NULL},
};

static const group vehicle_rates_setpoint[] = {
    {"uint64", "timestamp"},
    {"float32", "roll pitch yaw thrust_body*3"},
    {"bool", "reset_integral"},
    {NULL, NULL},
};

static const group mission_result[] = {
    {"uint64", "timestamp"},
    {"uint32", "mission_id geofence_id home_position_counter"},
    {"int32", "seq_reached"},
    {"uint16", "seq_current seq_total"},
    {"bool", "valid warning finished failure item_do_jump_changed"},
    {"uint16", "item_changed_index item_do_jump_remaining"},
    {"uint8", "execution_mode"},
    {NULL, NULL},
};

static const group trajectory_setpoint[] = {
    {"uint64", "timestamp"},
    {"float32", "position*3 velocity*3 acceleration*3 jerk*3 yaw yawspeed"},
    {NULL, NULL},
};

// --- both ways ----------------------------------------------------------------------------------

static const group vehicle_command[] = {
    {"uint64", "timestamp"},        {"float32", "param1 param2 param3 param4"},
    {"float64", "param5 param6"},   {"float32", "param7"},
    {"uint32", "command"},          {"uint8", "target_system target_component source_system"},
    {"uint16", "source_component"}, {"uint8", "confirmation"},
    {"bool", "from_external"},      {NULL, NULL},
};

static const group vehicle_command_ack[] = {
    {"uint64", "timestamp"},           {"uint32", "command"},
    {"uint8", "result result_param1"}, {"int32", "result_param2"},
    {"uint8", "target_system"},        {"uint16", "target_component"},
    {"bool", "from_external"},         {NULL, NULL},
};

// --- topics -------------------------------------------------------------------------------------

static const struct {
    const char *topic;
    uint32_t size, hash;
    const group *groups;
} topics[] = {
    {"battery_status", 168, 0xfd330964, battery_status},
    {"vehicle_attitude", 56, 0x0ac1f7cd, vehicle_attitude},
    {"vehicle_local_position", 192, 0x5141d2f7, vehicle_local_position},
    {"vehicle_global_position", 72, 0x923ca365, vehicle_global_position},
    {"vehicle_angular_velocity", 40, 0x48cb9568, vehicle_angular_velocity},
    {"vehicle_land_detected", 24, 0x4c30e23f, vehicle_land_detected},
    {"vehicle_status", 80, 0xf779fa65, vehicle_status},
    {"vehicle_control_mode", 24, 0x25a90612, vehicle_control_mode},
    {"actuator_armed", 16, 0x77773c05, actuator_armed},
    {"home_position", 64, 0x159bab7e, home_position},
    {"actuator_motors", 72, 0xcabc4d45, actuator_motors},
    {"actuator_servos", 48, 0xc5d59a9e, actuator_servos},
    {"vehicle_torque_setpoint", 32, 0x67088e65, vector_setpoint},
    {"vehicle_thrust_setpoint", 32, 0x67088e65, vector_setpoint},
    {"vehicle_attitude_setpoint", 40, 0x0591bb5a, vehicle_attitude_setpoint},
    {"vehicle_rates_setpoint", 40, 0x79992167, vehicle_rates_setpoint},
    {"mission_result", 40, 0x70caef92, mission_result},
    {"trajectory_setpoint", 64, 0xf614acde, trajectory_setpoint},
    {"vehicle_command", 56, 0xcba514af, vehicle_command},
    {"vehicle_command_ack", 24, 0xa47749fe, vehicle_command_ack},
};

enum { TOPIC_COUNT = sizeof topics / sizeof *topics };

const char *tac__uorb_builtin_topic(size_t i)
{
    return i < TOPIC_COUNT ? topics[i].topic : NULL;
}

static const char *topic_name(const void *context, size_t i)
{
    (void)context;
    return tac__uorb_builtin_topic(i);
}

// Reads the field at *names, as in "xyz*3", and moves *names behind it.
static tac_status next_field(tac__arena *arena, const char **names, tac__uorb_type type,
                             tac__uorb_field *field, tac_error *err)
{
    const char *start = *names;
    const size_t length = strcspn(start, "* ");
    const char *name = tac__arena_format(arena, "%.*s", (int)length, start);
    if (!name)
        return tac__fail_memory(err);
    *field = (tac__uorb_field){.name = name, .type = type, .count = 1};
    const char *end = start + length;
    if (*end == '*') {
        field->array = true;
        field->count = (uint32_t)tac__digits_parse(end + 1, &end, 10);
    }
    *names = end + strspn(end, " ");
    return TAC_OK;
}

static tac_status make(tac__arena *arena, size_t topic, const tac__uorb_message **message,
                       tac_error *err)
{
    tac__uorb_field declared[TAC__UORB_FIELDS_MAX];
    size_t count = 0;
    for (const group *g = topics[topic].groups; g->type; g++) {
        tac__uorb_type type = TAC__UORB_MESSAGE;
        tac__uorb_scalar_find(g->type, &type);
        for (const char *names = g->names; *names;)
            TAC_TRY(next_field(arena, &names, type, &declared[count++], err));
    }
    TAC_TRY(tac__uorb_lay_out(arena, topics[topic].topic, declared, count, message, err));
    TAC_ASSERT((*message)->size == topics[topic].size && (*message)->hash == topics[topic].hash);
    return TAC_OK;
}

tac_status tac__uorb_builtin(tac__arena *arena, const char *topic,
                             const tac__uorb_message **message, tac_error *err)
{
    for (size_t i = 0; i < TOPIC_COUNT; i++) {
        if (!strcmp(topics[i].topic, topic))
            return make(arena, i, message, err);
    }
    tac__fail(err, TAC_E_NAME, "topic '%s' is not built in: name a folder of .msg files", topic);
    tac__error_suggest(err, topic, topic_name, NULL);
    return TAC_E_NAME;
}
