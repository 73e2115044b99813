// flight_plot.h - a flight on one page: ground track, altitude, attitude, motors, battery.
#ifndef TAC_CLI_FLIGHT_PLOT_H
#define TAC_CLI_FLIGHT_PLOT_H

#include "cli/flight.h"

typedef struct cli_flight_plot {
    const char *file;  // NULL: none is wanted
    bool svg;          // else PNG
    tac__text gnuplot; // where the program is
} cli_flight_plot;

// `file` (may be NULL) must end in .png or .svg.
TAC_MUST_CHECK tac_status cli_flight_plot_init(cli_flight_plot *plot, const char *file,
                                               tac_error *err);
void cli_flight_plot_fini(cli_flight_plot *plot);

// Before a long run: everything that the plot will need is there.
TAC_MUST_CHECK tac_status cli_flight_plot_check(cli_flight_plot *plot, const cli_flight *flight,
                                                tac_error *err);

// Draw the samples of the flight. The file is written as a whole or not at all.
TAC_MUST_CHECK tac_status cli_flight_plot_write(const cli_flight_plot *plot,
                                                const cli_flight *flight, const char *name,
                                                uint64_t hash, tac_error *err);

#endif
