// px4_params.c - fuzzes files of PX4's parameters: whatever comes in, one printable error with a
// place comes out, or parameters that PX4 can have, each once.
#include "autopilot/px4/params_file.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const tac__px4_file_params *p)
{
    if (p->count == 0 || p->count > TAC__PX4_FILE_PARAMS_MAX)
        abort();
    for (size_t i = 0; i < p->count; i++) {
        const tac__px4_file_param *param = &p->items[i];
        if (!*param->name || strlen(param->name) >= TAC__PX4_PARAM_NAME || !param->line ||
            param->value - param->value != 0 ||
            (param->whole && param->value != (double)(int32_t)param->value))
            abort();
        for (size_t k = 0; k < i && p->count < 100; k++) {
            if (!strcmp(param->name, p->items[k].name))
                abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tac__arena arena;
    tac__px4_file_params params;
    tac_error err;
    tac__arena_init(&arena, NULL);
    tac_error_clear(&err);
    const tac_status status =
        tac__px4_params_parse(&arena, "fuzz", data ? (const char *)data : "", size, &params, &err);
    char text[8192];
    if (status == TAC_OK)
        check(&params);
    else if (tac_error_print(&err, text, sizeof text) == 0 || err.status != status || !err.line)
        abort();
    tac__arena_fini(&arena);
    return 0;
}
