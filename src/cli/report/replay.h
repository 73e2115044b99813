// replay.h - the results of replays, for a person or a program.
#ifndef TAC_CLI_REPORT_REPLAY_H
#define TAC_CLI_REPORT_REPLAY_H

#include "cli/replay_errors.h"
#include <tactus/record.h>

enum { CLI_METHODS_MAX = 16 };

typedef struct cli_method {
    char kind[32];  // "": as recorded
    char label[48]; // "rk45:1e-9"
    double rtol;    // 0: as configured
    int tight;      // "tight": digits of its tolerance, 10 to 6; 0: another method
} cli_method;

typedef struct cli_outcome { // of one replay
    tac_time end_us;
    tac_replay_result result;
    tac_counters counters;
    double wall_s;
    char *differences;
    cli_errors errors;
    bool failed; // the integration ended early, at failed_us
    tac_time failed_us;
    char failure[256]; // why: "uav.vehicle: the integration step fell below 1 us: ..."
} cli_outcome;

typedef struct cli_replays {
    const tac_recording_info *recording;
    const char *plot, *out; // files that were made; NULL: none
    cli_method methods[CLI_METHODS_MAX], reference;
    size_t count; // of methods
    bool has_reference;
    char loosened[384]; // why a tight reference is looser than it should be; "": it is not
    cli_outcome outcomes[CLI_METHODS_MAX], reference_outcome;
} cli_replays;

void cli_replays_text(const cli_replays *replays, tac__text *out);
void cli_replays_json(const cli_replays *replays, tac__text *out);

#endif
