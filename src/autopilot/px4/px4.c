// px4.c - the component type `px4`: parameters and ports. It can take the place of
// `flight_control`, with the same inputs and outputs as far as they make sense. docs/px4.md
// describes it.
#define TAC_KIND_F64
#include "autopilot/px4/px4.h"
#include "autopilot/ports.h"
#include "autopilot/flight.h"
#include "autopilot/types.h"
#include "base/error.h"
#include "model/builtin.h"
#include "model/vehicle/params.h"

#include <stdio.h>
#include <string.h>

typedef tac__px4_component px4;

static double number(tac_declare *d, const char *name, const char *unit, const char *fallback,
                     const char *range, const char *doc)
{
    return tac_param_f64(d, TAC_PARAM(name, unit, fallback, range, doc));
}

// --- parameters ---------------------------------------------------------------------------------

static void read_library(tac_declare *d, px4 *c)
{
    c->library =
        tac_param_tool(d, TAC_PARAM(.name = "library", .fallback = "",
                                    .doc = "libpx4_lockstep; else the environment variable "
                                           "" TAC__PX4_VARIABLE " names it"));
    c->limit_us = tac_param_time(
        d, TAC_PARAM(.name = "watchdog", .fallback = "10 s",
                     .doc = "a call that takes longer on the wall clock ends the program; "
                            "0: never"));
}

static int32_t rate(tac_declare *d, const char *name, const char *fallback)
{
    return (int32_t)tac_param_int(
        d, TAC_PARAM(.name = name, .fallback = fallback, .range = "[0, 1000000]",
                     .doc = "how often it runs in a second; 0: in each tick"));
}

static void read_rates(tac_declare *d, px4 *c)
{
    tac__px4_config *g = &c->config;
    *g = tac__px4_config_default();
    const tac_param_def rates = TAC_DEF(tac_param_def, .name = "rates", .fallback = "{}",
                                        .doc = "of PX4's modules; the tick must keep up");
    if (tac_param_items(d, &rates, 1)) {
        tac_param_begin(d, "rates", 0);
        g->navigator_rate_hz = rate(d, "navigator", "20");
        g->mc_pos_control_rate_hz = rate(d, "position", "100");
        g->mc_att_control_rate_hz = rate(d, "attitude", "250");
        g->mc_rate_control_rate_hz = rate(d, "rate", "250");
        g->control_allocator_rate_hz = rate(d, "allocator", "250");
        tac_param_end(d);
    }
    g->enable_control_allocator =
        tac_param_bool(d, TAC_PARAM(.name = "allocator", .fallback = "true",
                                    .doc = "PX4 shares thrust and torque out to motors"));
}

static tac_status read_params(tac_declare *d, px4 *c)
{
    const tac_param_def def =
        TAC_DEF(tac_param_def, .name = "params", .fallback = "{}",
                .doc = "parameters of PX4, as MPC_XY_VEL_MAX; each is an input, too, "
                       "so that a scenario may set it");
    size_t count;
    const char *const *names = tac_param_names(d, &def, TAC__PX4_PARAMS_MAX, &count);
    c->params = tac__arena_array(&c->arena, count + 1, sizeof *c->params);
    if (!c->params)
        return TAC_E_MEMORY;
    if (count == 0)
        return TAC_OK;
    tac_param_begin(d, "params", 0);
    for (size_t i = 0; i < count; i++)
        c->params[c->param_count++] = (tac__px4_param){
            names[i],
            tac_param_input(d, TAC_PARAM(.name = names[i], .doc = "a number; PX4 knows its type"))};
    tac_param_end(d);
    return TAC_OK;
}

static tac_status read_params_file(tac_declare *d, px4 *c)
{
    const char *path = tac_param_path(
        d, TAC_PARAM(.name = "params_file", .fallback = "",
                     .doc = "parameters of PX4 as QGroundControl saves them; `params` come last"));
    tac_error err;
    tac_error_clear(&err);
    return !*path || tac__px4_params_read(&c->arena, path, &c->file_params, &err) == TAC_OK
               ? TAC_OK
               : tac__px4_blame(d, "params_file", &err);
}

