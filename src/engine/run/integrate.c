// integrate.c - the integration of islands.
//
// x is the state at from_us, y the tentative state at to_us, the end of the integration step under
// way. A step never begins before the clock has reached its start, so of all that was integrated
// only this last step can ever have to be undone: when a boundary turns up inside it, or one that
// it was to end at is withdrawn, it is taken again from x. What was integrated before that instant
// and what comes after it are the same as if the boundary had been known from the start.
#include "engine/run/lanes.h"
#include "engine/phases/phases.h"

#include <math.h>
#include <string.h>

// What a step goes through every time is laid out in one piece.
#define EACH_STEP static inline __attribute__((always_inline))

// --- evaluation ---------------------------------------------------------------------------------

static void update(const tac__views *views, tac_time t_us)
{
    for (size_t i = 0; i < views->count; i++)
        tac__view_update(&views->items[i], t_us);
}

// Routes between continuous components have neither delay nor policy: the time does not matter.
enum { NO_TIME = 0 };

// Outputs that others need before the rest of their component can be evaluated. What cannot be had
// yet comes to nothing, or fails: the call for all of them decides.
__attribute__((noinline)) static void scratch_parts(tac__island *island, double t_s, bool all)
{
    for (size_t i = 0; i < island->plan->part_count; i++) {
        tac_instance *c = island->engine->instances[island->plan->part_calls[i]];
        if (!c->plan->type->output || !(all || c->plan->chained) || !c->active)
            continue;
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.t_s = t_s;
        (void)c->plan->type->output(&c->scratch, c->plan->self);
    }
}

// The outputs at the scratch state: of those components that others see while integrating, or of
// all.
static tac_status scratch_outputs(tac__island *island, double t_s, bool all)
{
    tac_engine *e = island->engine;
    if (island->plan->part_count)
        scratch_parts(island, t_s, all);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.t_s = t_s;
        if (!c->plan->type->output || !(all || c->plan->chained))
            continue;
        const tac_status status = c->plan->type->output(&c->scratch, c->plan->self);
        if (!c->active) { // its gate is closed, whatever came of it
            tac__activity_close(c);
            continue;
        }
        if (status != TAC_OK) {
            island->failed = c->plan->index;
            return status;
        }
    }
    return TAC_OK;
}

static tac_status derive_all(tac__island *island, double *dx)
{
    tac_engine *e = island->engine;
    if (island->resting)
        memset(dx, 0, island->problem.n * sizeof *dx);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        if (!c->plan->type->derive)
            continue;
        // Views of outputs that come later in the order are only complete now.
        update(&c->plan->scratch_views, NO_TIME);
        c->scratch.dx = dx + c->plan->x_offset;
        const tac_status status = c->plan->type->derive(&c->scratch, c->plan->self);
        if (!c->active) {
            memset(c->scratch.dx, 0, c->plan->x_count * sizeof *dx);
            continue;
        }
        if (status != TAC_OK) {
            island->failed = c->plan->index;
            return status;
        }
    }
    return TAC_OK;
}

tac_status tac__scratch_outputs(tac__island *island, double t_s, bool all)
{
    return scratch_outputs(island, t_s, all);
}

// All outputs that matter, then all derivatives. Out of line: the usual case needs no frame.
__attribute__((noinline)) static tac_status coupled_rhs(tac__island *island, double t_s, double *dx)
{
    TAC_TRY(scratch_outputs(island, t_s, false));
    return derive_all(island, dx);
}

// dx/dt at the scratch state.
tac_status tac__island_rhs(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    island->state->evals++;
    tac_instance *c = island->alone;
    if (!c)
        return coupled_rhs(island, t_s, dx);
    c->scratch.t_s = t_s; // nothing to pass between components
    c->scratch.dx = dx;
    return c->plan->type->derive(&c->scratch, c->plan->self);
}

// The same with all but the states of one part standing still.
static tac_status part_rhs(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    TAC_TRY(tac__island_rhs(context, t_s, dx));
    for (size_t i = 0; i < island->plan->x_count; i++)
        dx[i] = island->plan->parts[i] == island->part ? dx[i] : 0;
    return TAC_OK;
}

// --- one step -----------------------------------------------------------------------------------

