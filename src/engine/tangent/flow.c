// flow.c - islands on duals: each step of the run that is certain is taken again, with the same
// method over the same interval. An explicit step is linear in the states and the stages, so that
// the steps of method.h do for duals as they are: a problem of TAC__WIDTH doubles a state.
#include "engine/run/integrate.h"
#include "engine/tangent/inside.h"

#include <string.h>

// The last stage of FSAL methods is f at the end of the step. Where the next step does not begin
// with it nothing needs it on duals: one of seven evaluations of rk45.
static tac_status rhs(void *context, double t_s, double *dx)
{
    tac__tangent_flow *flow = context;
    if (flow->stages && --flow->stages == 0)
        return TAC_OK;
    return tac__evaluator_derive(flow->duals, &t_s, dx);
}

// --- making -------------------------------------------------------------------------------------

static tac_status make_evaluator(tac__tangents *t, tac__tangent_flow *flow)
{
    tac_engine *e = t->engine;
    tac__island *island = flow->island;
    TAC_TRY(tac__evaluator_make(e, &e->scratch, island, TAC_DUALS_OF_ALL, flow->z, &flow->duals));
    TAC_TRY(tac__subject_make(&e->scratch, flow->duals, &island, NULL, &flow->plain));
    TAC_TRY(tac__subject_make(&e->scratch, flow->duals, &island, NULL, &flow->subject));
    const size_t count = flow->duals->number_count;
    flow->numbers = tac__arena_array(&e->scratch, count * TAC__WIDTH, sizeof *flow->numbers);
    flow->held = tac__arena_array(&e->scratch, flow->duals->held_count, sizeof(const double *));
    if (!flow->numbers || !flow->held)
        return TAC_E_MEMORY;
    if (count) {
        memcpy(flow->numbers, flow->subject.numbers, count * TAC__WIDTH * sizeof *flow->numbers);
        flow->subject.numbers = flow->numbers;
    }
    tac__evaluator_aim(flow->duals, &flow->subject);
    return TAC_OK;
}

tac_status tac__tangent_flow_make(tac__tangents *t, tac__tangent_flow *flow, tac__island *island)
{
    tac_engine *e = t->engine;
    const tac__method *method = e->plan->method;
    const size_t n = island->plan->x_count * TAC__WIDTH;
    *flow = (tac__tangent_flow){.owner = t, .island = island};
    flow->z = tac__ode_array(&e->scratch, n);
    flow->x = tac__ode_array(&e->scratch, n);
    flow->y = tac__ode_array(&e->scratch, n);
    flow->rate = tac__ode_array(&e->scratch, n);
    flow->g = tac__arena_array(&e->scratch, island->plan->event_count * TAC__WIDTH, sizeof(double));
    flow->slope =
        tac__arena_array(&e->scratch, island->plan->event_count * TAC__WIDTH, sizeof(double));
    flow->memory = tac__arena_array(&e->scratch, tac__ode_work_doubles(method, n), sizeof(double));
    if (!flow->z || !flow->x || !flow->y || !flow->rate || !flow->g || !flow->slope ||
        !flow->memory)
        return TAC_E_MEMORY;
    flow->problem = (tac__ode_problem){.n = n, .context = flow, .rhs = rhs};
    tac__ode_work_init(&flow->work, method, n, flow->memory);
    flow->work.z = flow->z;
    return tac__evaluator_exists(e, island, TAC_DUALS_OF_ALL) ? make_evaluator(t, flow) : TAC_OK;
}

// --- steps --------------------------------------------------------------------------------------

// At `from` doubles and after them, of the state.
static void aim_from(tac__tangent_flow *flow, size_t from)
{
    const tac__evaluator *ev = flow->duals;
    const size_t n = flow->island->plan->x_count * TAC__WIDTH;
    tac__subject_modes(ev, &flow->subject);
    for (size_t h = 0; h < ev->held_count; h++)
        memcpy(ev->held[h].to, flow->held[h], ev->held[h].count * TAC__WIDTH * sizeof(double));
    memcpy(flow->z + from, flow->x + from, (n - from) * sizeof *flow->z);
}

void tac__tangent_aim(tac__tangent_flow *flow)
{
    aim_from(flow, 0);
}

void tac__tangent_aim_along(tac__tangent_flow *flow)
{
    const tac__evaluator *ev = flow->duals;
    const size_t n = flow->island->plan->x_count * TAC__WIDTH;
    tac__evaluator_aim(ev, &flow->plain);
    tac__subject_modes(ev, &flow->plain);
    tac__evaluator_hold(ev, &flow->plain);
    for (size_t i = 0; i < n; i += TAC__WIDTH) {
        memset(flow->z + i + 1, 0, TAC__DIRECTIONS * sizeof *flow->z);
        flow->z[i + 1] = i < flow->problem.n ? flow->rate[i] : 0;
    }
}

