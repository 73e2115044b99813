// wire.c - memory of a run and the pointers into it: lists every part of the block, allocates it
// once, then gives each component its tables of inputs, outputs and states.
#include "engine/run/integrate.h"
#include "engine/run/evaluator.h"
#include "engine/plan/prepare.h"
#include "engine/plan/find.h"
#include "engine/plan/share.h"
#include "engine/run/hash.h"
#include "engine/run/nans.h"
#include "engine/run/driven.h"
#include "engine/run/lanes.h"
#include "engine/run/teams.h"
#include "engine/run/profile.h"
#include "engine/phases/phases.h"
#include "engine/run/validate.h"

#include <string.h>

enum { OUTSIDE_BYTES = 65536 };

// The parts are gone through twice by the same functions: first they are listed, then, when the
// block is allocated, pointers to them are set.
typedef struct wiring {
    tac_engine *e;
    tac__arena scratch;    // memory of the list of kinds
    tac__part_kind *kinds; // of the parts of the present owner
    size_t count;
    TAC__CAPACITY(tac__part_kind) capacity;
    size_t offset; // of the next part
    bool set;      // the second time
    uint64_t *taken;
    tac_time *next; // of the timeline
} wiring;

// `count` elements of `size` bytes, to which `*pointer` is to point. The kind has all but its size.
static tac_status want(wiring *w, const tac__part_kind *kind, size_t count, size_t size,
                       void **pointer)
{
    if (size && count > SIZE_MAX / 4 / size)
        return TAC_E_MEMORY;
    const size_t bytes = (count * size + 7) / 8 * 8;
    if (w->set) {
        *pointer = tac__block_at(&w->e->plan->block, w->offset);
    } else {
        if (!TAC__ARENA_GROW(&w->scratch, w->kinds, w->count, w->capacity))
            return TAC_E_MEMORY;
        tac__part_kind *made = &w->kinds[w->count++];
        *made = *kind;
        made->size = bytes;
    }
    w->offset += bytes;
    return TAC_OK;
}

// A part named "name owner".
#define WANT(w, called, count, checked, pointer)                                                   \
    TAC_TRY(want((w), &(tac__part_kind){.what = (called), .check = (checked)}, (count),            \
                 sizeof *(pointer), (void **)&(pointer)))

// All parts of an owner have been asked for.
static tac_status end_owner(wiring *w, const char *owner, const void *subject)
{
    if (w->set)
        return TAC_OK;
    tac__plan *plan = w->e->building;
    const tac__part_kind *kinds = tac__share_bytes(plan, w->kinds, w->count * sizeof *w->kinds);
    if (!kinds)
        return TAC_E_MEMORY;
    TAC_TRY(tac__block_add(&plan->block, &plan->arena, owner, subject, kinds, w->count));
    w->count = 0;
    return TAC_OK;
}

// --- reserving ----------------------------------------------------------------------------------

// Groups of states whose errors are measured together: each state that was declared is one.
static tac_status list_groups(tac__plan *plan, tac__island_plan *island)
{
    size_t count = 0, i = 0;
    for (size_t k = 0; k < island->count; k++)
        count += plan->components[island->components[k]]->continuous.count;
    tac__ode_group *groups = tac__arena_array(&plan->arena, count, sizeof *groups);
    island->parts = tac__arena_array(&plan->arena, island->x_count, sizeof *island->parts);
    if (!groups || !island->parts)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < island->count; k++) {
        const tac__component *c = plan->components[island->components[k]];
        size_t first = c->x_offset;
        for (size_t s = 0; s < c->continuous.count; s++) {
            const tac__port *port = &c->continuous.items[s];
            groups[i++] = (tac__ode_group){.first = (uint32_t)first,
                                           .count = port->type.count,
                                           .scale = port->scale,
                                           .quaternion = port->type.shape == TAC_QUAT};
            for (uint32_t n = 0; n < port->type.count; n++)
                island->parts[first++] = port->part;
        }
    }
    island->groups = groups;
    island->group_count = count;
    return TAC_OK;
}

// Some components are active in some phases only: its problem may become smaller.
static bool may_shrink(const tac__plan *plan, const tac__island_plan *island)
{
    bool may = false;
    for (size_t i = 0; i < island->count; i++)
        may |= plan->components[island->components[i]]->active_names != NULL;
    return may;
}

