// navigator.c - see navigator.h.
//
// A mission starts when its mode is entered, and only then: one that becomes valid later waits
// until the mode has been left and entered again.
#include "navigator.h"

#include "misbehave.h"
#include "workers.h"

#include <stdio.h>
#include <string.h>

typedef struct seen { // what has been published to the navigator
    struct vehicle_status status;
    struct vehicle_local_position local;
    struct vehicle_global_position global;
    struct vehicle_land_detected land;
    struct home_position home;
} seen;

void navigator_init(navigator *n)
{
    memset(n, 0, sizeof *n);
    n->mode = NAV_MANUAL;
    n->result.seq_reached = -1;
    n->target.yaw = (double)NAN;
}

int navigator_load(navigator *n, const char *path, uint64_t now_us)
{
    const int code = mission_load(&n->m, path);
    if (code != 0)
        return code;
    n->loaded_us = now_us;
    n->running = n->checked = n->over = false;
    n->current = 0;
    n->result = (struct mission_result){.mission_id = n->result.mission_id + 1,
                                        .seq_reached = -1,
                                        .seq_total = (uint16_t)n->m.count};
    return 0;
}

// --- places -------------------------------------------------------------------------------------

static vec3 here(const seen *s)
{
    return (vec3){(double)s->local.x, (double)s->local.y, (double)s->local.z};
}

static vec3 place(const seen *s, double latitude_deg, double longitude_deg, double altitude_m)
{
    const double radius = 6378137;
    double sine, cosine;
    sine_cosine(s->local.ref_lat * DEGREE, &sine, &cosine);
    return (vec3){(latitude_deg - s->local.ref_lat) * DEGREE * radius,
                  (longitude_deg - s->local.ref_lon) * DEGREE * radius * cosine,
                  (double)s->local.ref_alt - altitude_m};
}

static void aim(navigator *n, const seen *s, target_kind kind, vec3 position, double yaw)
{
    const vec3 way = vec3_sub(position, here(s));
    if (isnan(yaw) && kind == TARGET_POSITION && level(way) > 1)
        yaw = arctan2(way.y, way.x);
    n->target = (target){.kind = kind, .position = position, .yaw = yaw};
}

// --- commands -----------------------------------------------------------------------------------

// PX4's navigator asks the commander, and itself, through a topic.
static void issue(uorb *u, uint64_t now_us, uint32_t command, float param1, float param2,
                  float param3)
{
    const struct vehicle_command m = {.timestamp = now_us,
                                      .param1 = param1,
                                      .param2 = param2,
                                      .param3 = param3,
                                      .command = command};
    PUBLISH(u, vehicle_command, &m);
}

static void hear_commands(navigator *n, uorb *u, uint64_t now_us)
{
    struct vehicle_command m;
    while (uorb_take(u, TOPIC_vehicle_command, &n->heard, &m, sizeof m)) {
        if (m.command != COMMAND_CHANGE_SPEED)
            continue;
        n->cruise_m_s = m.param2 > 0 ? (double)m.param2 : 0;
        const struct vehicle_command_ack ack = {.timestamp = now_us,
                                                .command = m.command,
                                                .target_component = m.source_component,
                                                .target_system = m.source_system};
        PUBLISH(u, vehicle_command_ack, &ack);
    }
}

// --- the mission --------------------------------------------------------------------------------

static void begin_return(navigator *n, const params *p, const seen *s)
{
    const vec3 home = place(s, s->home.lat, s->home.lon, (double)s->home.alt), at = here(s);
    const double distance = level(vec3_sub(home, at)), most = params_get(p, PARAM_RTL_RETURN_ALT);
    // As high as a cone of 45 degrees over home, never lower than now.
    const double up = distance < most ? distance : most;
    vec3 above = at;
    above.z = home.z - up < at.z ? home.z - up : at.z;
    n->leg = RETURN_CLIMB;
    aim(n, s, TARGET_POSITION, above, (double)NAN);
}

