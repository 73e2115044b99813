// schedule.c - what happens with which source of time.
//
// For every source: the components that step with it, the entities and islands that have a boundary
// with it. An island's intervals are split only where something that it reads may be written, where
// something other than an observer reads it, on its own rate groups and the physics axis, and at
// the start and end of the run. What a condition sees that is located in an island counts as read
// by the island. An entity has a boundary wherever one of its components steps, one of its islands
// has one, a message is delivered to it, or something is written that a located condition of its
// phases sees. Observers add nothing to either.
#include "engine/run/driven.h"
#include "engine/phases/phases.h"
#include "engine/plan/outside.h"

#include <string.h>

// Sets of sources, one row a component, entity or island.
typedef struct sets {
    size_t words;
    uint64_t *bits;
} sets;

typedef struct work {
    tac__plan *e;
    sets steps, entities, islands;
    sets outputs; // of islands: when stage 3 runs for them
    sets alone;   // one row each: see below
    bool *shown;  // of islands: an observer that follows it looks at its outputs
    bool ends;    // an observer on an axis looks at the start and the end, too
} work;

// Rows of `alone`.
enum {
    ROW_AXES,       // sources that are axes
    ROW_OBSERVERS,  // sources of observers
    ROW_ANY_ISLAND, // sources that split any island
    ROW_ANY_PHASES, // sources with which any machine of phases steps
    ROW_OUTSIDE,    // sources that come from outside: see comes_from_outside
    ROW_ONE,        // scratch
    ROW_COUNT
};

static uint64_t *row(const sets *s, size_t i)
{
    return s->bits + i * s->words;
}

static bool make_sets(sets *s, tac__arena *arena, size_t rows, size_t words)
{
    s->words = words;
    s->bits = tac__arena_array(arena, rows * words, sizeof *s->bits);
    return s->bits != NULL;
}

// into |= from; true if that changed anything.
static bool unite(uint64_t *into, const uint64_t *from, size_t words)
{
    bool changed = false;
    for (size_t i = 0; i < words; i++) {
        const uint64_t before = into[i];
        into[i] |= from[i];
        changed |= into[i] != before;
    }
    return changed;
}

// --- sources ------------------------------------------------------------------------------------

static tac_status add_source(tac__plan *e, const tac__source *source, int *number)
{
    *number = tac__timeline_add(&e->timeline, &e->arena, source);
    return *number < 0 ? TAC_E_MEMORY : TAC_OK;
}

// The explicit times of a group; all its components share them.
static tac_status add_times_source(tac__plan *e, const tac__group *g, bool observer, int *number)
{
    for (size_t i = 0; i < e->timeline.count; i++) {
        const tac__source *s = &e->timeline.sources[i];
        if (s->times_us == g->times_us && s->observer == observer) {
            *number = (int)i;
            return TAC_OK;
        }
    }
    return add_source(e,
                      &(tac__source){.kind = TAC__SOURCE_TIMES,
                                     .observer = observer,
                                     .times_us = g->times_us,
                                     .times_count = g->times_count},
                      number);
}

static tac_status add_group_sources(tac__plan *e, tac_instance *c)
{
    const tac__group *g = &e->groups[c->group];
    const bool observer = tac__is_observer(c);
    if (!g->period_us)
        return add_times_source(e, g, observer, &c->axis_source);
    TAC_TRY(add_source(e,
                       &(tac__source){.kind = TAC__SOURCE_AXIS,
                                      .observer = observer,
                                      .period_us = g->period_us,
                                      .offset_us = g->offset_us},
                       &c->axis_source));
    return g->times_count ? add_times_source(e, g, observer, &c->extra_source) : TAC_OK;
}

// Instants that lie ahead of those of its group, where none of those is there anyhow.
static tac_status add_lead_source(tac__plan *e, tac_instance *c)
{
    const tac__group *g = &e->groups[c->group];
    const tac_time rest_us = tac__group_period(g) ? c->lead_us % g->period_us : 0;
    if (!rest_us || !c->type->step)
        return TAC_OK;
    return add_source(
        e,
        &(tac__source){.kind = TAC__SOURCE_AXIS,
                       .observer = tac__is_observer(c),
                       .period_us = g->period_us,
                       .offset_us = (g->offset_us + g->period_us - rest_us) % g->period_us},
        &c->lead_source);
}

