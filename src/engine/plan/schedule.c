// schedule.c - what happens with which source of time.
//
// For every source: the components that step with it, the entities and islands that have a boundary
// with it. An island's intervals are split only where something that it reads may be written, where
// something other than an observer reads it, on its own rate groups and the physics axis, and at
// the start and end of the run. Signals that a condition reads count as read by the island in which
// the condition is located. An entity has a boundary wherever one of its components steps, one of
// its islands has a boundary, a message is delivered to it, or something is written that a located
// condition of its phases reads. Observers add no boundaries to islands or entities.
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/run/driven.h"
#include "engine/phases/phases.h"
#include "engine/plan/outside.h"

#include <string.h>

// A set of sources: a list in ascending order. Most have a handful.
typedef struct set {
    uint32_t *items;
    size_t count;
    TAC__CAPACITY(uint32_t) capacity;
} set;

typedef struct work {
    tac__plan *e;
    tac__arena *scratch;
    set *steps, *entities, *islands; // one a component, entity, island
    set *outputs;  // of islands: sources with which stage 3 evaluates their outputs
    set observers; // sources of observers
    set outside;   // sources that come from outside: see comes_from_outside
    set one;       // holds the result of only(), sources_of_writes() and the like
    uint8_t *any;  // one a source: bits ANY_ISLAND, ANY_PHASES
    bool *shown;   // one an island: an observer that follows it reads its outputs
    bool ends;     // an observer on an axis also runs at the start and the end
    bool failed;   // no memory
} work;

enum { ANY_ISLAND = 1, ANY_PHASES = 2 }; // in work.any: islands split, machines step

