// loop.h - the start of a run, its failure, and the engine's own entries in the log.
#ifndef TAC_ENGINE_RUN_LOOP_H
#define TAC_ENGINE_RUN_LOOP_H

#include "engine/run/state.h"

tac_status tac__start(tac_engine *engine);
// Renew what a step of the component sees: states that lanes keep, and views.
void tac__inputs_renew(tac_instance *c, tac_time t_us);
tac_status tac__run_failed(tac_engine *engine, tac_status status, tac_time t_us, const char *where);
TAC_PRINTF(3, 4)
void tac__log(const tac_engine *engine, tac_log_level level, const char *format, ...);

#endif