static tac_status add_sources(tac__plan *e)
{
    tac_time *ends = tac__arena_array(&e->arena, 2, sizeof *ends);
    if (!ends)
        return TAC_E_MEMORY;
    ends[1] = e->def.end_us;
    TAC_TRY(add_source(e,
                       &(tac__source){.kind = TAC__SOURCE_TIMES,
                                      .times_us = ends,
                                      .times_count = e->def.end_us ? 2 : 1},
                       &e->start_end_source));
    e->physics_source = -1;
    if (e->def.physics_us)
        TAC_TRY(add_source(e,
                           &(tac__source){.kind = TAC__SOURCE_AXIS, .period_us = e->def.physics_us},
                           &e->physics_source));
    for (uint32_t i = 0; i < e->component_count; i++) {
        tac_instance *c = e->components[i];
        if (c->group >= 0) {
            TAC_TRY(add_group_sources(e, c));
            TAC_TRY(add_lead_source(e, c));
        }
        if (c->type->flags & TAC_COMPONENT_TIMER)
            TAC_TRY(add_source(e,
                               &(tac__source){.kind = TAC__SOURCE_TIMER,
                                              .observer = tac__is_observer(c),
                                              .index = i},
                               &c->timer_source));
        for (size_t k = 0; k < c->condition_count; k++)
            TAC_TRY(add_source(e, &(tac__source){.kind = TAC__SOURCE_CONDITION, .index = i},
                               &c->conditions[k].source));
    }
    for (uint32_t i = 0; i < e->receiver_count; i++)
        TAC_TRY(add_source(e, &(tac__source){.kind = TAC__SOURCE_PORT, .index = i},
                           &e->receivers[i].source));
    for (uint32_t i = 0; i < e->island_count; i++) {
        TAC_TRY(add_source(e, &(tac__source){.kind = TAC__SOURCE_STEP, .index = i},
                           &e->islands[i].step_source));
        if (e->islands[i].event_count)
            TAC_TRY(add_source(e, &(tac__source){.kind = TAC__SOURCE_EVENT, .index = i},
                               &e->islands[i].event_source));
    }
    e->timeline.own = e->timeline.count;
    for (size_t i = 0; i < e->observer_count; i++) {
        const tac_observer_def *def = &e->observers[i].def;
        if (def->follow != TAC_FOLLOW_AXIS)
            continue;
        TAC_TRY(add_source(e,
                           &(tac__source){.kind = TAC__SOURCE_AXIS,
                                          .observer = true,
                                          .period_us = def->period_us,
                                          .offset_us = def->offset_us},
                           &e->observers[i].source));
    }
    return TAC_OK;
}

// --- who has a boundary when --------------------------------------------------------------------

static bool has_hooks(const tac_instance *c)
{
    return c->type->pre_step || c->type->post_step || c->type->phase_enter || c->type->phase_exit;
}

