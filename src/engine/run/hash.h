// hash.h - digests by name.
#ifndef TAC_ENGINE_RUN_HASH_H
#define TAC_ENGINE_RUN_HASH_H

#include "engine/run/state.h"

tac_status tac__digests_list(tac_engine *engine);
// Before the last step of the hash: what recordings keep.
uint64_t tac__digest_value(const tac_engine *engine, const tac__digest *digest);

#endif
