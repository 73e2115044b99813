// mission_rows.c - see mission_rows.h.
#include "autopilot/px4/mission_rows.h"
#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <tactus/math.h>

static const double DEGREE = 3.14159265358979323846 / 180, EARTH_M = 6378137;

// The way to a row's place, the shorter one around the Earth; exact enough to tell direction and
// distance of what lies near.
static void leg(double latitude_deg, double longitude_deg, const tac__px4_row *to, double *north_m,
                double *east_m)
{
    const double east_deg = to->longitude_deg - longitude_deg;
    const double turns = east_deg > 180 ? -1 : east_deg < -180 ? 1 : 0;
    *north_m = (to->latitude_deg - latitude_deg) * DEGREE * EARTH_M;
    *east_m = (east_deg + 360 * turns) * DEGREE * EARTH_M * tac_cos(latitude_deg * DEGREE);
}

// --- reading ------------------------------------------------------------------------------------

typedef struct reader {
    tac__mission items;
    tac__px4_row rows[TAC__MISSION_MAX];
    size_t count;
    tac__px4_left_out_fn *left_out;
    void *context;
} reader;

static void leave_out(void *context, const tac_place *place, const char *text)
{
    const reader *r = context;
    if (r->left_out)
        r->left_out(r->context, place, text);
}

// Ground stations write 0, 0 where there is no place.
static bool has_place(const tac__mission_fields *fields)
{
    const double latitude = fields->value[TAC__FIELD_LATITUDE];
    const double longitude = fields->value[TAC__FIELD_LONGITUDE];
    return latitude >= -90 && latitude <= 90 && longitude >= -180 && longitude <= 180 &&
           (latitude != 0 || longitude != 0);
}

static void add_row(void *context, const tac__mission_fields *fields, const tac__mission_item *item)
{
    reader *r = context;
    const double *value = fields->value;
    const bool open = item->kind == TAC__ITEM_TAKEOFF || item->kind == TAC__ITEM_LAND;
    r->rows[r->count++] = (tac__px4_row){
        .kind = item->kind,
        .above_home = item->above_home,
        .here = item->kind == TAC__ITEM_RETURN || (open && !has_place(fields)),
        .latitude_deg = value[TAC__FIELD_LATITUDE],
        .longitude_deg = value[TAC__FIELD_LONGITUDE],
        .altitude_m = item->altitude_m,
        .hold_s = item->hold_s,
        .radius_m = item->radius_m,
        .yaw_deg = isnan(item->yaw_rad) ? TAC__OPEN : value[TAC__FIELD_PARAM + 3],
        .speed_m_s = item->speed_m_s,
        .line = item->line,
        .column = item->column,
    };
}

static tac_status keep(tac__arena *arena, const reader *r, tac__px4_mission *mission,
                       tac_error *err)
{
    *mission = (tac__px4_mission){.count = r->count};
    mission->rows = tac__arena_array(arena, r->count, sizeof *mission->rows);
    if (!mission->rows)
        return tac__fail_memory(err);
    memcpy(mission->rows, r->rows, r->count * sizeof *mission->rows);
    for (size_t i = 0; i < r->count; i++) {
        mission->returns |= r->rows[i].kind == TAC__ITEM_RETURN;
        mission->speeds |= r->rows[i].speed_m_s > 0;
    }
    mission->lands = tac__mission_landing(&r->items, &mission->north_m, &mission->east_m);
    return TAC_OK;
}

// PX4 flies to the place of a take-off, where flight control climbs straight up.
static tac_status check_takeoffs(const char *name, const tac_world *world, const reader *r,
                                 tac_error *err)
{
    enum { DISTANCE_MAX_M = 100000 };
    for (size_t i = 0; i < r->count; i++) {
        const tac__px4_row *row = &r->rows[i];
        if (row->kind != TAC__ITEM_TAKEOFF || row->here)
            continue;
        double north_m, east_m;
        leg(world->latitude_rad / DEGREE, world->longitude_rad / DEGREE, row, &north_m, &east_m);
        const double distance_m = sqrt(north_m * north_m + east_m * east_m);
        if (!(distance_m <= DISTANCE_MAX_M))
            return tac__fail_at(err, TAC_E_RANGE, &(tac_place){name, row->line, row->column, NULL},
                                "PX4 flies to the place of a take-off, and this one is %.0f km "
                                "from the origin of the world; expected at most %d km",
                                distance_m / 1000, DISTANCE_MAX_M / 1000);
    }
    return TAC_OK;
}