// What is known without looking at others.
static void seed_sets(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        uint64_t *steps = row(&w->steps, i);
        if (c->type->step && c->axis_source >= 0)
            tac__set_bit(steps, (size_t)c->axis_source);
        if (c->type->step && c->extra_source >= 0)
            tac__set_bit(steps, (size_t)c->extra_source);
        if (c->type->step && c->timer_source >= 0)
            tac__set_bit(steps, (size_t)c->timer_source);
        if (c->lead_source >= 0)
            tac__set_bit(steps, (size_t)c->lead_source);
        for (size_t k = 0; c->type->step && k < c->receiver_count; k++) {
            const tac__receiver *r = &e->receivers[c->receivers[k]];
            if (r->def.triggers)
                tac__set_bit(steps, (size_t)r->source);
        }
        if (c->island >= 0 && c->axis_source >= 0)
            tac__set_bit(row(&w->islands, (size_t)c->island), (size_t)c->axis_source);
        if (c->island >= 0 && c->extra_source >= 0)
            tac__set_bit(row(&w->islands, (size_t)c->island), (size_t)c->extra_source);
        for (size_t k = 0; k < c->condition_count; k++) {
            const size_t source = (size_t)c->conditions[k].source;
            if (c->type->step)
                tac__set_bit(steps, source);
            tac__set_bit(row(&w->entities, c->entity), source);
            tac__set_bit(row(&w->islands, (size_t)c->conditions[k].island), source);
        }
    }
    for (size_t i = 0; i < e->island_count; i++) {
        tac__set_bit(row(&w->islands, i), (size_t)e->start_end_source);
        if (e->islands[i].event_count)
            tac__set_bit(row(&w->islands, i), (size_t)e->islands[i].event_source);
        if (e->physics_source >= 0)
            tac__set_bit(row(&w->islands, i), (size_t)e->physics_source);
    }
    for (size_t i = 0; i < e->entity_count; i++)
        tac__set_bit(row(&w->entities, i), (size_t)e->start_end_source);
    for (size_t i = 0; i < e->receiver_count; i++) {
        const tac_instance *c = e->components[e->receivers[i].component];
        if (!tac__is_observer(c))
            tac__set_bit(row(&w->entities, c->entity), (size_t)e->receivers[i].source);
    }
}

// One that a phase has closed may have missed a message or a wake-up; then it steps where it opens,
// which is any boundary of its entity.
static bool may_step_late(const tac__plan *e, const tac_instance *c)
{
    bool triggered = c->timer_source >= 0;
    for (size_t i = 0; i < c->receiver_count; i++)
        triggered |= e->receivers[c->receivers[i]].def.triggers;
    return c->active_names && c->type->step && triggered;
}

// An input ties the boundaries of an island to the steps of the component at its other end, and
// those of two islands to each other. A phase that closes the writer writes, too.
static bool tie_input(work *w, const tac_instance *reader, const tac__input *in)
{
    tac__plan *e = w->e;
    const tac__signal *s = &e->schema.signals[in->signal];
    const tac_instance *writer = e->components[s->component];
    const size_t words = w->islands.words;
    bool changed = false;
    if (reader->island >= 0) {
        uint64_t *island = row(&w->islands, (size_t)reader->island);
        if (!s->continuous) {
            changed |= unite(island, row(&w->steps, writer->index), words);
            if ((writer->active_names && !writer->hold) || may_step_late(e, writer))
                changed |= unite(island, row(&w->entities, writer->entity), words);
        } else if (writer->island != reader->island) {
            uint64_t *other = row(&w->islands, (size_t)writer->island);
            changed |= unite(island, other, words);
            changed |= unite(other, island, words);
        }
    }
    if (s->continuous && reader->type->step && !tac__is_observer(reader))
        changed |=
            unite(row(&w->islands, (size_t)writer->island), row(&w->steps, reader->index), words);
    // Hooks read too, at every boundary of their entity.
    if (s->continuous && (has_hooks(reader) || may_step_late(e, reader)) &&
        !tac__is_observer(reader))
        changed |= unite(row(&w->islands, (size_t)writer->island),
                         row(&w->entities, reader->entity), words);
    return changed;
}

// A change of phase opens or closes it, or resets its states.
static bool is_changed_by_phases(const tac__plan *e, const tac_instance *c)
{
    const int machine = e->entities[c->entity].machine;
    return machine >= 0 && (c->active_names || tac__phases_reset(e->components[machine], c->index));
}

// Who writes what a condition sees ties the island in which it is located, so that no value
// changes inside a step; so do phases in which its component does not look. What a machine of
// phases waits for may come true with such a write, and not between two: its entity has a boundary
// there.
static bool tie_condition(work *w, const tac_instance *c, const tac__condition *condition)
{
    const tac__plan *e = w->e;
    uint64_t *island = row(&w->islands, (size_t)condition->island);
    bool changed =
        is_changed_by_phases(e, c) && unite(island, row(&w->entities, c->entity), w->islands.words);
    for (size_t i = 0; i < condition->count; i++) {
        const int signal = c->in[condition->inputs[i]].signal;
        if (signal < 0 || e->schema.signals[signal].continuous)
            continue;
        const uint64_t *writes = row(&w->steps, e->schema.signals[signal].component);
        changed |= unite(island, writes, w->islands.words);
        if (tac__is_machine(c))
            changed |= unite(row(&w->entities, c->entity), writes, w->islands.words);
    }
    return changed;
}

