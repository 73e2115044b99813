// written.h - which signals have a value yet.
//
// A discrete signal has no value before its first write, unless its type has an init function. A
// condition that reads such a signal is not evaluated yet (tac__formula_ready in peers.h): 0 would
// be a value that nobody meant. Only components that others watch by name are tracked, and only
// until their first step, so that later steps cost nothing.
#ifndef TAC_ENGINE_RUN_WRITTEN_H
#define TAC_ENGINE_RUN_WRITTEN_H

#include "engine/run/state.h"

// Find the components whose first write must be tracked; once everything is connected.
void tac__written_ask(tac__plan *plan);
// To be called at the start, and after the block was restored.
void tac__written_restart(tac_engine *engine);
// The component has written its outputs.
void tac__written_now(tac_instance *c);

#endif