// The classical scheme: one part after another, each with what those before it have come to. Only
// the body is integrated by the method; the others take one step of Euler's.
static tac_status split_step(tac_engine *e, tac__island *island, double t0_s, double t1_s,
                             double h_s, double *y)
{
    static const tac_part order[] = {TAC_PART_ACTUATOR, TAC_PART_PROPULSION, TAC_PART_BODY,
                                     TAC_PART_BATTERY};
    tac__ode_work *w = &island->work;
    double *start = island->split, *dx = island->split + island->plan->x_count;
    tac__ode_problem body = island->problem;
    body.rhs = part_rhs;
    memcpy(y, island->x, island->plan->x_count * sizeof *y);
    for (size_t p = 0; p < sizeof order / sizeof *order; p++) {
        island->part = order[p];
        memcpy(start, y, island->plan->x_count * sizeof *y);
        if (order[p] == TAC_PART_BODY) {
            w->first = false;
            TAC_TRY(tac__ode_step(e->plan->method, &body, w, t0_s, t1_s, h_s, start, y));
            continue;
        }
        memcpy(w->z, y, island->plan->x_count * sizeof *y);
        TAC_TRY(part_rhs(island, t0_s, dx));
        for (size_t i = 0; i < island->plan->x_count; i++)
            y[i] = start[i] + h_s * dx[i];
    }
    return TAC_OK;
}

EACH_STEP tac_status step_to(tac_engine *e, tac__island *island, tac__ode_work *work,
                             tac_time to_us, double *y)
{
    const tac_time from_us = island->state->from_us;
    const double t0_s = tac_time_seconds(from_us), t1_s = tac_time_seconds(to_us);
    const double h_s = tac_time_seconds(to_us - from_us);
    if (e->plan->def.split)
        return split_step(e, island, t0_s, t1_s, h_s, y);
    return tac__ode_step(e->plan->method, &island->problem, work, t0_s, t1_s, h_s, island->x, y);
}

tac_status tac__step_to(tac_engine *e, tac__island *island, tac__ode_work *work, tac_time to_us,
                        double *y)
{
    return step_to(e, island, work, to_us, y);
}

static double error_of(const tac_engine *e, const tac__island *island,
                       const tac__ode_problem *problem, tac_time length_us)
{
    const tac_integrator_def *def = &e->plan->def.integrator;
    return tac__ode_error(e->plan->method, problem, &island->work, def->rtol, def->atol,
                          tac_time_seconds(length_us), island->x, island->y);
}

// What may come of a step.
typedef enum outcome { TAKEN, FAILED, TOO_SMALL, TOO_MANY } outcome;

static tac_time scaled(tac_time length_us, double factor, const tac_integrator_def *def)
{
    const double scaled_us = (double)length_us * factor;
    if (scaled_us >= (double)def->h_max_us)
        return def->h_max_us;
    const tac_time whole_us = (tac_time)scaled_us;
    return whole_us > def->h_min_us ? whole_us : def->h_min_us;
}

// From here on `lanes` says whether the island has any; it is a constant wherever these are laid
// out.

// Step as far as the tolerances allow, but not beyond `limit_us`. Sets to_us and the length of the
// step after it.
EACH_STEP outcome adaptive_step(tac_engine *e, tac__island *island, tac_time limit_us, bool lanes)
{
    tac__island_state *s = island->state;
    const tac_integrator_def *def = &e->plan->def.integrator;
    tac_time h_us = s->h_us;
    s->tries_next = s->tries;
    for (;;) {
        const bool cut = limit_us - s->from_us < h_us;
        const tac_time length_us = cut ? limit_us - s->from_us : h_us;
        s->to_us = s->from_us + length_us;
        if (++s->tries_next > def->max_substeps) {
            tac__ode_forget(&island->work);
            return TOO_MANY;
        }
        double error;
        if (!lanes || !tac__lanes_take(island, s->to_us, &error)) {
            const tac_status status = step_to(e, island, &island->work, s->to_us, island->y);
            if (status != TAC_OK && status != TAC_E_NUMERIC)
                return FAILED;
            error = status == TAC_OK ? error_of(e, island, &island->problem, length_us)
                                     : (double)INFINITY;
        }
        const tac_time next_us = scaled(length_us, tac__ode_factor(e->plan->method, error), def);
        if (error <= 1) {
            // A step that was cut short says little about how long the next may be.
            s->h_next_us = cut && next_us < s->h_us && h_us == s->h_us ? s->h_us : next_us;
            return TAKEN;
        }
        s->rejected++;
        if (length_us <= def->h_min_us)
            return TOO_SMALL;
        h_us = next_us < length_us ? next_us : length_us - 1;
        if (lanes)
            tac__lanes_leave(island);
        tac__ode_retry(&island->work);
    }
}

