// ulog.c - the topics of a PX4 log that a recording fills. Fields without a source are NaN, or 0
// where they are whole numbers.
#include "autopilot/px4/ulog.h"

#include <stddef.h>

// A layout that only a ULog has: nobody publishes it to PX4.
#define WIND                                                                                       \
    "uint64_t timestamp;uint64_t timestamp_sample;float windspeed_north;float windspeed_east;"     \
    "float variance_north;float variance_east;float tas_innov;float tas_innov_var;"                \
    "float beta_innov;float beta_innov_var;"

// --- sources ------------------------------------------------------------------------------------

static const tac__px4_ulog_source attitude[] = {
    {.field = "q", .port = "attitude", .unit = "1"},
    {0},
};

static const tac__px4_ulog_source rate[] = {
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

static const tac__px4_ulog_source true_position[] = {
    POSITION_AND_VELOCITY,
    {.field = "xy_valid", .value = 1},
    {.field = "z_valid", .value = 1},
    {.field = "v_xy_valid", .value = 1},
    {.field = "v_z_valid", .value = 1},
    {.field = "heading_good_for_control", .value = 1},
    {0},
};

static const tac__px4_ulog_source estimated_position[] = {
    POSITION_AND_VELOCITY,
    {.field = "xy_valid", .port = "valid", .optional = true},
    {.field = "z_valid", .port = "valid", .optional = true},
    {.field = "v_xy_valid", .port = "valid", .optional = true},
    {.field = "v_z_valid", .port = "valid", .optional = true},
    {.field = "heading_good_for_control", .port = "valid", .optional = true},
    {0},
};

static const tac__px4_ulog_source battery[] = {
    {.field = "voltage_v", .port = "battery.voltage", .unit = "V"},
    {.field = "current_a", .port = "battery.current", .unit = "A"},
    {.field = "remaining", .port = "battery.soc", .unit = "1", .optional = true},
    {.field = "warning", .port = "battery.warning", .unit = "1", .optional = true},
    {.field = "scale", .value = 1},
    {.field = "connected", .value = 1},
    {.field = "id", .index = true},
    {0},
};

static const tac__px4_ulog_source wind[] = {
    {.field = "windspeed_north", .port = "velocity", .unit = "m/s", .element = 0},
    {.field = "windspeed_east", .port = "velocity", .unit = "m/s", .element = 1},
    {.field = "variance_north", .value = 0},
    {.field = "variance_east", .value = 0},
    {0},
};

// Of two sources of one field the later counts, if it is there: what PX4 itself said.
static const tac__px4_ulog_source motors[] = {
    {.field = "control", .port = "motor", .unit = "1"},
    {.field = "control", .port = "control", .unit = "1", .optional = true},
    {0},
};

static const tac__px4_ulog_source attitude_setpoint[] = {
    {.field = "q_d", .port = "attitude_sp", .unit = "1"},
    {0},
};

static const tac__px4_ulog_source rates_setpoint[] = {
    {.field = "roll", .port = "rate_sp", .unit = "rad/s", .element = 0},
    {.field = "pitch", .port = "rate_sp", .unit = "rad/s", .element = 1},
    {.field = "yaw", .port = "rate_sp", .unit = "rad/s", .element = 2},
    {0},
};

static const tac__px4_ulog_source trajectory_setpoint[] = {
    {.field = "position", .port = "position_sp", .unit = "m"},
    {.field = "velocity", .port = "velocity_sp", .unit = "m/s", .optional = true},
    {.field = "acceleration", .port = "acceleration_sp", .unit = "m/s^2", .optional = true},
    {.field = "yaw", .port = "yaw_sp", .unit = "rad", .optional = true},
    {0},
};

static const tac__px4_ulog_source torque_setpoint[] = {
    {.field = "xyz", .port = "torque_sp", .unit = "1"},
    {0},
};

static const tac__px4_ulog_source thrust_setpoint[] = {
    {.field = "xyz", .port = "thrust_sp", .unit = "1"},
    {0},
};

static const tac__px4_ulog_source mission_result[] = {
    {.field = "seq_reached", .port = "mission_reached", .value = -1}, // counted from 0
    {.field = "seq_current", .port = "mission_current"},
    {.field = "seq_total", .port = "mission_total"},
    {.field = "valid", .port = "mission_valid"},
    {.field = "finished", .port = "mission_finished"},
    {0},
};

// Numbers of navigation states: 0 manual, 3 mission, 4 loiter, 5 return, 17 take-off, 18 land.
#define NAVIGATION "idle=0 takeoff=17 mission=3 return=5 land=18 landed=18 hold=4"

static const tac__px4_ulog_source status[] = {
    {.field = "arming_state", .port = "armed", .map = "false=1 true=2"},
    {.field = "nav_state", .port = "phase", .map = NAVIGATION},
    {.field = "nav_state_user_intention", .port = "phase", .map = NAVIGATION},
    {.field = "nav_state", .port = "nav_state", .optional = true},
    {.field = "nav_state_user_intention", .port = "nav_state", .optional = true},
    {.field = "vehicle_type", .value = 1}, // rotary wing
    {0},
};

static const tac__px4_ulog_source land_detected[] = {
    {.field = "landed", .port = "landed"},
    {.field = "maybe_landed", .port = "landed"},
    {.field = "ground_contact", .port = "landed"},
    {.field = "landed", .port = "land_detected", .optional = true},
    {.field = "maybe_landed", .port = "land_detected", .optional = true},
    {.field = "ground_contact", .port = "land_detected", .optional = true},
    {0},
};

// --- topics -------------------------------------------------------------------------------------

const tac__px4_ulog_topic tac__px4_ulog_topics[] = {
    {"vehicle_attitude_groundtruth", "vehicle_attitude", NULL, TAC__PX4_ULOG_PLANT, "rate", false,
     attitude},
    {"vehicle_local_position_groundtruth", "vehicle_local_position", NULL, TAC__PX4_ULOG_PLANT,
     "rate", false, true_position},
    {"vehicle_angular_velocity_groundtruth", "vehicle_angular_velocity", NULL, TAC__PX4_ULOG_PLANT,
     "attitude", false, rate},
    {"battery_status", NULL, NULL, TAC__PX4_ULOG_PLANT, NULL, true, battery},
    {"wind", NULL, WIND, TAC__PX4_ULOG_AIR, NULL, false, wind},
    {"vehicle_attitude", NULL, NULL, TAC__PX4_ULOG_ESTIMATE, "rate", false, attitude},
    {"vehicle_local_position", NULL, NULL, TAC__PX4_ULOG_ESTIMATE, "rate", false,
     estimated_position},
    {"vehicle_angular_velocity", NULL, NULL, TAC__PX4_ULOG_ESTIMATE, "attitude", false, rate},
    {"actuator_motors", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, motors},
    {"vehicle_attitude_setpoint", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false,
     attitude_setpoint},
    {"vehicle_rates_setpoint", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, rates_setpoint},
    {"trajectory_setpoint", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, trajectory_setpoint},
    {"vehicle_torque_setpoint", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, torque_setpoint},
    {"vehicle_thrust_setpoint", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, thrust_setpoint},
    {"mission_result", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, mission_result},
    {"vehicle_status", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, status},
    {"vehicle_land_detected", NULL, NULL, TAC__PX4_ULOG_CONTROL, NULL, false, land_detected},
    {NULL, NULL, NULL, TAC__PX4_ULOG_PLANT, NULL, false, NULL},
};
