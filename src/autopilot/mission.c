// mission.c - the meaning of a mission item's fields, which of MAVLink's commands and frames are
// understood, and where an item lies in the world.
#define TAC_KIND_F64
#include "autopilot/mission.h"
#include "base/file.h"
#include "base/text.h"
#include "model/world/geodesy.h"

#include <string.h>

// The numbers of MAVLink's common dialect (MAV_CMD, MAV_FRAME).
enum {
    WAYPOINT = 16,
    LOITER_UNLIMITED = 17,
    LOITER_TIME = 19,
    RETURN_TO_LAUNCH = 20,
    LAND = 21,
    TAKEOFF = 22,
    CHANGE_SPEED = 178
};
enum { FRAME_GLOBAL = 0, FRAME_GLOBAL_RELATIVE = 3 };

typedef struct named {
    int number;
    const char *text;
} named;

// Names of commands that planners write, for errors about commands that are not understood.
static const named commands[] = {
    {16, "NAV_WAYPOINT"},
    {17, "NAV_LOITER_UNLIM"},
    {18, "NAV_LOITER_TURNS"},
    {19, "NAV_LOITER_TIME"},
    {20, "NAV_RETURN_TO_LAUNCH"},
    {21, "NAV_LAND"},
    {22, "NAV_TAKEOFF"},
    {30, "NAV_CONTINUE_AND_CHANGE_ALT"},
    {31, "NAV_LOITER_TO_ALT"},
    {33, "DO_FOLLOW"},
    {34, "DO_ORBIT"},
    {80, "NAV_ROI"},
    {82, "NAV_SPLINE_WAYPOINT"},
    {84, "NAV_VTOL_TAKEOFF"},
    {85, "NAV_VTOL_LAND"},
    {92, "NAV_GUIDED_ENABLE"},
    {93, "NAV_DELAY"},
    {94, "NAV_PAYLOAD_PLACE"},
    {112, "CONDITION_DELAY"},
    {113, "CONDITION_CHANGE_ALT"},
    {114, "CONDITION_DISTANCE"},
    {115, "CONDITION_YAW"},
    {176, "DO_SET_MODE"},
    {177, "DO_JUMP"},
    {178, "DO_CHANGE_SPEED"},
    {179, "DO_SET_HOME"},
    {181, "DO_SET_RELAY"},
    {182, "DO_REPEAT_RELAY"},
    {183, "DO_SET_SERVO"},
    {184, "DO_REPEAT_SERVO"},
    {189, "DO_LAND_START"},
    {191, "DO_GO_AROUND"},
    {192, "DO_REPOSITION"},
    {193, "DO_PAUSE_CONTINUE"},
    {195, "DO_SET_ROI_LOCATION"},
    {196, "DO_SET_ROI_WPNEXT_OFFSET"},
    {197, "DO_SET_ROI_NONE"},
    {201, "DO_SET_ROI"},
    {203, "DO_DIGICAM_CONTROL"},
    {204, "DO_MOUNT_CONFIGURE"},
    {205, "DO_MOUNT_CONTROL"},
    {206, "DO_SET_CAM_TRIGG_DIST"},
    {207, "DO_FENCE_ENABLE"},
    {208, "DO_PARACHUTE"},
    {210, "DO_INVERTED_FLIGHT"},
    {211, "DO_GRIPPER"},
    {214, "DO_SET_CAM_TRIGG_INTERVAL"},
    {300, "MISSION_START"},
    {400, "COMPONENT_ARM_DISARM"},
    {530, "SET_CAMERA_MODE"},
    {531, "SET_CAMERA_ZOOM"},
    {532, "SET_CAMERA_FOCUS"},
    {1000, "DO_GIMBAL_MANAGER_PITCHYAW"},
    {1001, "DO_GIMBAL_MANAGER_CONFIGURE"},
    {2000, "IMAGE_START_CAPTURE"},
    {2001, "IMAGE_STOP_CAPTURE"},
    {2003, "DO_TRIGGER_CONTROL"},
    {2500, "VIDEO_START_CAPTURE"},
    {2501, "VIDEO_STOP_CAPTURE"},
    {3000, "DO_VTOL_TRANSITION"},
    {100001, "SET_NAV_STATE"},
};

