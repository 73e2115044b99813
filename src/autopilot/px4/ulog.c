// ulog.c - the topics of a PX4 log that a recording fills. Fields without a source are NaN, or 0
// where they are whole numbers.
#include "autopilot/px4/ulog.h"

#include <stddef.h>

// A layout that only a ULog has: nobody publishes it to PX4.
#define WIND                                                                                       \
    "uint64_t timestamp;uint64_t timestamp_sample;float windspeed_north;float windspeed_east;"     \
    "float variance_north;float variance_east;float tas_innov;float tas_innov_var;"                \
    "float beta_innov;float beta_innov_var;"

#define SENSOR_COMBINED                                                                            \
    "uint64_t timestamp;float[3] gyro_rad;uint32_t gyro_integral_dt;"                              \
    "int32_t accelerometer_timestamp_relative;float[3] accelerometer_m_s2;"                        \
    "uint32_t accelerometer_integral_dt;uint8_t accelerometer_clipping;uint8_t gyro_clipping;"     \
    "uint8_t accel_calibration_count;uint8_t gyro_calibration_count;"
#define AIR_DATA                                                                                   \
    "uint64_t timestamp;uint64_t timestamp_sample;uint32_t baro_device_id;float baro_alt_meter;"   \
    "float baro_pressure_pa;float ambient_temperature;float rho;float eas2tas;"                    \
    "uint8_t temperature_source;uint8_t calibration_count;"
#define MAGNETOMETER                                                                               \
    "uint64_t timestamp;uint64_t timestamp_sample;uint32_t device_id;float[3] magnetometer_ga;"    \
    "uint8_t calibration_count;"
#define SENSOR_GPS                                                                                 \
    "uint64_t timestamp;uint64_t timestamp_sample;double latitude_deg;double longitude_deg;"       \
    "double altitude_msl_m;double altitude_ellipsoid_m;uint64_t time_utc_usec;uint32_t device_id;" \
    "float s_variance_m_s;float c_variance_rad;float eph;float epv;float hdop;float vdop;"         \
    "int32_t noise_per_ms;int32_t jamming_indicator;float vel_m_s;float vel_n_m_s;"                \
    "float vel_e_m_s;float vel_d_m_s;float cog_rad;int32_t timestamp_time_relative;"               \
    "float heading;float heading_offset;float heading_accuracy;float rtcm_injection_rate;"         \
    "uint16_t automatic_gain_control;uint8_t fix_type;uint8_t jamming_state;"                      \
    "uint8_t spoofing_state;bool vel_ned_valid;uint8_t satellites_used;"                           \
    "uint8_t selected_rtcm_instance;bool rtcm_crc_failed;uint8_t rtcm_msg_used;"

#define LOCAL_SETPOINT                                                                             \
    "uint64_t timestamp;float x;float y;float z;float vx;float vy;float vz;"                       \
    "float[3] acceleration;float[3] thrust;float yaw;float yawspeed;"

#define GAUSS_OF_TESLA 1e4

// --- sources ------------------------------------------------------------------------------------

static const tac__px4_ulog_source attitude[] = {
    {.field = "q", .port = "attitude", .unit = "1"},
    {0},
};

// A component that has its place as `ned`, too, has its states in ECEF: the later source counts.
#define LOCAL "ned"

