// checkpoint.h - saving the block and what opaque components save, and going on from it.
#ifndef TAC_ENGINE_RUN_CHECKPOINT_H
#define TAC_ENGINE_RUN_CHECKPOINT_H

#include "engine/run/state.h"

tac_status tac__checkpoint_consider(tac_engine *engine);
tac_status tac__checkpoint_finish(tac_engine *engine);

tac_status tac__save_opaque(tac_engine *engine, bool plant_only, tac__text *out);
tac_status tac__restore_opaque(tac_engine *engine, const char *bytes, size_t size, tac_error *err);
// Take over a block, if it is valid; see validate.h. `h_us`: step sizes to go on with, one an
// island; NULL: those of the block.
tac_status tac__restore_block(tac_engine *engine, const void *block, bool exact,
                              const tac_time *h_us, tac_error *err);
// A component that keeps something outside the engine and cannot save it; NULL: there is none.
const tac__component *tac__unsavable(const tac_engine *engine);
tac_status tac__steps_again(tac_engine *engine); // steps under way; counters stay

// --- back.c ---
tac_status tac__keep_start(tac_engine *engine, tac_error *err);

#endif
