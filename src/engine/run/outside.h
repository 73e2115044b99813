// outside.h - driving an engine from another program; see <tactus/outside.h>.
#ifndef TAC_ENGINE_RUN_OUTSIDE_H
#define TAC_ENGINE_RUN_OUTSIDE_H

#include "engine/run/state.h"

// May the engine be changed now? Only while it is prepared and not inside a run; else TAC_E_CALLER
// and a text that says why not.
tac_status tac__outside_ready(const tac_engine *engine, tac_error *err);

// All instants up to and including until_us, or the end of the run, have been processed.
void tac__outside_reached(tac_engine *engine, tac_time until_us);

// The first instant for which something may still come from outside.
tac_time tac__open_us(const tac_engine *engine);

// Tell watchers of a message that was sent on links that lead outside.
// A replay cannot tell watchers of messages.
tac_status tac__fail_replayed(tac_error *err);

void tac__outside_sent(tac_engine *engine, const tac__sender *port, uint64_t sequence,
                       const void *bytes, size_t size);

#endif
