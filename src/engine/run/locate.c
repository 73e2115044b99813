// locate.c - the instants inside a step at which something changes, and what happens there.
//
// Events switch equations: a component's mode is fixed for the length of a step, and a step ends
// where the mode would change. Conditions wake a component outside the plant: a step ends where a
// condition turns from false to true. Nothing is remembered from one step to the next: whether a
// condition was true is evaluated again at the start of each.
#include "engine/run/loop.h"
#include "engine/run/locate.h"
#include "ode/event.h"

#include <string.h>

// --- modes --------------------------------------------------------------------------------------

#ifdef __x86_64__

__attribute__((target("avx2"))) bool tac__signs_differ_avx2(const double *a, const double *b,
                                                            size_t n)
{
    typedef double four __attribute__((vector_size(32)));
    typedef int64_t mask __attribute__((vector_size(32)));
    mask any = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        four x, y;
        memcpy(&x, a + i, sizeof x);
        memcpy(&y, b + i, sizeof y);
        any |= (mask)(x > 0) ^ (mask)(y > 0);
    }
    return __builtin_ia32_movmskpd256((four)any) || tac__signs_differ(a + i, b + i, n - i);
}

#endif

// Turn the numbers of events into modes.
static void decide(const tac__island *island, double *mode)
{
    for (size_t i = 0; i < island->plan->event_count; i++)
        mode[i] = mode[i] > 0;
}

// The numbers of all events: at the present state on the bus, or at the state on the scratch.
static tac_status ask(tac_engine *e, const tac__island *island, bool bus, double *mode)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        tac_instance *c = e->instances[island->plan->components[i]];
        if (c->plan->event_count == 0)
            continue;
        if (!c->active) { // its modes stay
            memmove(mode + c->plan->event_offset, island->mode + c->plan->event_offset,
                    c->plan->event_count * sizeof *mode);
            continue;
        }
        TAC_TRY(c->plan->type->kernels[TAC_NUMBERS].detect(
            bus ? &c->bus : &c->scratch, c->plan->self, mode + c->plan->event_offset));
    }
    return TAC_OK;
}

typedef struct crossing {
    tac_engine *e;
    tac__island *island;
    tac_time from_us, to_us;
    bool dense; // conditions: dense output is available
    bool moved; // conditions: y does not hold the whole step any more
    // The last step that was taken inside this one: where it ended, with its state in y and on the
    // scratch (NEVER: it is not there any more), and whether it could be taken.
    tac_time reached_us;
    bool reached;
} crossing;

static crossing begin_crossing(tac_engine *e, tac__island *island)
{
    return (crossing){.e = e,
                      .island = island,
                      .from_us = island->state->from_us,
                      .to_us = island->state->to_us,
                      .reached_us = TAC_TIME_NEVER};
}

static bool begin_dense(crossing *c)
{
    tac__island *island = c->island;
    c->reached_us = TAC_TIME_NEVER; // more stages are evaluated, on the scratch
    return tac__ode_dense_begin(c->e->plan->method, &island->problem, &island->work,
                                tac_time_seconds(c->from_us), tac_time_seconds(c->to_us),
                                tac_time_seconds(c->to_us - c->from_us), island->x,
                                island->y) == TAC_OK;
}

// Set the scratch to the state inside the last step, from dense output.
static void dense_state(crossing *c, tac_time t_us)
{
    tac__island *island = c->island;
    c->reached_us = TAC_TIME_NEVER;
    const double theta = (double)(t_us - c->from_us) / (double)(c->to_us - c->from_us);
    tac__ode_dense_at(c->e->plan->method, &island->work, island->x, island->y, theta,
                      island->work.z);
}

// Set y and the scratch to the state at t_us, by a step that ends there. A search ends where its
// last step mostly ended, and that step is not taken again.
static bool step_state(crossing *c, tac_time t_us)
{
    tac__island *island = c->island;
    if (c->reached_us == t_us)
        return c->reached;
    island->work.first = false;
    c->reached_us = t_us;
    c->reached = tac__step_to(c->e, island, &island->work, t_us, island->y) == TAC_OK;
    if (c->reached)
        memcpy(island->work.z, island->y, island->plan->x_count * sizeof *island->y);
    return c->reached;
}

