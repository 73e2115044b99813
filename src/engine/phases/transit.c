// transit.c - changes of phases during a run.
//
// A transition is decided at one moment and takes effect at another. Stage 8 of a boundary
// evaluates conditions on the values of that boundary: the first transition whose condition holds
// is queued, and the hooks run. The transition takes effect before stage 0 of the entity's next
// boundary; an entity without periodic boundaries gets one for that, 1 us later. With a located
// condition both happen before stage 0 of the boundary that was put where it turned true.
//
// Where several entities change at one instant, the values of all actions are computed first, then
// all changes are made: each entity sees the others as they were before.
#include "engine/plan/find.h"
#include "engine/run/loop.h"
#include "engine/run/integrate.h"
#include "engine/run/driven.h"
#include "base/floats.h"
#include "engine/phases/phases.h"
#include "engine/tangent/follow.h"

#include <string.h>

// --- the outputs of a machine -------------------------------------------------------------------

static int64_t *number_out(const tac_instance *m, int output)
{
    return m->step.out[output];
}

static int64_t *queued_of(const tac_instance *m)
{
    return number_out(m, tac__phases_of(m->plan)->queued);
}

static int64_t changes_of(const tac_instance *m)
{
    return *number_out(m, tac__phases_of(m->plan)->changes);
}

static void written(tac_engine *e, tac_instance *m, tac_time t_us)
{
    tac__writes_done(&m->plan->writes, t_us);
    tac__taps_show(m->plan->taps, e, t_us);
}

static uint64_t *memory_of(const tac_instance *m, const tac__formula *f)
{
    const tac__phases *p = tac__phases_of(m->plan);
    return f->memory_words ? tac__formula_memory(f, m->step.state[p->memory]) : NULL;
}

static tac_status fail_nan(tac_engine *e, const tac_instance *m, const tac__formula *f,
                           const char *nan)
{
    tac__fail(e->err, TAC_E_NUMERIC, "'%s' is not a number, in '%s'", nan, f->text);
    return tac__run_failed(e, TAC_E_NUMERIC, e->clock->t_us, m->plan->name);
}

// --- hooks --------------------------------------------------------------------------------------

static bool is_active_in(const tac_instance *c, int32_t phase)
{
    return c->plan->active_in >> phase & 1;
}

static tac_status run_hooks(tac_engine *e, const tac_instance *m, int32_t from, int32_t to)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (c->plan->entity == m->plan->entity && c->plan->type->phase_exit &&
            is_active_in(c, from) && !tac__is_played(e->plan, c->plan->type))
            TAC_TRY(tac__run_phase_hook(e, c, false, from, to));
    }
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        if (c->plan->entity == m->plan->entity && c->plan->type->phase_enter &&
            is_active_in(c, to) && !tac__is_played(e->plan, c->plan->type))
            TAC_TRY(tac__run_phase_hook(e, c, true, from, to));
    }
    return TAC_OK;
}

// --- taking effect ------------------------------------------------------------------------------

static bool has_values(const tac__transition *t)
{
    bool any = false;
    for (size_t i = 0; i < t->action_count; i++)
        any |= t->actions[i].count > 0;
    return any;
}

// Evaluate the outputs of the plant that the values depend on, as of this instant. A replay does
// the same, although it has the values: hooks before the step see those outputs.
static tac_status refresh_outputs(tac_engine *e, const tac_instance *m, tac_time t_us)
{
    for (size_t i = 0; i < m->plan->inputs.count; i++) {
        if (m->plan->in[i].signal < 0)
            continue;
        const tac__signal *s = &e->plan->schema.signals[m->plan->in[i].signal];
        if (!s->kind->continuous || s->kind->state)
            continue;
        tac__island *island = &e->islands[e->plan->components[s->component]->island];
        if (island->state->outputs_us != t_us)
            TAC_TRY(tac__island_outputs(e, island, t_us));
    }
    return TAC_OK;
}

