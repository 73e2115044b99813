// integrate.c - one step of an island.
//
// x is the state at from_us, y the tentative state at to_us, the end of the integration step under
// way. A step never begins before the clock has reached its start, so of all that was integrated
// only this last step can ever have to be undone: when a boundary turns up inside it, or a
// boundary at its planned end is withdrawn, the step is taken again from x. What was integrated
// before that instant and what comes after it are the same as if the boundary had been known from
// the start. step_state.h says how far a step has come; islands.c when steps are taken.
#include "engine/run/lanes.h"
#include "engine/run/locate.h"
#include "engine/phases/phases.h"

#include <math.h>
#include <string.h>

// Every step goes through these functions. In one piece they take 0.4 % fewer instructions of a
// whole flight (callgrind, bench/iris_mission.yaml).
#define ALWAYS_INLINE static inline __attribute__((always_inline))

// --- one step -----------------------------------------------------------------------------------

// The right-hand side, with the derivatives of all states but those of one part set to zero.
static tac_status part_rhs(void *context, double t_s, double *dx)
{
    tac__island *island = context;
    TAC_TRY(island->problem.rhs(context, t_s, dx));
    for (size_t i = 0; i < island->plan->x_count; i++)
        dx[i] = island->plan->parts[i] == island->part ? dx[i] : 0;
    return TAC_OK;
}

