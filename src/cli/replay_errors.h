// replay_errors.h - how far one replay is from another: states of the plant on an axis, compared
// with those of a reference.
#ifndef TAC_CLI_REPLAY_ERRORS_H
#define TAC_CLI_REPLAY_ERRORS_H

#include "base/text.h"

#include <tactus/engine.h>

enum { CLI_ERRORS_COLUMNS = 24 };

typedef struct cli_error_column {
    char name[64]; // port of the signal: "position"
    char unit[32]; // of the error; an angle in rad for an attitude
    bool attitude;
    double max; // over all vehicles and samples
    tac_time max_us;
} cli_error_column;

typedef struct cli_errors {
    cli_error_column columns[CLI_ERRORS_COLUMNS];
    size_t column_count;
    // signals that are compared, in order of the engine's
    struct {
        int signal;
        size_t column, first; // of its values in a row
        uint32_t count;
    } * items;
    size_t item_count, width;
    // rows of values of the reference, or of errors by column
    tac_time *t_us;
    double *rows;
    size_t count, capacity;
    const struct cli_errors *reference; // NULL: this is the reference
    bool failed;                        // no memory, or the axes differ
} cli_errors;

// Watch a built, unprepared engine. Zero `errors` before.
TAC_MUST_CHECK tac_status cli_errors_watch(cli_errors *errors, tac_engine *engine,
                                           const cli_errors *reference, tac_time period_us,
                                           tac_error *err);
void cli_errors_fini(cli_errors *errors);

#endif