// Compute the values of all actions, in their order. They are written after all machines have
// computed theirs.
static tac_status find_values(tac_engine *e, tac_instance *m, const tac__transition *t,
                              tac_time t_us)
{
    if (!has_values(t))
        return TAC_OK;
    TAC_TRY(refresh_outputs(e, m, t_us));
    tac__views_renew(&m->plan->views, t_us);
    double *value = m->found;
    for (size_t i = 0; i < t->action_count; i++) {
        const tac__phase_action *a = &t->actions[i];
        for (size_t k = 0; k < a->count; k++) {
            const tac__formula *f = &a->values[k];
            const tac__expr_result r =
                tac__program_run(f->program, t_us, m->step.in, memory_of(m, f));
            if (r.nan || r.value != r.value)
                return fail_nan(e, m, f, r.nan ? r.nan : f->text);
            *value = r.value;
            if (e->tangents)
                tac__tangents_found(e, m, f, (size_t)(value - m->found), memory_of(m, f), t_us);
            value++;
        }
    }
    return TAC_OK;
}

static void put_values(const tac_instance *m, const tac__transition *t)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const double *value = m->found;
    for (size_t i = 0; i < t->action_count; i++) {
        const tac__phase_action *a = &t->actions[i];
        if (a->kind == TAC__SET)
            memcpy(m->step.out[a->output], value, a->count * sizeof *value);
        if (a->kind == TAC__RESET)
            memcpy((double *)m->step.out[p->resets] + a->first, value, a->count * sizeof *value);
        value += a->count;
    }
}

static void tell(const tac_engine *e, const tac_instance *m, const tac__transition *t, int32_t from,
                 bool located)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const tac_phase_change c = {e->clock->t_us,    e->plan->entities[m->plan->entity].name,
                                p->names[from],    p->names[t->to],
                                t->condition.text, located};
    for (size_t i = 0; i < e->phase_watcher_count; i++) {
        e->phase_watchers[i].changed(e->phase_watchers[i].context, &c);
        (void)tac__floats_kept();
    }
}

static void say(const tac_engine *e, tac_instance *m, const tac__transition *t, int32_t from)
{
    const tac__phases *p = tac__phases_of(m->plan);
    m->hook.t_us = e->clock->t_us;
    tac_log_write(&m->hook, TAC_LOG_INFO, "%s -> %s (%s)", p->names[from], p->names[t->to],
                  t->condition.text);
    for (size_t i = 0; i < t->action_count; i++) {
        if (t->actions[i].kind == TAC__SAY)
            tac_log_write(&m->hook, t->actions[i].level, "%s", t->actions[i].target);
    }
}

// Is this the first of the transition's resets of this component, or of its island?
static bool is_first_reset(const tac_engine *e, const tac__transition *t, size_t action,
                           bool island)
{
    const int component = t->actions[action].component;
    for (size_t i = 0; i < action; i++) {
        const tac__phase_action *a = &t->actions[i];
        if (a->kind == TAC__RESET && a->state < 0 &&
            (a->component == component || (island && e->plan->components[a->component]->island ==
                                                         e->plan->components[component]->island)))
            return false;
    }
    return true;
}

static bool is_zero(const double *q)
{
    return q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0;
}

static tac_status fail_reset(tac_engine *e, const tac_instance *c, const tac__port *port,
                             const char *what, tac_time t_us)
{
    tac__fail(e->err, TAC_E_NUMERIC, "state '%s.%s' %s after a reset", c->plan->name, port->name,
              what);
    return tac__run_failed(e, TAC_E_NUMERIC, t_us, c->plan->name);
}

// Project the states that were reset, as at the end of an interval, so that no reader sees a tank
// below zero or a quaternion of length 2. A quaternion of length 0 has no direction to keep.
static tac_status settle_reset(tac_engine *e, const tac_instance *c, tac_time t_us)
{
    double *first = e->islands[c->plan->island].x + c->plan->x_offset;
    const double *x = first;
    for (size_t k = 0; k < c->plan->continuous.count;
         x += c->plan->continuous.items[k++].type.count) {
        const tac__port *port = &c->plan->continuous.items[k];
        if (port->type.shape == TAC_QUAT && is_zero(x))
            return fail_reset(e, c, port, "is a quaternion of length 0", t_us);
        for (uint32_t i = 0; i < port->type.count; i++) {
            if (!(x[i] - x[i] == 0))
                return fail_reset(e, c, port, x[i] == x[i] ? "is infinite" : "is NaN", t_us);
        }
    }
    const tac_status status =
        c->plan->type->kernels[TAC_NUMBERS].project
            ? c->plan->type->kernels[TAC_NUMBERS].project(&c->bus, c->plan->self, first)
            : TAC_OK;
    if (status == TAC_OK)
        return TAC_OK;
    tac__fail(e->err, status, "its projection failed: %s", tac_status_text(status));
    return tac__run_failed(e, status, t_us, c->plan->name);
}

