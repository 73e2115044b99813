// traffic_default.c - the topics that a multirotor needs to fly, and how they are filled and read:
// field by field, as one would write them in a configuration. Fields that are not listed are 0.
#include "autopilot/px4/commands.h"
#include "autopilot/px4/traffic.h"

#include <string.h>

typedef struct pair {
    const char *field, *with;
} pair;

typedef struct table {
    const char *name;
    const pair *pairs;
    bool each;   // one a battery
    bool queued; // PX4 keeps several messages
} table;

// --- to PX4 -------------------------------------------------------------------------------------

static const pair battery_status[] = {
    {"timestamp", "time"},
    {"connected", "battery_connected"},
    {"voltage_v", "battery_voltage"},
    {"current_a", "battery_current"},
    {"current_average_a", "battery_current"},
    {"remaining", "battery_soc"},
    {"scale", "1"},
    {"id", "battery_id"},
    {"warning", "battery_warning"},
    {0},
};

static const pair vehicle_attitude[] = {
    {"timestamp", "time"},
    {"timestamp_sample", "time"},
    {"q", "attitude"},
    {0},
};

static const pair vehicle_local_position[] = {
    {"timestamp", "time"},
    {"timestamp_sample", "time"},
    {"ref_timestamp", "1"}, // it never changes
    {"ref_lat", "home_latitude"},
    {"ref_lon", "home_longitude"},
    {"ref_alt", "home_altitude"},
    {"x", "position.x"},
    {"y", "position.y"},
    {"z", "position.z"},
    {"vx", "velocity.x"},
    {"vy", "velocity.y"},
    {"vz", "velocity.z"},
    {"z_deriv", "velocity.z"},
    {"heading", "heading"},
    {"unaided_heading", "heading"},
    {"vxy_max", "nan"},
    {"vz_max", "nan"},
    {"hagl_min", "nan"},
    {"hagl_max_z", "nan"},
    {"hagl_max_xy", "nan"},
    {"xy_valid", "1"},
    {"z_valid", "1"},
    {"v_xy_valid", "1"},
    {"v_z_valid", "1"},
    {"heading_good_for_control", "1"},
    {"xy_global", "1"},
    {"z_global", "1"},
    {0},
};

static const pair vehicle_global_position[] = {
    {"timestamp", "time_nonzero"},
    {"timestamp_sample", "time_nonzero"},
    {"lat", "latitude"},
    {"lon", "longitude"},
    {"alt", "altitude"},
    {"alt_ellipsoid", "altitude"},
    {"eph", "1"},
    {"epv", "1"},
    {"lat_lon_valid", "1"},
    {"alt_valid", "1"},
    {0},
};

static const pair vehicle_angular_velocity[] = {
    {"timestamp", "time"},
    {"timestamp_sample", "time"},
    {"xyz", "rate"},
    {"xyz_derivative", "angular_acceleration"},
    {0},
};

static const pair vehicle_land_detected[] = {
    {"timestamp", "time"},
    {"ground_contact", "landed"},
    {"maybe_landed", "landed"},
    {"landed", "landed"},
    {0},
};

static const pair vehicle_status[] = {
    {"timestamp", "time"},      {"arming_state", "arming_state"},
    {"nav_state", "nav_state"}, {"nav_state_user_intention", "nav_state"},
    {"vehicle_type", "1"},      {0},
};

static const pair vehicle_control_mode[] = {
    {"timestamp", "time"},
    {"flag_armed", "armed"},
    {"flag_multicopter_position_control_enabled", "automatic"},
    {"flag_control_manual_enabled", "manual"},
    {"flag_control_auto_enabled", "automatic"},
    {"flag_control_position_enabled", "1"},
    {"flag_control_velocity_enabled", "1"},
    {"flag_control_altitude_enabled", "1"},
    {"flag_control_climb_rate_enabled", "1"},
    {"flag_control_attitude_enabled", "1"},
    {"flag_control_rates_enabled", "1"},
    {"flag_control_allocation_enabled", "1"},
    {0},
};

static const pair actuator_armed[] = {
    {"timestamp", "time"}, {"armed", "armed"}, {"prearmed", "armed"}, {"ready_to_arm", "1"}, {0},
};

