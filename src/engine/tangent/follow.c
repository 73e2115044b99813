// follow.c - what happens in the run, on duals.
#include "engine/run/integrate.h"
#include "engine/tangent/inside.h"

#include <string.h>

// --- values -------------------------------------------------------------------------------------

void tac__tangent_constants(const double *from, size_t n, double *to)
{
    memset(to, 0, n * TAC__WIDTH * sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i * TAC__WIDTH] = from[i];
}

static bool same_one(double a, double b)
{
    return !memcmp(&a, &b, sizeof a) || (a != a && b != b);
}

bool tac__tangent_same(const double *duals, const double *values, size_t n)
{
    bool same = true;
    for (size_t i = 0; i < n; i++)
        same &= same_one(duals[i * TAC__WIDTH], values[i]);
    return same;
}

bool tac__tangent_any(const double *duals, size_t n)
{
    bool any = false;
    for (size_t i = 0; i < n * TAC__WIDTH; i++)
        any |= i % TAC__WIDTH && !(duals[i] == 0);
    return any;
}

void tac__tangent_settle(tac__tangent_part *part, double *duals, const double *values, size_t n,
                         bool computed, const char *name)
{
    tac__tangents *t = part->owner;
    if (computed && tac__tangent_same(duals, values, n))
        return;
    if (computed && !t->fault) {
        t->fault = name;
        t->fault_of = part->run->plan->name;
        t->fault_us = t->engine->clock->t_us;
    }
    tac__tangent_constants(values, n, duals);
}

void tac__tangent_lose(tac__tangent_part *part, const char *why)
{
    if (part->gap)
        return;
    part->gap = why;
    part->gap_us = part->owner->engine->clock->t_us;
}

bool tac__tangent_depends(const tac__tangent_part *part)
{
    const tac__component *c = part->run->plan;
    bool any = tac__tangent_any(part->numbers, c->number_count);
    for (size_t k = 0; k < c->inputs.count && !any; k++)
        any = c->inputs.items[k].type.scalar == TAC_F64 &&
              tac__tangent_any(part->in[k], c->inputs.items[k].type.count);
    for (size_t k = 0; k < c->states.count && !any; k++)
        any = c->states.items[k].type.scalar == TAC_F64 &&
              tac__tangent_any(part->state[k], c->states.items[k].type.count);
    return any || (c->x_count && tac__tangent_any(part->frame.x, c->x_count));
}

// --- the plant ----------------------------------------------------------------------------------

static bool is_in(const uint64_t *words, size_t i)
{
    return words[i / 64] >> i % 64 & 1;
}

// Does a step of the island end at t_us?
static bool ends_step(const tac_engine *e, size_t i, tac_time t_us)
{
    const tac__island_state *s = e->islands[i].state;
    return (is_in(e->due.arriving, i) || is_in(e->due_islands, i)) && s->from_us < t_us &&
           s->to_us == t_us;
}

void tac__tangents_arrive(tac_engine *e, tac_time t_us)
{
    tac__tangents *t = e->tangents;
    tac__moved moved;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (ends_step(e, i, t_us))
            tac__tangent_follow(&t->flows[i], t_us, is_in(e->due.arriving, i));
    }
    // Before modes change: a condition may come true with an event, and see what no longer changes
    // behind it, as the fuel in an empty tank.
    const bool moves = t->can_move && tac__tangent_located(t, t_us, &moved);
    for (size_t i = 0; i < e->plan->island_count; i++) {
        const bool boundary = is_in(e->due.arriving, i);
        if (boundary && ends_step(e, i, t_us) && e->islands[i].state->event_us == t_us &&
            t->flows[i].duals)
            tac__tangent_turn(&t->flows[i], t_us);
        if (boundary && moves)
            tac__tangent_shift(&t->flows[i], t_us, &moved);
        if (boundary || is_in(e->due_islands, i))
            tac__tangent_arrived(&t->flows[i], boundary);
    }
}

// --- outputs ------------------------------------------------------------------------------------

static bool puts_out(const tac_instance *c)
{
    return c->plan->type->kernels[TAC_NUMBERS].output && c->active;
}

static bool evaluate(tac__tangent_part *part, tac_time t_us)
{
    tac__tangent_see(part, part->run->plan->views.live, t_us);
    part->eval.t_s = tac_time_seconds(t_us);
    part->eval.t_lanes = &part->eval.t_s;
    return part->kernels->output &&
           part->kernels->output(&part->eval, part->run->plan->self) == TAC_OK;
}