// Commands for cameras, gimbals and the like: the vehicle flies the same without them.
static const int harmless[] = {181, 182, 183, 184,  197,  203,  204,  205,  206,  211, 214,
                               530, 531, 532, 1000, 1001, 2000, 2001, 2003, 2500, 2501};

static const named frames[] = {
    {1, "LOCAL_NED"},
    {2, "MISSION"},
    {4, "LOCAL_ENU"},
    {5, "GLOBAL_INT"},
    {6, "GLOBAL_RELATIVE_ALT_INT"},
    {7, "LOCAL_OFFSET_NED"},
    {8, "BODY_NED"},
    {10, "GLOBAL_TERRAIN_ALT"},
    {11, "GLOBAL_TERRAIN_ALT_INT"},
};

static const char *name_of(const named *names, size_t count, double number)
{
    for (size_t i = 0; i < count; i++) {
        if (names[i].number == number)
            return names[i].text;
    }
    return "unknown";
}

#define NAME_OF(names, number) name_of(names, sizeof names / sizeof *names, number)

// --- fields -------------------------------------------------------------------------------------

typedef struct reading {
    const tac__mission_fields *fields;
    tac_error *err;
} reading;

static double param_of(const reading *r, int number)
{
    return r->fields->value[TAC__FIELD_PARAM + number - 1];
}

#define FAIL(r, field, ...)                                                                        \
    tac__fail_at((r)->err, TAC_E_CONFIG, &(r)->fields->place[field], __VA_ARGS__)

// A number between bounds; a field that was left open gives `open`, which may be NaN to require a
// number.
static tac_status read_bounded(const reading *r, tac__mission_field field, const char *what,
                               double low, double high, double open, double *value)
{
    const double given = r->fields->value[field];
    *value = isnan(given) ? open : given;
    if (*value >= low && *value <= high)
        return TAC_OK;
    if (isnan(given))
        return FAIL(r, field, "expected %s from %g to %g, found none", what, low, high);
    return FAIL(r, field, "expected %s from %g to %g, found %g", what, low, high, given);
}

static tac_status read_zero(const reading *r, int number, const char *meaning)
{
    const double value = param_of(r, number);
    if (isnan(value) || value == 0)
        return TAC_OK;
    return FAIL(r, TAC__FIELD_PARAM + number - 1, "parameter %d (%s) is not supported: expected 0",
                number, meaning);
}

// --- parts of items -----------------------------------------------------------------------------

static const double pi = 3.14159265358979323846, degree = 3.14159265358979323846 / 180;

enum { HOLD_MAX_S = 86400, RADIUS_MAX_M = 10000, YAW_MAX_DEG = 360 };

static tac_status read_hold(const reading *r, tac__mission_item *item)
{
    return read_bounded(r, TAC__FIELD_PARAM, "a time to stay in seconds", 0, HOLD_MAX_S, 0,
                        &item->hold_s);
}

static tac_status read_radius(const reading *r, tac__mission_item *item)
{
    return read_bounded(r, TAC__FIELD_PARAM + 1, "a radius in metres", 0, RADIUS_MAX_M, 0,
                        &item->radius_m);
}

static tac_status read_yaw(const reading *r, tac__mission_item *item)
{
    const tac__mission_field field = TAC__FIELD_PARAM + 3;
    if (isnan(r->fields->value[field]))
        return TAC_OK;
    double yaw_deg;
    TAC_TRY(
        read_bounded(r, field, "a yaw angle in degrees", -YAW_MAX_DEG, YAW_MAX_DEG, 0, &yaw_deg));
    item->yaw_rad = yaw_deg * degree;
    return TAC_OK;
}

static tac_status read_altitude(const reading *r, tac__mission_item *item)
{
    const double frame = r->fields->value[TAC__FIELD_FRAME];
    if (frame != FRAME_GLOBAL && frame != FRAME_GLOBAL_RELATIVE)
        return FAIL(r, TAC__FIELD_FRAME,
                    "frame %g (%s) is not supported: expected 3 (altitude above home) or 0 "
                    "(altitude above sea level)",
                    frame, NAME_OF(frames, frame));
    item->above_home = frame == FRAME_GLOBAL_RELATIVE;
    return read_bounded(r, TAC__FIELD_ALTITUDE, "an altitude in metres", -1000, 100000, TAC__OPEN,
                        &item->altitude_m);
}