// An island before this one that can lend it the arrays that only one step needs. NULL: none.
static const tac__island *find_neighbour(const tac_engine *e, const tac__island *island)
{
    enum { NEAR = 8 };
    const tac__plan *plan = e->plan;
    const tac__island *found = NULL;
    if (plan->method->implicit || may_shrink(plan, island->plan))
        return NULL;
    for (size_t i = 1; i <= NEAR && !found && i <= (size_t)(island - e->islands); i++) {
        if (island[-(ptrdiff_t)i].plan->x_count == island->plan->x_count &&
            !may_shrink(plan, island[-(ptrdiff_t)i].plan))
            found = island - i;
    }
    return found;
}

// What the integrator needs besides the state: all of it is scratch.
static tac_status prepare_method(tac_engine *e, tac__island *island)
{
    const tac__plan *plan = e->plan;
    const tac__island *like = find_neighbour(e, island);
    const size_t n = island->plan->x_count;
    const size_t work = like ? tac__ode_work_doubles_beside(plan->method, n)
                             : tac__ode_work_doubles(plan->method, n);
    double *doubles = tac__arena_array(&e->scratch, work + n, sizeof *doubles);
    if (!doubles)
        return TAC_E_MEMORY;
    island->memory = doubles;
    double *z = island->work.z;
    if (like)
        tac__ode_work_init_beside(&island->work, plan->method, n, doubles, &like->work);
    else
        tac__ode_work_init(&island->work, plan->method, n, doubles);
    island->work.z = z; // apart: kernels have pointers to it
    island->peek = doubles + work;
    island->problem = (tac__ode_problem){.n = n,
                                         .context = island,
                                         .rhs = tac__island_rhs,
                                         .groups = island->plan->groups,
                                         .group_count = island->plan->group_count};
    island->rises = tac__arena_array(&e->scratch, island->plan->rise_count, sizeof *island->rises);
    return island->rises ? TAC_OK : TAC_E_MEMORY;
}

// What only one island needs at a time: all islands share it.
static tac_status prepare_common(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    size_t n = 0;
    for (size_t i = 0; i < plan->island_count; i++)
        n = plan->islands[i].x_count > n ? plan->islands[i].x_count : n;
    const size_t work = tac__ode_work_doubles(plan->method, n);
    e->peek_memory = tac__arena_array(&e->scratch, work + 2 * n, sizeof *e->peek_memory);
    if (!e->peek_memory)
        return TAC_E_MEMORY;
    tac__ode_work_init(&e->peek_work, plan->method, n, e->peek_memory);
    e->spare = e->peek_memory + work;
    return TAC_OK;
}

static tac_status make_islands(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    e->islands = tac__arena_array(&e->scratch, plan->island_count, sizeof *e->islands);
    if (!e->islands)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->island_count; i++) {
        e->islands[i] = (tac__island){.plan = &plan->islands[i],
                                      .engine = e,
                                      .peeked_us = TAC_TIME_NEVER,
                                      .kept_us = TAC_TIME_NEVER};
        e->islands[i].work.z = tac__ode_array(&e->scratch, plan->islands[i].x_count);
        if (!e->islands[i].work.z)
            return TAC_E_MEMORY;
    }
    for (size_t i = 0; i < plan->island_count; i++) {
        TAC_TRY(list_groups(e->building, &e->building->islands[i]));
        TAC_TRY(prepare_method(e, &e->islands[i]));
    }
    return prepare_common(e);
}

// The states of its components are signals; they lie in x one after another.
static void place_states(tac__plan *plan, const tac__island_plan *island, size_t x)
{
    for (size_t k = 0; k < island->count; k++) {
        const tac__component *c = plan->components[island->components[k]];
        size_t offset = x + c->x_offset * sizeof(double);
        for (size_t s = 0; s < c->continuous.count; s++) {
            plan->schema.signals[tac__signal_at(c, c->outputs.count + s)].offset = offset;
            offset += c->continuous.items[s].type.count * sizeof(double);
        }
    }
}

static tac_status reserve_island(wiring *w, tac__island *island)
{
    const tac__island_plan *plan = island->plan;
    WANT(w, "island", 1, tac__check_island, island->state);
    place_states(w->e->building, plan, w->offset);
    WANT(w, "state", plan->x_count, tac__check_any, island->x);
    WANT(w, "tentative", plan->x_count, tac__check_any, island->y);
    WANT(w, "modes", plan->event_count, tac__check_modes, island->mode);
    WANT(w, "next modes", plan->event_count, tac__check_next_modes, island->next_mode);
    return end_owner(w, plan->name, plan);
}