EACH_STEP outcome fixed_step(tac_engine *e, tac__island *island, tac_time limit_us, bool lanes)
{
    tac__island_state *s = island->state;
    const tac_time h_us = e->plan->def.integrator.h_max_us;
    s->to_us = limit_us - s->from_us > h_us ? s->from_us + h_us : limit_us;
    double none;
    if (lanes && tac__lanes_take(island, s->to_us, &none))
        return TAKEN;
    return step_to(e, island, &island->work, s->to_us, island->y) == TAC_OK ? TAKEN : FAILED;
}

EACH_STEP outcome take_step(tac_engine *e, tac__island *island, tac_time limit_us, bool lanes)
{
    island->state->steps++;
    return e->plan->method->adaptive ? adaptive_step(e, island, limit_us, lanes)
                                     : fixed_step(e, island, limit_us, lanes);
}

// --- beginning a step ---------------------------------------------------------------------------

// Most steps change no mode, and most islands are one component: that is seen at once.
EACH_STEP bool changes_nothing(const tac_engine *e, tac__island *island)
{
    tac_instance *c = island->alone;
    if (!c || island->plan->rise_count)
        return false;
    if (!e->plan->method->fsal || e->plan->def.split) // else the last evaluation was at its end
        memcpy(island->work.z, island->y, island->plan->x_count * sizeof *island->y);
    c->scratch.t_s = tac_time_seconds(island->state->to_us);
    return c->plan->type->detect(&c->scratch, c->plan->self, island->next_mode) == TAC_OK &&
           !tac__modes_differ(island, island->next_mode);
}

// The step as it would be if no message, timer or event of others came in between. Such boundaries
// become known at some time or other, and then only cut it short: whether it is long enough, too
// long, or holds an event is decided without them, so that it never matters when they became known.
EACH_STEP outcome natural_step(tac_engine *e, tac__island *island, tac_time limit_us, bool lanes)
{
    const outcome out = take_step(e, island, limit_us, lanes);
    if (out != TAKEN || !tac__locates(island->plan) || changes_nothing(e, island))
        return out;
    if (lanes)
        tac__lanes_leave(island);
    return tac__locate(e, island) ? TAKEN : FAILED;
}

// A number that is none and comes from outside explains more than what it did to the states: the
// first held input of the component that is NaN, or infinite, and where it comes from. False: all
// are finite.
static bool name_bad_input(const tac_engine *e, const tac_instance *c, tac__out *out)
{
    for (size_t k = 0; k < c->plan->inputs.count; k++) {
        const tac__port *port = &c->plan->inputs.items[k];
        const tac__input *in = &c->plan->in[k];
        if (in->signal < 0 || in->coupled || port->type.scalar != TAC_F64)
            continue;
        const double *value = c->scratch.in[k];
        uint32_t i = 0;
        while (i < port->type.count && value[i] - value[i] == 0)
            i++;
        if (i == port->type.count)
            continue;
        const tac__signal *s = &e->plan->schema.signals[in->signal];
        tac__out_add(out, "input %s", port->name);
        if (port->type.count > 1)
            tac__out_add(out, "[%u]", i);
        tac__out_add(out, " from %s", s->name);
        if (s->type.count > 1)
            tac__out_add(out, "[%u]", in->element + i);
        tac__out_add(out, " is %s", value[i] != value[i] ? "NaN" : "infinite");
        return true;
    }
    return false;
}

static const tac_instance *find_bad_input(const tac_engine *e, const tac__island *island,
                                          tac__out *out)
{
    for (size_t i = 0; i < island->live_count; i++) {
        const tac_instance *c = e->instances[island->live[i]];
        if (c->active && name_bad_input(e, c, out))
            return c;
    }
    return NULL;
}

// Name what failed: the component whose right-hand side did, the first state that is not a finite
// number, or the one whose error is the largest. Taking the step again is the shortest way to learn
// it.
static tac_status fail_rhs(tac_engine *e, tac__island *island, tac_status status)
{
    tac__fail(e->err, status, "its right-hand side failed: %s", tac_status_text(status));
    return tac__run_failed(e, status, island->state->from_us,
                           e->plan->components[island->failed]->name);
}

// The state that begins at an offset of the island's.
typedef struct named_state {
    const tac_instance *component;
    const tac__port *port;
    uint32_t element;
} named_state;

static named_state state_at(const tac_engine *e, const tac__island *island, size_t index)
{
    for (size_t k = 0; k < island->plan->count; k++) {
        const tac_instance *c = e->instances[island->plan->components[k]];
        size_t offset = c->plan->x_offset;
        for (size_t s = 0; s < c->plan->continuous.count; s++) {
            const tac__port *port = &c->plan->continuous.items[s];
            if (index >= offset && index < offset + port->type.count)
                return (named_state){c, port, (uint32_t)(index - offset)};
            offset += port->type.count;
        }
    }
    return (named_state){0};
}