static const tac__px4_ulog_source true_attitude[] = {
    {.field = "q", .port = "attitude", .unit = "1"},
    {.field = "q", .port = "attitude", .with = LOCAL, .how = TAC__PX4_ULOG_ECEF_ATTITUDE},
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
        {.field = "heading", .port = "attitude", .unit = "1", .how = TAC__PX4_ULOG_YAW},           \
        {.field = "ref_lat", .how = TAC__PX4_ULOG_ORIGIN, .element = 0},                           \
        {.field = "ref_lon", .how = TAC__PX4_ULOG_ORIGIN, .element = 1},                           \
        {.field = "ref_alt", .how = TAC__PX4_ULOG_ORIGIN, .element = 2},                           \
        {.field = "xy_global", .value = 1},                                                        \
    {                                                                                              \
        .field = "z_global", .value = 1                                                            \
    }

#define IN_ECEF(to, n)                                                                             \
    {                                                                                              \
        .field = to, .port = "velocity", .with = LOCAL, .how = TAC__PX4_ULOG_ECEF_VECTOR,          \
        .element = n                                                                               \
    }

static const tac__px4_ulog_source true_position[] = {
    POSITION_AND_VELOCITY,
    {.field = "x", .port = LOCAL, .unit = "m", .element = 0, .optional = true},
    {.field = "y", .port = LOCAL, .unit = "m", .element = 1, .optional = true},
    {.field = "z", .port = LOCAL, .unit = "m", .element = 2, .optional = true},
    IN_ECEF("vx", 0),
    IN_ECEF("vy", 1),
    IN_ECEF("vz", 2),
    IN_ECEF("z_deriv", 2),
    {.field = "heading", .port = "attitude", .with = LOCAL, .how = TAC__PX4_ULOG_ECEF_YAW},
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

#define PLACE                                                                                      \
    {.field = "lat", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC},              \
        {.field = "lon",                                                                           \
         .port = "position",                                                                       \
         .unit = "m",                                                                              \
         .how = TAC__PX4_ULOG_GEODETIC,                                                            \
         .element = 1},                                                                            \
        {.field = "alt",                                                                           \
         .port = "position",                                                                       \
         .unit = "m",                                                                              \
         .how = TAC__PX4_ULOG_GEODETIC,                                                            \
         .element = 2},                                                                            \
    {                                                                                              \
        .field = "alt_ellipsoid", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC,  \
        .element = 2                                                                               \
    }

static const tac__px4_ulog_source true_place[] = {
    PLACE,
    {.field = "lat", .port = LOCAL, .how = TAC__PX4_ULOG_GEODETIC, .optional = true},
    {.field = "lon", .port = LOCAL, .how = TAC__PX4_ULOG_GEODETIC, .element = 1, .optional = true},
    {.field = "alt", .port = LOCAL, .how = TAC__PX4_ULOG_GEODETIC, .element = 2, .optional = true},
    {.field = "alt_ellipsoid",
     .port = LOCAL,
     .how = TAC__PX4_ULOG_GEODETIC,
     .element = 2,
     .optional = true},
    {.field = "lat_lon_valid", .value = 1},
    {.field = "alt_valid", .value = 1},
    {0},
};

static const tac__px4_ulog_source estimated_place[] = {
    PLACE,
    {.field = "lat_lon_valid", .port = "valid", .optional = true},
    {.field = "alt_valid", .port = "valid", .optional = true},
    {0},
};

static const tac__px4_ulog_source imu[] = {
    {.field = "gyro_rad", .port = "rate", .unit = "rad/s"},
    {.field = "accelerometer_m_s2", .port = "specific_force", .unit = "m/s^2"},
    {0},
};

static const tac__px4_ulog_source barometer[] = {
    {.field = "baro_pressure_pa", .port = "pressure", .unit = "Pa"},
    {.field = "baro_alt_meter", .port = "altitude", .unit = "m"},
    {0},
};

static const tac__px4_ulog_source magnetometer[] = {
    {.field = "magnetometer_ga", .port = "field", .unit = "T", .scale = GAUSS_OF_TESLA},
    {0},
};

static const tac__px4_ulog_source gps[] = {
    {.field = "latitude_deg", .port = "latitude", .unit = "rad", .scale = TAC__DEG_OF_RAD},
    {.field = "longitude_deg", .port = "longitude", .unit = "rad", .scale = TAC__DEG_OF_RAD},
    {.field = "altitude_msl_m", .port = "altitude", .unit = "m"},
    {.field = "altitude_ellipsoid_m", .port = "altitude", .unit = "m"},
    {.field = "vel_n_m_s", .port = "velocity", .unit = "m/s", .element = 0},
    {.field = "vel_e_m_s", .port = "velocity", .unit = "m/s", .element = 1},
    {.field = "vel_d_m_s", .port = "velocity", .unit = "m/s", .element = 2},
    {.field = "vel_m_s", .port = "velocity", .unit = "m/s", .how = TAC__PX4_ULOG_LENGTH},
    {.field = "cog_rad", .port = "velocity", .unit = "m/s", .how = TAC__PX4_ULOG_COURSE},
    {.field = "fix_type", .port = "valid", .map = "false=0 true=3", .optional = true},
    {.field = "vel_ned_valid", .port = "valid", .optional = true},
    {0},
};

// GPS of a vehicle without such a sensor: its estimate.
static const tac__px4_ulog_source estimated_gps[] = {
    {.field = "latitude_deg", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC},
    {.field = "longitude_deg",
     .port = "position",
     .unit = "m",
     .how = TAC__PX4_ULOG_GEODETIC,
     .element = 1},
    {.field = "altitude_msl_m",
     .port = "position",
     .unit = "m",
     .how = TAC__PX4_ULOG_GEODETIC,
     .element = 2},
    {.field = "altitude_ellipsoid_m",
     .port = "position",
     .unit = "m",
     .how = TAC__PX4_ULOG_GEODETIC,
     .element = 2},
    {.field = "vel_n_m_s", .port = "velocity", .unit = "m/s", .element = 0},
    {.field = "vel_e_m_s", .port = "velocity", .unit = "m/s", .element = 1},
    {.field = "vel_d_m_s", .port = "velocity", .unit = "m/s", .element = 2},
    {.field = "vel_m_s", .port = "velocity", .unit = "m/s", .how = TAC__PX4_ULOG_LENGTH},
    {.field = "cog_rad", .port = "velocity", .unit = "m/s", .how = TAC__PX4_ULOG_COURSE},
    {.field = "fix_type", .value = 3},
    {.field = "fix_type", .port = "valid", .map = "false=0 true=3", .optional = true},
    {.field = "vel_ned_valid", .value = 1},
    {.field = "vel_ned_valid", .port = "valid", .optional = true},
    {0},
};

// Home: the place of the first sample.
static const tac__px4_ulog_source home[] = {
    {.field = "lat", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC},
    {.field = "lon", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC, .element = 1},
    {.field = "alt", .port = "position", .unit = "m", .how = TAC__PX4_ULOG_GEODETIC, .element = 2},
    {.field = "x", .port = "position", .unit = "m", .element = 0},
    {.field = "y", .port = "position", .unit = "m", .element = 1},
    {.field = "z", .port = "position", .unit = "m", .element = 2},
    {.field = "yaw", .port = "attitude", .unit = "1", .how = TAC__PX4_ULOG_YAW},
    {.field = "update_count", .value = 1},
    {.field = "valid_alt", .value = 1},
    {.field = "valid_hpos", .value = 1},
    {.field = "valid_lpos", .value = 1},
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

static const tac__px4_ulog_source servos[] = {
    {.field = "control", .port = "servo"},
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

static const tac__px4_ulog_source local_setpoint[] = {
    {.field = "x", .port = "position_sp", .unit = "m", .element = 0},
    {.field = "y", .port = "position_sp", .unit = "m", .element = 1},
    {.field = "z", .port = "position_sp", .unit = "m", .element = 2},
    {.field = "vx", .port = "velocity_sp", .unit = "m/s", .element = 0, .optional = true},
    {.field = "vy", .port = "velocity_sp", .unit = "m/s", .element = 1, .optional = true},
    {.field = "vz", .port = "velocity_sp", .unit = "m/s", .element = 2, .optional = true},
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
    {.field = "valid", .value = 1},
    {.field = "valid", .port = "mission_valid", .optional = true},
    {.field = "finished",
     .port = "mission_reached",
     .how = TAC__PX4_ULOG_REACHED,
     .other = "mission_total"},
    {.field = "finished", .port = "mission_finished", .optional = true},
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

enum { MS = 1000 };

#define PLANT    TAC__PX4_ULOG_PLANT
#define AIR      TAC__PX4_ULOG_AIR
#define ESTIMATE TAC__PX4_ULOG_ESTIMATE
#define CONTROL  TAC__PX4_ULOG_CONTROL

// Columns: name, message, format, source, another port, each, fields, period, once, fallback.
const tac__px4_ulog_topic tac__px4_ulog_topics[] = {
    {"vehicle_attitude_groundtruth", "vehicle_attitude", NULL, PLANT, "rate", false, true_attitude,
     50 * MS, false, false},
    {"vehicle_local_position_groundtruth", "vehicle_local_position", NULL, PLANT, "rate", false,
     true_position, 100 * MS, false, false},
    {"vehicle_angular_velocity_groundtruth", "vehicle_angular_velocity", NULL, PLANT, "attitude",
     false, rate, 50 * MS, false, false},
    {"vehicle_global_position_groundtruth", "vehicle_global_position", NULL, PLANT, "rate", false,
     true_place, 200 * MS, false, false},
    {"battery_status", NULL, NULL, PLANT, NULL, true, battery, 200 * MS, false, false},
    {"wind", NULL, WIND, AIR, NULL, false, wind, 100 * MS, false, false},
    {"vehicle_attitude", NULL, NULL, ESTIMATE, "rate", false, attitude, 20 * MS, false, false},
    {"vehicle_local_position", NULL, NULL, ESTIMATE, "rate", false, estimated_position, 50 * MS,
     false, false},
    {"vehicle_angular_velocity", NULL, NULL, ESTIMATE, "attitude", false, rate, 20 * MS, false,
     false},
    {"vehicle_global_position", NULL, NULL, ESTIMATE, "rate", false, estimated_place, 200 * MS,
     false, false},
    {"sensor_combined", NULL, SENSOR_COMBINED, ESTIMATE, NULL, false, imu, 5 * MS, false, false},
    {"vehicle_air_data", NULL, AIR_DATA, ESTIMATE, NULL, false, barometer, 200 * MS, false, false},
    {"vehicle_magnetometer", NULL, MAGNETOMETER, ESTIMATE, NULL, false, magnetometer, 200 * MS,
     false, false},
    {"sensor_gps", NULL, SENSOR_GPS, ESTIMATE, NULL, false, gps, 0, false, false},
    {"vehicle_gps_position", NULL, SENSOR_GPS, ESTIMATE, NULL, false, gps, 100 * MS, false, false},
    {"vehicle_gps_position", NULL, SENSOR_GPS, ESTIMATE, "rate", false, estimated_gps, 100 * MS,
     false, true},
    {"home_position", NULL, NULL, ESTIMATE, "rate", false, home, 0, true, false},
    {"actuator_motors", NULL, NULL, CONTROL, NULL, false, motors, 20 * MS, false, false},
    {"actuator_servos", NULL, NULL, CONTROL, NULL, false, servos, 20 * MS, false, false},
    {"vehicle_attitude_setpoint", NULL, NULL, CONTROL, NULL, false, attitude_setpoint, 20 * MS,
     false, false},
    {"vehicle_rates_setpoint", NULL, NULL, CONTROL, NULL, false, rates_setpoint, 20 * MS, false,
     false},
    {"trajectory_setpoint", NULL, NULL, CONTROL, NULL, false, trajectory_setpoint, 100 * MS, false,
     false},
    {"vehicle_local_position_setpoint", NULL, LOCAL_SETPOINT, CONTROL, NULL, false, local_setpoint,
     100 * MS, false, false},
    {"vehicle_torque_setpoint", NULL, NULL, CONTROL, NULL, false, torque_setpoint, 20 * MS, false,
     false},
    {"vehicle_thrust_setpoint", NULL, NULL, CONTROL, NULL, false, thrust_setpoint, 20 * MS, false,
     false},
    {"mission_result", NULL, NULL, CONTROL, NULL, false, mission_result, 500 * MS, false, false},
    {"vehicle_status", NULL, NULL, CONTROL, NULL, false, status, 500 * MS, false, false},
    {"vehicle_land_detected", NULL, NULL, CONTROL, NULL, false, land_detected, 500 * MS, false,
     false},
    {NULL, NULL, NULL, PLANT, NULL, false, NULL, 0, false, false},
};