// All values are set before any is projected: several actions may set elements of one state.
static tac_status reset_states(tac_engine *e, const tac_instance *m, const tac__transition *t,
                               tac_time t_us)
{
    const tac__phases *p = tac__phases_of(m->plan);
    for (size_t i = 0; i < t->action_count; i++) {
        const tac__phase_action *a = &t->actions[i];
        if (a->kind != TAC__RESET)
            continue;
        const tac_instance *c = e->instances[a->component];
        double *x = a->state >= 0 ? c->step.state[a->state]
                                  : e->islands[c->plan->island].x + c->plan->x_offset;
        memcpy(x + a->offset, (const double *)m->step.out[p->resets] + a->first,
               a->count * sizeof *x);
    }
    for (size_t i = 0; i < t->action_count; i++) {
        const tac__phase_action *a = &t->actions[i];
        if (a->kind == TAC__RESET && a->state < 0 && is_first_reset(e, t, i, false))
            TAC_TRY(settle_reset(e, e->instances[a->component], t_us));
    }
    if (e->tangents)
        tac__tangents_reset(e, m, t);
    for (size_t i = 0; i < t->action_count; i++) {
        const tac__phase_action *a = &t->actions[i];
        if (a->kind == TAC__RESET && a->state < 0 && is_first_reset(e, t, i, true))
            TAC_TRY(tac__island_jumped(e, &e->islands[e->plan->components[a->component]->island],
                                       t_us));
    }
    return TAC_OK;
}

// The machine's outputs are written: change the plant accordingly.
static tac_status take_effect(tac_engine *e, tac_instance *m, const tac__transition *t,
                              tac_time t_us)
{
    TAC_TRY(tac__activity_change(e, m->plan, t_us));
    return reset_states(e, m, t, t_us);
}

static tac_status change(tac_engine *e, tac_instance *m, size_t number, tac_time t_us)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const tac__transition *t = &p->transitions[number];
    const int32_t from = tac__phase_now(m->plan);
    tell(e, m, t, from, *queued_of(m) == 0);
    *(int32_t *)m->step.out[p->phase] = t->to;
    *number_out(m, p->transition) = (int64_t)number + 1;
    *number_out(m, p->queued) = 0;
    ++*number_out(m, p->changes);
    put_values(m, t);
    say(e, m, t, from);
    written(e, m, t_us);
    if (e->tangents)
        tac__tangents_put(e, m, t, t_us);
    return take_effect(e, m, t, t_us);
}

// --- stage 0 ------------------------------------------------------------------------------------

enum { NONE = -1 };

// Does a condition with memory hold now, as time has passed? Its memory is not changed here: stage
// 8 will evaluate it again.
static tac_status has_come_true(tac_engine *e, tac_instance *m, const tac__formula *f, bool *holds)
{
    uint64_t memory[TAC__EXPR_TIMED];
    const tac_time t_us = e->clock->t_us;
    *holds = false;
    if (!tac__formula_ready(f, &m->step))
        return TAC_OK;
    TAC_ASSERT(f->memory_words <= TAC__EXPR_TIMED);
    memcpy(memory, memory_of(m, f), f->memory_words * sizeof *memory);
    TAC_TRY(refresh_outputs(e, m, t_us));
    tac__views_renew(&m->plan->views, t_us);
    const tac__expr_result r = tac__program_run(f->program, t_us, m->step.in, memory);
    *holds = !r.nan && r.value != 0;
    return TAC_OK;
}

// Count a change for which the machine's timer gave its entity a boundary. An endless sequence of
// such changes stops the run.
static tac_status count_change(tac_engine *e, const tac_instance *m, int number)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const tac__transition *t = &p->transitions[number];
    if (!tac__chatters(m->plan->turns, e->clock->t_us))
        return TAC_OK;
    tac__fail(e->err, TAC_E_NUMERIC,
              "phases chatter: %d changes within %d us of each other, the last to %s (%s)",
              TAC__CHATTER_MAX, TAC__CHATTER_US, p->names[t->to], t->condition.text);
    return tac__run_failed(e, TAC_E_NUMERIC, e->clock->t_us, m->plan->name);
}