// A part that belongs to signal k of a component.
#define WANT_SIGNAL(w, called, c, k, count, checked, pointer)                                      \
    TAC_TRY(want((w),                                                                              \
                 &(tac__part_kind){.what = (called),                                               \
                                   .port = (c)->outputs.items[k].name,                             \
                                   .check = (checked),                                             \
                                   .number = (k)},                                                 \
                 (count), sizeof *(pointer), (void **)&(pointer)))

static tac_status reserve_signals(wiring *w, const tac__component *c)
{
    tac__plan *plan = w->e->building;
    // The values of a component lie side by side, so that all can be copied at once.
    for (size_t k = 0; k < c->outputs.count; k++) {
        tac__signal *s = &plan->schema.signals[tac__signal_at(c, k)];
        uint64_t *value;
        s->offset = w->offset;
        WANT_SIGNAL(w, "signal", c, k, s->kind->words, tac__check_signal, value);
    }
    for (size_t k = 0; k < c->outputs.count; k++) {
        tac__signal *s = &plan->schema.signals[tac__signal_at(c, k)];
        tac__history *h = s->history;
        if (plan->def.digests)
            WANT_SIGNAL(w, "digest", c, k, 1, tac__check_any, s->digest);
        if (!h)
            continue;
        h->words = s->kind->words;
        WANT_SIGNAL(w, "history writes", c, k, 1, tac__check_writes, h->writes);
        WANT_SIGNAL(w, "history times", c, k, h->depth, tac__check_times, h->times);
        WANT_SIGNAL(w, "history values", c, k, h->depth * h->words, tac__check_any, h->values);
    }
    return TAC_OK;
}

// Does the input need a view with a buffer, or can the reader point directly to the signal?
static bool needs_view(const tac__plan *plan, const tac__component *c, size_t input)
{
    const tac__input *in = &c->in[input];
    if (in->signal < 0)
        return false;
    const tac__signal *s = &plan->schema.signals[in->signal];
    const bool sampled =
        s->kind->continuous && !in->coupled && (tac__is_observer(c) || tac__is_continuous(c->type));
    const bool converted = s->kind->type.scalar != c->inputs.items[input].type.scalar;
    return sampled || converted || in->history ||
           tac__is_scaled(s, &c->inputs.items[input], in->route);
}

// A part for the value of an input or a discrete state.
static tac_status want_value(wiring *w, const char *what, const tac__port *port, void **pointer)
{
    const tac__part_kind kind = {
        .what = what, .port = port->name, .check = tac__check_value, .subject = &port->type};
    return want(w, &kind, tac__type_words(&port->type), 8, pointer);
}

static tac_status reserve_states(wiring *w, tac__component *c)
{
    void **states = w->set
                        ? (void **)c->state
                        : tac__arena_array(&w->e->building->arena, c->states.count, sizeof *states);
    if (!states)
        return TAC_E_MEMORY;
    c->state = states;
    for (size_t k = 0; k < c->states.count; k++)
        TAC_TRY(want_value(w, "discrete state", &c->states.items[k], &states[k]));
    return TAC_OK;
}

static tac_status reserve_draws(wiring *w, const tac__component *c)
{
    for (size_t k = 0; k < c->stream_count; k++) {
        const char *name =
            tac__share_text(w->e->building, c->streams[k].name + strlen(c->name) + 1);
        if (!name)
            return TAC_E_MEMORY;
        TAC_TRY(want(w, &(tac__part_kind){.what = "draws", .port = name, .check = tac__check_any},
                     1, sizeof *c->streams[k].next, (void **)&c->streams[k].next));
    }
    return TAC_OK;
}

static tac_status reserve_component(wiring *w, tac__component *c)
{
    const tac__plan *plan = w->e->plan;
    const size_t start = w->offset;
    TAC_TRY(reserve_signals(w, c));
    for (size_t k = 0; k < c->inputs.count; k++) {
        if (c->in[k].signal < 0 || needs_view(plan, c, k))
            TAC_TRY(want_value(w, "input", &c->inputs.items[k], &c->in[k].buffer));
    }
    TAC_TRY(reserve_states(w, c));
    if (c->condition_count || tac__is_machine(c))
        WANT(w, "turns", 1, tac__check_turns, c->turns);
    if (c->active_names)
        WANT(w, "missed triggers", 1, tac__check_missed, c->missed);
    if (c->asked)
        WANT(w, "written", 1, tac__check_flag, c->written);
    TAC_TRY(reserve_draws(w, c));
    if (w->set) {
        tac_instance *run = w->e->instances[c->index];
        const size_t lines = (w->offset - start) / 64 + 1;
        run->part = tac__block_at(&plan->block, start);
        run->part_lines = lines < TAC__PART_LINES ? (int)lines : TAC__PART_LINES;
        run->in_count =
            c->inputs.count < TAC__FETCHED_INPUTS ? (int)c->inputs.count : TAC__FETCHED_INPUTS;
    }
    return end_owner(w, c->name, c);
}