static void close_sets(work *w)
{
    tac__plan *e = w->e;
    const size_t words = w->islands.words;
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < e->component_count; i++) {
            const tac_instance *c = e->components[i];
            uint64_t *entity = row(&w->entities, c->entity);
            if (!tac__is_observer(c))
                changed |= unite(entity, row(&w->steps, i), words);
            if (tac__is_machine(c)) // it steps wherever its entity has a boundary
                changed |= unite(row(&w->steps, i), entity, words);
            if (c->island >= 0 && is_changed_by_phases(e, c))
                changed |= unite(row(&w->islands, (size_t)c->island), entity, words);
            if (c->island >= 0) {
                uint64_t *island = row(&w->islands, (size_t)c->island);
                changed |= unite(island, row(&w->steps, i), words);
                if (has_hooks(c)) // which see its states
                    changed |= unite(island, entity, words);
                changed |= unite(entity, island, words);
            }
            for (size_t k = 0; k < c->inputs.count; k++) {
                if (c->in[k].signal >= 0)
                    changed |= tie_input(w, c, &c->in[k]);
            }
            for (size_t k = 0; k < c->condition_count; k++)
                changed |= tie_condition(w, c, &c->conditions[k]);
        }
    }
}

// A delivery, a wake-up or a located condition of something outside the plant that splits an
// island, or makes a scenario or the phases of an entity step: what they wrote is played back
// whoever reads it.
static bool comes_from_outside(const work *w, size_t source)
{
    const tac__plan *e = w->e;
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind != TAC__SOURCE_PORT && s->kind != TAC__SOURCE_TIMER &&
        s->kind != TAC__SOURCE_CONDITION)
        return false;
    const uint32_t owner =
        s->kind == TAC__SOURCE_PORT ? e->receivers[s->index].component : s->index;
    const tac_instance *c = e->components[owner];
    if (tac__is_continuous(c->type))
        return false;
    if (c->stage == TAC_STAGE_SCENARIO && tac__has_bit(row(&w->steps, owner), source))
        return true;
    return tac__has_bit(row(&w->alone, ROW_ANY_PHASES), source) ||
           tac__has_bit(row(&w->alone, ROW_ANY_ISLAND), source);
}

// What is asked of every island or item is gathered once.
static void gather(work *w)
{
    tac__plan *e = w->e;
    const size_t words = w->islands.words;
    for (size_t i = 0; i < e->island_count; i++)
        unite(row(&w->alone, ROW_ANY_ISLAND), row(&w->islands, i), words);
    for (size_t i = 0; i < e->machine_count; i++)
        unite(row(&w->alone, ROW_ANY_PHASES), row(&w->steps, e->machines[i]), words);
    for (size_t s = 0; s < e->timeline.count; s++) {
        if (e->timeline.sources[s].kind == TAC__SOURCE_AXIS)
            tac__set_bit(row(&w->alone, ROW_AXES), s);
        if (e->timeline.sources[s].observer)
            tac__set_bit(row(&w->alone, ROW_OBSERVERS), s);
        if (comes_from_outside(w, s))
            tac__set_bit(row(&w->alone, ROW_OUTSIDE), s);
    }
    for (size_t i = 0; i < e->observer_count; i++) {
        const tac__observer *o = &e->observers[i];
        w->ends |= o->def.follow == TAC_FOLLOW_AXIS && o->def.ends;
        if (o->def.follow == TAC_FOLLOW_ISLAND && o->def.outputs)
            w->shown[o->leads->island] = true;
    }
}

