// mission.h - missions as text files, QGC WPL 110.
#ifndef PX4_STANDIN_MISSION_H
#define PX4_STANDIN_MISSION_H

#include <stdbool.h>

enum { MISSION_MAX = 128 };
enum {
    COMMAND_WAYPOINT = 16,
    COMMAND_LOITER = 17,
    COMMAND_LOITER_TIME = 19,
    COMMAND_RETURN = 20,
    COMMAND_LAND = 21,
    COMMAND_TAKEOFF = 22,
    COMMAND_CHANGE_SPEED = 178,
    COMMAND_TRIGGER = 2003,
};

typedef struct mission_item {
    int command;
    bool above_home; // else above sea level
    double latitude_deg, longitude_deg, altitude_m;
    double hold_s, radius_m;
    double yaw_rad;
} mission_item;

typedef struct mission {
    mission_item items[MISSION_MAX];
    int count;
} mission;

// True if the vehicle flies to a place, else PX4 only issues the command of the row.
bool mission_flies(const mission_item *item);

// -2 cannot open, -3 empty or another kind of text, -4 no items, -5 too many. On failure the
// mission is as before.
int mission_load(mission *m, const char *path);

// Why PX4's feasibility check rejects it, in `text`; false: it does not. The vehicle is `here`, in
// degrees; its first place may be so far away.
enum { TROUBLE_MAX = 128 };
bool mission_trouble(const mission *m, const double here[2], double first_m,
                     char text[TROUBLE_MAX]);

#endif
