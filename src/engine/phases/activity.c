// activity.c - components that are active in some phases of their entity only.
//
// While a component is inactive its outputs are zero, or held, and its derivatives, discrete states
// and draws do not change. No test at every boundary decides whether it runs: when a phase changes,
// the rows of due items and the lists of components that islands evaluate are made again.
//
// With `gate` inactive components run, too, but their results do not count: steps work on copies
// that are restored, outputs and derivatives are replaced at once. A failure there is no error.
#include "bus/type.h"
#include "engine/run/loop.h"
#include "engine/run/integrate.h"
#include "engine/run/driven.h"
#include "engine/phases/phases.h"
#include "engine/tangent/follow.h"
#include "engine/run/written.h"

#include <string.h>

// --- which phases -------------------------------------------------------------------------------

static tac_status resolve_component(const tac__plan *plan, tac__component *c, tac_error *err)
{
    const int machine = plan->entities[c->entity].machine;
    c->active_in = UINT64_MAX;
    if (!c->active_names)
        return TAC_OK;
    if (machine < 0)
        return tac__fail_at(err, TAC_E_CONFIG, &c->place,
                            "'%s' is active in some phases only, but its entity has none", c->name);
    const tac__phases *p = tac__phases_of(plan->components[machine]);
    c->active_in = 0;
    for (size_t i = 0; i < c->active_count; i++) {
        const int phase = tac__phase_find(p, c->active_names[i]);
        if (phase < 0) {
            tac__fail_at(err, TAC_E_NAME, &c->place, "'%s' is active in an unknown phase '%s'",
                         c->name, c->active_names[i]);
            tac__error_suggest(err, c->active_names[i], tac__phase_name, p);
            return TAC_E_NAME;
        }
        c->active_in |= UINT64_C(1) << phase;
    }
    return TAC_OK;
}

static tac_status list_machines(tac__plan *plan, tac_error *err)
{
    plan->machines = tac__arena_array(&plan->arena, plan->component_count, sizeof *plan->machines);
    if (!plan->machines)
        return tac__fail_memory(err);
    for (size_t i = 0; i < plan->entity_count; i++)
        plan->entities[i].machine = -1;
    for (uint32_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        if (!tac__is_machine(c))
            continue;
        int *machine = &plan->entities[c->entity].machine;
        if (*machine >= 0)
            return tac__fail_at(err, TAC_E_DUPLICATE, &c->place,
                                "'%s': its entity has phases already, in '%s'", c->name,
                                plan->components[*machine]->name);
        *machine = (int)i;
        plan->machines[plan->machine_count++] = i;
    }
    return TAC_OK;
}

tac_status tac__activity_resolve(tac__plan *plan, tac_error *err)
{
    TAC_TRY(list_machines(plan, err));
    for (size_t i = 0; i < plan->component_count; i++)
        TAC_TRY(resolve_component(plan, plan->components[i], err));
    return TAC_OK;
}

// --- memory -------------------------------------------------------------------------------------

static bool is_gated(const tac_instance *c)
{
    return c->plan->active_names != NULL;
}

// The state vector gets memory apart from the other arrays of the methods, which may become
// shorter.
static tac_status prepare_shrinking(tac_engine *e, tac__island *island)
{
    island->live_groups =
        tac__arena_array(&e->scratch, island->plan->group_count, sizeof *island->live_groups);
    double *z = tac__ode_array(&e->scratch, island->plan->x_count);
    if (!island->live_groups || !z)
        return TAC_E_MEMORY;
    island->work.z = z;
    return TAC_OK;
}

// Make a copy of the rows that can be changed, and find where each item is in it.
static tac_status own_rows(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    tac__due *d = &e->due;
    const size_t count = plan->due_count;
    d->own_rows = tac__arena_array(&e->scratch, count, sizeof *d->own_rows);
    d->place_first = tac__arena_array(&e->scratch, plan->item_count + 1, sizeof *d->place_first);
    if (!d->own_rows || !d->place_first)
        return TAC_E_MEMORY;
    memcpy(d->own_rows, plan->due, count * sizeof *d->own_rows);
    d->rows = d->own_rows;
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t k = 0; k < count; k++) {
            if (plan->due[k].word >= plan->item_words)
                continue;
            for (uint64_t bits = plan->due[k].bits; bits; bits &= bits - 1) {
                const size_t item = 64 * plan->due[k].word + (size_t)__builtin_ctzll(bits);
                if (fill)
                    d->places[--d->place_first[item]] = k;
                else
                    d->place_first[item]++;
            }
        }
        // Counts become ends; filling moves them to the beginnings.
        for (size_t i = 1; !fill && i <= plan->item_count; i++)
            d->place_first[i] += d->place_first[i - 1];
        if (!fill)
            d->places =
                tac__arena_array(&e->scratch, d->place_first[plan->item_count], sizeof *d->places);
        if (!d->places)
            return TAC_E_MEMORY;
    }
    return TAC_OK;
}