// Do modes change at the state on the scratch? If it cannot be evaluated they do not.
static bool modes_change(tac_engine *e, tac__island *island, tac_time t_us)
{
    return tac__scratch_outputs(island, tac_time_seconds(t_us), false) == TAC_OK &&
           ask(e, island, false, island->next_mode) == TAC_OK &&
           tac__modes_differ(island, island->next_mode);
}

static bool changed_at(void *context, tac_time t_us)
{
    crossing *c = context;
    dense_state(c, t_us);
    return modes_change(c->e, c->island, t_us);
}

static bool changed_by_step(void *context, tac_time t_us)
{
    crossing *c = context;
    return step_state(c, t_us) && modes_change(c->e, c->island, t_us);
}

// A step with a change in it is first divided into SAMPLES parts, so that of several changes the
// first is found.
enum { SAMPLES = 4 };

// Where in the last step a mode changes first, by dense output, so only approximately.
static tac_time search_step(crossing *c)
{
    tac_time before_us = c->from_us;
    for (tac_time i = 1; i < SAMPLES; i++) {
        const tac_time t_us = c->from_us + (c->to_us - c->from_us) * i / SAMPLES;
        if (t_us > before_us && changed_at(c, t_us))
            return tac__first_true(before_us, t_us, changed_at, c);
        before_us = t_us;
    }
    return tac__first_true(before_us, c->to_us, changed_at, c);
}

// The first microsecond at which `holds` is true, searched from a guess `t_us`; `holds` evaluates a
// step that ends there.
static tac_time first_by_steps(crossing *c, tac_time t_us, tac__holds_fn *holds)
{
    tac_time before_us = t_us - 1, after_us = t_us;
    for (tac_time span_us = 1; before_us > c->from_us && holds(c, before_us); span_us *= 2) {
        after_us = before_us;
        before_us = after_us - c->from_us > span_us ? after_us - span_us : c->from_us;
    }
    for (tac_time span_us = 1; after_us < c->to_us && !holds(c, after_us); span_us *= 2) {
        before_us = after_us;
        after_us = c->to_us - before_us > span_us ? before_us + span_us : c->to_us;
    }
    return tac__first_true(before_us, after_us, holds, c);
}

// Does a mode change inside the step? Then let the step end at the first microsecond at which it
// has changed. Dense output gives a guess; a step that ends there decides, because its result
// depends on nothing that comes later.
static bool locate_event(tac_engine *e, tac__island *island)
{
    tac__island_state *s = island->state;
    crossing c = begin_crossing(e, island);
    if (!e->plan->method->fsal || e->plan->def.split) // else the last evaluation was at the end
        memcpy(island->work.z, island->y, island->plan->x_count * sizeof *island->y);
    if (!modes_change(e, island, s->to_us))
        return true;
    if (!begin_dense(&c))
        return false;
    s->event_us = s->to_us = first_by_steps(&c, search_step(&c), changed_by_step);
    changed_by_step(&c, s->to_us); // sets y, and next_mode to the numbers of events
    decide(island, island->next_mode);
    return true;
}

// --- conditions ---------------------------------------------------------------------------------

// Evaluate all conditions at the scratch state. All are false if `there` is false (the state could
// not be computed) or if the outputs that they read cannot be evaluated.
static void ask_rises(tac__island *island, tac_time t_us, bool there)
{
    const bool seen =
        there && (!island->plan->rise_outputs ||
                  tac__scratch_outputs(island, tac_time_seconds(t_us), true) == TAC_OK);
    for (size_t i = 0; seen && i < island->plan->rise_views.count; i++)
        tac__view_update(&island->plan->rise_views.items[i], t_us);
    for (size_t i = 0; i < island->plan->rise_count; i++) {
        const tac__rise_plan *r = &island->plan->rises[i];
        tac_instance *c = island->engine->instances[r->component];
        c->look.t_us = t_us;
        island->rises[i].now =
            seen && c->active && c->plan->type->holds(&c->look, c->plan->self, r->number);
    }
}

// The next part of the search begins with the values of the last evaluation.
static void begin_rises(tac__island *island)
{
    for (size_t i = 0; i < island->plan->rise_count; i++)
        island->rises[i].before = island->rises[i].now;
}

