// flight.h - flights in the report of a run.
#ifndef TAC_CLI_REPORT_FLIGHT_H
#define TAC_CLI_REPORT_FLIGHT_H

#include "base/json.h"
#include "cli/flight.h"
#include "cli/report/lines.h"

// A summary of one vehicle or of all together; no line if there are none.
void cli_flight_lines(const cli_flight *flight, cli_lines *lines);

// One line a vehicle, if there are several.
void cli_flight_table(const cli_flight *flight, tac__text *out);

// Adds members to an open object; none if there are no vehicles.
void cli_flight_json(const cli_flight *flight, tac__json *json);

#endif
