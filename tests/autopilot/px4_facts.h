// px4_facts.h - the messages at PX4's boundary as they were noted down from a real build: what
// layouts are held against, so it shares nothing with the tables of the bridge or the stand-in.
#ifndef TAC_TESTS_AUTOPILOT_PX4_FACTS_H
#define TAC_TESTS_AUTOPILOT_PX4_FACTS_H

#include <stdint.h>

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
    // Not read from a build, but computed from PX4's .msg files.
    {"vehicle_command", 56, 0xcba514af,
     "q timestamp; d param5 param6; f param1 param2 param3 param4 param7; I command; H "
     "source_component; b target_system target_component source_system confirmation "
     "from_external"},
    {"vehicle_command_ack", 24, 0xa47749fe,
     "q timestamp; I command; i result_param2; H target_component; b result result_param1 "
     "target_system from_external"},
};

enum { PX4_MESSAGES = sizeof px4_messages / sizeof *px4_messages };

#endif