// Which entities have boundaries again and again, whatever happens.
static void mark_periodic(const work *w)
{
    tac__plan *e = w->e;
    const uint64_t *axes = row(&w->alone, ROW_AXES);
    for (size_t i = 0; i < e->entity_count; i++) {
        for (size_t k = 0; k < w->entities.words; k++)
            e->entities[i].periodic |= (row(&w->entities, i)[k] & axes[k]) != 0;
    }
}

// Outputs of the plant are pure, so they are evaluated only where something reads them: at the
// reader's steps, or at every boundary of the island if it sees the value of the last one. What is
// coupled is evaluated anew with every right-hand side, but steps and hooks look at the bus.
static void tie_outputs(work *w, const tac_instance *reader, size_t input)
{
    tac__plan *e = w->e;
    const tac__input *in = &reader->in[input];
    const tac__signal *s = &e->schema.signals[in->signal];
    const size_t words = w->islands.words, island = (size_t)e->components[s->component]->island;
    if (!s->continuous || s->state || tac__is_observer(reader) || tac__is_played(e, reader->type))
        return;
    if (in->coupled && reader->inputs.items[input].flags & TAC_PORT_DERIVE_ONLY)
        return;
    // Somebody may look at them before stage 3 of the first boundary.
    const bool sampled = reader->island >= 0 && !in->coupled;
    e->islands[island].begins |= reader->stage < TAC_STAGE_OUTPUTS || has_hooks(reader) ||
                                 in->route.delayed || in->route.delay_us || sampled;
    uint64_t *outputs = row(&w->outputs, island);
    if (in->route.delayed || sampled)
        unite(outputs, row(&w->islands, island), words);
    if (reader->type->step)
        unite(outputs, row(&w->steps, reader->index), words);
    if (has_hooks(reader) || may_step_late(e, reader))
        unite(outputs, row(&w->entities, reader->entity), words);
}

static void time_outputs(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                tie_outputs(w, c, k);
        }
    }
}

// --- items and masks ----------------------------------------------------------------------------

static bool island_has_outputs(const tac__plan *e, const tac__island_plan *island)
{
    for (size_t i = 0; i < island->count; i++) {
        if (e->components[island->components[i]]->type->output)
            return true;
    }
    return false;
}

static bool has_hook(const tac__plan *e, const tac_instance *c, bool hook)
{
    return hook && !tac__is_played(e, c->type);
}

// Lists for each entity, so that a boundary of one does not look at all others. Counted first, then
// filled.
static tac_status list_entity_work(tac__plan *e)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        tac__entity *entity = &e->entities[c->entity];
        entity->receiver_count += c->receiver_count;
        entity->pre_count += has_hook(e, c, c->type->pre_step != NULL);
        entity->post_count += has_hook(e, c, c->type->post_step != NULL);
    }
    for (size_t i = 0; i < e->entity_count; i++) {
        tac__entity *entity = &e->entities[i];
        const size_t total = entity->receiver_count + entity->pre_count + entity->post_count;
        entity->receivers = tac__arena_array(&e->arena, total, sizeof *entity->receivers);
        if (!entity->receivers)
            return TAC_E_MEMORY;
        entity->pre = entity->receivers + entity->receiver_count;
        entity->post = entity->pre + entity->pre_count;
        entity->receiver_count = entity->pre_count = entity->post_count = 0;
    }
    for (uint32_t i = 0; i < e->component_count; i++) {
        const tac_instance *c = e->components[i];
        tac__entity *entity = &e->entities[c->entity];
        for (size_t k = 0; k < c->receiver_count; k++)
            entity->receivers[entity->receiver_count++] = c->receivers[k];
        if (has_hook(e, c, c->type->pre_step != NULL))
            entity->pre[entity->pre_count++] = i;
        if (has_hook(e, c, c->type->post_step != NULL))
            entity->post[entity->post_count++] = i;
    }
    return TAC_OK;
}

static void add_item(tac__plan *e, tac__item_kind kind, tac_stage stage, size_t index)
{
    e->items[e->item_count++] = (tac__item){kind, stage, (uint32_t)index};
}