tac_status tac__activity_wire(tac_engine *e)
{
    bool any = false;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        tac__island *island = &e->islands[i];
        island->live = tac__arena_array(&e->scratch, island->plan->count, sizeof *island->live);
        if (!island->live)
            return TAC_E_MEMORY;
        island->live_count = island->plan->count;
        for (uint32_t k = 0; k < island->plan->count; k++)
            island->live[k] = k;
        for (size_t k = 0; k < island->plan->count; k++)
            e->building->islands[i].gated |= is_gated(e->instances[island->plan->components[k]]);
        if (island->plan->gated)
            TAC_TRY(prepare_shrinking(e, island));
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        any |= is_gated(c);
        if (!is_gated(c) || e->plan->def.strategy != TAC_STRATEGY_GATE ||
            !c->plan->type->kernels[TAC_NUMBERS].step)
            continue;
        const size_t words = tac__ports_words(&c->plan->outputs) +
                             tac__ports_words(&c->plan->states) + c->plan->stream_count;
        c->saved = tac__arena_array(&e->scratch, words, sizeof(uint64_t));
        if (!c->saved)
            return TAC_E_MEMORY;
    }
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        tac_instance *m = e->instances[e->plan->machines[i]];
        m->found =
            tac__arena_array(&e->scratch, tac__phases_of(m->plan)->found_count, sizeof *m->found);
        if (!m->found)
            return TAC_E_MEMORY;
    }
    e->taken = tac__arena_array(&e->scratch, e->plan->machine_count, sizeof *e->taken);
    if (!e->taken)
        return TAC_E_MEMORY;
    return any ? own_rows(e) : TAC_OK;
}

// --- lists that follow from the phases ----------------------------------------------------------

// How many states the method must integrate: those behind the last active one do not change.
static size_t moving_states(const tac_engine *e, const tac__island *island)
{
    size_t n = 0;
    if (e->plan->def.strategy == TAC_STRATEGY_GATE || e->plan->def.split ||
        e->plan->method->implicit)
        return island->plan->x_count;
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        const size_t end = c->plan->x_offset + c->plan->x_count;
        if (c->active && end > n)
            n = end;
    }
    n = tac__ode_whole(n);
    return n < island->plan->x_count ? n : island->plan->x_count;
}

// Leaves out states that do not change, and the errors of inactive components.
static void shrink_problem(const tac_engine *e, tac__island *island)
{
    const size_t n = moving_states(e, island);
    double *z = island->work.z;
    size_t group = 0, live = 0;
    for (size_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        for (size_t s = 0; s < c->plan->continuous.count; s++, group++) {
            if (c->active || e->plan->def.strategy == TAC_STRATEGY_GATE)
                island->live_groups[live++] = island->plan->groups[group];
        }
    }
    island->problem.groups = island->live_groups;
    island->problem.group_count = live;
    tac__step_set(island, TAC__STEP_NONE);
    if (n == island->problem.n)
        return;
    island->problem.n = n;
    tac__ode_work_init(&island->work, e->plan->method, n, island->memory);
    island->work.z = z;
}

// Which components an island evaluates: the active ones, or with `gate` all.
static void list_live(tac_engine *e, tac__island *island)
{
    island->live_count = 0;
    island->resting = false;
    for (uint32_t i = 0; i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        if (c->active || e->plan->def.strategy == TAC_STRATEGY_GATE)
            island->live[island->live_count++] = i;
        island->resting |= !c->active;
    }
    shrink_problem(e, island);
}

