// phases.h - the changes of flight phases in a run, collected while it runs.
#ifndef TAC_CLI_PHASES_H
#define TAC_CLI_PHASES_H

#include "base/json.h"
#include <tactus/engine.h>

typedef struct cli_phases {
    tac_phase_change *items; // their names live as long as the engine
    size_t count, capacity;
    size_t lost; // how many were lost for lack of memory
} cli_phases;

void cli_phases_fini(cli_phases *phases);
// Have the engine report changes.
void cli_phases_watch(cli_phases *phases, tac_engine_def *def);
void cli_phases_json(const cli_phases *phases, tac__json *json);

#endif
