// px4.c - the topics of PX4, with the layouts of its messages: fields sorted by size, so that there
// is no padding but at the end. Fields without a source are NaN, or 0 where they are whole numbers.
#include "record/export/px4.h"

#include <stddef.h>

// --- layouts ------------------------------------------------------------------------------------

#define SAMPLED "uint64_t timestamp;uint64_t timestamp_sample;"

#define ATTITUDE SAMPLED "float[4] q;float[4] delta_q_reset;uint8_t quat_reset_counter;"

#define ANGULAR_VELOCITY SAMPLED "float[3] xyz;float[3] xyz_derivative;"

#define LOCAL_POSITION                                                                             \
    SAMPLED "uint64_t ref_timestamp;double ref_lat;double ref_lon;float x;float y;float z;"        \
            "float[2] delta_xy;float delta_z;float vx;float vy;float vz;float z_deriv;"            \
            "float[2] delta_vxy;float delta_vz;float ax;float ay;float az;float heading;"          \
            "float heading_var;float unaided_heading;float delta_heading;float tilt_var;"          \
            "float ref_alt;float dist_bottom;float dist_bottom_var;float delta_dist_bottom;"       \
            "float eph;float epv;float evh;float evv;float vxy_max;float vz_max;float hagl_min;"   \
            "float hagl_max_z;float hagl_max_xy;bool xy_valid;bool z_valid;bool v_xy_valid;"       \
            "bool v_z_valid;uint8_t xy_reset_counter;uint8_t z_reset_counter;"                     \
            "uint8_t vxy_reset_counter;uint8_t vz_reset_counter;uint8_t heading_reset_counter;"    \
            "bool heading_good_for_control;bool xy_global;bool z_global;bool dist_bottom_valid;"   \
            "uint8_t dist_bottom_reset_counter;uint8_t dist_bottom_sensor_bitfield;"               \
            "bool dead_reckoning;"

#define BATTERY                                                                                    \
    "uint64_t timestamp;float voltage_v;float current_a;float current_average_a;"                  \
    "float discharged_mah;float remaining;float scale;float time_remaining_s;float temperature;"   \
    "float[14] voltage_cell_v;float max_cell_voltage_delta;float full_charge_capacity_wh;"         \
    "float remaining_capacity_wh;float nominal_voltage;float internal_resistance_estimate;"        \
    "float ocv_estimate;float ocv_estimate_filtered;float volt_based_soc_estimate;"                \
    "float voltage_prediction;float prediction_error;float estimation_covariance_norm;"            \
    "uint16_t capacity;uint16_t cycle_count;uint16_t average_time_to_empty;"                       \
    "uint16_t manufacture_date;uint16_t state_of_health;uint16_t max_error;"                       \
    "uint16_t interface_error;uint16_t faults;uint16_t over_discharge_count;bool connected;"       \
    "uint8_t cell_count;uint8_t source;uint8_t priority;uint8_t id;bool is_powering_off;"          \
    "bool is_required;uint8_t warning;"

#define WIND                                                                                       \
    SAMPLED "float windspeed_north;float windspeed_east;float variance_north;"                     \
            "float variance_east;float tas_innov;float tas_innov_var;float beta_innov;"            \
            "float beta_innov_var;"

#define STATUS                                                                                     \
    "uint64_t timestamp;uint64_t armed_time;uint64_t takeoff_time;uint64_t nav_state_timestamp;"   \
    "uint32_t valid_nav_states_mask;uint32_t can_set_nav_states_mask;"                             \
    "uint16_t failure_detector_status;uint8_t arming_state;uint8_t latest_arming_reason;"          \
    "uint8_t latest_disarming_reason;uint8_t nav_state_user_intention;uint8_t nav_state;"          \
    "uint8_t executor_in_charge;uint8_t hil_state;uint8_t vehicle_type;bool failsafe;"             \
    "bool failsafe_and_user_took_over;uint8_t failsafe_defer_state;bool gcs_connection_lost;"      \
    "uint8_t gcs_connection_lost_counter;bool high_latency_data_link_lost;bool is_vtol;"           \
    "bool is_vtol_tailsitter;bool in_transition_mode;bool in_transition_to_fw;"                    \
    "uint8_t system_type;uint8_t system_id;uint8_t component_id;bool safety_button_available;"     \
    "bool safety_off;bool power_input_valid;bool usb_connected;"                                   \
    "bool open_drone_id_system_present;bool open_drone_id_system_healthy;"                         \
    "bool parachute_system_present;bool parachute_system_healthy;bool rc_calibration_in_progress;" \
    "bool calibration_enabled;bool pre_flight_checks_pass;"