static tac_status fail_state(tac_engine *e, tac__island *island, size_t index)
{
    const named_state s = state_at(e, island, index);
    const double value = island->y[index];
    tac__fail(e->err, TAC_E_NUMERIC, "state '%s.%s'", s.component->plan->name, s.port->name);
    if (s.port->type.count > 1)
        tac__error_append(e->err, "[%u]", s.element);
    tac__error_append(e->err, " became %s while integrating", value != value ? "NaN" : "infinite");
    return tac__run_failed(e, TAC_E_NUMERIC, island->state->from_us, s.component->plan->name);
}

static tac_status fail_small(tac_engine *e, tac__island *island)
{
    const tac__island_state *s = island->state;
    double worst = -1;
    size_t group = 0;
    for (size_t i = 0; i < island->problem.group_count; i++) {
        tac__ode_problem one = island->problem;
        one.groups += i;
        one.group_count = 1;
        const double error = error_of(e, island, &one, s->to_us - s->from_us);
        if (error > worst) {
            worst = error;
            group = i;
        }
    }
    const named_state state = state_at(e, island, island->problem.groups[group].first);
    char h_min[TAC_TIME_TEXT];
    tac_time_print(e->plan->def.integrator.h_min_us, h_min);
    tac__fail(e->err, TAC_E_NUMERIC,
              "the integration step fell below %s: the error of state '%s.%s' is %.3g times what "
              "the tolerances allow",
              h_min, state.component->plan->name, state.port->name, worst);
    return tac__run_failed(e, TAC_E_NUMERIC, s->from_us, state.component->plan->name);
}

__attribute__((cold)) static tac_status fail_step(tac_engine *e, tac__island *island)
{
    tac__island_state *s = island->state;
    const uint64_t tries = s->tries, tried = s->tries_next;
    char text[TAC_ERROR_TEXT];
    tac__out input = tac__out_begin(text, sizeof text);
    const tac_instance *c = find_bad_input(e, island, &input);
    if (c) {
        tac__fail(e->err, TAC_E_NUMERIC, "%s", text);
        return tac__run_failed(e, TAC_E_NUMERIC, s->from_us, c->plan->name);
    }
    island->work.first = island->packed = island->ahead = false;
    s->tries = 0;
    const outcome out = natural_step(e, island, s->to_us, true);
    s->tries = tries;
    s->tries_next = tried;
    if (tried > e->plan->def.integrator.max_substeps) {
        tac__fail(e->err, TAC_E_LIMIT,
                  "more than %llu integration steps without a boundary; the last was %llu us long",
                  (unsigned long long)e->plan->def.integrator.max_substeps,
                  (unsigned long long)(s->to_us - s->from_us));
        return tac__run_failed(e, TAC_E_LIMIT, s->from_us, island->plan->name);
    }
    if (out == TOO_SMALL)
        return fail_small(e, island);
    const tac_status status = tac__step_to(e, island, &island->work, s->to_us, island->y);
    if (out == FAILED && status != TAC_OK)
        return fail_rhs(e, island, status);
    for (size_t i = 0; i < island->plan->x_count; i++) {
        if (!(island->y[i] - island->y[i] == 0))
            return fail_state(e, island, i);
    }
    if (out == FAILED)
        return fail_rhs(e, island, TAC_E_COMPONENT);
    return TAC_OK;
}

// The step is over and will not be undone: did it succeed?
static tac_status check_step(tac_engine *e, tac__island *island)
{
    // A sum of zeros, unless one of them is not finite; in four parts, which need not wait for each
    // other.
    const double *y = island->y;
    double a = 0, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; i + 4 <= island->problem.n; i += 4) {
        a += y[i] * 0.0;
        b += y[i + 1] * 0.0;
        c += y[i + 2] * 0.0;
        d += y[i + 3] * 0.0;
    }
    for (; i < island->problem.n; i++)
        a += y[i] * 0.0;
    return a + b + c + d == 0 ? TAC_OK : fail_step(e, island);
}

// Outputs without states are integrated by nobody, but conditions may look at them.
static void pass_to(tac_engine *e, tac__island *island, tac_time limit_us, tac_time cut_us)
{
    tac__island_state *s = island->state;
    s->to_us = limit_us;
    if (island->plan->rise_count)
        (void)tac__locate(e, island);
    if (cut_us >= s->to_us)
        return;
    s->to_us = cut_us;
    if (island->plan->rise_count)
        tac__locate_cut(island);
}

