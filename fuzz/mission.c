// mission.c - fuzzes the reading of missions, both formats, and JSON below them: whatever comes in,
// one printable error with a place or a mission that can be flown comes out.
#include "autopilot/mission.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int is_finite(double x)
{
    return x - x == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static tac__mission mission;
    const tac_world world = {.latitude_rad = 0.827, .longitude_rad = 0.149, .altitude_m = 488};
    const char *bytes = (const char *)data;
    tac_error err;
    tac_error_clear(&err);
    const tac_status status =
        tac__mission_parse("fuzz", bytes ? bytes : "", size, &world, &mission, &err);
    if (status != TAC_OK) {
        char text[8192];
        if (tac_error_print(&err, text, sizeof text) == 0 || err.status != status || !err.line)
            abort();
        return 0;
    }
    if (mission.count == 0 || mission.count > TAC__MISSION_MAX)
        abort();
    for (size_t i = 0; i < mission.count; i++) {
        const tac__mission_item *item = &mission.items[i];
        if (!is_finite(item->north_m) || !is_finite(item->east_m) || !is_finite(item->altitude_m) ||
            !(item->hold_s >= 0) || !(item->radius_m >= 0) || !item->line)
            abort();
    }
    return 0;
}