#define LAND_DETECTED                                                                              \
    "uint64_t timestamp;bool freefall;bool ground_contact;bool maybe_landed;bool landed;"          \
    "bool in_ground_effect;bool in_descend;bool has_low_throttle;bool vertical_movement;"          \
    "bool horizontal_movement;bool rotational_movement;bool close_to_ground_or_skipped_check;"     \
    "bool at_rest;"

#define RATES_SETPOINT                                                                             \
    "uint64_t timestamp;float roll;float pitch;float yaw;float[3] thrust_body;bool "               \
    "reset_integral;"

#define TRAJECTORY_SETPOINT                                                                        \
    "uint64_t timestamp;float[3] position;float[3] velocity;float[3] acceleration;float[3] jerk;"  \
    "float yaw;float yawspeed;"

#define BODY_SETPOINT SAMPLED "float[3] xyz;"

#define MISSION_RESULT                                                                             \
    "uint64_t timestamp;uint32_t mission_id;uint32_t geofence_id;uint32_t home_position_counter;"  \
    "int32_t seq_reached;uint16_t seq_current;uint16_t seq_total;uint16_t item_changed_index;"     \
    "uint16_t item_do_jump_remaining;bool valid;bool warning;bool finished;bool failure;"          \
    "bool item_do_jump_changed;uint8_t execution_mode;"

// --- sources ------------------------------------------------------------------------------------

static const tac__px4_source attitude[] = {
    {.field = "q", .port = "attitude", .unit = "1"},
    {0},
};

static const tac__px4_source rate[] = {
    {.field = "xyz", .port = "rate", .unit = "rad/s"},
    {0},
};

#define POSITION_AND_VELOCITY                                                                      \
    {.field = "x", .port = "position", .unit = "m", .element = 0},                                 \
        {.field = "y", .port = "position", .unit = "m", .element = 1},                             \
        {.field = "z", .port = "position", .unit = "m", .element = 2},                             \
        {.field = "vx", .port = "velocity", .unit = "m/s", .element = 0},                          \
        {.field = "vy", .port = "velocity", .unit = "m/s", .element = 1},                          \
        {.field = "vz", .port = "velocity", .unit = "m/s", .element = 2},                          \
        {.field = "z_deriv", .port = "velocity", .unit = "m/s", .element = 2},                     \
    {                                                                                              \
        .field = "heading", .port = "attitude", .unit = "1", .yaw = true                           \
    }

static const tac__px4_source true_position[] = {
    POSITION_AND_VELOCITY,
    {.field = "xy_valid", .value = 1},
    {.field = "z_valid", .value = 1},
    {.field = "v_xy_valid", .value = 1},
    {.field = "v_z_valid", .value = 1},
    {.field = "heading_good_for_control", .value = 1},
    {0},
};

static const tac__px4_source estimated_position[] = {
    POSITION_AND_VELOCITY,
    {.field = "xy_valid", .port = "valid", .optional = true},
    {.field = "z_valid", .port = "valid", .optional = true},
    {.field = "v_xy_valid", .port = "valid", .optional = true},
    {.field = "v_z_valid", .port = "valid", .optional = true},
    {.field = "heading_good_for_control", .port = "valid", .optional = true},
    {0},
};

static const tac__px4_source battery[] = {
    {.field = "voltage_v", .port = "battery.voltage", .unit = "V"},
    {.field = "current_a", .port = "battery.current", .unit = "A"},
    {.field = "remaining", .port = "battery.soc", .unit = "1", .optional = true},
    {.field = "warning", .port = "battery.warning", .unit = "1", .optional = true},
    {.field = "scale", .value = 1},
    {.field = "connected", .value = 1},
    {.field = "id", .index = true},
    {0},
};

static const tac__px4_source wind[] = {
    {.field = "windspeed_north", .port = "velocity", .unit = "m/s", .element = 0},
    {.field = "windspeed_east", .port = "velocity", .unit = "m/s", .element = 1},
    {.field = "variance_north", .value = 0},
    {.field = "variance_east", .value = 0},
    {0},
};

// Of two sources of one field the later counts, if it is there: what PX4 itself said.
static const tac__px4_source motors[] = {
    {.field = "control", .port = "motor", .unit = "1"},
    {.field = "control", .port = "control", .unit = "1", .optional = true},
    {0},
};

static const tac__px4_source attitude_setpoint[] = {
    {.field = "q_d", .port = "attitude_sp", .unit = "1"},
    {0},
};

static const tac__px4_source rates_setpoint[] = {
    {.field = "roll", .port = "rate_sp", .unit = "rad/s", .element = 0},
    {.field = "pitch", .port = "rate_sp", .unit = "rad/s", .element = 1},
    {.field = "yaw", .port = "rate_sp", .unit = "rad/s", .element = 2},
    {0},
};

