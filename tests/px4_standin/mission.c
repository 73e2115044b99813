// mission.c - see mission.h.
#include "mission.h"

#include "vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FRAME_ABOVE_HOME = 3 };

// A row that is not one is passed over. A row of planned home is an item like any other.
static bool read_item(const char *row, mission_item *item)
{
    int index, current, frame, command, more;
    double p[4], latitude, longitude, altitude;
    if (sscanf(row, "%d %d %d %d %lf %lf %lf %lf %lf %lf %lf %d", &index, &current, &frame,
               &command, &p[0], &p[1], &p[2], &p[3], &latitude, &longitude, &altitude, &more) != 12)
        return false;
    *item = (mission_item){.command = command,
                           .above_home = frame == FRAME_ABOVE_HOME,
                           .latitude_deg = latitude,
                           .longitude_deg = longitude,
                           .altitude_m = altitude,
                           .yaw_rad = (double)NAN};
    if (command == COMMAND_WAYPOINT)
        item->hold_s = p[0];
    if (command == COMMAND_WAYPOINT || command == COMMAND_TAKEOFF) {
        item->radius_m = p[1];
        item->yaw_rad = p[3] * DEGREE;
    }
    return true;
}

static int read_items(FILE *file, mission *m)
{
    static const char header[] = "QGC WPL 110";
    char row[512];
    m->count = 0;
    if (!fgets(row, sizeof row, file) || strncmp(row, header, sizeof header - 1) != 0)
        return -3;
    for (mission_item item; fgets(row, sizeof row, file);) {
        if (!read_item(row, &item))
            continue;
        if (m->count == MISSION_MAX)
            return -5;
        m->items[m->count++] = item;
    }
    return m->count > 0 ? 0 : -4;
}

const char *mission_trouble(const mission *m)
{
    bool takes_off = false;
    for (int i = 0; i < m->count; i++)
        takes_off |= m->items[i].command == COMMAND_TAKEOFF;
    return takes_off && m->items[0].command != COMMAND_TAKEOFF ? "takeoff not first waypoint item"
                                                               : NULL;
}

int mission_load(mission *m, const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file)
        return -2;
    mission loaded;
    const int code = read_items(file, &loaded);
    fclose(file);
    if (code == 0)
        *m = loaded;
    return code;
}
