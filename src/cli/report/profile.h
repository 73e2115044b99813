// profile.h - where the time of a run went.
#ifndef TAC_CLI_REPORT_PROFILE_H
#define TAC_CLI_REPORT_PROFILE_H

#include "base/json.h"

#include <tactus/engine.h>

// Tables of stages and components, if the engine was measured.
void cli_profile_text(const tac_engine *engine, tac__text *out);
// Adds the member "profile" to an open object, if the engine was measured.
void cli_profile_json(const tac_engine *engine, tac__json *json);

#endif
