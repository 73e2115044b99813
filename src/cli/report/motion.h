// motion.h - rockets, orbits and cars in the report of a run.
#ifndef TAC_CLI_REPORT_MOTION_H
#define TAC_CLI_REPORT_MOTION_H

#include "base/json.h"
#include "cli/motion.h"
#include "cli/report/lines.h"

// What is said of one vehicle.
void cli_motion_lines(const cli_motion *motion, const cli_mover *mover, cli_lines *lines);

// Adds members to an open object: "rockets", "orbits", "cars", each where there are any.
void cli_motion_json(const cli_motion *motion, tac__json *json);

#endif
