// pose.c - a pose is time, states, modes and held inputs, one after another in whole words.
#include "engine/run/pose.h"

#include <string.h>

enum { INPUTS_MAX = 32 };

size_t tac__pose_size(const tac_engine *e, const tac_instance *c)
{
    if (!(c->type->flags & TAC_COMPONENT_SHARED) || !c->type->output || c->island < 0)
        return 0;
    const tac__island *island = &e->islands[c->island];
    const bool held = island->alone == c && island->keep_count == c->inputs.count;
    if (!held || c->inputs.count > INPUTS_MAX || c->outputs.count > TAC__POSE_OUTPUTS ||
        tac__ports_words(&c->outputs) > TAC__POSE_WORDS)
        return 0;
    return (1 + c->x_count + c->event_count + tac__ports_words(&c->inputs)) * sizeof(uint64_t);
}

void tac__pose_take(const tac_engine *e, const tac_instance *c, tac_time t_us, void *pose)
{
    const tac__island *island = &e->islands[c->island];
    double *to = pose;
    *to++ = tac_time_seconds(t_us);
    memcpy(to, island->x, c->x_count * sizeof *to);
    to += c->x_count;
    memcpy(to, island->mode, c->event_count * sizeof *to);
    to += c->event_count;
    for (size_t i = 0; i < island->keep_count; i++) { // one an input
        const tac__keep *keep = &island->keeps[i];
        memcpy(to, keep->to, keep->bytes);
        to += (keep->bytes + sizeof *to - 1) / sizeof *to;
    }
}

tac_status tac__pose_outputs(const tac_instance *c, const void *pose, tac__posed *posed)
{
    const double *from = pose;
    const void *in[INPUTS_MAX];
    tac_eval eval = {.t_s = *from++, .in = in, .out = posed->out};
    eval.x = from;
    from += c->x_count;
    eval.mode = from;
    from += c->event_count;
    for (size_t i = 0; i < c->inputs.count; i++) {
        in[i] = from;
        from += tac__type_words(&c->inputs.items[i].type);
    }
    uint64_t *to = posed->words;
    for (size_t i = 0; i < c->outputs.count; i++) {
        posed->out[i] = to;
        to += tac__type_words(&c->outputs.items[i].type);
    }
    memset(posed->words, 0, (size_t)(to - posed->words) * sizeof *to);
    return c->type->output(&eval, c->self);
}
