// look.c - looking at an engine from outside: time, counters, signals.
#include "engine/phases/phases.h"
#include "base/floats.h"

tac_time tac_engine_time(const tac_engine *e)
{
    return e && e->clock ? e->clock->t_us : 0;
}

tac_time tac_engine_next_time(const tac_engine *e)
{
    const bool alive = e && (e->phase == TAC__PREPARED || e->phase == TAC__RUNNING);
    return alive && !e->clock->finished ? tac__timeline_next(&e->timeline) : TAC_TIME_NEVER;
}

bool tac_engine_finished(const tac_engine *e)
{
    return e && e->clock && e->clock->finished;
}

tac_counters tac_engine_counters(const tac_engine *e)
{
    tac_counters n = {0};
    if (!e || !e->clock)
        return n;
    n.boundaries = e->clock->boundaries;
    n.steps = e->clock->steps;
    n.messages = e->clock->messages;
    for (size_t i = 0; i < e->island_count; i++) {
        n.integration_steps += e->islands[i].state->steps;
        n.rhs_evals += e->islands[i].state->evals;
        n.undone += e->islands[i].state->undone;
        n.rejected += e->islands[i].state->rejected;
        n.events += e->islands[i].state->events;
    }
    return n;
}

tac_sizes tac_engine_sizes(const tac_engine *e)
{
    tac_sizes n = {
        .entities = e->entity_count - 1, // the root is none
        .groups = e->group_count,
        .components = e->component_count,
        .islands = e->island_count,
        .signals = e->schema.count,
        .senders = e->sender_count,
        .receivers = e->receiver_count,
        .bytes = e->block.size,
    };
    for (size_t i = 0; i < e->island_count; i++)
        n.states += e->islands[i].x_count;
    for (size_t i = 0; i < e->machine_count; i++) {
        const tac__phases *p = tac__phases_of(e->components[e->machines[i]]);
        n.phases += p->count;
        n.transitions += p->transition_count;
    }
    return n;
}

tac_group_info tac_engine_group_info(const tac_engine *e, size_t group)
{
    if (group >= e->group_count)
        return (tac_group_info){.name = ""};
    const tac__group *g = &e->groups[group];
    tac_group_info info = {g->name, g->period_us, g->offset_us, g->times_count, 0};
    for (size_t i = 0; i < e->component_count; i++)
        info.components += e->components[i]->group == (int)group;
    return info;
}

tac_component_info tac_engine_component_info(const tac_engine *e, size_t component)
{
    if (!e || component >= e->component_count)
        return (tac_component_info){"", "", "", ""};
    const tac_instance *c = e->components[component];
    return (tac_component_info){c->name, c->type->name, e->entities[c->entity].name,
                                c->group < 0 ? "" : e->groups[c->group].name};
}

size_t tac_engine_signal_count(const tac_engine *e)
{
    return e->schema.count;
}

int tac_engine_find_signal(const tac_engine *e, const char *name)
{
    return e && name ? tac__schema_find(&e->schema, name) : -1;
}

tac_signal_info tac_engine_signal_info(const tac_engine *e, int signal)
{
    if (!e || signal < 0 || (size_t)signal >= e->schema.count)
        return (tac_signal_info){.name = "", .unit = "", .doc = "", .writer = "", .group = ""};
    const tac__signal *s = &e->schema.signals[signal];
    return (tac_signal_info){s->name,  s->unit, s->doc,   s->writer,
                             s->group, s->type, s->stage, s->continuous};
}

const void *tac_engine_read(tac_engine *e, int signal)
{
    TAC__FLOATS;
    if (!e || !e->clock || signal < 0 || (size_t)signal >= e->schema.count)
        return NULL;
    const tac__signal *s = &e->schema.signals[signal];
    const void *value = tac__block_at(&e->block, s->offset);
    if (s->continuous && e->clock->started &&
        tac__island_peek(e, signal, e->clock->t_us, &value) != TAC_OK)
        return NULL;
    return value;
}

uint64_t tac_engine_schema_hash(const tac_engine *e)
{
    return tac__schema_hash(&e->schema);
}
