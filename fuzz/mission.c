// mission.c - fuzzes the reading of missions, both formats, and JSON below them: whatever comes in,
// one printable error with a place or a mission that can be flown comes out. Missions may be long
// (repeat.h).
#include "autopilot/mission.h"
#include "autopilot/px4/wpl_items.h"
#include "repeat.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_finite(double x)
{
    return x - x == 0;
}

static int same(const tac__mission_item *a, const tac__mission_item *b)
{
    const int yaw =
        a->yaw_rad == b->yaw_rad || (a->yaw_rad != a->yaw_rad && b->yaw_rad != b->yaw_rad);
    return a->kind == b->kind && a->here == b->here && a->above_home == b->above_home && yaw &&
           a->north_m == b->north_m && a->east_m == b->east_m && a->altitude_m == b->altitude_m &&
           a->hold_s == b->hold_s && a->radius_m == b->radius_m;
}

// What PX4 is given of a WPL file has the same items as the file.
static void check_items(const char *bytes, size_t size, const tac_world *world,
                        const tac__mission *whole)
{
    static tac__mission items;
    tac__text once;
    tac_error err;
    tac__text_init(&once, tac_allocator_default());
    tac__wpl_items(bytes, size, &once);
    const int wpl = size >= 3 && bytes[0] == 'Q' && bytes[1] == 'G' && bytes[2] == 'C';
    if (whole && wpl) {
        if (tac__mission_parse("items", once.chars, once.length, world, &items, &err) != TAC_OK ||
            items.count != whole->count)
            abort();
        for (size_t i = 0; i < items.count; i++) {
            if (!same(&items.items[i], &whole->items[i]))
                abort();
        }
    }
    tac__text_fini(&once);
}

static void read(const char *bytes, size_t size)
{
    static tac__mission mission;
    const tac_world world = {.latitude_rad = 0.827, .longitude_rad = 0.149, .altitude_m = 488};
    tac_error err;
    tac_error_clear(&err);
    const tac_status status = tac__mission_parse("fuzz", bytes, size, &world, &mission, &err);
    if (status != TAC_OK) {
        char text[8192];
        if (tac_error_print(&err, text, sizeof text) == 0 || err.status != status || !err.line)
            abort();
        check_items(bytes, size, &world, NULL);
        return;
    }
    check_items(bytes, size, &world, &mission);
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
