// turn.c - located instants. A mode changes where the number g of its event crosses 0. The instant
// t* at which g(x(t*)) = 0 depends on parameters: with dg the derivative of g at the fixed time,
// and g' = (dg/dx) f its rate along the flow before the change,
//
//     dt* = -dg / g'
//
// Up to t* the state follows f, from there on f+. As seen from a fixed time after t*, the
// derivative of the state gets the term
//
//     dx+ = dx + (f - f+) dt*
//
// A number may also jump where another event happens (a damper begins to act where its foot touches
// the ground): then it has not crossed 0 along the flow, and its instant is that of the other
// event.
#include "engine/tangent/inside.h"

#include <math.h>
#include <string.h>

static bool can_detect(const tac__evaluator *ev)
{
    for (size_t i = 0; i < ev->count; i++) {
        const tac__member *m = &ev->members[i];
        if (m->instance->plan->event_count && !m->kernels->detect)
            return false;
    }
    return true;
}

static tac_status detect(const tac__tangent_flow *flow, double t_s, double *g)
{
    TAC_TRY(tac__evaluator_outputs(flow->duals, &t_s, false));
    return tac__evaluator_detect(flow->duals, &t_s, g);
}

// The rates of the numbers of events along the flow, dx/dt = flow->rate: the first derivative of
// each dual in flow->slope.
static tac_status detect_rates(tac__tangent_flow *flow, double t_s)
{
    tac__tangent_aim_along(flow);
    const tac_status status = detect(flow, t_s, flow->slope);
    tac__tangent_aim_back(flow);
    tac__tangent_aim(flow);
    return status;
}

static tac__tangent_part *part_of(const tac__tangent_flow *flow, size_t event)
{
    const tac__island_plan *plan = flow->island->plan;
    size_t k = 0;
    for (; k + 1 < plan->count; k++) {
        const tac__component *c = flow->owner->engine->plan->components[plan->components[k]];
        if (event >= c->event_offset && event < c->event_offset + c->event_count)
            break;
    }
    return &flow->owner->parts[plan->components[k]];
}

// For how long the number of an event has been on its side of 0, by its rate.
static double since_zero(const tac__tangent_flow *flow, size_t event)
{
    const double rate = flow->slope[event * TAC__WIDTH + 1];
    return rate == 0 ? HUGE_VAL : fabs(flow->g[event * TAC__WIDTH] / rate);
}

static bool changes(const tac__tangent_flow *flow, size_t event)
{
    return flow->island->mode[event] != flow->island->next_mode[event];
}

// The event that says when the change of `event` happens: itself, if it crossed 0 here, or the one
// that did so last.
static size_t cause_of(const tac__tangent_flow *flow, size_t event)
{
    const double located_s = 2e-6; // events are located to a microsecond
    size_t cause = event;
    if (since_zero(flow, event) <= located_s)
        return event;
    for (size_t i = 0; i < flow->island->plan->event_count; i++) {
        if (changes(flow, i) && since_zero(flow, i) < since_zero(flow, cause))
            cause = i;
    }
    return cause;
}

// The term of one event. flow->rate is f before its change, and f after it when this returns.
static tac_status pass_event(tac__tangent_flow *flow, size_t event, double t_s)
{
    const size_t cause = cause_of(flow, event);
    const double *g = flow->g + cause * TAC__WIDTH;
    const double rate = flow->slope[cause * TAC__WIDTH + 1];
    double *after = flow->y;
    flow->subject.mode[event * TAC__WIDTH] = flow->island->next_mode[event];
    TAC_TRY(tac__evaluator_derive(flow->duals, &t_s, after));
    if (rate == 0 && tac__tangent_any(g, 1))
        tac__tangent_lose(part_of(flow, event), "an event of it is reached without crossing");
    for (size_t i = 0; i < flow->problem.n && rate != 0; i += TAC__WIDTH) {
        for (size_t k = 1; k < TAC__WIDTH; k++)
            flow->x[i + k] += (flow->rate[i] - after[i]) * (-g[k] / rate);
    }
    memcpy(flow->rate, after, flow->problem.n * sizeof *after);
    return TAC_OK;
}

void tac__tangent_turn(tac__tangent_flow *flow, tac_time t_us)
{
    const tac__island *island = flow->island;
    const double t_s = tac_time_seconds(t_us);
    tac__tangent_aim(flow);
    bool done = can_detect(flow->duals) && detect(flow, t_s, flow->g) == TAC_OK &&
                tac__evaluator_derive(flow->duals, &t_s, flow->rate) == TAC_OK &&
                detect_rates(flow, t_s) == TAC_OK;
    for (size_t i = 0; done && i < island->plan->event_count; i++) {
        if (changes(flow, i))
            done = pass_event(flow, i, t_s) == TAC_OK;
    }
    if (!done)
        tac__tangent_lose(part_of(flow, 0), "its events have no form in dual numbers");
}