static tac_status read_place(const reading *r, tac__mission_item *item)
{
    TAC_TRY(read_bounded(r, TAC__FIELD_LATITUDE, "a latitude in degrees", -90, 90, TAC__OPEN,
                         &item->latitude_rad));
    TAC_TRY(read_bounded(r, TAC__FIELD_LONGITUDE, "a longitude in degrees", -180, 180, TAC__OPEN,
                         &item->longitude_rad));
    item->latitude_rad *= degree;
    item->longitude_rad *= degree;
    return TAC_OK;
}

// The place of a landing: none, or zeros, means the present position.
static tac_status read_place_or_here(const reading *r, tac__mission_item *item)
{
    const double latitude = r->fields->value[TAC__FIELD_LATITUDE];
    const double longitude = r->fields->value[TAC__FIELD_LONGITUDE];
    item->here = (isnan(latitude) && isnan(longitude)) || (latitude == 0 && longitude == 0);
    return item->here ? TAC_OK : read_place(r, item);
}

// --- items --------------------------------------------------------------------------------------

static tac_status read_waypoint(const reading *r, tac__mission_item *item)
{
    item->kind = TAC__ITEM_WAYPOINT;
    TAC_TRY(read_hold(r, item));
    TAC_TRY(read_radius(r, item));
    TAC_TRY(read_zero(r, 3, "passing by at a distance"));
    TAC_TRY(read_yaw(r, item));
    TAC_TRY(read_place(r, item));
    return read_altitude(r, item);
}

// The radius of a loiter is for aircraft that cannot hover, and so is parameter 4 of this command.
static tac_status read_loiter_time(const reading *r, tac__mission_item *item)
{
    item->kind = TAC__ITEM_WAYPOINT;
    TAC_TRY(read_hold(r, item));
    TAC_TRY(read_place(r, item));
    return read_altitude(r, item);
}

static tac_status read_loiter(const reading *r, tac__mission_item *item)
{
    item->kind = TAC__ITEM_LOITER;
    TAC_TRY(read_yaw(r, item));
    TAC_TRY(read_place(r, item));
    return read_altitude(r, item);
}

static tac_status read_takeoff(const reading *r, tac__mission_item *item)
{
    item->kind = TAC__ITEM_TAKEOFF;
    item->here = true;
    TAC_TRY(read_radius(r, item));
    TAC_TRY(read_yaw(r, item));
    return read_altitude(r, item);
}

static tac_status read_land(const reading *r, tac__mission_item *item)
{
    item->kind = TAC__ITEM_LAND;
    TAC_TRY(read_zero(r, 2, "precision landing"));
    TAC_TRY(read_yaw(r, item));
    TAC_TRY(read_place_or_here(r, item));
    return read_altitude(r, item);
}

static tac_status read_return(const reading *r, tac__mission_item *item)
{
    (void)r;
    item->kind = TAC__ITEM_RETURN;
    item->here = true;
    return TAC_OK;
}

// Values of a DO_CHANGE_SPEED row that change nothing, and that bring back the default.
enum { SPEED_AS_IT_IS = -1, SPEED_DEFAULT = -2, SPEED_MAX_M_S = 1000 };

// The speed of the items that follow. A throttle beside it is for aircraft.
static tac_status read_speed(const reading *r, tac__mission *mission)
{
    const double type = param_of(r, 1), speed = param_of(r, 2), throttle = param_of(r, 3);
    if (!isnan(type) && type != 0 && type != 1)
        return FAIL(r, TAC__FIELD_PARAM,
                    "speed type %g is not supported: expected 0 (air) or 1 (ground); climb and "
                    "descent are parameters of the autopilot",
                    type);
    if (!isnan(throttle) && throttle != 0 && throttle != -1)
        return FAIL(r, TAC__FIELD_PARAM + 2,
                    "parameter 3 (throttle) is not supported: expected 0 or -1");
    TAC_TRY(read_zero(r, 4, "relative speed"));
    if (speed == SPEED_AS_IT_IS)
        return TAC_OK;
    if (!(speed > 0 && speed <= SPEED_MAX_M_S) && speed != SPEED_DEFAULT)
        return FAIL(r, TAC__FIELD_PARAM + 1,
                    "expected a speed above 0 up to %d m/s, -1 (as it is) or -2 (the default), "
                    "found %g",
                    SPEED_MAX_M_S, speed);
    mission->speed_m_s = speed == SPEED_DEFAULT ? 0 : speed;
    return TAC_OK;
}