// The classical scheme: one part after another, each starting from the results of the parts before
// it. Only the body is integrated by the method; the others take one step of Euler's method.
static tac_status split_step(tac_engine *e, tac__island *island, double t0_s, double t1_s,
                             double h_s, double *y)
{
    static const tac_part order[] = {TAC_PART_ACTUATOR, TAC_PART_PROPULSION, TAC_PART_BODY,
                                     TAC_PART_BATTERY};
    tac__ode_work *w = &island->work;
    double *start = e->spare, *dx = e->spare + island->plan->x_count;
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

ALWAYS_INLINE tac_status step_to(tac_engine *e, tac__island *island, tac__ode_work *work,
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

double tac__step_error(const tac_engine *e, const tac__island *island,
                       const tac__ode_problem *problem, tac_time length_us)
{
    const tac_integrator_def *def = &e->plan->def.integrator;
    return tac__ode_error(e->plan->method, problem, &island->work, def->rtol, def->atol,
                          tac_time_seconds(length_us), island->x, island->y);
}

ALWAYS_INLINE tac_time scaled(const tac__method *method, tac_time length_us, double error,
                              const tac_integrator_def *def)
{
    const double scaled_us = (double)length_us * tac__ode_factor(method, error);
    if (scaled_us >= (double)def->h_max_us)
        return def->h_max_us;
    const tac_time whole_us = (tac_time)scaled_us;
    return whole_us > def->h_min_us ? whole_us : def->h_min_us;
}

// The length of a step that was cut short says little about how long the next may be: the length
// before stays, unless a longer step may follow. Mostly it stays, which is known without the root:
// that takes 16 ns less a step (bench/mission.c).
ALWAYS_INLINE tac_time after_step(const tac__method *method, const tac_integrator_def *def,
                                  tac_time own_us, tac_time h_us, tac_time left_us, double error)
{
    const bool cut = left_us < h_us;
    const tac_time length_us = cut ? left_us : h_us;
    if (cut && h_us == own_us && h_us >= def->h_min_us &&
        tac__ode_factor_below(method, error, (double)h_us / (double)length_us))
        return h_us;
    const tac_time next_us = scaled(method, length_us, error, def);
    return cut && next_us < own_us && h_us == own_us ? own_us : next_us;
}

ALWAYS_INLINE tac__judgement judge_try(const tac__method *method, const tac_integrator_def *def,
                                       tac__step_try *t, double error)
{
    const tac_time length_us = tac__try_length(t);
    if (error <= 1) {
        t->h_next_us = after_step(method, def, t->own_us, t->h_us, t->left_us, error);
        return TAC__ACCEPT;
    }
    if (length_us <= def->h_min_us)
        return TAC__GIVE_UP;
    const tac_time next_us = scaled(method, length_us, error, def);
    t->h_us = next_us < length_us ? next_us : length_us - 1;
    return TAC__TRY_SHORTER;
}

tac__judgement tac__judge_try(const tac__method *method, const tac_integrator_def *def,
                              tac__step_try *t, double error)
{
    return judge_try(method, def, t, error);
}

// Step as far as the tolerances allow, but not beyond `limit_us`. Sets to_us and the length of the
// step after it.
ALWAYS_INLINE tac__outcome adaptive_step(tac_engine *e, tac__island *island, tac_time limit_us)
{
    tac__island_state *s = island->state;
    const tac_integrator_def *def = &e->plan->def.integrator;
    tac__step_try t = {.own_us = s->h_us, .h_us = s->h_us, .left_us = limit_us - s->from_us};
    s->tries_next = s->tries;
    for (;;) {
        const tac_time length_us = tac__try_length(&t);
        s->to_us = s->from_us + length_us;
        if (++s->tries_next > def->max_substeps) {
            tac__ode_forget(&island->work);
            return TAC__TOO_MANY;
        }
        double error;
        if (!tac__lanes_take(island, s->to_us, &error)) {
            const tac_status status = step_to(e, island, &island->work, s->to_us, island->y);
            if (status != TAC_OK && status != TAC_E_NUMERIC)
                return TAC__FAILED_STEP;
            error = status == TAC_OK ? tac__step_error(e, island, &island->problem, length_us)
                                     : (double)INFINITY;
        }
        const tac__judgement judgement = judge_try(e->plan->method, def, &t, error);
        if (judgement == TAC__ACCEPT) {
            s->h_next_us = t.h_next_us;
            return TAC__TAKEN;
        }
        s->rejected++;
        if (judgement == TAC__GIVE_UP)
            return TAC__TOO_SMALL;
        tac__ode_retry(&island->work);
    }
}

static bool is_finite(const double *y, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += y[i] * 0.0;
    return sum == 0;
}

// The steps that the tolerances ask for, from x at from_us to to_us. The step as a whole has
// failed.
static tac_status step_in_parts(tac_engine *e, tac__island *island, tac__ode_work *work,
                                tac_time to_us, double *y)
{
    const tac_integrator_def *def = &e->plan->def.integrator;
    const tac__method *method = e->plan->method;
    const size_t n = island->problem.n;
    tac_time at_us = island->state->from_us;
    double *x = e->spare; // the state at at_us
    memcpy(x, island->x, n * sizeof *x);
    tac__step_try t = {.own_us = to_us - at_us, .h_us = to_us - at_us, .left_us = to_us - at_us};
    tac__judgement judgement = judge_try(method, def, &t, (double)INFINITY);
    for (uint64_t tries = 0; judgement != TAC__GIVE_UP && tries < def->max_substeps; tries++) {
        const tac_time length_us = tac__try_length(&t);
        const double h_s = tac_time_seconds(length_us);
        const tac_status status =
            tac__ode_step(method, &island->problem, work, tac_time_seconds(at_us),
                          tac_time_seconds(at_us + length_us), h_s, x, y);
        if (status != TAC_OK && status != TAC_E_NUMERIC)
            return status;
        const double error = status != TAC_OK ? (double)INFINITY
                                              : tac__ode_error(method, &island->problem, work,
                                                               def->rtol, def->atol, h_s, x, y);
        judgement = judge_try(method, def, &t, error);
        if (judgement == TAC__TRY_SHORTER)
            tac__ode_retry(work);
        if (judgement != TAC__ACCEPT)
            continue;
        at_us += length_us;
        memcpy(x, y, n * sizeof *x);
        if (at_us == to_us)
            return TAC_OK;
        tac__ode_carry(work);
        t = (tac__step_try){.own_us = t.h_next_us, .h_us = t.h_next_us, .left_us = to_us - at_us};
    }
    return TAC_E_NUMERIC;
}

// Is the result of a shorter step as good as the tolerances ask for? A longer one from here was, so
// that this one is, unless its stages have met something else; if no longer one could be taken, the
// error decides.
static bool is_accurate(const tac_engine *e, const tac__island *island, const tac__ode_work *work,
                        tac_time to_us, const double *y)
{
    const tac_integrator_def *def = &e->plan->def.integrator;
    if (!island->unsure)
        return is_finite(y, island->problem.n);
    return tac__ode_error(e->plan->method, &island->problem, work, def->rtol, def->atol,
                          tac_time_seconds(to_us - island->state->from_us), island->x, y) <= 1;
}

tac_status tac__shorter_step(tac_engine *e, tac__island *island, tac__ode_work *work,
                             tac_time to_us, double *y, bool *whole)
{
    const tac_status status = step_to(e, island, work, to_us, y);
    *whole = !e->plan->method->adaptive || (status != TAC_OK && status != TAC_E_NUMERIC) ||
             (status == TAC_OK && is_accurate(e, island, work, to_us, y));
    if (*whole)
        return status;
    tac__ode_forget(work);
    const tac_status parts = step_in_parts(e, island, work, to_us, y);
    tac__ode_forget(work); // its last step did not begin at from_us
    return parts;
}

ALWAYS_INLINE tac__outcome fixed_step(tac_engine *e, tac__island *island, tac_time limit_us)
{
    tac__island_state *s = island->state;
    const tac_time h_us = e->plan->def.integrator.h_max_us;
    s->to_us = limit_us - s->from_us > h_us ? s->from_us + h_us : limit_us;
    double none;
    if (tac__lanes_take(island, s->to_us, &none))
        return TAC__TAKEN;
    const tac_status status = step_to(e, island, &island->work, s->to_us, island->y);
    return status == TAC_OK ? TAC__TAKEN : TAC__FAILED_STEP;
}

// The quick check for the usual case: an island of one component, whose step changes no mode.
ALWAYS_INLINE bool changes_nothing(const tac_engine *e, tac__island *island)
{
    tac_instance *c = island->alone;
    if (!c || island->plan->rise_count)
        return false;
    if (!e->plan->method->fsal || e->plan->def.split) // else it was evaluated there last
        memcpy(island->work.z, island->y, island->plan->x_count * sizeof *island->y);
    c->scratch.t_s = tac_time_seconds(island->state->to_us);
    return c->plan->type->kernels[TAC_NUMBERS].detect(&c->scratch, c->plan->self,
                                                      island->next_mode) == TAC_OK &&
           !tac__modes_differ(island, island->next_mode);
}

// The step as it would be if no message, timer or event of other islands came in between. Such
// boundaries may become known at any time, and they only cut the step short. Step size, error and
// events are decided without them, so that it never matters when they became known.
ALWAYS_INLINE tac__outcome natural_step(tac_engine *e, tac__island *island, tac_time limit_us)
{
    const tac__outcome out = e->plan->method->adaptive ? adaptive_step(e, island, limit_us)
                                                       : fixed_step(e, island, limit_us);
    if (out != TAC__TAKEN || !tac__locates(island->plan) || changes_nothing(e, island))
        return out;
    return tac__locate(e, island);
}

// --- from one boundary towards the next ---------------------------------------------------------

// The longest step of an island without a state in which a condition is looked for, where h_max is
// no limit. The end of the run is none: what is found must not depend on it.
enum { LOOK_US = 100000 };

// An island with outputs but no states has nothing to integrate, but conditions may read its
// outputs.
static void pass_to(tac_engine *e, tac__island *island, tac_time limit_us, tac_time cut_us)
{
    tac__island_state *s = island->state;
    const tac_time h_max_us = e->plan->def.integrator.h_max_us;
    const tac_time h_us = h_max_us < TAC_TIME_MAX ? h_max_us : LOOK_US;
    bool located = false;
    s->to_us = limit_us;
    if (island->plan->rise_count && limit_us - s->from_us > h_us)
        s->to_us = s->from_us + h_us;
    tac__step_set(island, TAC__STEP_TAKEN);
    if (island->plan->rise_count)
        located = tac__locate(e, island) == TAC__LOCATED;
    if (cut_us < s->to_us) {
        s->to_us = cut_us;
        located = island->plan->rise_count && tac__locate_cut(island);
    }
    if (located)
        tac__step_set(island, TAC__STEP_LOCATED);
}

// Frozen states behind the last one that the method integrates, in y and where the right-hand side
// reads them. Adding 0 turns -0 into 0, as integration does for the others. They stay so until
// something other than a step changes the state.
static void stand_still(const tac__island *island)
{
    for (size_t i = island->problem.n; i < island->plan->x_count; i++)
        island->y[i] = island->work.z[i] = island->x[i] += 0;
}

// A boundary turned up before the end of the step: the step ends there.
__attribute__((noinline)) static tac__outcome cut_step(tac_engine *e, tac__island *island,
                                                       tac_time cut_us)
{
    tac__island_state *s = island->state;
    s->to_us = cut_us;
    s->event_us = TAC_TIME_NEVER;
    if (e->plan->machine_count && tac__phases_inserted(e, island, cut_us))
        s->h_next_us = s->h_us;
    if (e->plan->method->adaptive)
        tac__ode_retry(&island->work);
    bool whole;
    if (tac__shorter_step(e, island, &island->work, cut_us, island->y, &whole) != TAC_OK)
        return TAC__FAILED_STEP;
    return island->plan->rise_count && tac__locate_cut(island) ? TAC__LOCATED : TAC__TAKEN;
}

// The end for which the length of the step is chosen: the next boundary known in advance. One that
// turns up, and the end of the run, only cut the step.
ALWAYS_INLINE tac_time natural_limit(const tac_engine *e, const tac__island *island,
                                     tac_time planned_us, tac_time found_us)
{
    if (!e->plan->method->adaptive && !tac__locates(island->plan) && found_us < planned_us)
        return found_us; // the whole step would decide nothing
    return planned_us;
}

ALWAYS_INLINE void integrate_to(tac_engine *e, tac__island *island, tac_time limit_us,
                                tac_time cut_us)
{
    tac__island_state *s = island->state;
    island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    s->event_us = TAC_TIME_NEVER;
    if (island->plan->x_count == 0) {
        pass_to(e, island, limit_us, cut_us);
        return;
    }
    if (island->step == TAC__STEP_NONE)
        stand_still(island);
    if (island->step != TAC__STEP_AHEAD)
        tac__step_set(island, TAC__STEP_TAKEN);
    const bool adaptive = e->plan->method->adaptive;
    limit_us = natural_limit(e, island, limit_us, cut_us);
    tac__outcome out = natural_step(e, island, limit_us);
    if (out > TAC__LOCATED && s->to_us > e->plan->def.end_us) {
        // The equations may fail beyond the end of the run, where no step of it goes.
        if (adaptive)
            tac__ode_retry(&island->work);
        out = natural_step(e, island, e->plan->def.end_us);
    }
    island->unsure = out > TAC__LOCATED;
    s->steps++;
    const bool cut = cut_us < s->to_us;
    if (cut)
        out = cut_step(e, island, cut_us);
    if (out == TAC__TAKEN && !cut)
        tac__step_set(island, adaptive ? TAC__STEP_SOUND : TAC__STEP_SETTLED);
    else
        tac__step_set(island, out == TAC__LOCATED ? TAC__STEP_LOCATED : TAC__STEP_TAKEN);
    island->outcome = out;
}

// The earliest next time of some sources.
static tac_time next_of(const tac_engine *e, const int *sources, size_t count)
{
    tac_time t_us = TAC_TIME_NEVER;
    for (size_t i = 0; i < count; i++) {
        const tac_time next = e->timeline.next[sources[i]];
        t_us = next < t_us ? next : t_us;
    }
    return t_us;
}

// The next boundaries of an island: from sources known in advance, and from those that turn up.
typedef struct window {
    tac_time planned_us, found_us;
} window;

// Mostly the next instant of all sources is one that the island has known in advance: then no other
// source need be looked at.
ALWAYS_INLINE window next_window(const tac_engine *e, const tac__island *island)
{
    const tac__timeline *tl = &e->timeline;
    const size_t first = tl->winner[1], planned = island->plan->planned_count;
    if (first < 64 && island->plan->planned_bits >> first & 1)
        return (window){tl->next[first], TAC_TIME_NEVER};
    const tac_time planned_us = next_of(e, island->plan->sources, planned);
    return (window){planned_us < TAC_TIME_MAX ? planned_us : TAC_TIME_MAX,
                    next_of(e, island->plan->sources + planned, island->plan->found_count)};
}

tac_time tac__island_limit(const tac_engine *e, const tac__island *island, tac_time *next_us)
{
    const window w = next_window(e, island);
    *next_us = w.found_us < w.planned_us ? w.found_us : w.planned_us;
    return natural_limit(e, island, w.planned_us, w.found_us);
}

// Plan the end of the step: where the next step begins if that is no boundary, and what was
// located.
ALWAYS_INLINE void plan_end(tac_engine *e, tac__island *island, tac_time limit_us)
{
    const tac__island_state *s = island->state;
    const bool whole = island->step == TAC__STEP_LOCATED || s->to_us == limit_us;
    tac__timeline_set(&e->timeline, island->plan->step_source, whole ? TAC_TIME_NEVER : s->to_us);
    const tac_time event_us = s->event_us < limit_us ? s->event_us : TAC_TIME_NEVER;
    if (island->plan->rise_count ||
        (island->plan->event_count && e->timeline.next[island->plan->event_source] != event_us))
        tac__plan_located(e, island, event_us);
}

// Stage 10: begin the next step, up to the next known boundary at most.
void tac__island_integrate(tac_engine *e, tac__island *island)
{
    const window w = next_window(e, island);
    integrate_to(e, island, w.planned_us, w.found_us);
    plan_end(e, island, w.found_us < w.planned_us ? w.found_us : w.planned_us);
}

bool tac__island_commit(tac_engine *e, tac__island *island, tac_time limit_us, tac_time to_us)
{
    const window w = next_window(e, island);
    if (natural_limit(e, island, w.planned_us, w.found_us) != limit_us || w.found_us < to_us)
        return false;
    tac__island_state *s = island->state;
    island->peeked_us = island->kept_us = TAC_TIME_NEVER;
    s->event_us = TAC_TIME_NEVER;
    s->to_us = to_us;
    s->steps++;
    island->outcome = TAC__TAKEN;
    island->unsure = false;
    tac__step_set(island, TAC__STEP_SOUND_LANES);
    plan_end(e, island, w.found_us < w.planned_us ? w.found_us : w.planned_us);
    return true;
}