static void begin_at_start(tac__island *island)
{
    if (island->plan->x_count)
        memcpy(island->work.z, island->x, island->plan->x_count * sizeof *island->x);
    ask_rises(island, island->state->from_us, true);
    begin_rises(island);
}

static bool any_rise(const tac__island *island)
{
    bool any = false;
    for (size_t i = 0; i < island->plan->rise_count; i++)
        any |= island->rises[i].now && !island->rises[i].before;
    return any;
}

// By a step that ends at t_us: is a condition true that was false where the search began?
static bool turned_by_step(void *context, tac_time t_us)
{
    crossing *c = context;
    c->moved = true;
    ask_rises(c->island, t_us, c->island->plan->x_count == 0 || step_state(c, t_us));
    return any_rise(c->island);
}

static bool turned_at(void *context, tac_time t_us)
{
    crossing *c = context;
    if (!c->dense)
        return turned_by_step(context, t_us);
    dense_state(c, t_us);
    ask_rises(c->island, t_us, true);
    return any_rise(c->island);
}

// Have the whole step in y again, for dense output inside it.
static void look_into(crossing *c)
{
    tac__island *island = c->island;
    if (c->moved && island->plan->x_count)
        (void)step_state(c, c->to_us);
    c->moved = false;
    c->dense = island->plan->x_count && begin_dense(c);
}

// A step is searched in PARTS parts: a condition that is false at one end of a part and true at
// the other is found.
enum { PARTS = 8 };

// The first microsecond at which a condition has turned true, with the state there in y; or NEVER,
// with the whole step in y. A change that only dense output shows, and no step that ends there,
// does not count.
static tac_time search_rise(crossing *c)
{
    tac_time before_us = c->from_us;
    for (tac_time i = 1; i <= PARTS; i++) {
        const tac_time length_us = c->to_us - c->from_us;
        const tac_time t_us = c->from_us + length_us / PARTS * i + length_us % PARTS * i / PARTS;
        if (t_us == before_us)
            continue;
        if (turned_at(c, t_us)) {
            const tac_time about_us = tac__first_true(before_us, t_us, turned_at, c);
            const tac_time first_us = first_by_steps(c, about_us, turned_by_step);
            if (turned_by_step(c, first_us))
                return first_us;
            look_into(c);
            (void)turned_at(c, t_us);
        }
        begin_rises(c->island);
        before_us = t_us;
    }
    if (c->moved && c->island->plan->x_count)
        (void)step_state(c, c->to_us);
    return TAC_TIME_NEVER;
}

// Remember which conditions turn true at the end of the step.
static void mark_turned(tac__island *island, bool found)
{
    for (size_t i = 0; i < island->plan->rise_count; i++) {
        tac__rise *r = &island->rises[i];
        r->turned = found && r->now && !r->before;
    }
}

// Does a condition turn true inside the step, which may end at an event already? Then the step ends
// there.
static bool locate_rise(tac_engine *e, tac__island *island)
{
    tac__island_state *s = island->state;
    crossing c = begin_crossing(e, island);
    begin_at_start(island);
    look_into(&c);
    const tac_time t_us = search_rise(&c);
    mark_turned(island, t_us != TAC_TIME_NEVER);
    if (t_us < s->to_us) {
        s->to_us = t_us;
        s->event_us = TAC_TIME_NEVER;
    }
    return t_us != TAC_TIME_NEVER;
}

bool tac__locate_cut(tac__island *island)
{
    const tac_time to_us = island->state->to_us;
    begin_at_start(island);
    if (island->plan->x_count)
        memcpy(island->work.z, island->y, island->plan->x_count * sizeof *island->y);
    ask_rises(island, to_us, true);
    const bool turned = any_rise(island);
    mark_turned(island, turned);
    return turned;
}

tac__outcome tac__locate(tac_engine *e, tac__island *island)
{
    if (island->plan->event_count && island->plan->x_count && !locate_event(e, island))
        return TAC__FAILED_STEP;
    const bool turned = island->plan->rise_count && locate_rise(e, island);
    return turned || island->state->event_us != TAC_TIME_NEVER ? TAC__LOCATED : TAC__TAKEN;
}

// --- arriving -----------------------------------------------------------------------------------

