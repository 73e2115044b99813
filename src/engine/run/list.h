// list.h - the inputs of all components by number.
#ifndef TAC_ENGINE_RUN_LIST_H
#define TAC_ENGINE_RUN_LIST_H

#include "engine/run/state.h"

// The component that has the input of this number, and its index among the component's own; NULL:
// no such input.
const tac__component *tac__input_at(const tac_engine *engine, int input, size_t *own);

#endif