static void set_item(const tac_engine *e, int item, bool runs)
{
    if (item < 0)
        return;
    const tac__due *d = &e->due;
    const uint64_t bit = UINT64_C(1) << item % 64;
    for (uint32_t k = d->place_first[item]; k < d->place_first[item + 1]; k++) {
        uint64_t *bits = &d->own_rows[d->places[k]].bits;
        *bits = runs ? *bits | bit : *bits & ~bit;
    }
}

// Is the item due with a source of this instant?
static bool is_item_due(const tac_engine *e, int item)
{
    const tac__due *d = &e->due;
    bool due = false;
    for (uint32_t k = d->place_first[item]; k < d->place_first[item + 1]; k++)
        due |= e->timeline.last[d->own_rows[d->places[k]].source] == e->clock->t_us;
    return due;
}

static void take_back(const tac_engine *e, int item)
{
    if (item >= 0)
        e->due.items[item / 64] &= ~(UINT64_C(1) << item % 64);
}

static void set_items(const tac_engine *e, const tac_instance *c)
{
    set_item(e, c->plan->step_item, c->active);
    set_item(e, c->plan->shadow_item, !c->active);
}

// The integrator reads its scratch: copy the outputs from the bus there, too.
void tac__activity_close(const tac_instance *c)
{
    for (size_t k = 0; c->plan->island >= 0 && k < c->plan->outputs.count; k++) {
        if (c->scratch.out[k] != c->step.out[k])
            memcpy(c->scratch.out[k], c->step.out[k],
                   tac__type_words(&c->plan->outputs.items[k].type) * sizeof(uint64_t));
    }
}

static void rest_outputs(const tac_instance *c)
{
    for (size_t k = 0; k < c->plan->outputs.count; k++)
        tac__type_rest(&c->plan->outputs.items[k].type, c->step.out[k]);
}

// Are the outputs that the component writes in its steps all at rest?
static bool outputs_rest(const tac_instance *c)
{
    bool rest = true;
    for (size_t k = 0; k < c->plan->outputs.count; k++)
        rest &= c->plan->kinds[k].continuous ||
                tac__type_rests(&c->plan->outputs.items[k].type, c->step.out[k]);
    return rest;
}

static bool is_active_now(const tac_engine *e, const tac_instance *c)
{
    const int machine = e->plan->entities[c->plan->entity].machine;
    return !is_gated(c) || c->plan->active_in >> tac__phase_now(e->plan->components[machine]) & 1;
}

static void update_all(tac_engine *e)
{
    for (size_t i = 0; e->due.own_rows && i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        c->active = is_active_now(e, c);
        if (is_gated(c))
            set_items(e, c);
        if (!c->active)
            tac__activity_close(c);
    }
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (e->plan->islands[i].gated)
            list_live(e, &e->islands[i]);
    }
}

void tac__activity_start(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (is_active_now(e, c) || c->plan->hold)
            continue;
        rest_outputs(c);
        tac__written_now(c);
    }
    update_all(e);
}

void tac__activity_restored(tac_engine *e)
{
    update_all(e);
}

// --- a change -----------------------------------------------------------------------------------

// Outputs of the plant that are to be held get their values of this instant, with the same
// components active as before.
static tac_status hold_outputs(tac_engine *e, tac_instance *c, tac_time t_us)
{
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const void *value;
        if (!c->plan->kinds[k].continuous)
            continue;
        const tac_status status = tac__island_peek(e, tac__signal_at(c->plan, k), t_us, &value);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "its outputs failed: %s", tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->plan->name);
        }
        if (value != c->step.out[k])
            memcpy(c->step.out[k], value,
                   tac__type_words(&c->plan->outputs.items[k].type) * sizeof(uint64_t));
    }
    if (e->tangents)
        tac__tangents_hold(e, c, t_us);
    return TAC_OK;
}

// The player of the component; NULL: it is not played back.
static const tac__player *player_of(const tac_engine *e, const tac_instance *c)
{
    if (!tac__is_played(e->plan, c->plan->type) || !e->plan->driver->players[c->plan->index].step)
        return NULL;
    return &e->plan->driver->players[c->plan->index];
}