tac_status tac__px4_mission_parse(tac__arena *arena, const char *name, const char *bytes,
                                  size_t size, const tac_world *world,
                                  tac__px4_left_out_fn *left_out, void *context,
                                  tac__px4_mission *mission, tac_error *err)
{
    reader *r = calloc(1, sizeof *r);
    if (!r)
        return tac__fail_memory(err);
    r->left_out = left_out;
    r->context = context;
    const tac__mission_rules rules = {
        .speeds = true, .left_out = leave_out, .added = add_row, .context = r};
    tac_status status = tac__mission_parse(name, bytes, size, world, &rules, &r->items, err);
    if (status == TAC_OK)
        status = check_takeoffs(name, world, r, err);
    if (status == TAC_OK)
        status = keep(arena, r, mission, err);
    free(r);
    return status;
}

tac_status tac__px4_mission_read(tac__arena *arena, const char *path, const tac_world *world,
                                 tac__px4_left_out_fn *left_out, void *context,
                                 tac__px4_mission *mission, tac_error *err)
{
    const tac_allocator *allocator = tac_allocator_default();
    char *bytes;
    size_t size;
    TAC_TRY(tac__file_read(path, TAC__MISSION_BYTES, allocator, &bytes, &size, err));
    const tac_status status =
        tac__px4_mission_parse(arena, path, bytes, size, world, left_out, context, mission, err);
    tac__file_free(allocator, bytes, size);
    return status;
}

// --- writing ------------------------------------------------------------------------------------

// Legs shorter than this have no direction.
static const double LEG_M = 1;

// Return the direction from one place to another in degrees from north, or `otherwise` where the
// leg is too short.
static double direction(const tac__px4_home *from, const tac__px4_row *to, double otherwise)
{
    double north_m, east_m;
    leg(from->latitude, from->longitude, to, &north_m, &east_m);
    if (north_m * north_m + east_m * east_m < LEG_M * LEG_M)
        return otherwise;
    return tac_atan2(east_m, north_m) / DEGREE;
}

static int command_of(tac__mission_kind kind)
{
    static const int commands[] = {
        [TAC__ITEM_TAKEOFF] = 22, [TAC__ITEM_WAYPOINT] = 16, [TAC__ITEM_LOITER] = 17,
        [TAC__ITEM_RETURN] = 20,  [TAC__ITEM_LAND] = 21,
    };
    return commands[kind];
}

void tac__px4_mission_write(const tac__px4_mission *mission, const tac__px4_home *home,
                            tac__text *out)
{
    tac__px4_home at = *home; // the last place, and the direction of the nose there
    tac__text_add(out, "QGC WPL 110\n");
    for (size_t i = 0; i < mission->count; i++) {
        tac__px4_row row = mission->rows[i];
        if (row.here) {
            row.latitude_deg = at.latitude;
            row.longitude_deg = at.longitude;
        }
        if (isnan(row.yaw_deg))
            row.yaw_deg = direction(&at, &row, at.heading);
        at = (tac__px4_home){row.latitude_deg, row.longitude_deg, row.yaw_deg};
        tac__text_add(out, "%zu\t0\t%d\t%d\t%.17g\t%.17g\t0\t%.17g\t%.17g\t%.17g\t%.17g\t1\n", i,
                      row.above_home ? 3 : 0, command_of(row.kind), row.hold_s, row.radius_m,
                      row.yaw_deg, row.latitude_deg, row.longitude_deg, row.altitude_m);
    }
}
