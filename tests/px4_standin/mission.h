// mission.h - missions as text files, QGC WPL 110.
#ifndef PX4_STANDIN_MISSION_H
#define PX4_STANDIN_MISSION_H

#include <stdbool.h>

enum { MISSION_MAX = 128 };
enum { COMMAND_WAYPOINT = 16, COMMAND_RETURN = 20, COMMAND_LAND = 21, COMMAND_TAKEOFF = 22 };

typedef struct mission_item {
    int command;
    bool above_home; // else above sea level
    double latitude_deg, longitude_deg, altitude_m;
    double hold_s, radius_m; // 0: none given
    double yaw_rad;          // NaN: towards the item
} mission_item;

typedef struct mission {
    mission_item items[MISSION_MAX];
    int count;
} mission;

// -2 cannot open, -3 empty or another kind of text, -4 no items, -5 too many. On failure the
// mission is as before.
int mission_load(mission *m, const char *path);

// Why PX4's feasibility check rejects it; NULL: it does not.
const char *mission_trouble(const mission *m);

#endif
