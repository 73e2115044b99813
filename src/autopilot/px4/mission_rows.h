// mission_rows.h - a mission as PX4 is to load it: read from a file of either format that ground
// stations write, and written as the QGC WPL 110 text that PX4's library loads.
//
// The library's loader takes every row as an item, also one of planned home. Of a row it keeps the
// command, the place, the yaw angle, whether the frame is 3, hold time and radius of a waypoint
// (16), and the radius of a take-off (22). It drops rows in which a field is "nan". So what the
// loader cannot take is written in a way that it can: a loiter for a time (19) as a waypoint with a
// hold time; an open yaw angle as the direction of the leg; an open place as home (take-off) or the
// last place (landing). Speeds are not written: the bridge commands them (commands.h).
#ifndef TAC_AUTOPILOT_PX4_MISSION_ROWS_H
#define TAC_AUTOPILOT_PX4_MISSION_ROWS_H

#include "autopilot/mission.h"
#include "base/arena.h"
#include "base/text.h"

typedef struct tac__px4_row {
    tac__mission_kind kind;
    bool above_home; // the altitude is; else above sea level
    bool here;       // no place is given
    double latitude_deg, longitude_deg, altitude_m;
    double hold_s, radius_m; // 0: none
    double yaw_deg;          // NaN: along the leg
    double speed_m_s;        // on the way there; 0: PX4's default
    uint32_t line, column;   // in the file
} tac__px4_row;

typedef struct tac__px4_mission {
    tac__px4_row *rows;
    size_t count;
    bool returns, speeds;   // some row returns home; some row sets a speed
    bool lands;             // the mission lands at a known place
    double north_m, east_m; // landing place relative to the origin
} tac__px4_mission;

// Told of a row that is left out; as in tac__mission_rules.
typedef void tac__px4_left_out_fn(void *context, const tac_place *place, const char *text);

// Errors have the file's line and column. Rows live in the arena.
tac_status tac__px4_mission_read(tac__arena *arena, const char *path, const tac_world *world,
                                 tac__px4_left_out_fn *left_out, void *context,
                                 tac__px4_mission *mission, tac_error *err);
// The same for a text; `name` is what errors call it.
tac_status tac__px4_mission_parse(tac__arena *arena, const char *name, const char *bytes,
                                  size_t size, const tac_world *world,
                                  tac__px4_left_out_fn *left_out, void *context,
                                  tac__px4_mission *mission, tac_error *err);

// Where a flight begins, in degrees.
typedef struct tac__px4_home {
    double latitude, longitude, heading;
} tac__px4_home;

// Add the text that PX4's library loads. Failure is sticky in `out`.
void tac__px4_mission_write(const tac__px4_mission *mission, const tac__px4_home *home,
                            tac__text *out);

#endif