static const pair home_position[] = {
    {"timestamp", "time"},     {"lat", "home_latitude"},
    {"lon", "home_longitude"}, {"alt", "home_altitude"},
    {"yaw", "home_heading"},   {"update_count", "ticks"},
    {"valid_alt", "1"},        {"valid_hpos", "1"},
    {"valid_lpos", "1"},       {0},
};

// Published in this order.
static const table published[] = {
    {.name = "battery_status", .pairs = battery_status, .each = true},
    {.name = "vehicle_attitude", .pairs = vehicle_attitude},
    {.name = "vehicle_local_position", .pairs = vehicle_local_position},
    {.name = "vehicle_global_position", .pairs = vehicle_global_position},
    {.name = "vehicle_angular_velocity", .pairs = vehicle_angular_velocity},
    {.name = "vehicle_land_detected", .pairs = vehicle_land_detected},
    {.name = "vehicle_status", .pairs = vehicle_status},
    {.name = "vehicle_control_mode", .pairs = vehicle_control_mode},
    {.name = "actuator_armed", .pairs = actuator_armed},
    {.name = "home_position", .pairs = home_position},
};

static const pair vehicle_command_ack[] = {
    {"timestamp", "time"},
    {"command", "ack_command"},
    {"result", "ack_result"},
    {"target_system", "ack_system"},
    {"target_component", "ack_component"},
    {0},
};

static const pair order[] = {
    {"timestamp", "time"},
    {"command", "order_command"},
    {"param1", "order_param.x"},
    {"param2", "order_param.y"},
    {"param3", "order_param.z"},
    {"source_system", "255"},    // TAC__PX4_OWN_SYSTEM
    {"source_component", "190"}, // TAC__PX4_OWN_COMPONENT
    {0},
};

// --- from PX4 -----------------------------------------------------------------------------------

static const pair actuator_motors[] = {{"control", "control"}, {0}};
static const pair actuator_servos[] = {{"control", "servo"}, {0}};
static const pair torque[] = {{"xyz", "torque_sp"}, {0}};
static const pair thrust[] = {{"xyz", "thrust_sp"}, {0}};
static const pair attitude_setpoint[] = {{"q_d", "attitude_sp"}, {0}};
static const pair status[] = {{"nav_state", "nav_state"}, {0}};

static const pair rates_setpoint[] = {
    {"roll", "rate_sp.x"},
    {"pitch", "rate_sp.y"},
    {"yaw", "rate_sp.z"},
    {0},
};

static const pair trajectory_setpoint[] = {
    {"position", "position_sp"},
    {"velocity", "velocity_sp"},
    {"acceleration", "acceleration_sp"},
    {"yaw", "yaw_sp"},
    {0},
};

static const pair mission_result[] = {
    {"seq_reached", "mission_reached"}, {"seq_current", "mission_current"},
    {"seq_total", "mission_total"},     {"valid", "mission_valid"},
    {"finished", "mission_finished"},   {0},
};

static const pair commands[] = {
    {"command", "command"},
    {"param1", "command_param.x"},
    {"param2", "command_param.y"},
    {"param3", "command_param.z"},
    {"source_system", "command_system"},
    {"source_component", "command_component"},
    {0},
};

static const table subscribed[] = {
    {.name = "actuator_motors", .pairs = actuator_motors},
    {.name = "actuator_servos", .pairs = actuator_servos},
    {.name = "vehicle_torque_setpoint", .pairs = torque},
    {.name = "vehicle_thrust_setpoint", .pairs = thrust},
    {.name = "vehicle_attitude_setpoint", .pairs = attitude_setpoint},
    {.name = "vehicle_rates_setpoint", .pairs = rates_setpoint},
    {.name = "mission_result", .pairs = mission_result},
    {.name = "trajectory_setpoint", .pairs = trajectory_setpoint},
    {.name = "vehicle_status", .pairs = status},
    {.name = "vehicle_command",
     .pairs = commands,
     .queued = true}, // after mission_result, which it belongs to
};

// --- into lists ---------------------------------------------------------------------------------

