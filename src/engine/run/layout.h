// layout.h - what the bytes of a block mean, as text: a branch needs this text to read the block of
// a checkpoint that another plan has made.
//
// One fact a line:
//   part SIZE NAME        the parts of the block, in their order
//   source NAME           the sources of time, in the order of the part "timeline next"
//   observer NAME         a component that only watches
//   island NAME at SOURCE, SOURCE, ...    what splits its intervals, located conditions left out
#ifndef TAC_ENGINE_RUN_LAYOUT_H
#define TAC_ENGINE_RUN_LAYOUT_H

#include "engine/run/state.h"

void tac__layout_text(const tac_engine *engine, tac__text *out);

// The name of a source: "axis 4000 0", "timer uav.scenario". A located condition is named by
// component and condition.
void tac__source_name(const tac_engine *engine, size_t source, tac__text *out);

#endif