static tac_status reserve_sender(wiring *w, tac__sender *s)
{
    WANT(w, "sent", 1, tac__check_any, s->sequence);
    if (w->e->plan->def.digests)
        WANT(w, "digest", 1, tac__check_any, s->digest);
    if (s->drawn_count)
        WANT(w, "fates", s->drawn_count, tac__check_any, s->counters);
    for (size_t i = 0, k = 0; w->set && i < s->count; i++) {
        if (s->links[i].drawn)
            s->links[i].drawn->counters = &s->counters[k++];
    }
    return end_owner(w, s->name, s);
}

static tac_status reserve_receiver(wiring *w, tac__receiver *r)
{
    tac__queue *q = &r->queue;
    q->capacity = r->def.capacity;
    q->max_bytes = r->def.max_bytes;
    WANT(w, "queue", 1, tac__check_queue, q->state);
    WANT(w, "queue heap", q->capacity, tac__check_elsewhere, q->heap);
    WANT(w, "queue ring", q->capacity, tac__check_elsewhere, q->ring);
    WANT(w, "queue stack", q->capacity, tac__check_elsewhere, q->stack);
    WANT(w, "queue slots", q->capacity * tac__queue_slot_size(q->max_bytes), tac__check_elsewhere,
         q->slots);
    if (r->inlet_count)
        WANT(w, "queue freed", q->capacity, tac__check_any, q->freed);
    WANT(w, "digest", 1, tac__check_any, r->digest);
    WANT(w, "posted", r->inlet_count + 1, tac__check_any, r->posted);
    return end_owner(w, r->name, r);
}

// The parts of the timeline come last; those of observers are not part of the run.
static tac_status reserve_timeline(wiring *w)
{
    tac__plan *plan = w->e->building;
    const tac__sources *sources = &plan->timeline;
    tac_time *rest;
    plan->timeline_offsets[0] = w->offset;
    WANT(w, "timeline", sources->own, tac__check_taken, w->taken);
    TAC_TRY(end_owner(w, "taken", NULL));
    plan->timeline_offsets[1] = w->offset;
    WANT(w, "timeline", sources->own, tac__check_next, w->next);
    TAC_TRY(end_owner(w, "next", NULL));
    if (!w->set)
        tac__block_seal(&plan->block);
    // It continues the array "timeline next": parts are whole words and lie one after another.
    WANT(w, "observers", sources->count - sources->own, tac__check_any, rest);
    return end_owner(w, "next", NULL);
}

// All parts. An island lies before the first of its components.
static tac_status reserve(wiring *w)
{
    tac_engine *e = w->e;
    tac__plan *plan = e->building;
    WANT(w, "clock", 1, tac__check_clock, e->clock);
    TAC_TRY(end_owner(w, "of the run", NULL));
    WANT(w, "islands", plan->island_words, tac__check_due, e->due_islands);
    TAC_TRY(end_owner(w, "to be integrated", NULL));
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[plan->layout[i]];
        if (c->island >= 0 && plan->islands[c->island].components[0] == c->index)
            TAC_TRY(reserve_island(w, &e->islands[c->island]));
        TAC_TRY(reserve_component(w, c));
    }
    WANT(w, "nans", plan->schema.count, tac__check_any, e->nans);
    TAC_TRY(end_owner(w, "of signals", NULL));
    for (size_t i = 0; i < plan->sender_count; i++)
        TAC_TRY(reserve_sender(w, &plan->senders[i]));
    for (size_t i = 0; i < plan->receiver_count; i++)
        TAC_TRY(reserve_receiver(w, &plan->receivers[i]));
    return reserve_timeline(w);
}

// --- wiring -------------------------------------------------------------------------------------

