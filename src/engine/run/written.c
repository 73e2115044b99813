// written.c - which signals have a value yet. See written.h.
#include "engine/run/written.h"
#include "engine/run/loop.h"
#include "engine/plan/outside.h"
#include "engine/plan/peers.h"

// Continuous states begin with a value, and outputs of the plant are evaluated before the first
// boundary. A type with an init function, an output with a resting value of its own, and an input
// from outside, which rests until somebody writes it, begin with a value, too.
static bool begins_with_value(const tac__plan *plan, const tac__signal *s)
{
    const tac__component *writer = plan->components[s->component];
    if (s->kind->continuous || writer->type->init || tac__is_outside(writer))
        return true;
    const size_t k = tac__signal_place(writer, (int)(s - plan->schema.signals));
    return writer->outputs.items[k].has_rest;
}

bool tac__watch_begins(const tac_engine *e, size_t signal)
{
    return begins_with_value(e->plan, &e->plan->schema.signals[signal]);
}

// The digest of a signal that was never written is that of its name and its value.
bool tac__watch_is_written(const tac_engine *e, size_t signal)
{
    const tac__signal *s = &e->plan->schema.signals[signal];
    if (begins_with_value(e->plan, s))
        return true;
    if (!s->digest)
        return e->clock->started;
    return *s->digest != tac__start_digest(s, tac__block_at(&e->plan->block, s->offset));
}

void tac__written_ask(tac__plan *plan)
{
    for (size_t i = 0; i < plan->component_count; i++) {
        const tac__component *c = plan->components[i];
        for (size_t k = 0; k < c->inputs.count; k++) {
            if (!c->inputs.items[k].peer || c->in[k].signal < 0)
                continue;
            const tac__signal *s = &plan->schema.signals[c->in[k].signal];
            plan->components[s->component]->asked |= !begins_with_value(plan, s);
        }
    }
}

void tac__written_restart(tac_engine *e)
{
    for (size_t i = 0; i < e->plan->component_count; i++) {
        tac_instance *c = e->instances[i];
        c->all_written = false;
        c->taps = c->plan->taps;
        c->after = (uint8_t)((c->taps ? TAC__AFTER_TAPS : 0) |
                             (c->plan->stage == TAC_STAGE_ACTUATE ? TAC__AFTER_JUMP : 0) |
                             (c->plan->asked ? TAC__AFTER_WRITE : 0));
    }
}

// Also called for a component that becomes inactive: the engine has written its outputs.
void tac__written_now(tac_instance *c)
{
    if (!c->plan->written)
        return;
    *c->plan->written = 1;
    c->after &= (uint8_t)~TAC__AFTER_WRITE;
}

static bool has_value(const tac_engine *e, const tac__input *in, tac_time t_us)
{
    const tac__signal *s = &e->plan->schema.signals[in->signal];
    if (begins_with_value(e->plan, s))
        return true;
    const tac__history *h = in->history;
    if (!h)
        return *e->plan->components[s->component]->written;
    // The input looks back in time: what counts is whether it can see a write.
    return *h->writes > 1 || (*h->writes == 1 && (!in->route->delayed || h->times[1] < t_us));
}

static bool all_written(const tac_engine *e, const tac__component *c, tac_time t_us)
{
    bool all = true;
    for (size_t k = 0; all && k < c->inputs.count; k++)
        all = !c->inputs.items[k].peer || c->in[k].signal < 0 || has_value(e, &c->in[k], t_us);
    return all;
}

bool tac__formula_ready(const tac__formula *f, const tac_step *s)
{
    tac_instance *run = s->instance;
    if (run->all_written)
        return true;
    const tac__component *c = run->plan;
    const tac_engine *e = run->engine;
    const tac_time t_us = e->clock->t_us;
    for (size_t i = 0; i < f->input_count; i++) {
        if (!has_value(e, &c->in[f->inputs[i]], t_us))
            return false;
    }
    run->all_written = all_written(e, c, t_us);
    return true;
}
