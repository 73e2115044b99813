// located.c - boundaries that were located for conditions of phases and scenarios. What happens
// there happens at an instant t* that depends on parameters, by dt* as in turn.c, where g is by how
// much the condition holds. So the boundary is processed with the state at the moving instant,
//
//     dx + f dt*
//
// which steps, resets and outputs of this boundary see, and when it is over the state is brought
// back to the fixed time with the equations that hold from there on (stay in flow.c):
//
//     dx - f+ dt*
//
// A boundary that follows another one after a fixed time (held(...), a change of phase that takes
// effect a microsecond later) moves as the other one does.
#include "engine/phases/phases.h"
#include "engine/tangent/inside.h"
#include "math/difference.h"

#include <math.h>
#include <string.h>

// --- what a condition sees
// ------------------------------------------------------------------------

// One element of a signal as a condition sees it, as a dual. Where `along`, only the plant moves.
static void read_element(const tac__tangents *t, const tac__tangent_flow *flow,
                         const tac__component *c, size_t input, uint32_t i, bool along, double *to)
{
    const tac__input *in = &c->in[input];
    const tac__port *port = &c->inputs.items[input];
    const tac__signal *s = &t->engine->plan->schema.signals[in->signal];
    const size_t at = in->element + i;
    const void *value = s->kind->continuous
                            ? tac__evaluator_signal(t->engine, flow->duals, in->signal)
                            : tac__block_at(&t->engine->plan->block, s->offset);
    memset(to, 0, TAC__WIDTH * sizeof *to);
    if (s->kind->type.scalar != TAC_F64)
        *to = tac__scalar_f64(s->kind->type.scalar, value, at);
    else if (s->kind->continuous)
        memcpy(to, (const double *)value + at * TAC__WIDTH, TAC__WIDTH * sizeof *to);
    else if (along)
        *to = ((const double *)value)[at];
    else
        memcpy(to, (const double *)t->signals[in->signal] + at * TAC__WIDTH,
               TAC__WIDTH * sizeof *to);
    if (!tac__is_scaled(s, port, in->route))
        return;
    const tac__factor f = tac__unit_factor(&s->kind->dimension, &port->dimension);
    const double slope = in->route->gain * (tac__factor_apply(f, 1) - tac__factor_apply(f, 0));
    *to = in->route->gain * tac__factor_apply(f, *to) + in->route->offset;
    for (size_t k = 1; k < TAC__WIDTH; k++)
        to[k] *= slope;
}

// A condition as a function of one number that it sees.
typedef struct margin_at {
    const tac_component_type *type;
    const void *self;
    const tac_step *step;
    int number;
    double *value;
} margin_at;

static double with_offset(void *context, double offset)
{
    const margin_at *m = context;
    const double kept = *m->value;
    double margin = (double)NAN;
    *m->value += offset;
    (void)m->type->margin(m->step, m->self, m->number, &margin);
    *m->value = kept;
    return margin;
}

// The sums of slopes and derivatives over all numbers that the condition sees: `sum` has the
// derivatives of its margin. The values of the numbers are set as a side effect.
static void chain(const tac__tangents *t, const tac__tangent_flow *flow, const tac__component *c,
                  const tac__condition *condition, margin_at *m, bool along, double *sum)
{
    double dual[TAC__WIDTH];
    double **values = t->look_in;
    memset(sum, 0, TAC__DIRECTIONS * sizeof *sum);
    for (int pass = 0; pass < 2; pass++) { // all values first
        for (size_t k = 0; k < condition->count; k++) {
            const size_t input = (size_t)condition->inputs[k];
            const uint32_t count = c->inputs.items[input].type.count;
            for (uint32_t i = 0; c->in[input].signal >= 0 && i < count; i++) {
                read_element(t, flow, c, input, i, along, dual);
                m->value = &values[input][i];
                if (pass == 0) {
                    *m->value = *dual;
                    continue;
                }
                if (!tac__tangent_any(dual, 1))
                    continue;
                const double slope =
                    tac__difference(with_offset, m, tac__difference_step(*m->value));
                for (size_t d = 0; d < TAC__DIRECTIONS; d++)
                    sum[d] += slope * dual[1 + d];
            }
        }
    }
}

// --- how an instant moves
// -------------------------------------------------------------------------