static void make_view(const tac__plan *plan, const tac__component *c, size_t input,
                      const void *signal, void *target, tac__view *view)
{
    const tac__input *in = &c->in[input];
    const tac__signal *s = &plan->schema.signals[in->signal];
    const tac__port *port = &c->inputs.items[input];
    const bool extrapolates = in->policy == TAC_EXTRAPOLATED && s->derivative >= 0;
    *view =
        (tac__view){.type = s->kind->type,
                    .element = in->element,
                    .count = port->type.count,
                    .signal = signal,
                    .history = in->history,
                    .derivative = extrapolates ? plan->schema.signals[s->derivative].history : NULL,
                    .policy = in->policy == TAC_SYNCHRONIZED ? TAC_ZOH : in->policy,
                    .period_us = tac__signal_period(plan, s),
                    .delay_us = in->route->delay_us,
                    .delayed = in->route->delayed,
                    .as_f64 = port->type.scalar == TAC_F64 && s->kind->type.scalar != TAC_F64,
                    .scaled = tac__is_scaled(s, port, in->route),
                    .factor = tac__unit_factor(&s->kind->dimension, &port->dimension),
                    .gain = in->route->gain,
                    .offset = in->route->offset,
                    .target = target};
    if (s->kind->type.scalar != TAC_F64)
        view->policy = TAC_ZOH;
}

static const char *element_of(const tac__signal *s, const void *value, uint32_t element)
{
    return (const char *)value + element * tac__scalar_size(s->kind->type.scalar);
}

// A sample of the plant that a continuous component holds between boundaries.
static bool is_held_sample(const tac__plan *plan, const tac__component *c, const tac__input *in)
{
    return plan->schema.signals[in->signal].kind->continuous && !in->coupled &&
           tac__is_continuous(c->type);
}

static void add_view(tac__plan *plan, tac__component *c, size_t input)
{
    const tac__input *in = &c->in[input];
    const tac__signal *s = &plan->schema.signals[in->signal];
    c->peek_signals[c->views.count] = tac__is_observer(c) && s->kind->continuous ? in->signal : -1;
    make_view(plan, c, input, tac__block_at(&plan->block, s->offset), in->buffer,
              &c->views.items[c->views.count++]);
}

// Inputs as they are seen on the bus: by steps, hooks and stage 3. Held samples come last.
static tac_status wire_inputs(tac_engine *e, tac__component *c)
{
    tac__plan *plan = e->building;
    tac_instance *run = e->instances[c->index];
    const size_t n = c->inputs.count;
    size_t views = 0;
    for (size_t k = 0; k < n; k++)
        views += c->in[k].signal >= 0 && c->in[k].buffer;
    const void **in = tac__arena_array(&plan->arena, n, sizeof *in);
    // Observers read the plant at any instant: their views are changed before each step.
    c->views.items =
        tac__arena_array(c->observer ? &e->scratch : &plan->arena, views, sizeof *c->views.items);
    c->peek_signals = tac__arena_array(&plan->arena, views, sizeof *c->peek_signals);
    if (!in || !c->views.items || !c->peek_signals)
        return TAC_E_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const tac__input *input = &c->in[k];
        in[k] = input->buffer;
        if (input->signal < 0)
            continue;
        if (k < 64)
            run->connected |= UINT64_C(1) << k;
        const tac__signal *s = &plan->schema.signals[input->signal];
        if (!input->buffer)
            in[k] = element_of(s, tac__block_at(&plan->block, s->offset), input->element);
        else if (!is_held_sample(plan, c, input))
            add_view(plan, c, k);
    }
    c->views.live = c->views.count;
    for (size_t k = 0; k < n; k++) {
        if (c->in[k].signal >= 0 && c->in[k].buffer && is_held_sample(plan, c, &c->in[k]))
            add_view(plan, c, k);
    }
    run->step.in = run->bus.in = in;
    return TAC_OK;
}

// In a driven engine a player may write only some of a component's outputs.
static bool is_written(const tac__plan *plan, const tac__component *c, size_t output)
{
    if (!tac__is_played(plan, c->type))
        return true;
    const tac__player *player = &plan->driver->players[c->index];
    return player->step && player->outputs[output];
}

