// profile.h - where the time of a run goes: by stage and by component.
//
// An engine without it (tac_engine_def.profile) executes no instruction for it: the run loop and
// the right-hand side exist twice, and what they call goes through pointers that are there anyway.
// What is measured is scratch: it is in no checkpoint and no digest, and changes no bit.
#ifndef TAC_ENGINE_RUN_PROFILE_H
#define TAC_ENGINE_RUN_PROFILE_H

#include "base/ticks.h"
#include "engine/run/state.h"

typedef struct tac__spent {
    uint64_t calls, ticks;
} tac__spent;

typedef struct tac__component_spent {
    tac__profile *profile;
    tac_status (*run)(tac_step *s, const void *self); // what the instance ran before
    const void *run_self;
    tac__spent step, output, derive;
    tac__spent inactive; // calls whose results are dropped
    tac_time inactive_us;
} tac__component_spent;

struct tac__profile {
    tac__component_spent *components;
    tac__spent stages[TAC_STAGE_COUNT];
    uint64_t ticks, own_ticks; // inside tac_engine_run; of what only the profile does
    double wall_s;             // the same as `ticks`
    uint64_t readings;
    uint64_t reading_ticks; // of a thousand readings
    bool observing;         // what is called now is for an observer, and not counted by component
    tac_time last_us;
};

// Have the components of a prepared engine measured.
tac_status tac__profile_wire(tac_engine *engine);

static inline uint64_t tac__profile_now(tac__profile *p)
{
    p->readings++;
    return tac__ticks();
}

static inline void tac__profile_add(tac__profile *p, tac__spent *spent, uint64_t begun)
{
    spent->ticks += tac__profile_now(p) - begun;
    spent->calls++;
}

// What follows is for an observer, or no longer; returns what was said before.
static inline bool tac__profile_observing(const tac_engine *e, bool observing)
{
    if (!e->profile)
        return false;
    const bool before = e->profile->observing;
    e->profile->observing = observing;
    return before;
}

typedef tac_status tac__eval_fn(const tac_eval *eval, const void *self);

// Call `output` or `derive` of a component; what it takes counts for `c`.
tac_status tac__profile_eval(tac_instance *c, tac__eval_fn *eval, const tac_eval *at,
                             const void *self, bool derive);
tac_status tac__island_outputs_timed(tac_engine *e, tac__island *island, tac_time t_us);
// The simulated time in which components are inactive, up to an instant.
void tac__profile_instant(tac_engine *e, tac_time t_us);

#endif