static tac_status change_modes(tac_engine *e, tac__island *island, tac_time t_us)
{
    tac__island_state *s = island->state;
    s->chatter = t_us - s->changed_us <= TAC__CHATTER_US ? s->chatter + 1 : 0;
    s->changed_us = t_us;
    s->events++;
    if (s->chatter <= TAC__CHATTER_MAX) {
        memcpy(island->mode, island->next_mode, island->plan->event_count * sizeof *island->mode);
        return TAC_OK;
    }
    const tac_instance *c = e->instances[island->plan->components[0]];
    size_t i = 0;
    while (island->mode[i] == island->next_mode[i])
        i++;
    for (size_t k = 0; k < island->plan->count; k++) {
        const tac_instance *each = e->instances[island->plan->components[k]];
        if (i >= each->plan->event_offset && i < each->plan->event_offset + each->plan->event_count)
            c = each;
    }
    tac__fail(e->err, TAC_E_NUMERIC,
              "event '%s.%s' chatters: %d changes within %d us of each other", c->plan->name,
              c->plan->events[i - c->plan->event_offset].name, TAC__CHATTER_MAX, TAC__CHATTER_US);
    return tac__run_failed(e, TAC_E_NUMERIC, t_us, c->plan->name);
}

tac_status tac__count_turns(tac_engine *e, tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->plan->rise_count; i++) {
        const tac__rise_plan *r = &island->plan->rises[i];
        const tac_instance *c = e->instances[r->component];
        const tac__condition *condition = &c->plan->conditions[r->number];
        if (e->timeline.last[condition->source] != t_us)
            continue;
        island->state->events++;
        if (!tac__chatters(c->plan->turns, t_us))
            continue;
        tac__fail(e->err, TAC_E_NUMERIC,
                  "condition '%s' of '%s' chatters: its conditions turned true %d times within %d "
                  "us of each other",
                  condition->name, c->plan->name, TAC__CHATTER_MAX, TAC__CHATTER_US);
        return tac__run_failed(e, TAC_E_NUMERIC, t_us, c->plan->name);
    }
    return TAC_OK;
}

// The numbers of all events at the state at t_us. Events may see outputs of other components of the
// island; those on the bus are older than this state, so they are evaluated on the scratch.
static tac_status ask_present(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->plan->count == 1)
        return ask(e, island, true, island->next_mode);
    island->peeked_us = TAC_TIME_NEVER; // the scratch has other values now
    memcpy(island->work.z, island->x, island->plan->x_count * sizeof *island->x);
    const tac_status status = tac__scratch_outputs(island, tac_time_seconds(t_us), false);
    if (status != TAC_OK && t_us == 0) // inputs may not have their first values yet
        return ask(e, island, true, island->next_mode);
    return status == TAC_OK ? ask(e, island, false, island->next_mode) : status;
}

// Modes at a boundary follow from the state, except where an event was located just there: then the
// located modes are set.
tac_status tac__latch(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->state->event_us == t_us)
        return change_modes(e, island, t_us);
    const tac_status status = ask_present(e, island, t_us);
    if (status != TAC_OK) {
        tac__fail(e->err, status, "its events cannot be detected: %s", tac_status_text(status));
        return tac__run_failed(e, status, t_us, island->plan->name);
    }
    decide(island, island->next_mode);
    memcpy(island->mode, island->next_mode, island->plan->event_count * sizeof *island->mode);
    return TAC_OK;
}

// --- planning -----------------------------------------------------------------------------------

static void plan(tac_engine *e, tac__island *island, int source, tac_time t_us)
{
    if (source < 0 || e->timeline.next[source] == t_us)
        return;
    const tac_time old_us = e->timeline.next[source];
    tac__timeline_set(&e->timeline, source, t_us);
    tac__islands_replan(e, source, old_us, island);
}

// Changing the plan may have other islands take their steps again, and these may change the plan of
// this island. So each source is set to the value that holds when its turn comes.
void tac__plan_located(tac_engine *e, tac__island *island, tac_time event_us)
{
    plan(e, island, island->plan->event_source, event_us);
    for (size_t i = 0; i < island->plan->rise_count; i++) {
        const tac__rise_plan *r = &island->plan->rises[i];
        plan(e, island, e->plan->components[r->component]->conditions[r->number].source,
             island->step == TAC__STEP_LOCATED && island->rises[i].turned ? island->state->to_us
                                                                          : TAC_TIME_NEVER);
    }
}