static tac_status wire_outputs(tac_engine *e, tac__component *c)
{
    tac__plan *plan = e->building;
    const size_t n = c->outputs.count;
    void **out = tac__arena_array(&plan->arena, n, sizeof *out);
    if (!out)
        return TAC_E_MEMORY;
    size_t count[2] = {0}, kept[2] = {0}; // of steps, of stage 3
    for (size_t k = 0; k < n; k++) {
        const tac__signal *s = &plan->schema.signals[tac__signal_at(c, k)];
        count[s->kind->continuous] += s->digest != NULL;
        kept[s->kind->continuous] += s->history != NULL;
    }
    TAC_TRY(tac__writes_init(&c->writes, &plan->arena, count[0], kept[0]));
    TAC_TRY(tac__writes_init(&c->eval_writes, &plan->arena, count[1], kept[1]));
    c->writes.nan = c->eval_writes.nan = tac__nan_written;
    c->writes.nan_context = c->eval_writes.nan_context = e;
    for (size_t k = 0; k < n; k++) {
        const int signal = tac__signal_at(c, k);
        const tac__signal *s = &plan->schema.signals[signal];
        out[k] = tac__block_at(&plan->block, s->offset);
        if (is_written(plan, c, k))
            tac__writes_add(s->kind->continuous ? &c->eval_writes : &c->writes, (uint32_t)signal,
                            &s->kind->type, out[k], s->digest, s->history);
    }
    tac_instance *run = e->instances[c->index];
    c->out = run->step.out = run->bus.out = out;
    return TAC_OK;
}

static const tac__evaluator *numbers_of(const tac_engine *e, size_t component)
{
    return e->islands[e->plan->components[component]->island].numbers;
}

// The equations in numbers, and the state as it is seen on the bus.
static tac_status wire_island(tac_engine *e, tac__island *island)
{
    TAC_TRY(
        tac__evaluator_make(e, &e->scratch, island, TAC_NUMBERS, island->work.z, &island->numbers));
    for (size_t i = 0; i < island->plan->count; i++) {
        tac__component *c = e->building->components[island->plan->components[i]];
        tac_instance *run = e->instances[c->index];
        c->scratch_in = run->scratch.in;
        run->bus.x = run->step.x = island->x + c->x_offset;
        run->bus.mode = island->mode + c->event_offset;
    }
    return TAC_OK;
}

// An input as a condition sees it inside a step: signals of the plant from the scratch, other
// signals as they are held. An input that needs a view has a second one here, apart from the view
// of steps.
static tac_status wire_rise_input(tac_engine *e, tac__island_plan *island, const tac__component *c,
                                  size_t input, const void **seen)
{
    const tac__plan *plan = e->plan;
    const tac__input *in = &c->in[input];
    if (in->signal < 0)
        return TAC_OK;
    const tac__signal *s = &plan->schema.signals[in->signal];
    const void *value = s->kind->continuous
                            ? tac__evaluator_signal(e, numbers_of(e, s->component), in->signal)
                            : tac__block_at(&plan->block, s->offset);
    island->rise_outputs |= s->kind->continuous && !s->kind->state;
    if (!in->buffer) {
        *seen = element_of(s, value, in->element);
        return TAC_OK;
    }
    if (*seen == in->buffer) {
        *seen = tac__arena_array(&e->scratch, tac__type_words(&c->inputs.items[input].type), 8);
        if (!*seen)
            return TAC_E_MEMORY;
    }
    for (size_t i = 0; i < island->rise_views.count; i++) {
        if (island->rise_views.items[i].target == *seen) // made for another condition
            return TAC_OK;
    }
    tac__view *view = &island->rise_views.items[island->rise_views.count++];
    make_view(plan, c, input, value, (void *)*seen, view);
    if (s->kind->continuous) { // the scratch has the value of the instant in question
        view->history = NULL;
        view->delayed = false;
    }
    return TAC_OK;
}

static tac_status wire_rises(tac_engine *e, tac__island_plan *island)
{
    tac__plan *plan = e->building;
    size_t most = 0;
    for (size_t i = 0; i < island->rise_count; i++) {
        const tac__rise_plan *r = &island->rises[i];
        most += plan->components[r->component]->conditions[r->number].count;
    }
    island->rise_views.items = tac__arena_array(&plan->arena, most, sizeof(tac__view));
    if (!island->rise_views.items)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->rise_count; i++) {
        const tac__component *c = plan->components[island->rises[i].component];
        tac_instance *run = e->instances[c->index];
        const tac__condition *condition = &c->conditions[island->rises[i].number];
        if (!run->look.instance) {
            const void **in = tac__arena_array(&plan->arena, c->inputs.count, sizeof *in);
            if (!in)
                return TAC_E_MEMORY;
            memcpy(in, run->step.in, c->inputs.count * sizeof *in);
            run->look = run->hook;
            run->look.in = in;
        }
        for (size_t k = 0; k < condition->count; k++) {
            const size_t input = (size_t)condition->inputs[k];
            TAC_TRY(wire_rise_input(e, island, c, input, (const void **)&run->look.in[input]));
        }
    }
    return TAC_OK;
}

