// replay.h - errors of replays over time, as a picture.
#ifndef TAC_CLI_PLOT_REPLAY_H
#define TAC_CLI_PLOT_REPLAY_H

#include "cli/replay_errors.h"

typedef struct cli_replay_curve {
    const char *label;
    const cli_errors *errors;
} cli_replay_curve;

// One panel a state, with one curve a replay, on logarithmic scales.
TAC_MUST_CHECK tac_status cli_replay_plot(const char *file, const char *title,
                                          const char *reference, const cli_replay_curve *curves,
                                          size_t count, tac_error *err);

#endif
