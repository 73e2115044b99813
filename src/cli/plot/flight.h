// flight.h - a flight on one page: ground track, altitude, attitude, motors, battery.
#ifndef TAC_CLI_PLOT_FLIGHT_H
#define TAC_CLI_PLOT_FLIGHT_H

#include "cli/flight.h"

// Draw the samples of the flight. The file is written as a whole or not at all.
TAC_MUST_CHECK tac_status cli_flight_plot_write(const char *file, const cli_flight *flight,
                                                const char *name, uint64_t hash, tac_error *err);

#endif