// Outputs of the plant that the run has evaluated on the bus.
static void put_out(tac__tangent_part *part, tac_time t_us)
{
    const tac__component *c = part->run->plan;
    const bool computed = evaluate(part, t_us);
    if (!computed && !part->gap && tac__tangent_depends(part))
        tac__tangent_lose(part, "its outputs have no form in dual numbers");
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac__port *port = &c->outputs.items[k];
        if (!c->kinds[k].continuous || port->type.scalar != TAC_F64)
            continue;
        tac__tangent_settle(part, part->out[k], part->run->bus.out[k], port->type.count, computed,
                            port->name);
        tac__tangent_keep(part->owner, tac__signal_at(c, k), t_us);
    }
}

void tac__tangents_outputs(tac_engine *e, const tac__island *island, tac_time t_us)
{
    tac__tangents *t = e->tangents;
    const tac__tangent_flow *flow = &t->flows[island - e->islands];
    if (flow->duals)
        tac__subject_modes(flow->duals, &flow->subject);
    for (size_t i = 0; i < island->plan->early_count; i++) {
        tac__tangent_part *part = &t->parts[island->plan->early[i]];
        if (puts_out(part->run))
            (void)evaluate(part, t_us);
    }
    for (size_t i = 0; i < island->live_count; i++) {
        tac__tangent_part *part = &t->parts[tac__island_live(island, i)->plan->index];
        if (puts_out(part->run))
            put_out(part, t_us);
    }
}

// The first entry of a history is the value at the start.
static void start_ring(const tac__tangents *t, size_t signal)
{
    const tac__history *h = t->engine->plan->schema.signals[signal].history;
    if (t->rings[signal])
        memcpy(t->rings[signal], t->signals[signal], h->words * TAC__WIDTH * sizeof(double));
}

void tac__tangents_begin(tac_engine *e, tac_time t_us)
{
    tac__tangents *t = e->tangents;
    for (size_t i = 0; i < e->plan->island_count; i++) {
        if (e->plan->islands[i].begins)
            tac__tangents_outputs(e, &e->islands[i], t_us);
    }
    for (size_t i = 0; i < e->plan->schema.count; i++)
        start_ring(t, i);
}

void tac__tangents_renew(const tac_engine *e, const tac__island *island, tac_time t_us)
{
    for (size_t i = 0; i < island->plan->viewer_count; i++) {
        const tac__tangent_part *part = &e->tangents->parts[island->plan->viewers[i]];
        tac__tangent_see(part, part->run->plan->views.count, t_us);
    }
}

void tac__tangents_preview(const tac_engine *e, const tac__island *island, tac_time t_us)
{
    tac__tangent_flow *flow = &e->tangents->flows[island - e->islands];
    if (flow->duals && t_us == e->plan->def.end_us)
        tac__tangent_aim(flow); // tac__tangents_signal evaluates with these inputs
}

// --- other changes ------------------------------------------------------------------------------

static bool renew(double *duals, const double *values, size_t n)
{
    bool lost = false;
    for (size_t i = 0; i < n; i++) {
        double *dual = duals + i * TAC__WIDTH;
        if (same_one(*dual, values[i]))
            continue;
        lost |= tac__tangent_any(dual, 1);
        tac__tangent_constants(values + i, 1, dual);
    }
    return lost;
}

void tac__tangents_changed(tac_engine *e, const tac_instance *c, tac_time t_us)
{
    tac__tangent_part *part = &e->tangents->parts[c->plan->index];
    bool lost = false;
    for (size_t k = 0; k < c->plan->outputs.count; k++) {
        const tac_type *type = &c->plan->outputs.items[k].type;
        if (type->scalar == TAC_F64)
            lost |= renew(part->out[k], c->step.out[k], type->count);
        tac__tangent_keep(e->tangents, tac__signal_at(c->plan, k), t_us);
    }
    for (size_t k = 0; k < c->plan->states.count; k++) {
        const tac_type *type = &c->plan->states.items[k].type;
        if (type->scalar == TAC_F64)
            lost |= renew(part->state[k], c->step.state[k], type->count);
    }
    if (c->plan->x_count)
        lost |= renew(e->tangents->flows[c->plan->island].x + c->plan->x_offset * TAC__WIDTH,
                      e->islands[c->plan->island].x + c->plan->x_offset, c->plan->x_count);
    if (lost)
        tac__tangent_lose(part, "something that has no form in dual numbers wrote to it");
}