// Where a source is in a set, or where it belongs.
static size_t place_in(const set *s, uint32_t source)
{
    size_t low = 0, high = s->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (s->items[middle] < source)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has(const set *s, size_t source)
{
    const size_t at = place_in(s, (uint32_t)source);
    return at < s->count && s->items[at] == source;
}

// True if the source was not in the set.
static bool add(work *w, set *s, size_t source)
{
    const size_t at = place_in(s, (uint32_t)source);
    if (at < s->count && s->items[at] == source)
        return false;
    if (!TAC__ARENA_GROW(w->scratch, s->items, s->count, s->capacity)) {
        w->failed = true;
        return false;
    }
    memmove(s->items + at + 1, s->items + at, (s->count - at) * sizeof *s->items);
    s->items[at] = (uint32_t)source;
    s->count++;
    return true;
}

// Add all members of `from` to `into`; true if that changed anything. Most calls add nothing: they
// pass through both lists once.
static bool unite(work *w, set *into, const set *from)
{
    bool changed = false;
    for (size_t i = 0, k = 0; i < from->count; i++) {
        while (k < into->count && into->items[k] < from->items[i])
            k++;
        if (k == into->count || into->items[k] != from->items[i])
            changed |= add(w, into, from->items[i]);
    }
    return changed;
}

static void copy_set(work *w, set *to, const set *from)
{
    to->count = 0;
    unite(w, to, from);
}

// --- sources ------------------------------------------------------------------------------------

static tac_status add_source(tac__plan *e, const tac__source *source, int *number)
{
    *number = tac__timeline_add(&e->timeline, &e->arena, source);
    return *number < 0 ? TAC_E_MEMORY : TAC_OK;
}

// The explicit times of a group; all its components share them.
static tac_status add_times_source(tac__plan *e, const tac__rate_group *g, bool observer,
                                   int *number)
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

static tac_status add_group_sources(tac__plan *e, tac__component *c)
{
    const tac__rate_group *g = &e->groups[c->group];
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

// An axis for the steps that a component takes before those of its group. Not needed where the lead
// is a whole number of periods: then they fall on steps of the group.
static tac_status add_lead_source(tac__plan *e, tac__component *c)
{
    const tac__rate_group *g = &e->groups[c->group];
    const tac_time rest_us = tac__group_period(g) ? c->lead_us % g->period_us : 0;
    if (!rest_us || !c->type->kernels[TAC_NUMBERS].step)
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
        tac__component *c = e->components[i];
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

// --- boundaries ---------------------------------------------------------------------------------

static bool has_hooks(const tac__component *c)
{
    return c->type->pre_step || c->type->post_step || c->type->phase_enter || c->type->phase_exit;
}

// Adds the sources that follow from a component, island or entity alone, without its connections.
static void seed_sets(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->component_count; i++) {
        const tac__component *c = e->components[i];
        set *steps = &w->steps[i];
        if (c->type->kernels[TAC_NUMBERS].step && c->axis_source >= 0)
            (void)add(w, steps, (size_t)c->axis_source);
        if (c->type->kernels[TAC_NUMBERS].step && c->extra_source >= 0)
            (void)add(w, steps, (size_t)c->extra_source);
        if (c->type->kernels[TAC_NUMBERS].step && c->timer_source >= 0)
            (void)add(w, steps, (size_t)c->timer_source);
        if (c->lead_source >= 0)
            (void)add(w, steps, (size_t)c->lead_source);
        for (size_t k = 0; c->type->kernels[TAC_NUMBERS].step && k < c->receiver_count; k++) {
            const tac__receiver *r = &e->receivers[c->receivers[k]];
            if (r->def.triggers)
                (void)add(w, steps, (size_t)r->source);
        }
        if (c->island >= 0 && c->axis_source >= 0)
            (void)add(w, &w->islands[(size_t)c->island], (size_t)c->axis_source);
        if (c->island >= 0 && c->extra_source >= 0)
            (void)add(w, &w->islands[(size_t)c->island], (size_t)c->extra_source);
        for (size_t k = 0; k < c->condition_count; k++) {
            const size_t source = (size_t)c->conditions[k].source;
            if (c->type->kernels[TAC_NUMBERS].step)
                (void)add(w, steps, source);
            (void)add(w, &w->entities[c->entity], source);
            (void)add(w, &w->islands[(size_t)c->conditions[k].island], source);
        }
    }
    for (size_t i = 0; i < e->island_count; i++) {
        (void)add(w, &w->islands[i], (size_t)e->start_end_source);
        if (e->islands[i].event_count)
            (void)add(w, &w->islands[i], (size_t)e->islands[i].event_source);
        if (e->physics_source >= 0)
            (void)add(w, &w->islands[i], (size_t)e->physics_source);
    }
    for (size_t i = 0; i < e->entity_count; i++)
        (void)add(w, &w->entities[i], (size_t)e->start_end_source);
    for (size_t i = 0; i < e->receiver_count; i++) {
        const tac__component *c = e->components[e->receivers[i].component];
        if (!tac__is_observer(c))
            (void)add(w, &w->entities[c->entity], (size_t)e->receivers[i].source);
    }
}

// A component that was inactive may have missed a message or a wake-up. It then steps when it
// becomes active, which may be at any boundary of its entity.
static bool may_step_late(const tac__plan *e, const tac__component *c)
{
    bool triggered = c->timer_source >= 0;
    for (size_t i = 0; i < c->receiver_count; i++)
        triggered |= e->receivers[c->receivers[i]].def.triggers;
    return c->active_names && c->type->kernels[TAC_NUMBERS].step && triggered;
}

// An input ties the boundaries of an island to the steps of the component at its other end, and
// those of two islands to each other. A phase that makes the writer inactive writes zeros to its
// outputs, so it ties, too.
static bool tie_input(work *w, const tac__component *reader, const tac__input *in)
{
    tac__plan *e = w->e;
    const tac__signal *s = &e->schema.signals[in->signal];
    const tac__component *writer = e->components[s->component];
    bool changed = false;
    if (reader->island >= 0) {
        set *island = &w->islands[(size_t)reader->island];
        if (!s->kind->continuous) {
            changed |= unite(w, island, &w->steps[writer->index]);
            if ((writer->active_names && !writer->hold) || may_step_late(e, writer))
                changed |= unite(w, island, &w->entities[writer->entity]);
        } else if (writer->island != reader->island) {
            set *other = &w->islands[(size_t)writer->island];
            changed |= unite(w, island, other);
            changed |= unite(w, other, island);
        }
    }
    if (s->kind->continuous && reader->type->kernels[TAC_NUMBERS].step && !tac__is_observer(reader))
        changed |= unite(w, &w->islands[(size_t)writer->island], &w->steps[reader->index]);
    // Hooks read too, at every boundary of their entity.
    if (s->kind->continuous && (has_hooks(reader) || may_step_late(e, reader)) &&
        !tac__is_observer(reader))
        changed |= unite(w, &w->islands[(size_t)writer->island], &w->entities[reader->entity]);
    return changed;
}

// Does a change of phase make the component active or inactive, or reset its states?
static bool is_changed_by_phases(const tac__plan *e, const tac__component *c)
{
    const int machine = e->entities[c->entity].machine;
    return machine >= 0 && (c->active_names || tac__phases_reset(e->components[machine], c->index));
}

// Components that write what a condition reads tie the island in which the condition is located, so
// that no value changes inside a step; so do phases in which the component of the condition is
// inactive. The condition of a machine of phases may turn true with such a write instead of between
// two writes: its entity has a boundary there.
static bool tie_condition(work *w, const tac__component *c, const tac__condition *condition)
{
    const tac__plan *e = w->e;
    set *island = &w->islands[(size_t)condition->island];
    bool changed = is_changed_by_phases(e, c) && unite(w, island, &w->entities[c->entity]);
    for (size_t i = 0; i < condition->count; i++) {
        const int signal = c->in[condition->inputs[i]].signal;
        if (signal < 0 || e->schema.signals[signal].kind->continuous)
            continue;
        const set *writes = &w->steps[e->schema.signals[signal].component];
        changed |= unite(w, island, writes);
        if (tac__is_machine(c))
            changed |= unite(w, &w->entities[c->entity], writes);
    }
    return changed;
}

static void close_sets(work *w)
{
    tac__plan *e = w->e;
    bool changed = true;
    while (changed && !w->failed) {
        changed = false;
        for (size_t i = 0; i < e->component_count; i++) {
            const tac__component *c = e->components[i];
            set *entity = &w->entities[c->entity];
            if (!tac__is_observer(c))
                changed |= unite(w, entity, &w->steps[i]);
            if (tac__is_machine(c)) // it steps wherever its entity has a boundary
                changed |= unite(w, &w->steps[i], entity);
            if (c->island >= 0 && is_changed_by_phases(e, c))
                changed |= unite(w, &w->islands[(size_t)c->island], entity);
            if (c->island >= 0) {
                set *island = &w->islands[(size_t)c->island];
                changed |= unite(w, island, &w->steps[i]);
                if (has_hooks(c)) // which see its states
                    changed |= unite(w, island, entity);
                changed |= unite(w, entity, island);
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

// A delivery, a wake-up or a located condition of a component outside the plant that splits an
// island, or makes a scenario or the phases of an entity step: what these wrote is played back
// whether or not the plant reads it.
static bool comes_from_outside(const work *w, size_t source)
{
    const tac__plan *e = w->e;
    const tac__source *s = &e->timeline.sources[source];
    if (s->kind != TAC__SOURCE_PORT && s->kind != TAC__SOURCE_TIMER &&
        s->kind != TAC__SOURCE_CONDITION)
        return false;
    const uint32_t owner =
        s->kind == TAC__SOURCE_PORT ? e->receivers[s->index].component : s->index;
    const tac__component *c = e->components[owner];
    if (tac__is_continuous(c->type))
        return false;
    if (c->stage == TAC_STAGE_SCENARIO && has(&w->steps[owner], source))
        return true;
    return w->any[source] != 0;
}

static void mark_any(const work *w, const set *s, uint8_t what)
{
    for (size_t i = 0; i < s->count; i++)
        w->any[s->items[i]] |= what;
}

// An observer reads outputs of the island that it follows. Only one that is alone there may sleep.
static void show_outputs(work *w, const tac__observer *o)
{
    tac__island_plan *island = &w->e->islands[o->leads->island];
    island->shown_asleep = w->shown[o->leads->island] ? NULL : o->asleep;
    w->shown[o->leads->island] = true;
}

// Collects, once, facts that are needed for every island or item later.
static void gather(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->island_count; i++)
        mark_any(w, &w->islands[i], ANY_ISLAND);
    for (size_t i = 0; i < e->machine_count; i++)
        mark_any(w, &w->steps[e->machines[i]], ANY_PHASES);
    for (size_t s = 0; s < e->timeline.count; s++) {
        if (e->timeline.sources[s].observer)
            (void)add(w, &w->observers, s);
        if (comes_from_outside(w, s))
            (void)add(w, &w->outside, s);
    }
    for (size_t i = 0; i < e->observer_count; i++) {
        const tac__observer *o = &e->observers[i];
        w->ends |= o->def.follow == TAC_FOLLOW_AXIS && o->def.ends;
        if (o->def.follow == TAC_FOLLOW_ISLAND && o->def.outputs)
            show_outputs(w, o);
    }
}

// Marks the entities that an axis gives boundaries.
static void mark_periodic(const work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->entity_count; i++) {
        const set *s = &w->entities[i];
        for (size_t k = 0; k < s->count; k++)
            e->entities[i].periodic |= e->timeline.sources[s->items[k]].kind == TAC__SOURCE_AXIS;
    }
}

// Outputs of the plant have no side effects, so they are evaluated only where something reads them:
// at the reader's steps, or at every boundary of the island if the reader sees the value of the
// last boundary. Coupled outputs are evaluated with every right-hand side, on the scratch; steps
// and hooks read the bus.
static void tie_outputs(work *w, const tac__component *reader, size_t input)
{
    tac__plan *e = w->e;
    const tac__input *in = &reader->in[input];
    const tac__signal *s = &e->schema.signals[in->signal];
    const size_t island = (size_t)e->components[s->component]->island;
    if (!s->kind->continuous || s->kind->state || tac__is_observer(reader) ||
        tac__is_played(e, reader->type))
        return;
    if (in->coupled && reader->inputs.items[input].flags & TAC_PORT_DERIVE_ONLY)
        return;
    // The outputs may be read before stage 3 of the first boundary.
    const bool sampled = reader->island >= 0 && !in->coupled;
    e->islands[island].begins |= reader->stage < TAC_STAGE_OUTPUTS || has_hooks(reader) ||
                                 in->route->delayed || in->route->delay_us || sampled;
    set *outputs = &w->outputs[island];
    if (in->route->delayed || sampled)
        unite(w, outputs, &w->islands[island]);
    if (reader->type->kernels[TAC_NUMBERS].step)
        unite(w, outputs, &w->steps[reader->index]);
    if (has_hooks(reader) || may_step_late(e, reader))
        unite(w, outputs, &w->entities[reader->entity]);
}

static void time_outputs(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->component_count; i++) {
        const tac__component *c = e->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (c->in[k].signal >= 0)
                tie_outputs(w, c, k);
        }
    }
}

// --- items --------------------------------------------------------------------------------------

static bool island_has_outputs(const tac__plan *e, const tac__island_plan *island)
{
    for (size_t i = 0; i < island->count; i++) {
        if (e->components[island->components[i]]->type->kernels[TAC_NUMBERS].output)
            return true;
    }
    return false;
}

static bool has_hook(const tac__plan *e, const tac__component *c, bool hook)
{
    return hook && !tac__is_played(e, c->type);
}

// Lists the work of each entity, so that a boundary of one entity does not look at the others.
// Counts first, then fills in.
static tac_status list_entity_work(tac__plan *e)
{
    for (size_t i = 0; i < e->component_count; i++) {
        const tac__component *c = e->components[i];
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
        const tac__component *c = e->components[i];
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
    e->items[e->item_count++] = (tac__item){(uint8_t)kind, (uint8_t)stage, (uint32_t)index};
}

static bool runs(const tac__plan *e, uint32_t component)
{
    return !tac__is_played(e, e->components[component]->type) || e->driver->players[component].step;
}

// All work that there can be at a boundary, in the order of the contract.
static void list_items(tac__plan *e)
{
    size_t next = 0;
    for (; next < e->sequence_count && tac__is_outside(e->components[e->sequence[next]]); next++) {
        tac__component *c = e->components[e->sequence[next]];
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
            tac__component *c = e->components[e->sequence[next]];
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
static set *only(work *w, int source)
{
    w->one.count = 0;
    if (source >= 0)
        (void)add(w, &w->one, (size_t)source);
    return &w->one;
}

// The sources with which a component steps and writes; valid until the next call.
static const set *sources_of_writes(work *w, size_t component)
{
    const set *steps = &w->steps[component];
    const int lead = w->e->components[component]->lead_source;
    if (lead < 0)
        return steps;
    w->one.count = 0;
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->items[i] != (uint32_t)lead)
            (void)add(w, &w->one, steps->items[i]);
    }
    return &w->one;
}

static const set *sources_of_observer(work *w, const tac__observer *o)
{
    switch (o->def.follow) {
    case TAC_FOLLOW_AXIS: {
        set *one = only(w, o->source);
        if (o->def.ends)
            (void)add(w, one, (size_t)w->e->start_end_source);
        return one;
    }
    case TAC_FOLLOW_STEPS:
        return sources_of_writes(w, o->leads->index);
    case TAC_FOLLOW_ISLAND:
        return &w->islands[o->leads->island];
    case TAC_FOLLOW_INSTANTS:
        break;
    }
    return &w->outside;
}

// The sources with which observers may read outputs of an island: observers on an axis read any
// island, the others the one that they follow.
static const set *sources_of_preview(work *w, size_t island)
{
    copy_set(w, &w->one, &w->observers);
    if (w->ends)
        (void)add(w, &w->one, (size_t)w->e->start_end_source);
    if (w->shown[island])
        unite(w, &w->one, &w->islands[island]);
    return &w->one;
}

// The set of sources with which an item is due; valid until the next call.
static const set *sources_of_item(work *w, const tac__item *item)
{
    switch ((tac__item_kind)item->kind) {
    case TAC__ITEM_BEGIN:
    case TAC__ITEM_END:
        return &w->entities[item->index];
    case TAC__ITEM_STEP:
    case TAC__ITEM_SHADOW:
    case TAC__ITEM_PHASES:
        return sources_of_writes(w, item->index);
    case TAC__ITEM_LEAD:
        return only(w, w->e->components[item->index]->lead_source);
    case TAC__ITEM_OUTPUTS:
        return &w->outputs[item->index];
    case TAC__ITEM_PREVIEW:
        return sources_of_preview(w, item->index);
    case TAC__ITEM_STATE:
        return &w->islands[item->index];
    case TAC__ITEM_OBSERVE:
        break;
    }
    return sources_of_observer(w, &w->e->observers[item->index]);
}

// --- rows ---------------------------------------------------------------------------------------

// The end of a row while it is filled.
typedef struct tail {
    uint32_t count;
    uint32_t word; // the last word; UINT32_MAX: none
} tail;

// Items and islands come in ascending order, so a bit belongs to the last word of a row or to a new
// word.
static bool is_new_word(tail *t, uint32_t word)
{
    const bool new = t->word != word;
    t->word = word;
    t->count += new;
    return new;
}

typedef struct rows {
    tail *tails;
    bool fill; // else they are counted
} rows;

static void put_bit(const work *w, const rows *r, const set *sources, size_t i, size_t base)
{
    tac__plan *e = w->e;
    const uint32_t word = (uint32_t)(base + i / 64);
    for (size_t k = 0; k < sources->count; k++) {
        const uint32_t s = sources->items[k];
        const bool new = is_new_word(&r->tails[s], word);
        if (!r->fill)
            continue;
        tac__due_word *at = &e->due[e->due_rows[s].first + r->tails[s].count - 1];
        if (new)
            *at = (tac__due_word){.word = word, .source = s};
        at->bits |= UINT64_C(1) << i % 64;
    }
}

// Goes through all rows: once to count their words, once to fill them.
static void put_bits(work *w, const rows *r)
{
    tac__plan *e = w->e;
    for (size_t s = 0; s < e->timeline.count; s++)
        r->tails[s] = (tail){0, UINT32_MAX};
    for (size_t i = 0; i < e->item_count; i++)
        put_bit(w, r, sources_of_item(w, &e->items[i]), i, 0);
    for (size_t s = 0; s < e->timeline.count; s++)
        e->due_rows[s].islands = r->tails[s].count;
    for (size_t i = 0; i < e->island_count; i++)
        put_bit(w, r, &w->islands[i], i, e->item_words);
}

static tac_status make_rows(work *w)
{
    tac__plan *e = w->e;
    const size_t sources = e->timeline.count;
    e->item_words = (e->item_count + 63) / 64;
    e->island_words = e->island_count ? (e->island_count + 63) / 64 : 1;
    e->few = e->item_words == 1 && e->island_words == 1 && !e->machine_count;
    rows r = {.tails = tac__arena_array(w->scratch, sources, sizeof *r.tails)};
    e->due_rows = tac__arena_array(&e->arena, sources, sizeof *e->due_rows);
    if (!r.tails || !e->due_rows)
        return TAC_E_MEMORY;
    put_bits(w, &r);
    for (size_t s = 0; s < sources; s++) {
        e->due_rows[s].first = (uint32_t)e->due_count;
        e->due_count += r.tails[s].count;
        e->due_rows[s].end = (uint32_t)e->due_count;
    }
    e->due = tac__arena_array(&e->arena, e->due_count, sizeof *e->due);
    if (!e->due)
        return TAC_E_MEMORY;
    r.fill = true;
    put_bits(w, &r);
    for (size_t s = 0; s < sources; s++)
        e->due_rows[s].islands += e->due_rows[s].first;
    return w->failed ? TAC_E_MEMORY : TAC_OK;
}

bool tac__source_splits(const tac__plan *e, size_t source, size_t island)
{
    const uint32_t word = (uint32_t)(e->item_words + island / 64);
    uint32_t low = e->due_rows[source].islands, high = e->due_rows[source].end;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (e->due[middle].word < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->due_rows[source].end && e->due[low].word == word &&
           e->due[low].bits >> island % 64 & 1;
}

// Is a boundary of this source known in advance? The end of the run is, but it may be another when
// the run goes on from a checkpoint, so it is treated as one that turns up.
static bool is_planned(const tac__plan *e, size_t source)
{
    const tac__source_kind kind = e->timeline.sources[source].kind;
    return (kind == TAC__SOURCE_AXIS || kind == TAC__SOURCE_TIMES) &&
           source != (size_t)e->start_end_source;
}

// Is this an event or condition that the island itself locates?
static bool is_located(const tac__plan *e, const tac__island_plan *island, int source)
{
    for (size_t i = 0; i < island->rise_count; i++) {
        const tac__rise_plan *r = &island->rises[i];
        if (e->components[r->component]->conditions[r->number].source == source)
            return true;
    }
    return source == island->event_source;
}

// The sources of each island: first those known in advance, then those that turn up during the run,
// last those that the island locates itself.
static tac_status list_island_sources(work *w)
{
    tac__plan *e = w->e;
    for (size_t i = 0; i < e->island_count; i++) {
        tac__island_plan *island = &e->islands[i];
        const set *splits = &w->islands[i];
        island->sources = tac__arena_array(&e->arena, splits->count + 1 + island->rise_count,
                                           sizeof *island->sources);
        if (!island->sources)
            return TAC_E_MEMORY;
        for (int planned = 1; planned >= 0; planned--) {
            for (size_t k = 0; k < splits->count; k++) {
                const uint32_t s = splits->items[k];
                if (is_planned(e, s) != planned || is_located(e, island, (int)s))
                    continue;
                island->sources[island->source_count++] = (int)s;
                if (planned && s < 64)
                    island->planned_bits |= UINT64_C(1) << s;
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
    const tac__component *c = e->components[s->index];
    const tac__condition *condition = tac__condition_of(c, source);
    return tac__arena_format(&e->arena, "%s#%s", c->name, condition ? condition->name : "timer");
}

// The instants that a driver has to play back so that islands have the boundaries of the live run.
static tac_status list_instants(work *w)
{
    tac__plan *e = w->e;
    e->instants = tac__arena_array(&e->arena, w->outside.count, sizeof *e->instants);
    if (!e->instants)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < w->outside.count; k++) {
        const uint32_t s = w->outside.items[k];
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
    work w = {.e = e,
              .scratch = scratch,
              .steps = tac__arena_array(scratch, e->component_count, sizeof *w.steps),
              .entities = tac__arena_array(scratch, e->entity_count, sizeof *w.entities),
              .islands = tac__arena_array(scratch, e->island_count, sizeof *w.islands),
              .outputs = tac__arena_array(scratch, e->island_count, sizeof *w.outputs),
              .any = tac__arena_array(scratch, e->timeline.count, sizeof *w.any),
              .shown = tac__arena_array(scratch, e->island_count, sizeof *w.shown)};
    if (!w.steps || !w.entities || !w.islands || !w.outputs || !w.any || !w.shown)
        return TAC_E_MEMORY;
    seed_sets(&w);
    close_sets(&w);
    gather(&w);
    mark_periodic(&w);
    time_outputs(&w);
    if (w.failed)
        return TAC_E_MEMORY;

    TAC_TRY(list_entity_work(e));
    const size_t most =
        2 * e->entity_count + 3 * e->island_count + 3 * e->sequence_count + e->observer_count;
    e->items = tac__arena_array(&e->arena, most, sizeof *e->items);
    if (!e->items)
        return TAC_E_MEMORY;
    list_items(e);
    TAC_TRY(make_rows(&w));
    TAC_TRY(list_instants(&w));
    e->observer_source_count = w.observers.count;
    e->observer_sources =
        tac__arena_array(&e->arena, w.observers.count, sizeof *e->observer_sources);
    if (!e->observer_sources)
        return TAC_E_MEMORY;
    if (w.observers.count)
        memcpy(e->observer_sources, w.observers.items,
               w.observers.count * sizeof *e->observer_sources);
    return list_island_sources(&w);
}

// Memory that only the scheduling needs is freed at the end.
tac_status tac__schedule(tac__plan *e)
{
    tac__arena scratch;
    tac__arena_init(&scratch, e->allocator);
    const tac_status status = schedule(e, &scratch);
    tac__arena_fini(&scratch);
    return status;
}