static void close_component(tac_engine *e, tac_instance *c, tac_time t_us)
{
    const tac__player *p = player_of(e, c);
    // If it has not stepped since it last became inactive, its outputs are zero already and nothing
    // is written. So there is at most one such write for each step, and histories have room for
    // that.
    const bool rests = outputs_rest(c);
    c->active = false;
    if (p)
        p->skip(p->self, t_us);
    if (!c->plan->hold)
        rest_outputs(c);
    if (e->tangents)
        tac__tangents_rest(e, c, t_us);
    tac__activity_close(c);
    tac__writes_done(&c->plan->eval_writes, t_us);
    if (!c->plan->hold)
        tac__written_now(c);
    if (!c->plan->hold && !rests) {
        tac__writes_done(&c->plan->writes, t_us);
        tac__taps_show(c->plan->taps, e, t_us);
    }
    // A trigger of this instant is kept, as are all that come while the component is inactive.
    *c->plan->missed |= c->pending;
    c->pending = 0;
    take_back(e, c->plan->step_item);
}

static void open_component(tac_engine *e, tac_instance *c)
{
    c->active = true;
    c->pending |= (uint32_t)*c->plan->missed;
    *c->plan->missed = 0;
    // It steps if it is due on an axis at this instant, or has missed something.
    const tac__player *p = player_of(e, c);
    const bool due = c->pending != 0 || (p && p->has(p->self, e->clock->t_us));
    if (c->plan->step_item >= 0 && (due || is_item_due(e, c->plan->step_item)))
        tac__due_add(e->due.items, e->due.item_words, (size_t)c->plan->step_item);
    take_back(e, c->plan->shadow_item);
}

// Does a change of this machine's phase change which components of the island are active?
static bool is_switched_by(const tac_engine *e, const tac__island *island, const tac__component *m)
{
    for (size_t i = 0; island->plan->gated && i < island->plan->count; i++) {
        const tac_instance *c = e->instances[island->plan->components[i]];
        if (is_gated(c) && c->plan->entity == m->entity)
            return true;
    }
    return false;
}

tac_status tac__activity_change(tac_engine *e, const tac__component *m, tac_time t_us)
{
    if (!e->due.own_rows)
        return TAC_OK;
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (c->plan->entity == m->entity && c->active && !is_active_now(e, c) && c->plan->hold)
            TAC_TRY(hold_outputs(e, c, t_us));
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        const bool active = is_active_now(e, c);
        if (c->plan->entity != m->entity || c->active == active)
            continue;
        if (active)
            open_component(e, c);
        else
            close_component(e, c, t_us);
        set_items(e, c);
    }
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (!is_switched_by(e, &e->islands[i], m))
            continue;
        list_live(e, &e->islands[i]);
        TAC_TRY(tac__island_jumped(e, &e->islands[i], t_us));
    }
    return TAC_OK;
}

// --- steps of inactive components ---------------------------------------------------------------

// Copies everything that a step may change, to `saved` or back.
static void save(const tac_instance *c, bool back)
{
    unsigned char *copy = c->saved;
    for (size_t i = 0; i < c->plan->outputs.count + c->plan->states.count; i++) {
        const bool output = i < c->plan->outputs.count;
        const size_t k = output ? i : i - c->plan->outputs.count;
        void *own = output ? c->step.out[k] : c->step.state[k];
        const tac__ports *ports = output ? &c->plan->outputs : &c->plan->states;
        const size_t bytes = tac__type_words(&ports->items[k].type) * sizeof(uint64_t);
        memcpy(back ? own : copy, back ? copy : own, bytes);
        copy += bytes;
    }
    for (size_t k = 0; k < c->plan->stream_count; k++, copy += sizeof(uint64_t))
        memcpy(back ? (void *)c->plan->streams[k].next : copy,
               back ? copy : (void *)c->plan->streams[k].next, sizeof(uint64_t));
}

void tac__activity_shadow(tac_engine *e, tac_instance *c, tac_time t_us)
{
    if ((c->plan->type->flags & TAC_COMPONENT_OPAQUE) || tac__is_played(e->plan, c->plan->type))
        return;
    save(c, false);
    tac__views_renew(&c->plan->views, t_us);
    c->shadow = true;
    c->step.t_us = t_us;
    c->step.due = TAC_DUE_AXIS;
    (void)c->plan->type->kernels[TAC_NUMBERS].step(&c->step, c->plan->self);
    c->shadow = false;
    c->failed = TAC_OK;
    save(c, true);
}