static void read_vehicle(tac_declare *d, px4 *c)
{
    const char *name = tac_param_text(
        d, TAC_PARAM(.name = "vehicle", .fallback = "vehicle",
                     .doc = "the multirotor to fly, declared before this component"));
    c->rotors = c->batteries = c->buses = 1;
    if (!tac_param_peer_begin(d, name))
        return;
    tac__vehicle_params(d, &c->vehicle);
    const size_t batteries =
        tac_param_items(d, TAC_PARAM(.name = "batteries", .fallback = "{}"), TAC__BATTERIES_MAX);
    tac_param_end(d);
    c->rotors = (uint32_t)c->vehicle.rotors;
    c->batteries = batteries ? (uint32_t)batteries : 1;
    for (int i = 0; i < c->vehicle.rotors; i++) {
        const uint32_t bus = (uint32_t)c->vehicle.rotor[i].bus;
        c->buses = bus >= c->buses ? bus + 1 : c->buses;
    }
    if (c->rotors > TAC__PX4_ROTORS) {
        (void)tac_declare_fail(d, "vehicle", "it has %u rotors, PX4 takes up to %d", c->rotors,
                               TAC__PX4_ROTORS);
        c->rotors = TAC__PX4_ROTORS;
    }
}

static void warn_of_row(void *context, const tac_place *place, const char *text)
{
    tac_declare_doubt(context, "px4-row", "mission", "%s:%u:%u: %s", place->file, place->line,
                      place->column, text);
}

// Read the mission before the run, so that a row that PX4 would drop is reported by file and line.
static tac_status read_mission(tac_declare *d, px4 *c)
{
    c->mission = tac_param_path(
        d, TAC_PARAM(.name = "mission", .fallback = "",
                     .doc = "file with the mission: QGC WPL 110 or .plan; none: PX4 has none"));
    if (!*c->mission)
        return TAC_OK;
    tac_error err;
    tac_error_clear(&err);
    if (tac__px4_mission_read(&c->arena, c->mission, tac_declare_world(d), warn_of_row, d,
                              &c->items, &err) != TAC_OK)
        return tac__px4_blame(d, "mission", &err);
    if (c->items.lands)
        tac_declare_landing(d, c->items.north_m, c->items.east_m);
    return TAC_OK;
}

static void read_habits(tac_declare *d, px4 *c)
{
    tac__pilot_habits *h = &c->habits;
    h->landed_height_m = number(d, "landed_height", "m", "0.05", "[0, 100]",
                                "on the ground: no higher than it stands");
    h->landed_speed_m_s =
        number(d, "landed_speed", "m/s", "0.2", "(0, 100]", "on the ground: slower up or down");
    h->touchdown_s =
        number(d, "touchdown", "s", "1", "[0, 1000]",
               "on the ground for so long after a flight PX4 is told that it has landed; 0: never");
    h->disarm_after_s = number(d, "disarm_after", "s", "2", "[0, 1000]",
                               "so long after that it is disarmed; 0: never");
    h->renew_us =
        c->config.navigator_rate_hz > 0 ? 1000000u / (tac_time)c->config.navigator_rate_hz : 50000;
    size_t count;
    const double *home =
        tac_param_list(d,
                       TAC_PARAM("home", "m", "[]", NULL,
                                 "north, east, down; by default where it is at the start"),
                       3, &count);
    c->has_home = count == 3;
    if (c->has_home)
        memcpy(c->home, home, sizeof c->home);
    else if (count)
        (void)tac_declare_fail(d, "home", "expected north, east and down");
}

// --- ports --------------------------------------------------------------------------------------

static void declare_inputs(tac_declare *d, const px4 *c)
{
    const uint32_t batteries = c->batteries;
    tac__flight_inputs(d);
    const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "battery_voltage", TAC_TYPE_ARRAY(TAC_F64, batteries), "V",
                "telemetry of each battery", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "battery_current", TAC_TYPE_ARRAY(TAC_F64, batteries), "A",
                "telemetry of each battery", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "battery_soc", TAC_TYPE_ARRAY(TAC_F64, batteries), NULL,
                "telemetry of each battery", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "rotor_speed", TAC_TYPE_ARRAY(TAC_F64, c->rotors), "rad/s",
                "telemetry, for topics of your own", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "bus_voltage", TAC_TYPE_ARRAY(TAC_F64, c->buses), "V",
                "telemetry, for topics of your own", .flags = TAC_PORT_OPTIONAL),
        TAC_DEF(tac_port_def, "angular_acceleration", TAC_TYPE_VEC3, "rad/s^2",
                "of the body, for D gains of the rate controller", .flags = TAC_PORT_OPTIONAL),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_input(d, &ports[i]);
}

