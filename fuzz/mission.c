// mission.c - fuzzes the reading of missions, both formats, and JSON below them: whatever comes in,
// one printable error with a place or a mission that can be flown comes out. Missions may be long
// (repeat.h).
#include "autopilot/mission.h"
#include "autopilot/px4/mission_rows.h"
#include "repeat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_finite(double x)
{
    return x - x == 0;
}

static int same(const tac__mission_item *item, const tac__px4_row *row)
{
    return item->kind == row->kind && item->hold_s == row->hold_s &&
           item->radius_m == row->radius_m && item->altitude_m == row->altitude_m;
}

// What PX4 is given of a mission is a mission of the same items.
static void check_text(const tac__px4_mission *rows, const tac_world *world)
{
    static tac__mission again;
    const tac__px4_home home = {47.4, 8.5, 30};
    tac__text text;
    tac_error err;
    if (rows->rows[0].kind == TAC__ITEM_WAYPOINT && !rows->rows[0].above_home)
        return; // reads as planned home
    tac__text_init(&text, tac_allocator_default());
    tac__px4_mission_write(rows, &home, &text);
    if (tac__mission_parse("rows", text.chars, text.length, world, NULL, &again, &err) != TAC_OK ||
        again.count != rows->count)
        abort();
    for (size_t i = 0; i < rows->count; i++) {
        if (!same(&again.items[i], &rows->rows[i]) || !(rows->rows[i].speed_m_s >= 0))
            abort();
    }
    tac__text_fini(&text);
}

static void check_rows(const char *bytes, size_t size, const tac_world *world)
{
    tac__px4_mission rows;
    tac__arena arena;
    tac_error err;
    tac__arena_init(&arena, NULL);
    tac_error_clear(&err);
    if (tac__px4_mission_parse(&arena, "fuzz", bytes, size, world, NULL, NULL, &rows, &err) ==
        TAC_OK)
        check_text(&rows, world);
    else if (!err.line)
        abort();
    tac__arena_fini(&arena);
}

static void read(const char *bytes, size_t size)
{
    static tac__mission mission;
    const tac_world world = {.latitude_rad = 0.827, .longitude_rad = 0.149, .altitude_m = 488};
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = tac__mission_parse("fuzz", bytes, size, &world, NULL, &mission, &err);
    check_rows(bytes, size, &world);
    if (status != TAC_OK) {
        char text[8192];
        if (tac_error_print(&err, text, sizeof text) == 0 || err.status != status || !err.line)
            abort();
        return;
    }
    if (mission.count == 0 || mission.count > TAC__MISSION_MAX)
        abort();
    for (size_t i = 0; i < mission.count; i++) {
        const tac__mission_item *item = &mission.items[i];
        if (!is_finite(item->north_m) || !is_finite(item->east_m) || !is_finite(item->altitude_m) ||
            !(item->hold_s >= 0) || !(item->radius_m >= 0) || !item->line)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tac__text text;
    tac__text_init(&text, NULL);
    repeat_lines(&text, (const char *)data, size);
    read(text.chars ? text.chars : "", text.length);
    tac__text_fini(&text);
    return 0;
}
