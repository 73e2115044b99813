// branch.h - going on from a checkpoint of a model that differs from the engine's in what may
// change: values of tunable parameters, and events that have not happened yet.
#ifndef TAC_ENGINE_RUN_BRANCH_H
#define TAC_ENGINE_RUN_BRANCH_H

#include "engine/run/state.h"

// What a checkpoint holds. Texts end with NUL.
typedef struct tac__trunk {
    const char *path;
    const char *model, *layout; // see model.c and layout.h
    const char *block;
    size_t block_size;
    tac_time t_us;
} tac__trunk;

// Take over the state in `trunk`, and list what differs in engine->changes. Refuses, with a place
// and what differs, any other difference between the two models.
tac_status tac__branch(tac_engine *engine, const tac__trunk *trunk, tac_error *err);

#endif