static bool runs(const tac__plan *e, uint32_t component)
{
    return !tac__is_played(e, e->components[component]->type) || e->driver->players[component].step;
}

// All work there can be at a boundary, in the order of the contract.
static void list_items(tac__plan *e)
{
    size_t next = 0;
    for (; next < e->sequence_count && tac__is_outside(e->components[e->sequence[next]]); next++) {
        tac_instance *c = e->components[e->sequence[next]];
        if (!runs(e, c->index))
            continue;
        c->step_item = (int)e->item_count;
        add_item(e, TAC__ITEM_STEP, TAC_STAGE_BEGIN, c->index);
    }
    for (size_t i = 0; i < e->entity_count; i++) {
        if (e->entities[i].receiver_count + e->entities[i].pre_count)
            add_item(e, TAC__ITEM_BEGIN, TAC_STAGE_BEGIN, i);
    }
    for (int stage = TAC_STAGE_SCENARIO; stage <= TAC_STAGE_ACTUATE; stage++) {
        for (size_t i = 0; stage == TAC_STAGE_OUTPUTS && i < e->island_count; i++) {
            if (!island_has_outputs(e, &e->islands[i]))
                continue;
            add_item(e, TAC__ITEM_OUTPUTS, TAC_STAGE_OUTPUTS, i);
            add_item(e, TAC__ITEM_PREVIEW, TAC_STAGE_OUTPUTS, i);
        }
        for (; next < e->sequence_count &&
               e->components[e->sequence[next]]->stage == (tac_stage)stage;
             next++) {
            tac_instance *c = e->components[e->sequence[next]];
            if (!runs(e, c->index))
                continue;
            if (c->lead_source >= 0 && !tac__is_played(e, c->type))
                add_item(e, TAC__ITEM_LEAD, (tac_stage)stage, c->index);
            c->step_item = (int)e->item_count;
            add_item(e, TAC__ITEM_STEP, (tac_stage)stage, c->index);
            if (!c->active_names || e->def.strategy != TAC_STRATEGY_GATE)
                continue;
            c->shadow_item = (int)e->item_count;
            add_item(e, TAC__ITEM_SHADOW, (tac_stage)stage, c->index);
        }
    }
    for (size_t i = 0; i < e->machine_count; i++) {
        e->components[e->machines[i]]->step_item = (int)e->item_count;
        add_item(e, TAC__ITEM_PHASES, TAC_STAGE_EVENTS, e->machines[i]);
    }
    for (size_t i = 0; i < e->entity_count; i++) {
        if (e->entities[i].post_count)
            add_item(e, TAC__ITEM_END, TAC_STAGE_EVENTS, i);
    }
    for (size_t i = 0; i < e->island_count; i++) {
        if (e->islands[i].x_count && e->def.digests)
            add_item(e, TAC__ITEM_STATE, TAC_STAGE_RECORD, i);
    }
    for (size_t i = 0; i < e->observer_count; i++)
        add_item(e, TAC__ITEM_OBSERVE, TAC_STAGE_RECORD, i);
}

// A set of one source, or of none; valid until the next call.
static uint64_t *only(const work *w, int source)
{
    uint64_t *one = row(&w->alone, ROW_ONE);
    memset(one, 0, w->alone.words * sizeof *one);
    if (source >= 0)
        tac__set_bit(one, (size_t)source);
    return one;
}

// The sources with which a component steps and writes; valid until the next call.
static const uint64_t *sources_of_writes(const work *w, size_t component)
{
    const uint64_t *steps = row(&w->steps, component);
    const int lead = w->e->components[component]->lead_source;
    if (lead < 0)
        return steps;
    uint64_t *one = only(w, lead);
    for (size_t k = 0; k < w->alone.words; k++)
        one[k] = steps[k] & ~one[k];
    return one;
}