// Components whose inputs are renewed at the boundaries of the island.
static tac_status list_viewers(tac__plan *plan, tac__island_plan *island)
{
    island->viewers = tac__arena_array(&plan->arena, island->count, sizeof *island->viewers);
    if (!island->viewers)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->count; i++) {
        if (plan->components[island->components[i]]->views.count)
            island->viewers[island->viewer_count++] = island->components[i];
    }
    return TAC_OK;
}

// An input that stage 3 renews: a second view, into the copy that the island keeps.
static tac_status keep_view(tac__plan *plan, const tac__component *c, const void *buffer,
                            tac__keep *keep)
{
    for (size_t i = 0; i < c->views.live; i++) {
        if (c->views.items[i].target != buffer)
            continue;
        tac__view *view = tac__arena_array(&plan->arena, 1, sizeof *view);
        if (!view)
            return TAC_E_MEMORY;
        *view = c->views.items[i];
        view->target = keep->to;
        keep->view = view;
    }
    return TAC_OK;
}

static tac_status wire_keeps(tac_engine *e, tac__island_plan *island)
{
    tac__plan *plan = e->building;
    size_t most = 0;
    for (size_t i = 0; i < island->count; i++)
        most += plan->components[island->components[i]]->inputs.count;
    island->keeps = tac__arena_array(&plan->arena, most, sizeof *island->keeps);
    if (!island->keeps)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < island->count; i++) {
        tac__component *c = plan->components[island->components[i]];
        const void **in = tac__arena_array(&plan->arena, c->inputs.count, sizeof *in);
        if (!in)
            return TAC_E_MEMORY;
        c->kept_in = in;
        // One copy after another: tac__deferred_store stores them at once.
        uint64_t *copy = tac__arena_array(&e->scratch, tac__ports_words(&c->inputs), sizeof *copy);
        if (!copy)
            return TAC_E_MEMORY;
        for (size_t k = 0; k < c->inputs.count; k++) {
            in[k] = c->scratch_in[k];
            if (c->in[k].coupled)
                continue;
            const tac_type *type = &c->inputs.items[k].type;
            in[k] = copy;
            tac__keep *keep = &island->keeps[island->keep_count++];
            *keep = (tac__keep){.from = c->scratch_in[k],
                                .to = copy,
                                .bytes = type->count * tac__scalar_size(type->scalar)};
            copy += tac__type_words(type);
            TAC_TRY(keep_view(plan, c, c->in[k].buffer, keep));
        }
    }
    return TAC_OK;
}

static tac_status make_instances(tac_engine *e)
{
    const tac__plan *plan = e->plan;
    e->instances = tac__arena_array(&e->scratch, plan->component_count, sizeof *e->instances);
    if (!e->instances)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[plan->layout[i]];
        tac_instance *run = e->instances[c->index] = tac__arena_alloc(&e->scratch, sizeof *run);
        if (!run)
            return TAC_E_MEMORY;
        *run = (tac_instance){.plan = c, .engine = e, .active = true};
        run->ready = tac__arena_array(&e->scratch, c->stream_count, sizeof *run->ready);
        tac__draws *streams =
            tac__arena_array(&e->building->arena, c->stream_count, sizeof *streams);
        if (!run->ready || !streams)
            return TAC_E_MEMORY;
        if (c->stream_count)
            memcpy(streams, c->streams, c->stream_count * sizeof *streams);
        c->streams = streams;
    }
    return TAC_OK;
}

