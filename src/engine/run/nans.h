// nans.h - signals that are written with a NaN.
#ifndef TAC_ENGINE_RUN_NANS_H
#define TAC_ENGINE_RUN_NANS_H

#include "engine/run/state.h"

// A signal was written with a NaN in it: it is counted, and the first one is a warning in the log,
// unless its port says TAC_PORT_NAN.
tac__nan_fn tac__nan_written; // context is the engine
// Replace every NaN in a copy of the block by the same NaN, so that stored bytes are the same on
// every machine.
void tac__stored_nans(const tac_engine *engine, unsigned char *bytes);

#endif