static bool is_harmless(double command)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        if (harmless[i] == command)
            return true;
    }
    return false;
}

const char *tac__mission_command_name(double command)
{
    return NAME_OF(commands, command);
}

bool tac__mission_left_to_others(double command)
{
    static const int others[] = {80, 178, 189, 195, 196, 201};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (others[i] == command)
            return true;
    }
    return is_harmless(command);
}

static void leave_out(const reading *r, const tac__mission_rules *rules)
{
    const double command = r->fields->value[TAC__FIELD_COMMAND];
    char text[128];
    tac__out out = tac__out_begin(text, sizeof text);
    tac__out_add(&out, "command %g (%s) is left out: nothing here carries it out", command,
                 NAME_OF(commands, command));
    rules->left_out(rules->context, &r->fields->place[TAC__FIELD_COMMAND], text);
}

static tac_status read_item(const reading *r, bool speeds, tac__mission_item *item)
{
    static const struct {
        int command;
        tac_status (*read)(const reading *, tac__mission_item *);
    } readers[] = {
        {WAYPOINT, read_waypoint}, {LOITER_UNLIMITED, read_loiter},
        {LAND, read_land},         {LOITER_TIME, read_loiter_time},
        {TAKEOFF, read_takeoff},   {RETURN_TO_LAUNCH, read_return},
    };
    const double command = r->fields->value[TAC__FIELD_COMMAND];
    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i].command == command)
            return readers[i].read(r, item);
    }
    return FAIL(r, TAC__FIELD_COMMAND,
                "command %g (%s) is not supported: expected 16 (waypoint), 17 (loiter), 19 (loiter "
                "for a time), 20 (return), 21 (land)%s",
                command, NAME_OF(commands, command),
                speeds ? ", 22 (take off) or 178 (change speed)" : " or 22 (take off)");
}

// Checks which items may follow which.
static tac_status check_order(const tac__mission *mission, const reading *r, tac__mission_kind kind)
{
    if (mission->count == TAC__MISSION_MAX)
        return FAIL(r, TAC__FIELD_COMMAND, "more than %d items", TAC__MISSION_MAX);
    if (mission->count == 0)
        return TAC_OK;
    if (kind == TAC__ITEM_TAKEOFF)
        return FAIL(r, TAC__FIELD_COMMAND, "only the first item may be a take-off");
    const tac__mission_kind last = mission->items[mission->count - 1].kind;
    if (last != TAC__ITEM_TAKEOFF && last != TAC__ITEM_WAYPOINT)
        return FAIL(r, TAC__FIELD_COMMAND, "nothing can follow a %s",
                    last == TAC__ITEM_LAND     ? "landing"
                    : last == TAC__ITEM_RETURN ? "return"
                                               : "loiter without a time");
    return TAC_OK;
}

tac_status tac__mission_add(tac__mission *mission, const tac__mission_fields *fields,
                            const tac__mission_rules *rules, tac_error *err)
{
    const reading r = {fields, err};
    const double command = fields->value[TAC__FIELD_COMMAND];
    const bool speeds = rules && rules->speeds;
    if (speeds && command == CHANGE_SPEED)
        return read_speed(&r, mission);
    if (rules && rules->left_out && is_harmless(command)) {
        leave_out(&r, rules);
        return TAC_OK;
    }
    tac__mission_item item = {.yaw_rad = TAC__OPEN,
                              .speed_m_s = mission->speed_m_s,
                              .line = fields->place[TAC__FIELD_COMMAND].line,
                              .column = fields->place[TAC__FIELD_COMMAND].column};
    TAC_TRY(read_item(&r, speeds, &item));
    TAC_TRY(check_order(mission, &r, item.kind));
    if (fields->value[TAC__FIELD_CONTINUE] != 1 && item.kind != TAC__ITEM_LAND &&
        item.kind != TAC__ITEM_RETURN)
        return FAIL(&r, TAC__FIELD_CONTINUE,
                    "expected that the mission goes on by itself (1, true) after this item; use "
                    "command 17 to stay");
    mission->items[mission->count++] = item;
    if (rules && rules->added)
        rules->added(rules->context, fields, &item);
    return TAC_OK;
}

