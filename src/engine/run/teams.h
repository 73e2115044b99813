// teams.h - discrete components that are alike and step together, each in a lane of the vector
// registers.
//
// Twenty vehicles of one kind have twenty estimators, which run the same arithmetic at the same
// instants. A team is two, four or eight such components. When the first of them is due, one call
// of their kernel of packs computes the steps of all. Mostly only digests follow the steps: then
// they are taken for all at once, and the other members have no turn at this instant (tac__due,
// `done`). Where anything else follows (taps, histories, entries of the log, NaNs to be reported),
// each member has its turn, finds its outputs there, and the engine goes on as after any step.
// Every lane does the arithmetic of the component alone, so the bits are the same.
//
// Discrete states, draw counters and digests lie side by side for as long as a team runs. The block
// has them when it is asked for: see tac__block_complete.
#ifndef TAC_ENGINE_RUN_TEAMS_H
#define TAC_ENGINE_RUN_TEAMS_H

#include "engine/run/state.h"

// Find components that can step together.
tac_status tac__teams_form(tac_engine *engine);

void tac__teams_destroy(tac_engine *engine);

// The block was set or restored: states are taken from there.
void tac__teams_restart(tac_engine *engine);

// Write what lies side by side in one team, or in all, into the block.
void tac__team_store(tac__team *team);
void tac__teams_store(const tac_engine *engine);

// Is one step of all members being computed? Then what they write to the log is kept until the turn
// of each, so that entries come in the order in which the components step.
bool tac__team_steps(const tac__team *team);
void tac__team_keep_log(tac__team *team, uint32_t lane, const tac_log_entry *entry);

// Normal numbers for all lanes of a team: values[i * lanes + lane].
void tac__team_draw(const tac__team *team, int stream, double *values, size_t count);

#endif