// States that the method does not look at, in y and where the right-hand side sees them. As those
// that it does, they have no -0. Once it is done it stays so, until something changes them.
static void stand_still(tac__island *island)
{
    for (size_t i = island->problem.n; i < island->plan->x_count; i++)
        island->y[i] = island->work.z[i] = island->x[i] += 0;
    island->still = true;
}

// A step that fails may still be undone, and then it never happened: until it is over it only
// leaves a mark in y.
EACH_STEP void integrate_to(tac_engine *e, tac__island *island, tac_time limit_us, tac_time cut_us,
                            bool lanes)
{
    tac__island_state *s = island->state;
    island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    s->event_us = TAC_TIME_NEVER;
    island->turned = false;
    if (island->plan->x_count == 0) {
        pass_to(e, island, limit_us, cut_us);
        return;
    }
    island->settled = island->sound = false;
    if (lanes)
        island->packed = false;
    if (!island->still)
        stand_still(island);
    const bool decides = e->plan->method->adaptive || tac__locates(island->plan);
    if (!decides && cut_us < limit_us)
        limit_us = cut_us;
    bool taken = natural_step(e, island, limit_us, lanes) == TAKEN;
    if (lanes)
        island->ahead = false; // also where it was not asked for
    island->settled = taken && s->event_us == TAC_TIME_NEVER && !island->turned;
    // An error that was found small enough is that of finite numbers.
    island->sound = island->settled && e->plan->method->adaptive;
    if (cut_us < s->to_us) {
        island->settled = island->sound = island->turned = false;
        s->to_us = cut_us;
        s->event_us = TAC_TIME_NEVER;
        if (lanes)
            tac__lanes_leave(island);
        if (e->plan->machine_count && tac__phases_inserted(e, island, cut_us))
            s->h_next_us = s->h_us;
        if (e->plan->method->adaptive)
            tac__ode_retry(&island->work);
        taken = tac__step_to(e, island, &island->work, cut_us, island->y) == TAC_OK;
        if (island->plan->rise_count && taken)
            tac__locate_cut(island);
    }
    if (!taken)
        island->y[0] = (double)NAN;
}

// --- the moments of an island -------------------------------------------------------------------

// The clock is about to come to t_us, a boundary of this island or the end of its step, which is
// where the step ends. Nothing is committed yet.
static tac_status reach(tac_engine *e, tac__island *island, tac_time t_us)
{
    const tac__island_state *s = island->state;
    TAC_ASSERT(s->to_us == t_us);
    return s->from_us == t_us ? TAC_OK : check_step(e, island);
}

EACH_STEP tac_status project(tac_engine *e, tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->live_count; i++) {
        const tac_instance *c = e->instances[island->live[i]];
        if (!c->plan->type->project || !c->active)
            continue;
        const tac_status status =
            c->plan->type->project(island->x + c->plan->x_offset, c->plan->self);
        if (status != TAC_OK) {
            tac__fail(e->err, status, "its projection failed: %s", tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->plan->name);
        }
    }
    return TAC_OK;
}

// Make t_us the present.
EACH_STEP tac_status arrive(tac_engine *e, tac__island *island, tac_time t_us, bool boundary)
{
    tac__island_state *s = island->state;
    if (s->from_us < t_us) {
        memcpy(island->x, island->y, island->problem.n * sizeof *island->x);
        s->from_us = t_us;
        s->h_us = s->h_next_us;
        s->tries = s->tries_next;
    }
    if (!boundary) {
        tac__lanes_leave(island);
        tac__ode_carry(&island->work);
        return TAC_OK;
    }
    island->work.first = false;
    s->at_us = t_us;
    s->tries = 0;
    TAC_TRY(project(e, island, t_us));
    if (island->plan->event_count && !island->settled)
        TAC_TRY(tac__latch(e, island, t_us));
    return island->plan->rise_count ? tac__count_turns(e, island, t_us) : TAC_OK;
}

static void bus_parts(tac_engine *e, const tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->plan->part_count; i++) {
        tac_instance *c = e->instances[island->plan->part_calls[i]];
        if (!c->plan->type->output || !c->active)
            continue;
        tac__views_renew(&c->plan->views, t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        (void)c->plan->type->output(&c->bus, c->plan->self);
    }
}