// The derivatives of the instant at which a condition of component `c` came true in the step of the
// island. False: they cannot be computed.
static bool find_moved(tac__tangents *t, tac__tangent_flow *flow, tac_instance *c, int number,
                       tac_time t_us, tac__moved *moved)
{
    const tac__condition *condition = &c->plan->conditions[number];
    const double t_s = tac_time_seconds(t_us);
    tac_step step = c->look;
    margin_at m = {c->plan->type, c->plan->self, &step, number, NULL};
    double dg[TAC__DIRECTIONS], rate[TAC__DIRECTIONS], early = 0, late = 0;
    if (!flow->duals || !c->plan->type->margin || !c->look.instance)
        return false;
    step.in = (const void *const *)t->look_in;
    step.t_us = t_us;
    tac__tangent_aim(flow);
    if (tac__evaluator_derive(flow->duals, &t_s, flow->rate) != TAC_OK ||
        tac__evaluator_outputs(flow->duals, &t_s, true) != TAC_OK)
        return false;
    chain(t, flow, c->plan, condition, &m, false, dg);
    tac__tangent_aim_along(flow);
    const tac_status status = tac__evaluator_outputs(flow->duals, &t_s, true);
    tac__tangent_aim_back(flow);
    if (status != TAC_OK)
        return false;
    chain(t, flow, c->plan, condition, &m, true, rate);
    enum { STEP_US = 1024 };
    step.t_us = t_us - (t_us < STEP_US ? t_us : STEP_US);
    const double since_s = tac_time_seconds(t_us + STEP_US - step.t_us);
    (void)m.type->margin(&step, m.self, number, &early);
    step.t_us = t_us + STEP_US;
    (void)m.type->margin(&step, m.self, number, &late);
    const double speed = rate[0] + (late - early) / since_s;
    for (size_t k = 0; k < TAC__DIRECTIONS; k++)
        moved->d[k] = dg[k] == 0 ? 0 : -dg[k] / speed;
    return isfinite(speed) && speed != 0;
}

bool tac__tangent_moved(const tac__tangents *t, tac_time t_us, tac__moved *moved)
{
    for (size_t i = 0; i < TAC__MOVED; i++) {
        if (t->log_us[i] != t_us || i >= t->log_count)
            continue;
        *moved = t->log[i];
        return true;
    }
    return false;
}

// Does the timer of a machine of phases make this boundary, a fixed time after one that moves?
static bool follows(const tac__tangents *t, const tac_instance *m, tac_time t_us, tac__moved *moved)
{
    const tac_engine *e = t->engine;
    const tac__phases *p = tac__phases_of(m->plan);
    if (m->plan->timer_source < 0 || e->timeline.last[m->plan->timer_source] != t_us)
        return false;
    if (*(const int64_t *)m->plan->out[p->queued])
        return tac__tangent_moved(t, t_us - 1, moved);
    for (size_t i = 0; i < p->transition_count; i++) {
        const tac__transition *transition = &p->transitions[i];
        const tac__formula *f = &transition->condition;
        if (!transition->waits || !(transition->from >> tac__phase_now(m->plan) & 1))
            continue;
        const uint64_t *words = tac__formula_memory(f, m->step.state[p->memory]);
        for (size_t k = 0; k < f->memory_words; k++) { // held() keeps when it began, plus 1
            if (words[k] && tac__tangent_moved(t, words[k] - 1, moved))
                return true;
        }
    }
    return false;
}

bool tac__tangent_located(tac__tangents *t, tac_time t_us, tac__moved *moved)
{
    tac_engine *e = t->engine;
    bool found = false;
    for (size_t i = 0; i < e->plan->island_count && !found; i++) {
        tac__island *island = &e->islands[i];
        if (island->step != TAC__STEP_LOCATED || island->state->to_us != t_us)
            continue;
        for (size_t k = 0; k < island->plan->rise_count && !found; k++) {
            const tac__rise_plan *r = &island->plan->rises[k];
            if (!island->rises[k].turned)
                continue;
            found = find_moved(t, &t->flows[i], e->instances[r->component], r->number, t_us, moved);
            if (!found)
                tac__tangent_lose(&t->parts[r->component],
                                  "when its condition came true is taken for fixed");
        }
    }
    for (size_t i = 0; i < e->plan->machine_count && !found; i++)
        found = follows(t, e->instances[e->plan->machines[i]], t_us, moved);
    if (!found)
        return false;
    t->log[t->log_count % TAC__MOVED] = *moved;
    t->log_us[t->log_count++ % TAC__MOVED] = t_us;
    return true;
}

void tac__tangent_shift(tac__tangent_flow *flow, tac_time t_us, const tac__moved *moved)
{
    const double t_s = tac_time_seconds(t_us);
    const tac__island *island = flow->island;
    if (!flow->duals || !island->plan->x_count)
        return;
    tac__tangent_aim(flow);
    for (size_t i = 0; island->state->event_us == t_us && i < island->plan->event_count; i++)
        flow->subject.mode[i * TAC__WIDTH] = island->next_mode[i]; // modes are set after this
    if (tac__evaluator_derive(flow->duals, &t_s, flow->rate) != TAC_OK)
        return;
    for (size_t i = 0; i < flow->problem.n; i += TAC__WIDTH) {
        for (size_t k = 0; k < TAC__DIRECTIONS; k++)
            flow->x[i + 1 + k] += flow->rate[i] * moved->d[k];
    }
    flow->moved = *moved;
    flow->is_moved = true;
}
