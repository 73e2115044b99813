// steps.c - steps of components, on duals. The function here takes the place of a component's step:
// first the step of duals, then that of numbers, then both are compared.
#include "engine/run/loop.h"
#include "engine/tangent/inside.h"

#include <string.h>

// Copies of what a step writes that is not of f64s get the values of the run.
static void copy_others(const tac__tangent_part *part)
{
    const tac__component *c = part->run->plan;
    for (size_t k = 0; k < c->outputs.count; k++) {
        const tac_type *type = &c->outputs.items[k].type;
        if (type->scalar != TAC_F64)
            memcpy(part->out[k], part->run->step.out[k], tac__type_words(type) * 8);
    }
    for (size_t k = 0; k < c->states.count; k++) {
        const tac_type *type = &c->states.items[k].type;
        if (type->scalar != TAC_F64)
            memcpy(part->state[k], part->run->step.state[k], tac__type_words(type) * 8);
    }
}

static void draw_back(const tac__tangent_part *part, bool back)
{
    const tac__component *c = part->run->plan;
    for (size_t k = 0; k < c->stream_count; k++) {
        if (back)
            *c->streams[k].next = part->draws[k];
        else
            part->draws[k] = *c->streams[k].next;
    }
}

// The step of duals. What it draws the step of numbers will draw again; what it asks of the engine
// is not done.
static bool step_duals(tac__tangent_part *part, const tac_step *s)
{
    tac_instance *c = part->run;
    if (!part->kernels->step || tac__decide(c, s, part->decided) != TAC_OK)
        return false;
    tac_step *frame = &part->frame;
    frame->t_us = s->t_us;
    frame->due = s->due;
    frame->period_us = s->period_us;
    copy_others(part);
    draw_back(part, false);
    c->shadow = true;
    const tac_status status = part->kernels->step(frame, c->plan->self);
    c->shadow = false;
    draw_back(part, true);
    return status == TAC_OK;
}

static void settle_ports(tac__tangent_part *part, const tac__ports *ports, void *const *duals,
                         void *const *values, bool computed, bool outputs)
{
    const tac__component *c = part->run->plan;
    for (size_t k = 0; k < ports->count; k++) {
        const tac__port *port = &ports->items[k];
        if (port->type.scalar == TAC_F64 && !(outputs && c->kinds[k].continuous))
            tac__tangent_settle(part, duals[k], values[k], port->type.count, computed, port->name);
    }
}

// After the step of numbers.
static void settle(tac__tangent_part *part, const tac_step *s, bool computed)
{
    const tac__component *c = part->run->plan;
    settle_ports(part, &c->outputs, part->out, part->run->step.out, computed, true);
    settle_ports(part, &c->states, part->state, part->run->step.state, computed, false);
    for (size_t k = 0; s->due != TAC_DUE_LEAD && k < c->outputs.count; k++) {
        if (!c->kinds[k].continuous)
            tac__tangent_keep(part->owner, tac__signal_at(c, k), s->t_us);
    }
    if (part->run->jumped && c->x_count)
        tac__tangents_changed(part->run->engine, part->run, s->t_us);
}

// How many messages the component has sent so far.
static uint64_t sent_by(const tac_instance *c)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < c->plan->sender_count; i++)
        sum += *c->engine->plan->senders[c->plan->senders[i]].sequence;
    return sum;
}

tac_status tac__tangent_step(tac_step *s, const void *self)
{
    tac__tangent_part *part = (tac__tangent_part *)(uintptr_t)self;
    const tac__component *c = part->run->plan;
    tac__tangent_see(part, c->views.live, s->t_us);
    const uint64_t sent = sent_by(part->run);
    const bool sends = c->sender_count && !part->gap && tac__tangent_depends(part);
    const bool computed = step_duals(part, s);
    const tac_status status = part->step(s, part->step_self);
    if (sends && sent_by(part->run) != sent)
        tac__tangent_lose(part, "what it sends in messages is taken for constant");
    else if (!computed && !part->gap && tac__tangent_depends(part))
        tac__tangent_lose(part, "its step has no form in dual numbers");
    if (status == TAC_OK)
        settle(part, s, computed);
    return status;
}