static const uint64_t *sources_of_observer(const work *w, const tac__observer *o)
{
    switch (o->def.follow) {
    case TAC_FOLLOW_AXIS: {
        uint64_t *one = only(w, o->source);
        if (o->def.ends)
            tac__set_bit(one, (size_t)w->e->start_end_source);
        return one;
    }
    case TAC_FOLLOW_STEPS:
        return sources_of_writes(w, o->leads->index);
    case TAC_FOLLOW_ISLAND:
        return row(&w->islands, (size_t)o->leads->island);
    case TAC_FOLLOW_INSTANTS:
        break;
    }
    return row(&w->alone, ROW_OUTSIDE);
}

// Observers may look at the outputs of an island: on an axis at any, else at the one they follow.
static const uint64_t *sources_of_preview(const work *w, size_t island)
{
    uint64_t *one = row(&w->alone, ROW_ONE);
    memcpy(one, row(&w->alone, ROW_OBSERVERS), w->alone.words * sizeof *one);
    if (w->ends)
        tac__set_bit(one, (size_t)w->e->start_end_source);
    if (w->shown[island])
        unite(one, row(&w->islands, island), w->alone.words);
    return one;
}

// The set of sources with which an item is due; valid until the next call.
static const uint64_t *sources_of_item(const work *w, const tac__item *item)
{
    switch (item->kind) {
    case TAC__ITEM_BEGIN:
    case TAC__ITEM_END:
        return row(&w->entities, item->index);
    case TAC__ITEM_STEP:
    case TAC__ITEM_SHADOW:
    case TAC__ITEM_PHASES:
        return sources_of_writes(w, item->index);
    case TAC__ITEM_LEAD:
        return only(w, w->e->components[item->index]->lead_source);
    case TAC__ITEM_OUTPUTS:
        return row(&w->outputs, item->index);
    case TAC__ITEM_PREVIEW:
        return sources_of_preview(w, item->index);
    case TAC__ITEM_STATE:
        return row(&w->islands, item->index);
    case TAC__ITEM_OBSERVE:
        break;
    }
    return sources_of_observer(w, &w->e->observers[item->index]);
}

// The next member of a set at or after `source`; SIZE_MAX: there is none.
static size_t next_source(const uint64_t *set, size_t words, size_t source)
{
    for (size_t k = source / 64; k < words; k++) {
        const uint64_t left = k == source / 64 ? set[k] >> source % 64 << source % 64 : set[k];
        if (left)
            return 64 * k + (size_t)__builtin_ctzll(left);
    }
    return SIZE_MAX;
}

static tac_status make_masks(work *w)
{
    tac__plan *e = w->e;
    const size_t sources = e->timeline.count;
    e->item_words = e->item_count ? (e->item_count + 63) / 64 : 1; // at least one of each
    e->island_words = e->island_count ? (e->island_count + 63) / 64 : 1;
    e->masks =
        tac__arena_array(&e->arena, sources * (e->item_words + e->island_words), sizeof *e->masks);
    if (!e->masks)
        return TAC_E_MEMORY;
    // By the sets, which are nearly empty, not by the masks: an item is due with few sources.
    const size_t words = w->islands.words;
    for (size_t i = 0; i < e->item_count; i++) {
        const uint64_t *set = sources_of_item(w, &e->items[i]);
        for (size_t s = 0; (s = next_source(set, words, s)) != SIZE_MAX; s++)
            tac__set_bit(tac__item_mask(e, s), i);
    }
    for (size_t i = 0; i < e->island_count; i++) {
        const uint64_t *set = row(&w->islands, i);
        for (size_t s = 0; (s = next_source(set, words, s)) != SIZE_MAX; s++)
            tac__set_bit(tac__island_mask(e, s), i);
    }
    return TAC_OK;
}

static bool is_planned(const tac__plan *e, size_t source)
{
    const tac__source_kind kind = e->timeline.sources[source].kind;
    return kind == TAC__SOURCE_AXIS || kind == TAC__SOURCE_TIMES;
}

// Is it the island itself that locates it?
static bool is_located(const tac__plan *e, const tac__island_plan *island, int source)
{
    for (size_t i = 0; i < island->rise_count; i++) {
        const tac__rise_plan *r = &island->rises[i];
        if (e->components[r->component]->conditions[r->number].source == source)
            return true;
    }
    return source == island->event_source;
}