// The transition that takes effect at this instant, if any. The hooks of a located one run now.
static tac_status find_change(tac_engine *e, tac_instance *m, int *number)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const uint32_t due = m->pending;
    m->pending = 0;
    m->step.t_us = e->clock->t_us;
    *number = (int)*queued_of(m) - 1;
    if (*number != NONE)
        return due & TAC_DUE_TIMER ? count_change(e, m, *number) : TAC_OK;
    const int32_t phase = tac__phase_now(m->plan);
    for (size_t i = 0; due && *number == NONE && i < p->transition_count; i++) {
        const tac__transition *t = &p->transitions[i];
        bool holds = false;
        if (!t->locate || !(t->from >> phase & 1))
            continue;
        if (!t->waits)
            holds = tac_turned_true(&m->step, t->number);
        else if (due & TAC_DUE_TIMER)
            TAC_TRY(has_come_true(e, m, &t->condition, &holds));
        if (holds && t->waits && e->tangents)
            tac__tangents_decided(e, m, t, e->clock->t_us);
        if (holds)
            *number = (int)i;
    }
    return *number == NONE ? TAC_OK : run_hooks(e, m, phase, p->transitions[*number].to);
}

static bool is_due(const tac_engine *e, const tac_instance *m)
{
    return tac__has_bit(e->due.items, (size_t)m->plan->step_item);
}

// The first machine from number i on that is due; machine_count: there is none. The items of
// machines follow each other.
static size_t next_due(const tac_engine *e, size_t i)
{
    const tac__plan *plan = e->plan;
    const size_t first = (size_t)plan->components[plan->machines[0]]->step_item;
    const size_t end = first + plan->machine_count;
    for (size_t at = first + i; at < end; at = (at / 64 + 1) * 64) {
        const uint64_t word = e->due.items[at / 64] >> at % 64;
        if (!word)
            continue;
        at += (size_t)__builtin_ctzll(word);
        return at < end ? at - first : plan->machine_count;
    }
    return plan->machine_count;
}

static tac_status begin_live(tac_engine *e, tac_time t_us)
{
    size_t count = 0;
    for (size_t i = 0; (i = next_due(e, i)) < e->plan->machine_count; i++) {
        tac_instance *m = e->instances[e->plan->machines[i]];
        int number;
        TAC_TRY(find_change(e, m, &number));
        if (number == NONE)
            continue;
        TAC_TRY(find_values(e, m, &tac__phases_of(m->plan)->transitions[number], t_us));
        e->taken[count++] = (tac__taken){m, (size_t)number};
    }
    for (size_t i = 0; i < count; i++)
        TAC_TRY(change(e, e->taken[i].machine, e->taken[i].transition, t_us));
    return TAC_OK;
}

// Check that the transitions in the recording exist.
static tac_status check_played(tac_engine *e, const tac_instance *m, tac_time t_us)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const int64_t numbers[] = {*number_out(m, p->transition), *queued_of(m)};
    bool good = tac__phase_now(m->plan) >= 0 && (size_t)tac__phase_now(m->plan) < p->count;
    for (size_t i = 0; i < 2; i++)
        good &= numbers[i] >= 0 && (size_t)numbers[i] <= p->transition_count;
    if (good && (numbers[0] > 0 || changes_of(m) == 0))
        return TAC_OK;
    tac__fail(e->err, TAC_E_FORMAT, "the recording has a transition that does not exist");
    return tac__run_failed(e, TAC_E_FORMAT, t_us, m->plan->name);
}

// Apply what a driver has for a machine at this instant: changes take effect, and hooks of the
// plant run as in the live run. A decision made at this instant is recorded with it, and is kept
// for stage 8.
static tac_status begin_played(tac_engine *e, tac_instance *m, tac_time t_us)
{
    const tac__phases *p = tac__phases_of(m->plan);
    m->pending = 0;
    if (!m->run || !is_due(e, m))
        return TAC_OK;
    const int32_t from = tac__phase_now(m->plan);
    const int64_t changes = changes_of(m), queued = *queued_of(m);
    m->step.t_us = t_us;
    m->failed = TAC_OK;
    const tac_status status = m->run(&m->step, m->run_self);
    if (status != TAC_OK)
        return tac__run_failed(e, status, t_us, m->plan->name);
    TAC_TRY(check_played(e, m, t_us));
    const bool changed = changes_of(m) != changes;
    if (changed || queued == 0) {
        m->decides = *queued_of(m);
        *queued_of(m) = 0;
    }
    if (!changed)
        return TAC_OK;
    const tac__transition *t = &p->transitions[*number_out(m, p->transition) - 1];
    if (queued == 0)
        TAC_TRY(run_hooks(e, m, from, tac__phase_now(m->plan)));
    if (has_values(t))
        TAC_TRY(refresh_outputs(e, m, t_us));
    tell(e, m, t, from, queued == 0);
    written(e, m, t_us);
    return take_effect(e, m, t, t_us);
}