static tac_status wire_components(tac_engine *e)
{
    tac__plan *plan = e->building;
    for (size_t i = 0; i < plan->component_count; i++) {
        tac__component *c = plan->components[plan->layout[i]];
        tac_instance *run = e->instances[c->index];
        run->step.period_us = c->group >= 0 ? tac__group_period(&plan->groups[c->group]) : 0;
        run->step.state = c->state;
        run->step.instance = run;
        run->step.p = run->bus.p = c->numbers;
        run->step.lanes = run->bus.lanes = 1;
        const bool played = tac__is_played(plan, c->type);
        run->run =
            played ? plan->driver->players[c->index].step : c->type->kernels[TAC_NUMBERS].step;
        run->run_self = played ? plan->driver->players[c->index].self : c->self;
        TAC_TRY(wire_inputs(e, c));
        run->axis_source = c->axis_source;
        run->streams = c->streams;
        run->stream_count = c->stream_count;
        run->has_before = c->views.count || c->stage == TAC_STAGE_ACTUATE || c->extra_source >= 0;
        TAC_TRY(wire_outputs(e, c));
        run->has_writes = tac__writes_any(&c->writes);
        run->writes = c->writes;
    }
    for (size_t i = 0; i < plan->island_count; i++)
        TAC_TRY(wire_island(e, &e->islands[i]));
    for (size_t i = 0; i < plan->component_count; i++) {
        tac_instance *run = e->instances[i];
        run->hook = run->step;
        run->hook.out = NULL;
    }
    for (size_t i = 0; i < plan->island_count; i++) {
        tac__island_plan *island_plan = &plan->islands[i];
        tac__island *island = &e->islands[i];
        const tac__component *first = plan->components[island_plan->components[0]];
        if (island_plan->count == 1 && first->type->kernels[TAC_NUMBERS].derive &&
            !first->chained && island->numbers->members[0].passage_count == 0 &&
            !island_plan->gated)
            island->alone = e->instances[first->index];
        island->failed = first->index;
        TAC_TRY(list_viewers(plan, island_plan));
        TAC_TRY(wire_keeps(e, island_plan));
        TAC_TRY(wire_rises(e, island_plan));
        if (plan->method->implicit)
            TAC_TRY(tac__jacobian_prepare(e, island));
    }
    TAC_TRY(tac__teams_form(e));
    TAC_TRY(tac__lanes_form(e));
    e->single = plan->few && !e->teams && !e->lanes;
    return TAC_OK;
}

// A boundary goes through the vehicles once for each stage. So what all vehicles have of one kind
// lies side by side: components in the order in which they run, then those of the plant.
static tac_status lay_out(tac__plan *plan)
{
    size_t n = 0;
    plan->layout = tac__arena_array(&plan->arena, plan->component_count, sizeof *plan->layout);
    bool *placed = tac__arena_array(&plan->arena, plan->component_count, sizeof *placed);
    if (!plan->layout || !placed)
        return TAC_E_MEMORY;
    for (size_t i = 0; i < plan->sequence_count; i++) {
        placed[plan->sequence[i]] = true;
        plan->layout[n++] = plan->sequence[i];
    }
    for (uint32_t i = 0; i < plan->component_count; i++) {
        if (!placed[i])
            plan->layout[n++] = i;
    }
    return TAC_OK;
}

// List all parts of the block, allocate it, and set the pointers into it.
static tac_status wire_block(wiring *w)
{
    tac_engine *e = w->e;
    tac__plan *plan = e->building;
    TAC_TRY(lay_out(plan));
    TAC_TRY(make_instances(e));
    TAC_TRY(make_islands(e));
    TAC_TRY(reserve(w));
    TAC_TRY(tac__block_allocate(&plan->block, &e->memory));
    w->offset = 0;
    w->set = true;
    TAC_TRY(reserve(w));
    return tac__timeline_wire(&e->timeline, &plan->timeline, w->taken, w->next, &e->scratch);
}

tac_status tac__wire(tac_engine *e)
{
    tac__plan *plan = e->building;
    wiring w = {.e = e};
    tac__arena_init(&w.scratch, e->allocator);
    const tac_status status = wire_block(&w);
    tac__arena_fini(&w.scratch);
    TAC_TRY(status);
    TAC_TRY(tac__due_wire(e));
    for (size_t i = 0; i < plan->receiver_count; i++) {
        const size_t size = plan->receivers[i].def.max_bytes;
        plan->message_size = size > plan->message_size ? size : plan->message_size;
    }
    for (size_t i = 0; i < plan->sender_count;
         i++) { // long messages to outside get the one NaN, too
        if (plan->senders[i].outlet_count && plan->message_size < OUTSIDE_BYTES)
            plan->message_size = OUTSIDE_BYTES;
    }
    size_t most_links = 0;
    for (size_t i = 0; i < plan->sender_count; i++) {
        const tac__sender *s = &plan->senders[i];
        most_links = s->drawn_count && s->count > most_links ? s->count : most_links;
    }
    e->message = tac__arena_alloc(&e->scratch, plan->message_size);
    e->fates = tac__arena_array(&e->scratch, most_links, sizeof *e->fates);
    if (!e->message || !e->fates)
        return TAC_E_MEMORY;
    e->instants = tac__arena_array(&e->memory, plan->instants_count, sizeof *e->instants);
    if (!e->instants)
        return TAC_E_MEMORY;
    if (plan->instants_count)
        memcpy(e->instants, plan->instants, plan->instants_count * sizeof *e->instants);
    TAC_TRY(tac__activity_wire(e));
    TAC_TRY(wire_components(e));
    TAC_TRY(tac__profile_wire(e));
    return tac__digests_list(e);
}