// --- places in the world ------------------------------------------------------------------------

// Farther from the origin a flat world is too different from the Earth.
enum { DISTANCE_MAX_M = 100000 };

static tac_status locate(tac__mission *mission, const char *name, const tac_world *world,
                         tac_error *err)
{
    tac__geodesy geodesy;
    tac__geodesy_init(&geodesy, world);
    for (size_t i = 0; i < mission->count; i++) {
        tac__mission_item *item = &mission->items[i];
        if (item->here)
            continue;
        // East or west, whichever way round is shorter, where the date line lies between.
        const double east = item->longitude_rad - world->longitude_rad;
        const double turns = floor((east + pi) / (2 * pi));
        const vec3 ned = geodesy_to_ned(
            &geodesy, geodetic_make(item->latitude_rad, item->longitude_rad - turns * (2 * pi),
                                    world->altitude_m));
        item->north_m = ned.x;
        item->east_m = ned.y;
        const double distance_m = sqrt(ned.x * ned.x + ned.y * ned.y);
        const tac_place place = {name, item->line, item->column, NULL};
        if (!(distance_m <= DISTANCE_MAX_M))
            return tac__fail_at(err, TAC_E_RANGE, &place,
                                "this item is %.0f km from the origin of the world; expected at "
                                "most %d km: check it and 'world'",
                                distance_m / 1000, DISTANCE_MAX_M / 1000);
    }
    return TAC_OK;
}

// --- reading ------------------------------------------------------------------------------------

tac_status tac__mission_parse(const char *name, const char *bytes, size_t size,
                              const tac_world *world, const tac__mission_rules *rules,
                              tac__mission *mission, tac_error *err)
{
    static const char wpl[] = "QGC WPL";
    mission->count = 0;
    mission->speed_m_s = 0;
    size_t i = size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
        i++;
    if (i < size && bytes[i] == '{')
        TAC_TRY(tac__plan_parse(name, bytes, size, rules, mission, err));
    else if (size - i >= sizeof wpl - 1 && memcmp(bytes + i, wpl, sizeof wpl - 1) == 0)
        TAC_TRY(tac__wpl_parse(name, bytes, size, rules, mission, err));
    else
        return tac__fail_at(err, TAC_E_FORMAT, &(tac_place){name, 1, 1, NULL},
                            "expected a mission: a text that begins with 'QGC WPL 110', or a .plan "
                            "of QGroundControl, which begins with '{'");
    if (mission->count == 0)
        return tac__fail_at(err, TAC_E_CONFIG, &(tac_place){name, 1, 1, NULL},
                            "expected at least one item in the mission");
    return locate(mission, name, world, err);
}

tac_status tac__mission_read(const char *path, const tac_world *world,
                             const tac__mission_rules *rules, tac__mission *mission, tac_error *err)
{
    const tac_allocator *allocator = tac_allocator_default();
    char *bytes;
    size_t size;
    TAC_TRY(tac__file_read(path, TAC__MISSION_BYTES, allocator, &bytes, &size, err));
    const tac_status status = tac__mission_parse(path, bytes, size, world, rules, mission, err);
    tac__file_free(allocator, bytes, size);
    return status;
}

bool tac__mission_landing(const tac__mission *mission, double *north_m, double *east_m)
{
    if (!mission->count || mission->items[mission->count - 1].kind != TAC__ITEM_LAND)
        return false;
    // One that lands where it is lands at the last place that it flew to.
    for (size_t i = mission->count; i-- > 0;) {
        const tac__mission_item *item = &mission->items[i];
        if (item->here || item->kind == TAC__ITEM_TAKEOFF)
            continue;
        *north_m = item->north_m;
        *east_m = item->east_m;
        return true;
    }
    return false;
}