void tac__tangent_aim_back(tac__tangent_flow *flow)
{
    tac__evaluator_aim(flow->duals, &flow->subject);
}

// Components have become active or inactive: the method integrates another number of states.
static void shrink(tac__tangent_flow *flow, size_t n)
{
    if (flow->work.n == n)
        return;
    flow->problem.n = n;
    tac__ode_work_init(&flow->work, flow->owner->engine->plan->method, n, flow->memory);
    flow->work.z = flow->z;
}

// The derivatives of all states but those of one part are zero.
static tac_status part_rhs(void *context, double t_s, double *dx)
{
    const tac__tangent_flow *flow = context;
    const tac__island *island = flow->island;
    TAC_TRY(rhs(context, t_s, dx));
    for (size_t i = 0; i < island->plan->x_count; i++) {
        for (size_t k = 0; island->plan->parts[i] != island->part && k < TAC__WIDTH; k++)
            dx[i * TAC__WIDTH + k] = 0;
    }
    return TAC_OK;
}

// As split_step of run/integrate.c.
static tac_status split_step(tac__tangent_flow *flow, double t0_s, double t1_s, double h_s)
{
    static const tac_part order[] = {TAC_PART_ACTUATOR, TAC_PART_PROPULSION, TAC_PART_BODY,
                                     TAC_PART_BATTERY};
    const size_t n = flow->problem.n;
    double *start = flow->y, *y = flow->x; // x is not needed any more
    tac__ode_problem body = flow->problem;
    body.rhs = part_rhs;
    for (size_t p = 0; p < sizeof order / sizeof *order; p++) {
        flow->island->part = order[p];
        memcpy(start, y, n * sizeof *y);
        if (order[p] == TAC_PART_BODY) {
            flow->work.first = false;
            TAC_TRY(tac__ode_step(flow->owner->engine->plan->method, &body, &flow->work, t0_s, t1_s,
                                  h_s, start, y));
            continue;
        }
        memcpy(flow->z, y, n * sizeof *y);
        TAC_TRY(part_rhs(flow, t0_s, flow->rate));
        for (size_t i = 0; i < n; i++)
            y[i] = start[i] + h_s * flow->rate[i];
    }
    memcpy(flow->y, y, n * sizeof *y);
    return TAC_OK;
}

// `boundary`: the step ends at one, so that f at its end is not needed.
static tac_status take_step(tac__tangent_flow *flow, tac_time t_us, bool boundary)
{
    const tac_engine *e = flow->owner->engine;
    const tac_time from_us = flow->island->state->from_us;
    const double t0_s = tac_time_seconds(from_us), t1_s = tac_time_seconds(t_us);
    const double h_s = tac_time_seconds(t_us - from_us);
    if (e->plan->def.split)
        return split_step(flow, t0_s, t1_s, h_s);
    const tac__method *m = e->plan->method;
    const bool last = m->fsal && boundary;
    flow->stages = last ? (size_t)m->stages - flow->work.first : 0;
    const tac_status status =
        tac__ode_step(m, &flow->problem, &flow->work, t0_s, t1_s, h_s, flow->x, flow->y);
    flow->stages = 0;
    return status;
}

// The island stands at an instant that depends on parameters: back to a state at a fixed time, with
// the equations that hold from there on.
static void stay(tac__tangent_flow *flow)
{
    const double t_s = tac_time_seconds(flow->island->state->from_us);
    flow->is_moved = false;
    if (tac__evaluator_derive(flow->duals, &t_s, flow->rate) != TAC_OK)
        return;
    for (size_t i = 0; i < flow->problem.n; i += TAC__WIDTH) {
        for (size_t k = 0; k < TAC__DIRECTIONS; k++)
            flow->x[i + 1 + k] -= flow->rate[i] * flow->moved.d[k];
    }
    memcpy(flow->z, flow->x, flow->problem.n * sizeof *flow->z);
}

// Set everything for a step from the present state, of which the step itself takes the states that
// it integrates.
static void begin(tac__tangent_flow *flow)
{
    shrink(flow, flow->island->problem.n * TAC__WIDTH);
    aim_from(flow, flow->is_moved ? 0 : flow->problem.n);
    if (flow->is_moved)
        stay(flow);
}

// Which component has state i of the island.
static tac__tangent_part *owner_of(const tac__tangent_flow *flow, size_t i)
{
    const tac__island_plan *plan = flow->island->plan;
    size_t k = 0;
    for (; k + 1 < plan->count; k++) {
        const tac__component *c = flow->owner->engine->plan->components[plan->components[k]];
        if (i >= c->x_offset && i < c->x_offset + c->x_count)
            break;
    }
    return &flow->owner->parts[plan->components[k]];
}