// Those of an island: first what is known in advance, then what turns up, last what it locates
// itself.
static tac_status list_island_sources(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->island_count; i++) {
        tac__island_plan *island = &e->islands[i];
        const uint64_t *splits = row(&w->islands, i);
        const size_t words = w->islands.words;
        size_t most = 1 + island->rise_count;
        for (size_t k = 0; k < words; k++)
            most += (size_t)__builtin_popcountll(splits[k]);
        island->sources = tac__arena_array(&e->arena, most, sizeof *island->sources);
        if (!island->sources)
            return TAC_E_MEMORY;
        for (int planned = 1; planned >= 0; planned--) {
            for (size_t s = 0; (s = next_source(splits, words, s)) != SIZE_MAX; s++) {
                if (is_planned(e, s) == planned && !is_located(e, island, (int)s))
                    island->sources[island->source_count++] = (int)s;
            }
            if (planned)
                island->planned_count = island->source_count;
        }
        island->found_count = island->source_count - island->planned_count;
        if (island->event_source >= 0)
            island->sources[island->source_count++] = island->event_source;
        for (size_t k = 0; k < island->rise_count; k++) {
            const tac__rise_plan *r = &island->rises[k];
            island->sources[island->source_count++] =
                e->components[r->component]->conditions[r->number].source;
        }
    }
    return TAC_OK;
}

static const char *instants_name(tac__plan *e, int source)
{
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind == TAC__SOURCE_PORT)
        return e->receivers[s->index].name;
    const tac_instance *c = e->components[s->index];
    const tac__condition *condition = tac__condition_of(c, source);
    return tac__arena_format(&e->arena, "%s#%s", c->name, condition ? condition->name : "timer");
}

// What a driver has to play back so that islands have the boundaries they had.
static tac_status list_instants(work *w)
{
    tac__plan *e = w->e;
    e->instants = tac__arena_array(&e->arena, e->timeline.own, sizeof *e->instants);
    if (!e->instants)
        return TAC_E_MEMORY;
    for (size_t s = 0; s < e->timeline.own; s++) {
        if (!tac__has_bit(row(&w->alone, ROW_OUTSIDE), s))
            continue;
        const char *name = instants_name(e, (int)s);
        if (!name)
            return TAC_E_MEMORY;
        e->instants[e->instants_count++] = (tac__instants){.name = name, .source = (int)s};
    }
    return TAC_OK;
}

static tac_status schedule(tac__plan *e, tac__arena *scratch)
{
    TAC_TRY(add_sources(e));
    const size_t words = (e->timeline.count + 63) / 64;
    work w = {.e = e, .shown = tac__arena_array(scratch, e->island_count, sizeof *w.shown)};
    if (!w.shown || !make_sets(&w.steps, scratch, e->component_count, words) ||
        !make_sets(&w.entities, scratch, e->entity_count, words) ||
        !make_sets(&w.islands, scratch, e->island_count, words) ||
        !make_sets(&w.outputs, scratch, e->island_count, words) ||
        !make_sets(&w.alone, scratch, ROW_COUNT, words))
        return TAC_E_MEMORY;
    seed_sets(&w);
    close_sets(&w);
    gather(&w);
    mark_periodic(&w);
    time_outputs(&w);

    TAC_TRY(list_entity_work(e));
    const size_t most =
        2 * e->entity_count + 3 * e->island_count + 3 * e->sequence_count + e->observer_count;
    e->items = tac__arena_array(&e->arena, most, sizeof *e->items);
    if (!e->items)
        return TAC_E_MEMORY;
    list_items(e);
    TAC_TRY(make_masks(&w));
    TAC_TRY(list_instants(&w));
    return list_island_sources(&w);
}

// What is only needed to find it out is given back: it grows with the square of the vehicles.
tac_status tac__schedule(tac__plan *e)
{
    tac__arena scratch;
    tac__arena_init(&scratch, e->allocator);
    const tac_status status = schedule(e, &scratch);
    tac__arena_fini(&scratch);
    return status;
}