// Messages of other versions of PX4 may lack a field; it is then left out.
static bool lacks(const tac__px4_traffic *t, const tac__uorb_message *layout, const char *field)
{
    tac__uorb_slot slot;
    return t->folder && tac__uorb_find(layout, field, &slot, NULL) != TAC_OK;
}

static tac_status fill(tac__px4_traffic *t, tac__px4_publisher *p, const table *topic, size_t i,
                       tac_error *err)
{
    for (const pair *row = topic->pairs; row->field; row++) {
        if (lacks(t, p->layout, row->field))
            continue;
        tac__px4_name value;
        if (topic->each && tac__px4_name_find(tac__px4_value_names, row->with, &value) &&
            value.count == TAC__PX4_BATTERIES) {
            tac__px4_fill one = {.first = value.first + (uint32_t)i, .count = 1};
            TAC_TRY(tac__uorb_find(p->layout, row->field, &one.slot, err));
            TAC_TRY(tac__px4_add_fill(t, p, &one, err));
        } else {
            TAC_TRY(tac__px4_fill_field(t, p, row->field, row->with, err));
        }
    }
    return TAC_OK;
}

static tac_status publish(tac__px4_traffic *t, const table *topic, size_t batteries, tac_error *err)
{
    const size_t count = topic->each ? batteries : 1;
    for (size_t i = 0; i < count; i++) {
        tac__px4_publisher *p;
        TAC_TRY(tac__px4_add_publisher(t, topic->name, (int32_t)i, &p, err));
        TAC_TRY(fill(t, p, topic, i, err));
    }
    return TAC_OK;
}

static tac_status subscribe(tac__px4_traffic *t, const table *topic, tac_error *err)
{
    tac__px4_subscriber *s;
    TAC_TRY(tac__px4_add_subscriber(t, topic->name, 0, &s, err));
    s->queued = topic->queued;
    for (const pair *row = topic->pairs; row->field; row++) {
        tac__px4_name result;
        tac__px4_take take;
        if (lacks(t, s->layout, row->field) ||
            !tac__px4_name_find(tac__px4_result_names, row->with, &result))
            continue;
        TAC_TRY(tac__uorb_find(s->layout, row->field, &take.slot, err));
        take.first = result.first;
        take.count = result.count < take.slot.count ? result.count : take.slot.count;
        TAC_TRY(tac__px4_add_take(t, s, &take, err));
    }
    return TAC_OK;
}

tac_status tac__px4_traffic_default(tac__px4_traffic *t, size_t batteries, tac_error *err)
{
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        TAC_TRY(publish(t, &published[i], batteries, err));
    for (size_t i = 0; i < sizeof subscribed / sizeof *subscribed; i++)
        TAC_TRY(subscribe(t, &subscribed[i], err));
    return TAC_OK;
}

// The topic's own publisher in the configuration, whose instance PX4 reads; 0: none.
static size_t find_publisher(const tac__px4_traffic *t, const char *topic)
{
    for (size_t i = 0; i < t->publisher_count; i++) {
        const tac__px4_publisher *p = &t->publishers[i];
        if (!strcmp(p->topic, topic) && p->instance <= 0)
            return i + 1;
    }
    return 0;
}

static tac_status add_event(tac__px4_traffic *t, const table *topic, tac__px4_tell tell,
                            tac_error *err)
{
    tac__px4_publisher *p;
    const size_t shares = find_publisher(t, topic->name);
    TAC_TRY(tac__px4_add_publisher(t, topic->name, -1, &p, err));
    p->event = (uint32_t)tell;
    p->shares = shares;
    p->off = shares && t->publishers[shares - 1].off;
    return fill(t, p, topic, 0, err);
}

tac_status tac__px4_traffic_events(tac__px4_traffic *t, bool orders, tac_error *err)
{
    static const table ack = {.name = "vehicle_command_ack", .pairs = vehicle_command_ack};
    static const table command = {.name = "vehicle_command", .pairs = order};
    TAC_TRY(add_event(t, &ack, TAC__PX4_TELL_ACK, err));
    return orders ? add_event(t, &command, TAC__PX4_TELL_ORDER, err) : TAC_OK;
}
