// params_file.h - parameters of PX4 as QGroundControl saves them: lines with five fields between
// tabs or spaces, namely vehicle, component, name, value and type. A line that begins with # is a
// comment.
#ifndef TAC_AUTOPILOT_PX4_PARAMS_FILE_H
#define TAC_AUTOPILOT_PX4_PARAMS_FILE_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    TAC__PX4_FILE_PARAMS_MAX = 4096,
    TAC__PX4_PARAM_NAME = 17, // with its NUL
    TAC__PX4_PARAMS_BYTES = 1 << 20
};

typedef struct tac__px4_file_param {
    const char *name;
    bool whole; // INT32, else REAL32
    double value;
    uint32_t line, column; // place of the name in the file
} tac__px4_file_param;

typedef struct tac__px4_file_params {
    const char *path;
    tac__px4_file_param *items;
    size_t count;
    TAC__CAPACITY(tac__px4_file_param) capacity;
} tac__px4_file_params;

// Errors have the file's line and column. Everything lives in the arena.
tac_status tac__px4_params_read(tac__arena *arena, const char *path, tac__px4_file_params *params,
                                tac_error *err);
// The same for a text; `name` is what errors call it.
tac_status tac__px4_params_parse(tac__arena *arena, const char *name, const char *bytes,
                                 size_t size, tac__px4_file_params *params, tac_error *err);

#endif