static void settle_states(const tac__tangent_flow *flow, double *duals, const double *values,
                          size_t n, bool computed)
{
    if (computed && tac__tangent_same(duals, values, n))
        return;
    for (size_t i = 0; i < n; i++)
        tac__tangent_settle(owner_of(flow, i), duals + i * TAC__WIDTH, values + i, 1, computed,
                            "a continuous state");
}

static void lose_all(const tac__tangent_flow *flow)
{
    const tac__island_plan *plan = flow->island->plan;
    for (size_t i = 0; i < plan->count; i++) {
        tac__tangent_part *part = &flow->owner->parts[plan->components[i]];
        const tac_kernels *numbers = &part->run->plan->type->kernels[TAC_NUMBERS];
        if (((numbers->derive && !part->kernels->derive) ||
             (numbers->output && part->run->plan->chained && !part->kernels->output)) &&
            !part->gap)
            tac__tangent_lose(part, "its equations have no form in dual numbers");
    }
}

// The step of the run from its state to y, which ends at t_us.
void tac__tangent_follow(tac__tangent_flow *flow, tac_time t_us, bool boundary)
{
    tac__island *island = flow->island;
    const size_t n = island->problem.n;
    if (island->plan->x_count == 0)
        return;
    for (size_t i = n; i < island->plan->x_count; i++) // states that stand still: -0 becomes 0
        flow->x[i * TAC__WIDTH] += 0;
    settle_states(flow, flow->x, island->x, island->plan->x_count, true);
    bool computed = flow->duals;
    if (computed) {
        begin(flow);
        computed = take_step(flow, t_us, boundary) == TAC_OK;
    } else {
        lose_all(flow);
    }
    if (tac__step_has_failed(island)) // the run will report it
        return;
    memcpy(flow->x, flow->y, n * TAC__WIDTH * sizeof *flow->x);
    settle_states(flow, flow->x, island->y, n, computed);
}

// The step is over, at a boundary or not.
void tac__tangent_arrived(tac__tangent_flow *flow, bool boundary)
{
    const tac__island *island = flow->island;
    if (!flow->duals || island->plan->x_count == 0)
        return;
    if (!boundary) {
        tac__ode_carry(&flow->work);
        return;
    }
    tac__ode_forget(&flow->work);
    for (size_t i = 0; i < island->live_count; i++) {
        tac__tangent_part *part = &flow->owner->parts[tac__island_live(island, i)->plan->index];
        const tac__component *c = part->run->plan;
        if (!c->type->kernels[TAC_NUMBERS].project || !part->run->active)
            continue;
        if (part->kernels->project)
            (void)part->kernels->project(&part->eval, c->self, flow->x + c->x_offset * TAC__WIDTH);
        else if (!part->gap && tac__tangent_depends(part))
            tac__tangent_lose(part, "its projection has no form in dual numbers");
    }
}

// --- inside a step ------------------------------------------------------------------------------

// The state at t_us by a step that ends there, in z.
static tac_status look_at(tac__tangent_flow *flow, tac_time t_us)
{
    const size_t n = flow->island->plan->x_count * TAC__WIDTH;
    begin(flow);
    if (flow->island->state->from_us == t_us || n == 0) {
        memcpy(flow->z, flow->x, n * sizeof *flow->z);
        return TAC_OK;
    }
    tac__ode_forget(&flow->work);
    TAC_TRY(take_step(flow, t_us, true));
    tac__ode_forget(&flow->work);
    memcpy(flow->z, flow->y, flow->problem.n * sizeof *flow->z);
    return TAC_OK;
}

tac_status tac__tangents_look(tac__tangents *t, size_t island, tac_time t_us, bool along)
{
    tac__tangent_flow *flow = &t->flows[island];
    const double t_s = tac_time_seconds(t_us);
    if (!flow->duals || t->engine->plan->def.split)
        return TAC_E_CONFIG;
    TAC_TRY(look_at(flow, t_us));
    if (!along)
        return tac__evaluator_outputs(flow->duals, &t_s, true);
    TAC_TRY(tac__evaluator_derive(flow->duals, &t_s, flow->rate));
    tac__tangent_aim_along(flow);
    const tac_status status = tac__evaluator_outputs(flow->duals, &t_s, true);
    tac__tangent_aim_back(flow);
    return status;
}

const double *tac__tangents_seen(const tac__tangents *t, size_t signal, bool along)
{
    const tac__signal *s = &t->engine->plan->schema.signals[signal];
    if (s->kind->type.scalar != TAC_F64)
        return NULL;
    if (!s->kind->continuous)
        return along ? t->still : t->signals[signal];
    const int island = t->engine->plan->components[s->component]->island;
    return tac__evaluator_signal(t->engine, t->flows[island].duals, (int)signal);
}
