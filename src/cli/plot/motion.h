// motion.h - rockets, orbits or cars on one page.
#ifndef TAC_CLI_PLOT_MOTION_H
#define TAC_CLI_PLOT_MOTION_H

#include "cli/motion.h"

// Draw the samples of all vehicles of the kind of the first. The file is written as a whole or not
// at all.
TAC_MUST_CHECK tac_status cli_motion_plot_write(const char *file, const cli_motion *motion,
                                                const char *name, uint64_t hash, tac_error *err);

#endif
