// profile.c - measuring calls into components, and what came of it.
#include "engine/run/profile.h"
#include "base/def.h"
#include "engine/run/integrate.h"

#include <string.h>

static tac_status timed_step(tac_step *s, const void *self)
{
    (void)self; // the same as c->run_self
    tac__component_spent *c = &s->instance->engine->profile->components[s->instance->plan->index];
    const uint64_t begun = tac__profile_now(c->profile);
    const tac_status status = c->run(s, c->run_self);
    tac__profile_add(c->profile, &c->step, begun);
    return status;
}

tac_status tac__profile_eval(tac_instance *c, tac__eval_fn *eval, const tac_eval *at,
                             const void *self, bool derive)
{
    tac__profile *p = c->engine->profile;
    if (p->observing)
        return eval(at, self);
    tac__component_spent *spent = &p->components[c->plan->index];
    const uint64_t begun = tac__profile_now(p);
    const tac_status status = eval(at, self);
    tac__profile_add(p,
                     !c->active ? &spent->inactive
                     : derive   ? &spent->derive
                                : &spent->output,
                     begun);
    return status;
}

void tac__profile_instant(tac_engine *e, tac_time t_us)
{
    tac__profile *p = e->profile;
    if (!e->plan->machine_count || t_us <= p->last_us)
        return;
    const uint64_t begun = tac__profile_now(p);
    for (size_t i = 0; i < e->plan->component_count; i++)
        p->components[i].inactive_us += e->instances[i]->active ? 0 : t_us - p->last_us;
    p->last_us = t_us;
    p->own_ticks += tac__profile_now(p) - begun;
}

tac_status tac__profile_wire(tac_engine *e)
{
    if (!e->plan->def.profile)
        return TAC_OK;
    const size_t count = e->plan->component_count;
    tac__profile *p = tac__arena_array(&e->scratch, 1, sizeof *p);
    tac__component_spent *components = tac__arena_array(&e->scratch, count, sizeof *components);
    if (!p || !components)
        return TAC_E_MEMORY;
    p->components = components;
    e->profile = p;
    for (size_t i = 0; i < count; i++) {
        tac_instance *c = e->instances[i];
        components[i] =
            (tac__component_spent){.profile = p, .run = c->run, .run_self = c->run_self};
        if (c->run)
            c->run = timed_step;
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        e->islands[i].problem.rhs = tac__island_rhs_timed;
    const uint64_t begun = tac__ticks();
    for (int i = 0; i < 1000; i++)
        (void)tac__profile_now(p);
    p->reading_ticks = tac__ticks() - begun;
    p->readings = 0;
    return TAC_OK;
}

// --- what came of it -----------------------------------------------------------------------------

static double tick_s(const tac__profile *p)
{
    return p->ticks ? p->wall_s / (double)p->ticks : 0;
}

static double seconds(const tac__profile *p, uint64_t ticks)
{
    return (double)ticks * tick_s(p);
}

bool tac_engine_profile_sized(const tac_engine *e, tac_profile *result, size_t size)
{
    tac_profile own = {0};
    if (e && e->profile) {
        const tac__profile *p = e->profile;
        own.run_s = seconds(p, p->ticks - p->own_ticks);
        own.reading_s = seconds(p, p->reading_ticks) / 1000;
        own.readings = p->readings;
    }
    tac__def_give(result, size, &own, sizeof own);
    return e && e->profile;
}

double tac_engine_profile_stage(const tac_engine *e, tac_stage stage, uint64_t *items)
{
    const bool known = e && e->profile && (unsigned)stage < TAC_STAGE_COUNT;
    *items = known ? e->profile->stages[stage].calls : 0;
    return known ? seconds(e->profile, e->profile->stages[stage].ticks) : 0;
}

void tac_engine_profile_component_sized(const tac_engine *e, size_t component,
                                        tac_component_profile *result, size_t size)
{
    tac_component_profile own = {0};
    if (e && e->profile && component < e->plan->component_count) {
        const tac__profile *p = e->profile;
        const tac__component_spent *c = &p->components[component];
        own = (tac_component_profile){
            .steps = c->step.calls,
            .outputs = c->output.calls,
            .evaluations = c->derive.calls,
            .inactive_calls = c->inactive.calls,
            .inactive_us = c->inactive_us,
            .step_s = seconds(p, c->step.ticks),
            .output_s = seconds(p, c->output.ticks),
            .evaluation_s = seconds(p, c->derive.ticks),
            .inactive_s = seconds(p, c->inactive.ticks),
        };
    }
    tac__def_give(result, size, &own, sizeof own);
}
