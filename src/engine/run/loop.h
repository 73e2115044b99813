// loop.h - the start of a run, its failure, and the engine's own entries in the log.
#ifndef TAC_ENGINE_RUN_LOOP_H
#define TAC_ENGINE_RUN_LOOP_H

#include "engine/run/state.h"

tac_status tac__start(tac_engine *engine);
// The digest of a signal that was never written and has this value.
uint64_t tac__start_digest(const tac__signal *signal, const void *value);
// Renew what a step of the component sees: states that lanes keep, and views.
void tac__inputs_renew(tac_instance *c, tac_time t_us);
// What the step `s` of the component is about to decide: c->plan->decision_count doubles in the
// order of c->plan->decisions, for s->decided of a step of duals or symbols. Nothing else is
// written. `s` is &c->step or another step of numbers with the same instance; it must be as the
// step of numbers will see it: t_us and due are set, inputs were renewed (tac__inputs_renew) and
// the component has not yet stepped. States of a component in a team must be in the block
// (tac__block_complete). A component without decisions has nothing to compute. Where the step of
// numbers would fail, this may fail, too: the step of numbers then says why.
tac_status tac__decide(const tac_instance *c, const tac_step *s, double *decided);
tac_status tac__run_failed(tac_engine *engine, tac_status status, tac_time t_us, const char *where);
TAC_PRINTF(3, 4)
void tac__log(const tac_engine *engine, tac_log_level level, const char *format, ...);

#endif
