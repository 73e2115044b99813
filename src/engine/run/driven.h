// driven.h - what the run loop does for drivers and watchers; see drive.h and watch.h.
#ifndef TAC_ENGINE_RUN_DRIVEN_H
#define TAC_ENGINE_RUN_DRIVEN_H

#include "engine/drive.h"
#include "engine/plan/plan.h"

// Call the snapshot timers that are due at t_us.
void tac__snapshot_due(tac_engine *engine, tac_time t_us);
// Set the source to the next of its instants that are played back.
void tac__drive_next(tac_engine *engine, int source, tac_time t_us);
// Messages were delivered to a receiver: have the driver send it the next ones.
tac_status tac__drive_delivered(tac_engine *engine, size_t receiver, tac_time t_us);

#endif
