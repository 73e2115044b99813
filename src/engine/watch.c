// watch.c - what watchers see of an engine: the plan and the state, through watch.h.
#include "engine/plan/declare.h"
#include "engine/plan/find.h"
#include "engine/run/hash.h"
#include "engine/watch.h"
#include "engine/phases/phases.h"
#include "engine/run/driven.h"

#include <string.h>

// --- lists --------------------------------------------------------------------------------------

bool tac__engine_is_building(const tac_engine *e)
{
    return e->life == TAC__BUILDING;
}

bool tac__engine_is_prepared(const tac_engine *e)
{
    return e->life == TAC__PREPARED;
}

tac__run_facts tac__watch_run(const tac_engine *e)
{
    return (tac__run_facts){
        .allocator = e->allocator,
        .seed = e->plan->def.seed,
        .end_us = e->plan->def.end_us,
        .digests = e->plan->def.digests,
        .driven = e->plan->driver != NULL,
        .started = e->clock && e->clock->started,
    };
}

const tac__schema *tac__watch_schema(const tac_engine *e)
{
    return &e->plan->schema;
}

size_t tac__watch_component_count(const tac_engine *e)
{
    return e->plan->component_count;
}

tac__component_facts tac__watch_component(const tac_engine *e, size_t component)
{
    const tac__component *c = e->plan->components[component];
    return (tac__component_facts){
        .name = c->name,
        .type = c->type,
        .plant = tac__is_continuous(c->type),
        .phases = tac__is_machine(c),
        .gated = c->active_names != NULL,
        .period_us = c->group >= 0 ? e->plan->groups[c->group].period_us : 0,
        .island = c->island,
    };
}

int tac__watch_find(const tac_engine *e, const char *component)
{
    const tac__component *c = tac__find_component(e->plan, component);
    return c ? (int)c->index : -1;
}

int tac__watch_output(const tac_engine *e, size_t component, size_t k)
{
    const tac__component *c = e->plan->components[component];
    return k < c->outputs.count ? tac__signal_at(c, k) : -1;
}

int tac__watch_element(const tac_engine *e, size_t component, const char *text, uint32_t *element)
{
    return tac__find_element(e->plan, e->plan->components[component], text, element);
}

int tac__watch_element_in(const tac_engine *e, const char *entity, const char *text,
                          uint32_t *element)
{
    const int found = tac__names_find(&e->plan->entity_names, entity);
    const tac__component reader = {.entity = found > 0 ? (uint32_t)found : 0};
    return tac__find_element(e->plan, &reader, text, element);
}

static void cross(const tac_engine *e, const tac__input *in, bool *crossing)
{
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    if (tac__is_continuous(e->plan->components[s->component]->type))
        return;
    crossing[in->signal] = true;
    if (in->policy == TAC_EXTRAPOLATED && s->derivative >= 0)
        crossing[s->derivative] = true;
}

bool *tac__watch_crossing(const tac_engine *e, tac__arena *arena)
{
    bool *crossing = tac__arena_array(arena, e->plan->schema.count, sizeof *crossing);
    for (size_t i = 0; crossing && i < e->plan->component_count; i++) {
        const tac__component *c = e->plan->components[i];
        for (size_t k = 0; tac__is_continuous(c->type) && k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                cross(e, &c->in[k], crossing);
        }
        // Changes of phases make components of the plant active or inactive, and reset states.
        for (size_t k = 0; tac__is_machine(c) && k < c->outputs.count; k++)
            crossing[tac__signal_at(c, k)] = true;
    }
    return crossing;
}

bool tac__watch_has_value(const tac_engine *e, size_t signal)
{
    const tac__component *c = e->plan->components[e->plan->schema.signals[signal].component];
    if (!tac__is_played(e->plan, c->type))
        return true;
    const tac__player *p = &e->plan->driver->players[c->index];
    const size_t k = tac__signal_place(c, (int)signal);
    return p->step && k < c->outputs.count && p->outputs[k];
}

size_t tac__watch_island_count(const tac_engine *e)
{
    return e->plan->island_count;
}

tac__island_facts tac__watch_island(const tac_engine *e, size_t island)
{
    const tac__island_plan *plan = &e->plan->islands[island];
    tac__island_facts facts = {.name = plan->name, .states = plan->x_count};
    for (size_t i = 0; i < plan->source_count; i++)
        facts.split |= plan->sources[i] != e->plan->start_end_source;
    return facts;
}

size_t tac__watch_receiver_count(const tac_engine *e)
{
    return e->plan->receiver_count;
}

const char *tac__watch_receiver(const tac_engine *e, size_t receiver, bool *plant)
{
    const tac__receiver *r = &e->plan->receivers[receiver];
    *plant = tac__is_continuous(e->plan->components[r->component]->type);
    return r->name;
}

size_t tac__watch_drawn_count(const tac_engine *e)
{
    return e->plan->drawn_count;
}

tac__drawn_facts tac__watch_drawn(const tac_engine *e, size_t drawn)
{
    const tac__drawn *d = e->plan->drawn[drawn];
    return (tac__drawn_facts){d->from, d->to};
}

size_t tac__watch_instant_count(const tac_engine *e)
{
    return e->plan->instants_count;
}

const char *tac__watch_instant(const tac_engine *e, size_t instant)
{
    return e->plan->instants[instant].name;
}

bool tac__watch_instant_at(const tac_engine *e, size_t instant, tac_time t_us)
{
    return e->timeline.last[e->plan->instants[instant].source] == t_us;
}

// --- values --------------------------------------------------------------------------------------

const void *tac__watch_bus(const tac_engine *e, size_t signal)
{
    return tac__block_at(&e->plan->block, e->plan->schema.signals[signal].offset);
}

const uint64_t *tac__watch_digest(const tac_engine *e, size_t island)
{
    return &e->islands[island].state->digest;
}

const char *tac__watch_digest_at(const tac_engine *e, size_t i, uint64_t *digest)
{
    if (i >= e->plan->digest_count)
        return NULL;
    return tac__digest_value(e, i, digest);
}

tac__watched tac__watch_signal(const tac_engine *e, int signal)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    const tac__component *c = e->plan->components[s->component];
    tac__watched w = {.bus = tac__watch_bus(e, (size_t)signal),
                      .signal = signal,
                      .island = -1,
                      .output = -1,
                      .state = -1};
    if (!s->kind->continuous)
        return w;
    const tac__island *island = &e->islands[c->island];
    w.island = c->island;
    w.bus_us = &island->state->at_us;
    const size_t place = tac__signal_place(c, signal);
    if (place < c->outputs.count) {
        w.output = (int)place;
        w.bus_us = &island->state->outputs_us;
        w.scratch = e->instances[c->index]->scratch.out[place];
        w.scratch_us = &island->peeked_us;
        return w;
    }
    w.state = 0;
    for (size_t k = 0; k < place - c->outputs.count; k++)
        w.state += (int)c->continuous.items[k].type.count;
    return w;
}
