// mission.c - see mission.h.
#include "mission.h"

#include "vec.h"
#include "workers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAME_ABOVE_HOME = 3 };

// As a stream of C++ reads a number: "nan" and "inf" are none.
static bool is_number(const char *text)
{
    return *text && strspn(text, "+-.0123456789eE") == strlen(text);
}

// The loader drops a row in which a field is missing or no number, and keeps of the others what is
// read here. A row of planned home is an item like any other.
static bool read_item(const char *row, mission_item *item)
{
    enum { FIELDS = 12 };
    char text[FIELDS][32];
    if (sscanf(row, "%31s %31s %31s %31s %31s %31s %31s %31s %31s %31s %31s %31s", text[0], text[1],
               text[2], text[3], text[4], text[5], text[6], text[7], text[8], text[9], text[10],
               text[11]) != FIELDS)
        return false;
    double value[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        if (!is_number(text[i]))
            return false;
        value[i] = strtod(text[i], NULL);
    }
    *item = (mission_item){.command = (int)value[3],
                           .above_home = value[2] == FRAME_ABOVE_HOME,
                           .latitude_deg = value[8],
                           .longitude_deg = value[9],
                           .altitude_m = value[10],
                           .yaw_rad = value[7] * DEGREE};
    if (item->command == COMMAND_WAYPOINT)
        item->hold_s = value[4];
    if (item->command == COMMAND_WAYPOINT || item->command == COMMAND_TAKEOFF)
        item->radius_m = value[5];
    if (item->radius_m <= 0)
        item->radius_m = 1; // of every command; a change of speed has it as its speed
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
        row[strcspn(row, "\r\n")] = 0;
        if (!*row)
            continue;
        if (!read_item(row, &item)) {
            char text[600];
            snprintf(text, sizeof text, "skip malformed WPL line: %s", row);
            say("WARN", "px4_lockstep", text);
            continue;
        }
        if (m->count == MISSION_MAX)
            return -5;
        m->items[m->count++] = item;
    }
    return m->count > 0 ? 0 : -4;
}

bool mission_flies(const mission_item *item)
{
    return item->command == COMMAND_WAYPOINT || item->command == COMMAND_LOITER ||
           item->command == COMMAND_LOITER_TIME || item->command == COMMAND_LAND ||
           item->command == COMMAND_TAKEOFF;
}

bool mission_trouble(const mission *m, const double here[2], double first_m, char text[TROUBLE_MAX])
{
    bool takes_off = false;
    int first = -1;
    for (int i = m->count - 1; i >= 0; i--) {
        takes_off |= m->items[i].command == COMMAND_TAKEOFF;
        first = mission_flies(&m->items[i]) ? i : first;
    }
    if (takes_off && m->items[0].command != COMMAND_TAKEOFF) {
        snprintf(text, TROUBLE_MAX, "Mission rejected: takeoff not first waypoint item");
        return true;
    }
    if (first < 0 || first_m <= 0)
        return false;
    const mission_item *item = &m->items[first];
    const double north = (item->latitude_deg - here[0]) * DEGREE;
    const double east = (item->longitude_deg - here[1]) * DEGREE * cos(here[0] * DEGREE);
    const double distance_m = 6371000 * sqrt(north * north + east * east);
    snprintf(text, TROUBLE_MAX, "First waypoint too far away: %dm, %d max", (int)distance_m,
             (int)first_m);
    return distance_m >= first_m;
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
