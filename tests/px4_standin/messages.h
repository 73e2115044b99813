// messages.h - the uORB messages at the boundary, as PX4's generated structs have them: fields by
// size, the largest first, the order of declaration within a size. Tactus has them as tables; that
// both agree is for the tests to show.
#ifndef PX4_STANDIN_MESSAGES_H
#define PX4_STANDIN_MESSAGES_H

#include <stdint.h>

struct battery_status {
    uint64_t timestamp;
    float voltage_v, current_a, current_average_a, discharged_mah, remaining, scale;
    float time_remaining_s, temperature, voltage_cell_v[14], max_cell_voltage_delta;
    float full_charge_capacity_wh, remaining_capacity_wh, nominal_voltage;
    float internal_resistance_estimate, ocv_estimate, ocv_estimate_filtered;
    float volt_based_soc_estimate, voltage_prediction, prediction_error, estimation_covariance_norm;
    uint16_t capacity, cycle_count, average_time_to_empty, manufacture_date, state_of_health;
    uint16_t max_error, interface_error, faults, over_discharge_count;
    uint8_t connected, cell_count, source, priority, id, is_powering_off, is_required, warning;
};

struct vehicle_attitude {
    uint64_t timestamp, timestamp_sample;
    float q[4], delta_q_reset[4];
    uint8_t quat_reset_counter;
};

struct vehicle_local_position {
    uint64_t timestamp, timestamp_sample, ref_timestamp;
    double ref_lat, ref_lon;
    float x, y, z, delta_xy[2], delta_z, vx, vy, vz, z_deriv, delta_vxy[2], delta_vz, ax, ay, az;
    float heading, heading_var, unaided_heading, delta_heading, tilt_var, ref_alt, dist_bottom;
    float dist_bottom_var, delta_dist_bottom, eph, epv, evh, evv, vxy_max, vz_max, hagl_min;
    float hagl_max_z, hagl_max_xy;
    uint8_t xy_valid, z_valid, v_xy_valid, v_z_valid, xy_reset_counter, z_reset_counter;
    uint8_t vxy_reset_counter, vz_reset_counter, heading_reset_counter, heading_good_for_control;
    uint8_t xy_global, z_global, dist_bottom_valid, dist_bottom_reset_counter;
    uint8_t dist_bottom_sensor_bitfield, dead_reckoning;
};

struct vehicle_global_position {
    uint64_t timestamp, timestamp_sample;
    double lat, lon;
    float alt, alt_ellipsoid, delta_alt, delta_terrain, eph, epv, terrain_alt;
    uint8_t lat_lon_valid, alt_valid, lat_lon_reset_counter, alt_reset_counter;
    uint8_t terrain_reset_counter, terrain_alt_valid, dead_reckoning;
};

struct vehicle_angular_velocity {
    uint64_t timestamp, timestamp_sample;
    float xyz[3], xyz_derivative[3];
};

struct vehicle_land_detected {
    uint64_t timestamp;
    uint8_t freefall, ground_contact, maybe_landed, landed, in_ground_effect, in_descend;
    uint8_t has_low_throttle, vertical_movement, horizontal_movement, rotational_movement;
    uint8_t close_to_ground_or_skipped_check, at_rest;
};

struct vehicle_status {
    uint64_t timestamp, armed_time, takeoff_time, nav_state_timestamp;
    uint32_t valid_nav_states_mask, can_set_nav_states_mask;
    uint16_t failure_detector_status;
    uint8_t arming_state, latest_arming_reason, latest_disarming_reason, nav_state_user_intention;
    uint8_t nav_state, executor_in_charge, hil_state, vehicle_type, failsafe;
    uint8_t failsafe_and_user_took_over, failsafe_defer_state, gcs_connection_lost;
    uint8_t gcs_connection_lost_counter, high_latency_data_link_lost, is_vtol, is_vtol_tailsitter;
    uint8_t in_transition_mode, in_transition_to_fw, system_type, system_id, component_id;
    uint8_t safety_button_available, safety_off, power_input_valid, usb_connected;
    uint8_t open_drone_id_system_present, open_drone_id_system_healthy, parachute_system_present;
    uint8_t parachute_system_healthy, rc_calibration_in_progress, calibration_enabled;
    uint8_t pre_flight_checks_pass;
};

struct vehicle_control_mode {
    uint64_t timestamp;
    uint8_t flag_armed, flag_multicopter_position_control_enabled, flag_control_manual_enabled;
    uint8_t flag_control_auto_enabled, flag_control_offboard_enabled, flag_control_position_enabled;
    uint8_t flag_control_velocity_enabled, flag_control_altitude_enabled;
    uint8_t flag_control_climb_rate_enabled, flag_control_acceleration_enabled;
    uint8_t flag_control_attitude_enabled, flag_control_rates_enabled;
    uint8_t flag_control_allocation_enabled, flag_control_termination_enabled, source_id;
};