static void declare_outputs(tac_declare *d, const px4 *c)
{
    tac__flight_outputs(d, c->rotors);
    static const tac_port_def ports[] = {
        TAC_DEF(tac_port_def, "position_sp", TAC_TYPE_VEC3, "m",
                "trajectory_setpoint, in the world", .flags = TAC_PORT_NAN,
                .role = TAC_ROLE_REFERENCE),
        TAC_DEF(tac_port_def, "velocity_sp", TAC_TYPE_VEC3, "m/s", "trajectory_setpoint",
                .flags = TAC_PORT_NAN),
        TAC_DEF(tac_port_def, "attitude_sp", TAC_TYPE_QUAT, NULL, "vehicle_attitude_setpoint"),
        TAC_DEF(tac_port_def, "rate_sp", TAC_TYPE_VEC3, "rad/s", "vehicle_rates_setpoint"),
        TAC_DEF(tac_port_def, "thrust_sp", TAC_TYPE_VEC3, NULL,
                "vehicle_thrust_setpoint, of the body"),
        TAC_DEF(tac_port_def, "torque_sp", TAC_TYPE_VEC3, NULL,
                "vehicle_torque_setpoint, of the body"),
        TAC_DEF(tac_port_def, "acceleration_sp", TAC_TYPE_VEC3, "m/s^2", "trajectory_setpoint",
                .flags = TAC_PORT_NAN),
        TAC_DEF(tac_port_def, "yaw_sp", TAC_TYPE_F64, "rad", "trajectory_setpoint",
                .flags = TAC_PORT_NAN),
        TAC_DEF(tac_port_def, "nav_state", TAC_TYPE_I32, NULL,
                "vehicle_status: 0 manual, 3 mission, 4 loiter, 5 return, 18 land"),
        TAC_DEF(tac_port_def, "mission_valid", TAC_TYPE_BOOL, NULL, "mission_result"),
        TAC_DEF(tac_port_def, "mission_finished", TAC_TYPE_BOOL, NULL,
                "PX4 has passed the last item"),
        TAC_DEF(tac_port_def, "control", TAC_TYPE_ARRAY(TAC_F64, TAC__PX4_ROTORS), NULL,
                "actuator_motors as it comes; NaN: unused", .flags = TAC_PORT_NAN),
        TAC_DEF(tac_port_def, "land_detected", TAC_TYPE_BOOL, NULL, "what PX4 is told of it"),
        TAC_DEF(tac_port_def, "servo", TAC_TYPE_ARRAY(TAC_F64, TAC__PX4_SERVOS), NULL,
                "actuator_servos, -1 to 1; NaN: none", .flags = TAC_PORT_NAN),
    };
    for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
        tac_declare_output(d, &ports[i]);
}

// --- the type -----------------------------------------------------------------------------------

static tac_status read_traffic(tac_declare *d, px4 *c)
{
    const char *folder = tac_param_folder(
        d, TAC_PARAM(.name = "msg_dir", .fallback = "", .range = ".msg",
                     .doc = "folder with PX4's .msg files; none: the built-in messages"));
    tac_error err;
    tac_status status = tac__px4_traffic_init(c->traffic, &c->arena, folder, &err);
    if (status == TAC_OK)
        status = tac__px4_traffic_default(c->traffic, c->batteries, &err);
    if (status != TAC_OK)
        return tac__px4_blame(d, "msg_dir", &err);
    TAC_TRY(tac__px4_traffic_read(d, c->traffic));
    return tac__px4_traffic_events(c->traffic, c->items.speeds, &err) == TAC_OK
               ? TAC_OK
               : tac__px4_blame(d, "msg_dir", &err);
}

