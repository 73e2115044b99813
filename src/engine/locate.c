// locate.c - the instants inside a step at which something changes, and what happens there.
//
// Events switch equations: a component's mode is fixed for the length of a step, and a step ends
// where the mode would change.
#include "engine/plan.h"
#include "ode/event.h"

#include <string.h>

// --- modes --------------------------------------------------------------------------------------

// A mode holds where the number of its event is positive. Do they differ from the present ones?
static inline bool decide(const tac__island *island, double *mode)
{
    const double *present = island->mode;
    bool differ = false;
    for (size_t i = 0, n = island->event_count; i < n; i++) {
        const bool holds = mode[i] > 0;
        differ |= holds != (present[i] > 0);
        mode[i] = holds;
    }
    return differ;
}

// The numbers of all events at a state: on the bus the present one, else that of the scratch.
static tac_status ask(tac_engine *e, const tac__island *island, bool bus, double *mode)
{
    for (size_t i = 0; i < island->count; i++) {
        tac_instance *c = e->components[island->components[i]];
        if (c->event_count == 0)
            continue;
        TAC_TRY(c->type->detect(bus ? &c->bus : &c->scratch, c->self, mode + c->event_offset));
    }
    return TAC_OK;
}

typedef struct crossing {
    tac_engine *e;
    tac__island *island;
    tac_time from_us, to_us;
} crossing;

// The modes at the scratch state. A failing look changes nothing.
static bool modes_change(tac_engine *e, tac__island *island, tac_time t_us)
{
    const double t_s = tac_time_seconds(t_us);
    tac_instance *c = island->alone;
    if (!c)
        return tac__scratch_outputs(island, t_s, false) == TAC_OK &&
               ask(e, island, false, island->next_mode) == TAC_OK &&
               decide(island, island->next_mode);
    c->scratch.t_s = t_s;
    return c->type->detect(&c->scratch, c->self, island->next_mode) == TAC_OK &&
           decide(island, island->next_mode);
}

// Inside the last step, on its dense output.
static bool changed_at(void *context, tac_time t_us)
{
    const crossing *c = context;
    tac__island *island = c->island;
    const double theta = (double)(t_us - c->from_us) / (double)(c->to_us - c->from_us);
    tac__ode_dense_at(c->e->method, &island->work, tac_time_seconds(c->to_us - c->from_us),
                      island->x, island->y, theta, island->work.z);
    return modes_change(c->e, island, t_us);
}

// By a step that ends there, which it leaves in y.
static bool changed_by_step(void *context, tac_time t_us)
{
    const crossing *c = context;
    tac__island *island = c->island;
    island->work.first = false;
    if (tac__step_to(c->e, island, &island->work, t_us, island->y) != TAC_OK)
        return false;
    memcpy(island->work.z, island->y, island->x_count * sizeof *island->y);
    return modes_change(c->e, island, t_us);
}

// A step with a change in it is first looked at in so many parts, so that of several changes the
// first is found.
enum { SAMPLES = 4 };

// About where in the last step a mode changes first.
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

// The first microsecond at which a step that ends there finds a mode changed, which is near `t_us`.
static tac_time first_by_steps(crossing *c, tac_time t_us)
{
    tac_time before_us = t_us - 1, after_us = t_us;
    for (tac_time span_us = 1; before_us > c->from_us && changed_by_step(c, before_us);
         span_us *= 2) {
        after_us = before_us;
        before_us = after_us - c->from_us > span_us ? after_us - span_us : c->from_us;
    }
    for (tac_time span_us = 1; after_us < c->to_us && !changed_by_step(c, after_us); span_us *= 2) {
        before_us = after_us;
        after_us = c->to_us - before_us > span_us ? before_us + span_us : c->to_us;
    }
    return tac__first_true(before_us, after_us, changed_by_step, c);
}

// Does a mode change inside the step? Then let the step end at the first microsecond at which it
// has changed. Dense output says about where; what decides is the step that ends there, which
// depends on nothing that comes later.
bool tac__locate(tac_engine *e, tac__island *island)
{
    tac__island_state *s = island->state;
    crossing c = {e, island, s->from_us, s->to_us};
    if (!e->method->fsal || e->def.split) // else the last evaluation was there
        memcpy(island->work.z, island->y, island->x_count * sizeof *island->y);
    if (!modes_change(e, island, s->to_us))
        return true;
    if (tac__ode_dense_begin(e->method, &island->problem, &island->work,
                             tac_time_seconds(c.from_us), tac_time_seconds(c.to_us),
                             tac_time_seconds(c.to_us - c.from_us), island->x, island->y) != TAC_OK)
        return false;
    s->event_us = s->to_us = first_by_steps(&c, search_step(&c));
    changed_by_step(&c, s->to_us); // leaves the state and the modes that begin there
    return true;
}

// --- arriving -----------------------------------------------------------------------------------

// Modes that change again and again within microseconds would never come to an end.
enum { CHATTER_MAX = 1000, CHATTER_US = 10 };

static tac_status change_modes(tac_engine *e, tac__island *island, tac_time t_us)
{
    tac__island_state *s = island->state;
    s->chatter = t_us - s->changed_us <= CHATTER_US ? s->chatter + 1 : 0;
    s->changed_us = t_us;
    s->events++;
    if (s->chatter <= CHATTER_MAX) {
        memcpy(island->mode, island->next_mode, island->event_count * sizeof *island->mode);
        return TAC_OK;
    }
    const tac_instance *c = e->components[island->components[0]];
    size_t i = 0;
    while (island->mode[i] == island->next_mode[i])
        i++;
    for (size_t k = 0; k < island->count; k++) {
        const tac_instance *each = e->components[island->components[k]];
        if (i >= each->event_offset && i < each->event_offset + each->event_count)
            c = each;
    }
    tac__fail(e->err, TAC_E_NUMERIC,
              "event '%s.%s' chatters: %d changes within %d us of each other", c->name,
              c->events[i - c->event_offset].name, CHATTER_MAX, CHATTER_US);
    return tac__run_failed(e, TAC_E_NUMERIC, t_us, c->name);
}

// At a boundary modes are what the state says, but for those that were found to change just there.
tac_status tac__latch(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->state->event_us == t_us)
        return change_modes(e, island, t_us);
    if (island->settled) // the step that ends here was seen to change none
        return TAC_OK;
    const tac_status status = ask(e, island, true, island->mode);
    if (status != TAC_OK) {
        tac__fail(e->err, status, "its events cannot be detected: %s", tac_status_text(status));
        return tac__run_failed(e, status, t_us, island->name);
    }
    (void)decide(island, island->mode);
    return TAC_OK;
}

// --- planning -----------------------------------------------------------------------------------

// Have the event at the end of the present step for a boundary, or none.
void tac__plan_event(tac_engine *e, tac__island *island, tac_time t_us)
{
    const int source = island->event_source;
    if (source < 0 || e->timeline.next[source] == t_us)
        return;
    const tac_time old_us = e->timeline.next[source];
    tac__timeline_set(&e->timeline, source, t_us);
    tac__islands_replan(e, source, old_us, island);
}