static void begin_item(navigator *n, uorb *u, const seen *s, uint64_t now_us)
{
    const mission_item *item = &n->m.items[n->current];
    n->inside = false;
    n->result.seq_current = (uint16_t)n->current;
    const double up = item->altitude_m + (item->above_home ? (double)s->home.alt : 0);
    vec3 to = place(s, item->latitude_deg, item->longitude_deg, up);
    switch (item->command) {
    case COMMAND_TAKEOFF:
        to.x = (double)s->local.x;
        to.y = (double)s->local.y;
        aim(n, s, TARGET_TAKEOFF, to, item->yaw_rad);
        break;
    case COMMAND_LAND:
        aim(n, s, TARGET_LAND, to, n->target.yaw);
        break;
    default:
        if (mission_flies(item))
            aim(n, s, TARGET_POSITION, to, item->yaw_rad);
        else // with what the loader has left of its parameters
            issue(u, now_us, (uint32_t)item->command, 0, (float)item->radius_m, 0);
    }
}

static bool near(const navigator *n, const params *p, const seen *s, double radius)
{
    const vec3 way = vec3_sub(n->target.position, here(s));
    return fabs(way.z) < params_get(p, PARAM_NAV_MC_ALT_RAD) && level(way) < radius;
}

static bool return_done(navigator *n, const params *p, const seen *s)
{
    const vec3 home = place(s, s->home.lat, s->home.lon, (double)s->home.alt);
    if (n->leg == RETURN_CLIMB && near(n, p, s, (double)INFINITY)) {
        n->leg = RETURN_CROSS;
        aim(n, s, TARGET_POSITION, (vec3){home.x, home.y, n->target.position.z}, (double)NAN);
    } else if (n->leg == RETURN_CROSS && near(n, p, s, 1)) {
        n->leg = RETURN_LAND;
        aim(n, s, TARGET_LAND, home, n->target.yaw);
    }
    return n->leg == RETURN_LAND && s->land.landed;
}

static bool item_done(navigator *n, const params *p, const seen *s, uint64_t now_us)
{
    const mission_item *item = &n->m.items[n->current];
    const double radius = item->radius_m;
    if (!mission_flies(item))
        return true;
    switch (item->command) {
    case COMMAND_LAND:
        return s->land.landed;
    case COMMAND_LOITER:
        return false;
    case COMMAND_TAKEOFF:
        return near(n, p, s, (double)INFINITY);
    default:
        if (!n->inside && near(n, p, s, radius)) {
            n->inside = true;
            n->inside_us = now_us;
        }
        return n->inside && (double)(now_us - n->inside_us) >= item->hold_s * 1e6;
    }
}

static void run_mission(navigator *n, uorb *u, const params *p, const seen *s, uint64_t now_us)
{
    if (n->running && n->over) { // entered again in every period
        say("INFO", "navigator", "Executing Mission");
        say("INFO", "navigator", "Mission finished");
        n->repeat = true;
        return;
    }
    if (!n->running || !item_done(n, p, s, now_us))
        return;
    n->result.seq_reached = n->current;
    n->result.finished = 0;
    if (n->current + 1 < n->m.count) {
        n->current++;
        begin_item(n, u, s, now_us);
        return;
    }
    n->result.finished = n->over = 1;
    say("INFO", "navigator", "Mission finished");
    n->target.kind = n->target.kind == TARGET_LAND ? TARGET_NONE : TARGET_POSITION;
    // Seen: it sinks where it is.
    n->abandoned = n->m.items[n->current].command == COMMAND_RETURN;
    if (n->abandoned)
        aim(n, s, TARGET_LAND, here(s), n->target.yaw);
}