tac_status tac__phases_begin(tac_engine *e, tac_time t_us)
{
    if (!e->plan->driver)
        return begin_live(e, t_us);
    for (size_t i = 0; i < e->plan->machine_count; i++)
        TAC_TRY(begin_played(e, e->instances[e->plan->machines[i]], t_us));
    return TAC_OK;
}

// --- stage 8 ------------------------------------------------------------------------------------

// The first transition out of the present phase whose condition holds. Conditions with memory are
// evaluated at every boundary, whatever the phase.
static tac_status find_transition(tac_engine *e, tac_instance *m, tac_time t_us, int *number)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const int32_t phase = tac__phase_now(m->plan);
    *number = NONE;
    for (size_t i = 0; i < p->transition_count; i++) {
        const tac__formula *f = &p->transitions[i].condition;
        const bool wanted = *number == NONE && p->transitions[i].from >> phase & 1;
        if ((!wanted && !f->memory_words) || !tac__formula_ready(f, &m->step))
            continue;
        const tac__expr_result r = tac__program_run(f->program, t_us, m->step.in, memory_of(m, f));
        if (wanted && r.nan)
            return fail_nan(e, m, f, r.nan);
        if (wanted && r.value != 0)
            *number = (int)i;
    }
    return TAC_OK;
}

// Set the timer to when a held() of a condition out of the present phase comes true, or to where a
// queued change takes effect if no axis gives a boundary there. A time behind the end of the run is
// set, too: a run that goes on from a checkpoint may be longer.
static tac_status plan_wake(tac_engine *e, tac_instance *m, tac_time t_us, bool queued)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const int32_t phase = tac__phase_now(m->plan);
    tac_time next_us =
        queued && !e->plan->entities[m->plan->entity].periodic ? t_us + 1 : TAC_TIME_NEVER;
    for (size_t i = 0; !queued && i < p->transition_count; i++) {
        const tac__formula *f = &p->transitions[i].condition;
        if (!f->memory_words || !(p->transitions[i].from >> phase & 1))
            continue;
        const tac_time then_us = tac__program_next(f->program, memory_of(m, f), t_us + 1);
        next_us = then_us < next_us ? then_us : next_us;
    }
    if (e->timeline.next[m->plan->timer_source] == next_us)
        return TAC_OK;
    m->hook.t_us = t_us;
    return tac_wake_at(&m->hook, next_us);
}

tac_status tac__phases_decide(tac_engine *e, tac_instance *m, tac_time t_us)
{
    const tac__phases *p = tac__phases_of(m->plan);
    const int32_t phase = tac__phase_now(m->plan);
    int number;
    if (e->plan->driver) {
        number = (int)m->decides - 1;
        m->decides = 0;
    } else {
        tac__views_renew(&m->plan->views, t_us);
        TAC_TRY(find_transition(e, m, t_us, &number));
        TAC_TRY(plan_wake(e, m, t_us, number != NONE));
    }
    if (number == NONE)
        return TAC_OK;
    if (e->tangents)
        tac__tangents_decided(e, m, &p->transitions[number], t_us);
    *queued_of(m) = (int64_t)number + 1;
    written(e, m, t_us);
    return run_hooks(e, m, phase, p->transitions[number].to);
}

bool tac__phases_inserted(const tac_engine *e, const tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < e->plan->machine_count; i++) {
        const tac_instance *m = e->instances[e->plan->machines[i]];
        if (*queued_of(m) && !e->plan->entities[m->plan->entity].periodic &&
            e->timeline.next[m->plan->timer_source] == t_us &&
            tac__source_splits(e->plan, (size_t)m->plan->timer_source,
                               (size_t)(island - e->islands)))
            return true;
    }
    return false;
}