static tac_status px4_declare(tac_declare *d, void *self)
{
    px4 *c = self;
    tac__arena_init(&c->arena, NULL);
    c->begun = true;
    c->flight = tac__arena_alloc(&c->arena, sizeof *c->flight);
    c->traffic = tac__arena_alloc(&c->arena, sizeof *c->traffic);
    if (!c->flight || !c->traffic)
        return TAC_E_MEMORY;
    read_library(d, c);
    read_vehicle(d, c);
    TAC_TRY(read_mission(d, c));
    read_rates(d, c);
    read_habits(d, c);
    TAC_TRY(read_params_file(d, c));
    tac__geodesy_init(&c->geodesy, tac_declare_world(d));
    c->ground_m = tac_declare_world(d)->ground_m;
    declare_inputs(d, c);
    TAC_TRY(read_params(d, c)); // each is an input, after the others
    declare_outputs(d, c);
    TAC_TRY(read_traffic(d, c));
    const size_t words = c->traffic->peers.memory_words;
    c->memory =
        !words ? -1
               : tac_declare_state(d, TAC_PORT(.name = "memory",
                                               .type = TAC_TYPE_ARRAY(TAC_I64, (uint32_t)words),
                                               .doc = "of formulas"));
    c->flight->results =
        tac__arena_array(&c->arena, c->traffic->result_count, sizeof *c->flight->results);
    c->flight->params = tac__arena_array(&c->arena, c->param_count + 1, sizeof(double));
    return c->flight->results && c->flight->params ? TAC_OK : TAC_E_MEMORY;
}

static tac_status px4_connect(tac_declare *d, void *self)
{
    px4 *c = self;
    if (tac__declare_open(d, TAC__PX4_IN_ANGULAR_ACCELERATION))
        tac_declare_doubt(
            d, "px4-blind", "vehicle",
            "the input 'angular_acceleration' is not connected, so PX4's D gains have "
            "no effect: give the vehicle 'angular_acceleration: true' and connect its "
            "output of that name");
    return tac__px4_traffic_compile(d, c->traffic);
}

// A module cannot run more often than the tick.
static tac_status check_period(tac_step *s, const px4 *c)
{
    const tac__px4_config *g = &c->config;
    const struct {
        const char *module;
        int32_t rate_hz;
    } modules[] = {
        {"navigator", g->navigator_rate_hz},
        {"position", g->mc_pos_control_rate_hz},
        {"attitude", g->mc_att_control_rate_hz},
        {"rate", g->mc_rate_control_rate_hz},
        {"allocator", g->enable_control_allocator ? g->control_allocator_rate_hz : 0},
    };
    if (!s->period_us)
        return tac_fail_as(s, TAC_E_CONFIG, "needs a rate group with a period");
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        const tac_time rate_hz = (tac_time)modules[i].rate_hz;
        if (rate_hz * s->period_us > 1000000)
            return tac_fail_as(s, TAC_E_CONFIG,
                               "steps every %llu us, but PX4's %s runs %llu times a second: the "
                               "period may be %llu us at most",
                               (unsigned long long)s->period_us, modules[i].module,
                               (unsigned long long)rate_hz,
                               (unsigned long long)(1000000 / rate_hz));
    }
    return TAC_OK;
}

static tac_status px4_init(tac_step *s, const void *self)
{
    const px4 *c = self;
    tac__px4_flight_init(s, c);
    return check_period(s, c);
}

static tac_status px4_step(tac_step *s, const void *self)
{
    return tac__px4_flight_step(s, self);
}

static void px4_close(void *self)
{
    px4 *c = self;
    if (c->flight)
        tac__px4_flight_close(c->flight);
    c->flight = NULL;
    if (c->begun)
        tac__arena_fini(&c->arena);
    c->begun = false;
}

const tac_component_type tac__px4_type = {
    TAC__TYPE("px4", "4", "flies a multirotor with PX4 itself, through libpx4_lockstep",
              TAC_COMPONENT_OPAQUE | TAC_COMPONENT_PRINTS | TAC_COMPONENT_OUTSIDE),
    .stage = TAC_STAGE_CONTROL,
    .self_size = sizeof(px4),
    .declare = px4_declare,
    .connect = px4_connect,
    .init = px4_init,
    .kernels[TAC_NUMBERS].step = px4_step,
    .close = px4_close,
};
