// pose.h - all that the outputs of a component follow from at an instant: they can be evaluated
// later, by another thread, while the run has gone on.
#ifndef TAC_ENGINE_RUN_POSE_H
#define TAC_ENGINE_RUN_POSE_H

#include "engine/plan/plan.h"

// Bytes of a pose of this component; 0 where its outputs cannot be had from one: it is part of a
// larger island or reads itself, has no outputs, too many, or its type does not say that it may be
// shared.
size_t tac__pose_size(const tac_engine *engine, const tac_instance *c);

// Can it be taken at t_us, where observers look? Where the outputs are on the bus or have been
// looked at already there is nothing to put off; between two boundaries the state has yet to be
// found.
static inline bool tac__pose_ready(const tac_engine *engine, const tac_instance *c, tac_time t_us)
{
    const tac__island *island = &engine->islands[c->island];
    return island->kept_us == t_us && island->peeked_us != t_us;
}

void tac__pose_take(const tac_engine *engine, const tac_instance *c, tac_time t_us, void *pose);

// The outputs: where each begins, in memory of the caller. Uses nothing that changes in a run.
enum { TAC__POSE_OUTPUTS = 32, TAC__POSE_WORDS = 256 };
typedef struct tac__posed {
    void *out[TAC__POSE_OUTPUTS];
    uint64_t words[TAC__POSE_WORDS];
} tac__posed;
tac_status tac__pose_outputs(const tac_instance *c, const void *pose, tac__posed *posed);

#endif