struct actuator_armed {
    uint64_t timestamp;
    uint8_t armed, prearmed, ready_to_arm, lockdown, kill, termination, in_esc_calibration_mode;
};

struct home_position {
    uint64_t timestamp;
    double lat, lon;
    float alt, x, y, z, roll, pitch, yaw;
    uint32_t update_count;
    uint8_t valid_alt, valid_hpos, valid_lpos, manual_home;
};

struct geofence_status {
    uint64_t timestamp;
    uint32_t geofence_id;
    uint8_t status;
};

struct actuator_motors {
    uint64_t timestamp, timestamp_sample;
    float control[12];
    uint16_t reversible_flags;
};

struct actuator_servos {
    uint64_t timestamp, timestamp_sample;
    float control[8];
};

struct vehicle_torque_setpoint {
    uint64_t timestamp, timestamp_sample;
    float xyz[3];
};

struct vehicle_thrust_setpoint {
    uint64_t timestamp, timestamp_sample;
    float xyz[3];
};

struct vehicle_attitude_setpoint {
    uint64_t timestamp;
    float yaw_sp_move_rate, q_d[4], thrust_body[3];
};

struct vehicle_rates_setpoint {
    uint64_t timestamp;
    float roll, pitch, yaw, thrust_body[3];
    uint8_t reset_integral;
};

struct mission_result {
    uint64_t timestamp;
    uint32_t mission_id, geofence_id, home_position_counter;
    int32_t seq_reached;
    uint16_t seq_current, seq_total, item_changed_index, item_do_jump_remaining;
    uint8_t valid, warning, finished, failure, item_do_jump_changed, execution_mode;
};

struct trajectory_setpoint {
    uint64_t timestamp;
    float position[3], velocity[3], acceleration[3], jerk[3], yaw, yawspeed;
};

struct vehicle_command {
    uint64_t timestamp;
    double param5, param6;
    float param1, param2, param3, param4, param7;
    uint32_t command;
    uint16_t source_component;
    uint8_t target_system, target_component, source_system, confirmation, from_external;
};

struct vehicle_command_ack {
    uint64_t timestamp;
    uint32_t command;
    int32_t result_param2;
    uint16_t target_component;
    uint8_t result, result_param1, target_system, from_external;
};

// From a pilot, and from PX4's failure detector, as PX4 1.16 has them.
struct manual_control_setpoint {
    uint64_t timestamp, timestamp_sample;
    float roll, pitch, yaw, throttle, flaps, aux[6];
    uint16_t buttons;
    uint8_t valid, data_source, sticks_moving;
};

struct failure_detector_status {
    uint64_t timestamp;
    float imbalanced_prop_metric;
    uint16_t motor_failure_mask;
    uint8_t fd_roll, fd_pitch, fd_alt, fd_ext, fd_arm_escs, fd_battery, fd_imbalanced_prop;
    uint8_t fd_motor;
};

// X(topic, last field, message hash). As read from a real build but for geofence_status,
// vehicle_command, vehicle_command_ack, manual_control_setpoint and failure_detector_status: their
// hashes follow by the rule from PX4's .msg files.
#define TOPICS(X)                                                                                  \
    X(battery_status, warning, 0xfd330964)                                                         \
    X(vehicle_attitude, quat_reset_counter, 0x0ac1f7cd)                                            \
    X(vehicle_local_position, dead_reckoning, 0x5141d2f7)                                          \
    X(vehicle_global_position, dead_reckoning, 0x923ca365)                                         \
    X(vehicle_angular_velocity, xyz_derivative, 0x48cb9568)                                        \
    X(vehicle_land_detected, at_rest, 0x4c30e23f)                                                  \
    X(vehicle_status, pre_flight_checks_pass, 0xf779fa65)                                          \
    X(vehicle_control_mode, source_id, 0x25a90612)                                                 \
    X(actuator_armed, in_esc_calibration_mode, 0x77773c05)                                         \
    X(home_position, manual_home, 0x159bab7e)                                                      \
    X(geofence_status, status, 0x5e9910da)                                                         \
    X(manual_control_setpoint, sticks_moving, 0x22fe7136)                                          \
    X(failure_detector_status, fd_motor, 0x569c717f)                                               \
    X(actuator_motors, reversible_flags, 0xcabc4d45)                                               \
    X(actuator_servos, control, 0xc5d59a9e)                                                        \
    X(vehicle_torque_setpoint, xyz, 0x67088e65)                                                    \
    X(vehicle_thrust_setpoint, xyz, 0x67088e65)                                                    \
    X(vehicle_attitude_setpoint, thrust_body, 0x0591bb5a)                                          \
    X(vehicle_rates_setpoint, reset_integral, 0x79992167)                                          \
    X(mission_result, execution_mode, 0x70caef92)                                                  \
    X(trajectory_setpoint, yawspeed, 0xf614acde)                                                   \
    X(vehicle_command, from_external, 0xcba514af)                                                  \
    X(vehicle_command_ack, from_external, 0xa47749fe)

#endif