// Whether PX4's feasibility check accepts the mission. The reason for a refusal is not its last
// line.
static bool check(const navigator *n, const params *p, const seen *s)
{
    char text[TROUBLE_MAX];
    const double at[2] = {s->global.lat, s->global.lon};
    if (!mission_trouble(&n->m, at, params_get(p, PARAM_MIS_DIST_1WP), text))
        return true;
    say("WARN", "navigator", text);
    say("WARN", "navigator", "mission check failed");
    return false;
}

// --- modes --------------------------------------------------------------------------------------

static void enter(navigator *n, uorb *u, const params *p, const seen *s, int mode, uint64_t now_us)
{
    if (n->mode == NAV_MISSION)
        issue(u, now_us, COMMAND_TRIGGER, -1, 0, 1);
    n->mode = mode;
    n->running = mode == NAV_MISSION && n->result.valid;
    n->target = (target){.position = here(s), .yaw = (double)NAN};
    if (mode == NAV_RETURN)
        begin_return(n, p, s);
    if (mode == NAV_LAND)
        n->target.kind = TARGET_LAND;
    if (mode == NAV_LOITER && !s->land.landed)
        n->target.kind = n->abandoned ? TARGET_LAND : TARGET_POSITION;
    n->abandoned &= mode == NAV_LOITER;
    if (mode == NAV_MISSION && n->checked) {
        n->result.finished = 1; // of a mission that is rejected, and of one that just begins
        check(n, p, s);         // once more
    }
    if (!n->running)
        return;
    if (n->over) { // from its beginning
        n->current = 0;
        n->result.seq_reached = -1;
        n->cruise_m_s = 0;
    }
    n->over = false;
    say("INFO", "navigator", "Executing Mission");
    begin_item(n, u, s, now_us);
    issue(u, now_us, COMMAND_TRIGGER, -1, 0, 0);
}

// Whether the mission may be flown; checked once, when there is a position and a home.
static bool mission_valid(navigator *n, const params *p, const seen *s, uint64_t now_us)
{
    const bool placed = s->global.timestamp > 0 && s->global.lat_lon_valid && s->global.alt_valid &&
                        s->local.xy_global && s->local.z_global;
    const bool home = s->home.valid_alt && s->home.valid_hpos;
    const bool late = now_us - n->loaded_us >= orders_get()->valid_after_us;
    if (n->checked || n->m.count == 0 || !placed || !home || !late)
        return n->result.valid;
    n->checked = true;
    return check(n, p, s);
}

static void publish_result(navigator *n, uorb *u, const seen *s, uint64_t now_us)
{
    const struct geofence_status fence = {.timestamp = now_us};
    if (!n->announced)
        PUBLISH(u, geofence_status, &fence);
    if (n->announced && !n->repeat &&
        memcmp(&n->published, &n->result, END_OF(mission_result, execution_mode)) == 0)
        return;
    n->announced = true;
    n->repeat = false;
    n->published = n->result;
    struct mission_result m = n->result;
    m.timestamp = now_us;
    m.home_position_counter = s->home.update_count;
    PUBLISH(u, mission_result, &m);
}

void navigator_run(navigator *n, uorb *u, const params *p, uint64_t now_us)
{
    seen s;
    memset(&s, 0, sizeof s);
    const bool ready = READ(u, vehicle_status, &s.status) &&
                       READ(u, vehicle_local_position, &s.local) &&
                       READ(u, vehicle_global_position, &s.global) &&
                       READ(u, home_position, &s.home) && READ(u, vehicle_land_detected, &s.land);
    if (ready) {
        hear_commands(n, u, now_us);
        const int mode = s.status.arming_state == ARMED ? s.status.nav_state : NAV_MANUAL;
        n->result.valid = mission_valid(n, p, &s, now_us);
        if (mode != n->mode)
            enter(n, u, p, &s, mode, now_us);
        else if (mode == NAV_MISSION)
            run_mission(n, u, p, &s, now_us);
        else if (mode == NAV_RETURN && return_done(n, p, &s))
            n->target.kind = TARGET_NONE;
    }
    publish_result(n, u, &s, now_us);
}