// Stage 3: algebraic outputs, written to the bus.
tac_status tac__island_outputs(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->plan->part_count)
        bus_parts(e, island, t_us);
    for (size_t i = 0; i < island->live_count; i++) {
        tac_instance *c = e->instances[island->live[i]];
        if (!c->plan->type->output || !c->active)
            continue;
        // Samples of other parts of the plant stay as they were held: whether those have been
        // evaluated yet must not matter.
        tac__views_renew(&c->plan->views, t_us);
        c->bus.t_s = tac_time_seconds(t_us);
        const tac_status status = c->plan->type->output(&c->bus, c->plan->self);
        if (status != TAC_OK) {
            char text[TAC_ERROR_TEXT];
            tac__out input = tac__out_begin(text, sizeof text);
            const bool bad = name_bad_input(e, c, &input);
            tac__fail(e->err, status, "its outputs failed: %s",
                      bad ? text : tac_status_text(status));
            return tac__run_failed(e, status, t_us, c->plan->name);
        }
        tac__writes_done(&c->plan->eval_writes, t_us);
    }
    island->state->outputs_us = t_us;
    return TAC_OK;
}

EACH_STEP void renew(const tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->state->at_us != t_us)
        return;
    for (size_t i = 0; i < island->plan->viewer_count; i++)
        update(&e->plan->components[island->plan->viewers[i]]->views, t_us);
}

// Held inputs may not have their first values yet. What cannot be evaluated with those is NaN: who
// reads it too early is told, who waits for stage 3 sees nothing of it.
static void begin_outputs(const tac_engine *e, tac_instance *c, tac_time t_us)
{
    tac__views_renew(&c->plan->views, t_us);
    c->bus.t_s = tac_time_seconds(t_us);
    const tac_status status = c->plan->type->output(&c->bus, c->plan->self);
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac__signal *s = &e->plan->schema.signals[c->plan->signals[k]];
        double *value = c->bus.out[k];
        if (!s->continuous)
            continue;
        for (size_t i = 0; status != TAC_OK && s->type.scalar == TAC_F64 && i < s->words; i++)
            value[i] = (double)NAN;
        if (e->plan->histories[c->plan->signals[k]].depth)
            tac__history_start(&e->plan->histories[c->plan->signals[k]], value);
    }
}

// Before stage 0 of the first boundary: outputs at the initial state, for who looks at them before
// stage 3. Nothing is digested. Samples of other islands are renewed when all have been evaluated,
// so that their order does not matter.
__attribute__((cold, noinline)) static void begin(tac_engine *e, tac_time t_us)
{
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const tac__island *island = &e->islands[i];
        if (island->plan->begins)
            bus_parts(e, island, t_us);
        for (size_t k = 0; island->plan->begins && k < island->live_count; k++) {
            tac_instance *c = e->instances[island->live[k]];
            if (c->plan->type->output && c->active)
                begin_outputs(e, c, t_us);
        }
    }
    for (size_t i = 0; i < e->plan->island_count; i++)
        renew(e, &e->islands[i], t_us);
}

// First every step is seen to have succeeded, then all are committed: a run that fails here stands
// at its last instant, whole.
tac_status tac__islands_arrive(tac_engine *e, tac_time t_us)
{
    const size_t count = (e->plan->island_words + 63) / 64;
    for (size_t s = 0; s < count; s++) {
        uint64_t words = e->due.island_words[s] |= e->due.arriving_words[s];
        for (; words; words &= words - 1) {
            const size_t w = 64 * s + (size_t)__builtin_ctzll(words);
            uint64_t bits = e->due_islands[w] |= e->due.arriving[w];
            for (tac__island *all = e->islands + w * 64; bits; bits &= bits - 1) {
                tac__island *island = all + __builtin_ctzll(bits);
                if (!island->sound)
                    TAC_TRY(reach(e, island, t_us));
            }
        }
    }
    for (size_t s = 0; s < count; s++) {
        e->due.arriving_words[s] = 0;
        for (uint64_t words = e->due.island_words[s]; words; words &= words - 1) {
            const size_t w = 64 * s + (size_t)__builtin_ctzll(words);
            const uint64_t boundaries = e->due.arriving[w];
            uint64_t bits = e->due_islands[w];
            e->due.arriving[w] = 0;
            for (tac__island *all = e->islands + w * 64; bits; bits &= bits - 1) {
                const int i = __builtin_ctzll(bits);
                TAC_TRY(arrive(e, all + i, t_us, boundaries >> i & 1));
            }
        }
    }
    if (t_us == 0) // the first of all
        begin(e, t_us);
    return TAC_OK;
}

