// look.c - reading an engine from outside: time, counters, signals.
#include "engine/plan/find.h"
#include "engine/run/lanes.h"
#include "engine/run/integrate.h"
#include "engine/phases/phases.h"
#include "base/def.h"
#include "base/floats.h"

tac_time tac_engine_time(const tac_engine *e)
{
    return e && e->clock ? e->clock->t_us : 0;
}

tac_time tac_engine_next_time(const tac_engine *e)
{
    const bool alive = e && (e->life == TAC__PREPARED || e->life == TAC__RUNNING);
    return alive && !e->clock->finished ? tac__timeline_next(&e->timeline) : TAC_TIME_NEVER;
}

tac_time tac_engine_end_time(const tac_engine *e)
{
    return e && e->plan ? e->plan->def.end_us : 0;
}

bool tac_engine_finished(const tac_engine *e)
{
    return e && e->clock && e->clock->finished;
}

static tac_counters counters_of(const tac_engine *e)
{
    tac_counters n = {0};
    if (!e || !e->clock)
        return n;
    n.boundaries = e->clock->boundaries;
    n.steps = e->clock->steps;
    n.messages = e->clock->messages;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        n.integration_steps += e->islands[i].state->steps;
        n.rhs_evals += e->islands[i].state->evals;
        n.undone += e->islands[i].state->undone;
        n.rejected += e->islands[i].state->rejected;
        n.events += e->islands[i].state->events;
    }
    return n;
}

void tac_engine_counters_sized(const tac_engine *e, tac_counters *result, size_t size)
{
    const tac_counters own = counters_of(e);
    tac__def_give(result, size, &own, sizeof own);
}

static tac_sizes sizes_of(const tac_engine *e)
{
    tac_sizes n = {
        .entities = e->plan->entity_count - 1, // without the root
        .groups = e->plan->group_count,
        .components = e->plan->component_count,
        .islands = e->plan->island_count,
        .signals = e->plan->schema.count,
        .senders = e->plan->sender_count,
        .receivers = e->plan->receiver_count,
        .bytes = e->plan->block.size,
    };
    for (size_t i = 0; i < e->plan->island_count; i++)
        n.states += e->plan->islands[i].x_count;
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac__phases *p = tac__phases_of(e->plan->components[e->plan->machines[i]]);
        n.phases += p->count;
        n.transitions += p->transition_count;
    }
    return n;
}

void tac_engine_sizes_sized(const tac_engine *e, tac_sizes *result, size_t size)
{
    const tac_sizes own = sizes_of(e);
    tac__def_give(result, size, &own, sizeof own);
}

static tac_group_info group_info(const tac_engine *e, size_t group)
{
    if (group >= e->plan->group_count)
        return (tac_group_info){.name = ""};
    const tac__rate_group *g = &e->plan->groups[group];
    return (tac_group_info){g->name, g->period_us, g->offset_us, g->times_count, g->components};
}

void tac_engine_group_info_sized(const tac_engine *e, size_t group, tac_group_info *result,
                                 size_t size)
{
    const tac_group_info own = group_info(e, group);
    tac__def_give(result, size, &own, sizeof own);
}

static tac_component_info component_info(const tac_engine *e, size_t component)
{
    if (!e || component >= e->plan->component_count)
        return (tac_component_info){.name = "", .type = "", .entity = "", .group = ""};
    const tac__component *c = e->plan->components[component];
    return (tac_component_info){c->name,
                                c->type->name,
                                e->plan->entities[c->entity].name,
                                c->group < 0 ? "" : e->plan->groups[c->group].name,
                                c->type->flags & TAC__COMPONENT_PUBLIC,
                                c->gravity_mu_m3_s2,
                                c->gravity_radius_m,
                                c->landing_m};
}

void tac_engine_component_info_sized(const tac_engine *e, size_t component,
                                     tac_component_info *result, size_t size)
{
    const tac_component_info own = component_info(e, component);
    tac__def_give(result, size, &own, sizeof own);
}

size_t tac_engine_signal_count(const tac_engine *e)
{
    return e->plan->schema.count;
}

int tac_engine_find_signal(const tac_engine *e, const char *name)
{
    return e && name ? tac__find_signal(e->plan, name) : -1;
}

static tac_signal_info signal_info(const tac_engine *e, int signal)
{
    if (!e || signal < 0 || (size_t)signal >= e->plan->schema.count)
        return (tac_signal_info){.name = "", .unit = "", .doc = "", .writer = "", .group = ""};
    const tac__signal *s = &e->plan->schema.signals[signal];
    return (tac_signal_info){.name = s->name,
                             .unit = s->kind->unit,
                             .doc = s->kind->doc,
                             .writer = s->writer,
                             .group = s->kind->group,
                             .type = s->kind->type,
                             .stage = s->kind->stage,
                             .continuous = s->kind->continuous,
                             .role = (tac_role)s->kind->role,
                             .component = s->component};
}

void tac_engine_signal_info_sized(const tac_engine *e, int signal, tac_signal_info *result,
                                  size_t size)
{
    const tac_signal_info own = signal_info(e, signal);
    tac__def_give(result, size, &own, sizeof own);
}

// The value of a continuous signal that is not on the bus now.
__attribute__((noinline)) static const void *evaluate(tac_engine *e, int signal)
{
    TAC__FLOATS;
    const void *value;
    return tac__island_peek(e, signal, e->clock->t_us, &value) == TAC_OK ? value : NULL;
}

// Most values are there already: then nothing is computed, and the floating-point environment of
// the caller may be what it is. An observer that reads two states takes 40 ns less so, of 93 ns
// (bench/mission.c).
const void *tac_engine_read(tac_engine *e, int signal)
{
    if (!e || !e->clock || signal < 0 || (size_t)signal >= e->plan->schema.count)
        return NULL;
    const tac__signal *s = &e->plan->schema.signals[signal];
    if (s->kind->state)
        tac__lanes_show(&e->islands[e->plan->components[s->component]->island]);
    if (!s->kind->continuous || !e->clock->started || tac__island_has(e, s, e->clock->t_us))
        return tac__block_at(&e->plan->block, s->offset);
    return evaluate(e, signal);
}

uint64_t tac_engine_schema_hash(const tac_engine *e)
{
    return tac__schema_hash(&e->plan->schema);
}
