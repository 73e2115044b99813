// follow.h - what the run loop tells tangents. All is nothing where engine->tangents is NULL.
#ifndef TAC_ENGINE_TANGENT_FOLLOW_H
#define TAC_ENGINE_TANGENT_FOLLOW_H

#include "engine/phases/phases.h"

// Steps end at t_us and are certain; they are about to be committed.
void tac__tangents_arrive(tac_engine *engine, tac_time t_us);
// Outputs of the island were evaluated on the bus.
void tac__tangents_outputs(tac_engine *engine, const tac__island *island, tac_time t_us);
// Before the first boundary: the same of all islands, without a trace.
void tac__tangents_begin(tac_engine *engine, tac_time t_us);
// Inputs that the island holds were renewed.
void tac__tangents_renew(const tac_engine *engine, const tac__island *island, tac_time t_us);
// Held inputs were kept for observers.
void tac__tangents_preview(const tac_engine *engine, const tac__island *island, tac_time t_us);
// Something else than a step wrote outputs or states of the component: what has other values now
// is a constant.
void tac__tangents_changed(tac_engine *engine, const tac_instance *c, tac_time t_us);

// A machine decided a change of phase by values at boundaries, now or a fixed time ago.
void tac__tangents_decided(tac_engine *engine, const tac_instance *machine,
                           const tac__transition *transition, tac_time t_us);
// A change of phase: the i-th value of its actions was computed from a formula, whose memory is as
// it was before; all values were written to the outputs of the machine; states were reset.
void tac__tangents_found(tac_engine *engine, const tac_instance *machine,
                         const tac__formula *formula, size_t i, const uint64_t *memory,
                         tac_time t_us);
void tac__tangents_put(tac_engine *engine, const tac_instance *machine,
                       const tac__transition *transition, tac_time t_us);
void tac__tangents_reset(tac_engine *engine, const tac_instance *machine,
                         const tac__transition *transition);
// The component becomes inactive: its outputs are about to be held, or are at rest.
void tac__tangents_hold(tac_engine *engine, const tac_instance *c, tac_time t_us);
void tac__tangents_rest(tac_engine *engine, const tac_instance *c, tac_time t_us);

#endif
