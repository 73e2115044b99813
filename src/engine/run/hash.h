// hash.h - digests by name.
#ifndef TAC_ENGINE_RUN_HASH_H
#define TAC_ENGINE_RUN_HASH_H

#include "engine/run/state.h"

tac_status tac__digests_list(tac_engine *engine);
// Digest i before the last step of its hash, as recordings keep it. Returns its name.
const char *tac__digest_value(const tac_engine *engine, size_t i, uint64_t *value);

#endif