// The next boundary that one of some sources brings.
static tac_time next_of(const tac_engine *e, const int *sources, size_t count)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < count; i++) {
        const tac_time next = e->timeline.next[sources[i]];
        t_us = next < t_us ? next : t_us;
    }
    return t_us;
}

// The next boundaries of an island: of those that have always been known, and of those that turn
// up.
typedef struct window {
    tac_time planned_us, found_us;
} window;

// Mostly the next instant of all is one of them that has always been known: then no other matters.
EACH_STEP window next_window(const tac_engine *e, const tac__island *island)
{
    const tac__timeline *tl = &e->timeline;
    const size_t first = tl->winner[1], planned = island->plan->planned_count;
    if (first < 64 && island->plan->planned_bits >> first & 1)
        return (window){tl->next[first], TAC_TIME_NEVER};
    return (window){next_of(e, island->plan->sources, planned),
                    next_of(e, island->plan->sources + planned, island->plan->found_count)};
}

tac_time tac__island_planned(const tac_engine *e, const tac__island *island)
{
    return next_window(e, island).planned_us;
}

void tac__island_renew(const tac_engine *e, tac__island *island, tac_time t_us)
{
    renew(e, island, t_us);
}

// Stage 10: begin the next step, no further than the next known boundary.
EACH_STEP void integrate(tac_engine *e, tac__island *island, bool lanes)
{
    const window w = next_window(e, island);
    integrate_to(e, island, w.planned_us, w.found_us, lanes);
    const tac__island_state *s = island->state;
    const tac_time limit_us = w.found_us < w.planned_us ? w.found_us : w.planned_us;
    const bool event = s->event_us < limit_us;
    const bool whole = event || island->turned || s->to_us == limit_us;
    tac__timeline_set(&e->timeline, island->plan->step_source, whole ? TAC_TIME_NEVER : s->to_us);
    const tac_time event_us = event ? s->event_us : TAC_TIME_NEVER;
    if (island->plan->rise_count ||
        (island->plan->event_count && e->timeline.next[island->plan->event_source] != event_us))
        tac__plan_located(e, island, event_us);
}

__attribute__((noinline)) static void integrate_beside(tac_engine *e, tac__island *island)
{
    integrate(e, island, true);
}

void tac__island_integrate(tac_engine *e, tac__island *island)
{
    if (island->lanes)
        integrate_beside(e, island);
    else
        integrate(e, island, false);
}

// What a step of an island begins with comes nearer while the one before it is integrated.
__attribute__((noinline)) static void fetch(const tac__island *island)
{
    tac__fetch(island->state, 2);
    tac__fetch(island->x, 3);
    tac__fetch((const char *)island + 128, 3);
    if (!island->alone)
        return;
    tac__fetch(&island->alone->scratch, 2);
    tac__fetch(island->alone->plan->self, 2);
}

// Those of 64 islands that are due.
EACH_STEP void integrate_word(tac_engine *e, tac__island *all, uint64_t bits, tac_time t_us)
{
    while (bits) {
        tac__island *island = all + __builtin_ctzll(bits);
        bits &= bits - 1;
        if (bits)
            fetch(all + __builtin_ctzll(bits));
        if (island->lanes && island->lanes->tried_us != t_us)
            tac__lanes_step(e, island->lanes, t_us);
        renew(e, island, t_us);
        tac__island_integrate(e, island);
    }
}

// Stage 10 of the last instant.
void tac__islands_integrate(tac_engine *e)
{
    const tac_time t_us = e->clock->t_us;
    const size_t count = (e->plan->island_words + 63) / 64;
    for (size_t s = 0; s < count; s++) {
        uint64_t words = e->due.island_words[s];
        e->due.island_words[s] = 0;
        for (; words; words &= words - 1) {
            const size_t w = 64 * s + (size_t)__builtin_ctzll(words);
            const uint64_t bits = e->due_islands[w];
            e->due_islands[w] = 0;
            integrate_word(e, e->islands + w * 64, bits, t_us);
        }
    }
}

// A boundary with `source` that was planned for old_us is now elsewhere, or nowhere. Steps that
// were to end there, or that now hold it inside, are taken again from the same state with the same
// held inputs, as if the new plan had been the only one.
void tac__islands_replan(tac_engine *e, int source, tac_time old_us, const tac__island *but)
{
    const tac_time new_us = e->timeline.next[source];
    const tac__plan *p = e->plan;
    for (uint32_t k = p->due_rows[source].islands; k < p->due_rows[source].end; k++) {
        tac__island *all = e->islands + 64 * (p->due[k].word - p->item_words);
        for (uint64_t bits = p->due[k].bits; bits; bits &= bits - 1) {
            tac__island *island = all + __builtin_ctzll(bits);
            const tac__island_state *s = island->state;
            // One that stands at a boundary will see the plan as it is.
            if (island == but || s->from_us >= s->to_us ||
                !(s->to_us > new_us || (s->to_us == old_us && new_us > old_us)))
                continue;
            island->state->undone += island->plan->x_count > 0;
            tac__lanes_leave(island);
            if (e->plan->method->adaptive)
                tac__ode_retry(&island->work);
            tac__island_integrate(e, island);
        }
    }
}

