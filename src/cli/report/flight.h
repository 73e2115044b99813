// flight.h - flights in the report of a run.
#ifndef TAC_CLI_REPORT_FLIGHT_H
#define TAC_CLI_REPORT_FLIGHT_H

#include "base/json.h"
#include "cli/flight.h"

// A summary in a few lines, of one vehicle or of all together.
typedef struct cli_flight_line {
    const char *label;
    char text[160];
} cli_flight_line;

enum { CLI_FLIGHT_LINES = 6 };
size_t cli_flight_lines(const cli_flight *flight, cli_flight_line lines[CLI_FLIGHT_LINES]);

// With as many digits as a person needs: "0.42 m", "12.3 m", "1.23 km".
void cli_add_metres(tac__out *out, double metres);

// One line a vehicle, if there are several.
void cli_flight_table(const cli_flight *flight, tac__text *out);

// Adds members to an open object; none if there are no vehicles.
void cli_flight_json(const cli_flight *flight, tac__json *json);

#endif