static const tac__px4_source trajectory_setpoint[] = {
    {.field = "position", .port = "position_sp", .unit = "m"},
    {.field = "velocity", .port = "velocity_sp", .unit = "m/s", .optional = true},
    {.field = "acceleration", .port = "acceleration_sp", .unit = "m/s^2", .optional = true},
    {.field = "yaw", .port = "yaw_sp", .unit = "rad", .optional = true},
    {0},
};

static const tac__px4_source torque_setpoint[] = {
    {.field = "xyz", .port = "torque_sp", .unit = "1"},
    {0},
};

static const tac__px4_source thrust_setpoint[] = {
    {.field = "xyz", .port = "thrust_sp", .unit = "1"},
    {0},
};

static const tac__px4_source mission_result[] = {
    {.field = "seq_reached", .port = "mission_reached", .value = -1}, // counted from 0
    {.field = "seq_current", .port = "mission_current"},
    {.field = "seq_total", .port = "mission_total"},
    {.field = "valid", .port = "mission_valid"},
    {.field = "finished", .port = "mission_finished"},
    {0},
};

// Numbers of navigation states: 0 manual, 3 mission, 4 loiter, 5 return, 17 take-off, 18 land.
#define NAVIGATION "idle=0 takeoff=17 mission=3 return=5 land=18 landed=18 hold=4"

static const tac__px4_source status[] = {
    {.field = "arming_state", .port = "armed", .map = "false=1 true=2"},
    {.field = "nav_state", .port = "phase", .map = NAVIGATION},
    {.field = "nav_state_user_intention", .port = "phase", .map = NAVIGATION},
    {.field = "nav_state", .port = "nav_state", .optional = true},
    {.field = "nav_state_user_intention", .port = "nav_state", .optional = true},
    {.field = "vehicle_type", .value = 1}, // rotary wing
    {0},
};

static const tac__px4_source land_detected[] = {
    {.field = "landed", .port = "landed"},
    {.field = "maybe_landed", .port = "landed"},
    {.field = "ground_contact", .port = "landed"},
    {.field = "landed", .port = "land_detected", .optional = true},
    {.field = "maybe_landed", .port = "land_detected", .optional = true},
    {.field = "ground_contact", .port = "land_detected", .optional = true},
    {0},
};

// --- topics -------------------------------------------------------------------------------------

const tac__px4_topic tac__px4_topics[] = {
    {"vehicle_attitude_groundtruth", ATTITUDE, TAC__PX4_PLANT, "rate", false, attitude},
    {"vehicle_local_position_groundtruth", LOCAL_POSITION, TAC__PX4_PLANT, "rate", false,
     true_position},
    {"vehicle_angular_velocity_groundtruth", ANGULAR_VELOCITY, TAC__PX4_PLANT, "attitude", false,
     rate},
    {"battery_status", BATTERY, TAC__PX4_PLANT, NULL, true, battery},
    {"wind", WIND, TAC__PX4_AIR, NULL, false, wind},
    {"vehicle_attitude", ATTITUDE, TAC__PX4_ESTIMATE, "rate", false, attitude},
    {"vehicle_local_position", LOCAL_POSITION, TAC__PX4_ESTIMATE, "rate", false,
     estimated_position},
    {"vehicle_angular_velocity", ANGULAR_VELOCITY, TAC__PX4_ESTIMATE, "attitude", false, rate},
    {"actuator_motors", SAMPLED "float[12] control;uint16_t reversible_flags;", TAC__PX4_CONTROL,
     NULL, false, motors},
    {"vehicle_attitude_setpoint",
     "uint64_t timestamp;float yaw_sp_move_rate;float[4] q_d;float[3] thrust_body;",
     TAC__PX4_CONTROL, NULL, false, attitude_setpoint},
    {"vehicle_rates_setpoint", RATES_SETPOINT, TAC__PX4_CONTROL, NULL, false, rates_setpoint},
    {"trajectory_setpoint", TRAJECTORY_SETPOINT, TAC__PX4_CONTROL, NULL, false,
     trajectory_setpoint},
    {"vehicle_torque_setpoint", BODY_SETPOINT, TAC__PX4_CONTROL, NULL, false, torque_setpoint},
    {"vehicle_thrust_setpoint", BODY_SETPOINT, TAC__PX4_CONTROL, NULL, false, thrust_setpoint},
    {"mission_result", MISSION_RESULT, TAC__PX4_CONTROL, NULL, false, mission_result},
    {"vehicle_status", STATUS, TAC__PX4_CONTROL, NULL, false, status},
    {"vehicle_land_detected", LAND_DETECTED, TAC__PX4_CONTROL, NULL, false, land_detected},
    {NULL, NULL, TAC__PX4_PLANT, NULL, false, NULL},
};