// --- looking without a trace --------------------------------------------------------------------

// Between two boundaries of the island the state is what the present step would give if it ended
// at t_us. That depends on nothing later than t_us, unlike interpolation inside a step that may
// still be cut short.
static tac_status peek_state(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->state->from_us >= t_us) { // at the present, or a little ahead after a failure
        memcpy(island->peek, island->x, island->plan->x_count * sizeof *island->peek);
        return TAC_OK;
    }
    island->peek_work.first = false;
    memcpy(island->peek + island->problem.n, island->x + island->problem.n,
           (island->plan->x_count - island->problem.n) * sizeof *island->peek);
    return tac__step_to(e, island, &island->peek_work, t_us, island->peek);
}

// Have evaluations on the scratch see held inputs as they were kept, or as they are.
static void see_inputs(tac__island *island, bool kept)
{
    for (size_t i = 0; i < island->plan->count; i++) {
        tac_instance *c = island->engine->instances[island->plan->components[i]];
        c->scratch.in = kept ? c->plan->kept_in : c->plan->scratch_in;
    }
}

// All of the island at t_us, on the scratch.
static tac_status look(tac_engine *e, tac__island *island, tac_time t_us)
{
    if (island->peeked_us == t_us)
        return TAC_OK;
    const uint64_t evals = island->state->evals;
    tac_status status = peek_state(e, island, t_us);
    memcpy(island->work.z, island->peek, island->plan->x_count * sizeof *island->peek);
    const bool kept = island->kept_us == t_us;
    if (kept)
        see_inputs(island, true);
    if (status == TAC_OK)
        status = scratch_outputs(island, tac_time_seconds(t_us), true);
    if (kept)
        see_inputs(island, false);
    island->state->evals = evals; // looking is not part of the run
    if (status == TAC_OK)
        island->peeked_us = t_us;
    return status;
}

// At a boundary of the island whose outputs nothing reads, what they depend on may be written again
// before an observer looks. Most look at states only: the outputs are evaluated for who does not.
void tac__island_preview(tac__island *island, tac_time t_us)
{
    if (island->state->at_us != t_us || island->state->outputs_us == t_us)
        return;
    for (size_t i = 0; i < island->plan->keep_count; i++) {
        const tac__keep *keep = &island->plan->keeps[i];
        if (keep->view)
            tac__view_update(keep->view, t_us);
        else
            memcpy(keep->to, keep->from, keep->bytes);
    }
    island->kept_us = t_us;
}

// After a jump of its state: modes and outputs, for whoever reads or watches them at this boundary,
// are those of the new one.
tac_status tac__island_jumped(tac_engine *e, tac__island *island, tac_time t_us)
{
    const bool watched = island->peeked_us == t_us || island->kept_us == t_us;
    island->settled = island->still = false;
    island->state->event_us = island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    if (island->plan->event_count)
        TAC_TRY(tac__latch(e, island, t_us));
    if (island->state->outputs_us == t_us)
        return tac__island_outputs(e, island, t_us);
    if (watched)
        tac__island_preview(island, t_us);
    return TAC_OK;
}

tac_status tac__island_peek(tac_engine *e, int signal, tac_time t_us, const void **value)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    const tac_instance *c = e->instances[s->component];
    tac__island *island = &e->islands[c->plan->island];
    // On the bus outputs are of this instant once stage 3 has run.
    if (s->state ? island->state->at_us == t_us : island->state->outputs_us == t_us) {
        *value = tac__block_at(&e->plan->block, s->offset);
        return TAC_OK;
    }
    TAC_TRY(look(e, island, t_us));
    size_t i = 0;
    while (c->plan->signals[i] != signal)
        i++;
    if (!s->state) {
        *value = c->scratch.out[i];
        return TAC_OK;
    }
    const double *x = island->peek + c->plan->x_offset;
    for (size_t k = c->plan->outputs.count; k < i; k++)
        x += c->plan->continuous.items[k - c->plan->outputs.count].type.count;
    *value = x;
    return TAC_OK;
}
