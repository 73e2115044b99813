// scratch.c - computes scratch again from the plan and the block.
#include "engine/run/lanes.h"
#include "engine/phases/phases.h"
#include "engine/run/teams.h"
#include "engine/run/written.h"

static void restart_island(tac__island *island)
{
    island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    tac__step_set(island, TAC__STEP_NONE);
    island->outcome = TAC__TAKEN;
    island->unsure = false;
    tac__ode_forget(&island->work);
}

// All else of an instance is set before it is read. (`decides` is not after a failure, but only
// replays use it, and these cannot go back.)
static void restart_instance(tac_instance *c)
{
    c->pending = 0;
    c->may_jump = c->jumped = false;
}

void tac__scratch_restart(tac_engine *e)
{
    tac__due_restored(e);
    tac__timeline_resume(&e->timeline, e->clock->started ? e->clock->t_us : TAC_TIME_NEVER);
    for (size_t i = 0; i < e->plan->component_count; i++)
        restart_instance(e->instances[i]);
    for (size_t i = 0; i < e->plan->island_count; i++)
        restart_island(&e->islands[i]);
    tac__teams_restart(e);
    tac__lanes_restart(e);
    tac__written_restart(e);
    tac__activity_restored(e);
}

void tac__block_complete(const tac_engine *e)
{
    tac__teams_store(e);
    tac__lanes_store(e);
}
