// mission.h - a mission: items that flight control works off one after another.
//
// Read from QGroundControl's files, WPL 110 (wpl.c) and .plan (plan.c). Both pass on the fields of
// MAVLink's mission item; mission.c alone decides what they mean. docs/missions.md says which
// commands are understood. A mission is plain data without pointers, its items at the end.
#ifndef TAC_AUTOPILOT_MISSION_H
#define TAC_AUTOPILOT_MISSION_H

#include "base/error.h"

#include <math.h>
#include <stdbool.h>
#include <tactus/world.h>

// A field that is left open. (C's macro NAN is a float, which clang's -Wdouble-promotion reports.)
#define TAC__OPEN ((double)NAN)

enum { TAC__MISSION_MAX = 512, TAC__MISSION_BYTES = 1 << 22 };

typedef enum tac__mission_kind {
    TAC__ITEM_TAKEOFF,  // straight up
    TAC__ITEM_WAYPOINT, // fly there and stay for a while
    TAC__ITEM_LOITER,   // fly there and stay for good
    TAC__ITEM_RETURN,   // fly home and land
    TAC__ITEM_LAND,
} tac__mission_kind;

typedef struct tac__mission_item {
    tac__mission_kind kind;
    bool here;       // no place is given: the present position
    bool above_home; // the altitude is above home; else above sea level
    double latitude_rad, longitude_rad, altitude_m;
    double north_m, east_m; // the place, about the world's origin
    double hold_s;          // stay for so long
    double radius_m;        // within this distance it counts as reached; 0: the vehicle's default
    double yaw_rad;         // NaN: in the direction of flight
    double speed_m_s;       // level, on the way there; 0: the vehicle's default
    uint32_t line, column;  // in the file
} tac__mission_item;

typedef struct tac__mission {
    double speed_m_s; // for the items that follow, while the file is read
    size_t count;
    tac__mission_item items[TAC__MISSION_MAX];
} tac__mission;

typedef struct tac__mission_rules tac__mission_rules;

// Read a file; `world` places its items. Errors have the file's line and column. `rules` may be
// NULL.
tac_status tac__mission_read(const char *path, const tac_world *world,
                             const tac__mission_rules *rules, tac__mission *mission,
                             tac_error *err);
// The same for a text; `name` is what errors call it.
tac_status tac__mission_parse(const char *name, const char *bytes, size_t size,
                              const tac_world *world, const tac__mission_rules *rules,
                              tac__mission *mission, tac_error *err);

// Where the mission lands: north and east of the world's origin. False: it does not land at a place
// that is known.
bool tac__mission_landing(const tac__mission *mission, double *north_m, double *east_m);

// The name of a MAVLink command; "unknown" if it is not known here.
const char *tac__mission_command_name(double command);
// True if a command is for cameras, gimbals and the like, or changes speed or heading on the way:
// modules other than the one that chooses the mode carry it out.
bool tac__mission_left_to_others(double command);

// --- for the readers of single formats ----------------------------------------------------------

// The fields of a MAVLink mission item.
typedef enum tac__mission_field {
    TAC__FIELD_COMMAND,
    TAC__FIELD_FRAME,
    TAC__FIELD_PARAM, // 1 to 4
    TAC__FIELD_LATITUDE = TAC__FIELD_PARAM + 4,
    TAC__FIELD_LONGITUDE,
    TAC__FIELD_ALTITUDE,
    TAC__FIELD_CONTINUE,
    TAC__FIELD_COUNT
} tac__mission_field;

typedef struct tac__mission_fields {
    double value[TAC__FIELD_COUNT]; // NaN: left open
    tac_place place[TAC__FIELD_COUNT];
} tac__mission_fields;

// What an autopilot understands beyond the items above. Without rules nothing.
struct tac__mission_rules {
    bool speeds; // DO_CHANGE_SPEED: the items that follow have the speed
    // Told of a row that is left out because it does not change the flight, such as one for a
    // camera. NULL: such rows are refused.
    void (*left_out)(void *context, const tac_place *place, const char *text);
    // Told of each item, with its fields. NULL: nobody is told.
    void (*added)(void *context, const tac__mission_fields *fields, const tac__mission_item *item);
    void *context;
};

// Append an item, or say what is wrong with it.
tac_status tac__mission_add(tac__mission *mission, const tac__mission_fields *fields,
                            const tac__mission_rules *rules, tac_error *err);

tac_status tac__wpl_parse(const char *name, const char *bytes, size_t size,
                          const tac__mission_rules *rules, tac__mission *mission, tac_error *err);
tac_status tac__plan_parse(const char *name, const char *bytes, size_t size,
                           const tac__mission_rules *rules, tac__mission *mission, tac_error *err);

#endif
